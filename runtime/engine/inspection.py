"""Looks at the outside: each effect's verify is asked now, and nothing is written down."""

from __future__ import annotations

import time
from typing import Any

from ..kernel.commands import Answer, Append, Call
from ..kernel.record import record
from ..kernel.run import inspection
from ..kernel.state import State
from ..kernel.views import effects
from ..plan import Step
from ..secrets import Mask, Unresolved, resolve
from .calling import Job
from .definition import Tools
from .live import references
from .mailbox import Mailbox
from .workers import Workers

ASKING = "now"
"""Who asks, where an incident's name stands otherwise."""


def inspect(state: State, tools: Tools) -> list[dict[str, Any]]:
    """Gives for each step with effects that landed or may have what its verify says now.

    `state` is the caller's own and is changed. All are asked at once, each for its own timeout.
    """
    found: dict[str, dict[str, Any]] = {}
    jobs: list[Job] = []
    for path in dict.fromkeys(row["path"] for row in effects(state)):
        step = state.steps[path].site.step
        asked = _asked(state, step, tools)
        if isinstance(asked, Job):
            jobs.append(asked)
            found[path] = _row(path, "unknown", "no answer in time")
        else:
            found[path] = asked
    for job, answer in _answers(jobs):
        event = record(state, job.call, answer)
        if event is not None:
            fault = event.error
            said = f"{fault.type}: {fault.message}" if fault else ""
            found[job.call.path] = _row(job.call.path, event.status, said)
    return list(found.values())


def _asked(state: State, step: Step, tools: Tools) -> Job | dict[str, Any]:
    """Makes the call of a step's verify, or says why there is none."""
    if step.verify is None:
        return _row(step.path, "no verify", "its tool has no verify clause")
    command = inspection(state, step.path, ASKING)
    if isinstance(command, Append):
        error = command.event.error
        return _row(step.path, "unknown", error.message if error else "")
    assert isinstance(command, Call)
    try:
        secrets = {name: resolve(name) for name in references(command.args)}
    except Unresolved as reason:
        return _row(step.path, "unknown", str(reason))
    state.issued[command.id] = command
    mask = Mask(secrets) if secrets else None
    bound, schema = tools.bound[command.tool], state.index.schema
    return Job(state.run_id, command, bound, schema, {}, secrets, mask)


def _answers(jobs: list[Job]) -> list[tuple[Job, Answer]]:
    """Calls them all and gives the answers that came in time."""
    if not jobs:
        return []
    mailbox = Mailbox()
    workers = Workers("saga-look", mailbox)
    until = time.monotonic() + max(job.call.timeout for job in jobs) / 1000
    workers.start(jobs)
    found: list[tuple[Job, Answer]] = []
    try:
        while len(found) < len(jobs) and (left := until - time.monotonic()) > 0:
            found += [(ended.job, ended.answer) for ended in mailbox.take(left)]
    finally:
        workers.stop()
    return found


def _row(path: str, verified: str, reason: str = "") -> dict[str, Any]:
    return {"path": path, "verified": verified, "reason": reason}
