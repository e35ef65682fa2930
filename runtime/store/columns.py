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

STATIC = r"""CASE WHEN contains(e.path, '[')
        THEN regexp_replace(e.path, '\[("([^"\\]|\\.)*"|[^"\]][^\]]*)\]', '[*]', 'g')
        ELSE coalesce(e.path, '') END"""
"""The path of the plan that an event's path stands for: a star in place of an item's key."""

KEPT: dict[str, tuple[str, str]] = {
    "seq": ("BIGINT", "e.seq"),
    "run_id": ("VARCHAR", "e.run_id"),
    "n": ("BIGINT", "e.n"),
    "saga": ("VARCHAR", "r.saga"),
    "definition": ("VARCHAR", "r.definition"),
    "wall_time": ("TIMESTAMP", "epoch_ms(e.wall_time)"),
    "elapsed_ms": ("BIGINT", "coalesce(e.elapsed, 0)"),
    "kind": ("VARCHAR", "e.kind"),
    "path": ("VARCHAR", "coalesce(e.path, '')"),
    "direction": ("VARCHAR", "coalesce(e.direction, '')"),
    "generation": ("INTEGER", "coalesce(e.generation, 0)"),
    "attempt": ("INTEGER", "coalesce(e.attempt, 0)"),
    "status": ("VARCHAR", "coalesce(e.status, '')"),
    "tool": ("VARCHAR", "coalesce(e.action.tool, s.tool)"),
    "target": ("VARCHAR", "e.action.target"),
    "args": ("JSON", "e.action.args"),
    "args_digest": ("VARCHAR", "e.action.digest"),
    "key": ("VARCHAR", "e.key"),
    "undo": ("JSON", "e.undo"),
    "response": ("JSON", "e.response"),
    "result": ("JSON", "e.result"),
    "error_type": ("VARCHAR", "e.error.type"),
    "error": ("VARCHAR", "e.error.message"),
    "traceback": ("VARCHAR", "e.error.traceback"),
    "cause": ("BIGINT", "e.cause"),
    "actor": ("VARCHAR", "e.actor"),
    "agent": ("VARCHAR", "nullif(s.agent, '')"),
    "service": ("VARCHAR", "nullif(s.service, '')"),
    "data": ("JSON", "e.data"),
    "readiness": ("DOUBLE", "e.readiness[1] / e.readiness[2]"),
    "epoch": ("BIGINT", "coalesce(e.epoch, 0)"),
    "v": ("INTEGER", "e.v"),
    "trace_id": ("VARCHAR", "e.trace_id"),
    "span_id": ("VARCHAR", "e.span_id"),
    "hash": ("BLOB USING COMPRESSION uncompressed", "unhex(e.hash)"),
}
"""What is kept of an event: type, and how it is made of its line `e`, its run `r`, its step `s`.

What its run and its step say stands with each event, though it never changes: DuckDB keeps what is
the same only once, and no question needs to join ten million rows for it. A hash looks like chance:
to try how it could be kept shorter would only take time.
"""

RUNS: dict[str, str] = {
    "run_id": "VARCHAR",
    "saga": "VARCHAR",
    "definition": "VARCHAR",
    "source": "VARCHAR",
    "status": "VARCHAR",
    "created": "BIGINT",
}
"""What the journal says of a run."""

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

FORMAT = 4
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
  format INTEGER, store_id VARCHAR, log_id VARCHAR, through_seq BIGINT, chain BLOB,
  derived BIGINT);
"""
"""Tables behind the views: events as they came, and once per run and step what never changes.

`derived` is how far what the events come to has been worked out.
"""
