"""Resources that the statements of a saga touch and read, and which of them may be the same."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from ...runtime.formula import Formula, Literal, Name, Node, Place
from ...runtime.plan import AgentCall, Step, Tool
from .failures import LONGEST
from .identity import Identity, Sameness
from .spots import Spot
from .view import View


class Use(Struct, frozen=True):
    """One kind of resource that a statement touches, or only reads, through a tool.

    `ids` identify it, written as `Identity` does; without any it is every resource of the kind.
    """

    spot: Spot
    tool: Tool
    kind: str
    ids: tuple[Node, ...]
    touches: bool
    at: Place
    formulas: tuple[Formula, ...] = ()


def uses(view: View, identity: Identity) -> Iterator[Use]:
    """Gives what each statement touches and reads, in the order written.

    An undo touches what its action does; what it touches beyond that is known by its arguments. An
    agent may touch any resource of its tools' kinds.
    """
    for spot in view.graph.spots:
        if spot.frame.aftermath:
            continue
        match spot.node:
            case Step() as step:
                yield from _of_step(view, identity, spot, step)
            case AgentCall(agent=name):
                for each in view.agents[name].uses:
                    tool = view.tools[each.tool]
                    for effect in tool.effects:
                        any_ = (Name(f"#{spot.path}#{effect.kind}"),)
                        yield Use(spot, tool, effect.kind, any_, True, effect.at)
            case _:
                pass


def _of_step(view: View, identity: Identity, spot: Spot, step: Step) -> Iterator[Use]:
    tool = view.tools[step.tool]
    given = {argument.name: argument.value.tree for argument in step.args}

    def ids(formulas: tuple[Formula, ...]) -> tuple[Node, ...]:
        return tuple(identity.given(each.tree, spot, given) for each in formulas)

    for effect in tool.effects:
        yield Use(spot, tool, effect.kind, ids(effect.ids), True, effect.at, effect.ids)
    known = {effect.kind for effect in tool.effects}
    for reading in tool.reads:
        if reading.kind not in known:
            yield Use(spot, tool, reading.kind, ids(reading.ids), False, reading.at, reading.ids)
    for undo in step.undos:
        by = view.tools[undo.tool]
        for effect in by.effects:
            if effect.kind not in known:
                known.add(effect.kind)
                any_ = (Name(f"#{spot.path}#{effect.kind}"),)
                yield Use(spot, tool, effect.kind, any_, True, effect.at)


def commute(one: Tool, other: Tool) -> bool:
    """True when two tools may be called in any order on one resource."""
    if one.name == other.name:
        return one.commutes
    return other.name in one.commutes_with or one.name in other.commutes_with


def clash(one: Use, other: Use) -> bool:
    """True when the order of two uses of one resource matters."""
    return (one.touches or other.touches) and not commute(one.tool, other.tool)


def same(identity: Identity, one: tuple[Node, ...], other: tuple[Node, ...]) -> Sameness:
    """Tells whether two resources of one kind are the same; a whole kind holds each of it."""
    if not one or not other:
        return "equal"
    return _all([identity.same(*pair) for pair in zip(one, other, strict=False)])


def across(
    identity: Identity, loop: Spot, one: tuple[Node, ...], other: tuple[Node, ...]
) -> Sameness:
    """Tells whether two resources of different items of a loop are the same."""
    if not one or not other:
        return "equal"
    return _all([identity.across(loop, *pair) for pair in zip(one, other, strict=False)])


def apart(identity: Identity, ids: tuple[Node, ...]) -> bool:
    """True for ids that are distinct from all others like them: constants, and what calls made."""
    constant = all(isinstance(each, Literal) for each in ids)
    return bool(ids) and (constant or all(identity.maker(each) for each in ids))


def _all(parts: list[Sameness]) -> Sameness:
    if "distinct" in parts:
        return "distinct"
    return "may be" if "may be" in parts else "equal"


def shown(use: Use) -> str:
    """Writes a resource in the words of its statement: `stock(item.sku)`."""
    step = use.spot.node
    given = {each.name: each.value.source for each in getattr(step, "args", ())}
    parts = [
        given.get(each.tree.name, each.source) if isinstance(each.tree, Name) else each.source
        for each in use.formulas
    ]
    text = ", ".join(" ".join(part.split()) for part in parts)
    return f"{use.kind}({text})" if text and len(text) <= LONGEST else use.kind
