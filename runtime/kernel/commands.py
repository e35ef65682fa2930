"""Commands: what the kernel asks of a driver, and what a driver answers."""

from __future__ import annotations

from typing import Any, Literal as OneOf

from msgspec import Struct

from ..events import Direction, Event, Fault

# As in `events`: none of these holds itself, and the collector leaves them alone (`gc=False`).

Purpose = OneOf["do", "verify", "undo", "corrective", "remember", "expect", "inspect", "evidence"]


class Append(Struct, frozen=True, gc=False):
    """Write down a choice: stamp the event, apply it, and ask again; nothing leaves the process."""

    id: str
    event: Event


class SetTimer(Struct, frozen=True, gc=False):
    """Start a timer of a length drawn evenly from `low..high` milliseconds; log `timer_set`.

    A *safety* timer is never shorter than its length and is counted again in full by a new owner;
    any other is a *liveness* timer, never longer than its length, due at its stored UTC time.
    When it is over the driver logs `timer_due` with the same path and `data["timer"]`.
    """

    id: str
    event: Event
    low: int
    high: int
    safety: bool


class Call(Struct, frozen=True, gc=False):
    """Call a tool. With an `intent`, that event is stamped, applied and durable before the call.

    `args` are live values by parameter of the tool, `timeout` is in milliseconds. The driver
    answers with an `Answer`; `kernel.record` makes the event of it. A call whose `id` the state no
    longer holds when a slot is free is not made. `undo_of` is the path of the step that a call in
    a saga takes back, where a saga is the undo.
    """

    id: str
    path: str
    purpose: Purpose
    direction: Direction
    generation: int
    attempt: int
    tool: str
    args: dict[str, Any]
    key: str
    timeout: int
    intent: Event | None = None
    name: str = ""
    undo_of: str = ""


class Survey(Struct, frozen=True, gc=False):
    """Look which other unfinished runs of the log touch one of some resources.

    It is carried out once every event before it is durable, and answered with
    `kernel.neighbours.surveyed`; with `known` only when the runs are others than those.
    """

    id: str
    path: str
    resources: tuple[str, ...]
    known: tuple[str, ...] = ()


Command = Append | SetTimer | Call | Survey


class Answer(Struct, frozen=True, gc=False):
    """What came of a call.

    `returned`: `value` is what the callable gave, with records and enums already in the runtime's
    own form where it is storable; `fault` then says why it is not storable, if it is not.
    `raised`: `fault` and the names of the exception's class and its bases in `classes`;
    `retry_after` in milliseconds. `timeout`: no answer in time. `lost`: its owner died.
    """

    kind: OneOf["returned", "raised", "timeout", "lost"]
    value: Any = None
    fault: Fault | None = None
    classes: tuple[str, ...] = ()
    retry_after: int | None = None
