"""Python names for the names of a saga: each distinct, none a word of Python's or of the module.

The language's names are ASCII, but they may be keywords, builtins, `__init__` or a name that the
generated module itself needs. A namespace gives each name that it is asked for one of its own; who
comes first keeps the spelling, so names that people import are asked for before all others.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

# Spelled out, so that the same saga gives the same module under every version of Python.
BUILTINS = frozenset([
    "Ellipsis", "NotImplemented", "SystemExit", "abs", "aiter", "all", "anext", "any",
    "ascii", "bin", "bool", "breakpoint", "bytearray", "bytes", "callable", "chr",
    "classmethod", "compile", "complex", "copyright", "credits", "delattr", "dict", "dir",
    "divmod", "enumerate", "eval", "exec", "exit", "filter", "float", "format", "frozenset",
    "getattr", "globals", "hasattr", "hash", "help", "hex", "id", "input", "int",
    "isinstance", "issubclass", "iter", "len", "license", "list", "locals", "map", "max",
    "memoryview", "min", "next", "object", "oct", "open", "ord", "pow", "print", "property",
    "quit", "range", "repr", "reversed", "round", "set", "setattr", "slice", "sorted",
    "staticmethod", "str", "sum", "super", "tuple", "type", "vars", "zip",
])  # fmt: skip


class Namespace:
    """The names of one scope of a module: what is taken, and what stands for what."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {*keyword.kwlist, *taken}

    def give(self, name: str) -> str:
        """Gives a Python name that nothing else in this scope has, as near to `name` as can be."""
        candidate = identifier(name)
        while candidate in self._taken:
            candidate += "_"
        self._taken.add(candidate)
        return candidate


def identifier(text: str) -> str:
    """Makes a Python identifier of any text; different texts may give the same one.

    Names that begin with two underscores mean something of their own to Python (and are rewritten
    inside a class), so they get a letter before them.
    """
    name = re.sub(r"[^A-Za-z0-9_]", "_", text)
    if not name or name[0].isdigit():
        name = "_" + name
    return "x" + name if name.startswith("__") else name
