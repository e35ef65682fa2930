"""Events: the only things that are written down about a run; its state is made from them."""

from __future__ import annotations

from typing import Any, Literal as OneOf

from msgspec import Struct

# Nothing here ever holds itself, so the collector need not look at it (`gc=False`): looking was a
# quarter of the kernel's time.

VERSION = 1
"""Format of an event; readers up-cast older ones and refuse newer ones with both numbers."""

Kind = OneOf[
    "run_started", "chosen", "intent", "outcome", "verified", "timer_set", "timer_due",
    "scope_closed", "gate_opened", "decided", "signalled", "cancel_requested", "checkpointed",
    "escalated", "resolved", "frozen", "attempt_lost", "late", "run_finished",
]  # fmt: skip

Direction = OneOf["", "do", "verify", "undo", "corrective", "read"]


class Action(Struct, frozen=True, omit_defaults=True, gc=False):
    """What is called: the tool, its binding, and the arguments by parameter, as stored values.

    The arguments stand in the first intent of a generation only; later attempts send the same.
    """

    tool: str
    target: str = ""
    args: dict[str, Any] = {}
    digest: str = ""


class Descriptor(Struct, frozen=True, omit_defaults=True, gc=False):
    """A declared undo or corrective with all that can be computed of it computed.

    `args` are expression trees (wire form of `formula.Node`) by parameter: literals, or holes over
    `result` until the outcome fills them. `when` likewise. `fault` says why it can never be
    computed, `complete` that nothing is left to fill.
    """

    ordinal: int
    tool: str
    args: dict[str, Any] = {}
    when: Any = None
    fault: str = ""
    complete: bool = False


class Fault(Struct, frozen=True, omit_defaults=True, gc=False):
    """What went wrong: the class name, its message, and the traceback as text, cut and redacted."""

    type: str
    message: str = ""
    traceback: str = ""


class Event(Struct, omit_defaults=True, gc=False):
    """One line of a run's log.

    The kernel writes `kind` to `data`; the driver stamps `v run_id n epoch wall_time elapsed` and
    the trace. `n` counts the run's events without gaps from 1. `wall_time` is UTC in milliseconds
    since 1970; `elapsed` is the run's own monotonic time in milliseconds, summed over its owners.
    Values (`response`, `result`, what stands in `data`) are in the encoding of `values`.
    `readiness` is the exact pair (numerator, denominator) after the event.
    What `status` and `data` say for each kind is listed in `kernel.record`.
    """

    kind: Kind
    path: str = ""
    direction: Direction = ""
    generation: int = 0
    attempt: int = 0
    status: str = ""
    key: str = ""
    action: Action | None = None
    undo: list[Descriptor] | None = None
    response: Any = None
    result: Any = None
    error: Fault | None = None
    cause: int = 0
    actor: str = ""
    data: dict[str, Any] = {}
    readiness: tuple[int, int] | None = None
    v: int = VERSION
    run_id: str = ""
    n: int = 0
    epoch: int = 0
    wall_time: int = 0
    elapsed: int = 0
    trace_id: str = ""
    span_id: str = ""
