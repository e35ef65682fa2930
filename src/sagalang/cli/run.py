"""`saga run` and `saga resume`: through the same door, to a final or waiting status."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

import click

from .faults import Unreadable, line
from .options import json_option, log_option, path_argument, run_argument
from .output import plain, print_json, say

if TYPE_CHECKING:
    from ..loading import LoadedSaga
    from ..runtime.engine.log import Log
    from ..runtime.engine.run import Run


@click.command()
@path_argument()
@click.option("--input", "document", metavar="JSON|@FILE|-", default="", help="The inputs.")
@click.option("--set", "pairs", metavar="K=V", multiple=True, help="One input.")
@click.option("--id", "run_id", metavar="ID", help="The run's id; of an id that exists: that run.")
@log_option
@json_option
@click.option("--watch", is_flag=True, help="Show the events while it runs.")
def run(
    path: str,
    document: str,
    pairs: tuple[str, ...],
    run_id: str | None,
    log_path: str | None,
    as_json: bool,
    watch: bool,
) -> None:
    """Runs a saga to a final or waiting status.

    \b
    Example:
      saga run fulfil.saga --id o-1 --input @order.json
      saga run fulfil.saga --set 'order={"id": "o-1", ...}'
    """
    from ..loading import load_saga, open as open_log
    from ..runtime.engine.document import document as kept
    from ..runtime.engine.program import Usage, read_inputs

    with kept(as_json) as out:
        saga = load_saga(path)
        try:
            inputs = read_inputs(saga, document, pairs)
        except Usage as fault:
            raise Unreadable(str(fault)) from None
        log = open_log(log_path)
        follow(log, saga.start(log, run_id=run_id, **inputs), out, watch=watch)


@click.command()
@run_argument(required=False)
@path_argument(required=False)
@click.option("--all", "every", is_flag=True, help="All that nobody goes on with.")
@click.option("--as-begun", is_flag=True, help="Follow the logged plan.")
@log_option
@json_option
@click.option("--watch", is_flag=True, help="Show the events while it runs.")
def resume(
    run_id: str | None,
    path: str | None,
    every: bool,
    as_begun: bool,
    log_path: str | None,
    as_json: bool,
    watch: bool,
) -> None:
    """Takes up what a dead process left; of a run that is owned it waits for it.

    \b
    Example:
      saga resume o-1 fulfil.saga
      saga resume --all
    """
    from ..loading import load_sagas, open as open_log
    from ..runtime.engine.document import document

    if every == (run_id is not None):
        raise click.UsageError("name a run, or say --all, and not both")
    with document(as_json) as out:
        log = open_log(log_path)
        if run_id is not None:
            saga = saga_of(log, run_id, path)
            follow(log, log.resume(run_id, saga, as_begun=as_begun), out, watch=watch)
            return
        sagas = load_sagas(path) if path else []
        runs, refused = log.take_up_all(sagas, as_begun=as_begun)
        for fault in refused:
            say(line(fault))
        _follow_all(log, runs, out, least=1 if refused else 0)


def saga_of(log: Log, run_id: str, path: str | None) -> LoadedSaga | None:
    """Gives the saga of a run from the file that was named: the run knows which one it is."""
    from ..loading import ProgramNotFound, load_sagas
    from ..runtime.journal import Reader

    if path is None:
        return None
    name = Reader(log.path).run(run_id).saga
    found = load_sagas(path)
    for saga in found:
        if saga.name == name:
            return saga
    known = ", ".join(saga.name for saga in found) or "none"
    raise ProgramNotFound(f"run {run_id} is one of `{name}`; {path} has: {known}.")


def follow(log: Log, run: Run, out: TextIO | None, *, watch: bool = False) -> None:
    """Waits for a run, tells how it stands, and exits with the code of its status.

    `out` is where its document goes; None: it is told to people.
    """
    from ..runtime.engine.program import exit_code, tell

    _wait(log, [run], watch=watch, quiet=out is not None)
    shown = run.to_json()
    log.close()
    if out is not None:
        print_json(shown, out)
    else:
        tell(run, shown)
    sys.exit(exit_code(shown))


def _follow_all(log: Log, runs: list[Run], out: TextIO | None, *, least: int) -> None:
    from ..runtime.engine.program import exit_code

    _wait(log, runs, watch=False, quiet=out is not None)
    found = [run.to_json() for run in runs]
    log.close()
    if out is not None:
        print_json(found, out)
    else:
        for shown in found:
            click.echo(f"{shown['run_id']}: {plain(shown['status'])}")
        if not found and not least:
            say("no run has to be taken up")
    sys.exit(max(least, *(exit_code(shown) for shown in found), 0))


def _wait(log: Log, runs: list[Run], *, watch: bool, quiet: bool) -> None:
    """Waits; the first Ctrl-C lets calls settle, the second stops at once."""
    try:
        for run in runs:
            if watch:
                from .look import follow_events

                follow_events(run)
            elif not quiet and sys.stderr.isatty():
                from .progress import wait_shown

                wait_shown(run)
            else:
                from ..runtime.engine.progress import wait_told

                wait_told(run, say)
            run.wait()
    except KeyboardInterrupt:
        from ..runtime.engine.waiting import take_up
        from ..runtime.journal import command

        many = command(log.path, "resume", all=True)
        resume = f"`{take_up(log.path, runs[0].id) if len(runs) == 1 else many}`"
        try:
            say(f"\ninterrupted: calls settle now. {resume} goes on. Ctrl-C again stops at once.")
            log.close()
        except KeyboardInterrupt:
            say(f"stopped. {resume} finds out what became of the calls.")
            os._exit(130)
        sys.exit(130)
