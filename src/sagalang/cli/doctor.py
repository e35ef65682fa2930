"""`saga doctor`: the environment and the log, each finding with its fix."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from .options import json_option, log_option
from .output import columns, plain, print_json

if TYPE_CHECKING:
    from ..runtime.journal import Files

RESET_RACE_GONE = (3, 51, 3)
"""First SQLite without the race between checkpointers that reset the write-ahead file."""

ROOM = 64 * 1024**2
"""Bytes that should be free where the log lies: the journal's own files, and some events."""

Verdict = Literal["fine", "look", "wrong"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: what it is, how it is, and what to do when it should be otherwise."""

    about: str
    verdict: Verdict
    found: str
    fix: str = ""


@click.command()
@log_option
@json_option
def doctor(log_path: str | None, as_json: bool) -> None:
    """Looks at the environment and the log; each finding comes with its fix.

    \b
    Example:
      saga doctor
      saga doctor --log shop.duckdb
    """
    findings = [*_environment(), *_log(log_path)]
    if as_json:
        rows = [{"about": f.about, "verdict": f.verdict, "found": f.found, "fix": f.fix}
                for f in findings]  # fmt: skip
        print_json({"findings": rows})
    else:
        click.echo(columns([(f.verdict, f.about, f.found) for f in findings], ""))
        for finding in findings:
            if finding.fix:
                click.echo(f"\n{finding.about}: {finding.fix}")
    sys.exit(1 if any(f.verdict == "wrong" for f in findings) else 0)


def _environment() -> Iterator[Finding]:
    import sqlite3
    from importlib.metadata import PackageNotFoundError, version

    yield Finding("sagalang", "fine", version("sagalang"))
    yield Finding("Python", "fine", f"{sys.version.split()[0]} ({sys.executable})")
    if sqlite3.sqlite_version_info >= RESET_RACE_GONE:
        yield Finding("SQLite", "fine", sqlite3.sqlite_version)
    else:
        yield Finding(
            "SQLite",
            "fine",
            f"{sqlite3.sqlite_version}; its WAL-reset race (before 3.51.3) is kept out by our lock",
            "Nothing to do as long as only sagalang opens the journal. Do not open it with other "
            "programs while a run goes on.",
        )
    for name, need in (("duckdb", "`saga sql` needs it"), ("rich", "the terminal needs it")):
        try:
            yield Finding(name, "fine", version(name))
        except PackageNotFoundError:
            fix = f"{need}: install it with `pip install {name}`."
            yield Finding(name, "wrong", "is not installed", fix)
    try:
        yield Finding("notebook", "fine", f"ipywidgets {version('ipywidgets')}")
    except PackageNotFoundError:
        fix = "For live panels in notebooks: `pip install 'sagalang[notebook]'`."
        yield Finding("notebook", "fine", "ipywidgets is not installed", fix)


def _log(log_path: str | None) -> Iterator[Finding]:
    from ..runtime.journal import LogError, LogMissing, check_name, files
    from ..runtime.settings import BadSettings, find, settings

    try:
        chosen = Path(log_path) if log_path else settings().log_path
    except BadSettings as fault:
        yield Finding("saga.toml", "wrong", "cannot be used", str(fault))
        return
    where = find()
    yield Finding("saga.toml", "fine", str(where) if where else "none; the defaults hold")
    log = files(chosen)
    try:
        check_name(chosen)
    except LogMissing:
        pass  # The finding about the event store says it.
    except LogError as fault:
        yield Finding("log", "wrong", "is none", str(fault))
        return
    yield from _place(log)
    yield from _store(log)
    if not log.journal.exists():
        fix = "The first run makes it. `--log` names another."
        yield Finding("log", "fine", f"{log.store}: not there yet", fix)
        return
    yield from _runs(log)


def _place(log: Files) -> Iterator[Finding]:
    import os
    import shutil

    from ..runtime.journal import LogError
    from ..runtime.journal.place import check_place

    journal = log.journal
    folder = journal.parent
    try:
        check_place(journal)
    except LogError as fault:
        yield Finding("log's folder", "wrong", str(folder), str(fault))
        return
    if not os.access(folder, os.W_OK):
        fix = "Give yourself the right to write there, or name another log with `--log`."
        yield Finding("log's folder", "wrong", f"{folder}: you may not write there", fix)
        return
    kept = [journal, log.lock, log.wal, log.shm]
    if closed := [file for file in kept if file.exists() and not os.access(file, os.W_OK)]:
        fix = "Give yourself the right to write it: without it no run goes on."
        yield Finding("log's files", "wrong", f"{closed[0]}: you may not write it", fix)
        return
    free = shutil.disk_usage(folder).free
    said = f"{folder}: a local disk, {free // 1024**2:,} MB free"
    if free < ROOM:
        fix = "Free some space: runs pause when the disk is full. Nothing is lost by that."
        yield Finding("log's folder", "wrong", said, fix)
    else:
        yield Finding("log's folder", "fine", said)


def _store(log: Files) -> Iterator[Finding]:
    """Looks at the event store; a log works without one, and makes it again."""
    from ..runtime.journal import LogError
    from ..runtime.store import StoreBusy
    from ..runtime.store.door import store_file
    from ..runtime.store.mover import is_current

    if not log.store.exists():
        return
    try:
        with store_file(log.store, read_only=True) as store:
            if not log.journal.exists():
                fix = "Bring the journal back beside it, or name another log with `--log`."
                said = f"{log.store}: there is no {log.journal.name} beside it"
                yield Finding("event store", "wrong", said, fix)
            elif is_current(store, log.store):
                yield Finding("event store", "fine", f"{log.store}: has every event")
            else:
                yield Finding("event store", "fine", f"{log.store}: the next question fills it")
    except StoreBusy as held:
        yield Finding("event store", "look", "is held by another process", str(held))
    except LogError as fault:
        yield Finding("event store", "wrong", "cannot be used", str(fault))


def _runs(log: Files) -> Iterator[Finding]:
    """Tells what the log holds, which processes live on it, and what nobody goes on with."""
    from collections import Counter

    from ..runtime.journal import LogError, Reader, command, verify
    from ..runtime.journal.lock import holder_of

    reader = Reader(log.journal)
    try:
        runs = reader.runs()
        owners = {run.owner: reader.owner_of(run.run_id) for run in runs if run.owner}
    except LogError as fault:
        yield Finding("log", "wrong", "cannot be read", str(fault))
        return
    if faults := verify(log.journal):
        yield from (Finding("log", "wrong", "is damaged", str(fault)) for fault in faults)
        return
    counts = Counter(plain(run.status) for run in runs)
    said = ", ".join(f"{number} {status}" for status, number in sorted(counts.items()))
    yield Finding("log", "fine", f"{log.store}: {said or 'no runs'}")
    yield Finding("lock", "fine", holder_of(log.lock) or "nobody writes just now")
    for owner in owners.values():
        if owner.alive:
            mine = _some([run.run_id for run in runs if run.owner == owner.id])
            said = f"process {owner.pid} on {owner.host} lives and owns {mine}"
            resume = command(log.store, "resume", all=True)
            fix = f"It says why; mend that, then it goes on, or `{resume}` does."
            paused = bool(owner.note)
            yield Finding(
                "owner",
                "look" if paused else "fine",
                f"{said}; {owner.note}" if paused else said,
                fix if paused else "",
            )
    living = {owner.id for owner in owners.values() if owner.alive}
    left = [r.run_id for r in runs if r.status in _UNFINISHED and r.owner not in living]
    if left:
        fix = f"`{command(log.store, 'resume', all=True)}` takes them up."
        yield Finding("unowned runs", "look", f"nobody goes on with {_some(left)}", fix)


_UNFINISHED = ("running", "compensating", "paused")


def _some(run_ids: list[str]) -> str:
    more = f" and {len(run_ids) - 5} more" if len(run_ids) > 5 else ""
    return ", ".join(run_ids[:5]) + more
