"""What can fail and how, and what cannot be taken back: `fallible` and `pivot` of the language.

A failure is told as a person would see it happen, in one clause.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...runtime.formula import Formula, Literal, Text
from ...runtime.plan import Gate, If, Let, Node, Requires, Return, Step, Tool
from .durations import shown
from .tables import Tables

LONGEST = 60
"""Most characters of an expression that a message quotes."""


def pivot(step: Step, tool: Tool) -> bool:
    """True for a step with an irreversible effect that is not accepted."""
    return tool.irreversible and step.accepted is None


def certain(step: Step) -> bool:
    """True for a step that has landed when it has settled."""
    return step.when is None and step.on_failure != "continue"


def fallible(tables: Tables, node: Node) -> str | None:
    """Tells how a statement itself can fail the scope around it; None when it cannot.

    An outcome that stays unknown, drift and conflict are not failures: people are asked. An `if`
    stands for its condition.
    """
    match node:
        case Step():
            return None if node.on_failure != "rollback" else next(_step(tables, node), None)
        case Gate(name=name):
            return f"`{name}` is rejected"
        case Requires(test=test):
            return f"`requires {quoted(test)}` does not hold"
        case Let(name=name, value=value):
            return _computed(tables, value, f"`{name}`")
        case Return(value=value):
            return _computed(tables, value, "what is returned")
        case If(condition=condition):
            return _computed(tables, condition, f"`if {quoted(condition)}`")
        case _:
            return None


def _step(tables: Tables, step: Step) -> Iterator[str]:
    tool = tables.tools[step.tool]
    name = f"`{step.name}`"
    if tool.fails:
        yield f"{name} is refused ({tool.fails[0]})"
    for condition in tool.requires:
        yield f"{name} is refused ({_said(condition.otherwise, condition.test)})"
    for each in tool.remember:
        if each.otherwise is not None:
            yield f"{name} is refused ({_said(each.otherwise, each.otherwise)})"
        reader = tables.tools[each.tool]
        if reader.retry.attempts is not None:
            yield f"`{each.tool}` cannot be read for {name}"
    if step.until is not None and step.until.otherwise == "rollback":
        yield f"{name} does not come true within {shown(step.until.within)}"
    if step.retry.attempts is not None:
        tries = step.retry.attempts
        yield f"{name} fails {'its only attempt' if tries == 1 else f'all {tries} attempts'}"
    given = [argument.value for argument in step.args]
    for formula in given if step.when is None else (step.when, *given):
        said = _computed(tables, formula, f"`{quoted(formula)}` of {name}")
        if said is not None:
            yield said


def _computed(tables: Tables, formula: Formula, what: str) -> str | None:
    reason = tables.partial(formula)
    return None if reason is None else f"{what} cannot be computed ({reason})"


def _said(words: Formula | None, test: Formula) -> str:
    match words.tree if words is not None else None:
        case Literal(value=str(text)):
            return text
        case Text(parts=parts):
            return "".join(str(p.value) if isinstance(p, Literal) else "…" for p in parts)
        case _:
            return f"`{quoted(test)}` does not hold"


def quoted(formula: Formula) -> str:
    """Gives an expression's own text on one line, cut when it is long."""
    line = " ".join(formula.source.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
