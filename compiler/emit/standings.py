"""How a run stands at the paths of its plan: what many items have come to, told together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from ...runtime.paths import static
from .palette import STATES

ORDER = (
    "compensation_failed", "unknown", "failed", "rejected", "lapsed", "compensating", "in_flight",
    "open", "waiting", "ready", "pending", "compensated", "closed", "skipped",
)  # fmt: skip
"""Statuses that matter more than that something is done, the most telling first."""


class Standing(NamedTuple):
    """What the items of one path have come to: the status that tells most, and it in words.

    `all_of_them` has every status that one of them has.
    """

    status: str
    word: str
    all_of_them: frozenset[str]


def gather(states: Mapping[str, str]) -> dict[str, Standing]:
    """Gives the standing at each path of the plan, from the status at each path of a run."""
    counts: dict[str, Counter[str]] = {}
    for path, status in states.items():
        counts.setdefault(static(path), Counter())[status] += 1
    return {path: _standing(found, many="[*]" in path) for path, found in counts.items()}


def _standing(found: Counter[str], *, many: bool) -> Standing:
    rank = {status: number for number, status in enumerate(ORDER)}
    statuses = sorted(found, key=lambda status: (rank.get(status, len(rank)), status))
    words = [word(status) for status in statuses]
    if many:
        # As much as there is room for: what tells most, and how many others there are.
        first, others = statuses[0], sum(found[status] for status in statuses[1:])
        said = f"{found[first]} {words[0]}" + (f", {others} other" if others else "")
    else:
        said = words[0]
    return Standing(statuses[0], said, frozenset(found))


def word(status: str) -> str:
    """Gives the word of a status; one that is not known here is shown as it is."""
    return STATES[status].word if status in STATES else status.replace("_", " ")
