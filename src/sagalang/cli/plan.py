"""`saga plan`: what would happen, before it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import msgspec

from .faults import Unreadable
from .output import columns, print_json
from .programs import chosen

if TYPE_CHECKING:
    from ..runtime.foresight import Foresight, Recovery


@click.command()
@click.argument("path")
@click.option("--fail", metavar="STEP", help="Only the recovery from a failure at this step.")
@click.option("--json", "as_json", is_flag=True)
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
        print_json(_document(foresight))
        return
    if fail is None:
        click.echo(f"saga {found.saga}")
        click.echo(columns([_row(k, row) for k, row in enumerate(foresight.order, 1)]))
        click.echo("")
    for failure in foresight.failures:
        _print(failure)


def _row(number: int, row: dict[str, Any]) -> tuple[str, ...]:
    if "calls" in row:
        changes = ", ".join(row["changes"])
        return (
            f"{number}.",
            row["path"],
            f"calls {row['calls']}",
            changes and f"changes {changes}",
        )
    if "asks" in row:
        return (f"{number}.", row["path"], f"asks {row['asks']}", "")
    return (f"{number}.", row["path"], f"requires {row['requires']}", "")


def _print(failure: Recovery) -> None:
    click.echo(f"if {failure.at} fails (tier {failure.tier}):")
    for number, undo in enumerate(failure.undo, 1):
        click.echo(f"  {number}. undo {undo.path}: {undo.tool}({undo.arguments})")
    if not failure.undo:
        click.echo("  nothing is undone" if failure.stays else "  nothing has to be undone")
    if failure.stays:
        click.echo(f"  stays: {', '.join(failure.stays)}")
    if failure.asks:
        click.echo(f"  people are asked: {failure.asks}")
    click.echo(f"  then the run is {failure.ends}")
    click.echo("")


def _document(foresight: Foresight) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.to_builtins(foresight)
    return data
