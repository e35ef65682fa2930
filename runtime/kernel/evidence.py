"""Evidence: an outcome without a deciding verify, weighed from what several reads say of it.

All shares are exact fractions of the weight of all that answered. An answer that fits none of its
verdicts counts for neither side, so that it makes both harder to believe; a read that gave no
answer at all does not count.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..events import Event
from ..expressions import Failed
from ..plan import Evidence, Step, Tool
from ..shapes import Mismatch, conform
from ..values import decode, encode
from .budget import pause, wait, window_left, window_over
from .clauses import call_names, spread, with_defaults
from .commands import Append, Call, Command
from .record import broken_ensures, fill_undos
from .state import State, StepState, Witness
from .witnesses import timer_name

TRIES = 5
"""So often a witness is asked whose read would be repeated for ever: evidence has a budget."""


def wants_of_evidence(
    state: State, s: StepState, step: Step, tool: Tool, *, take: bool = True
) -> list[Command] | None:
    """Gives the questions to witnesses, or the verdict of all; None when the tool has none.

    *Applied* is taken as soon as its share is large enough, *absent* only from answers that were
    given when nothing could land any more. Without `take` it is only asked, for people.
    """
    if not tool.evidence:
        return None
    over = window_over(state, s, step)
    wishes: list[Command] = []
    asking = False
    for ordinal, evidence in enumerate(tool.evidence):
        known = s.witnesses.get(ordinal, Witness())
        if _done(known, state.index.tools[evidence.tool], over):
            continue
        asking = True
        wishes += _question(state, s, ordinal, evidence, known, over)
    if asking:
        return wishes
    if any(known.verdict == "conflict" for known in s.witnesses.values()):
        return [_ask(state, s, "conflict", f"`{s.path}` was changed by someone else", [])]
    applied, absent, answered = _weighed(s, tool)
    why = _reasons(s, tool, applied, absent, answered)
    taken = tool.accept_evidence if take else None
    impact = max((effect.impact for effect in tool.effects), default=1)
    said = f"the outcome of `{s.path}` cannot be found out"
    if taken is None or impact >= taken.below or not answered:
        if taken is not None and impact >= taken.below:
            why.append(
                f"evidence is taken for effects of less impact than {taken.below}, "
                f"and this one has {impact}"
            )
        return [_ask(state, s, "unknown", said, why)]
    least = Fraction(taken.least) * answered
    if applied >= least:
        return [_settled(state, s, tool, "applied", why, over)]
    if not over:
        return wait(s, "window", window_left(state, s, step))
    if absent >= least:
        return [_settled(state, s, tool, "absent", why, over)]
    why.append(f"neither reaches {taken.least}")
    return [_ask(state, s, "unknown", said, why)]


def _done(known: Witness, reader: Tool, over: bool) -> bool:
    if over and not known.conclusive:
        return False
    budget = TRIES if reader.retry.attempts is None else reader.retry.attempts
    return known.heard or known.tries >= budget


def _question(
    state: State, s: StepState, ordinal: int, evidence: Evidence, known: Witness, over: bool
) -> list[Command]:
    reader = state.index.tools[evidence.tool]
    tries = 0 if over and not known.conclusive else known.tries
    if tries:
        waiting = pause(s, timer_name(ordinal), reader.retry, tries)
        if waiting is not None:
            return waiting
    phase = "c" if over else ""
    command = f"{s.path}|evidence:{ordinal}|{s.generation}|{s.do.number}.{phase}{tries + 1}"
    name = f"{ordinal} conclusive" if over else str(ordinal)
    try:
        args = with_defaults(
            state, reader, spread(state, evidence.args, call_names(state, s, False))
        )
    except (Failed, Mismatch) as reason:
        said = f"`{evidence.tool}` cannot be asked about `{s.path}`: {reason}"
        return [_ask(state, s, "unknown", said, [])]
    return [
        Call(
            id=command,
            path=s.path,
            purpose="evidence",
            direction="verify",
            generation=s.generation,
            attempt=s.do.number,
            tool=reader.name,
            args=args,
            key="",
            timeout=reader.timeout,
            name=name,
        )
    ]


def _weighed(s: StepState, tool: Tool) -> tuple[Fraction, Fraction, Fraction]:
    """Gives the weight of what says applied, of what says absent, and of all that answered."""
    found = {"applied": Fraction(0), "absent": Fraction(0), "unknown": Fraction(0)}
    for ordinal, evidence in enumerate(tool.evidence):
        known = s.witnesses[ordinal]
        if known.heard:
            found[known.verdict] += Fraction(evidence.weight)
    return found["applied"], found["absent"], sum(found.values(), Fraction(0))


def _reasons(
    s: StepState, tool: Tool, applied: Fraction, absent: Fraction, answered: Fraction
) -> list[str]:
    lines = [
        f"`{evidence.tool}` (weight {evidence.weight}) {_said(s.witnesses[ordinal])}"
        for ordinal, evidence in enumerate(tool.evidence)
    ]
    if answered:
        lines.append(f"evidence: {applied / answered} applied, {absent / answered} absent")
    return lines


def _said(known: Witness) -> str:
    if not known.heard:
        return "gave no answer"
    return "says neither" if known.verdict == "unknown" else f"says {known.verdict}"


def _settled(
    state: State, s: StepState, tool: Tool, status: str, why: list[str], over: bool
) -> Append:
    """Gives the record that the evidence is taken; *applied* with the value that it gives."""
    event = Event(
        kind="verified",
        path=s.path,
        direction="verify",
        generation=s.generation,
        attempt=s.do.number,
        status=status,
        data={"weighed": why, "conclusive": over},
    )
    if status == "applied":
        _take_value(state, s, tool, event)
    return Append(f"{s.path}|weighed|{s.generation}|{s.do.number}.{over}", event)


def _take_value(state: State, s: StepState, tool: Tool, event: Event) -> None:
    """Takes the value of the heaviest *applied* that gives one, else of the heaviest that fits."""
    order = sorted(range(len(tool.evidence)), key=lambda k: -Fraction(tool.evidence[k].weight))
    speaking = [s.witnesses[k] for k in order if s.witnesses[k].verdict == "applied"]
    mismatch = "no evidence gives a value"
    for known in sorted(speaking, key=lambda known: not known.gives):
        value: Any = decode(known.value)
        try:
            value = conform(value, tool.result, state.index.schema)
        except Mismatch as reason:
            mismatch = str(reason)
            continue
        event.result = encode(value)
        event.error = broken_ensures(state, s, tool, value)
        event.undo = fill_undos(state, s, value)
        return
    event.data["unavailable"] = mismatch


def _ask(state: State, s: StepState, cause: str, summary: str, why: list[str]) -> Append:
    event = Event(
        kind="escalated",
        path=s.path,
        status=cause,
        data={"summary": summary, **({"reasons": why} if why else {})},
    )
    return Append(f"{s.path}|escalated|{cause}|{state.n}", event)
