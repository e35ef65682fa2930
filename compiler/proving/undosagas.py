"""Sagas as undos: what in them cannot be relied on when something is taken back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from msgspec import Struct

from ...runtime.formula import Formula, names
from ...runtime.plan import Node, Step, Undo, UndoSaga, statements
from .undos import in_force, of_calls
from .view import View


class Use(Struct, frozen=True):
    """A saga that is named as an undo: by which clause, and for the step at which path."""

    path: str
    undo: Undo
    saga: UndoSaga


def uses(view: View) -> Iterator[Use]:
    """Gives each saga that an undo of the plan names, with the first clause that does."""
    known = {saga.name: saga for saga in view.plan.undo_sagas}
    told: set[str] = set()
    of_steps = ((step.path, undo) for _, step, _, undo in in_force(view))
    calls = ((call.path, undo) for _, call, undo in of_calls(view))
    for path, undo in chain(of_steps, calls):
        if undo.tool in known and undo.tool not in told:
            told.add(undo.tool)
            yield Use(path, undo, known[undo.tool])


def local(saga: UndoSaga, node: Node) -> str:
    """Gives the path of a statement within the saga, as its file has it."""
    return node.path.removeprefix(f"undo {saga.name}.")


def read_answers(view: View, saga: UndoSaga) -> Iterator[tuple[Node, Step]]:
    """Gives each statement that reads what an undo may not have given, with that undo.

    A lost answer is found out by the call's verify, or by the same call again. What the service
    calls done already has given nothing, unless a verify tells it.
    """
    calls = [
        node
        for node in statements(saga.body)
        if isinstance(node, Step) and _may_give_nothing(view, node)
    ]
    by_name: dict[str, list[Step]] = {}
    for call in calls:
        by_name.setdefault(call.name, []).append(call)
    for node in statements(saga.body):
        for name in sorted(_names(node)):
            for call in by_name.get(name, ()):
                if node.path.startswith(call.path.removesuffix(name)):
                    yield node, call


def _may_give_nothing(view: View, call: Step) -> bool:
    tool = view.tools[call.tool]
    # A verify that names remembered values is not asked of an undo: it remembers nothing.
    asked = call.verify is not None and not tool.remember
    return bool(tool.done) and not asked


def _names(node: Node) -> frozenset[str]:
    """Gives the names that a statement's own expressions read."""
    found: frozenset[str] = frozenset()
    for field in node.__struct_fields__:
        value = getattr(node, field)
        if isinstance(value, Formula):
            found |= names(value.tree)
    for argument in getattr(node, "args", ()):
        found |= names(argument.value.tree)
    return found
