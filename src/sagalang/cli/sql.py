"""`saga sql`: the log as tables, read-only."""

from __future__ import annotations

import click

from .options import json_option, log_option
from .output import columns, print_json, say


@click.command()
@click.argument("query")
@log_option
@json_option
def sql(query: str, log_path: str | None, as_json: bool) -> None:
    """Asks the views of a log in SQL (DuckDB), read-only.

    Views: events runs steps attempts effects incidents approvals readiness_over_time
    undo_reliability durations anomalies stuck.

    \b
    Example:
      saga sql "SELECT status, count(*) FROM runs GROUP BY status"
    """
    from ..runtime.engine.log import open_log

    table = open_log(log_path).sql(query)
    if table.notice:
        say(table.notice)
    if as_json:
        print_json([dict(zip(table.columns, row, strict=True)) for row in table.rows])
        return
    rows = [tuple("" if value is None else str(value) for value in row) for row in table.rows]
    click.echo(columns([tuple(table.columns), *rows], ""))
    say(f"{len(rows)} row{'s' if len(rows) != 1 else ''}")
