"""A folder with a program and a log, real processes that work in it, and the shop outside.

The service's rows are the judge: what the log says is a claim, what the rows say has happened.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import sagalang
from sagalang.runtime import Run

from .journey import JOURNEY, tools

SHOP = Path(__file__).parents[2] / "examples" / "shop"
PATIENCE = 60.0


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"bench_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Done:
    """A process that is over: its exit code (negative: the signal) and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The document that it printed."""
        return json.loads(self.out)

    @property
    def killed(self) -> bool:
        """True when it died at a failure point."""
        return self.code == -signal.SIGKILL


class Child:
    """A process that may still be going on."""

    def __init__(self, nursery: Nursery, pid: int, out: Path) -> None:
        self._nursery = nursery
        self.pid = pid
        self._out = out

    def code(self) -> int | None:
        """Its exit code, or None while it goes on."""
        code: int | None = self._nursery.ask({"poll": self.pid})["code"]
        return code

    def wait(self) -> Done:
        """Waits for its end."""
        until = time.monotonic() + PATIENCE
        while (code := self.code()) is None:
            if time.monotonic() > until:
                os.kill(self.pid, signal.SIGKILL)
                raise AssertionError(f"{self.pid} does not end: {self.said('err')}")
            time.sleep(0.005)
        return Done(code, self.said("out"), self.said("err"))

    def kill(self) -> None:
        """Kills it, as a power cut would, and waits for its end."""
        os.kill(self.pid, signal.SIGKILL)
        assert self.wait().killed

    def said(self, stream: str) -> str:
        """What it has written so far to `out` or `err`."""
        path = self._out.with_name(f"{self._out.name}.{stream}")
        return path.read_text(encoding="utf-8") if path.exists() else ""


class Nursery:
    """The process that all others are forked from."""

    def __init__(self) -> None:
        program = Path(__file__).with_name("nursery.py")
        self._process = subprocess.Popen(
            [sys.executable, str(program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self.ask({"program": tools() + JOURNEY})

    def ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Asks it something."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        """Ends it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        self._process.stdout.close()


class Bench:
    """One folder of a test, with the shop and the nursery that all tests share."""

    def __init__(self, folder: Path, shop: Any, nursery: Nursery, said: Path | None = None) -> None:
        self.folder = folder
        self._said = said or folder
        self.shop = shop
        self._nursery = nursery
        self._numbers = count(1)
        self.environment = {"SHOP_URL": shop.url, "NO_COLOR": "1", "SAGA_FAILPOINT": ""}
        self.write("tools.py", (SHOP / "tools.py").read_text(encoding="utf-8"))
        self.write("saga.toml", 'log = "test.duckdb"\n[groups]\nops = ["ada", "grace"]\n')

    def write(self, name: str, text: str) -> Path:
        """Writes a file of the folder."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def start(self, *argv: str, failpoint: str = "", **environment: str) -> Child:
        """Starts `saga ARGV` (or, when the first ends with .py, that program)."""
        line = list(argv) if argv[0].endswith(".py") else ["saga", *argv]
        out = self._said / f"process-{next(self._numbers)}"
        env = {**self.environment, "SAGA_FAILPOINT": failpoint, **environment}
        asked = {"argv": line, "env": env, "cwd": str(self.folder), "out": str(out)}
        return Child(self._nursery, self._nursery.ask(asked)["pid"], out)

    def saga(self, *argv: str, failpoint: str = "", **environment: str) -> Done:
        """Runs `saga ARGV` to its end."""
        return self.start(*argv, failpoint=failpoint, **environment).wait()

    def run(self, run_id: str = "r") -> Run:
        """The run in the log, to be looked at; nobody takes it up by that."""
        return sagalang.open(self.folder / "test.duckdb").run(run_id)

    def show(self, run_id: str = "r") -> dict[str, Any]:
        """The run, as `saga show --json` prints it."""
        return self.run(run_id).to_json()

    def events(self, run_id: str = "r") -> list[dict[str, Any]]:
        """The run's events, as `saga log --json` prints them."""
        return self.run(run_id).events()

    def kinds(self, *wanted: str, run_id: str = "r") -> list[tuple[str, str, str, str]]:
        """The events of some kinds: kind, path, direction, status."""
        return [
            (e["kind"], e["path"], e["direction"], e["status"])
            for e in self.events(run_id)
            if not wanted or e["kind"] in wanted
        ]

    def calls(self, operation: str | None = None) -> list[str]:
        """The calls of changes that reached the service, in order; not the reads."""
        reads = ("/find", "/list")
        found = [str(call["operation"]) for call in self.shop.calls(operation)]
        return [name for name in found if not name.endswith(reads)]

    def keys(self, operation: str) -> set[object]:
        """The keys that an operation was called with."""
        return {call["key"] for call in self.shop.calls(operation)}

    def done(self, kind: str) -> int:
        """How often a thing of this kind was done, undone or not."""
        return sum(row["direction"] == "do" for row in self.shop.rows(kind))

    def until(self, operation: str, outcome: str = "") -> None:
        """Waits until a call of an operation has reached the service (with that outcome)."""
        limit = time.monotonic() + PATIENCE
        while not any(outcome in str(c["outcome"]) for c in self.shop.calls(operation)):
            assert time.monotonic() < limit
            time.sleep(0.01)


@contextmanager
def open_nursery() -> Generator[Nursery]:
    """The nursery, as long as the block lasts."""
    nursery = Nursery()
    try:
        yield nursery
    finally:
        nursery.close()


def open_service(folder: Path) -> Any:
    """The shop's service, as long as the block lasts."""
    return _load(SHOP / "world.py").open_shop(folder)
