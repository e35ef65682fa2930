"""`saga sql`: the log as tables, read-only."""

from __future__ import annotations

import click

from .options import json_option, log_option
from .output import columns, print_json, quantity, say


@click.command()
@click.argument("query")
@log_option
@json_option
def sql(query: str, log_path: str | None, as_json: bool) -> None:
    """Asks the views of a log in SQL (DuckDB), read-only.

    Views: events runs steps attempts effects incidents approvals checkpoints
    readiness_over_time undo_reliability durations anomalies stuck.

    \b
    Example:
      saga sql "SELECT status, count(*) FROM runs GROUP BY status"
      saga sql "DESCRIBE attempts"
    """
    from ..runtime.engine.log import open_log

    found = open_log(log_path).sql(query)
    if found.notice:
        say(found.notice)
    if as_json:
        print_json([dict(zip(found.columns, row, strict=True)) for row in found.rows])
        return
    rows = [tuple("" if value is None else str(value) for value in row) for row in found.rows]
    if found.columns:
        click.echo(columns([found.columns, *rows], ""))
    say(quantity(len(rows), "row"))
