"""What can fail and how, and what cannot be taken back: `fallible` and `pivot` of the language.

A statement that fails is told as a person would see it happen, in one clause.
"""

from __future__ import annotations

from ..runtime.formula import Formula, Literal, Text
from ..runtime.plan import Gate, If, Let, Requires, Return, Step, Tool
from .durations import shown
from .partial import reasons
from .spots import Spot
from .view import View


def pivot(step: Step, tool: Tool) -> bool:
    """True for a step with an irreversible effect that is not accepted."""
    return tool.irreversible and step.accepted is None


def fallible(view: View, spot: Spot) -> str | None:
    """Tells how a statement can fail the scope around it; None when it cannot.

    An outcome that stays unknown, drift and conflict are not failures: people are asked.
    """
    match spot.node:
        case Step() as step:
            return _step(view, step, view.tools[step.tool])
        case Gate(name=name):
            return f"`{name}` is rejected"
        case Requires(test=test):
            return f"`requires {_cut(test.source)}` does not hold"
        case Let(name=name, value=value):
            return _computed(view, value, f"`{name}`")
        case Return(value=value):
            return _computed(view, value, "what is returned")
        case If(condition=condition):
            return _computed(view, condition, f"`if {_cut(condition.source)}`")
        case _:
            return None


def _step(view: View, step: Step, tool: Tool) -> str | None:
    if step.on_failure != "rollback":
        return None
    name = f"`{step.name}`"
    if tool.fails:
        return f"{name} is refused ({tool.fails[0]})"
    if tool.requires:
        return f"{name} is refused ({_text(tool.requires[0].otherwise, tool.requires[0].test)})"
    missing = next((each for each in tool.remember if each.required), None)
    if missing is not None:
        return (
            f"{name} is refused ({_text(missing.otherwise, None) or missing.name + ' is missing'})"
        )
    if step.until is not None and step.until.otherwise == "rollback":
        return f"{name} is still not there after {shown(step.until.within)}"
    attempts = step.retry.attempts
    if attempts is not None:
        return f"{name} fails {'its only attempt' if attempts == 1 else f'all {attempts} attempts'}"
    formulas = [argument.value for argument in step.args]
    if step.when is not None:
        formulas.append(step.when)
    for formula in formulas:
        said = _computed(view, formula, f"`{_cut(formula.source)}` for {name}")
        if said is not None:
            return said
    return _read_before(view, step, tool)


def _read_before(view: View, step: Step, tool: Tool) -> str | None:
    """Tells of a read that must answer before the intent and does not try for ever."""
    for each in tool.remember:
        reader = view.tools.get(each.tool)
        if reader is not None and reader.retry.attempts is not None:
            return f"`{each.tool}` cannot be read for `{step.name}`"
    return None


def _computed(view: View, formula: Formula, what: str) -> str | None:
    reason = next(reasons(formula.tree, view.types, view.records), None)
    return None if reason is None else f"{what} cannot be computed ({reason})"


def _text(formula: Formula | None, test: Formula | None) -> str:
    match formula.tree if formula is not None else None:
        case Literal(value=str(text)):
            return text
        case Text(parts=parts):
            return "".join(str(part.value) if isinstance(part, Literal) else "…" for part in parts)
        case _:
            return f"`{_cut(test.source)}` does not hold" if test is not None else ""


def _cut(source: str) -> str:
    line = " ".join(source.split())
    return line if len(line) <= 60 else line[:59] + "…"
