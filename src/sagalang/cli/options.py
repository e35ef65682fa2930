"""Options that many commands share."""

from __future__ import annotations

import click

log_option = click.option(
    "--log",
    "log_path",
    metavar="FILE.duckdb",
    help="The log (default: as saga.toml says, then saga.duckdb in this folder).",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
by_option = click.option("--by", metavar="WHO", required=True, help="Who decides.")
