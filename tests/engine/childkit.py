"""Real child processes that run a saga against a world in a file, and may be killed on the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

from .enginekit import saga

WORLD = '''
"""The world of a test in a file: one line for each change that was made."""

import fcntl, json, os, time

from sagalang.runtime import Refused

PATH = os.environ["WORLD"]
HONOURS = os.environ.get("HONOURS", "1") == "1"


def rows():
    if not os.path.exists(PATH):
        return []
    with open(PATH) as file:
        return [json.loads(line) for line in file]


def change(what, name, key):
    with open(PATH, "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        known = [json.loads(line) for line in file]
        for row in known:
            if HONOURS and row["key"] == key:
                return row["answer"]
        answer = f"{name}-{len(known)}"
        file.write(json.dumps({"what": what, "name": name, "key": key, "answer": answer}) + "\\n")
        file.flush()
        os.fsync(file.fileno())
        return answer


def called(name, key):
    with open(PATH + ".calls", "a") as file:
        file.write(json.dumps({"name": name, "key": key}) + "\\n")


def acts(name):
    def do(id, key):
        called(name, key)
        return change("do", name, key)

    def undo(id, key):
        called("-" + name, key)
        return change("undo", name, key)

    def find(id):
        mine = [row for row in rows() if row["name"] == name]
        return mine[-1]["answer"] if mine and mine[-1]["what"] == "do" else None

    return do, undo, find


a, undo_a, find_a = acts("a")
b, undo_b, find_b = acts("b")


def c(id, key):
    called("c", key)
    if os.environ.get("REFUSE"):
        raise Refused("no")
    return f"c-of-{id}"


undo_c, find_c = acts("c")[1:]


def credited(id):
    back = [row["answer"] for row in rows() if row["what"] == "undo" and row["name"] == "a"]
    return back[-1] if back else None
'''

PROGRAM = '''
"""Starts a run, or takes it up: the same door."""

import json, os, sys

import msgspec
from sagalang.runtime import Log, Saga
from sagalang.runtime.plan import Plan

import world

plan = msgspec.json.decode(open("plan.json", "rb").read(), type=Plan)
saga = Saga(plan, vars(world))
with Log("test.duckdb") as log:
    run = saga.start(log, run_id="r")
    run.wait(60)
    print(json.dumps({**run.to_json(), "events": run.events()}))
'''


_started: list[subprocess.Popen[str]] = []


def end_all() -> None:
    """Ends what a test that fails has left of its processes."""
    while _started:
        with _started.pop() as process:
            process.kill()


class Children:
    """A folder with a plan, a world and a log, and the processes that work in it."""

    def __init__(
        self, folder: Path, text: str, *, honours: bool = True, refuse: bool = False
    ) -> None:
        self.folder = folder
        (folder / "world.py").write_text(WORLD)
        (folder / "program.py").write_text(PROGRAM)
        (folder / "plan.json").write_bytes(msgspec.json.encode(saga(text, {}).plan))
        self.environment = {
            **os.environ,
            "WORLD": str(folder / "world.jsonl"),
            "HONOURS": "1" if honours else "0",
            **({"REFUSE": "1"} if refuse else {}),
        }

    def start(
        self, failpoint: str = "", program: str = "program.py", **more: str
    ) -> subprocess.Popen[str]:
        """Starts a process; it does not outlive its test."""
        environment = {**self.environment, **more}
        if failpoint:
            environment["SAGA_FAILPOINT"] = failpoint
        process = subprocess.Popen(
            [sys.executable, program],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        _started.append(process)
        return process

    def run(
        self, failpoint: str = "", program: str = "program.py", **more: str
    ) -> dict[str, Any] | None:
        """Runs a process to its end; gives what it printed, None when it was killed."""
        process = self.start(failpoint, program, **more)
        out, err = process.communicate(timeout=120)
        if process.returncode == -9:
            return None
        assert process.returncode == 0, err
        shown: dict[str, Any] = json.loads(out)
        return shown

    def net(self, name: str) -> int:
        """How often a thing stands in the world."""
        rows = self._lines("world.jsonl")
        return sum(1 if row["what"] == "do" else -1 for row in rows if row["name"] == name)

    def done(self, name: str) -> int:
        """How often a thing was done in the world."""
        rows = self._lines("world.jsonl")
        return sum(row["what"] == "do" and row["name"] == name for row in rows)

    def calls(self) -> list[str]:
        """What was called, in order, also without an effect."""
        return [row["name"] for row in self._lines("world.jsonl.calls")]

    def keys(self, name: str) -> set[str]:
        """The keys that something was called with."""
        return {row["key"] for row in self._lines("world.jsonl.calls") if row["name"] == name}

    def _lines(self, name: str) -> list[dict[str, Any]]:
        path = self.folder / name
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
