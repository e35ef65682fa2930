"""`saga diff`: what differs between two definitions, and whether live runs may go on."""

from __future__ import annotations

import sys
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from ..paths import no_saga, split
from .faults import Unreadable
from .options import json_option, path_argument
from .output import columns, print_json, quantity
from .programs import Mistakes, Seen, compiled

if TYPE_CHECKING:
    from ..runtime.continuing import Comparison, Standpoint
    from ..runtime.differences import Difference
    from ..runtime.formula import Place
    from ..runtime.plan import Plan

SIGNS = {"added": "+", "removed": "-", "moved": "~", "changed": "*"}
VERDICTS = {
    "goes_on": "goes on",
    "only_rolls_back": "can only roll back",
    "incompatible": "incompatible",
}


@click.command()
@path_argument("old", metavar="OLD")
@path_argument("new", metavar="NEW")
@click.option("--exit-code", is_flag=True, help="Exit with 1 when anything differs, as git does.")
@json_option
def diff(old: str, new: str, exit_code: bool, as_json: bool) -> None:
    """Says what differs in meaning, and whether live runs may go on.

    For every place where a run can stand: it goes on, can only be rolled back, or neither. Exits
    with 1 when a run could not go on somewhere.

    \b
    Example:
      saga diff fulfil.saga new/fulfil.saga
      git show HEAD:fulfil.saga > /tmp/old.saga && saga diff /tmp/old.saga fulfil.saga
    """
    from ..runtime.continuing import compare

    before, after = _sagas(old), _sagas(new)
    gone = [name for name in before if name not in after]
    fresh = [name for name in after if name not in before]
    if len(before) == len(after) == 1 and gone and (split(old)[1] or split(new)[1]):
        # Two sagas that are named are compared, whatever they are called.
        pairs = [(next(iter(before.values())), next(iter(after.values())))]
        gone, fresh = [], []
    else:
        pairs = [(plan, after[name]) for name, plan in before.items() if name in after]
    found = [compare(*pair) for pair in pairs]
    if as_json:
        print_json(_document(found, gone, fresh))
    else:
        click.echo(_told(found, gone, fresh))
    differ = any(one.differences for one in found) or gone or fresh
    stuck = gone or not all(one.all_go_on for one in found)
    sys.exit(1 if stuck or (exit_code and differ) else 0)


def _sagas(path: str) -> dict[str, Plan]:
    file, name = split(path)
    seen: Seen = compiled(file)
    if seen.compilation is None or not seen.compilation.ok:
        raise Mistakes(seen)
    plans = dict(seen.compilation.plans)
    if name and name not in plans:
        raise Unreadable(no_saga(file, name, plans))
    return {name: plans[name]} if name else plans


def _told(found: list[Comparison], gone: list[str], fresh: list[str]) -> str:
    parts = [_saga(one) for one in found]
    parts += [f"saga {name} is gone: its live runs can only be finished as begun, or rolled back"
              for name in gone]  # fmt: skip
    parts += [f"saga {name} is new" for name in fresh]
    return "\n\n".join(parts) if parts else "there is no saga in either"


def _saga(one: Comparison) -> str:
    if not one.differences:
        return f"saga {one.saga}: no difference in meaning"
    rows: list[tuple[str, ...]] = []
    for each in one.differences:
        rows.append((SIGNS[each.change], f"{each.what} {each.name}", _says(each), _where(each)))
        if len(each.changes) > 1:
            rows += [("", "", f"{c.name}: {_turned(c.old, c.new)}", "") for c in each.changes]
    lines = [f"saga {one.saga}", columns(rows), "", "  a run that stands at"]
    lines.append(columns(_grouped(one.places), "    "))
    if not one.all_go_on:
        lines += ["", "  Every run can be finished as it was begun: `saga resume RUN --as-begun`."]
    return "\n".join(lines)


def _says(one: Difference) -> str:
    if len(one.changes) == 1:
        [change] = one.changes
        return f"{change.name}: {_turned(change.old, change.new)}"
    return f"differs in {quantity(len(one.changes), 'thing')}" if one.changes else one.says


def _turned(old: str, new: str) -> str:
    from ..runtime.differences import cut

    return f"{cut(old)} → {cut(new)}" if old != new else "differs"


def _where(one: Difference) -> str:
    places = [place for place in (one.old, one.new) if place is not None and place.line]
    return ", ".join(f"{place.file}:{place.line}" for place in places)


def _grouped(places: tuple[Standpoint, ...]) -> list[tuple[str, ...]]:
    """Puts neighbours together of which the same is true."""
    rows: list[tuple[str, ...]] = []
    for (verdict, because), group in groupby(places, lambda one: (one.verdict, one.because)):
        paths = list(dict.fromkeys(one.at for one in group))
        named = ", ".join(paths) if len(paths) < 4 else f"{paths[0]} … {paths[-1]} ({len(paths)})"
        rows.append((named, VERDICTS[verdict], _reasons(verdict, because)))
    return rows or [("nothing", "goes on", "")]


def _reasons(verdict: str, because: tuple[str, ...]) -> str:
    """Gives the first reason, how many more there are, and what cannot be taken back."""
    pivot = because[-1:] if verdict == "incompatible" else ()
    why = because[: len(because) - len(pivot)]
    more = f" and {len(why) - 1} more" if len(why) > 1 else ""
    return "; ".join((*(f"{first}{more}" for first in why[:1]), *pivot))


def _document(found: list[Comparison], gone: list[str], fresh: list[str]) -> dict[str, Any]:
    sagas: list[dict[str, Any]] = [
        {
            "name": one.saga,
            "old": one.old,
            "new": one.new,
            "differences": [
                {
                    "what": each.what,
                    "name": each.name,
                    "change": each.change,
                    "says": each.says,
                    "changes": [{"name": c.name, "old": c.old, "new": c.new} for c in each.changes],
                    "old": _spot(each.old),
                    "new": _spot(each.new),
                }
                for each in one.differences
            ],
            "places": [
                {"at": place.at, "verdict": place.verdict, "because": list(place.because)}
                for place in one.places
            ],
        }
        for one in found
    ]
    return {"sagas": sagas, "gone": gone, "added": fresh}


def _spot(place: Place | None) -> dict[str, Any] | None:
    if place is None or not place.line:
        return None
    return {"file": place.file, "line": place.line, "column": place.column}
