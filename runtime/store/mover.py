"""Moving events from the journal into the event store, a batch at a time."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec

from ..journal import Files, LogBusy, LogUnwritable, Reader, Run, files, transfer
from .columns import CUT, EXACT, FIELDS, FORMAT, KEPT, RUNS, STANDINGS, STATIC, STEPS, TABLES
from .derived import TABLES as DERIVED, derive
from .door import store_file
from .errors import StoreAhead, StoreBehind, StoreDamaged, StoreForeign, StoreTooNew
from .plans import folded, needs_fold, rows_of
from .views import VIEWS

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

BATCH = 122_880
"""Events of one transaction: the file is let go of after each.

One row group of DuckDB, which is then written once; of fewer it writes a log first and the tables
after: measured, a third slower.
"""

SPAN = 4 * BATCH
"""Events after which what they come to is worked out, at the latest.

Of some batches at once all cores do it, and the file is held for no more than a second or two.
"""


@dataclass(frozen=True, slots=True)
class Moved:
    """What a move did: how many events, and up to which entry the store goes now."""

    events: int
    through_seq: int


@dataclass(frozen=True, slots=True)
class _Store:
    id: str
    mark: transfer.Mark
    derived: int = 0
    format: int = FORMAT


def move(path: str | os.PathLike[str]) -> Moved:
    """Moves what the store lacks; makes the store when there is none.

    Raises StoreBusy after two seconds, StoreForeign, StoreAhead, StoreBehind, StoreDamaged,
    StoreTooNew, and what reading the journal raises.
    """
    where = files(path)
    count = 0
    batch: transfer.Batch | None = None
    with tempfile.TemporaryDirectory(prefix="saga-") as name, ThreadPoolExecutor(1) as reader:
        # While DuckDB takes one batch in, which needs no Python, the next is read.
        folder, spare = Path(name, "this"), Path(name, "next")
        folder.mkdir()
        spare.mkdir()
        while True:
            head = transfer.head(where.journal)
            with store_file(where.store, read_only=False) as db:
                store = _opened(db, where, head)
                if not count:
                    _check(where, store, head)
                if batch is None or batch.after != store.mark:
                    batch = _batch(where, store.mark, folder)
                reached = batch.mark
                ahead = None
                if batch.events and reached.through_seq < head.last_seq:
                    ahead = reader.submit(_batch, where, reached, spare)
                _take_in(db, where, batch, folder)
                if ahead is None or reached.through_seq - store.derived >= SPAN:
                    _derive(db, store.derived, reached.through_seq)
            count += batch.events
            if ahead is None:
                break
            batch = ahead.result()
            folder, spare = spare, folder
    if count:
        _note(where, store.id, reached)
    return Moved(count, reached.through_seq)


def is_current(db: Connection, path: str | os.PathLike[str]) -> bool:
    """True for an opened store that lacks nothing; raises as `move` does."""
    where = files(path)
    head = transfer.head(where.journal)
    store = _read(db, where, head)
    if store is None or store.format < FORMAT or store.derived < head.last_seq:
        return False
    _check(where, store, head)
    return True


def load(db: Connection, path: str | os.PathLike[str]) -> int:
    """Fills an empty store in memory from the journal; gives the last entry."""
    where = files(path)
    mark = _opened(db, where, transfer.head(where.journal)).mark
    with tempfile.TemporaryDirectory(prefix="saga-") as name:
        folder = Path(name)
        while True:
            batch = _batch(where, mark, folder)
            if not batch.events:
                break
            _take_in(db, where, batch, folder)
            mark = batch.mark
    _derive(db, 0, mark.through_seq)
    return mark.through_seq


def _opened(db: Connection, where: Files, head: transfer.Head) -> _Store:
    """Reads the mark of a store, and makes the tables of a new one; an older one is filled anew."""
    store = _read(db, where, head)
    if store is not None and store.format == FORMAT:
        return store
    if head.pruned_through:
        raise StoreBehind(where.store, 0, head.pruned_through)
    return _made(db, head)


def _read(db: Connection, where: Files, head: transfer.Head) -> _Store | None:
    """Reads and checks the mark of a store, None of a new one."""
    (known,) = _one(db, "SELECT count(*) FROM duckdb_schemas() WHERE schema_name = 'stored'")
    if not known:
        (others,) = _one(db, "SELECT count(*) FROM duckdb_tables()")
        if others:
            raise StoreDamaged(where.store, "it is a database of something else")
        return None
    (format_,) = _one(db, "SELECT format FROM stored.mark")
    if format_ > FORMAT:
        raise StoreTooNew(where.store, format_, FORMAT)
    # Of an older one all is made anew: nothing has been derived.
    derived = "derived" if format_ == FORMAT else "0"
    store_id, log_id, through_seq, chain, derived_through = _one(
        db, f"SELECT store_id, log_id, through_seq, chain, {derived} FROM stored.mark"
    )
    if log_id != head.log_id:
        raise StoreForeign(where.store, log_id, head.log_id)
    if through_seq > head.last_seq:
        raise StoreAhead(where.store, through_seq, head.last_seq)
    if through_seq < head.pruned_through:
        raise StoreBehind(where.store, through_seq, head.pruned_through)
    mark = transfer.Mark(through_seq, bytes(chain))
    return _Store(store_id, mark, derived_through, format_)


def _made(db: Connection, head: transfer.Head) -> _Store:
    store = _Store(str(uuid4()), transfer.Mark(0, transfer.START))
    db.execute("BEGIN")
    for view in VIEWS:
        db.execute(f"DROP VIEW IF EXISTS {view.name}")
    for schema in ("stored", "derived"):
        db.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
    db.execute(TABLES)
    db.execute(DERIVED)
    for view in VIEWS:
        names = ", ".join(f'"{column.name}"' for column in view.columns)
        db.execute(f"CREATE VIEW {view.name}({names}) AS {view.sql}")
    db.execute(
        "INSERT INTO stored.mark VALUES (?, ?, ?, 0, ?, 0)",
        (FORMAT, store.id, head.log_id, store.mark.chain),
    )
    db.execute("COMMIT")
    return store


def _check(where: Files, store: _Store, head: transfer.Head) -> None:
    """Compares the store's history with the journal's: marks where they agree, else all hashes."""
    known = transfer.marked(where.journal, store.id)
    if known is not None and known == store.mark:
        return
    since = transfer.Mark(0, transfer.START)
    if known is not None and known.through_seq < store.mark.through_seq:
        since = known
    if since.through_seq < head.pruned_through:
        return
    chain = transfer.chain_of(where.journal, since, store.mark.through_seq)
    if chain != store.mark.chain:
        raise StoreAhead(where.store, store.mark.through_seq, head.last_seq)


def _batch(where: Files, after: transfer.Mark, folder: Path) -> transfer.Batch:
    return transfer.batch(where.journal, after, BATCH, folder / _EVENTS)


def _take_in(db: Connection, where: Files, batch: transfer.Batch, folder: Path) -> None:
    """Takes one batch in, in one transaction with its mark."""
    if not batch.events:
        return
    events = _Lines(folder / _EVENTS, FIELDS, batch.longest)
    told = {
        "runs": (list(_run_lines(batch.runs)), RUNS),
        "steps": (_step_lines(db, where, batch.runs), STEPS),
        "standings": (_standing_lines(where, batch), STANDINGS),
    }
    # One thread for DuckDB, for the next batch is read meanwhile: more would only wait for each
    # other. And the lines are looked up in the few runs and steps, not these in a table of lines.
    db.execute("SET threads = 1")
    db.execute("SET disabled_optimizers = 'join_order,build_side_probe_side'")
    db.execute("BEGIN")
    for table, (lines, fields) in told.items():
        if lines:
            question = _written(folder / f"{table}.ndjson", lines, fields).question
            if "run_id" in fields:
                runs = f"SELECT run_id FROM ({question})"
                db.execute(f"DELETE FROM stored.{table} WHERE run_id IN ({runs})")
            db.execute(f"INSERT INTO stored.{table} {question}")
    made = ", ".join(expression for _, expression in KEPT.values())
    db.execute(
        f"INSERT INTO stored.events SELECT {made} FROM ({events.question}) e"
        " JOIN stored.runs r USING (run_id)"
        f" LEFT JOIN stored.steps s ON s.definition = r.definition AND s.path = {STATIC}"
    )
    # Rare: to read every readiness as text made each move slower.
    new = f"seq > {batch.after.through_seq} AND isnan(readiness)"
    if _one(db, f"SELECT count(*) FROM stored.events WHERE {new}") != (0,):
        exact = f"SELECT seq, {CUT} AS readiness FROM ({events.of(EXACT)})"
        db.execute(
            f"UPDATE stored.events SET readiness = exact.readiness FROM ({exact}) AS exact"
            f" WHERE events.seq = exact.seq AND events.seq > {batch.after.through_seq}"
            " AND isnan(events.readiness)"
        )
    db.execute(
        "UPDATE stored.mark SET through_seq = ?, chain = ?",
        (batch.mark.through_seq, batch.mark.chain),
    )
    (held,) = _one(db, "SELECT count(*) FROM stored.events")
    db.execute("COMMIT")
    db.execute("RESET disabled_optimizers")
    if held != batch.mark.through_seq:
        raise StoreDamaged(where.store, f"it holds {held} of {batch.mark.through_seq} events")


def _derive(db: Connection, after: int, through: int) -> None:
    """Works out what the events after a place come to, in one transaction with the mark of it."""
    if after == through:
        return
    if through - after >= BATCH:
        # What few events come to, many threads find no sooner.
        db.execute("RESET threads")
    db.execute("BEGIN")
    derive(db, after)
    db.execute("UPDATE stored.mark SET derived = ?", (through,))
    db.execute("COMMIT")


_EVENTS = "events.ndjson"


class _Lines:
    """A file of JSON lines, and the question that reads it; by far the fastest way into DuckDB."""

    def __init__(self, path: Path, fields: Mapping[str, str], longest: int) -> None:
        self._path = str(path).replace("'", "''")
        # DuckDB takes memory for the longest line that it is told of, so it is told no more.
        self._longest = max(longest + 1, 1 << 20)
        self.question = self.of(fields)

    def of(self, fields: Mapping[str, str]) -> str:
        """Gives the question that reads some fields."""
        types = ", ".join(f"{name}: '{type_}'" for name, type_ in fields.items())
        return (
            f"SELECT {', '.join(fields)} FROM read_json('{self._path}', "
            f"format = 'newline_delimited', columns = {{{types}}}, "
            f"maximum_object_size = {self._longest})"
        )


def _written(path: Path, lines: Sequence[bytes], fields: Mapping[str, str]) -> _Lines:
    """Writes a file of lines."""
    path.write_bytes(b"\n".join(lines))
    return _Lines(path, fields, max(map(len, lines)))


def _run_lines(runs: Iterable[Run]) -> Iterator[bytes]:
    for run in runs:
        yield msgspec.json.encode({name: getattr(run, name) for name in RUNS})


def _step_lines(db: Connection, where: Files, runs: Iterable[Run]) -> list[bytes]:
    known = {
        row[0] for row in db.execute("SELECT DISTINCT definition FROM stored.steps").fetchall()
    }
    return [
        msgspec.json.encode(row)
        for definition in sorted({run.definition for run in runs} - known)
        for row in rows_of(definition, Reader(where.journal).definition(definition))
    ]


def _standing_lines(where: Files, batch: transfer.Batch) -> list[bytes]:
    """Gives the steps of the runs whose events do not say enough, as they stand now."""
    reader = Reader(where.journal)
    plans: dict[str, bytes | None] = {}
    lines: list[bytes] = []
    for run in batch.runs:
        if run.definition not in plans:
            plan = reader.definition(run.definition)
            plans[run.definition] = plan if needs_fold(plan) else None
        known = plans[run.definition]
        if known is not None:
            events = reader.events(run.run_id)[: run.n]
            lines += map(msgspec.json.encode, folded(run.run_id, known, events))
    return lines


def _note(where: Files, store_id: str, reached: transfer.Mark) -> None:
    """Notes the mark in the journal too; a log that cannot be written now gets it next time."""
    with suppress(LogBusy, LogUnwritable):
        transfer.mark(where.journal, store_id, reached)


def _one(db: Connection, question: str) -> tuple[Any, ...]:
    row = db.execute(question).fetchone()
    assert row is not None
    return row
