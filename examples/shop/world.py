"""Starts the shop's service in a process of its own, sets its switches and reads its rows.

The demo and the tests judge by it: what a log says is a claim, the service's rows are what
happened.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

Row = dict[str, object]


@dataclass(frozen=True)
class Shop:
    """A running service: its address, the file with its rows, and its process."""

    url: str
    file: Path
    process: subprocess.Popen[str]

    def switch(self, operation: str, **faults: object) -> None:
        """Queues faults for calls to come: `switch("payments/charge", lose_answer=True, times=2)`.

        The faults are those of `switches.Faults`; `times` is a number (1) or "always". Raises
        `ValueError` with what the service said when there is no such operation or fault.
        """
        self._post(f"switches/{operation}", faults)

    def drift(self, kind: str, resource: str) -> None:
        """Lets somebody else change what stands at a resource, now, or raises `ValueError`."""
        self._post("drift", {"kind": kind, "resource": resource})

    def reset(self) -> None:
        """Clears rows, keys, calls and switches."""
        self._post("reset", {})

    def rows(self, kind: str | None = None, resource: str | None = None) -> list[Row]:
        """Every applied change, oldest first, read from the service's own file."""
        rows = self._read("select * from rows order by n")
        return [
            row
            for row in rows
            if kind in (None, row["kind"]) and resource in (None, row["resource"])
        ]

    def calls(self, operation: str | None = None) -> list[Row]:
        """Every call that reached the service, oldest first, with what became of it."""
        calls = self._read("select * from calls order by n")
        return [call for call in calls if operation in (None, call["operation"])]

    def net(self, kind: str, resource: str | None = None) -> int:
        """How many changes of this kind stand: applied do minus applied undo."""
        directions = [row["direction"] for row in self.rows(kind, resource)]
        return directions.count("do") - directions.count("undo")

    def _post(self, path: str, body: Row) -> None:
        with closing(HTTPConnection(urlsplit(self.url).netloc, timeout=20)) as connection:
            connection.request("POST", f"/{path}", json.dumps(body))
            answer = connection.getresponse()
            said = json.load(answer)
        if answer.status != 200:
            raise ValueError(f"{path}: {said['message']}")

    def _read(self, query: str) -> list[Row]:
        with closing(sqlite3.connect(f"{self.file.as_uri()}?mode=ro", uri=True)) as db:
            db.row_factory = sqlite3.Row
            rows = [dict(row) for row in db.execute(query)]
        for row in rows:
            row.update({k: json.loads(row[k]) for k in ("payload", "state") if k in row})
        return rows


@contextmanager
def open_shop(folder: Path, port: int = 0) -> Generator[Shop]:
    """A shop that is open inside the `with` block; its rows stay in `folder/service.sqlite3`.

    `port` 0 is a free one. Raises `RuntimeError` with what the service said if it did not start.
    """
    file = folder.resolve() / "service.sqlite3"
    service = Path(__file__).with_name("service.py")
    command = [sys.executable, str(service), "--port", str(port), "--db", str(file)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )
    assert process.stdout is not None
    try:
        ready = process.stdout.readline()
        if not ready:
            raise RuntimeError(process.communicate()[1].strip())
        yield Shop(ready.split()[-1], file, process)
    finally:
        process.terminate()
        process.communicate()
