"""The only evaluator of expressions: pure, total, bounded, and independent of the machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .formula import Node
from .shapes import Schema

STARTED_AT = "started_at()"
"""Under this name the environment gives the run's start; no name of a saga can be written so."""


class Failed(Exception):
    """An expression has no value; the message says why, in a sentence for people."""


def evaluate(tree: Node, names: Mapping[str, object], schema: Schema) -> Any:
    """Gives the value of an expression. Raises `Failed`, and nothing else."""
    raise Failed("not evaluated")


def bind(tree: Node, names: Mapping[str, object], schema: Schema) -> Node:
    """Puts in what is known and computes what can be computed; the rest stays as holes.

    Raises `Failed` when a part that will certainly be needed cannot be computed.
    """
    raise Failed("not bound")
