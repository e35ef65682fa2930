"""Sagas that undos name lowered: their statements as what takes something back."""

from __future__ import annotations

from msgspec.structs import replace

from ...runtime import plan
from ..names.catalogue import Declared
from ..typing.annotations import Annotated
from .lowerstatements import Body
from .lowertools import documentation
from .toolbox import Toolbox


def undo_saga(annotated: Annotated, tools: Toolbox, declared: Declared) -> plan.UndoSaga:
    """Lowers a saga as an undo: what speaks for going forward, and for going back, is not in it."""
    name = declared.plan_name
    return plan.UndoSaga(
        name=name,
        parameters=annotated.parameters[name],
        body=_without_return(
            _taking_back(Body(annotated, tools, declared, f"undo {name}.").statements())
        ),
        at=annotated.places.place(declared.node.name.span),
        doc=documentation(declared.node),
    )


def _taking_back(body: tuple[plan.Node, ...]) -> tuple[plan.Node, ...]:
    return tuple(_node(node) for node in body)


def _node(node: plan.Node) -> plan.Node:
    match node:
        case plan.Step(replaces=replaces):
            kept = tuple(word for word in replaces if word != "undo")
            return replace(node, undos=(), replaces=kept)
        case plan.SagaCall(body=body):
            return replace(
                node, undos=(), on_rollback=(), deadline=None, guards=(), body=_taking_back(body)
            )
        case plan.If(then=then, otherwise=otherwise):
            return replace(node, then=_taking_back(then), otherwise=_taking_back(otherwise))
        case plan.Scope(body=body, otherwise=other):
            given = None if other is None else _taking_back(other)
            return replace(node, body=_taking_back(body), otherwise=given)
        case plan.Parallel(body=body) | plan.Each(body=body):
            return replace(node, body=_taking_back(body))
        case plan.First(body=body) | plan.Repeat(body=body):
            return replace(node, body=_taking_back(body))
        case _:
            return node


def _without_return(body: tuple[plan.Node, ...]) -> tuple[plan.Node, ...]:
    """Leaves out the value of the whole: nobody is there to whom an undo would give one."""
    found: list[plan.Node] = []
    for node in body:
        match node:
            case plan.Return():
                continue
            case plan.If(then=then, otherwise=otherwise):
                found.append(
                    replace(node, then=_without_return(then), otherwise=_without_return(otherwise))
                )
            case _:
                found.append(node)
    return tuple(found)
