"""`saga plan`: what would happen, before it does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from .faults import Unreadable
from .options import json_option, path_argument
from .output import columns, plain, print_json, table
from .programs import chosen

if TYPE_CHECKING:
    from ..runtime.foresight import Foresight, Recovery, Undoing

HEAD = ("if this fails", "tier", "undone, in this order", "stays", "the run")
FEW = 3
"""How many names in a cell are listed; of more, the first and the last are."""
MANY = 9
"""How many numbers in a cell are listed."""


@click.command()
@path_argument()
@click.option("--fail", metavar="STEP", help="Only the recovery from a failure at this step.")
@json_option
def plan(path: str, fail: str | None, as_json: bool) -> None:
    """Shows the order of the steps, then the recovery from a failure at each point.

    \b
    Example:
      saga plan fulfil.saga
      saga plan fulfil.saga --fail picks.pick
    """
    from ..compiler.proving.points import points
    from ..runtime.foresight import foresee

    _, found = chosen(path)
    every = tuple(points(found))
    with _telling() as tell:
        foresight = foresee(found, every, fail, tell)
    if fail is not None and not foresight.failures:
        known = ", ".join(dict.fromkeys(node.path for node, *_ in every)) or "none"
        raise Unreadable(f"`{fail}` is no point of failure of `{found.saga}`; these are: {known}.")
    if as_json:
        import msgspec

        print_json(msgspec.to_builtins(foresight))
    elif fail is None:
        click.echo(told(found.saga, foresight))
    else:
        click.echo("\n\n".join(_recovery(one, foresight) for one in foresight.failures))


@contextmanager
def _telling() -> Generator[Callable[[int, int], None] | None]:
    """Shows on a terminal how far it is: each way to fail is lived through from the beginning."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    console = Console(stderr=True)
    with console.status("foreseeing") as line:
        yield lambda done, of: line.update(f"foreseeing failure {done} of {of}")


def told(saga: str, foresight: Foresight) -> str:
    """Lays out what is foreseen for people: the order, then one row for each way to fail."""
    parts = [f"saga {saga}\n{columns(_rows(foresight))}"] if foresight.order else [f"saga {saga}"]
    if not foresight.failures:
        return "\n\n".join([*parts, "nothing in it can fail for good"])
    parts.append(table(HEAD, _failures(foresight), "  "))
    asked = {failure.asks for failure in foresight.failures if failure.asks}
    if asked:
        parts.append("people are asked\n" + "\n".join(f"  {one}" for one in sorted(asked)))
    parts.append("`--fail STEP` lists the undos of one failure with their arguments.")
    return "\n\n".join(parts)


def _rows(foresight: Foresight) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for number, row in enumerate(foresight.order, 1):
        indent = "  " * row.get("in", 0)
        rows.append((f"{number}.", indent + _name(row), *_does(row)))
    return rows


def _name(row: dict[str, Any]) -> str:
    """Gives what people call a statement: one without a name by its word."""
    before, number, _ = str(row["path"]).rpartition("#")
    if not number:
        return str(row["path"])
    return f"{before.rpartition('.')[0]}.else".lstrip(".") if "else" in row else before


def _does(row: dict[str, Any]) -> tuple[str, str]:
    if "calls" in row:
        changes = ", ".join(row["changes"])
        return f"calls {row['calls']}", f"changes {changes}" if changes else "only reads"
    if "lets" in row:
        return f"lets {row['lets']} decide", f"may use {', '.join(row['use'])}"
    if "if" in row:
        return f"when {row['if']}", ""
    if "else" in row:
        return "otherwise", ""
    if "requires" in row:
        return row["requires"], ""
    for word in ("asks", "runs", "computes"):
        if word in row:
            return f"{word} {row[word]}", ""
    if "waits" in row:
        return f"waits for {row['waits']}", ""
    if "sleeps" in row:
        return f"sleeps {row['sleeps']}", ""
    return str(row.get("repeats") or row.get("parallel") or row["scope"]), ""


def _failures(foresight: Foresight) -> list[tuple[str, ...]]:
    """Gives a row for each point of failure; neighbours that end alike share one.

    Steps are told by their numbers in the order.
    """

    def alike(one: Recovery) -> tuple[Any, ...]:
        return (one.tier, one.undo, one.stays, one.asks, _end(one, foresight), one.through)

    numbers: dict[str, str] = {}
    for number, row in enumerate(foresight.order, 1):
        numbers.setdefault(row["path"], str(number))
        if "lets" in row:
            numbers.setdefault(f"{row['path']}[*]", str(number))
    rows: list[tuple[str, ...]] = []
    for _, group in groupby(foresight.failures, alike):
        same = list(group)
        one = same[0]
        points = [f"{numbers[each.at]}. {_point(each, foresight)}" for each in same]
        points[-1] += _behind(one, foresight)
        rows.append(
            (
                _few(points, FEW),
                str(one.tier),
                _few([numbers[undo.path] for undo in one.undo if not undo.inside], MANY) or "–",
                _few([numbers[path] for path in one.stays], MANY),
                _end(one, foresight),
            )
        )
    return rows


def _few(names: Sequence[str], most: int) -> str:
    kept = list(dict.fromkeys(names))
    if len(kept) <= most:
        return ", ".join(kept)
    return f"{', '.join(kept[: most - 1])} … {kept[-1]} ({len(kept)})"


def _end(one: Recovery, foresight: Foresight) -> str:
    after = f"; then {_few(one.after, FEW)}" if one.after else ""
    return _next(one, foresight) + SHORTLY.get(one.ends, f"is {plain(one.ends)}") + after


def _next(one: Recovery, foresight: Foresight) -> str:
    """Says that a failure which ends the run does so in the last candidate of a `first` only."""
    if one.ends in SHORTLY:
        return ""
    around = [
        row["path"]
        for row in foresight.order
        if row.get("repeats", "").startswith("for the first ")
        and one.at.startswith(f"{row['path']}[*]")
    ]
    return f"tries the next of {around[-1]}; after the last one it " if around else ""


def _recovery(failure: Recovery, foresight: Foresight) -> str:
    point = _point(failure, foresight)
    fails = (f"{point} fails" if point == failure.at else point) + _behind(failure, foresight)
    lines = [f"if {fails} (tier {failure.tier}):"]
    number = 0
    for undo in failure.undo:
        if undo.inside:
            # The calls of a saga that is an undo stand below it, in its own words.
            local = undo.path.removeprefix(f"{undo.inside}.").partition(".")[2]
            lines.append(f"       {local}: {_called(undo)}")
        else:
            number += 1
            lines.append(f"  {number}. undo {undo.path}: {_called(undo)}")
    if not failure.undo:
        lines.append("  nothing is undone" if failure.stays else "  nothing has to be undone")
    if failure.stays:
        lines.append(f"  {', '.join(failure.stays)} stays")
    if failure.after:
        lines.append(f"  then {', '.join(failure.after)}")
    if failure.asks:
        lines.append(f"  people are asked: {failure.asks}")
    ends = _ENDS.get(failure.ends, f"is {plain(failure.ends)}")
    lines.append(f"  the run {_next(failure, foresight)}{ends}")
    return "\n".join(lines)


def _called(undo: Undoing) -> str:
    return f"{undo.tool}({undo.arguments})"


SHORTLY = {"escalated": "asks people", "succeeded": "goes on"}
_ENDS = {"escalated": "stands escalated until people answer", "succeeded": "goes on"}


def _behind(one: Recovery, foresight: Foresight) -> str:
    """Says that other blocks have run before than usual."""
    tests = {row["path"]: f"`{row['if']}`" for row in foresight.order if "if" in row}
    scopes = [path for path in one.through if path not in tests]
    false = [tests[path] for path in one.through if path in tests]
    said = f" behind the else of {_few(scopes, FEW)}" if scopes else ""
    if false:
        said += f" where {_few(false, FEW)} {'is' if len(false) == 1 else 'are'} false"
    return said


def _point(one: Recovery, foresight: Foresight) -> str:
    rows = [row for row in foresight.order if row["path"] == one.at]
    row: dict[str, Any] = rows[0] if rows else {}
    if "calls" in row or "lets" in row:
        return one.at
    if "requires" in row:
        return f"`{row['requires']}` is false"
    if "waits" in row:
        return f"{one.at} is late"
    return f"{one.at} is rejected" if "asks" in row else one.how
