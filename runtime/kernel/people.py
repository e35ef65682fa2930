"""Requests of people, checked at the moment of their event; refusals are events too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal as OneOf

from msgspec import Struct

from ..events import Event
from ..formula import Type
from ..paths import static
from ..plain import read_input
from ..plan import Gate, Node, Wait
from ..shapes import Mismatch, conform
from ..values import decode, encode
from .asked import is_open
from .clauses import check_by_hand, usable
from .deciders import why_not
from .places import elsewhere, not_an_item, open_gates, open_waits
from .state import AskedGate, State
from .views import landed, open_incident

Verb = OneOf["approve", "reject", "resolve", "cancel", "freeze", "roll_back", "signal"]


class Request(Struct, frozen=True, omit_defaults=True):
    """What somebody asks of a run.

    `path` is the gate or step; `answer` an answer to an incident; `value` a stored value; `digest`
    what the person saw of a gate (left out: as it is now); `identity` says how `actor` is known;
    `to` a checkpoint. `id` makes a repeated request one request.
    """

    verb: Verb
    actor: str = ""
    path: str = ""
    answer: str = ""
    incident: str = ""
    value: Any = None
    reason: str = ""
    note: str = ""
    digest: str = ""
    identity: str = "as given, not authenticated"
    to: str = ""
    id: str = ""


class Rejected(Exception):
    """A request that makes no sense in this state; its text says why and what would."""


def request(state: State, asked: Request, groups: Mapping[str, Sequence[str]]) -> Event:
    """Makes the event of a request; raises `Rejected` when there is nothing to decide.

    `groups` are the people of each group now. A person who may not decide gives a `decided` event
    with status `refused`, which is logged and changes nothing.
    """
    match asked.verb:
        case "approve" | "reject":
            return _decide(state, asked, groups)
        case "resolve":
            return _resolve(state, asked)
        case "cancel":
            return _cancel(state, asked)
        case "freeze":
            if state.finished:
                raise Rejected(f"the run is over ({_said(state)}): there is nothing to freeze")
            if state.frozen:
                raise Rejected("the run is frozen already: answer its incident, forward or back")
            return Event("frozen", actor=asked.actor, data={"reason": asked.reason})
        case "roll_back":
            return _roll_back(state, asked)
        case "signal":
            return _signal(state, asked)


def declared(state: State, path: str) -> Node | None:
    """Gives the statement that a path of a run names, reached or not."""
    numbers = state.index.numbers.get(static(path))
    return state.index.entries[numbers[0]].statement if numbers else None


def _said(state: State) -> str:
    return state.finished.replace("_", " ")


def _decide(state: State, asked: Request, groups: Mapping[str, Sequence[str]]) -> Event:
    if asked.path in state.asked:
        return _decide_asked(state, state.asked[asked.path], asked, groups)
    g = state.gates.get(asked.path)
    if not isinstance(declared(state, asked.path), Gate):
        there = elsewhere(state, Gate, asked.path, open_gates(state))
        raise Rejected(f"there is no gate `{asked.path}`. {there}")
    if (g is None or g.phase == "ready") and state.finished:
        raise Rejected(f"the run is over ({_said(state)}), and never came to gate `{asked.path}`")
    if why := not_an_item(state, asked.path):
        there = elsewhere(state, Gate, asked.path, open_gates(state))
        raise Rejected(f"there is no gate `{asked.path}`: {why}. {there}")
    if g is None or g.phase == "ready":
        raise Rejected(f"gate `{asked.path}` is not open yet: nothing is stored for later")
    if g.phase != "open" or g.frame.halted() or state.finished:
        if g.phase not in ("approved", "rejected"):
            why = _FATES[g.phase if g.phase in _FATES else "closed"]
            raise Rejected(f"gate `{asked.path}` is not open any more: {why}")
        by = g.rejected_by if g.phase == "rejected" else ", ".join(g.approvals)
        raise Rejected(f"gate `{asked.path}` is already decided ({g.phase}) by {by}")
    gate = state.index.entries[g.number].statement
    assert isinstance(gate, Gate)
    why = why_not(
        state,
        asked.actor,
        gate.group,
        groups,
        approvals=g.approvals,
        including_initiator=gate.including_initiator,
    )
    members = groups.get(gate.group, ())
    gone = [who for who in g.approvals if who not in members]
    if not why and asked.verb == "approve" and gone and len(g.approvals) + 1 >= gate.needs:
        why = f'{", ".join(gone)} approved earlier and no longer belongs to "{gate.group}"'
    return _decision(asked, why, g.digest, g.opened_n)


def _decide_asked(
    state: State, gate: AskedGate, asked: Request, groups: Mapping[str, Sequence[str]]
) -> Event:
    if not is_open(state, gate):
        by = f" by {gate.by}" if gate.by else ""
        phase = "no longer asked" if gate.phase == "open" else gate.phase
        raise Rejected(f"gate `{asked.path}` is already decided ({phase}){by}")
    why = why_not(state, asked.actor, gate.group, groups)
    return _decision(asked, why, gate.digest, gate.opened_n)


def _decision(asked: Request, why: str, digest: str, opened_n: int) -> Event:
    status = "approved" if asked.verb == "approve" else "rejected"
    data: dict[str, Any] = {"identity": asked.identity}
    if asked.note:
        data["note"] = asked.note
    if not why and asked.digest and asked.digest != digest:
        why = "what was shown has changed since: look again"
    if why:
        status = "refused"
        data["reason"] = why
    return Event(
        "decided", path=asked.path, status=status, actor=asked.actor, cause=opened_n, data=data
    )


def _resolve(state: State, asked: Request) -> Event:
    chosen = state.incidents.get(asked.incident) if asked.incident else open_incident(state)
    if asked.incident and chosen is None:
        raise Rejected(f"there is no incident `{asked.incident}` in this run")
    if chosen is None:
        raise Rejected("the run has no open incident: there is nothing to resolve")
    if not chosen.open:
        raise Rejected(f"`{chosen.id}` is already answered: an answer is used once")
    if asked.path and chosen.path and asked.path != chosen.path:
        raise Rejected(f"the open incident `{chosen.id}` is about `{chosen.path}`")
    if asked.answer not in chosen.answers:
        raise Rejected(f"`{chosen.id}` takes {', '.join(chosen.answers)}, not `{asked.answer}`")
    if not asked.actor:
        raise Rejected("an answer names who gives it")
    needs_reason = asked.answer == "skip" and chosen.cause in _SKIPPED_UNDO
    if needs_reason and not asked.reason:
        raise Rejected("`skip` lets the effect stand: give a reason")
    if chosen.cause == "after_pivot" and asked.answer in ("retry", "done"):
        step = state.steps.get(chosen.path)
        if step is not None and not step.intent_n and asked.answer == "done":
            raise Rejected(f"`{chosen.path}` was never called: say `retry`, or `back`")
    value = _value(state, chosen.path, asked)
    if (
        value is None
        and asked.answer == "done"
        and (chosen.cause in FORWARD or _read_inside(state, chosen.path))
    ):
        _check_none(state, chosen.path)
    data: dict[str, Any] = {
        "incident": chosen.id,
        "reason": asked.reason,
        "identity": asked.identity,
    }
    if chosen.cause in _SKIPPED_UNDO and asked.answer == "done":
        step = state.steps.get(chosen.path)
        if step is not None and check_by_hand(state, step) is not None:
            data["checked"] = True
    return Event(
        "resolved",
        path=chosen.path,
        status=asked.answer,
        actor=asked.actor,
        cause=chosen.n,
        result=value,
        data=data,
    )


_SKIPPED_UNDO = ("undo_failed", "no_undo", "undo_conflict")
FORWARD = ("unknown", "conflict", "key_conflict", "failed", "after_pivot", "lapsed")
"""Causes whose `done` says what the step gave."""


def _read_inside(state: State, path: str) -> bool:
    """True for a read in a saga that is an undo: what it gives decides what is taken back."""
    s = state.steps.get(path)
    return s is not None and bool(s.frame.undo_of) and not s.site.step.undos


def _value(state: State, path: str, asked: Request) -> Any:
    type_ = _type_at(state, path)
    if asked.answer != "done" or asked.value is None or type_ is None:
        return None
    try:
        return _fitting(state, asked.value, type_)
    except Mismatch as reason:
        raise Rejected(f"the value for `{path}` does not fit: {reason}") from reason


def _check_none(state: State, path: str) -> None:
    """Refuses a `done` without the value that the steps behind it and the result count on."""
    holder, type_ = state.holder(path), _type_at(state, path)
    if holder is None or type_ is None or holder.frame.halted():
        return
    if path in state.steps and state.steps[path].result is not None:
        return
    try:
        conform(None, type_, state.index.schema)
    except Mismatch as reason:
        raise Rejected(
            f"`done` says what `{path}` gave ({type_}): give it with --value"
        ) from reason


def _type_at(state: State, path: str) -> Type | None:
    """Gives the type of what a step or a wait gives."""
    if path in state.steps:
        return state.steps[path].site.tool.result
    node = declared(state, path)
    return node.type if isinstance(node, Wait) else None


def _cancel(state: State, asked: Request) -> Event:
    data: dict[str, Any] = {"identity": asked.identity}
    status = "accepted"
    if state.finished:
        raise Rejected(f"the run is already final ({_said(state)}): nothing is cancelled")
    if state.closed:
        status, data["reason"] = "ignored", "already rolling back"
    elif state.root.cause == "cancelled":
        status, data["reason"] = "ignored", "already cancelled"
    if asked.reason:
        data["why"] = asked.reason
    return Event("cancel_requested", status=status, actor=asked.actor, data=data)


def _fitting(state: State, wire: Any, type_: Type) -> Any:
    """Gives a value in stored form as a type has it; JSON stands for what it has no form for.

    Raises `Mismatch`.
    """
    given = decode(wire)
    try:
        return encode(conform(given, type_, state.index.schema))
    except Mismatch:
        return encode(read_input(given, type_, state.index.schema))


def _signal(state: State, asked: Request) -> Event:
    node = declared(state, asked.path)
    if not isinstance(node, Wait):
        there = elsewhere(state, Wait, asked.path, open_waits(state))
        raise Rejected(f"nothing waits at `{asked.path}`. {there}")
    if state.finished:
        raise Rejected(f"the run is over ({_said(state)}): nothing waits for a signal any more")
    if why := not_an_item(state, asked.path):
        there = elsewhere(state, Wait, asked.path, open_waits(state))
        raise Rejected(f"nothing waits at `{asked.path}`: {why}. {there}")
    w = state.pauses.get(asked.path)
    if asked.path in state.signals:
        raise Rejected(f"`{asked.path}` has its signal already: a second one is not taken")
    if w is not None and (w.settled or w.phase != "ready" or w.frame.halted()):
        raise Rejected(f"`{asked.path}` waits no more: {_FATES.get(w.phase, w.phase)}")
    try:
        value = _fitting(state, asked.value, node.type)
    except Mismatch as reason:
        raise Rejected(f"the signal for `{asked.path}` does not fit: {reason}") from reason
    data: dict[str, Any] = {"identity": asked.identity}
    return Event("signalled", path=asked.path, actor=asked.actor, result=value, data=data)


_FATES = {
    "lapsed": "its time is over",
    "skipped": "its `when` did not hold",
    "closed": "the run has gone back",
    "ready": "the run has gone back",
}


def _roll_back(state: State, asked: Request) -> Event:
    if state.closed and not state.finished:
        raise Rejected("the run is already rolling back")
    if state.finished and state.finished != "succeeded":
        raise Rejected(f"the run is over ({_said(state)}): there is nothing to roll back")
    if asked.to and asked.to not in state.checkpoints:
        known = ", ".join(sorted(state.checkpoints)) or "none"
        raise Rejected(f"there is no checkpoint `{asked.to}`; passed so far: {known}")
    target = state.checkpoints.get(asked.to, 0)
    lost: list[str] = []
    for s in state.steps.values():
        if not landed(s) or s.phase == "called" or (s.confirmed_n or s.intent_n) <= target:
            continue
        step = s.site.step
        if s.covered or s.frame.aftermath:
            continue
        accepted = step.accepted is not None
        tool = s.site.tool
        if tool.irreversible and not accepted:
            lost.append(f"`{s.path}` is irreversible")
        elif not tool.irreversible and usable(state, s, step, filled_only=True) is None:
            lost.append(f"`{s.path}` has no undo that can be called now")
    if lost:
        raise Rejected(f"not everything can be taken back: {'; '.join(lost)}")
    data: dict[str, Any] = {"identity": asked.identity}
    if asked.to:
        data["to"] = asked.to
    return Event("scope_closed", status="rolled_back", actor=asked.actor, data=data)
