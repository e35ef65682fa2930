"""The words of the language by what they do, read from the text of the grammar.

No parser is needed for it, so that a page with one coloured block does not pay for one.

>>> sorted(words().constants)
['false', 'none', 'true']
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from .. import grammar
from ..runtime.signatures import FUNCTIONS

_RULE = re.compile(r"^[?!]?(\w+): ((?:.*\n)(?:[ \t]+.*\n)*)", re.MULTILINE)
_WORD = re.compile(r'"([a-z]+)"')
_RESERVED = re.compile(r"^_[A-Z]+\.2: /([a-z]+)", re.MULTILINE)
# A word of the language in front of what somebody chose: `step pay`, `wait paid`.
_BEFORE_NAME = re.compile(r'"([a-z]+)" NAME')
_FIRST = re.compile(r'"([a-z]+)"|_([A-Z]+)\b')
_CONSTANTS = frozenset(("true", "false", "none"))


@dataclass(frozen=True, slots=True)
class Words:
    """Every word of the language once: what declares, what begins a statement, and so on.

    `naming` are those of them behind which a name stands. What is not reserved may be a name too.
    """

    declarations: frozenset[str]
    statements: frozenset[str]
    clauses: frozenset[str]
    classes: frozenset[str]
    operators: frozenset[str]
    constants: frozenset[str]
    others: frozenset[str]
    naming: frozenset[str]
    types: frozenset[str]
    functions: frozenset[str]
    values: frozenset[str]

    @property
    def reserved(self) -> frozenset[str]:
        """The words that never name a value."""
        return self.operators | self.constants

    @property
    def contextual(self) -> frozenset[str]:
        """The words that name something where the grammar does not ask for them."""
        return (
            self.declarations | self.statements | self.clauses | self.classes | self.others
        ) - self.reserved


@cache
def words() -> Words:
    """Reads the words of the grammar."""
    text = (resources.files(grammar) / "saga.lark").read_text("utf-8")
    rules: dict[str, str] = dict(_RULE.findall(text))
    reserved = frozenset(_RESERVED.findall(text))
    every = frozenset(word for body in rules.values() for word in _WORD.findall(body))
    every |= frozenset(re.findall(r'^[A-Z]+: "([a-z]+)"', text, re.MULTILINE)) | reserved
    types = frozenset(_WORD.findall("".join(rules[f"{kind}_type"] for kind in _GENERIC)))
    found = {
        "declarations": _beginnings(rules, "declaration"),
        "statements": _beginnings(rules, "statement", "scenario_item"),
        "clauses": _beginnings(rules, "tool_clause", "agent_clause", "verdict", "step"),
        "classes": frozenset(_WORD.findall(rules["effect_class"])),
    }
    kept: dict[str, frozenset[str]] = {}
    left = every - reserved - types
    for group, members in found.items():
        kept[group] = members & left
        left -= members
    return Words(
        **kept,
        operators=reserved - _CONSTANTS,
        constants=_CONSTANTS,
        others=left - _VALUES,
        naming=frozenset(_BEFORE_NAME.findall("".join(rules.values()))) & every,
        types=types | _BUILT_IN,
        functions=frozenset(FUNCTIONS),
        values=_VALUES,
    )


def _beginnings(rules: dict[str, str], *names: str) -> frozenset[str]:
    """Gives the words with which the alternatives of some rules begin."""
    found: set[str] = set()
    for name in names:
        for alternative in re.findall(r"\b[a-z]\w*", _without_words(rules[name])):
            first = _FIRST.match(rules.get(alternative, ""))
            if first is not None:
                found.add(first[1] or first[2].lower())
    return frozenset(found)


def _without_words(body: str) -> str:
    return re.sub(r'"[^"]*"|->.*', "", body)


_GENERIC = ("list", "map", "secret")
_BUILT_IN = frozenset(
    ("str", "int", "float", "decimal", "bool", "bytes", "date", "datetime", "duration", "json")
)
_VALUES = frozenset(("key", "result", "it", "args"))
"""What clauses know beside ordinary names."""
