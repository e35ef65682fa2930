"""What came of a call, as an event: types, `ensures` and verdicts are judged here and nowhere else.

| kind | status | what `data` says |
| --- | --- | --- |
| `run_started` | | `inputs definition kernel plan_format` |
| `chosen` | `skipped then else value met failed accepted undone corrective_due` `taken_over` (of the run); of calls of agents `asked claimed unclaimed cleared`; about other runs `announced surveyed` | `may_have_landed`, `by`, `ordinal`, `text`, `agent tool args attempt`, `resources`, `runs circle` |
| `chosen` of bodies | `items` (of a loop), `else` (of a scope), `tolerated rolled_back failed` (of an item) | `keys` |
| `chosen` of a called saga | `called completed failed skipped` | `args`, `unavailable` |
| `chosen` with the direction `undo` | `called`: a saga begins to take the step back | `saga args ordinal` |
| `signalled` | empty (the signal is the `result`), `lapsed` | `identity` |
| `intent` | | `resources remembered` (first of a generation), `ordinal` (undo, corrective) |
| `outcome` | `succeeded refused transient unknown conflict broken not_yet` | `unavailable retry_after name ordinal` |
| `verified` | `applied absent conflict unknown` | `conclusive`, `incident`; of a witness `evidence heard gives command`; of all `weighed` |
| `timer_set` `timer_due` | | `timer`, and when set `length due safety` |
| `scope_closed` | `failed cancelled back rolled_back`; `path` is the frame's | `to` |
| `gate_opened` | | `shows digest needs group`; of one before a call `for step ordinal` |
| `decided` | `approved rejected refused lapsed` | `note identity reason` |
| `cancel_requested` | `accepted ignored` | `reason` |
| `escalated` | the cause | `summary ordinal reasons` |
| `resolved` | the answer | `incident reason` |
| `attempt_lost` `late` | | `name`, `owner_is_dead`; of `late` what the answer was: `answer` |
| `run_finished` | the final status | `standing unproven` |
"""  # noqa: E501

from __future__ import annotations

from functools import partial
from typing import Any

from ..events import Descriptor, Event, Fault
from ..expressions import Failed, evaluate
from ..plan import Step, Tool, Verify
from ..shapes import Mismatch, conform
from ..values import Unstorable, decode, encode
from .clauses import (
    Known,
    call_names,
    compensating_verify,
    fault,
    fill,
    lacks_value,
    value_of,
    verify_names,
)
from .commands import Answer, Call
from .state import Calling, State, StepState
from .verdicts import of_read, verdict
from .witnesses import testimony

_REFUSED, _TRANSIENT, _CONFLICT = "Refused", "Transient", "Conflict"


def record(state: State, call: Call, answer: Answer) -> Event | None:
    """Makes the event of an answered call, unstamped; None when the answer no longer matters.

    An answer to an attempt that is already settled becomes `late`: kept, never a success.
    """
    s = state.steps[call.path]
    if call.intent is None:
        # What changes nothing outside has no intent: it counts as long as it is wanted.
        if call.id not in state.issued:
            return None
        if call.purpose == "evidence":
            return testimony(state, s, call, answer)
        if call.purpose != "do":
            return _read_event(state, s, call, answer)
        return _poll_event(state, s, call, answer)
    calling = s.do if call.purpose == "do" else calling_of(s, call)
    if call.generation != s.generation or not calling.open or calling.number != call.attempt:
        return _late(call, answer)
    if answer.kind == "lost":
        return Event(
            kind="attempt_lost",
            path=call.path,
            direction=call.direction,
            generation=call.generation,
            attempt=call.attempt,
            data={"name": call.name} if call.name else {},
        )
    event = _outcome(call, answer)
    if answer.kind == "returned":
        if call.purpose == "do":
            _judge(state, s, event, answer)
        else:
            event.status = "succeeded"
            event.result = _storable(answer)
            if s.frame.undo_of:
                _keep(state, state.index.tools[call.tool], event, answer.value)
    elif answer.kind == "raised":
        tool = state.index.tools[call.tool]
        event.status = kind_of(tool, answer.classes)
        if event.status == "done":
            _already(s.site.step, tool, event, call)
    return event


def _keep(state: State, tool: Tool, event: Event, given: Any) -> None:
    """Keeps what an undo gave where later calls of the same undo may name it."""
    try:
        event.result = encode(conform(given, tool.result, state.index.schema))
    except (Mismatch, Unstorable) as reason:
        event.result, event.data = None, {**event.data, "unavailable": str(reason)}


def calling_of(s: StepState, call: Call) -> Calling:
    """Gives the record of the calls of the direction that a call belongs to."""
    if call.purpose == "undo":
        return s.undo or Calling()
    if call.purpose == "corrective":
        return s.correctives.get(int(call.name), Calling())
    return s.do


def kind_of(tool: Tool, classes: tuple[str, ...]) -> str:
    """Gives what an exception means: the tool's own lists first, then the runtime's classes."""
    names = set(classes)
    if names & set(tool.done):
        return "done"
    if names & set(tool.fails):
        return "refused"
    if names & set(tool.transient):
        return "transient"
    for name, status in ((_CONFLICT, "conflict"), (_REFUSED, "refused"), (_TRANSIENT, "transient")):
        if name in names:
            return status
    return "transient" if tool.is_read else "unknown"


def _outcome(call: Call, answer: Answer) -> Event:
    event = Event(
        kind="outcome",
        path=call.path,
        direction=call.direction,
        generation=call.generation,
        attempt=call.attempt,
        status="unknown",
        key=call.key,
        error=answer.fault,
    )
    if answer.kind == "timeout" and answer.fault is None:
        event.error = _NO_ANSWER
    if answer.retry_after is not None:
        event.data["retry_after"] = answer.retry_after
    if call.purpose == "corrective":
        event.data["ordinal"] = int(call.name)
    return event


_NO_ANSWER = Fault("Timeout", "no answer in time: what happened is not known")


def _judge(state: State, s: StepState, event: Event, answer: Answer) -> str:
    """Judges what an action returned: its type, its `ensures`, and whether it can be stored."""
    tool = s.site.tool
    if answer.fault is not None:
        event.status = "succeeded"
        event.data["unavailable"] = answer.fault.message
        return event.status
    try:
        value = conform(answer.value, tool.result, state.index.outside)
    except Mismatch as reason:
        # Whoever reads it may see nothing but this text.
        said = f"the answer of `{tool.name}`: {reason}"
        event.status, event.error = "broken", Fault("Mismatch", said)
        event.response = _storable(answer)
        return event.status
    try:
        event.result = encode(value)
    except Unstorable as reason:
        event.status = "succeeded"
        event.data["unavailable"] = str(reason)
        return event.status
    if value is not answer.value and (raw := _storable(answer)) != event.result:
        event.response = raw
    event.status = "succeeded"
    if tool.ensures:
        broken = broken_ensures(state, s, tool, value)
        if broken is not None:
            event.status, event.error = "broken", broken
    undo = fill_undos(state, s, value)
    if undo is not None:
        event.undo = undo
    return event.status


def broken_ensures(state: State, s: StepState, tool: Tool, value: Any) -> Fault | None:
    """Gives the first `ensures` of a tool that its result breaks, or None."""
    if not tool.ensures:
        return None
    known = {**call_names(state, s, False), "result": value}
    for condition in tool.ensures:
        try:
            if evaluate(condition.test.tree, known, state.index.schema) is True:
                continue
            text = (
                value_of(state, s.frame, condition.otherwise, known)
                if condition.otherwise
                else f"not so: {condition.test.source}"
            )
        except Failed as reason:
            text = str(reason)
        return Fault("Ensures", str(text))
    return None


def fill_undos(state: State, s: StepState, value: Any) -> list[Descriptor] | None:
    """Gives the undo list with the holes over `result` filled, None when nothing changes."""
    for d in s.descriptors:
        if not d.complete:
            filled = fill(state, s.descriptors, value)
            return filled if filled != s.descriptors else None
    return None


def _already(step: Step, tool: Tool, event: Event, call: Call) -> None:
    """Judges `done with`: it is so already. An action that owes a value asks its verify for it."""
    if call.purpose != "do" or tool.result.kind in ("optional", "json", "none"):
        event.status = "succeeded"
    elif step.verify is not None:
        event.status = "unknown"
    else:
        event.status = "succeeded"
        event.data["unavailable"] = "the service said that it was so already and gave no value"


def _poll_event(state: State, s: StepState, call: Call, answer: Answer) -> Event:
    step = s.site.step
    event = _outcome(call, answer)
    event.status = "transient"
    if answer.kind == "raised":
        kind = kind_of(s.site.tool, answer.classes)
        event.status = kind if kind in ("refused", "conflict") else "transient"
        if kind == "done":
            event.status = "succeeded"
    elif answer.kind == "returned":
        judged = _judge(state, s, event, answer)
        if judged == "broken":
            event.status = "transient"
        elif step.until is not None and judged == "succeeded":
            value = decode(event.result)
            try:
                known = {**call_names(state, s, True), "it": value, "result": value}
                met = value is not None and evaluate(
                    step.until.test.tree, known, state.index.schema
                )
            except Failed as reason:
                met, event.error = False, fault(reason)
            if met is not True:
                event.status = "not_yet"
    return event


def _read_event(state: State, s: StepState, call: Call, answer: Answer) -> Event:
    tool = state.index.tools[call.tool]
    if call.purpose in ("remember", "expect"):
        event = _outcome(call, answer)
        event.data["name"] = call.name
        event.status = "transient"
        if answer.kind == "returned" and answer.fault is None:
            try:
                value = conform(answer.value, tool.result, state.index.outside)
                event.result, event.status = encode(value), "succeeded"
            except (Mismatch, Unstorable) as reason:
                event.error = of_read(tool, reason)
        elif answer.kind == "raised" and kind_of(tool, answer.classes) == "refused":
            event.status = "refused"
        return event
    event = Event(
        kind="verified",
        path=call.path,
        direction=call.direction,
        generation=call.generation,
        attempt=call.attempt,
        status="unknown",
        error=answer.fault,
    )
    if call.purpose == "inspect":
        event.data = {"incident": call.name}
    elif call.name == "conclusive":
        event.data = {"conclusive": True}
    if answer.kind != "returned" or answer.fault is not None:
        return event
    verify, known = _verify_of(state, s, call)
    try:
        value = conform(answer.value, tool.result, state.index.outside)
        event.response = encode(value)
        event.status, given, _ = verdict(state, verify.verdicts, known, value)
        if event.status == "applied" and call.purpose == "verify":
            if call.direction != "undo":
                _adopt(state, s, event, given)
            elif s.frame.undo_of and (s.undo_phase == "unknown" or lacks_value(s)):
                _keep(state, s.site.tool, event, given)
    except (Mismatch, Unstorable) as reason:
        event.status, event.error = "unknown", of_read(tool, reason)
    except Failed as reason:
        event.status, event.error = "unknown", fault(reason)
    return event


def _adopt(state: State, s: StepState, event: Event, given: Any) -> None:
    """Takes the value that a verify gives as the result, after the same checks as an answer."""
    tool = s.site.tool
    if s.phase == "confirming":
        return
    try:
        value = conform(given, tool.result, state.index.schema)
    except Mismatch as reason:
        event.data["unavailable"] = str(reason)
        return
    event.result = encode(value)
    event.error = broken_ensures(state, s, tool, value)
    event.undo = fill_undos(state, s, value)


def _verify_of(state: State, s: StepState, call: Call) -> tuple[Verify, Known]:
    step = s.site.step
    if call.direction == "undo" and s.undo is not None and s.undo.number:
        check = compensating_verify(state, s, step, s.descriptors[s.undo_ordinal])
        if check is not None:
            return check[0], check[1]
    assert step.verify is not None
    return step.verify, partial(verify_names, state, s)


def _late(call: Call, answer: Answer) -> Event:
    event = Event(
        kind="late",
        path=call.path,
        direction=call.direction,
        generation=call.generation,
        attempt=call.attempt,
        error=answer.fault,
        data={"answer": answer.kind},
    )
    if answer.kind == "returned":
        event.response = _storable(answer)
    return event


def _storable(answer: Answer) -> Any:
    try:
        return encode(answer.value)
    except Unstorable:
        return None
