"""What two versions of a statement or tool can differ in, and how much that matters to a live run.

*past*: what has been called would have been called otherwise, or decided otherwise. *call*: a call
that is on its way would be repeated or settled otherwise; one that is over is as it was. *logged*:
the run keeps what it wrote down with the call, whatever a definition says later. *free*: what is
still to come is done as the new definition says, whatever came before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal as OneOf, NamedTuple

from msgspec.structs import replace

from . import wording
from .catalogue import Agent, Tool
from .meaning import meaning
from .plan import (
    AgentCall,
    Checkpoint,
    Each,
    First,
    Gate,
    If,
    Let,
    Next,
    Node,
    Parallel,
    Repeat,
    Requires,
    Return,
    SagaCall,
    Scope,
    Sleep,
    Step,
    Wait,
)

Weight = OneOf["past", "call", "logged", "free"]


class Aspect(NamedTuple):
    """One thing that is said: the attribute, what people call it, its weight, how it is spelled."""

    attribute: str
    name: str
    weight: Weight
    spelled: Callable[[Any], str] = str


class Change(NamedTuple):
    """One thing that is said otherwise, and how it is spelled in both."""

    name: str
    weight: Weight
    old: str
    new: str


def _time(length: int | None) -> str:
    return "none" if length is None else wording.duration(length)


def _several(spelled: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda parts: "; ".join(map(spelled, parts)) or "none"


def _correctives(effects: Any) -> str:
    found = (wording.corrective(one.corrective) for one in effects if one.corrective)
    return "; ".join(found) or "none"


def _names(names: Any) -> str:
    return ", ".join(names) or "none"


def _otherwise(body: Any) -> str:
    return "no" if body is None else "yes"


def _until(until: Any) -> str:
    if until is None:
        return "no"
    return f"{until.test.source} every {_time(until.every)} within {_time(until.within)}"


def _expecting(what: Any) -> str:
    if what is None:
        return "no"
    read = ".".join((wording.call(what.tool, what.args), *what.field))
    return f"{read} unchanged since {what.since}"


_GOVERNED = (
    Aspect("on_failure", "else", "free"),
    Aspect("timeout", "timeout", "free", _time),
    Aspect("settle", "settle", "free", _time),
    Aspect("retry", "retry", "free", wording.retry),
)
_STEP = (
    Aspect("tool", "tool", "past"),
    Aspect("args", "arguments", "past", wording.arguments),
    Aspect("type", "type of the value", "past"),
    Aspect("when", "when", "past", wording.formula),
    Aspect("until", "until", "past", _until),
    Aspect("expecting", "expecting", "past", _expecting),
    Aspect("accepted", "accept irreversible", "free", wording.formula),
    Aspect("agent", "as", "free"),
    *_GOVERNED,
    Aspect("verify", "verify", "call", wording.verify),
    Aspect("undos", "undo", "logged", wording.undos),
)
_LOOP = (
    Aspect("items", "list", "past", wording.formula),
    Aspect("by", "by", "past", wording.formula),
    Aspect("item", "type of an item", "past"),
    Aspect("type", "type of the value", "past"),
)
_WAITED = (Aspect("within", "within", "free", _time), Aspect("otherwise", "else", "free"))

_STATEMENTS: dict[type[Any], tuple[Aspect, ...]] = {
    Step: _STEP,
    Let: (Aspect("value", "value", "past", wording.formula),),
    Requires: (
        Aspect("test", "condition", "past", wording.formula),
        Aspect("otherwise", "else", "free", wording.formula),
    ),
    If: (Aspect("condition", "condition", "past", wording.formula),),
    Parallel: (),
    Checkpoint: (),
    Gate: (
        Aspect("needs", "how many", "past"),
        Aspect("group", "group", "past"),
        Aspect("shows", "shows", "past", wording.arguments),
        Aspect("including_initiator", "including initiator", "past"),
        Aspect("when", "when", "past", wording.formula),
        *_WAITED,
    ),
    Return: (Aspect("value", "value", "past", wording.formula),),
    Each: (
        *_LOOP,
        Aspect("at_once", "at once", "free"),
        Aspect("undo_at_once", "undo at once", "free"),
        Aspect("tolerate", "tolerate", "free"),
    ),
    First: _LOOP,
    Repeat: (
        Aspect("start", "from", "past", wording.formula),
        Aspect("item", "type of an item", "past"),
        Aspect("type", "type of the value", "past"),
        Aspect("limit", "at most", "free"),
    ),
    Next: (Aspect("value", "value", "past", wording.formula),),
    Scope: (Aspect("otherwise", "else", "free", _otherwise),),
    Wait: (Aspect("type", "type of the value", "past"), *_WAITED),
    Sleep: (Aspect("length", "length", "free", _time),),
    SagaCall: (
        Aspect("saga", "saga", "past"),
        Aspect("args", "arguments", "past", wording.arguments),
        Aspect("parameters", "inputs", "past", wording.parameters),
        Aspect("type", "type of the value", "past"),
        Aspect("when", "when", "past", wording.formula),
        Aspect("agent", "as", "free"),
        Aspect("on_failure", "else", "free"),
        Aspect("undos", "undo", "logged", wording.undos),
        Aspect("deadline", "deadline", "free", _time),
    ),
    AgentCall: (
        Aspect("agent", "agent", "past"),
        Aspect("args", "arguments", "past", wording.arguments),
        Aspect("type", "type of the value", "past"),
        Aspect("when", "when", "past", wording.formula),
        Aspect("acts_as", "as", "free"),
        *_GOVERNED,
    ),
}
_CALLED = (
    Aspect("parameters", "parameters", "call", wording.parameters),
    Aspect("result", "result", "past"),
    Aspect("call", "call", "call", wording.binding),
    Aspect("fails", "fails with", "free", _names),
    Aspect("transient", "transient with", "free", _names),
    Aspect("retry", "retry", "free", wording.retry),
    Aspect("timeout", "timeout", "free", _time),
    Aspect("settle", "settle", "free", _time),
    Aspect("requires", "requires", "free", _several(wording.condition)),
    Aspect("ensures", "ensures", "free", _several(wording.condition)),
    Aspect("service", "service", "free"),
    Aspect("runbook", "runbook", "free"),
)
_TOOL = (
    Aspect("effects", "effect", "past", _several(wording.effect)),
    *_CALLED,
    Aspect("done", "done with", "free", _names),
    Aspect("idempotent", "idempotent", "call", wording.idempotence),
    Aspect("verify", "verify", "call", wording.verify),
    Aspect("verify_always", "verify always", "free"),
    Aspect("escalate_unknown", "on unknown escalate", "free"),
    Aspect("accept_evidence", "accept evidence", "free", wording.accepted),
    Aspect("undos", "undo", "logged", wording.undos),
    Aspect("commutes", "commutes", "free"),
    Aspect("commutes_with", "commutes with", "free", _names),
    Aspect("between_runs", "between runs", "free"),
    Aspect("remember", "remember", "logged", _several(wording.remember)),
    Aspect("evidence", "evidence", "call", _several(wording.evidence)),
    Aspect("reads", "reads", "free", _several(wording.resource)),
)
_AGENT = (
    *_CALLED,
    Aspect("uses", "may use", "call", wording.uses),
    Aspect("at_most", "at most", "free"),
)


def of_statement(old: Node, new: Node) -> list[Change]:
    """Gives what two versions of a statement say otherwise, their bodies left aside.

    What a step takes over from its tool is a matter of the tool.
    """
    if type(old) is not type(new):
        return [Change("kind", "past", _kind(old), _kind(new))]
    aspects = _STATEMENTS[type(old)]
    if isinstance(old, Step) and isinstance(new, Step):
        own = {*old.replaces, *new.replaces}
        taken = {"timeout", "retry", "verify", "undo"} - own
        hidden = {"undos" if name == "undo" else name for name in taken}
        hidden |= {"settle"} if "timeout" in taken else set()
        aspects = tuple(one for one in aspects if one.attribute not in hidden)
    found = _compared(old, new, aspects)
    # The statements of an `else` are compared by themselves.
    return [one for one in found if not (isinstance(old, Scope) and one.old == one.new)]


def of_tool(old: Tool, new: Tool) -> list[Change]:
    """Gives what two versions of a tool say otherwise."""
    # A corrective is as much a matter of the log as an undo; the effect is not.
    bare = [tuple(replace(e, corrective=None) for e in tool.effects) for tool in (old, new)]
    changes: list[Change] = []
    if meaning(bare[0]) == meaning(bare[1]) and meaning(old.effects) != meaning(new.effects):
        said = (_correctives(old.effects), _correctives(new.effects))
        changes.append(Change("corrective", "logged", *said))
    plain = (replace(old, effects=bare[0]), replace(new, effects=bare[1]))
    return [*_compared(*plain, _TOOL), *changes]


def of_agent(old: Agent, new: Agent) -> list[Change]:
    """Gives what two versions of an agent say otherwise."""
    return _compared(old, new, _AGENT)


def _compared(old: Any, new: Any, aspects: tuple[Aspect, ...]) -> list[Change]:
    found: list[Change] = []
    for attribute, name, weight, spelled in aspects:
        was, now = getattr(old, attribute), getattr(new, attribute)
        if meaning(was) != meaning(now):
            found.append(Change(name, weight, spelled(was), spelled(now)))
    return found


def _kind(statement: Node) -> str:
    tag = statement.__struct_config__.tag
    return str(tag)
