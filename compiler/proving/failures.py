"""What can fail and how, and what cannot be taken back: `fallible` and `pivot` of the language.

A failure is told as a person would see it happen, in one clause. Nothing else judges what can fail:
`saga plan` is given it (`points`), and `runtime.leading` only leads a plan there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from functools import partial

from ...runtime.formula import Apply, Formula, ListOf, Literal, Name, Node as Tree, Text
from ...runtime.plan import (
    AgentCall,
    Each,
    First,
    Gate,
    If,
    Let,
    Next,
    Node,
    OnFailure,
    Repeat,
    Requires,
    Return,
    SagaCall,
    Scope,
    Step,
    Tool,
    Wait,
)
from .durations import shown
from .items import exceeds
from .layout import Layout
from .partial import Types
from .spots import Frame, Spot, catch
from .tables import Tables

LONGEST = 60
"""Most characters of an expression that a message quotes."""


def pivot(step: Step, tool: Tool) -> bool:
    """True for a step with an irreversible effect that is not accepted."""
    return tool.irreversible and step.accepted is None


def certain(step: Step) -> bool:
    """True for a step that has landed when it has settled."""
    return step.when is None and step.on_failure != "continue"


def fallible(tables: Tables, spot: Spot) -> str | None:
    """Tells how a statement itself can fail what catches it; None when it cannot.

    An outcome that stays unknown, drift and conflict are not failures: people are asked. What holds
    others stands for what it computes itself; its closing spot for what they have come to. What
    runs on rollback fails nothing.
    """
    if spot.frame.aftermath or means(spot.node) != "rollback":
        return None
    return refusal(tables, spot)


def possible(layout: Layout, found: Mapping[int, str], lapsing: Set[Frame]) -> Mapping[int, str]:
    """Leaves out of what can fail what never comes to it, given by index with how it fails.

    The else of a scope in which nothing fails is never run, and of items that cannot fail never too
    many do. In `lapsing` a deadline may be over. Takes time linear in the plan (times its depth).
    """
    left = dict(found)
    failing: dict[Frame, set[int]] = {}
    for index in found:
        failing.setdefault(catch(layout.moments[index].frame), set()).add(index)
    for (_, side), frame in sorted(layout.frames.items(), key=lambda each: -each[1].start):
        owner = frame.owner
        if owner is None or side == 1 or failing.get(frame) or frame in lapsing:
            continue
        never: Iterable[int] = ()
        match owner.node:
            case Each(tolerate=tolerate) if tolerate:
                closing = layout.closing(owner)
                never = () if closing is None else (closing.index,)
            case Scope(otherwise=otherwise) if otherwise is not None:
                never = range(frame.stop, owner.stop)
            case _:
                pass
        for index in never:
            if left.pop(index, None) is not None:
                failing[catch(layout.moments[index].frame)].discard(index)
    return left


def unreached(layout: Layout, failures: Mapping[int, str], lapsing: Set[Frame]) -> frozenset[Frame]:
    """Gives the bodies that never run: each else of a scope in whose body nothing can fail.

    `failures` are those that are `possible`. Takes time linear in the plan (times its depth).
    """
    failing = {catch(layout.moments[index].frame) for index in failures}
    return frozenset(
        layout.frames[index, 1]
        for (index, side), frame in layout.frames.items()
        if side == 0 and frame.owner is not None and isinstance(frame.owner.node, Scope)
        if frame.owner.node.otherwise is not None
        if frame not in failing and frame not in lapsing
    )


def refusal(tables: Tables, spot: Spot) -> str | None:
    """Tells how a statement itself can fail, whatever its `else` says; None when it cannot."""
    return _closing(spot.node) if spot.closing else next(_reasons(tables, spot), None)


def means(node: Node) -> OnFailure:
    """Gives what the failure of a statement itself means to what is around it."""
    match node:
        case Step(on_failure=policy) | SagaCall(on_failure=policy) | AgentCall(on_failure=policy):
            return policy
        case Wait(otherwise=policy):
            return policy
        case _:
            return "rollback"


def _closing(node: Node) -> str | None:
    match node:
        case First(name=name):
            return f"every item of `{name}` fails"
        case Each() if exceeds(node):
            return too_many(node)
        case Repeat(name=name, limit=limit):
            return f"`{name}` is not over after {limit} rounds"
        case AgentCall(name=name):
            return f"`{name}` gives up"
        case _:
            return None


def too_many(loop: Each, besides: str = "") -> str:
    """Tells that more items of a loop fail than it tolerates; `besides` is "other" for others."""
    other = f"{besides} " if besides else ""
    if loop.tolerate == 1:
        return f"more than one {other}item of `{loop.name}` fails"
    return f"more than {loop.tolerate} {other}items of `{loop.name}` fail"


def _reasons(tables: Tables, spot: Spot) -> Iterator[str]:
    types, node = tables.types(spot), spot.node
    computed = partial(_computed, tables, types)
    match node:
        case Step():
            yield from _step(tables, types, node)
        case AgentCall(name=name):
            for condition in tables.agents[node.agent].requires:
                yield f"`{name}` is refused ({_said(condition.otherwise, condition.test)})"
            yield from _called(tables, types, node)
        case SagaCall():
            yield from _called(tables, types, node)
        case Gate(name=name):
            yield f"`{name}` is rejected"
        case Wait(name=name, within=within) if within is not None:
            yield f"`{name}` does not come within {shown(within)}"
        case Requires(test=test):
            yield f"`requires {quoted(test)}` does not hold"
        case Let(name=name, value=value):
            yield from computed(value, f"`{name}`")
        case Return(value=value):
            yield from computed(value, "what is returned")
        case Next(value=value):
            yield from computed(value, "what is next")
        case If(condition=condition):
            yield from computed(condition, f"`if {quoted(condition)}`")
        case Each(items=items) | First(items=items):
            yield from computed(items, f"`{quoted(items)}` of `{node.name}`")
            if node.by is not None:
                inner = tables.inner(spot)
                yield from _computed(tables, inner, node.by, f"the key of an item of `{node.name}`")
            if not distinct_keys(node):
                yield f"two items of `{node.name}` have the same key"
        case Repeat(name=name, start=start):
            yield from computed(start, f"what `{name}` begins with")
        case _:
            pass


def distinct_keys(loop: Each | First) -> bool:
    """True when no list can give two items of a loop one key.

    The index does, the items of `unique` `keys` `range` themselves, and literals that differ.
    Anything else comes from data, which may hold a thing twice.
    """
    return loop.by is None or (loop.by.tree == Name(loop.variable) and _distinct(loop.items.tree))


def _distinct(tree: Tree) -> bool:
    match tree:
        case Apply(function="unique" | "keys" | "range"):
            return True
        case Apply(function="sorted", args=(of,)):
            return _distinct(of)
        case ListOf(items=items):
            values = [repr(item.value) for item in items if isinstance(item, Literal)]
            return len(set(values)) == len(items)
        case _:
            return False


def _step(tables: Tables, types: Types, step: Step) -> Iterator[str]:
    tool = tables.tools[step.tool]
    name = f"`{step.name}`"
    if tool.fails:
        yield f"{name} is refused ({tool.fails[0]})"
    for condition in tool.requires:
        yield f"{name} is refused ({_said(condition.otherwise, condition.test)})"
    for each in tool.remember:
        if each.otherwise is not None:
            yield f"{name} is refused ({_said(each.otherwise, each.otherwise)})"
        reader = tables.tools[each.tool]
        if reader.retry.attempts is not None:
            yield f"`{each.tool}` cannot be read for {name}"
    if step.until is not None and step.until.otherwise == "rollback":
        yield f"{name} does not come true within {shown(step.until.within)}"
    if step.retry.attempts is not None:
        tries = step.retry.attempts
        yield f"{name} fails {'its only attempt' if tries == 1 else f'all {tries} attempts'}"
    yield from _called(tables, types, step)


def _called(tables: Tables, types: Types, call: Step | SagaCall | AgentCall) -> Iterator[str]:
    given = [argument.value for argument in call.args]
    for formula in given if call.when is None else (call.when, *given):
        yield from _computed(tables, types, formula, f"`{quoted(formula)}` of `{call.name}`")


def _computed(tables: Tables, types: Types, formula: Formula, what: str) -> Iterator[str]:
    reason = tables.partial(formula, types)
    if reason is not None:
        yield f"{what} cannot be computed ({reason})"


def _said(words: Formula | None, test: Formula) -> str:
    match words.tree if words is not None else None:
        case Literal(value=str(text)):
            return text
        case Text(parts=parts):
            return "".join(str(p.value) if isinstance(p, Literal) else "…" for p in parts)
        case _:
            return f"`{quoted(test)}` does not hold"


def quoted(formula: Formula) -> str:
    """Gives an expression's own text on one line, cut when it is long."""
    line = " ".join(formula.source.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
