"""`python -m benchmarks [NAME ...] [--rounds N] [--in FOLDER]`: all, or those named."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from . import compiling, durable, history, kernel
from .rounds import machine

ALL: dict[str, Callable[[Path, int], None]] = {
    "steps": durable.steps,
    "split": durable.split,
    "kernel": kernel.kernel,
    "beside": durable.beside,
    "rollback": durable.rollback,
    "check": compiling.check,
    "compile": compiling.sizes,
    "history": history.history,
    "views": history.views,
    "memory": history.memory,
}


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(ALL))
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each (7)")
    parser.add_argument("--in", dest="folder", default=".", help="on which disk (the present one)")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in ALL]
    if unknown:
        parser.error(f"there is no {unknown[0]!r}; there are {', '.join(ALL)}")
    for name in given.names or ALL:
        about = (ALL[name].__doc__ or "").strip()
        print(f"{name}: {about}\n  {machine()}", flush=True)
        with tempfile.TemporaryDirectory(prefix="bench-", dir=given.folder) as folder:
            ALL[name](Path(folder), given.rounds)
        print(flush=True)


if __name__ == "__main__":
    main()
