"""What must hold where a statement is called, and which conditions follow from it.

Names of a saga never change their value, so a condition that held once holds ever after. What is
compared is the shape of conditions: equal ones, `and`, `or`, `not`, and bounds of one expression,
over values, not over names: a called saga has names of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Literal as OneOf

from ...runtime.formula import (
    Apply,
    Binary,
    Compare,
    Formula,
    Literal,
    Logic,
    Name,
    Node,
    Unary,
)
from ...runtime.plan import AgentCall, Gate, If, SagaCall, Step
from .identity import Identity
from .spots import Spot
from .view import View

_Operator = OneOf["==", "!=", "<", "<=", ">", ">=", "in", "not in"]
_OPPOSITE: dict[_Operator, _Operator] = {
    "==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "in": "not in",
    "not in": "in",
}  # fmt: skip
_TURNED: dict[_Operator, _Operator] = {"<": ">", "<=": ">="}


class Conditions:
    """The conditions of one saga, written so that every name means one value (`Identity`).

    So a called saga's own names are told from its caller's, and what it is given is what the caller
    gives it.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self._facts: dict[int, tuple[Node, ...]] = {}

    @cached_property
    def identity(self) -> Identity:
        """Writes the conditions; made when the first one is asked for."""
        return Identity(self.view)

    def facts(self, at: Spot) -> tuple[Node, ...]:
        """Gives conditions that hold in every run that calls a step."""
        if at.index not in self._facts:
            self._facts[at.index] = tuple(self._found(at))
        return self._facts[at.index]

    def asks(self, spot: Spot, at: Spot) -> bool:
        """True for a gate that has asked and been answered yes in every run that calls a step.

        It is before that step. What is inside a loop that is over belongs to other items of it.
        """
        gate = spot.node
        if not isinstance(gate, Gate) or not _same_items(spot, at):
            return False
        known = self.facts(at)
        if gate.when is not None and not follows(self._written(gate.when, spot), known):
            return False
        # One that lapsed gives none, and a rejection does not go on.
        name = self.identity.written(Name(gate.name), spot)
        return gate.otherwise != "continue" or follows(Compare("!=", name, Literal(None)), known)

    def _found(self, at: Spot) -> Iterator[Node]:
        for spot in (at, *at.around()):
            node = spot.node
            if isinstance(node, Step | AgentCall | SagaCall) and node.when is not None:
                yield self._written(node.when, spot)
        for choice, branch in at.branches:
            if isinstance(choice.node, If):
                yield _plain(self._written(choice.node.condition, choice), branch == 0)
        for spot, required in self.view.requires:
            if _same_items(spot, at) and self.view.graph.certain(at, (spot,)):
                yield self._written(required.test, spot)

    def _written(self, formula: Formula, at: Spot) -> Node:
        return self.identity.written(formula.tree, at)


def _same_items(spot: Spot, at: Spot) -> bool:
    """True when a statement stands in no loop whose items another one does not share."""
    return all(frame.holds(at) for frame in spot.frame.around() if frame.loop)


def follows(condition: Node, known: Sequence[Node]) -> bool:
    """True when a condition holds wherever all of `known` hold; never wrongly so."""
    return _follows(_plain(condition, True), [part for each in known for part in _parts(each)])


def _follows(plain: Node, known: Sequence[Node]) -> bool:
    if any(plain == each or _implies(each, plain) for each in known):
        return True
    if not isinstance(plain, Logic):
        return False
    sides = [_follows(_plain(side, True), known) for side in (plain.left, plain.right)]
    return all(sides) or (any(sides) and plain.operator == "or")


def _parts(condition: Node) -> Iterator[Node]:
    """Splits what holds at each `and`."""
    plain = _plain(condition, True)
    if isinstance(plain, Logic) and plain.operator == "and":
        yield from _parts(plain.left)
        yield from _parts(plain.right)
    else:
        yield plain


def _plain(condition: Node, holds: bool) -> Node:
    """Writes a condition, or its opposite, without `not` where that can be."""
    match condition:
        case Unary(operator="not", of=of):
            return _plain(of, not holds)
        case Logic(operator=operator, left=left, right=right):
            if holds:
                return condition
            other: OneOf["and", "or"] = "or" if operator == "and" else "and"
            return Logic(other, _plain(left, False), _plain(right, False))
        case Compare(operator=operator, left=left, right=right):
            operator = operator if holds else _OPPOSITE[operator]
            if operator in _TURNED:
                return Compare(_TURNED[operator], right, left)
            return Compare(operator, left, right)
        case _:
            return condition if holds else Unary("not", condition)


def _implies(known: Node, wanted: Node) -> bool:
    """True when one bound of an expression is at least as tight as another."""
    if not isinstance(known, Compare) or not isinstance(wanted, Compare):
        return False
    if {known.operator, wanted.operator} - {">", ">="}:
        return False
    for turned in (1, -1):
        one, bound = (known.left, known.right)[::turned]
        other, limit = (wanted.left, wanted.right)[::turned]
        tight, loose = number(bound), number(limit)
        if one == other and tight is not None and loose is not None:
            if (tight - loose) * turned > 0:
                return True
            return tight == loose and (known.operator == ">" or wanted.operator == ">=")
    return False


def number(tree: Node) -> Fraction | None:
    """Gives the value of a constant number, None for anything else."""
    match tree:
        case Literal(value=bool()):
            return None
        case Literal(value=int() | float() as value):
            return Fraction(value)
        case Literal(value={"$int": str(digits)} | {"$decimal": str(digits)}):
            return Fraction(digits)
        case Apply(function="decimal", args=(of,)):
            return number(of)
        case Unary(operator="-", of=of):
            positive = number(of)
            return None if positive is None else -positive
        case Binary(operator=operator, left=left, right=right):
            one, two = number(left), number(right)
            return None if one is None or two is None else _computed(operator, one, two)
        case _:
            return None


def _computed(operator: str, one: Fraction, two: Fraction) -> Fraction | None:
    match operator:
        case "+":
            return one + two
        case "-":
            return one - two
        case "*":
            return one * two
        case "/" if two:
            return one / two
        case _:
            return None
