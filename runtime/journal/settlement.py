"""After a commit whose result is unknown: what of the batch is in the log, event by event."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from .batch import RUN_COLUMNS, Fence, Run, Settlement, Write
from .commit import Hashes, Head, compare


def settle(
    db: sqlite3.Connection, owner: str, writes: Sequence[Write], hashes: Hashes
) -> Settlement:
    """Compares (run, n, hash) of each event of a batch with the log; raises sqlite3.Error.

    All equal: stored. None there, and the run as it was: absent. Anything else: fenced.
    """
    stored: list[Write] = []
    absent: list[Write] = []
    fenced: dict[str, Fence] = {}
    for write in writes:
        row = db.execute(
            f"SELECT {RUN_COLUMNS} FROM runs WHERE run_id = ?", (write.run_id,)
        ).fetchone()
        run = Run(*row) if row else None
        if run is not None and _is_stored(db, run, write, hashes.get(write.run_id, [])):
            stored.append(write)
        elif (run is None) == (write.begins is not None):
            fence = compare(_head(run), owner, write) if run else None
            if fence is None:
                absent.append(write)
            else:
                fenced[write.run_id] = fence
        else:
            found = f"owner {run.owner}, {run.n} events" if run else "no such run"
            fenced[write.run_id] = Fence(write.run_id, "the run as it was", found)
    return Settlement(stored, absent, fenced)


def _head(run: Run) -> Head:
    return run.owner, run.epoch, run.n, run.last_seq, run.hash


def _is_stored(db: sqlite3.Connection, run: Run, write: Write, chain: list[bytes]) -> bool:
    if not write.entries or len(chain) != len(write.entries):
        return False
    wanted = {entry.n: link for entry, link in zip(write.entries, chain, strict=True)}
    seq = run.last_seq
    while wanted and seq:
        row = db.execute("SELECT n, prev_seq, hash FROM events WHERE seq = ?", (seq,)).fetchone()
        if row is None or row[0] < min(wanted):
            break
        if row[0] in wanted and wanted.pop(row[0]) != row[2]:
            return False
        seq = row[1]
    return not wanted
