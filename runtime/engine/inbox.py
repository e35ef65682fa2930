"""Requests of other processes: found by the log's version, decided in the order they came."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ..journal import Request as Posted
from ..kernel.people import Rejected, Request, request

if TYPE_CHECKING:
    from .engine import Engine


class Inbox:
    """What others have asked of this process's runs. A request leaves the log with its decision."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.again = True

    def look(self) -> None:
        """Folds the decision of every request to a run of this process."""
        if not self._engine.journal.changed() and not self.again:
            return
        self.again = False
        for posted in self._engine.journal.requests():
            if self._engine.runs.owned(posted.run_id):
                self._decide(posted)

    def _decide(self, posted: Posted) -> None:
        live = self._engine.runs.find(posted.run_id)
        if live is None or posted.id in live.requests:
            return
        live.requests.append(posted.id)
        try:
            asked = read(posted)
            event = request(live.state, asked, self._engine.groups())
        except (Rejected, msgspec.ValidationError):
            # Nothing is decided, and nothing logged; whoever asked finds the same reason by asking
            # the kernel with the run's own events.
            return
        event.data = {**event.data, "request": posted.id}
        live.feed(event, self._engine.runs.now)


def read(posted: Posted) -> Request:
    """Gives a request as the kernel takes it. Raises `msgspec.ValidationError`."""
    return msgspec.convert({**posted.body, "verb": posted.kind}, Request)
