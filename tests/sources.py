"""The source itself as tests look at it: which files there are, and what each module says."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
ROOMS = ("grammar", "dsl", "compiler", "runtime", "notebooks", "src")
PRODUCT = (*ROOMS, "examples", "benchmarks")
MADE = {"build", "dist", "__pycache__", "golden"}
"""Folders whose Python nobody writes by hand: tools and the compiler make it."""
DANGEROUS_MODULES = {"pickle", "marshal", "shelve", "dill", "yaml", "cloudpickle"}
DANGEROUS_CALLS = {"eval", "exec", "__import__"}
CODE = re.compile(r"[A-Z]\d{3}")
TELLING = re.compile(rf"""["'][A-Z]\d{{3}}["']|\b(?:{"|".join(sorted(DANGEROUS_CALLS))})\b""")
"""What stands in every module with an expression that is looked for."""


def files() -> Iterator[Path]:
    """Every file of the tree that people write, without what .gitignore keeps out."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(
            name
            for name in folders
            if name not in MADE - {"golden"}
            and not name.endswith(".egg-info")
            and (not name.startswith(".") or name == ".ci")
        )
        # In a further working tree of the repository `.git` is a file.
        yield from (Path(folder, name) for name in sorted(names) if name != ".git")


@cache
def texts() -> tuple[tuple[Path, str], ...]:
    """Every file of the tree that is a text."""
    found: list[tuple[Path, str]] = []
    for path in files():
        try:
            found.append((path, path.read_text("utf-8")))
        except UnicodeDecodeError:
            continue
    return tuple(found)


@cache
def modules(*folders: str) -> tuple[Path, ...]:
    """The modules below some folders, each once: the links under src/ are not followed."""
    found: list[Path] = []
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            inside = path.relative_to(ROOT).parts
            hidden = any(part.startswith(".") for part in inside)
            if not hidden and not MADE & set(inside) and path.resolve() == path:
                found.append(path)
    return tuple(found)


class Facts(NamedTuple):
    """What tests ask of a module; its tree is not kept."""

    statements: int
    public: tuple[tuple[int, str], ...]
    """The lines of what has a public name and a docstring, with the first line of that."""
    dangers: tuple[str, ...]
    imports: frozenset[str]
    """The modules that are imported by their whole names."""
    codes: frozenset[str]
    """The texts that are codes of diagnostics."""


@cache
def facts(path: Path) -> Facts:
    """What a module says, parsed once for all tests."""
    text = path.read_text("utf-8")
    tree = ast.parse(text, str(path))
    public: list[tuple[int, str]] = []
    codes: set[str] = set()
    # Where no text could be told of an expression, expressions are not looked at: most are not.
    nodes = list(ast.walk(tree) if TELLING.search(text) else statements(tree))
    for node in nodes:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and CODE.fullmatch(node.value):
                codes.add(node.value)
        elif isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            said = ast.get_docstring(node)
            if said and not node.name.startswith("_"):
                public.append((node.lineno, said.split("\n\n")[0].split("\n")[0]))
    return Facts(
        len(tree.body),
        tuple(public),
        tuple(dangers(nodes)),
        frozenset(absolute_imports(nodes)),
        frozenset(codes),
    )


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements of a tree, however deep, without their expressions."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, part, ())
            waiting += inner if isinstance(inner, list) else ()


def docstring(path: Path) -> str | None:
    """The docstring of a module, which is all that is parsed of it."""
    text = path.read_text("utf-8")
    end = text.find('"""', 3)
    return ast.get_docstring(ast.parse(text[: end + 3])) if end > 0 else None


def dangers(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """What can execute data: modules that are imported, functions that are called."""
    for node in nodes:
        match node:
            case ast.Import(names=aliases):
                names = {alias.name.partition(".")[0] for alias in aliases}
                yield from sorted(names & DANGEROUS_MODULES)
            case ast.ImportFrom(module=str(module), level=0):
                yield from {module.partition(".")[0]} & DANGEROUS_MODULES
            case ast.Call(func=ast.Name(id=name)) if name in DANGEROUS_CALLS:
                yield f"{name}()"
            case _:
                pass


def absolute_imports(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The modules that are imported by their whole names."""
    for node in nodes:
        match node:
            case ast.Import(names=aliases):
                yield from (alias.name for alias in aliases)
            case ast.ImportFrom(module=str(module), level=0):
                yield module
            case _:
                pass
