"""What people decide: gates, incidents, cancelling, freezing, rolling back."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from .options import (
    by_option,
    json_option,
    log_option,
    maybe_by_option,
    path_argument,
    run_argument,
)
from .output import plain, print_json, say

if TYPE_CHECKING:
    from ..runtime.engine.run import Run


@click.command()
@run_argument()
@click.argument("gate")
@by_option
@click.option("--note", default="", help="Why.")
@log_option
@json_option
def approve(
    run_id: str, gate: str, by: str, note: str, log_path: str | None, as_json: bool
) -> None:
    """Approves at a gate exactly what it shows.

    \b
    Example:
      saga approve o-1 release --by ada --note "called the customer"
    """
    _decide(run_id, log_path, as_json, lambda run: run.approve(gate, by=by, note=note))


@click.command()
@run_argument()
@click.argument("gate")
@by_option
@click.option("--note", default="", help="Why.")
@log_option
@json_option
def reject(run_id: str, gate: str, by: str, note: str, log_path: str | None, as_json: bool) -> None:
    """Rejects at a gate: the run rolls back.

    \b
    Example:
      saga reject o-1 release --by ada --note "too much"
    """
    _decide(run_id, log_path, as_json, lambda run: run.reject(gate, by=by, note=note))


# A number below zero is a value, and no option.
@click.command(context_settings={"ignore_unknown_options": True})
@run_argument()
@click.argument("name")
@click.argument("value", metavar="JSON")
@maybe_by_option
@log_option
@json_option
def signal(
    run_id: str, name: str, value: str, by: str, log_path: str | None, as_json: bool
) -> None:
    """Gives a run what it waits for: the signal NAME with a value.

    NAME is the path of the `wait`, as `saga show RUN` says it. A signal is taken once, also before
    the run comes to its `wait`; a value of another type is refused.

    \b
    Example:
      saga signal o-1 paid '{"amount": "12.50"}'
    """
    given = _json("JSON", value)
    _decide(run_id, log_path, as_json, lambda run: run.signal(name, given, by=by))


@click.command()
@run_argument()
@click.argument("step")
@click.argument("answer", type=click.Choice(["retry", "done", "skip", "forward", "back"]))
@by_option
@click.option(
    "--incident", default="", metavar="ID", help="Which incident (default: the open one)."
)
@click.option("--value", default="", metavar="JSON", help="With done: what the step gave.")
@click.option("--reason", default="", help="With skip: why the effect may stay.")
@log_option
@json_option
def resolve(
    run_id: str,
    step: str,
    answer: str,
    by: str,
    incident: str,
    value: str,
    reason: str,
    log_path: str | None,
    as_json: bool,
) -> None:
    """Answers an incident; then the run goes on by itself.

    \b
    Example:
      saga resolve o-1 pay done --by ada --value '{"id": "ch_1"}'
      saga resolve o-1 pay skip --by ada --reason "the bank says that it did not happen"
    """
    given = _json("--value", value) if value else None
    _decide(
        run_id,
        log_path,
        as_json,
        lambda run: run.resolve(step, answer, by=by, incident=incident, value=given, reason=reason),
    )


@click.command()
@run_argument()
@maybe_by_option
@click.option("--reason", default="", help="Why.")
@log_option
@json_option
def cancel(run_id: str, by: str, reason: str, log_path: str | None, as_json: bool) -> None:
    """Cancels a run: calls settle, then what has happened is undone.

    \b
    Example:
      saga cancel o-1 --reason "the customer called"
    """
    _decide(run_id, log_path, as_json, lambda run: run.cancel(by=by, reason=reason))


@click.command()
@run_argument()
@maybe_by_option
@click.option("--reason", default="", help="Why.")
@log_option
@json_option
def freeze(run_id: str, by: str, reason: str, log_path: str | None, as_json: bool) -> None:
    """Stops a run without undoing anything, for people to look.

    \b
    Example:
      saga freeze o-1 --reason "these amounts look wrong"
    """
    _decide(run_id, log_path, as_json, lambda run: run.freeze(by=by, reason=reason))


@click.command()
@run_argument()
@click.option("--to", default="", metavar="CHECKPOINT", help="Only what came after it.")
@maybe_by_option
@log_option
@json_option
def rollback(run_id: str, to: str, by: str, log_path: str | None, as_json: bool) -> None:
    """Takes back a run, also one that has succeeded, while every undo is possible.

    \b
    Example:
      saga rollback o-1
      saga rollback o-1 --to paid
      saga rollback o-1 --to before:ship
    """
    _decide(run_id, log_path, as_json, lambda run: run.roll_back(to, by=by))


@click.command()
@run_argument()
@path_argument(required=False)
@click.option(
    "--owner-is-dead",
    is_flag=True,
    required=True,
    help="You know that the process which owns the run is dead. This is logged.",
)
@click.option("--as-begun", is_flag=True, help="Follow the logged plan.")
@maybe_by_option
@log_option
@json_option
def takeover(
    run_id: str,
    path: str | None,
    owner_is_dead: bool,
    as_begun: bool,
    by: str,
    log_path: str | None,
    as_json: bool,
) -> None:
    """Takes a run from a process that is known to be dead, and goes on with it.

    A process that is only stopped still owns its runs, because it may wake up in the middle of a
    call. Say --owner-is-dead when you know that it will not. What it may have called counts as
    going on for its whole timeout. Of a run that nobody owns this is the same as `saga resume`.

    \b
    Example:
      saga takeover o-1 --owner-is-dead --by ada
    """
    from ..loading import open as open_log
    from ..runtime.engine.document import document
    from .run import follow, saga_of

    with document(as_json) as out:
        log = open_log(log_path)
        saga = saga_of(log, run_id, path)
        follow(log, log.take_over(run_id, saga, as_begun=as_begun, by=by), out)


_BEGINNINGS = tuple('{["-0123456789')
"""What a JSON document begins with that is no word."""


def _json(name: str, text: str) -> Any:
    from ..runtime.plain import read_json
    from .faults import Unreadable

    try:
        return read_json(text)
    except ValueError as fault:
        hint = "" if text[:1] in _BEGINNINGS else " A text stands in quotation marks: '\"...\"'."
        raise Unreadable(f"{name}: {fault}.{hint}") from None


def _decide(
    run_id: str, log_path: str | None, as_json: bool, ask: Callable[[Run], dict[str, Any]]
) -> None:
    from ..loading import open as open_log
    from ..runtime.engine.waiting import answer, take_up

    with open_log(log_path) as log:
        run = log.run(run_id)
        event = ask(run)
        still = [row for row in run.waiting_for if row["path"] == event.get("path")]
        way = f"`{take_up(log.path, run.id)}` goes on with it if no process does."
        incident = run.incident
        if event["kind"] == "frozen" and incident is not None:
            said, others = answer(log.path, run.id, incident)
            way = f"when people have looked: `{said}` {others}"
    _told(run_id, event, still, way, as_json)


def _told(
    run_id: str, event: dict[str, Any], still: list[dict[str, Any]], way: str, as_json: bool
) -> None:
    """Tells what was decided; a refusal is on record and exits with 1."""
    refused = event.get("status") in ("refused", "ignored")
    if as_json:
        print_json(event)
    elif refused:
        data: dict[str, Any] = event.get("data") or {}
        say(f"{run_id}: {event['status']}: {data.get('reason', '')}")
    else:
        where = f" {event['path']}" if event.get("path") else ""
        click.echo(f"{run_id}:{where} {_said(event)}")
        if event["kind"] == "decided" and still:
            from ..runtime.engine.waiting import missing

            say(f"that makes {missing(still[0])}. The gate waits for others.")
        else:
            say(way)
    sys.exit(1 if refused else 0)


def _said(event: dict[str, Any]) -> str:
    match event["kind"]:
        case "decided":
            return plain(event["status"])
        case "signalled":
            return "has its signal"
        case "cancel_requested":
            return "is to be cancelled"
        case "resolved":
            return f"answered with {event['status']}"
        case "scope_closed":
            return "goes back"
        case kind:
            return plain(kind)
