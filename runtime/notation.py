"""The notation of generated modules: short forms from which a plan is rebuilt exactly.

A place is written `line:column`, for more than an expression with `+length`; a table says at which
offset each line of a source begins. A type is written as in the language, enums marked: `decimal?`,
`list[Item]`, `enum Speed`. What a step takes over from its tool is not repeated.
"""

from __future__ import annotations

from functools import cache
from typing import Literal as OneOf, get_args

from .formula import NOWHERE, Field, Formula, Literal, Name, Node, Place, Type, TypeKind
from .plan import (
    Argument,
    Expecting,
    OnFailure,
    Retry,
    Step,
    Tool,
    Undo,
    Until,
    Verify,
)

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_KINDS: dict[str, TypeKind] = {kind: kind for kind in get_args(TypeKind)}
_WRAPPERS: dict[str, TypeKind] = {"list[": "list", "map[": "map", "secret[": "secret"}


class Source:
    """A source file: its name relative to the main file, and where its lines begin.

    `lines` lists `line:offset` for each line in which something stands.
    """

    def __init__(self, file: str, lines: str) -> None:
        self._file = file
        self._begins = {
            int(line): int(offset)
            for line, _, offset in (entry.partition(":") for entry in lines.split())
        }

    def place(self, spot: str) -> Place:
        """Gives the place of a part from `line:column+length`."""
        start, _, length = spot.partition("+")
        return self._place(start, int(length))

    def formula(
        self, source: str, spot: str, kind: str | Type, tree: Node | None = None
    ) -> Formula:
        """Gives an expression: its own text, `line:column`, its type, its tree.

        Without a tree the text is a dotted path, and the tree is that path.
        """
        return Formula(
            tree=get(source) if tree is None else tree,
            type=kind if isinstance(kind, Type) else T(kind),
            source=source,
            at=self._place(spot, len(source)),
        )

    def _place(self, spot: str, length: int) -> Place:
        line, _, column = spot.partition(":")
        start = self._begins[int(line)] + int(column) - 1
        return Place(self._file, start, start + length, int(line), int(column))


@cache
def T(text: str) -> Type:
    """Gives the type that a text spells."""
    if text.endswith("?"):
        return Type("optional", of=T(text[:-1]))
    for prefix, kind in _WRAPPERS.items():
        if text.startswith(prefix):
            return Type(kind, of=T(text[len(prefix) : -1]))
    if text in _KINDS:
        return Type(_KINDS[text])
    if text.startswith("enum "):
        return Type("enum", name=text[5:])
    return Type("record", name=text)


def get(path: str) -> Node:
    """Gives the tree of a dotted path: a name, then fields."""
    name, *fields = path.split(".")
    tree: Node = Name(name)
    for field in fields:
        tree = Field(tree, field)
    return tree


def D(digits: str) -> Literal:
    """Gives the tree of a decimal number."""
    return Literal({"$decimal": digits})


def arg(name: str, value: Formula, at: Place | None = None) -> Argument:
    """Gives an argument; without a place it stands where its value does.

    The name of a positional argument is empty.
    """
    return Argument(name=name, value=value, at=value.at if at is None else at)


class _Inherit:
    """Marks what a step takes over from its tool."""


_INHERIT = _Inherit()


def step(
    tool: Tool,
    *,
    path: str,
    name: str,
    type: Type,
    args: tuple[Argument, ...] = (),
    doc: str = "",
    waits: tuple[str, ...] = (),
    after: tuple[str, ...] = (),
    when: Formula | None = None,
    agent: str = "",
    on_failure: OnFailure = "rollback",
    until: Until | None = None,
    expecting: Expecting | None = None,
    accepted: Formula | None = None,
    timeout: int | None = None,
    settle: int | None = None,
    retry: Retry | None = None,
    verify: Verify | _Inherit | None = _INHERIT,
    undos: tuple[Undo, ...] | None = None,
    replaces: tuple[OneOf["timeout", "retry", "verify", "undo"], ...] = (),
    at: Place = NOWHERE,
) -> Step:
    """Gives a step that calls a tool; what is left out holds as the tool says."""
    return Step(
        tool=tool.name,
        path=path,
        name=name,
        type=type,
        args=args,
        doc=doc,
        waits=waits,
        after=after,
        when=when,
        agent=agent,
        on_failure=on_failure,
        until=until,
        expecting=expecting,
        accepted=accepted,
        timeout=tool.timeout if timeout is None else timeout,
        settle=tool.settle if settle is None else settle,
        retry=tool.retry if retry is None else retry,
        verify=tool.verify if isinstance(verify, _Inherit) else verify,
        undos=tool.undos if undos is None else undos,
        replaces=replaces,
        at=at,
    )
