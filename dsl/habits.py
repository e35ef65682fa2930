"""Syntax errors that come from other languages, Python above all, each with its own words."""

from __future__ import annotations

from .diagnostics import Applicability, Diagnostic, Edit, Fix, problem, replacement
from .expectations import COMPARATORS
from .place import Lexeme, Place
from .span import Span

_FUNCTION_NAMES = """
len sum min max round abs str int decimal float lower upper trim split join keys values any all
default unique sorted range chunks started_at
"""
FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
_RENAMED = {"strip": "trim", "len": "len", "size": "len", "length": "len", "sort": "sorted"}
_BOOLEAN = {"&&": "and", "||": "or", "&": "and", "|": "or", "!": "not "}
_ENDS_VALUE = frozenset({"word", "number", "text"})
_CLOSERS = frozenset(")]")
_DELIMITERS = frozenset(
    {"=", "(", "[", ",", ":", "{", "return", "gives", "else", "when", "requires"}
)
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
        f"`is` is written `{operator}`: values have no identity, they are only equal or not.",
        span,
        f"write `{right}`",
        fix=replacement("safe", span, right),
    )


def conditional(place: Place) -> Diagnostic | None:
    """`1 if c else 2`."""
    if place.found.text == "if":
        at = 0
    elif place.found.text == "else" and "LBRACE" in place.fitting:
        at = next((i for i in range(-1, -60, -1) if place.near(i).text == "if"), 0)
    else:
        return None
    if_, before = place.near(at), place.near(at - 1)
    other = next((i for i in range(at + 1, at + 60) if place.near(i).text == "else"), None)
    ends_value = before.kind in _ENDS_VALUE or before.text in _CLOSERS
    if not ends_value or other is None or not place.same_line(place.near(other)):
        return None
    first = _back(place, at)
    last = _forth(place, other)
    text = place.source.text
    value = text[place.near(first).start : before.end]
    condition = text[if_.end : place.near(other).start].strip()
    otherwise = text[place.near(other).end : place.near(last).end].strip()
    right = f"if {condition} then {value} else {otherwise}"
    return problem(
        "S101",
        "A conditional value begins with its condition.",
        place.span(if_),
        "write `if condition then value else other`",
        fix=replacement("ask", place.span(place.near(first), place.near(last)), right),
    )


def _back(place: Place, at: int) -> int:
    """Return the lexeme at which the value before `if` begins."""
    depth = 0
    i = at - 1
    while i > at - 60:
        before = place.near(i - 1).text
        depth += (place.near(i).text in (")", "]")) - (place.near(i).text in ("(", "["))
        if depth == 0 and (before in _DELIMITERS or not before):
            return i
        i -= 1
    return at - 1


def _forth(place: Place, other: int) -> int:
    """Return the lexeme at which the value after `else` ends."""
    depth = 0
    i = other + 1
    while i < other + 60:
        following = place.near(i + 1)
        depth += (place.near(i).text in ("(", "[")) - (place.near(i).text in (")", "]"))
        done = following.text in (")", "]", "}", ",") or not place.same_line(following)
        if depth == 0 and (done or not following.text):
            return i
        i += 1
    return other + 1


def method(place: Place) -> Diagnostic | None:
    """`x.lower()`."""
    name, dot = place.near(-1), place.near(-2)
    if place.found.text != "(" or name.kind != "word" or dot.text != ".":
        return None
    first = -3
    while place.near(first).kind == "word" and place.near(first - 1).text == ".":
        first -= 2
    function = _RENAMED.get(name.text, name.text)
    if function not in FUNCTIONS or place.near(first).kind not in ("word", "text"):
        helps = [f"These are all functions: {', '.join(sorted(FUNCTIONS))}."]
        message = f"A value has no methods: `.{name.text}(...)` cannot be called."
        return problem("S101", message, place.span(name), "not a field", helps=helps)
    receiver = place.source.text[place.near(first).start : dot.start]
    comma = "" if place.near(1).text == ")" else ", "
    span = place.span(place.near(first), place.found)
    return problem(
        "S101",
        f"`{function}` is a function, not a method.",
        place.span(name),
        f"write `{function}({receiver}{comma}...)`" if comma else f"write `{function}({receiver})`",
        fix=replacement("ask" if comma else "safe", span, f"{function}({receiver}{comma}"),
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
    return _own(
        place, "Nothing ends with a semicolon.", "take it away", fix=_put(place, "safe", "")
    )


def boolean_sign(place: Place) -> Diagnostic | None:
    """`&&`, `||`, `!`, and `str | None`."""
    sign = place.found.text
    if sign not in _BOOLEAN or (sign == "!" and "_NOT" not in place.fitting):
        return None
    if sign == "|" and "QMARK" in place.fitting:
        none = place.near(1)
        span = place.span(Lexeme("", "", place.near(-1).end), none)
        return problem(
            "S101",
            "A type that may be `none` ends with `?`; there are no other unions.",
            place.span(place.found),
            f"write `{place.near(-1).text}?`",
            fix=replacement("safe", span, "?") if none.text in ("None", "none") else None,
        )
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


def foreign_type(place: Place) -> Diagnostic | None:
    """`Optional[T]`, `List[T]`, `dict[str, T]`."""
    name = place.near(-1)
    if place.found.text != "[" or "QMARK" not in place.fitting or name.kind != "word":
        return None
    likely = {"optional": "T?", "dict": "map[T]", "list": "list[T]", "map": "map[T]"}
    helps = ["These take a type: `list[T]`, `map[T]` (keys are texts), `secret[T]`, and `T?`."]
    right = likely.get(name.text.lower())
    says = f"write `{right}`" if right else "this type takes no other"
    return problem(
        "S101", f"There is no type `{name.text}[...]`.", place.span(name), says, helps=helps
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
    named_argument,
    is_none,
    method,
    slice_,
    power,
    semicolon,
    boolean_sign,
    foreign_type,
    colon_block,
    typed_let,
    hyphen,
    conditional,
    chained_comparison,
    equals_sign,
)
