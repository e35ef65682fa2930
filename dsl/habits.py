"""Syntax errors that come from other languages, Python above all, each with its own words."""

from __future__ import annotations

from .conditionals import conditional, for_none, ternary
from .diagnostics import Applicability, Diagnostic, Edit, Fix, problem, replacement
from .expectations import COMPARATORS
from .foreign_signs import FOREIGN_SIGNS
from .foreign_types import generic_type, optional_field, texts_as_type, union
from .methods import method
from .place import Place
from .span import Span

_BOOLEAN = {"&&": "and", "||": "or", "&": "and", "|": "or", "!": "not "}
_COMPARING = {"==", "!=", "<", "<=", ">", ">="}
_BEFORE_CONDITION = frozenset({"when", "if", "requires", "ensures", "until", "and", "or", "not"})


def named_argument(place: Place) -> Diagnostic | None:
    """`f(a=x)`."""
    inside = place.enclosing()
    if place.found.text != "=" or place.near(-1).kind != "word" or inside is None:
        return None
    if inside.text == "(" and "RPAR" in place.fitting and place.near(-2).text in ("(", ","):
        what = "An argument is named with a colon."
    elif inside.text == "{" and set(place.fitting) == {"COLON"}:
        what = "A colon stands between a name and its value here."
    else:
        return None
    name = place.near(-1)
    span = Span(place.source.name, name.end, place.found.end)
    right = ":" if place.source.text[span.end : span.end + 1].isspace() else ": "
    fix = replacement("safe", span, right)
    return _own(place, what, f"write `{name.text}: ...`", fix=fix)


def equals_sign(place: Place) -> Diagnostic | None:
    """`when a = b`, and `=>` for `->`."""
    if place.found.text != "=":
        return None
    if place.near(1).text == ">" and "ARROW" in place.fitting:
        both = place.span(place.found, place.near(1))
        says = "The result follows `->`."
        return problem("S101", says, both, "write `->`", fix=replacement("safe", both, "->"))
    if "EQUALS" not in place.fitting:
        return None
    known = place.keyword is not None and str(place.keyword) in _BEFORE_CONDITION
    return _own(
        place,
        "Two values are compared with `==`.",
        "`=` gives a name to a value",
        fix=_put(place, "safe" if known else "ask", "=="),
    )


def is_none(place: Place) -> Diagnostic | None:
    """`x is None`, `x is not None`, `x is y`."""
    if place.found.text != "is" or "EQUALS" not in place.fitting:
        return None
    negated = place.near(1).text == "not"
    operand = place.near(2 if negated else 1)
    operator = "!=" if negated else "=="
    is_none_ = operand.text in ("None", "none")
    last = operand if is_none_ else place.near(1 if negated else 0)
    right = f"{operator} none" if is_none_ else operator
    span = place.span(place.found, last)
    return problem(
        "S101",
        f"`{'is not' if negated else 'is'}` is written `{operator}`: "
        "values have no identity, they are only equal or not.",
        span,
        f"write `{right}`",
        fix=replacement("safe", span, right),
    )


def slice_(place: Place) -> Diagnostic | None:
    """`xs[1:3]`."""
    inside = place.enclosing()
    if place.found.text != ":" or inside is None or inside.text != "[":
        return None
    return _own(
        place,
        "There are no slices.",
        "an index is one value",
        helps=[
            "Take items by their index: `[xs[i] for i in range(1, 3)]`.",
            "Cut a list into pieces of one size: `chunks(xs, 100)`.",
        ],
    )


def power(place: Place) -> Diagnostic | None:
    """`a ** b`."""
    if place.found.text != "**":
        return None
    return problem(
        "S101",
        "There is no power operator.",
        place.span(place.found),
        "not an operator",
        helps=["Multiply: `x * x`."],
    )


def semicolon(place: Place) -> Diagnostic | None:
    """`;`."""
    if place.found.text != ";":
        return None
    listed = "COMMA" in place.fitting
    return _own(
        place,
        "Nothing ends with a semicolon.",
        "write `,`" if listed else "take it away",
        fix=_put(place, "safe", "," if listed else ""),
    )


def boolean_sign(place: Place) -> Diagnostic | None:
    """`&&`, `||`, `!`, and `str | None`."""
    sign = place.found.text
    if sign not in _BOOLEAN or (sign == "!" and "_NOT" not in place.fitting):
        return None
    word = _BOOLEAN[sign]
    if sign != "!" and "_AND" not in place.fitting:
        return None
    return _own(
        place,
        f"`{sign}` is written `{word.strip()}`.",
        f"write `{word.strip()}`",
        fix=_put(place, "safe", word),
    )


def chained_comparison(place: Place) -> Diagnostic | None:
    """`a < b < c`."""
    if place.found.text not in (*_COMPARING, "in") or "_AND" not in place.fitting:
        return None
    if place.fitting & COMPARATORS:
        return None
    return _own(
        place,
        "One comparison has two sides.",
        "a second comparison",
        helps=["Say both: `a < b and b < c`."],
    )


def colon_block(place: Place) -> Diagnostic | None:
    """`if x:`, `else:`."""
    if place.found.text == ":" and "LBRACE" in place.fitting:
        where = place.found
    elif place.found.text == "else" and place.near(1).text == ":":
        where = place.near(1)
    else:
        return None
    return problem(
        "S101",
        "A block stands between `{` and `}`.",
        place.span(where),
        "a block begins with `{`",
        helps=["Indentation and line ends carry no meaning."],
    )


def hyphen(place: Place) -> Diagnostic | None:
    """`step a-b = f()`."""
    before, found, after = place.near(-1), place.found, place.near(1)
    touching = before.end == found.start and found.end == after.start
    if found.text not in ("-", ".") or "MINUS" in place.fitting or not touching:
        return None
    if before.kind != "word" or after.kind != "word" or place.fitting & {"DOT", "WHEN"}:
        return None
    right = f"{before.text}_{after.text}"
    return problem(
        "S101",
        "A name is made of letters, digits and `_`.",
        place.span(before, after),
        f"write `{right}`",
        fix=replacement("ask", place.span(before, after), right),
    )


def typed_let(place: Place) -> Diagnostic | None:
    """`let x: int = 1`."""
    keyword = place.keyword
    if place.found.text != ":" or keyword is None or str(keyword) != "let":
        return None
    if set(place.fitting) != {"EQUAL"}:
        return None
    equals = next((i for i in range(1, 12) if place.near(i).text == "="), None)
    fix: Fix | None = None
    if equals is not None:
        start, end = place.found.start, place.near(equals).start
        fix = Fix("ask", (Edit(place.source.name, start, end, " "),))
    return _own(place, "`let` has no type: its value has one.", "take the type away", fix=fix)


def _own(
    place: Place, message: str, says: str, *, helps: list[str] | None = None, fix: Fix | None = None
) -> Diagnostic:
    return problem("S101", message, place.span(place.found), says, helps=helps or (), fix=fix)


def _put(place: Place, applicability: Applicability, text: str) -> Fix:
    return replacement(applicability, place.span(place.found), text)


HABITS = (
    *FOREIGN_SIGNS,
    named_argument,
    is_none,
    method,
    slice_,
    power,
    semicolon,
    generic_type,
    optional_field,
    texts_as_type,
    union,
    boolean_sign,
    colon_block,
    typed_let,
    hyphen,
    ternary,
    for_none,
    conditional,
    chained_comparison,
    equals_sign,
)
