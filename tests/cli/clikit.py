"""A project in a folder of its own, and the command `saga` called in it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from click.testing import CliRunner

from sagalang.cli import main

SAGA = """edition 2026

tool pay(id: str, total: decimal) -> str {
  call python "MODULE:pay" (id, total, key: key)
  effect payment(id) compensatable impact 4
  idempotent by key
  fails with Declined
  verify payment_of(id)
  undo refund(id)
}
tool payment_of(id: str) -> str? {
  call python "MODULE:payment_of"
  effect none
  retry 2 times every 1ms..2ms
}
tool refund(id: str) -> json {
  call python "MODULE:refund"
  effect payment restoring
  idempotent naturally
  retry 3 times every 10ms..20ms
}
tool ship(id: str) -> str {
  call python "MODULE:ship" (id, key: key)
  effect parcel(id) irreversible corrective "Fetch the parcel of {id}."
  idempotent by key
  fails with NoTruck
}

\"\"\"Takes the money, then ships.\"\"\"
saga order(id: str, total: decimal = 1.00) -> str {
  promise reversible until parcel
  step money = pay(id, total)
  gate release needs "ops" shows id, total when total > 100.00
  step parcel = ship(id)
  return parcel
}
"""

TOOLS = '''"""Tools of a test: what they did is a file."""

import os
import time
from pathlib import Path

DONE = Path(__file__).with_name("done.txt")

class Declined(Exception): pass
class NoTruck(Exception): pass

def write(line):
    with DONE.open("a") as file:
        file.write(line + "\\n")

def lines():
    return DONE.read_text().split() if DONE.exists() else []

def pay(id, total, key):
    if id == "poor":
        raise Declined("the card is empty")
    if id == "slow":
        write("begun")
        time.sleep(float(os.environ.get("SLOW", "1")))
    write(f"pay:{id}")
    if id == "lost":
        raise RuntimeError("the line went dead")
    return f"money-{id}"

def payment_of(id):
    if id == "lost":
        raise OSError("the line is still dead")
    paid = lines().count(f"pay:{id}") > lines().count(f"refund:{id}")
    return f"money-{id}" if paid else None

def refund(id):
    write(f"refund:{id}")

def ship(id, key):
    if id == "far":
        raise NoTruck("nobody drives there")
    write(f"ship:{id}")
    return f"parcel-{id}"
'''


@dataclass
class Said:
    """What a call of the command said, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on stdout."""
        return json.loads(self.out)


class Project:
    """A folder with a saga file, its tools and settings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[str]] = []
        self.module = f"tools_{uuid4().hex}"
        self.write("order.saga", SAGA)
        self.write(f"{self.module}.py", TOOLS)
        self.write(
            "saga.toml", 'log = "l.duckdb"\nsagas = ["order.saga"]\n[groups]\nops = ["ada"]\n'
        )

    def write(self, name: str, text: str) -> Path:
        """Writes a file; MODULE stands for the name of the tools' module."""
        path = self.folder / name
        path.write_text(text.replace("MODULE", self.module), "utf-8")
        return path

    def saga(self, *args: str, stdin: str = "") -> Said:
        """Calls the command in this process."""
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            result = CliRunner().invoke(main, list(args), input=stdin, prog_name="saga")
        finally:
            os.chdir(before)
        unexpected = result.exception
        if unexpected is not None and not isinstance(unexpected, SystemExit):
            raise unexpected
        return Said(result.exit_code, result.stdout, result.stderr)

    def start(self, *args: str, **environment: str) -> subprocess.Popen[str]:
        """Calls the command in a process of its own."""
        process = subprocess.Popen(
            [sys.executable, "-c", "from sagalang.cli import main; main()", *args],
            cwd=self.folder,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.processes.append(process)
        return process

    def run(self, run_id: str, *more: str) -> Said:
        """Runs the order of an id, under that id."""
        return self.saga("run", "order.saga", "--id", run_id, "--set", f"id={run_id}", *more)

    def names(self) -> set[str]:
        """What is in the folder, without what Python keeps of the tools that it loaded."""
        return {*os.listdir(self.folder)} - {"__pycache__"}

    def done(self) -> list[str]:
        """What the tools did, in order."""
        path = self.folder / "done.txt"
        return path.read_text().split() if path.exists() else []


def until(true: Callable[[], bool]) -> None:
    """Waits until something is so."""
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.02)


def settled(text: str) -> str:
    """A text without what is different each time: times of day, hashes, names of modules."""
    text = re.sub(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+\+00:00)?", "TIME", text)
    text = re.sub(r"\d\d:\d\d:\d\d\.\d{3}", "TIME        ", text)
    text = re.sub(r"\b[0-9a-f]{64}\b", "HASH", text)
    return re.sub(r"tools_[0-9a-f]{32}", "tools", text)
