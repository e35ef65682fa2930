"""What the grammar would have accepted, in words."""

from __future__ import annotations

from collections.abc import Iterable

_NAMED = {
    "NAME": "a name",
    "TEXT": 'a text such as `"..."`',
    "INT": "a whole number",
    "DECIMAL": "a number",
    "DURATION": "a duration such as `10s`",
    "PYTHON": "`python`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "COMMA": "`,`",
    "COLON": "`:`",
    "EQUAL": "`=`",
    "DOT": "`.`",
    "QMARK": "`?`",
    "MORETHAN": "`>`",
    "LESSTHAN": "`<`",
    "PLUS": "`+`",
    "MINUS": "`-`",
    "STAR": "`*`",
    "SLASH": "`/`",
    "PERCENT": "`%`",
    "ARROW": "`->`",
    "RANGE": "`..`",
    "EQUALS": "`==`",
    "DIFFERS": "`!=`",
    "AT_LEAST": "`>=`",
    "AT_MOST": "`<=`",
    "WHOLE_DIVISION": "`//`",
    "$END": "the end",
}
_EXPRESSION = {"NAME", "TEXT", "INT", "DECIMAL", "DURATION", "LPAR", "LSQB"}
_EXPRESSION_ALL = _EXPRESSION | {"LBRACE", "_IF", "_NOT", "_TRUE", "_FALSE", "_NONE", "MINUS"}
_ARITHMETIC = {"PLUS", "MINUS", "STAR", "SLASH", "PERCENT", "WHOLE_DIVISION"}
COMPARATORS = {"EQUALS", "DIFFERS", "LESSTHAN", "AT_MOST", "MORETHAN", "AT_LEAST"}
_OPERATORS = _ARITHMETIC | COMPARATORS | {"_AND", "_OR", "_IN", "_NOT", "DOT", "LSQB"}
_TYPE = {"LIST", "MAP", "SECRET", "NAME"}
_GROUPS = (
    ({"RECORD", "TOOL", "SAGA"}, "a declaration such as `tool` or `saga`"),
    ({"STEP", "LET", "PARALLEL"}, "a statement such as `step`, `let` or `if`"),
    ({"CALL", "MAY"}, "a clause such as `call` or `may use`"),
    ({"CALL", "SERVICE", "ENSURES"}, "a clause such as `call`, `effect` or `undo`"),
    ({"GIVEN", "MOCK", "EXPECT"}, "an item such as `given`, `fail` or `expect`"),
)
MAX_WORDS = 9


def in_words(fitting: Iterable[str]) -> str:
    """Describe a set of terminals: `a name or `}``, `a statement: `step`, `let`, ...`."""
    left = {name for name in fitting if name != "DOC"}
    parts: list[str] = []
    if left >= _EXPRESSION:
        parts.append("an expression")
        left -= _EXPRESSION_ALL
    elif left >= _TYPE:
        parts.append("a type")
        left -= _TYPE
    operators = left >= _ARITHMETIC
    if operators:
        left -= _OPERATORS
        if len(left) > 1:
            left.discard("LPAR")
    if len(left) > 1:
        left.discard("QMARK")
    known = sorted(name for name in left if _is_word(name))
    parts += [_NAMED[name] for name in _NAMED if name in left]
    for members, phrase in _GROUPS:
        if set(known) >= members:
            parts.append(phrase)
            known = []
    parts += [f"`{spelled(word)}`" for word in known[:MAX_WORDS]]
    if operators:
        parts.append("an operator")
    return _join(parts)


def spelled(terminal: str) -> str:
    """Return the word that a terminal stands for."""
    return terminal.removeprefix("_").lower()


def only(fitting: Iterable[str]) -> str | None:
    """Return the text of the one terminal that fits, where only one does and has one spelling."""
    names = list(fitting)
    if len(names) != 1 or names[0] == "$END":
        return None
    shown = _NAMED.get(names[0])
    if shown is None:
        return spelled(names[0])
    return shown[1:-1] if shown.startswith("`") else None


def words(fitting: Iterable[str]) -> list[str]:
    """Return the words of the language among some terminals."""
    return sorted(spelled(name) for name in fitting if _is_word(name))


def _is_word(name: str) -> bool:
    return name not in _NAMED and name != "DOC"


def _join(parts: list[str]) -> str:
    if len(parts) < 2:
        return "".join(parts) or "the end"
    return ", ".join(parts[:-1]) + " or " + parts[-1]
