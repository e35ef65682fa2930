"""Programs as people name them: `FILE.saga`, or `FILE.saga:SAGA` where a file has several."""

from __future__ import annotations

from pathlib import Path


def split(path: str) -> tuple[str, str]:
    """Parts `FILE.saga:SAGA` into the file and the saga's name, which may be left out."""
    file, colon, name = path.rpartition(":")
    if colon and name.isidentifier() and not Path(path).exists():
        return file, name
    return path, ""
