"""The values in scenarios typed: inputs, mocks, signals, keys of items, what is expected."""

from __future__ import annotations

from collections.abc import Mapping

from ...dsl.diagnostics import replacement
from ...dsl.nodes import (
    Each,
    ExpectReadiness,
    ExpectResult,
    First,
    Given,
    ItemKey,
    Mock,
    MockCall,
    Name,
    PathSegment,
    Saga,
    Signal,
    Step,
    Wait,
    of,
)
from ...runtime.formula import Type
from ..names.catalogue import Declared, near, spelled
from ..names.scenarionames import Cast, paths
from ..names.scenariopaths import Loop, Spot, listed
from .environment import Environment
from .inference import T303
from .interfaces import T302
from .mismatch import Role
from .secrecy import in_file
from .tooltypes import Clauses
from .types import DECIMAL, INT, UNKNOWN, holds_secret

NOWHERE = Environment(written=True)


def scenario(clauses: Clauses, by_module: Mapping[str, Clauses], cast: Cast) -> None:
    """Types one scenario; `by_module` has what is known of the files whose statements it names."""
    saga = cast.saga
    if saga is None:
        return
    given: dict[str, Given] = {}
    for item in cast.node.items:
        for path in paths(item):
            spot = cast.spots.get(id(path))
            if spot is not None:
                for segment, loop, module in spot.keys:
                    _key(clauses, by_module[module], segment, loop)
        match item:
            case Given():
                _given(clauses, saga, cast, item, given)
            case Mock(path=path, value=value):
                _mock(clauses, cast.spots.get(id(path)), item)
            case MockCall(path=path, call=call):
                spot = cast.spots.get(id(path))
                agent = None if spot is None else spot.callee(clauses.catalogue)
                acts = agent is not None and agent.noun == "agent"
                tool = listed(clauses.catalogue, agent, item) if agent and acts else None
                clauses.call_of(tool, call, NOWHERE)
            case Signal(wait=path, value=value):
                spot = cast.spots.get(id(path))
                if spot is not None and isinstance(spot.statement, Wait):
                    wanted = clauses.catalogue.type(spot.module, spot.statement.type)
                    role = Role(f"The signal {spelled(spot.statement.name)}", spot.statement.span)
                    clauses.value(value, NOWHERE, wanted, role)
            case ExpectReadiness(least=value):
                clauses.value(value, NOWHERE, DECIMAL, Role("The readiness expected"))
            case ExpectResult(value=value):
                assert isinstance(saga.node, Saga)
                declared = saga.node.result.span if saga.node.result else saga.node.name.span
                role = Role(f"What {spelled(saga.node.name)} returns", declared)
                clauses.value(value, NOWHERE, clauses.interfaces.result(saga), role)
            case _:
                pass
    _missing(clauses, saga, cast, given)


def _given(
    clauses: Clauses, saga: Declared, cast: Cast, item: Given, given: dict[str, Given]
) -> None:
    inputs = {one.name.text: one for one in clauses.interfaces.inputs(saga)}
    one = inputs.get(item.name.text)
    if one is None:
        _no_input(clauses, saga, cast, item.name)
        clauses.inference.typed(item.value, NOWHERE)
        return
    earlier = given.setdefault(item.name.text, item)
    if earlier is not item:
        clauses.inference.report(
            T303(
                f"The input {spelled(item.name)} is given twice.",
                item.name.span,
                "the second time",
                also=[(earlier.name.span, "first here")],
            )
        )
    if holds_secret(one.type):
        clauses.inference.report(in_file(item.name, one.type, item.value.span, one.node.span))
        return
    role = Role(f"The input {spelled(item.name)}", one.node.span)
    clauses.value(item.value, NOWHERE, one.type, role)


def _no_input(clauses: Clauses, saga: Declared, cast: Cast, name: Name) -> None:
    inputs = [one.name.text for one in clauses.interfaces.inputs(saga)]
    taken = {each.name.text for each in of(cast.node.items, Given)}
    # What is given already was not meant: it would be given twice.
    guess = near(name.text, [each for each in inputs if each not in taken])
    listed = ", ".join(f"`{word}`" for word in inputs) or "none"
    clauses.inference.report(
        T303(
            f"{spelled(saga.node.name)} has no input {spelled(name)}.",
            name.span,
            "not known",
            also=[(saga.node.name.span, "declared here")],
            helps=[f"Did you mean `{guess}`?" if guess else f"Its inputs: {listed}."],
            fix=replacement("ask", name.span, guess) if guess else None,
        )
    )


def _missing(clauses: Clauses, saga: Declared, cast: Cast, given: Mapping[str, Given]) -> None:
    missing = [
        one.name
        for one in clauses.interfaces.inputs(saga)
        if one.name.text not in given and one.node.default is None and one.type.kind != "secret"
    ]
    if missing:
        listed = ", ".join(spelled(name) for name in missing)
        clauses.inference.report(
            T302(
                f'The scenario "{cast.node.title.value}" does not give {listed}.',
                cast.node.title.span,
                "not complete",
                also=[(name.span, "declared here") for name in missing],
                helps=[f"Add `given {name.text} = ...`." for name in missing],
            )
        )


def _mock(clauses: Clauses, spot: Spot | None, item: Mock) -> None:
    callee = None if spot is None else spot.callee(clauses.catalogue)
    wanted: Type | None = None
    role = Role("What a mock gives")
    if spot is not None and callee is not None and callee.noun in ("tool", "agent"):
        wanted = clauses.interfaces.result(callee)
        result = getattr(callee.node, "result", None)
        whose = spot.statement if spot.tool is None else spot.tool.node
        role = Role(f"What {spelled(whose.name)} gives", getattr(result, "span", None))
    clauses.value(item.value, NOWHERE, wanted, role)


def _key(clauses: Clauses, theirs: Clauses, segment: PathSegment, loop: Loop | Step) -> None:
    wanted: Type = INT
    role = Role(f"Without `by`, a key of {spelled(loop.name)} is a number from 0 on: it")
    if isinstance(loop, Each | First):
        for by in of(loop.clauses, ItemKey):
            made = theirs.formulas.get(id(by.key))
            wanted = UNKNOWN if made is None else made.type
            role = Role(f"The key of an item of {spelled(loop.name)}", by.span)
    if segment.key is not None:
        clauses.value(segment.key, NOWHERE, wanted, role)
