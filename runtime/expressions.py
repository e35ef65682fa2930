"""The only evaluator of expressions: pure, total, bounded, and independent of the machine.

Work is counted, not timed: an expression that is too large fails in the same way everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .arithmetic import Failed
from .binding import Binding, closed
from .evaluation import STARTED_AT, Evaluation
from .formula import Name, Node
from .shapes import Schema

__all__ = ["STARTED_AT", "Failed", "bind", "evaluate"]


def evaluate(tree: Node, names: Mapping[str, object], schema: Schema) -> Any:
    """Gives the value of an expression. Raises `Failed`, and nothing else.

    `names` holds values as `values.decode` and `shapes.conform` give them, and the run's start as
    `STARTED_AT`. The value may share its parts with them: nobody changes a value.
    """
    # Most arguments are a name by itself, which needs no account of its work.
    if type(tree) is Name and tree.name in names:
        return names[tree.name]
    try:
        return Evaluation(schema).value(tree, names)
    except RecursionError as fault:
        raise Failed("the expression is nested too deep") from fault


def bind(tree: Node, names: Mapping[str, object], schema: Schema) -> Node:
    """Puts in what is known and computes what can be computed; the rest stays as holes.

    Evaluating what comes back, with the other names, gives what evaluating the whole would have
    given. Raises `Failed` when a part that will certainly be needed cannot be computed.
    """
    try:
        return closed(Binding(schema).part(tree, names, certain=True))
    except RecursionError as fault:
        raise Failed("the expression is nested too deep") from fault
