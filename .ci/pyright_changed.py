"""Runs pyright on what has changed since it last passed and on all that imports it.

pyright keeps no cache: on everything it takes longer than all other checks together. This keeps a
digest of each file that passed, and what that file imports. A new clone, other settings or other
tools mean everything.
"""

from __future__ import annotations

import ast
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "build/pyright-record.json"
SETTINGS = ("pyproject.toml", "constraints.txt")
ROOMS = ("grammar", "dsl", "compiler", "runtime", "notebooks")


class Passed(TypedDict):
    """A file as it passed: its digest, and the names that it may import."""

    digest: str
    imports: list[str]


def sources() -> dict[str, Path]:
    """Every file that pyright is to see, by the name that other files import it by."""
    found: dict[str, Path] = {}
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            found[_dotted("sagalang", path.relative_to(ROOT))] = (
                ROOT / "src/sagalang" / (path.relative_to(ROOT))
            )
    for path in (ROOT / "src/sagalang").rglob("*.py"):
        inside = path.relative_to(ROOT / "src")
        if inside.parts[1] not in ROOMS:
            found[_dotted("", inside)] = path
    for folder in ("tests", "examples"):
        for path in (ROOT / folder).rglob("*.py"):
            inside = path.relative_to(ROOT)
            hidden = any(part.startswith(".") for part in inside.parts)
            if not hidden and inside.parts[:2] != ("tests", "golden"):
                found[_dotted("", inside)] = path
    return found


def _dotted(package: str, path: Path) -> str:
    parts = (package, *path.with_suffix("").parts)
    return ".".join(part for part in parts if part and part != "__init__")


def imports(name: str, path: Path) -> Iterator[str]:
    """The names that a file may import; what is not a module of ours is dropped by the caller."""
    here = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            wholes = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else []
            whole = ".".join([*base, *filter(None, [node.module])])
            wholes = [whole, *(f"{whole}.{alias.name}" for alias in node.names)]
        else:
            continue
        for whole in wholes:
            yield whole
            # The modules of an example find each other by their bare names.
            yield ".".join([*here, whole])


def affected(changed: set[str], now: dict[str, Passed]) -> set[str]:
    """What changed and everything that imports it, directly or by way of others."""
    importers: dict[str, set[str]] = {}
    for name, each in now.items():
        for imported in each["imports"]:
            importers.setdefault(imported, set()).add(name)
    reached, left = set(changed), list(changed)
    while left:
        for importer in importers.get(left.pop(), set()) - reached:
            reached.add(importer)
            left.append(importer)
    return reached


def looked_at(name: str, path: Path, before: Passed | None) -> Passed:
    """A file as it is now; it is parsed only where it is not as it was."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if before is not None and before["digest"] == digest:
        return before
    found = sorted(set(imports(name, path))) if path.suffix == ".py" else []
    return {"digest": digest, "imports": found}


def main() -> int:
    """Gives pyright's own exit code; records what passed only when everything did."""
    files = sources()
    before: dict[str, Passed] = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
    looked_for = files | {name: ROOT / name for name in SETTINGS}
    now = {name: looked_at(name, path, before.get(name)) for name, path in looked_for.items()}
    names: list[str] = []
    if all(before.get(name) == now[name] for name in SETTINGS):
        changed = {name for name in before.keys() | now.keys() if before.get(name) != now.get(name)}
        names = sorted(affected(changed, now) & set(files))
        if not names:
            print("nothing has changed since it last passed")
            return 0
    command: list[str | Path] = [sys.executable, "-m", "pyright", *(files[name] for name in names)]
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    if code == 0:
        RECORD.parent.mkdir(exist_ok=True)
        RECORD.write_text(json.dumps(now), "utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
