"""Asking the event store: read-only, over the views, in the file or in memory from the journal."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..frames import frame
from ..journal import files
from .door import lock_down, memory, store_file
from .errors import QueryRefused, StoreBusy, StoreUnusable
from .mover import is_current, load, move

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


@dataclass(frozen=True, slots=True)
class Table:
    """An answer: its columns, their types, and rows of Python values.

    `live` says that the store could not be had and the journal was read instead; `notice` says
    why, in a sentence for people. It is empty otherwise.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]
    live: bool = False
    notice: str = ""

    def df(self) -> Any:
        """Gives it as a data frame of pandas, else of polars. Raises `NoFrames`."""
        return frame(self.columns, self.rows)


def query(
    path: str | os.PathLike[str], sql: str, names: Mapping[str, object] | None = None
) -> Table:
    """Answers one SELECT over the views, after what the store lacks was moved into it.

    `names` are values that the question may use, each as `$name`.
    A store that somebody holds for two seconds, or that cannot be written here, is left alone: the
    journal is read into memory.
    Nothing can be written, and no file, network or variable of Python can be read.
    Raises QueryRefused for a mistake in the question, StoreError and LogError.
    """
    where = files(path)
    try:
        if where.store.exists():
            with store_file(where.store, read_only=True) as db:
                if is_current(db, where.journal):
                    return _ask(db, sql, names or {})
        move(where.journal)
        with store_file(where.store, read_only=True) as db:
            return _ask(db, sql, names or {})
    except (StoreBusy, StoreUnusable) as busy:
        with memory() as db:
            last = load(db, where.journal)
            notice = f"{busy.reason}: read from the journal instead, up to entry {last}"
            return _ask(db, sql, names or {}, notice)


def _ask(db: Connection, sql: str, names: Mapping[str, object], notice: str = "") -> Table:
    import duckdb

    lock_down(db)
    try:
        statements = db.extract_statements(sql)
        kinds = [statement.type for statement in statements]
        asks = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)
        if len(kinds) != 1 or kinds[0] not in asks:
            raise QueryRefused("the log can only be asked: give one SELECT")
        wanted = statements[0].named_parameters
        given = {name: value for name, value in names.items() if name in wanted}
        answer = db.execute(statements[0], given) if given else db.execute(statements[0])
        described = answer.description or []
        rows = answer.fetchall()
    except duckdb.Error as error:
        raise QueryRefused(str(error)) from error
    columns = tuple(str(one[0]) for one in described)
    types = tuple(str(one[1]) for one in described)
    return Table(columns, types, rows, bool(notice), notice)
