"""The inbox: requests to the owner of a run, durable before they are acknowledged."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

import msgspec

from . import points
from .files import files
from .reads import find
from .visit import visit


def post(path: str | os.PathLike[str], run_id: str, kind: str, body: Mapping[str, object]) -> int:
    """Puts a request into the log's inbox and gives its number; it is durable on return.

    Any process and any thread may post; the owner of the run finds it and decides.
    Raises RunUnknown, LogBusy, LogMissing, LogUnwritable.
    """
    where = files(path)
    points.reach("post.before")
    with visit(where, f"posting {kind}") as db:
        find(db, where.journal, run_id)
        cursor = db.execute(
            "INSERT INTO requests(run_id, kind, body, posted) VALUES (?,?,?,?)",
            (run_id, kind, msgspec.json.encode(body), time.time_ns() // 1_000_000),
        )
        number = cursor.lastrowid
    points.reach("post.after")
    assert number is not None
    return number
