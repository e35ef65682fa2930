"""Requests of people to a run: one of this process, of another, or one that nobody owns."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import msgspec

from .. import failpoints
from ..events import Event
from ..journal import Reader, RunOwned, command, post
from ..kernel.people import Rejected, Request, request
from ..settings import settings
from .engines import engine_of, running
from .errors import RequestRefused, Undecided
from .items import Asked, Decide
from .recorded import Recorded
from .views import event_view

PATIENCE = 5.0
"""Seconds that somebody who asks waits for the decision of another process."""


def ask(path: Path, run_id: str, asked: Request) -> dict[str, Any]:
    """Brings a request to the run's owner and gives the event that was logged.

    Raises `RequestRefused` when it was refused, `Undecided` when it is accepted and undecided.
    """
    event = _ask_here(path, run_id, asked)
    if event is None:
        event = _ask_there(path, run_id, asked)
    shown = event_view(event)
    if event.kind == "decided" and event.status == "refused":
        raise RequestRefused(
            f"run {run_id}: refused, and logged so: {event.data.get('reason', '')}"
        )
    return shown


def _ask_here(path: Path, run_id: str, asked: Request) -> Event | None:
    engine = running(path)
    if engine is None or engine.board.standing(run_id) is None:
        return None
    item = Asked(run_id, asked)
    engine.put(item)
    return engine.outcome(item.future)


def _ask_there(path: Path, run_id: str, asked: Request) -> Event:
    # Who only asks starts no engine, which would have done this.
    failpoints.arm()
    reader = Reader(path)
    posted = 0
    if reader.owner_of(run_id).alive:
        before = reader.run(run_id).n
        body = msgspec.to_builtins(asked)
        verb = body.pop("verb")
        posted = post(path, run_id, verb, body)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if not reader.pending(posted):
                return _decision(path, run_id, asked, posted, before)
            time.sleep(0.02)
        if reader.owner_of(run_id).alive:
            raise Undecided(
                f"run {run_id}: accepted, not yet decided: its owner has not come to it. "
                f"See `{command(path, 'show', run_id)}`."
            )
    return _decide_alone(path, run_id, asked, posted)


def _decision(path: Path, run_id: str, asked: Request, posted: int, before: int) -> Event:
    for event in Reader(path).events(run_id, before + 1):
        if event.data.get("request") == posted:
            return event
    # It was dropped without an event: the kernel says why.
    state = Recorded(path, run_id).state()
    try:
        request(state, asked, settings().groups)
    except Rejected as reason:
        raise RequestRefused(f"run {run_id}: {reason}") from None
    raise RequestRefused(f"run {run_id}: refused as the run stood then. Look again, and ask again.")


def _decide_alone(path: Path, run_id: str, asked: Request, posted: int) -> Event:
    """Nobody lives who owns the run: the decision is appended, no call is made."""
    item = Decide(run_id, Recorded(path, run_id).definition, asked, posted)
    engine = engine_of(path)
    engine.put(item)
    try:
        return engine.outcome(item.future)
    except RunOwned:
        # Somebody took it in this very moment.
        return _ask_there(path, run_id, asked)
