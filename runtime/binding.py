"""Partial evaluation: what an undo needs is computed as soon as it is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import formula as f
from .arithmetic import Failed
from .evaluation import STARTED_AT, Evaluation, literal
from .functions import items, truth
from .shapes import Schema
from .values import Unstorable, encode


class Known:
    """A part whose value is known already; it is written down only when it stays."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


Part = Known | f.Node


def closed(part: Part) -> f.Node:
    """Gives a part as a node. Raises `Failed` when its value cannot be written down."""
    if not isinstance(part, Known):
        return part
    try:
        return f.Literal(encode(part.value))
    except Unstorable as fault:
        raise Failed(f"a value of the expression cannot be stored: {fault}") from fault


class Binding:
    """One partial evaluation.

    `certain` is true for a part that every evaluation needs: it must be computable. What fails
    elsewhere stays as it is, for it may never be reached.
    """

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def part(self, tree: f.Node, names: Mapping[str, object], certain: bool) -> Part:
        """Gives what a node is under the names that are known."""
        # Chains of exact classes, as in an evaluation: every step binds its undos.
        if type(tree) is f.Literal:
            return Known(literal(tree.value))
        if type(tree) is f.Name:
            return Known(names[tree.name]) if tree.name in names else tree
        if type(tree) is f.Field:
            of = self.part(tree.of, names, certain)
            if of is tree.of:
                return tree
            return self._whole(tree, [of], certain)
        if type(tree) is f.Logic:
            return self._logic(tree, names, certain)
        if type(tree) is f.Choice:
            return self._choice(tree, names, certain)
        if type(tree) is f.Comprehension:
            return self._loop(tree, names, certain)
        if type(tree) is f.Apply and tree.function == "started_at":
            return Known(names[STARTED_AT]) if STARTED_AT in names else tree
        parts = [self.part(part, names, certain) for part in f.children(tree)]
        return self._whole(tree, parts, certain)

    def _whole(self, tree: f.Node, parts: list[Part], certain: bool) -> Part:
        values = [part.value for part in parts if isinstance(part, Known)]
        if len(values) < len(parts):
            return _rebuilt(tree, parts)
        return self._folded(
            lambda evaluation: evaluation.given(tree, values),
            lambda: _rebuilt(tree, parts),
            certain,
        )

    def _folded(
        self, compute: Callable[[Evaluation], Any], keep: Callable[[], f.Node], certain: bool
    ) -> Part:
        try:
            return Known(compute(Evaluation(self.schema)))
        except Failed:
            if certain:
                raise
            return keep()

    def _logic(self, tree: f.Logic, names: Mapping[str, object], certain: bool) -> Part:
        left = self.part(tree.left, names, certain)
        decisive = tree.operator == "or"
        if isinstance(left, Known):
            if left.value is decisive:
                return left
            if certain:
                truth(left.value)
        needed = certain and isinstance(left, Known)
        right = self.part(tree.right, names, needed)
        if isinstance(left, Known) and isinstance(right, Known):
            if type(left.value) is type(right.value) is bool:
                return right
            if needed:
                truth(right.value)
        return f.Logic(tree.operator, closed(left), closed(right))

    def _choice(self, tree: f.Choice, names: Mapping[str, object], certain: bool) -> Part:
        condition = self.part(tree.condition, names, certain)
        if isinstance(condition, Known):
            if type(condition.value) is bool:
                chosen = tree.then if condition.value else tree.otherwise
                return self.part(chosen, names, certain)
            if certain:
                truth(condition.value)
        then = self.part(tree.then, names, certain=False)
        otherwise = self.part(tree.otherwise, names, certain=False)
        return f.Choice(closed(condition), closed(then), closed(otherwise))

    def _loop(self, tree: f.Comprehension, names: Mapping[str, object], certain: bool) -> Part:
        over = self.part(tree.of, names, certain)
        used = _inside(tree)
        inner = {name: names[name] for name in used - {tree.name} if name in names}

        def kept() -> f.Node:
            value = closed(self.part(tree.value, inner, certain=False))
            condition = tree.condition
            if condition is not None:
                condition = closed(self.part(condition, inner, certain=False))
            return f.Comprehension(value, tree.name, closed(over), condition)

        if not isinstance(over, Known):
            return kept()
        if certain:
            items(over.value)
        if used - {tree.name} - inner.keys():
            return kept()
        return self._folded(lambda run: run.loop(tree, over.value, inner), kept, certain)


def needs(tree: f.Node) -> frozenset[str]:
    """Gives the names that an expression reads from its environment, the run's start included."""
    match tree:
        case f.Apply(function="started_at"):
            return frozenset((STARTED_AT,))
        case f.Name(name=name):
            return frozenset((name,))
        case f.Comprehension(name=name, of=of):
            return needs(of) | (_inside(tree) - {name})
        case _:
            return _NONE.union(*map(needs, f.children(tree)))


_NONE: frozenset[str] = frozenset()


def _inside(tree: f.Comprehension) -> frozenset[str]:
    return needs(tree.value) | (_NONE if tree.condition is None else needs(tree.condition))


def _rebuilt(tree: f.Node, parts: list[Part]) -> f.Node:
    nodes = tuple(map(closed, parts))
    match tree:
        case f.Field(name=name):
            return f.Field(nodes[0], name)
        case f.Index():
            return f.Index(nodes[0], nodes[1])
        case f.Unary(operator=operator):
            return f.Unary(operator, nodes[0])
        case f.Binary(operator=operator):
            return f.Binary(operator, nodes[0], nodes[1])
        case f.Compare(operator=comparison):
            return f.Compare(comparison, nodes[0], nodes[1])
        case f.ListOf():
            return f.ListOf(nodes)
        case f.MapOf(pairs=pairs):
            return f.MapOf(tuple((k, node) for (k, _), node in zip(pairs, nodes, strict=True)))
        case f.RecordOf(record=record, fields=fields):
            given = tuple((k, node) for (k, _), node in zip(fields, nodes, strict=True))
            return f.RecordOf(record, given)
        case f.Apply(function=function):
            return f.Apply(function, nodes)
        case f.Text():
            return f.Text(nodes)
        case _:
            raise TypeError(f"{type(tree).__name__} decides itself which of its parts it needs")
