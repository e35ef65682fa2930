"""What the shop has really done: one row per applied change, in the service's own SQLite file."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Payload = dict[str, object]
State = dict[str, object]

TAKEN_BACK = {"refunded", "voided", "released", "recalled"}

_SCHEMA = """
create table if not exists rows (
  n integer primary key, at real not null, kind text not null, resource text not null,
  entity text not null, operation text not null, direction text not null, key text,
  payload text not null, state text not null);
create table if not exists keys (
  operation text not null, key text not null, payload text not null, answer text not null,
  primary key (operation, key));
create table if not exists calls (
  n integer primary key, at real not null, operation text not null, key text,
  payload text not null, outcome text not null);
"""


class Refusal(Exception):
    """The service says no, by name: nothing was applied."""

    def __init__(self, name: str, message: str, status: int = 422) -> None:
        super().__init__(message)
        self.name = name
        self.status = status


@dataclass(frozen=True)
class Change:
    """One change that an operation wants to apply, before it has its row.

    `direction` is `do`, `undo`, or `elsewhere` for a change that somebody else makes.
    """

    kind: str
    resource: str
    entity: str
    direction: str
    state: State


def now() -> float:
    """The time of this process, from the moment at which it began: it never steps back.

    A clock that is set back would let a read miss what was written before it.
    """
    return _BEGUN + time.monotonic()


_BEGUN = time.time() - time.monotonic()


class Ledger:
    """The rows, the keys that were used, and every call that came in.

    A resource's state is never stored apart: it is the state in the last row of each entity, so
    that a read can be asked for "as it was three seconds ago". All methods may be called from any
    thread.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.RLock()
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._db.row_factory = sqlite3.Row
        self._db.execute("pragma journal_mode = wal")
        self._db.executescript(_SCHEMA)

    def received(self, operation: str, key: str | None, payload: Payload) -> int:
        """Notes a call as it comes in, and returns its number."""
        with self._lock:
            cursor = self._db.execute(
                "insert into calls (at, operation, key, payload, outcome) values (?, ?, ?, ?, ?)",
                (now(), operation, key, _canonical(payload), "received"),
            )
            return int(cursor.lastrowid or 0)

    def settled(self, call: int, outcome: str) -> None:
        """Notes what became of the call with this number."""
        with self._lock:
            self._db.execute("update calls set outcome = ? where n = ?", (outcome, call))

    def apply(
        self,
        operation: str,
        payload: Payload,
        key: str | None,
        decide: Callable[[Ledger, Payload], Change],
        *,
        honour_keys: bool = True,
    ) -> tuple[State, Change | None]:
        """Applies a change once per key; returns the answer, and the change if it is a new one.

        `decide` says what the change is, or refuses it. The same key with the same payload gives
        the first answer again. Raises `Refusal`: that of `decide`, or `Conflict` (409) for a known
        key with another payload.
        """
        text = _canonical(payload)
        with self._lock, self._db:
            self._db.execute("begin immediate")
            if key is not None and honour_keys:
                known = self._db.execute(
                    "select payload, answer from keys where operation = ? and key = ?",
                    (operation, key),
                ).fetchone()
                if known is not None and known["payload"] != text:
                    raise Refusal("Conflict", "this key was used with another payload", 409)
                if known is not None:
                    return json.loads(known["answer"]), None
            change = decide(self, payload)
            self._append(operation, change, key, text)
            if key is not None:
                self._db.execute(
                    "insert or ignore into keys values (?, ?, ?, ?)",
                    (operation, key, text, json.dumps(change.state)),
                )
            return change.state, change

    def drift(self, kind: str, resource: str) -> State:
        """Somebody else changes what stands at a resource. Raises `Refusal` if nothing does."""
        with self._lock, self._db:
            self._db.execute("begin immediate")
            entity, state = self.standing(kind, resource)
            moved = dict(state)
            if kind == "stock":
                moved["qty"] = int(str(state["qty"])) + 1
            else:
                moved["state"] = {"payment": "disputed", "parcel": "rerouted"}.get(kind, "edited")
            change = Change(kind, resource, entity, "elsewhere", moved)
            self._append("drift", change, None, "{}")
            return moved

    def states(self, kind: str, resource: str, until: float | None = None) -> dict[str, State]:
        """The state of each entity at a resource, oldest first, as it was at the time `until`."""
        with self._lock:
            found = self._db.execute(
                "select entity, state from rows"
                " where kind = ? and resource = ? and at <= ? order by n",
                (kind, resource, now() if until is None else until),
            ).fetchall()
        return {row["entity"]: json.loads(row["state"]) for row in found}

    def standing(self, kind: str, resource: str) -> tuple[str, State]:
        """The newest entity that stands at a resource. Raises `Refusal` `NotFound` if none does."""
        for entity, state in reversed(self.states(kind, resource).items()):
            if state["state"] not in TAKEN_BACK:
                return entity, state
        raise Refusal("NotFound", f"no {kind} stands at {resource}", 404)

    def rows(self, kind: str | None = None, resource: str | None = None) -> list[dict[str, object]]:
        """Every applied change, oldest first."""
        return self._listed("rows", {"kind": kind, "resource": resource})

    def calls(self, operation: str | None = None) -> list[dict[str, object]]:
        """Every call that came in, oldest first, with what became of it."""
        return self._listed("calls", {"operation": operation})

    def made_with(self, operation: str, key: str, until: float | None = None) -> State | None:
        """The present state of what a call with this key made, as it was at the time `until`."""
        with self._lock:
            first = self._db.execute(
                "select kind, resource, entity from rows where operation = ? and key = ?",
                (operation, key),
            ).fetchone()
        if first is None:
            return None
        return self.states(first["kind"], first["resource"], until).get(first["entity"])

    def number(self) -> int:
        """The number that the next row will have; new entities are named by it."""
        with self._lock:
            (last,) = self._db.execute("select coalesce(max(n), 0) from rows").fetchone()
        return int(last) + 1

    def reset(self) -> None:
        """Forgets everything."""
        with self._lock, self._db:
            self._db.execute("begin immediate")
            for table in ("rows", "keys", "calls"):
                self._db.execute(f"delete from {table}")

    def _append(self, operation: str, change: Change, key: str | None, payload: str) -> None:
        self._db.execute(
            "insert into rows (at, kind, resource, entity, operation, direction, key, payload,"
            " state) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                now(),
                change.kind,
                change.resource,
                change.entity,
                operation,
                change.direction,
                key,
                payload,
                json.dumps(change.state),
            ),
        )

    def _listed(self, table: str, equal: dict[str, str | None]) -> list[dict[str, object]]:
        asked = {name: value for name, value in equal.items() if value is not None}
        where = "".join(f" and {name} = :{name}" for name in asked)
        with self._lock:
            found = self._db.execute(f"select * from {table} where 1{where} order by n", asked)
            listed = [dict(row) for row in found]
        for row in listed:
            row.update({k: json.loads(row[k]) for k in ("payload", "state") if k in row})
        return listed


def _canonical(payload: Payload) -> str:
    return json.dumps(payload, sort_keys=True)
