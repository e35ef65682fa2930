"""Answers of simulated services: what a verify is told, so that its verdicts say what is so."""

from __future__ import annotations

from typing import Any

from ..formula import Literal, Logic, Node, Type
from ..plan import Verdict
from ..shapes import Schema
from .asked import Question
from .fitting import Fitting, Unfit, negated


def showing(question: Question, base: Any, wanted: str, schema: Schema) -> Any:
    """Gives an answer to a question that its verdicts call `wanted`, made of `base`.

    Raises `Unfit` when none is found; there may be one all the same.
    """
    result = question.read.result
    if wanted == "absent" and result.kind in ("optional", "json", "none"):
        return None
    if wanted == "absent" and result.kind == "bool":
        return False
    if question.said(base) == wanted:
        return base
    fitting = Fitting("it", present(result), question.names, schema)
    for test in _tests(question.lines, wanted):
        try:
            found = fitting.fit(test, base)
        except Unfit:
            continue
        if question.said(found) == wanted:
            return found
    raise Unfit


def truly(question: Question, there: bool) -> str:
    """Gives what a verdict should be: an undo's own verify asks whether the undo has happened."""
    return "applied" if there != question.own else "absent"


def present(type_: Type) -> Type:
    """Gives a type without its `?`."""
    return type_.of if type_.kind == "optional" and type_.of is not None else type_


def _tests(lines: tuple[Verdict, ...], wanted: str) -> list[Node]:
    """Gives the conditions under which each line of a kind is the first that fits, or none is."""
    found: list[Node] = []
    earlier: Node = Literal(True)
    for line in lines:
        if line.kind == wanted:
            found.append(Logic("and", line.when.tree, earlier))
        turned = negated(line.when.tree)
        if turned is not None:
            earlier = Logic("and", earlier, turned)
    return [earlier] if wanted == "unknown" else found
