"""Statements from other languages, and statements in the wrong place (S101)."""

from __future__ import annotations

from .diagnostics import Diagnostic, Edit, Fix, problem, replacement
from .foreign_words import FOREIGN_WORDS
from .place import Place

_OF_SAGAS = """
step let gate checkpoint parallel scope each first repeat promise deadline return wait sleep guard
if next
"""
_OF_TOOLS = """
call effect idempotent fails transient done retry ensures remember verify undo service evidence
commutes reads
"""
_OF_SCENARIOS = "given mock fail crash lose drift refuse approve reject signal expect"
# For each place: the terminals by which it is known, and the words that stand only in it.
_INSIDE = {
    "a saga": ({"STEP", "LET"}, frozenset(_OF_SAGAS.split())),
    "an agent": ({"MAY", "CALL"}, frozenset({"may"})),
    "a tool": ({"CALL", "SERVICE"}, frozenset(_OF_TOOLS.split())),
    "a scenario": ({"GIVEN", "MOCK"}, frozenset(_OF_SCENARIOS.split())),
}
_BEGINNINGS = frozenset({"STEP", "TOOL", "EFFECT", "GIVEN"})
_COMMENTS = ("//", "/", "--")


def comment(place: Place) -> Diagnostic | None:
    """`// text`, `/* text */`, `-- text`."""
    found = place.found.text
    if found == "-" and place.near(1).text == "-":
        found = "--"
    if found not in _COMMENTS or place.fitting.isdisjoint(_BEGINNINGS):
        return None
    start = place.found.start
    span = place.span(place.found)
    fix = Fix("ask", (Edit(place.source.name, start, start + len(found), "#"),))
    if place.near(1).text == "*":
        return problem("S101", "A comment begins with `#`.", span, "no comment", helps=())
    return problem("S101", "A comment begins with `#`.", span, "write `#`", fix=fix)


def else_if(place: Place) -> Diagnostic | None:
    """`else if c { }`."""
    if place.found.text != "if" or place.near(-1).text != "else" or "LBRACE" not in place.fitting:
        return None
    return problem(
        "S101",
        "`else` takes a block; a further condition stands in it.",
        place.span(place.found),
        "`{` expected",
        helps=["Write `else { if E { ... } }`."],
    )


def bare_call(place: Place) -> Diagnostic | None:
    """A call, an assignment or a value as a statement."""
    word, following = place.found, place.near(1).text
    if word.kind != "word" or "STEP" not in place.fitting or "LET" not in place.fitting:
        return None
    span = place.span(word)
    if following == "(" and word.text == "print":
        return problem(
            "S101",
            "A saga prints nothing: what its steps did is in the log.",
            span,
            "take this away",
            helps=["`saga show RUN` and `saga watch RUN` show it."],
        )
    if following == "(":
        return problem(
            "S101",
            "A call is a step, and a step has a name.",
            span,
            f"write `step NAME = {word.text}(...)`",
            helps=["By its name the step is logged, undone, and used by later steps."],
            fix=replacement("ask", place.gap(), f"step {word.text} = "),
        )
    if following == "=":
        return problem(
            "S101",
            "A value is named by `let`, a call by `step`.",
            span,
            f"write `let {word.text} = ...`",
            fix=replacement("ask", place.gap(), "let "),
        )
    if following in ("+", "-", "*", "/") and place.near(2).text == "=":
        return problem(
            "S101",
            "A value never changes once it has its name.",
            place.span(place.near(1), place.near(2)),
            "values are not assigned to",
            helps=["Name a new value with `let`; a loop hands its value on with `next`."],
        )
    return None


def unnamed_step(place: Place) -> Diagnostic | None:
    """`step charge(order.id)`."""
    name = place.near(-1)
    if place.found.text != "(" or place.near(-2).text != "step" or set(place.fitting) != {"EQUAL"}:
        return None
    return problem(
        "S101",
        "A step has a name beside the call that it makes.",
        place.span(name),
        f"write `step NAME = {name.text}(...)`",
        helps=["By its name the step is logged, undone, and used by later steps."],
        fix=replacement("ask", place.span(name), f"{name.text} = {name.text}"),
    )


def own_clause(place: Place) -> Diagnostic | None:
    """`step a = f() retry 3 times`, without a block."""
    word = place.found.text
    if (
        word not in ("timeout", "retry", "verify", "undo")
        or not _INSIDE["a saga"][0] <= place.fitting
    ):
        return None
    return problem(
        "S101",
        "What a step changes of its tool's clauses stands in a block.",
        place.span(place.found),
        "`{` expected before this",
        helps=[f"Write `step NAME = call(...) {{ {word} ... }}`."],
    )


def stray(place: Place) -> Diagnostic | None:
    """What belongs inside another declaration, or inside one at all."""
    found = place.found
    here = next((where for where, (sign, _) in _INSIDE.items() if sign <= place.fitting), None)
    if here is None and not {"TOOL", "SAGA"} <= place.fitting:
        return None
    span = place.span(found)
    if here is None and found.text in ("}", ")", "]"):
        return problem(
            "S101",
            f"`{found.text}` closes nothing.",
            span,
            "no bracket is open here",
            helps=["One too many here, or an opening one is missing before."],
        )
    for where, (_, words) in _INSIDE.items():
        if where == here or found.text not in words:
            continue
        message = f"`{found.text}` stands in {where}"
        if here is not None:
            helps = ["A `}` is missing before it, or it belongs elsewhere."]
            return problem("S101", f"{message}, not in {here}.", span, f"in {here}", helps=helps)
        return problem(
            "S101",
            f"{message}, and none is open here.",
            span,
            "outside of every declaration",
            helps=["A `}` before this may be one too many."],
        )
    return None


STATEMENTS = (comment, else_if, *FOREIGN_WORDS, unnamed_step, own_clause, stray, bare_call)
