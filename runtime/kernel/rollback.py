"""Rolling back: the undos in reverse order of confirmation, one at a time, then the correctives."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..events import Action, Descriptor, Event
from ..expressions import Failed
from ..plan import Corrective, Retry, Step, Tool, Undo
from ..shapes import Mismatch
from ..values import decode
from .asked import approval
from .budget import attempts_left, pause, wait, window_left, window_over
from .clauses import (
    argument_digest,
    call_names,
    check_by_hand,
    compensating_verify,
    ready_args,
    resources,
    spread,
    stored,
    usable,
    value_of,
    verify_names,
    with_defaults,
)
from .commands import Append, Call, Command
from .keys import corrective_key, forward_key, undo_key
from .state import Calling, State, StepState
from .unknown import ask, inquire, wait_and_ask


def wants_of_undo(state: State, s: StepState) -> list[Command]:
    """Gives what the undo of one step wants: first a look, then the call, then the proof."""
    calling, step = s.undo or Calling(), s.site.step
    if calling.open:
        return []
    if s.undo_phase == "failed":
        return [undo_failed(state, s)]
    if s.undo_phase == "by hand":
        return _check_by_hand(state, s, calling)
    if s.do.loose or s.site.is_call:
        left = _time_to_settle(state, s, step)
        if left:
            return wait(s, "settle", left)
    if not calling.number:
        descriptor = usable(state, s, step, filled_only=True)
        if descriptor is not None:
            return _look(state, s, step, calling, descriptor)
        said = f"no undo of `{s.path}` can be called any more"
        return [ask(state, s, "no_undo", said)]
    if s.undo_phase == "calling":
        # A saga is the undo, and its own calls are on their way.
        return []
    return settle_undo(state, s, step, calling, s.descriptors[s.undo_ordinal])


def wants_of_corrective(state: State, s: StepState, ordinal: int) -> list[Command]:
    """Gives what the corrective of one irreversible effect wants: its call, or that it is due."""
    effect = s.site.tool.effects[ordinal]
    corrective = effect.corrective
    assert corrective is not None
    calling = s.correctives.get(ordinal, Calling())
    if calling.open:
        return []
    known = {**call_names(state, s, False), "result": decode(s.result)}
    try:
        if not corrective.tool:
            text = value_of(state, s.frame, corrective.text, known) if corrective.text else ""
            return [_note(s, "corrective_due", ordinal=ordinal, text=str(text))]
        tool = state.index.tools[corrective.tool]
        if s.corrective_status.get(ordinal) == "failed" or not attempts_left(tool.retry, calling):
            said = calling.error.message if calling.error else ""
            return [_corrective_failed(state, s, ordinal, corrective.tool, said)]
        if calling.number:
            name = f"corrective:{ordinal}"
            waiting = pause(s, name, tool.retry, calling.attempts, calling.retry_after)
            if waiting is not None:
                return waiting
        args = with_defaults(state, tool, spread(state, corrective.args, known))
        if corrective.needs and not calling.number:
            asking = _approval(state, s, ordinal, corrective, args)
            if asking is not None:
                return asking
        return [_corrective_call(state, s, ordinal, tool, calling, args)]
    except (Failed, Mismatch) as reason:
        return [_corrective_failed(state, s, ordinal, corrective.tool, str(reason))]


def loose_ends(state: State, s: StepState, step: Step) -> bool:
    """True when an attempt that ended unknown may still land after an undo.

    A key that the service honours makes a late attempt harmless; so does a verify that has seen the
    only attempt applied. An action idempotent *naturally* would be done again by a late attempt.
    """
    if s.do.loose == 0:
        return False
    tool = s.site.tool
    if s.may_have_landed or s.confirmed_by == "":
        return True
    if s.do.number == 1 and s.confirmed_by == "verify":
        return False
    return tool.idempotent is None or tool.idempotent.by != "key"


def _time_to_settle(state: State, s: StepState, step: Step) -> int:
    """Gives the milliseconds until nothing can land any more that an undo would miss."""
    left = 0
    if loose_ends(state, s, step) and not window_over(state, s, step):
        left = window_left(state, s, step)
    if not s.site.is_call:
        return left
    for frame in state.frames[s.path].subtree():
        for path in frame.members:
            inner = state.steps.get(path)
            if inner is not None and inner.covered:
                mine = inner.site.step
                left = max(left, _time_to_settle(state, inner, mine))
    return left


def _look(state: State, s: StepState, step: Step, calling: Calling, d: Descriptor) -> list[Command]:
    """Compares before the undo: as left, already back, or changed by someone else."""
    if step.verify is not None:
        caught_up = s.confirmed_elapsed + step.verify.consistent_after
        wishes = inquire(
            state,
            s,
            calling,
            step.verify,
            state.elapsed >= caught_up,
            partial(verify_names, state, s),
            direction="undo",
        )
        if wishes is not None:
            return wishes
        if calling.verdict == "conflict":
            said = f"`{s.path}` was changed by someone else since: it is not overwritten"
            return [ask(state, s, "undo_conflict", said)]
        if calling.verdict == "absent" and calling.conclusive:
            return [_note(s, "undone", by="already back")]
    return _call(state, s, step, calling, d)


def settle_undo(
    state: State, s: StepState, step: Step, calling: Calling, d: Descriptor
) -> list[Command]:
    """Gives what follows a call of an undo: the proof that it is back, or another attempt."""
    undo = step.undos[d.ordinal]
    tool = state.index.tools[d.tool]
    check = compensating_verify(state, s, step, d)
    if check is None:
        if s.undo_phase == "answered":
            return [_note(s, "undone", by="answer")]
        return _once_more(state, s, step, calling, d)
    verify, known, absent_is_undone = check
    settle = undo.settle if undo.settle is not None else tool.settle
    ends = calling.ended + verify.consistent_after
    if s.undo_phase == "unknown":
        ends += settle
    over = state.elapsed >= ends
    if s.undo_phase in ("answered", "unknown"):
        wishes = inquire(state, s, calling, verify, over, known, direction="undo")
        if wishes is not None:
            return wishes
        if calling.verdict == "conflict":
            said = f"after its undo `{s.path}` is neither as left nor back"
            return [ask(state, s, "undo_conflict", said)]
        if calling.verdict == ("absent" if absent_is_undone else "applied"):
            return [_note(s, "undone", by="verify")]
        if calling.verdict in ("absent", "applied"):
            left_over = attempts_left(_retry(undo, tool), calling)
            if s.undo_phase == "unknown" and left_over:
                return _once_more(state, s, step, calling, d)
            if not over:
                left = max(1, ends - state.elapsed)
                return wait_and_ask(state, s, calling, verify, left, "verify:undo")
            return _once_more(state, s, step, calling, d)
        if s.undo_phase == "answered":
            return [_note(s, "undone", by="answer")]
    return _once_more(state, s, step, calling, d)


def _check_by_hand(state: State, s: StepState, calling: Calling) -> list[Command]:
    """Gives what follows a person's word that a step is undone: its verify, which may know better.

    Whatever it does not deny is taken for true.
    """
    check = check_by_hand(state, s)
    if check is not None:
        verify, known, absent_is_undone = check
        ends = calling.ended + verify.consistent_after
        over = state.elapsed >= ends
        wishes = inquire(state, s, calling, verify, over, known, direction="undo")
        if wishes is not None:
            return wishes
        if calling.verdict == ("applied" if absent_is_undone else "absent"):
            if not over:
                left = max(1, ends - state.elapsed)
                return wait_and_ask(state, s, calling, verify, left, "verify:undo")
            says = f"its verify says `{calling.verdict}` all the same"
            return [ask(state, s, "undo_failed", f"`{s.path}` was undone by hand, but {says}")]
    return [_note(s, "undone", by="person")]


def _once_more(
    state: State, s: StepState, step: Step, calling: Calling, d: Descriptor
) -> list[Command]:
    undo = step.undos[d.ordinal]
    retry = _retry(undo, state.index.tools[d.tool])
    if not attempts_left(retry, calling):
        return [undo_failed(state, s)]
    waiting = pause(s, "undo", retry, calling.attempts, calling.retry_after)
    if waiting is not None:
        return waiting
    return _call(state, s, step, calling, d)


def _call(state: State, s: StepState, step: Step, calling: Calling, d: Descriptor) -> list[Command]:
    if d.tool in state.index.undo_blocks:
        return _begin(state, s, calling, d)
    return call_undo(state, s, step, calling, d, first=calling.number == 0)


def _begin(state: State, s: StepState, calling: Calling, d: Descriptor) -> list[Command]:
    """Gives the record that a saga begins to take a step back; its own calls come after it."""
    try:
        wire = stored(ready_args(state, d))
    except (Failed, Mismatch) as reason:
        return [ask(state, s, "undo_failed", f"`{d.tool}` cannot be begun: {reason}")]
    event = Event(
        kind="chosen",
        path=s.path,
        direction="undo",
        generation=s.generation,
        attempt=calling.number + 1,
        status="called",
        key=undo_key(s.do.key, d.ordinal),
        cause=s.confirmed_n or s.intent_n,
        data={"ordinal": d.ordinal, "saga": d.tool, "args": wire},
    )
    return [Append(f"{s.path}|undo|{s.generation}|{calling.number + 1}", event)]


def call_undo(
    state: State, s: StepState, step: Step, calling: Calling, d: Descriptor, *, first: bool
) -> list[Command]:
    """Gives the call of an undo; the `first` one has its arguments in the log."""
    undo, tool = step.undos[d.ordinal], state.index.tools[d.tool]
    inside = s.frame.undo_of
    about, key = s, s.do.key
    if inside:
        about, key = state.steps[inside], forward_key(state.run_id, s.path, s.generation)
    key = undo_key(key, d.ordinal)
    try:
        args = ready_args(state, d)
        for condition in tool.requires:
            if not value_of(state, s.frame, condition.test, {**args, "key": key}):
                said = f"`{d.tool}` requires {condition.test.source}"
                return [ask(state, s, "undo_failed", said)]
        wire = stored(args)
    except (Failed, Mismatch) as reason:
        return [ask(state, s, "undo_failed", f"`{d.tool}` cannot be called: {reason}")]
    number = calling.number + 1
    event = Event(
        kind="intent",
        path=s.path,
        direction="undo",
        generation=s.generation,
        attempt=number,
        key=key,
        action=Action(d.tool, tool.call.target, wire if first else {}, argument_digest(wire)),
        cause=about.confirmed_n or about.intent_n,
        data={"ordinal": d.ordinal},
    )
    if inside and first:
        event.data["resources"] = resources(state, tool, {**args, "key": key})
    call = Call(
        id=f"{s.path}|undo|{s.generation}|{number}",
        path=s.path,
        purpose="undo",
        direction="undo",
        generation=s.generation,
        attempt=number,
        tool=d.tool,
        args=args,
        key=key,
        timeout=undo.timeout if undo.timeout is not None else tool.timeout,
        intent=event,
        undo_of=inside,
    )
    return [call]


def _approval(
    state: State, s: StepState, ordinal: int, corrective: Corrective, args: dict[str, Any]
) -> list[Command] | None:
    """Gives the gate of a corrective, [] while it is open, None once it is approved."""
    effects = s.site.tool.effects
    which = sum(effect.corrective is not None for effect in effects[: ordinal + 1])
    path = f"{s.path}.corrective" + (f"[{which}]" if which > 1 else "")
    shows = {"call": corrective.tool, "arguments": stored(args)}
    return approval(state, s, path, "corrective", corrective.needs, shows, ordinal)


def _corrective_call(
    state: State, s: StepState, ordinal: int, tool: Tool, calling: Calling, args: dict[str, Any]
) -> Call:
    key = corrective_key(s.do.key, ordinal)
    number = calling.number + 1
    wire = stored(args)
    event = Event(
        kind="intent",
        path=s.path,
        direction="corrective",
        generation=s.generation,
        attempt=number,
        key=key,
        action=Action(tool.name, tool.call.target, wire, argument_digest(wire)),
        cause=s.confirmed_n,
        data={"ordinal": ordinal},
    )
    return Call(
        id=f"{s.path}|corrective:{ordinal}|{s.generation}|{number}",
        path=s.path,
        purpose="corrective",
        direction="corrective",
        generation=s.generation,
        attempt=number,
        tool=tool.name,
        args=args,
        key=key,
        timeout=tool.timeout,
        intent=event,
        name=str(ordinal),
    )


def _retry(undo: Undo, tool: Tool) -> Retry:
    return undo.retry if undo.retry is not None else tool.retry


def undo_failed(state: State, s: StepState) -> Append:
    """Gives the escalation of an undo that has failed for good."""
    error = s.undo.error if s.undo is not None else None
    reason = f": {error.type}: {error.message}" if error else ""
    if not error and s.undo is not None and s.undo.verdict:
        reason = f": it answered, and its verify says `{s.undo.verdict}` all the same"
    return ask(state, s, "undo_failed", f"the undo of `{s.path}` failed for good{reason}")


def _corrective_failed(state: State, s: StepState, ordinal: int, tool: str, reason: str) -> Append:
    said = f"the corrective `{tool}` of `{s.path}` failed{': ' if reason else ''}{reason}"
    event = Event(
        kind="escalated",
        path=s.path,
        status="corrective_failed",
        data={"summary": said, "ordinal": ordinal},
    )
    return Append(f"{s.path}|escalated|corrective:{ordinal}|{state.n}", event)


def _note(s: StepState, status: str, **data: Any) -> Append:
    event = Event(kind="chosen", path=s.path, status=status, generation=s.generation, data=data)
    number = s.undo.number if s.undo else 0
    return Append(f"{s.path}|{status}|{s.generation}|{number}|{data.get('ordinal', '')}", event)
