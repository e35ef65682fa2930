"""Constants of a program in the form that plans store (the encoding of `runtime.values`)."""

from __future__ import annotations

from base64 import b64decode, b64encode
from datetime import date, datetime
from decimal import Decimal

from ...dsl.nodes import (
    BoolLiteral,
    DecimalLiteral,
    Duration,
    Expr,
    IntLiteral,
    Literals,
    NoneLiteral,
    TextLiteral,
)
from ...runtime.formula import Literal, Type
from .types import BOOL, DECIMAL, DURATION, INT, NONE, STR

LARGEST = 2**63 - 1


def constant(node: Literals) -> tuple[Literal, Type] | None:
    """Gives a literal's constant and type; None for a text in which something is interpolated."""
    match node:
        case IntLiteral(value=value):
            return integer(value), INT
        case DecimalLiteral(value=value):
            return decimal(value), DECIMAL
        case BoolLiteral(value=value):
            return Literal(value), BOOL
        case NoneLiteral():
            return Literal(None), NONE
        case Duration(milliseconds=milliseconds):
            return Literal({"$duration": milliseconds * 1_000}), DURATION
        case _:
            return None if node.plain is None else (Literal(node.plain), STR)


def integer(value: int) -> Literal:
    """Gives an int; one beyond 64 bits is stored as its digits."""
    return Literal(value if value <= LARGEST else {"$int": str(value)})


def decimal(value: Decimal) -> Literal:
    """Gives a decimal with the places that it was written with."""
    return Literal({"$decimal": format(value, "f")})


def written(node: Expr, wanted: Type) -> Literal | None:
    """Gives what a text stands for: a date or a time of ISO 8601, or bytes as base64."""
    text = node.plain if isinstance(node, TextLiteral) else None
    try:
        match wanted.kind:
            case "date" if text is not None:
                return Literal({"$date": date.fromisoformat(text).isoformat()})
            case "datetime" if text is not None:
                return Literal({"$datetime": datetime.fromisoformat(text).isoformat()})
            case "bytes" if text is not None:
                # Decoded and encoded again: of one value there is one form.
                data = b64decode(text, validate=True)
                return Literal({"$bytes": b64encode(data).decode("ascii")})
            case _:
                return None
    except ValueError:
        return None
