"""The switches that break the shop's service on purpose, for the next calls or for good."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields

from ledger import Payload, Refusal


@dataclass(frozen=True)
class Faults:
    """What goes wrong in one call; times are in seconds.

    `rate_limit` answers 429 and asks to wait so long. `cut_before` cuts the connection with
    nothing applied, `lose_answer` does so after applying: a client cannot tell the two apart.
    `delay_before` is a call that lands late, `delay_answer` one whose answer is late. `lag` lets a
    read see the shop as it was so long ago. `malformed` answers, after applying, what is not JSON
    (`json`) or not what was asked for (`shape`). `drift`: somebody else changes what was just
    made. `ignore_keys`: the idempotency key is not looked at.
    """

    refuse: str | None = None
    rate_limit: float | None = None
    cut_before: bool = False
    delay_before: float = 0.0
    delay_answer: float = 0.0
    lose_answer: bool = False
    lag: float = 0.0
    malformed: str | None = None
    drift: bool = False
    ignore_keys: bool = False


@dataclass
class _Script:
    """Faults for the next `left` calls; for all that follow when it is None."""

    faults: Faults
    left: int | None


class Switches:
    """For each operation a queue of faults: a call takes the first that has calls left."""

    def __init__(self, operations: Iterable[str]) -> None:
        self._lock = threading.Lock()
        self._queues: dict[str, list[_Script]] = {name: [] for name in operations}

    def add(self, operation: str, asked: Payload) -> Payload:
        """Queues faults for an operation: `{"lose_answer": true, "times": 2}`.

        `times` is a number (1 when left out) or `"always"`; no faults at all let that many calls
        pass. Raises `Refusal` for an unknown operation, an unknown fault or a value that is wrong.
        """
        if operation not in self._queues:
            known = ", ".join(self._queues)
            raise Refusal("NoSuchOperation", f"{operation!r} is none of {known}", 404)
        wanted = dict(asked)
        times = wanted.pop("times", 1)
        if times != "always" and (type(times) is not int or times < 1):
            raise Refusal("BadRequest", 'times must be a whole number above 0, or "always"', 400)
        script = _Script(_faults(wanted), times if isinstance(times, int) else None)
        with self._lock:
            self._queues[operation].append(script)
        return {"operation": operation, **_shown(script)}

    def take(self, operation: str) -> Faults:
        """The faults of the call that has just come in."""
        with self._lock:
            queue = self._queues[operation]
            if not queue:
                return Faults()
            script = queue[0]
            if script.left is not None:
                script.left -= 1
                if script.left == 0:
                    queue.pop(0)
            return script.faults

    def listed(self) -> dict[str, list[Payload]]:
        """What is still queued, by operation."""
        with self._lock:
            return {
                name: [_shown(script) for script in queue]
                for name, queue in self._queues.items()
                if queue
            }

    def clear(self) -> None:
        """Takes all faults away."""
        with self._lock:
            for queue in self._queues.values():
                queue.clear()


def _faults(wanted: Payload) -> Faults:
    for name, value in wanted.items():
        kind = _KINDS.get(name)
        if kind is None:
            raise Refusal("BadRequest", f"{name!r} is none of {', '.join(_KINDS)}", 400)
        number = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
        fits = {"a text": isinstance(value, str), "true or false": isinstance(value, bool)}
        if not fits.get(kind, number):
            raise Refusal("BadRequest", f"{name} must be {kind}", 400)
    if wanted.get("malformed", "json") not in ("json", "shape"):
        raise Refusal("BadRequest", 'malformed must be "json" or "shape"', 400)
    return Faults(**wanted)  # type: ignore[arg-type]  # just checked against the fields


def _shown(script: _Script) -> Payload:
    plain = asdict(Faults())
    set_here = {k: v for k, v in asdict(script.faults).items() if v != plain[k]}
    return {**set_here, "times": "always" if script.left is None else script.left}


_TYPES = {"str | None": "a text", "bool": "true or false"}
_KINDS = {field.name: _TYPES.get(str(field.type), "seconds, 0 or more") for field in fields(Faults)}
