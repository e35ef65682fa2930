"""Transactions that change who owns a run: each raises the run's epoch."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from dataclasses import replace

from .batch import RUN_COLUMNS, Run
from .errors import RunOwned
from .files import Files
from .owners import describe_owner, forget_dead
from .reads import find


def take(db: sqlite3.Connection, where: Files, me: str, run_id: str, *, owner_is_dead: bool) -> Run:
    """Takes a run whose owner let go or is dead, within a transaction; raises RunOwned.

    A stopped process lives. Only with `owner_is_dead`, a person's decision, is it not asked.
    """
    run = find(db, where.journal, run_id)
    if run.owner == me:
        return run
    owner = describe_owner(where, run.owner)
    if owner.alive and not owner_is_dead:
        raise RunOwned(where.journal, run_id, owner.pid, owner.host, owner.since)
    db.execute("UPDATE runs SET owner = ?, epoch = epoch + 1 WHERE run_id = ?", (me, run_id))
    return replace(run, owner=me, epoch=run.epoch + 1)


def take_dead(
    db: sqlite3.Connection, where: Files, me: str, statuses: Collection[str]
) -> list[Run]:
    """Takes all runs of some statuses that no living process owns, within a transaction."""
    taken: list[Run] = []
    dead: dict[str, bool] = {me: False}
    rows = db.execute(f"SELECT {RUN_COLUMNS} FROM runs ORDER BY number").fetchall()
    for run in (Run(*row) for row in rows):
        if run.status not in statuses:
            continue
        if run.owner not in dead:
            dead[run.owner] = not describe_owner(where, run.owner).alive
        if dead[run.owner]:
            taken.append(take(db, where, me, run.run_id, owner_is_dead=True))
    owning = {owner for (owner,) in db.execute("SELECT DISTINCT owner FROM runs")}
    forget_dead(where, owning | {me})
    return taken


def release(db: sqlite3.Connection, me: str, run_ids: Collection[str] | None) -> None:
    """Gives up some of this owner's runs, or all, within a transaction."""
    if run_ids is None:
        db.execute("UPDATE runs SET owner = '' WHERE owner = ?", (me,))
        return
    for run_id in run_ids:
        db.execute("UPDATE runs SET owner = '' WHERE owner = ? AND run_id = ?", (me, run_id))
