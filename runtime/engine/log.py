"""A log in the hands of a program: its runs, their beginning, and taking up what nobody does."""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ..events import Event
from ..journal import (
    OPEN,
    Beginning,
    LogError,
    LogFailing,
    Reader,
    Run as Row,
    RunOwned,
    check_name,
    recover,
    resumption,
    succession,
)
from ..kernel.views import FINAL
from ..settings import settings
from ..values import digest
from .definition import Definition, Tools
from .engine import Engine
from .engines import engine_of, running, stop
from .errors import OtherDefinition, OtherInputs, RunError, Unwritable
from .inspection import inspect
from .items import Begin, Resume
from .recorded import Recorded, definition_of
from .run import Run
from .views import event_view, moment

if TYPE_CHECKING:
    from .saga import Saga

Finder = Callable[[Row], "Saga | None"]
"""Gives the saga of a run whose saga nobody named, or None."""
Suggestion = Callable[..., str]
"""Gives the command that goes on with a run: `resumption` or `succession`."""


class Log:
    """A log of runs. Opening it reads nothing and owns nothing: that begins with the first run.

    Raises `LogError` when its name is that of something else.
    """

    finder: Finder | None = None
    """Where sagas are found when a run is resumed by its id alone; the compiler's face sets it."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        # A tool or a cell may change the current folder while runs go on.
        self.path = (settings().log_path if path is None else Path(path)).absolute()
        check_name(self.path)
        self.actor = _user()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<log {os.fspath(self.path)!r}>"

    @property
    def engine(self) -> Engine:
        """The engine of this log in this process, started when there is none. Raises `LogError`."""
        return engine_of(self.path)

    def close(self) -> None:
        """Lets calls that go on settle, and gives this process's runs up: anyone may resume."""
        engine = running(self.path)
        if engine is not None:
            stop(engine)

    def run(self, run_id: str) -> Run:
        """Gives a run by its id. Raises `RunUnknown`."""
        Reader(self.path).run(run_id)
        return Run(self, run_id)

    def runs(self, statuses: Collection[str] = ()) -> list[dict[str, Any]]:
        """Gives all runs in the order in which they began, or those of some statuses.

        Raises `RunError` for a status that there is not.
        """
        wanted = (statuses,) if isinstance(statuses, str) else tuple(statuses)
        for status in wanted:
            if status not in (*OPEN, *FINAL):
                known = ", ".join((*OPEN, *sorted(FINAL)))
                near = get_close_matches(status, (*OPEN, *FINAL), 1)
                hint = f"did you mean {near[0]!r}?" if near else f"there are {known}."
                raise RunError(f"no run can be {status!r}: {hint}")
        return [
            {
                "run_id": row.run_id,
                "saga": row.saga,
                "definition": row.definition,
                "status": row.status,
                "created": moment(row.created),
                "updated": moment(row.updated),
                "source": row.source,
            }
            for row in Reader(self.path).runs(wanted)
        ]

    def events(self, run_id: str) -> list[dict[str, Any]]:
        """Gives the events of a run, as `saga log --json` prints them."""
        return [event_view(event) for event in Reader(self.path).events(run_id)]

    def readable(self, run_id: str) -> tuple[list[dict[str, Any]], LogError | None]:
        """Gives the events of a run up to the first that is damaged, and what is wrong there."""
        events, damage = Reader(self.path).readable(run_id)
        return [event_view(event) for event in events], damage

    def incidents(self) -> list[dict[str, Any]]:
        """Gives the open incident of each run that stands escalated."""
        found: list[dict[str, Any]] = []
        for row in Reader(self.path).runs(("escalated",)):
            incident = Run(self, row.run_id).incident
            if incident is not None:
                found.append({"run_id": row.run_id, "saga": row.saga, **incident})
        return found

    def sql(self, query: str) -> Any:
        """Asks the event store, read-only."""
        from ..store import query as ask_store

        return ask_store(self.path, query)

    def begin(
        self,
        definition: Definition,
        tools: Tools,
        run_id: str,
        inputs: Mapping[str, Any],
        source: str,
    ) -> Run:
        """Begins a run, or gives the one there is when id and inputs are the same.

        `inputs` are stored values. Raises `OtherInputs`, `OtherDefinition`, `LogError`.
        """
        begins = Beginning(
            definition.plan.saga, definition.hash, definition.json, digest(inputs), source
        )
        item = Begin(definition, tools, run_id, inputs, begins, self.actor)
        engine = self.engine
        engine.put(item)
        try:
            row = engine.outcome(item.future)
        except Unwritable:
            # It begins when the log can be written; until then it is paused, and says why.
            row = None
        if row is not None:
            self._compare(row, definition, inputs)
            self.take_up(run_id, definition, tools)
        return Run(self, run_id, definition, tools)

    def resume(self, run_id: str, saga: Saga | None = None, *, as_begun: bool = False) -> Run:
        """Takes up a run that no living process goes on with; of one that is owned, gives the run.

        Raises `OtherDefinition` when the saga has changed, unless `as_begun` is said.
        """
        row = Reader(self.path).run(run_id)
        if row.status in FINAL:
            return Run(self, run_id)
        saga = saga or self._find(row)
        definition, tools = self._definition(row, saga, as_begun)
        self._mend()
        self.take_up(run_id, definition, tools)
        return Run(self, run_id, definition, tools)

    def resume_all(self, sagas: Iterable[Saga] = (), *, as_begun: bool = False) -> list[Run]:
        """Takes up every unfinished run that no living process goes on with.

        Raises `RunError` for one that cannot be; the others are taken up before that.
        """
        found, refused = self.take_up_all(sagas, as_begun=as_begun)
        if refused:
            raise refused[0]
        return found

    def take_up_all(
        self, sagas: Iterable[Saga], *, as_begun: bool
    ) -> tuple[list[Run], list[RunError]]:
        """Gives the runs that were taken up, and why others could not be."""
        by_name = {saga.name: saga for saga in sagas}
        reader = Reader(self.path)
        found: list[Run] = []
        refused: list[RunError] = []
        rows = reader.runs(OPEN)
        self._mend()
        for row in rows:
            if reader.owner_of(row.run_id).alive:
                continue
            try:
                found.append(self.resume(row.run_id, by_name.get(row.saga), as_begun=as_begun))
            except RunError as error:
                refused.append(error)
        return found, refused

    def take_over(
        self, run_id: str, saga: Saga | None = None, *, as_begun: bool = False, by: str = ""
    ) -> Run:
        """Takes a run from a process that somebody knows to be dead although it cannot be seen.

        It is logged who said so; what that process may have called counts as going on for its
        whole timeout. A run that no living process owns is taken up as ever. Raises `RunError` for
        a final run, and `OtherDefinition` like `resume`.
        """
        reader = Reader(self.path)
        row = reader.run(run_id)
        if row.status in FINAL:
            raise RunError(f"run {run_id}: it is {row.status.replace('_', ' ')}: nobody owns it.")
        owner = reader.owner_of(run_id)
        saga = saga or self._find(row, succession)
        definition, tools = self._definition(row, saga, as_begun, succession)
        stated: Event | None = None
        if owner.alive:
            data = {"pid": owner.pid, "host": owner.host, "since": owner.since}
            stated = Event("chosen", status="taken_over", actor=by or self.actor, data=data)
        item = Resume(run_id, definition, tools, stated)
        self.engine.put(item)
        item.future.result()
        return Run(self, run_id, definition, tools)

    def verify_now(self, run_id: str, saga: Saga | None = None) -> list[dict[str, Any]]:
        """Asks the verify of each step of a run whose effects landed or may have.

        Nothing is written down. Gives for each path `verified` (applied, absent, conflict, unknown,
        or "no verify") and, when nothing was learnt, why.
        """
        row = Reader(self.path).run(run_id)
        _, tools = self._definition(row, saga or self._find(row), as_begun=True)
        return inspect(Recorded(self.path, run_id).state(), tools)

    def _mend(self) -> None:
        """After a disk error: the journal is copied, and goes on as the copy."""
        try:
            failing = self.engine.batch.failing
        except LogFailing:
            failing = True
        if failing:
            recover(self.path)

    def take_up(self, run_id: str, definition: Definition, tools: Tools) -> None:
        """Goes on with a run here, when it is not over and no living process owns it."""
        item = Resume(run_id, definition, tools)
        engine = self.engine
        engine.put(item)
        try:
            engine.outcome(item.future)
        except (RunOwned, Unwritable):
            return  # It goes on where it is, or as soon as it can.

    def _compare(self, row: Row, definition: Definition, inputs: Mapping[str, Any]) -> None:
        if row.definition != definition.hash:
            begun = definition_of(Reader(self.path), row).plan
            raise OtherDefinition(row.run_id, definition.differences(begun), self._as_begun(row))
        if row.inputs != digest(inputs):
            stored = Recorded(self.path, row.run_id, 1).events[0].data["inputs"]
            differ = [name for name in inputs if stored.get(name) != inputs[name]]
            raise OtherInputs(row.run_id, differ or ["the inputs"])

    def _find(self, row: Row, suggest: Suggestion = resumption) -> Saga:
        saga = self.finder(row) if self.finder is not None else None
        if saga is None:
            resume = suggest(self.path, row.run_id, row.source, elsewhere=True)
            raise RunError(
                f"run {row.run_id}: its saga `{row.saga}` is not known here. Give its file "
                f"(`{resume}`, in Python `saga=`), or name it in `sagas` of saga.toml."
            )
        return saga

    def _as_begun(self, row: Row, suggest: Suggestion = resumption) -> str:
        return suggest(self.path, row.run_id, row.source, as_begun=True)

    def _definition(
        self, row: Row, saga: Saga, as_begun: bool, suggest: Suggestion = resumption
    ) -> tuple[Definition, Tools]:
        if saga.definition.hash == row.definition:
            return saga.definition, saga.tools()
        begun = definition_of(Reader(self.path), row)
        if not as_begun:
            differences = saga.definition.differences(begun.plan)
            raise OtherDefinition(row.run_id, differences, self._as_begun(row, suggest))
        return begun, saga.tools_for(begun)


def open_log(path: str | os.PathLike[str] | None = None) -> Log:
    """Opens a log; without a path the one of `saga.toml`, else `saga.duckdb` in this folder."""
    return Log(path)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
