"""What can be wrong with an event store: each with its path, the reason, and the way out."""

from __future__ import annotations

from pathlib import Path

from ..journal import LogError

_REBUILD = "Move it away: the next question makes a new one from the journal."


class StoreError(LogError):
    """Something is wrong with an event store."""


class StoreBusy(StoreError):
    """Another process holds the store's file."""

    exit_code = 1

    def __init__(self, path: Path, pid: int | None) -> None:
        who = f"process {pid}" if pid else "another connection"
        super().__init__(path, f"the event store is held by {who}", "Wait for it to end.")
        self.pid = pid


class StoreUnusable(StoreError):
    """The store's file cannot be opened or written here."""

    def __init__(self, path: Path, said: str) -> None:
        reason = f"the event store cannot be written: {said}"
        super().__init__(path, reason, "Check the folder's permissions and the disk.")


class StoreDamaged(StoreError):
    """The file is no event store, or cannot be read any more."""

    def __init__(self, path: Path, said: str) -> None:
        super().__init__(path, f"the event store cannot be read: {said}", _REBUILD)


class StoreForeign(StoreError):
    """The store holds the events of another log."""

    def __init__(self, path: Path, found: str, wanted: str) -> None:
        reason = (
            f"the event store belongs to log {found[:8]}, the journal beside it is {wanted[:8]}"
        )
        super().__init__(path, reason, f"Put the files together that belong together. {_REBUILD}")
        self.found = found
        self.wanted = wanted


class StoreAhead(StoreError):
    """The store is newer than the journal, or tells another story."""

    def __init__(self, path: Path, through: int, last: int) -> None:
        if through > last:
            reason = (
                f"the event store goes up to entry {through}, the journal beside it up to {last}"
            )
        else:
            reason = (
                f"the event store holds other entries up to {through} than the journal beside it"
            )
        advice = "The journal may be an old copy: bring back the newer one before anything runs."
        super().__init__(path, reason, advice)
        self.through = through
        self.last = last


class StoreBehind(StoreError):
    """The store lacks events that are no longer in the journal."""

    def __init__(self, path: Path, through: int, pruned: int) -> None:
        reason = (
            f"the event store goes up to entry {through}, and the journal begins after {pruned}: "
            f"entries {through + 1} to {pruned} are in neither"
        )
        super().__init__(path, reason, "Bring back a newer copy of the event store.")
        self.through = through
        self.pruned = pruned


class StoreTooNew(StoreError):
    """The store was made by a newer version."""

    def __init__(self, path: Path, found: int, known: int) -> None:
        reason = f"the event store has format {found}, this version reads up to {known}"
        super().__init__(path, reason, "Install a newer version of sagalang.")
        self.found = found
        self.known = known


class QueryRefused(ValueError):
    """A question that cannot be answered: a mistake in it, or not a question at all."""

    exit_code = 2
