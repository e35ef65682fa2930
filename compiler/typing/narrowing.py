"""Narrowing: which values a condition proves to be there, so that they are no longer optional."""

from __future__ import annotations

from ...dsl.nodes import Comparison, Expr, Field, Logical, NoneLiteral, Not, Reference

Path = tuple[str, ...]
"""A value by its chain of names: `order.note` is `("order", "note")`."""

NOTHING: frozenset[Path] = frozenset()


def path_of(expr: Expr) -> Path | None:
    """Gives the chain of names that an expression is, or None when it is anything else."""
    names: list[str] = []
    while isinstance(expr, Field):
        names.append(expr.name.text)
        expr = expr.value
    if not isinstance(expr, Reference):
        return None
    names.append(expr.name.text)
    return tuple(reversed(names))


def proved(condition: Expr, holds: bool = True) -> frozenset[Path]:
    """Gives the values that are not none when a condition holds (or, told so, when it does not)."""
    match condition:
        case Comparison(operator="!=" | "==" as operator, left=left, right=right):
            if (operator == "!=") is not holds:
                return NOTHING
            return _compared(left, right) | _compared(right, left)
        case Not(operand=operand):
            return proved(operand, not holds)
        case Logical(operator=operator, left=left, right=right):
            # Both sides are known when `and` holds or `or` does not; else only what both prove.
            both = (operator == "and") is holds
            one, other = proved(left, holds), proved(right, holds)
            return one | other if both else one & other
        case _:
            return NOTHING


def _compared(value: Expr, with_: Expr) -> frozenset[Path]:
    path = path_of(value)
    return frozenset((path,)) if path and isinstance(with_, NoneLiteral) else NOTHING
