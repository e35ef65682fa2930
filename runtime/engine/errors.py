"""What a user of the engine can get wrong, or must be told: whole sentences with the way out."""

from __future__ import annotations


class RunError(Exception):
    """Something about a run or its saga; the text says what, where, and what to do next."""


class BindingFailed(RunError):
    """Tools of a saga cannot be called as they are bound; nothing was started.

    `faults` has one text for each tool at fault.
    """

    def __init__(self, saga: str, faults: list[str]) -> None:
        many = "" if len(faults) == 1 else f"\n({len(faults)} tools; nothing was started)"
        super().__init__("\n".join(faults) + many)
        self.saga = saga
        self.faults = faults


class InputsRefused(RunError):
    """The inputs given to a saga are not what it takes; nothing was started."""


class OtherInputs(RunError):
    """A run of this id exists and was started with other inputs; `names` are those that differ."""

    def __init__(self, run_id: str, names: list[str]) -> None:
        listed = ", ".join(f"`{name}`" for name in names)
        differ = "differs" if len(names) == 1 else "differ"
        super().__init__(
            f"run {run_id!r} exists and was started with other inputs: {listed} {differ}. "
            "Nothing was called. Give a new id for a new run, or the same inputs for this one."
        )
        self.run_id = run_id
        self.names = names


class OtherDefinition(RunError):
    """A run of this id was begun with another definition of its saga."""

    def __init__(self, run_id: str, differences: list[str], resume: str) -> None:
        listed = "".join(f"\n  {difference}" for difference in differences)
        super().__init__(
            f"run {run_id!r} was begun with another definition of its saga:{listed}\n"
            f"Go on with the definition that it was begun with (`{resume}`, in Python "
            "`as_begun=True`), or give a new id for a new run."
        )
        self.run_id = run_id
        self.differences = differences


class NoSuchEvent(RunError):
    """A run was to be shown as it was after an event that it does not have."""

    exit_code = 2

    def __init__(self, run_id: str, n: int, last: int) -> None:
        many = "1 event" if last == 1 else f"{last} events"
        super().__init__(
            f"run {run_id} has {many}: there is no event {n}. Give a number from 1 to {last}."
        )


class RequestRefused(RunError):
    """A request of a person was refused, and the refusal logged."""


class Undecided(RunError):
    """A request was accepted, and its run has not decided it yet."""


class Unwritable(RunError):
    """The log cannot be written now: what was asked is not durable, and may yet become so."""

    exit_code = 2


class Stranded(Unwritable):
    """The log in which a run stands is no longer there: the run is paused, and cannot be read."""

    exit_code = 7


class RunFailed(RunError):
    """A run has no result because it did not succeed; `status` says how it ended or stands."""

    def __init__(self, run_id: str, status: str, reason: str) -> None:
        super().__init__(reason)
        self.run_id = run_id
        self.status = status


class WaitInterrupted(KeyboardInterrupt):
    """Ctrl-C while waiting for a run, which goes on; the text says how to go on waiting."""

    def _render_traceback_(self) -> list[str]:
        # Notebooks show these lines in place of a traceback.
        return [str(self)]


class EngineClosed(RunError):
    """The log's engine was closed in this process, or belongs to the parent of a forked child."""
