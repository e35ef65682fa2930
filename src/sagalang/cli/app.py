"""The group of all commands: which module holds each, and how faults of a user are told."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from typing import Any

import click

COMMANDS: dict[str, tuple[str, str]] = {
    "new": (".new", "Makes a small project that works."),
    "check": (".check", "Shows every mistake, then what is proved of each saga."),
    "explain": (".explain", "Explains the code of a diagnostic."),
    "fmt": (".fmt", "Brings files into the canonical layout; comments are kept."),
    "plan": (".plan", "Shows what would happen, and the recovery from each failure."),
    "test": (".scenarios", "Plays the scenarios in the files."),
    "graph": (".graph", "Draws the graph of a saga's steps."),
    "catalogue": (".catalogue", "Lists what each tool changes, its verify and its undo."),
    "compile": (".compile", "Makes a readable, runnable Python module."),
    "diff": (".diff", "Says what differs, and whether live runs may go on."),
    "run": (".run", "Runs a saga to a final or waiting status."),
    "resume": (".run", "Takes up what a dead process left."),
    "runs": (".look", "Lists the runs of a log."),
    "show": (".look", "Shows the state of a run, now or then."),
    "log": (".look", "Shows the events of a run."),
    "watch": (".look", "Follows a run while it goes on."),
    "approve": (".people", "Approves at a gate."),
    "reject": (".people", "Rejects at a gate."),
    "signal": (".people", "Gives a run what it waits for from outside."),
    "resolve": (".people", "Answers an incident."),
    "cancel": (".people", "Cancels a run: what has happened is undone."),
    "freeze": (".people", "Stops a run without undoing anything."),
    "rollback": (".people", "Takes back a run, or everything after a checkpoint."),
    "takeover": (".people", "Takes a run from a process that is known to be dead."),
    "effects": (".registry", "Shows what a run has changed outside."),
    "score": (".registry", "Shows the readiness to roll back, with its reasons."),
    "incidents": (".registry", "Lists what waits for people."),
    "sql": (".sql", "Asks the log in SQL, read-only."),
    "lsp": (".lsp", "Serves editors: the language server."),
    "doctor": (".doctor", "Looks at the environment and the log."),
}
"""The commands in the order of the help: module and one line each."""
FEW_LOOKS = 50_000
"""New objects after which Python looks for cycles, in place of 700: what a command imports and
compiles stays until its end, and was looked through forty times in a short check."""


class Commands(click.Group):
    """A group whose commands are imported when they are called: `saga check` pays for no engine."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Gives the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Gives a command, importing its module."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(COMMANDS[cmd_name][0], __package__)
        command = getattr(module, cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command, or says which one may have been meant."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, 1)
            hint = f" Did you mean `saga {near[0]}`?" if near else " `saga --help` lists them all."
            raise click.UsageError(f"there is no command `{args[0]}`.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command; Ctrl-C where nothing else was said ends it with 130."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # Whoever read the output has gone; Python would complain once more at its exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        except KeyboardInterrupt:
            click.echo("\ninterrupted", err=True)
            sys.exit(130)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Runs a command; a fault of the user's making is a message, never a traceback."""
        gc.set_threshold(FEW_LOOKS)
        debug = "--debug" in sys.argv[1:] or bool(os.environ.get("SAGA_DEBUG"))
        try:
            return super().main(*args, **kwargs)
        except Exception as error:
            from .faults import code_of, line

            if debug:
                raise
            click.echo(line(error), err=True)
            sys.exit(code_of(error))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="sagalang", prog_name="saga")
@click.option("--debug", is_flag=True, help="Show Python tracebacks.")
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="When to use colours (NO_COLOR is respected).",
)
@click.pass_context
def main(ctx: click.Context, debug: bool, color: str) -> None:
    """Check, run, resume and undo sagas: workflows whose steps know how to undo themselves."""
    if color != "auto" or os.environ.get("NO_COLOR"):
        ctx.color = color == "always"
