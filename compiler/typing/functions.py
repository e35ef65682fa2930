"""The language's functions and operators matched with the types of their arguments.

What they take and give is data of the runtime (`runtime.signatures`); here it is read and solved.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from msgspec import Struct

from ...runtime.formula import Name, Type
from ...runtime.signatures import FUNCTIONS, NUMBERS, OPERATORS, ORDERED, Row
from .types import (
    BUILT_IN,
    JSON,
    NEVER,
    NONE,
    UNKNOWN,
    coerced,
    fits,
    holds_secret,
    inside,
    joined,
    list_of,
    map_of,
    optional,
    present,
)

__all__ = ["FUNCTIONS", "OPERATORS", "Match", "match", "rows_shown"]

VARIABLES: Mapping[str, Type] = {name: Type("json", name=f"${name}") for name in "TUNO"}
_ANY = Name("")
ONLY: Mapping[str, Sequence[str]] = {"$N": NUMBERS, "$O": ORDERED}


class Match(Struct, frozen=True):
    """How a call fits: the type to which each argument is coerced, and the type of its value."""

    takes: tuple[Type, ...]
    gives: Type


def match(rows: Sequence[Row], given: Sequence[Type]) -> Match | None:
    """Finds the first row that takes the types as they are, else the first that coerces them.

    Where a type is not known before the run (`json`) and rows differ, the value is json too.
    """
    found: list[Match] = []
    for exact in (True, False):
        for row in rows:
            takes = _takes(row, len(given))
            solved = None if takes is None else _solve(takes, given, exact)
            if takes is not None and solved is not None:
                gives = _filled(_pattern(row.gives), solved)
                made = Match(tuple(_filled(take, solved) for take in takes), gives)
                if not {JSON, UNKNOWN} & set(given):
                    return made
                found.append(made)
    if not found:
        return None
    if all(one.gives == found[0].gives for one in found):
        return Match(tuple(given), found[0].gives)
    return Match(tuple(given), JSON)


def rows_shown(rows: Sequence[Row]) -> str:
    """Gives what a function takes, for a message: `str` or `list[T]`."""
    words = {"T": "any", "U": "any", "N": "number", "O": "orderable"}
    shown = [re.sub(r"\b[TUNO]\b", lambda found: words[found[0]], ", ".join(r.takes)) for r in rows]
    return " or ".join(f"`{takes}`" if takes else "nothing" for takes in dict.fromkeys(shown))


@cache
def _pattern(text: str) -> Type:
    if text.endswith("?"):
        return Type("optional", of=_pattern(text[:-1]))
    if text.startswith("list["):
        return list_of(_pattern(text[5:-1]))
    if text.startswith("map["):
        return map_of(_pattern(text[4:-1]))
    for kind in BUILT_IN:
        if kind == text:
            return Type(kind)
    return VARIABLES[text]


def _takes(row: Row, count: int) -> tuple[Type, ...] | None:
    takes = row.takes
    if takes and takes[-1].endswith("..."):
        more = max(0, count - len(takes) + 1) or 1
        takes = (*takes[:-1], *(takes[-1][:-3],) * more)
    return tuple(map(_pattern, takes)) if len(takes) == count else None


def _solve(takes: Sequence[Type], given: Sequence[Type], exact: bool) -> dict[str, Type] | None:
    solved: dict[str, Type] = {}
    for take, one in zip(takes, given, strict=True):
        if not _fits(take, one, solved, exact):
            return None
    return solved


def _fits(take: Type, given: Type, solved: dict[str, Type], exact: bool) -> bool:
    if take.name.startswith("$"):
        both = joined(solved.get(take.name, NEVER), given)
        if both is None or holds_secret(both):
            return False
        solved[take.name] = both
        only = ONLY.get(take.name)
        return only is None or both.kind in only or both in (JSON, UNKNOWN, NEVER)
    if given in (JSON, UNKNOWN, NEVER):
        # What is in it is not known either.
        return take.of is None or _fits(take.of, given, solved, exact)
    if take.kind == "optional":
        return given == NONE or _fits(inside(take), present(given), solved, exact)
    if take.of is not None:
        return given.kind == take.kind and _fits(take.of, inside(given), solved, exact)
    return fits(given, take) if exact else coerced(_ANY, given, take) is not None


def _filled(pattern: Type, solved: Mapping[str, Type]) -> Type:
    if pattern.name.startswith("$"):
        return solved.get(pattern.name, NEVER)
    if pattern.of is None:
        return pattern
    of = _filled(pattern.of, solved)
    if pattern.kind != "optional":
        return Type(pattern.kind, of=of)
    return NONE if of == NEVER else optional(of)
