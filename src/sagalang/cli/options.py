"""Options that many commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def _files(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def _runs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from ..runtime.engine.log import open_log
    from ..runtime.journal import LogError
    from ..runtime.settings import BadSettings

    try:
        rows = open_log(ctx.params.get("log_path")).runs()
    except (LogError, BadSettings):
        return []
    return [row["run_id"] for row in rows if row["run_id"].startswith(incomplete)]


log_option = click.option(
    "--log",
    "log_path",
    metavar="FILE.duckdb",
    shell_complete=_files,
    help="The log (default: as saga.toml says, then saga.duckdb in this folder).",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
by_option = click.option("--by", metavar="WHO", required=True, help="Who decides.")
maybe_by_option = click.option(
    "--by", metavar="WHO", default="", help="Who decides (default: the user)."
)


def run_argument(*, required: bool = True) -> Callable[[F], F]:
    """Gives the argument RUN; the shell completes it with the runs of the log."""
    return click.argument(
        "run_id",
        metavar="RUN" if required else "[RUN]",
        required=required,
        shell_complete=_runs,
    )


def path_argument(
    name: str = "path", *, required: bool = True, many: bool = False, metavar: str = "PATH"
) -> Callable[[F], F]:
    """Gives an argument that is a saga file; the shell completes it with files."""
    return click.argument(
        name,
        metavar=f"{metavar}..." if many else metavar if required else f"[{metavar}]",
        required=required,
        nargs=-1 if many else 1,
        shell_complete=_files,
    )
