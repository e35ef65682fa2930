"""Witnesses of an unknown outcome: what each `evidence` read has said, as events and in the state.

A witness that gave an answer is *heard*, whatever it said; one that gave none is asked again while
its own budget lasts, and then counts as silent.
"""

from __future__ import annotations

from functools import partial

from ..events import Event
from ..expressions import Failed
from ..plan import Evidence
from ..shapes import Mismatch, conform
from ..values import Unstorable, encode
from .clauses import call_names, fault
from .commands import Answer, Call
from .state import State, StepState, Witness
from .verdicts import of_read, verdict


def testimony(state: State, s: StepState, call: Call, answer: Answer) -> Event:
    """Makes the event of a witness's answer: `verified`, with its number in `data["evidence"]`."""
    number, _, when = call.name.partition(" ")
    ordinal = int(number)
    evidence = evidence_of(state, s)[ordinal]
    reader = state.index.tools[call.tool]
    event = Event(
        kind="verified",
        path=call.path,
        direction="verify",
        generation=call.generation,
        attempt=call.attempt,
        status="unknown",
        error=answer.fault,
        data={"evidence": ordinal, "command": call.id, "conclusive": bool(when)},
    )
    if answer.kind != "returned" or answer.fault is not None:
        return event
    try:
        value = conform(answer.value, reader.result, state.index.outside)
        event.response = encode(value)
        known = partial(call_names, state, s, False)
        event.status, given, line = verdict(state, evidence.verdicts, known, value)
        event.data["heard"] = True
        if event.status == "applied":
            event.result = encode(given)
            event.data["gives"] = line is not None and line.gives is not None
    except (Mismatch, Unstorable) as reason:
        event.status, event.error = "unknown", of_read(reader, reason)
    except Failed as reason:
        event.status, event.error = "unknown", fault(reason)
    return event


def hear(state: State, s: StepState, event: Event) -> None:
    """Folds what a witness said, or that it gave no answer."""
    ordinal = int(event.data["evidence"])
    state.issued.pop(str(event.data.get("command", "")), None)
    known = s.witnesses.get(ordinal)
    if known is None:
        known = Witness()
        s.witnesses = {**s.witnesses, ordinal: known}
    known.tries += 1
    s.timers.pop(timer_name(ordinal), None)
    known.heard = bool(event.data.get("heard", False))
    conclusive = bool(event.data.get("conclusive", False))
    if conclusive and not known.conclusive:
        # It is asked anew, now that nothing can land any more: with a budget of its own.
        known.tries = 1
    known.conclusive = conclusive
    known.verdict = event.status
    known.value = event.result
    known.gives = bool(event.data.get("gives", False))


def evidence_of(state: State, s: StepState) -> tuple[Evidence, ...]:
    """Gives the evidence that the tool of a step declares."""
    return s.site.tool.evidence


def timer_name(ordinal: int) -> str:
    """Gives the name of the timer between two questions to one witness."""
    return f"evidence:{ordinal}"
