"""The engines of this process: one for each log, whatever path it is named by."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from .. import failpoints
from ..journal import files
from ..settings import settings
from .engine import Engine

GRACE = 10.0
"""Seconds that a program which ends waits for calls that still go on."""

_engines: dict[Path, Engine] = {}
_lock = threading.Lock()


def engine_of(path: Path) -> Engine:
    """Gives the engine of a log, started when there is none yet. Raises `LogError`."""
    place = files(path).journal
    with _lock:
        engine = _engines.get(place)
        if engine is None or engine.stopping.is_set():
            failpoints.arm()
            engine = Engine(path, settings().limits, partial(_groups, Path.cwd()))
            _engines[place] = engine
        return engine


def running(path: Path) -> Engine | None:
    """Gives the engine of a log when there is one in this process."""
    engine = _engines.get(files(path).journal)
    return None if engine is None or engine.stopping.is_set() else engine


def stop(engine: Engine, patience: float | None = None) -> bool:
    """Stops an engine; gives False when calls still went on after `patience` seconds."""
    place = files(engine.path).journal
    with _lock:
        if _engines.get(place) is engine:
            del _engines[place]
    return engine.stop(patience)


def _groups(folder: Path) -> Mapping[str, Sequence[str]]:
    # Read at each decision: who belongs to a group is asked then, not when the run began. The
    # folder is that in which the engine was started: a tool may have changed the current one.
    return settings(folder).groups


def _stop_all() -> None:
    for engine in list(_engines.values()):
        stop(engine, GRACE)


def _forked() -> None:
    # The threads of the parent's engines are not here; their log's descriptors are closed by the
    # journal itself. A child that opens the log gets an engine of its own.
    global _lock
    _lock = threading.Lock()
    _engines.clear()


atexit.register(_stop_all)
os.register_at_fork(after_in_child=_forked)
