"""Clauses of steps evaluated: which names each may read, and what it gives in this state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from functools import partial
from typing import Any

import msgspec

from ..display import show
from ..events import Descriptor, Fault
from ..expressions import STARTED_AT, Failed, bind, evaluate
from ..formula import Formula, Literal, Name, Node, names
from ..plan import Argument, Step, Tool, Undo, Verify
from ..shapes import conform
from ..values import Record, Unstorable, decode, digest, encode
from .frames import Frame
from .keys import forward_key
from .state import State, StepState


def fault(error: Exception) -> Fault:
    """Gives what an evaluation's failure is stored as."""
    return Fault(type(error).__name__, str(error))


def value_of(
    state: State, frame: Frame, formula: Formula, extra: Mapping[str, Any] | None = None
) -> Any:
    """Evaluates an expression over a frame's names; raises `Failed`, also for a lost value."""
    known: Mapping[str, Any] = frame.known(extra) if extra else frame.names
    if state.lossy:
        _refuse_lost(frame, formula, extra or {})
    return evaluate(formula.tree, known, state.index.schema)


def _refuse_lost(frame: Frame, formula: Formula, extra: Mapping[str, Any]) -> None:
    at: Frame | None = frame
    while at is not None:
        if at.unavailable:
            for name in sorted(names(formula.tree)):
                if name in at.unavailable and name not in extra:
                    raise Failed(f"the value of `{name}` is not available: {at.unavailable[name]}")
        at = at.parent if at.kind not in ("call", "undo") else None


def arguments(state: State, s: StepState) -> dict[str, Any]:
    """Evaluates a step's arguments by parameter, defaults included; raises `Failed`, `Mismatch`."""
    found: dict[str, Any] = {}
    schema, known = state.index.schema, s.frame.names
    for parameter, formula, alone in s.site.given:
        name = parameter.name
        if formula is None:
            raise Failed(f"`{s.site.step.name}` has no value for `{name}`")
        if state.lossy:
            _refuse_lost(s.frame, formula, {})
        direct = alone and alone in known
        value = known[alone] if direct else evaluate(formula.tree, known, schema)
        found[name] = conform(value, parameter.type, schema, name)
    return found


def stored(args: dict[str, Any]) -> dict[str, Any]:
    """Encodes arguments for the log; raises `Failed` that names the one that cannot be stored."""
    wire: dict[str, Any] = {}
    for name, value in args.items():
        try:
            wire[name] = encode(value)
        except Unstorable as reason:
            raise Failed(f"the argument `{name}` cannot be stored: {reason}") from reason
    return wire


def call_names(state: State, s: StepState, replaced: bool) -> MutableMapping[str, Any]:
    """Gives the names that a clause of the action may read: the tool's or the saga's."""
    args = s.args or {}
    key = s.do.key or forward_key(state.run_id, s.path, s.generation)
    if replaced:
        return s.frame.known({"args": Record("args", dict(args)), "key": key})
    return {**args, **s.remembered, "key": key, STARTED_AT: state.root.values[STARTED_AT]}


def spread(state: State, args: tuple[Argument, ...], known: Mapping[str, Any]) -> dict[str, Any]:
    """Evaluates the arguments of a read or a corrective; raises `Failed`."""
    return {a.name: evaluate(a.value.tree, known, state.index.schema) for a in args}


def with_defaults(
    state: State, tool: Tool, args: dict[str, Any], *, outside: bool = False
) -> dict[str, Any]:
    """Gives arguments in the order of the tool's parameters, checked, defaults filled in.

    `outside`: they were not computed here, and may have texts for what JSON has no form for.
    """
    found: dict[str, Any] = {}
    schema = state.index.outside if outside else state.index.schema
    for parameter in tool.parameters:
        if parameter.name in args:
            value = args[parameter.name]
        elif parameter.default is not None:
            value = evaluate(parameter.default.tree, {}, state.index.schema)
        else:
            raise Failed(f"`{tool.name}` has no value for `{parameter.name}`")
        found[parameter.name] = conform(value, parameter.type, schema, parameter.name)
    return found


def resources(state: State, tool: Tool, known: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Gives what a call will touch: resource text, class and impact of each of its effects."""
    found: list[dict[str, Any]] = []
    schema = state.index.schema
    for effect in tool.effects:
        ids: list[str] = []
        for formula in effect.ids:
            ids.append(show(evaluate(formula.tree, known, schema)))
        found.append(
            {
                "resource": f"{effect.kind}({', '.join(ids)})" if ids else effect.kind,
                "class": effect.effect_class,
                "impact": effect.impact,
            }
        )
    return found


def describe(
    state: State, undos: tuple[Undo, ...], known: Mapping[str, Any], wires: Mapping[str, Any]
) -> list[Descriptor]:
    """Gives the declared undos with everything bound but `result`.

    `wires` are names whose stored form is known already.
    """
    found: list[Descriptor] = []
    for ordinal, undo in enumerate(undos):
        complete = True
        try:
            args: dict[str, Any] = {}
            for a in undo.args:
                tree = a.value.tree
                # Most are a name whose stored form is at hand.
                if type(tree) is Name and tree.name in wires:
                    args[a.name] = {"op": "literal", "value": wires[tree.name]}
                else:
                    part = args[a.name] = _bound(state, tree, known, wires)
                    complete = complete and part["op"] == "literal"
            when = None
            if undo.when is not None:
                when = _bound(state, undo.when.tree, known, wires)
                complete = complete and when["op"] == "literal"
            found.append(Descriptor(ordinal, undo.tool, args, when, "", complete))
        except Failed as reason:
            found.append(Descriptor(ordinal, undo.tool, fault=str(reason)))
    return found


def fill(state: State, descriptors: list[Descriptor], result: Any) -> list[Descriptor]:
    """Gives the descriptors with the holes over `result` filled."""
    found: list[Descriptor] = []
    for d in descriptors:
        if d.complete or d.fault:
            found.append(d)
            continue
        try:
            args = {name: _filled(state, tree, result) for name, tree in d.args.items()}
            when = None if d.when is None else _filled(state, d.when, result)
            parts = [*args.values()] if when is None else [*args.values(), when]
            complete = all(part["op"] == "literal" for part in parts)
            found.append(Descriptor(d.ordinal, d.tool, args, when, "", complete))
        except Failed as reason:
            found.append(Descriptor(d.ordinal, d.tool, fault=str(reason)))
    return found


def ready_args(state: State, d: Descriptor) -> dict[str, Any]:
    """Gives the live arguments of a complete descriptor, in the order of its tool's parameters."""
    args = {name: decode(tree["value"]) for name, tree in d.args.items()}
    return with_defaults(state, state.index.tools[d.tool], args)


def accepts(d: Descriptor) -> bool:
    """True unless the condition (`when`) of a complete descriptor is false."""
    return d.when is None or decode(d.when["value"]) is True


def usable(
    state: State,
    s: StepState,
    step: Step,
    filled_only: bool,
    descriptors: list[Descriptor] | None = None,
) -> Descriptor | None:
    """Gives the first undo that can be called now: complete, its condition true, within its window.

    With `filled_only` false, holes over `result` are taken as fillable (a call still in flight).
    `descriptors` are those of a call that is yet to be made.
    """
    for d in s.descriptors if descriptors is None else descriptors:
        if d.fault or (filled_only and not d.complete):
            continue
        if d.when is not None and d.complete and not accepts(d):
            continue
        undo = step.undos[d.ordinal]
        if undo.within is None or not lapsed(state, s, undo):
            return d
    return None


def blind(state: State, s: StepState, step: Step) -> Descriptor | None:
    """Gives an undo that may be called when nothing is there, as its `done with` says."""
    d = usable(state, s, step, filled_only=True)
    if d is not None and state.index.tools[d.tool].done:
        return d
    return None


def lapsed(state: State, s: StepState, undo: Undo) -> bool:
    """True when an undo's window is over by either clock, less a margin of 1 % or 60 s."""
    if undo.within is None or s.do.first_wall == 0:
        return False
    return expired(state, s, undo.within)


def expired(state: State, s: StepState, length: int) -> bool:
    """True when a guarantee that began with the first attempt is over by either clock.

    A margin is taken off: the smaller of 60 s and 1 %, so that a short guarantee keeps meaning.
    """
    left = length - min(60_000, length // 100)
    wall = state.wall_time - s.do.first_wall
    return wall >= left or state.elapsed - s.do.first_elapsed >= left


def repeatable(state: State, s: StepState, tool: Tool) -> bool:
    """True when repeating the action cannot do it twice: naturally, or by a living key."""
    if tool.idempotent is None:
        return False
    if tool.idempotent.by == "naturally" or tool.idempotent.lifetime is None:
        return True
    return s.do.first_wall == 0 or not expired(state, s, tool.idempotent.lifetime)


argument_digest = digest
"""Gives the digest of arguments that is stored beside the key."""


def own_answer(step: Step, consumer: Step) -> bool:
    """True when the read that a step expects unchanged is the very call of its `since`."""
    expecting = consumer.expecting
    if expecting is None or expecting.tool != step.tool:
        return False
    mine = {a.name: a.value.tree for a in step.args}
    return mine == {a.name: a.value.tree for a in expecting.args}


def baseline_args(state: State, s: StepState, consumer: Step) -> dict[str, Any] | None:
    """Gives what a later step's drift check is read with directly after this one.

    None when that is not known here, as with an item of a loop to come: the check then finds that
    nothing says how it was.
    """
    if consumer.expecting is None:
        return None
    try:
        return {a.name: value_of(state, s.frame, a.value) for a in consumer.expecting.args}
    except Failed:
        return None


def lacks_value(s: StepState) -> bool:
    """True when nothing has said what a call gave that owes a value."""
    return s.result is None and s.site.tool.result.kind not in ("optional", "json", "none")


Known = Callable[[], Mapping[str, Any]]
"""Gives the names that a clause may read; only when it is read."""


def compensating_verify(
    state: State, s: StepState, step: Step, d: Descriptor
) -> tuple[Verify, Known, bool] | None:
    """Gives how an undo is checked: the verify, its names, and whether *absent* means undone.

    The undo's own verify comes first (one that names remembered values is not used), then the
    action's, with the action's names.
    """
    undo = step.undos[d.ordinal]
    tool = state.index.tools[d.tool]
    if undo.verify is not None:
        return undo.verify, partial(_undo_names, state, s), False
    if tool.verify is not None:
        remembered = {r.name for r in tool.remember}
        if not remembered or not (remembered & _verify_names(tool.verify)):
            return tool.verify, partial(_own_names, state, s, d), False
    if step.verify is not None:
        return step.verify, partial(verify_names, state, s), True
    return None


def check_by_hand(state: State, s: StepState) -> tuple[Verify, Known, bool] | None:
    """Gives how a person's word is checked that a step was undone by hand; None: it is taken."""
    step = s.site.step
    if s.frame.undo_of:
        return None
    if s.descriptors and s.undo is not None and s.undo.number:
        return compensating_verify(state, s, step, s.descriptors[s.undo_ordinal])
    return None if step.verify is None else (step.verify, partial(verify_names, state, s), True)


def verify_names(state: State, s: StepState) -> Mapping[str, Any]:
    """Gives the names that the verify of a step may read."""
    return call_names(state, s, "verify" in s.site.step.replaces)


def _undo_names(state: State, s: StepState) -> Mapping[str, Any]:
    known = call_names(state, s, "undo" in s.site.step.replaces)
    known["result"] = decode(s.result)
    return known


def _own_names(state: State, s: StepState, d: Descriptor) -> Mapping[str, Any]:
    return {**ready_args(state, d), "key": s.undo.key if s.undo else ""}


def _verify_names(verify: Verify) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for argument in verify.args:
        found |= names(argument.value.tree)
    for verdict in verify.verdicts:
        found |= names(verdict.when.tree)
    return found


def _wire(tree: Node) -> Any:
    if isinstance(tree, Literal):
        return {"op": "literal", "value": tree.value}
    return msgspec.to_builtins(tree)


def _filled(state: State, wire: Any, result: Any) -> Any:
    if wire["op"] == "literal":
        return wire
    tree = state.index.hole_trees.get(id(wire))
    if tree is not None:
        return {
            "op": "literal",
            "value": encode(evaluate(tree, {"result": result}, state.index.schema)),
        }
    return _wire(bind(msgspec.convert(wire, Node), {"result": result}, state.index.schema))


def _bound(state: State, tree: Node, known: Mapping[str, Any], wires: Mapping[str, Any]) -> Any:
    # Names whose stored form is at hand, and parts of the result to come, are most of all.
    if type(tree) is Name and tree.name in wires:
        return {"op": "literal", "value": wires[tree.name]}
    hole = state.index.holes.get(id(tree))
    if hole is not None:
        return hole
    return _wire(bind(tree, known, state.index.schema))
