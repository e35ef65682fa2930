"""Cells are run again: a run that an unfinished one equals is not begun a second time by chance."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..runtime.engine.errors import RunError
from ..runtime.engine.log import Log
from ..runtime.engine.saga import Saga
from ..runtime.journal import OPEN, LogMissing, Reader, Run as Row
from ..runtime.settings import settings
from ..runtime.values import digest


class Unfinished(RunError):
    """A run without an id was asked for while an equal one is not finished; `run_id` is that one's.

    Nothing was started.
    """

    def __init__(self, saga: str, row: Row) -> None:
        status = row.status.replace("_", " ")
        super().__init__(
            f"`{saga}` was not started: the run {row.run_id} has the same definition and inputs "
            f"and is not finished ({status}).\n"
            f'  run = sagalang.open().run("{row.run_id}")           looks at it\n'
            f'  run = sagalang.open().resume("{row.run_id}", {saga})  goes on with it when nobody '
            "does\n"
            'For one more run, give it an id of its own: run_id="...".'
        )
        self.run_id = row.run_id


class Twins:
    """The guard of a notebook: it knows the logs that its cells used."""

    def __init__(self) -> None:
        self._logs: dict[Path, None] = {}

    def __call__(self, saga: Saga, log: Log, run_id: str | None, inputs: Mapping[str, Any]) -> None:
        """Refuses a start without an id that an unfinished run equals. Raises `Unfinished`."""
        self._logs[log.path] = None
        if run_id is not None:
            return
        given = digest(inputs)
        for row in _unfinished(log.path):
            if row.definition == saga.definition.hash and row.inputs == given:
                raise Unfinished(saga.name, row)

    def pinned(self, saga: Saga) -> list[str]:
        """Gives the runs of a saga that live on with another definition than this one's."""
        found: list[str] = []
        for path in dict.fromkeys((*self._logs, settings().log_path)):
            reader = Reader(path)
            for row in _unfinished(path):
                other = row.saga == saga.name and row.definition != saga.definition.hash
                if other and reader.owner_of(row.run_id).alive:
                    found.append(row.run_id)
        return found


def _unfinished(path: Path) -> list[Row]:
    try:
        return Reader(path).runs(OPEN)
    except LogMissing:
        return []
