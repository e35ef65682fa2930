"""Generated modules in tests: made, loaded and looked at without leaving the process."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, cast

import msgspec

from sagalang.compiler.emit import emit_python
from sagalang.runtime import Saga
from sagalang.runtime.formula import Formula, Literal, Place
from sagalang.runtime.plan import Argument, Binding, Plan

NASTY = (
    'a"b',
    "a'''b",
    '"""',
    "ends in \\",
    "\\N{BULLET}",
    "a\rb",
    "a\r\nb",
    "a\u2028b",
    "a\0b",
    "\u202eabc",
    "{{ 7*7 }}",
    '{% include "x" %}',
    "{# c #}",
    "#}",
    "%s {0} $HOME",
    '"); import os; os.system("touch CANARY"); ("',
    "\nimport os\n",
    "</title><script>alert(1)</script>",
    "]]> --> <!--",
    "é 名 🎉",
    " " * 120,
    "word " * 60,
)
"""Texts that end literals, comments, tags or templates where they are put in without care."""


def made(plans: Sequence[Plan], name: str = "test.saga") -> str:
    """The module of some plans."""
    return emit_python(plans, name=name, version="1.2.3")


def loaded(text: str) -> ModuleType:
    """A module from its text."""
    module = ModuleType("generated")
    module.__file__ = "generated.py"
    # Dataclasses look their own module up.
    sys.modules[module.__name__] = module
    try:
        exec(compile(text, "generated.py", "exec"), module.__dict__)
    finally:
        del sys.modules[module.__name__]
    return module


def sagas(module: ModuleType) -> dict[str, Saga]:
    """The sagas of a module by their own names."""
    found = [value for value in vars(module).values() if isinstance(value, Saga)]
    return {saga.name: saga for saga in found}


def rebuilt(plans: Sequence[Plan], name: str = "test.saga") -> list[Plan]:
    """The plans as their module holds them."""
    found = sagas(loaded(made(plans, name)))
    return [found[plan.saga].plan for plan in plans]


def shape(text: str) -> list[str]:
    """The kinds of nodes of a module's syntax tree, in order."""
    return [type(node).__name__ for node in ast.walk(ast.parse(text))]


def with_texts(part: Any, texts: Iterable[str]) -> Any:
    """A plan with each text that means nothing to its structure replaced by the next of some."""
    given = iter(texts)

    def visit(value: Any) -> Any:
        match value:
            case Place():
                return value
            case Formula(tree=Literal(value=str()), at=at):
                text = next(given)
                place = Place(at.file, at.start, at.start + len(text), at.line, at.column)
                return Formula(Literal(next(given)), value.type, text, place)
            case Argument(value=inner, at=at) if at == inner.at:
                other = visit(inner)
                return msgspec.structs.replace(value, value=other, at=other.at)
            case Binding(args=args):
                # A target without a colon is looked up elsewhere, which the module has to say.
                return Binding(target=f"{next(given)}:f", args=visit(args), at=value.at)
            case msgspec.Struct():
                changes = {
                    name: next(given) if name in TEXTS and held else visit(held)
                    for name in value.__struct_fields__
                    if (held := getattr(value, name)) is not None
                }
                return msgspec.structs.replace(value, **changes)
            case tuple():
                return tuple(map(visit, cast("tuple[object, ...]", value)))
            case _:
                return value

    return visit(part)


TEXTS = frozenset(("agent", "doc", "group", "runbook", "service"))
"""Fields whose text nothing else of a plan refers to."""
