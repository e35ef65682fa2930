"""One call of a tool: arguments made Python's, the function called, its answer made ours."""

from __future__ import annotations

import inspect
import os
import traceback
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from msgspec.structs import replace

from .. import failpoints
from ..events import Fault
from ..expressions import Failed, evaluate
from ..kernel.commands import Answer, Call
from ..objects import adopt
from ..secrets import Mask
from ..shapes import Mismatch, Schema, conform
from ..tooling import CURRENT, Attempt, Transient
from .agents import Interrupted, ToolBox
from .binding import TOOLS, Bound
from .slots import Kind

MESSAGE = 10_000
"""Characters of an exception's text that are kept."""

FRAMES = 40
"""Lines of a traceback that are kept, the innermost ones."""

LINE = 2_000
"""Characters of one line of `call().log` that are kept."""


class Job:
    """A call that has a slot: what is called with what, and what the engine knows of it."""

    __slots__ = (
        "attempt", "bound", "call", "context", "intended", "length", "lines", "mask", "over",
        "remembered", "run_id", "schema", "secrets", "slot", "span", "task", "tool_box",
    )  # fmt: skip

    def __init__(
        self,
        run_id: str,
        call: Call,
        bound: Bound,
        schema: Schema,
        remembered: Mapping[str, Any],
        secrets: Mapping[str, str],
        mask: Mask | None,
    ) -> None:
        self.run_id = run_id
        self.call = call
        self.bound = bound
        self.schema = schema
        self.remembered = remembered
        self.secrets = secrets
        self.mask = mask
        self.attempt = Attempt(
            run_id=run_id,
            path=call.path,
            tool=call.tool,
            key=call.key,
            attempt=call.attempt,
            timeout=call.timeout / 1000,
        )
        self.length = 0
        self.slot: Kind | None = None
        self.over = False
        self.intended = 0
        self.lines: list[str] = []
        self.task: Any = None
        self.span: Any = None
        self.tool_box: ToolBox | None = None
        self.context: Callable[[], AbstractContextManager[object]] | None = None


class NotCallable(Exception):
    """The arguments of a call cannot be made; nothing was called."""


def call_sync(job: Job) -> Answer:
    """Calls a function in the present thread. What it returns may still have to be awaited."""
    token = CURRENT.set(job.attempt)
    try:
        args, named = arguments(job)
        _reach(job, "before")
        if job.context is None:
            value = job.bound.function(*args, **named)
        else:
            with job.context():
                value = job.bound.function(*args, **named)
        if inspect.isawaitable(value):
            return Answer("returned", value)
        return returned(job, value)
    except BaseException as error:
        return raised(job, error)
    finally:
        _reach(job, "after")
        CURRENT.reset(token)


async def call_async(job: Job) -> Answer:
    """Calls a coroutine function in the present task."""
    CURRENT.set(job.attempt)
    try:
        args, named = arguments(job)
        _reach(job, "before")
        if job.context is None:
            return returned(job, await job.bound.function(*args, **named))
        with job.context():
            return returned(job, await job.bound.function(*args, **named))
    except BaseException as error:
        return raised(job, error)
    finally:
        _reach(job, "after")


async def finish(job: Job, value: Any) -> Answer:
    """Awaits what a function that did not look async has returned."""
    CURRENT.set(job.attempt)
    try:
        return returned(job, await value)
    except BaseException as error:
        return raised(job, error)


def arguments(job: Job) -> tuple[list[Any], dict[str, Any]]:
    """Gives the arguments of the function, positional and named. Raises `NotCallable`."""
    call, bound, secrets = job.call, job.bound, job.secrets
    args: list[Any] = []
    named: dict[str, Any] = {}
    if job.tool_box is not None and bound.takes_tools:
        named[TOOLS] = job.tool_box
    if bound.simple is not None:
        for name, source, convert in bound.simple:
            if source in call.args:
                value = call.args[source]
            elif source == "key":
                value = call.key
            else:
                value = job.remembered[source]
            if convert is not None:
                value = convert(value, secrets)
            if name:
                named[name] = value
            else:
                args.append(value)
        return args, named
    known = {**job.remembered, **call.args, "key": call.key}
    for argument, convert in zip(bound.tool.call.args, bound.converters, strict=True):
        try:
            value = evaluate(argument.value.tree, known, job.schema)
            value = conform(value, argument.value.type, job.schema)
        except (Failed, Mismatch) as reason:
            shown = argument.name or argument.value.source
            raise NotCallable(f"the argument `{shown}` of `{call.tool}`: {reason}") from None
        if convert is not None:
            value = convert(value, secrets)
        if argument.name:
            named[argument.name] = value
        else:
            args.append(value)
    return args, named


def returned(job: Job, value: Any) -> Answer:
    """Gives the answer of a function that returned: its value in the runtime's own form."""
    result = job.bound.tool.result
    try:
        return Answer("returned", conform(value, result, job.schema))
    except Mismatch:
        pass
    try:
        # What a service says in JSON has texts for decimals and dates.
        return Answer("returned", conform(value, result, replace(job.schema, texts=True)))
    except Mismatch:
        return Answer("returned", adopt(value))


def raised(job: Job, error: BaseException) -> Answer:
    """Gives the answer of a function that raised: class names and texts, never the objects."""
    if isinstance(error, Interrupted):
        return Answer("lost")
    if isinstance(error, NotCallable):
        # Nothing left the process, which is what a refusal says.
        fault = Fault("NotCallable", str(error))
        return Answer("raised", fault=fault, classes=("NotCallable", "Refused"))
    kind = type(error)
    classes = tuple(cls.__name__ for cls in kind.__mro__ if cls is not object)
    text = job.mask.cut(_message(error), MESSAGE) if job.mask else _message(error)[:MESSAGE]
    trace = _trace(error)
    fault = Fault(kind.__name__, text, job.mask.text(trace) if job.mask else trace)
    return Answer("raised", fault=fault, classes=classes, retry_after=_retry_after(error))


def end_a_child(job: Job, pid: int) -> None:
    """Ends the child of a tool that forked, when it comes back out of the tool of process `pid`.

    Nobody in it waits for an answer, and the tool, in the parent, may wait for its end.
    """
    if os.getpid() != pid:
        said = f"`{job.call.tool}` has forked, and the child came back out of it: it ends here."
        # Not through sys.stderr: another thread may have held its lock in the parent.
        os.write(2, f"{said} End a child with `os._exit(0)`.\n".encode())
        os._exit(1)


def lines(job: Job) -> list[str]:
    """Gives what the tool logged, masked and cut; ends the call for the tool."""
    said = job.attempt.close()
    if not said:
        return said
    return [job.mask.cut(_sound(s), LINE) if job.mask else _sound(s)[:LINE] for s in said]


def _message(error: BaseException) -> str:
    try:
        return _sound(str(error))
    except Exception:
        return "(an exception whose text cannot be had)"


def _sound(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _retry_after(error: BaseException) -> int | None:
    given = error.retry_after if isinstance(error, Transient) else None
    if isinstance(given, int | float) and 0 <= given < 10**9:
        return round(given * 1000)
    return None


def _trace(error: BaseException) -> str:
    """Gives where an exception came from: files, lines and functions, no source and no values."""
    parts: list[str] = []
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen and len(parts) < FRAMES:
        seen.add(id(link))
        frames = traceback.extract_tb(link.__traceback__)
        found = [f for f in frames if f.filename != __file__]
        if len(seen) > 1:
            parts.append(f"after {type(link).__name__}, raised at:")
        parts.extend(f"{f.filename}:{f.lineno} in {f.name}" for f in found[-FRAMES:])
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    return _sound("\n".join(parts))


_POINTS = {"do": "call", "undo": "undo.call", "corrective": "corrective.call"}
_VERIFYING = ("verify", "inspect", "evidence")


def _reach(job: Job, side: str) -> None:
    if failpoints.active():
        call = job.call
        name = _POINTS.get(call.purpose)
        if name is None:
            name = "verify.call" if call.purpose in _VERIFYING else "read.call"
        failpoints.reach(f"{name}.{side}", call.path)
