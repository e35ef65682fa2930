"""The parser where it stopped: what would have fitted, and whether another word would go on.

Both are read off the parser's table: nothing is built, nothing before the place is read again.
"""

from __future__ import annotations

from typing import Any

from lark import Token, UnexpectedInput
from lark.parsers.lalr_analysis import Shift
from msgspec import Struct

from .syntax import Start, interactive


class Stopped(Struct, frozen=True):
    """The stacks before the token that does not fit: states, and what they stand for."""

    start: Start
    states: tuple[int, ...]
    values: tuple[object, ...]

    def fitting(self) -> frozenset[str]:
        """Return the terminals that would have fitted, `$END` among them."""
        conf = interactive("", self.start).parser_state.parse_conf
        candidates = [name for name in conf.states[self.states[-1]] if name.isupper()]
        return frozenset(name for name in candidates if _take(conf, list(self.states), name))

    def keyword(self) -> Token | None:
        """Return the last word of the language before the place: it says what is being read."""
        for value in reversed(self.values):
            if isinstance(value, Token) and value.type != "NAME" and value.isalpha():
                return value
        return None

    def then(self, terminal: str) -> Stopped | None:
        """Return the place behind a further terminal; None where it does not fit."""
        conf = interactive("", self.start).parser_state.parse_conf
        states = list(self.states)
        return Stopped(self.start, tuple(states), ()) if _take(conf, states, terminal) else None

    def ends(self) -> frozenset[str]:
        """Return the rules that may end here, by their aliases or their names."""
        conf = interactive("", self.start).parser_state.parse_conf
        actions = conf.states[self.states[-1]].values()
        rules = [rule for action, rule in actions if action is not Shift]
        return frozenset(str(rule.alias or rule.origin.name) for rule in rules)

    def goes_on(self, text: str, beyond: int) -> bool:
        """Return whether `text` fits here up to and with the first token behind `beyond`."""
        reading = interactive(text, self.start)
        reading.parser_state.state_stack[:] = self.states
        conf, stack = reading.parser_state.parse_conf, reading.parser_state.state_stack
        try:
            for token in reading.lexer_thread.lex(reading.parser_state):
                if not _take(conf, stack, token.type):
                    return False
                if token.start_pos > beyond:
                    return True
        except UnexpectedInput:
            return False
        return True


def _take(conf: Any, stack: list[int], terminal: str) -> bool:
    """Change a stack of states as the parser would; False when the terminal does not fit."""
    while True:
        found = conf.states[stack[-1]].get(terminal)
        if found is None:
            return False
        action, target = found
        if action is Shift:
            stack.append(target)
            return True
        size = len(target.expansion)
        if size:
            del stack[-size:]
        stack.append(conf.states[stack[-1]][target.origin.name][1])
        if terminal == "$END" and stack[-1] == conf.end_state:
            return True
