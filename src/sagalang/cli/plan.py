"""`saga plan`: what would happen, before it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .faults import Unreadable
from .options import json_option, path_argument
from .output import columns, plain, print_json
from .programs import chosen

if TYPE_CHECKING:
    from ..runtime.foresight import Foresight, Recovery


@click.command()
@path_argument()
@click.option("--fail", metavar="STEP", help="Only the recovery from a failure at this step.")
@json_option
def plan(path: str, fail: str | None, as_json: bool) -> None:
    """Shows the order of the steps, then the recovery from a failure at each point.

    \b
    Example:
      saga plan fulfil.saga
      saga plan fulfil.saga --fail ship
    """
    from ..runtime.foresight import foresee

    _, found = chosen(path)
    foresight = foresee(found, fail)
    if fail is not None and not foresight.failures:
        known = ", ".join(f.at for f in foresee(found).failures) or "none"
        raise Unreadable(f"`{fail}` is no point of failure of `{found.saga}`; these are: {known}.")
    if as_json:
        import msgspec

        print_json(msgspec.to_builtins(foresight))
    else:
        click.echo(told(found.saga, foresight, whole=fail is None))


def told(saga: str, foresight: Foresight, *, whole: bool = True) -> str:
    """Lays out what is foreseen for people; `whole`: with the order of the steps."""
    parts: list[str] = []
    if whole:
        parts.append(f"saga {saga}\n{columns(_rows(foresight))}")
    parts += [_recovery(failure, foresight) for failure in foresight.failures]
    if not foresight.failures:
        parts.append("nothing in it can fail for good")
    return "\n\n".join(parts)


def _rows(foresight: Foresight) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for number, row in enumerate(foresight.order, 1):
        if "calls" in row:
            changes = ", ".join(row["changes"])
            said = (f"calls {row['calls']}", f"changes {changes}" if changes else "only reads")
        elif "asks" in row:
            said = (f"asks {row['asks']}", "")
        else:
            said = (f"requires {row['requires']}", "")
        rows.append((f"{number}.", row["path"], *said))
    return rows


def _recovery(failure: Recovery, foresight: Foresight) -> str:
    lines = [f"if {_point(failure.at, foresight)} (tier {failure.tier}):"]
    for number, undo in enumerate(failure.undo, 1):
        lines.append(f"  {number}. undo {undo.path}: {undo.tool}({undo.arguments})")
    if not failure.undo:
        lines.append("  nothing is undone" if failure.stays else "  nothing has to be undone")
    if failure.stays:
        lines.append(f"  {', '.join(failure.stays)} stays")
    if failure.asks:
        lines.append(f"  people are asked: {failure.asks}")
    lines.append(f"  the run {_ENDS.get(failure.ends, f'is {plain(failure.ends)}')}")
    return "\n".join(lines)


_ENDS = {"escalated": "stands escalated until people answer"}


def _point(path: str, foresight: Foresight) -> str:
    rows = [row for row in foresight.order if row["path"] == path]
    row: dict[str, Any] = rows[0] if rows else {}
    if "requires" in row:
        return f"`{row['requires']}` is false"
    return f"{path} is rejected" if "asks" in row else f"{path} fails"
