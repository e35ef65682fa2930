"""The command `saga`."""

from __future__ import annotations

import click


@click.group()
@click.version_option(package_name="sagalang", prog_name="saga")
def main() -> None:
    """Check, run, resume and undo sagas."""
