"""Who may decide at a gate, and why somebody may not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..plan import Step
from .state import State


def why_not(
    state: State,
    actor: str,
    group: str,
    groups: Mapping[str, Sequence[str]],
    *,
    approvals: Sequence[str] = (),
    including_initiator: bool = False,
) -> str:
    """Gives why a person may not decide, or an empty text.

    The initiator and those who act in the run do not count, and nobody counts twice.
    """
    members = groups.get(group)
    if members is None:
        return f'there is no group "{group}" in saga.toml'
    if not actor:
        return "nobody is named as the one who decides"
    if actor not in members:
        return f'{actor} does not belong to "{group}"'
    agents = {e.statement.agent for e in state.index.entries if isinstance(e.statement, Step)}
    if not including_initiator and actor in {state.initiator, *agents} - {""}:
        return f"{actor} started or acts in this run and may not decide on it"
    if actor in approvals:
        return f"{actor} has already approved; each person counts once"
    return ""
