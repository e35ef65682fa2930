"""Conditions that never change: what they guard never runs, or their other branch never does."""

from __future__ import annotations

from collections.abc import Iterator

from ...dsl.diagnostics import Diagnostic
from ...dsl.nodes import (
    BoolLiteral,
    Comparison,
    DecimalLiteral,
    Expr,
    Gate,
    If,
    IntLiteral,
    Logical,
    NoneLiteral,
    Not,
    Step,
    TextLiteral,
    When,
    of,
)
from .catalogue import spelled
from .endings import G403
from .outline import Outline


def never(outline: Outline) -> Iterator[Diagnostic]:
    """Yields G403 for steps, gates and branches that a constant condition keeps from running."""
    for site in outline.sites:
        statement = site.statement
        match statement:
            case Step() | Gate():
                for when in of(statement.clauses, When):
                    if truth(when.condition) is False:
                        yield G403(
                            f"{spelled(statement.name)} never runs: its condition is always false.",
                            when.condition.span,
                            "always false",
                            also=[(statement.name.span, "never runs")],
                            helps=["Take it out, or put the condition right."],
                        )
            case If(condition=condition, then=then, otherwise=otherwise):
                holds = truth(condition)
                dead = then if holds is False else otherwise if holds is True else None
                if holds is not None and dead is not None and dead.statements:
                    yield G403(
                        f"This branch never runs: the condition is always {str(holds).lower()}.",
                        dead.statements[0].span,
                        "never runs",
                        also=[(condition.span, f"always {str(holds).lower()}")],
                        helps=["Take the branch out, or put the condition right."],
                    )
            case _:
                pass


def truth(condition: Expr) -> bool | None:
    """Gives what a condition always is, None when it depends on values."""
    match condition:
        case BoolLiteral(value=value):
            return value
        case Not(operand=operand):
            held = truth(operand)
            return None if held is None else not held
        case Logical(operator=operator, left=left, right=right):
            sides = (truth(left), truth(right))
            decides = operator == "or"
            if decides in sides:
                return decides
            return None if None in sides else not decides
        case Comparison(operator="==" | "!=" as operator, left=left, right=right):
            one, other = _constant(left), _constant(right)
            if one is None or other is None:
                return None
            return (one == other) is (operator == "==")
        case _:
            return None


def _constant(expr: Expr) -> tuple[object] | None:
    match expr:
        case IntLiteral(value=number):
            return (number,)
        case DecimalLiteral(value=exact):
            return (exact,)
        case NoneLiteral():
            return (None,)
        case TextLiteral() if expr.plain is not None:
            return (expr.plain,)
        case _:
            return None
