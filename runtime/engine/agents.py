"""Agents at work: the handle by which an agent's function calls its tools, and how it is answered.

The function runs in a thread or task of its own, the kernel decides on the engine's thread: a call
is put into the mailbox, becomes a child step, and is answered once that has settled and is durable.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from ..kernel.agents import Told, ask, told
from ..objects import adopt
from ..tooling import Refused
from .classes import Classes

if TYPE_CHECKING:
    from .calling import Job
    from .engine import Engine
    from .items import Item
    from .live import Live


class Interrupted(BaseException):
    """The run does not go on in this process now; the agent is called again when it does.

    Not an `Exception`: what an agent does about failures of its tools is no answer to this.
    """


class Unavailable(Exception):
    """A call of an agent happened, and what it gave could not be kept."""


class ToolBox:
    """The tools of an agent, as its function gets them in its parameter `tools`.

    `names` are those that it may use.
    """

    def __init__(self, names: tuple[str, ...], put: Callable[[str, dict[str, Any]], Any]) -> None:
        self.names = names
        self._put = put

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """Calls one of the tools by name and gives its result.

        In a coroutine it is awaited: `await tools.call("search", q="shoes")`. Raises `Refused` when
        the call was refused, failed for good, or is not allowed; nothing has happened then.
        """
        future: Future[Any] = self._put(tool, arguments)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return future.result()
        return asyncio.wrap_future(future)

    def __repr__(self) -> str:
        return f"<tools {', '.join(self.names)}>"


class Asking:
    """A call that an agent wants to make: asked of the kernel, then waited for."""

    def __init__(self, job: Job, tool: str, arguments: Mapping[str, Any], classes: Classes) -> None:
        self.job = job
        self.run_id = job.run_id
        self.tool = tool
        self.arguments = arguments
        self.child = ""
        self.future: Future[Any] = Future()
        self._classes = classes

    def handle(self, engine: Engine) -> None:
        """Makes the call a child step of the agent's, or refuses it."""
        live = engine.runs.find(self.run_id)
        if live is None or self.job.over or engine.stopping.is_set():
            self.fail(Interrupted(f"run {self.run_id} does not go on with this attempt"))
            return
        given = {name: adopt(value) for name, value in self.arguments.items()}
        event = ask(live.state, self.job.call, self.tool, given)
        if isinstance(event, str):
            self._set(Told("refused", event))
            return
        self.child = event.path
        live.feed(event, engine.runs.now)
        live.items.append(self)
        live.after.append(lambda: engine.waiting.add(self))

    def answer(self, live: Live) -> bool:
        """Answers when the child step has settled; true when it has."""
        found = told(live.state, self.child)
        if found is None:
            return False
        if found.kind == "value":
            tool = live.state.index.tools[self.tool]
            convert = self._classes.convert(tool.result)
            value = found.value
            self._set(found, value if convert is None else convert(value, self.job.secrets))
        else:
            self._set(found)
        return True

    def fail(self, error: BaseException) -> None:
        """Tells the agent that there is no answer now."""
        if not self.future.done():
            self.future.set_exception(Interrupted(str(error)))

    def _set(self, found: Told, value: Any = None) -> None:
        if self.future.done():
            return
        match found.kind:
            case "value":
                self.future.set_result(value)
            case "refused":
                self.future.set_exception(Refused(found.text))
            case _:
                self.future.set_exception(Unavailable(found.text))


class Waiting:
    """The calls of agents that are not answered yet, by run. It belongs to the engine's thread.

    While an agent waits for an answer its own time stands still: what it calls has times of its
    own, and people at a gate may take days. `left` has the milliseconds of each attempt that waits.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.by_run: dict[str, list[Asking]] = {}
        self.left: dict[Job, int] = {}

    def add(self, asking: Asking) -> None:
        """Waits for the answer of a call whose asking is durable."""
        self.by_run.setdefault(asking.run_id, []).append(asking)
        job = asking.job
        due = self._engine.timeouts.cancel(job)
        if due is not None:
            self.left[job] = max(1, due - self._engine.runs.now.mono)

    def look(self, live: Live) -> None:
        """Answers the calls of a run that have settled; after its commit."""
        asked = self.by_run.get(live.run_id)
        if not asked:
            return
        left = [asking for asking in asked if not asking.answer(live)]
        if left:
            self.by_run[live.run_id] = left
        else:
            del self.by_run[live.run_id]
        for job in {asking.job for asking in asked} - {asking.job for asking in left}:
            self._go_on(job)

    def interrupt(self, run_id: str | None = None) -> None:
        """Tells the agents of one run, or of all, that it does not go on here."""
        for found in [run_id] if run_id is not None else list(self.by_run):
            for asking in self.by_run.pop(found, ()):
                self.left.pop(asking.job, None)
                asking.fail(Interrupted(f"run {found} does not go on in this process now"))

    def _go_on(self, job: Job) -> None:
        left = self.left.pop(job, None)
        if left is not None and not job.over:
            self._engine.timeouts.set(job, left, self._engine.runs.now.mono)


def tool_box(engine: Engine, job: Job, names: tuple[str, ...], classes: Classes) -> ToolBox:
    """Makes the handle of one attempt of an agent."""

    def put(tool: str, arguments: dict[str, Any]) -> Future[Any]:
        asking = Asking(job, tool, arguments, classes)
        item: Item = asking
        try:
            engine.put(item)
        except Exception:
            asking.fail(Interrupted(f"run {job.run_id} does not go on in this process now"))
        return asking.future

    return ToolBox(names, put)
