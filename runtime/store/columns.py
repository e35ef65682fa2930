"""What is in the event store, as data: kinds of events, stored columns, and views with theirs."""

from __future__ import annotations

from dataclasses import dataclass

from ..events import Kind

KINDS: dict[Kind, str] = {
    "run_started": "A run began, with its inputs and the definition that it is pinned to.",
    "chosen": "A branch was taken, a value computed, a step skipped, failed or undone.",
    "intent": "A call with an effect is about to be made; it is durable before the call.",
    "outcome": "What a call answered.",
    "verified": "What a verify says about a call: applied, absent, conflict or unknown.",
    "timer_set": "A wait began, with its length and when it is due.",
    "timer_due": "A wait is over.",
    "scope_closed": "No new forward call is made: what was done is rolled back.",
    "gate_opened": "People are asked, with exactly what they are shown.",
    "decided": "Somebody decided about a gate, or nobody did in time.",
    "signalled": "A value came from outside.",
    "cancel_requested": "Somebody asked to cancel the run.",
    "checkpointed": "A named state to come back to.",
    "escalated": "An incident was opened: people must say how to go on.",
    "resolved": "Somebody answered an incident.",
    "frozen": "Somebody stopped the run without undoing anything.",
    "attempt_lost": "The owner died between a call and its record.",
    "late": "An answer came after its attempt was settled.",
    "run_finished": "The run is over, with its final status.",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a view, and what it says."""

    name: str
    about: str


@dataclass(frozen=True, slots=True)
class View:
    """A view that can be asked: its columns in order, and the question behind it."""

    name: str
    about: str
    columns: tuple[Column, ...]
    sql: str


def columns(text: str) -> tuple[Column, ...]:
    """Reads columns from lines of `name: what it says.`."""
    pairs = (line.strip().partition(": ") for line in text.strip().splitlines())
    return tuple(Column(name, about) for name, _, about in pairs)


FIELDS: dict[str, str] = {
    "seq": "BIGINT",
    "run_id": "VARCHAR",
    "hash": "VARCHAR",
    "v": "INTEGER",
    "n": "BIGINT",
    "epoch": "BIGINT",
    "kind": "VARCHAR",
    "path": "VARCHAR",
    "direction": "VARCHAR",
    "generation": "INTEGER",
    "attempt": "INTEGER",
    "status": "VARCHAR",
    "key": "VARCHAR",
    "action": "STRUCT(tool VARCHAR, target VARCHAR, args JSON, digest VARCHAR)",
    "undo": "JSON",
    "response": "JSON",
    "result": "JSON",
    "error": "STRUCT(type VARCHAR, message VARCHAR, traceback VARCHAR)",
    "cause": "BIGINT",
    "actor": "VARCHAR",
    "data": "JSON",
    "readiness": "DOUBLE[]",
    "wall_time": "BIGINT",
    "elapsed": "BIGINT",
    "trace_id": "VARCHAR",
    "span_id": "VARCHAR",
}
"""Fields of a line that is moved, in the types in which DuckDB reads them."""

EXACT: dict[str, str] = {"seq": "BIGINT", "readiness": "VARCHAR[]"}
"""Fields of a line whose readiness, an exact fraction, has more digits than a float can hold."""

_CUT = "greatest(length(readiness[2]) - 300, 0)"


def _digits(place: int) -> str:
    digits = f"readiness[{place}]"
    return f"CAST('0' || left({digits}, greatest(length({digits}) - {_CUT}, 0)) AS DOUBLE)"


CUT = f"{_digits(1)} / {_digits(2)}"
"""Such a readiness, of the digits that a float can hold; read as floats it would be no number."""

KEPT: dict[str, tuple[str, str]] = {
    "seq": ("BIGINT", "seq"),
    "run_id": ("VARCHAR", "run_id"),
    "n": ("BIGINT", "n"),
    "wall_time": ("TIMESTAMP", "epoch_ms(wall_time)"),
    "elapsed_ms": ("BIGINT", "coalesce(elapsed, 0)"),
    "kind": ("VARCHAR", "kind"),
    "path": ("VARCHAR", "coalesce(path, '')"),
    "direction": ("VARCHAR", "coalesce(direction, '')"),
    "generation": ("INTEGER", "coalesce(generation, 0)"),
    "attempt": ("INTEGER", "coalesce(attempt, 0)"),
    "status": ("VARCHAR", "coalesce(status, '')"),
    "tool": ("VARCHAR", "action.tool"),
    "target": ("VARCHAR", "action.target"),
    "args": ("JSON", "action.args"),
    "args_digest": ("VARCHAR", "action.digest"),
    "key": ("VARCHAR", "key"),
    "undo": ("JSON", "undo"),
    "response": ("JSON", "response"),
    "result": ("JSON", "result"),
    "error_type": ("VARCHAR", "error.type"),
    "error": ("VARCHAR", "error.message"),
    "traceback": ("VARCHAR", "error.traceback"),
    "cause": ("BIGINT", "cause"),
    "actor": ("VARCHAR", "actor"),
    "data": ("JSON", "data"),
    "readiness": ("DOUBLE", "readiness[1] / readiness[2]"),
    "epoch": ("BIGINT", "coalesce(epoch, 0)"),
    "v": ("INTEGER", "v"),
    "trace_id": ("VARCHAR", "trace_id"),
    "span_id": ("VARCHAR", "span_id"),
    "hash": ("VARCHAR", "hash"),
}
"""What is kept of an event: type, and how it is made of the fields of its line."""

RUNS: dict[str, str] = {
    "run_id": "VARCHAR",
    "saga": "VARCHAR",
    "definition": "VARCHAR",
    "source": "VARCHAR",
    "status": "VARCHAR",
    "created": "BIGINT",
    "updated": "BIGINT",
    "n": "BIGINT",
}
"""What is kept once of a run."""

STEPS: dict[str, str] = {
    "definition": "VARCHAR",
    "path": "VARCHAR",
    "tool": "VARCHAR",
    "agent": "VARCHAR",
    "service": "VARCHAR",
    "class": "VARCHAR",
    "impact": "INTEGER",
    "by_key": "BOOLEAN",
}
"""What is kept once of each step of a definition."""

STANDINGS: dict[str, str] = {
    "run_id": "VARCHAR",
    **{name: type_ for name, type_ in STEPS.items() if name != "definition"},
    "status": "VARCHAR",
}
"""What is kept of each step of a run whose events alone do not say how its steps stand."""

FORMAT = 3
"""Format of the store: readers refuse a newer one, and a mover fills an older one anew."""


def _table(name: str, fields: dict[str, str]) -> str:
    return f"CREATE TABLE stored.{name}({', '.join(map(' '.join, fields.items()))});"


TABLES = f"""
CREATE SCHEMA stored;
{_table("events", {name: type_ for name, (type_, _) in KEPT.items()})}
{_table("runs", RUNS)}
{_table("steps", STEPS)}
{_table("standings", STANDINGS)}
CREATE TABLE stored.mark(
  format INTEGER, store_id VARCHAR, log_id VARCHAR, through_seq BIGINT, chain BLOB);
"""
"""Tables behind the views: events as they came, and once per run and step what never changes."""
