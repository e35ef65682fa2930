"""What works here and what does not: versions, the kernel, the log and who holds it."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from ..runtime.journal import OPEN, LogError, LogMissing, Reader
from ..runtime.settings import BadSettings, settings

PACKAGES = ("sagalang", "ipython", "ipykernel", "duckdb", "ipywidgets", "anywidget", "pandas")


def examine() -> list[tuple[str, str]]:
    """Gives what was looked at, and what was found, the way out included."""
    found = [("python", f"{platform.python_version()} ({sys.executable})")]
    found += [(name, _version(name)) for name in PACKAGES]
    found.append(("SAGA_UI", os.environ.get("SAGA_UI", "not set: cards")))
    try:
        where = settings()
    except BadSettings as error:
        return [*found, ("saga.toml", str(error))]
    path = where.log_path
    found.append(("log", os.fspath(path)))
    reader = Reader(path)
    try:
        runs = reader.runs(OPEN)
    except LogMissing:
        return [*found, ("runs", "no log yet: the first run makes it")]
    except LogError as error:
        return [*found, ("runs", str(error))]
    found.append(("unfinished runs", str(len(runs))))
    for row in runs:
        owner = reader.owner_of(row.run_id)
        status = row.status.replace("_", " ")
        here = " (this kernel)" if owner.pid == os.getpid() else ""
        said = (
            f"{status}, process {owner.pid} on {owner.host}{here} goes on with it"
            if owner.alive
            else f"{status}, and nobody goes on with it: `log.resume({row.run_id!r}, saga)`"
        )
        found.append((f"run {row.run_id}", said))
    return found


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
