"""The parser where it stopped: what would have fitted, and whether another word would go on.

Both are read off the parser's table: nothing is built, nothing before the place is read again.
"""

from __future__ import annotations

from msgspec import Struct

from .lexer import Foreign, Token, lexer
from .syntax import Start, table


class Stopped(Struct, frozen=True):
    """The stacks before the token that does not fit: states, and what they stand for."""

    start: Start
    states: tuple[int, ...]
    values: tuple[object, ...]

    def fitting(self) -> frozenset[str]:
        """Return the terminals that would have fitted, `$END` among them."""
        candidates = [name for name in table().states[self.states[-1]] if name.isupper()]
        return frozenset(name for name in candidates if self._take(list(self.states), name))

    def keyword(self) -> Token | None:
        """Return the last word of the language before the place: it says what is being read."""
        for value in reversed(self.values):
            if isinstance(value, Token) and value.type != "NAME" and value.isalpha():
                return value
        return None

    def then(self, terminal: str) -> Stopped | None:
        """Return the place behind a further terminal; None where it does not fit."""
        states = list(self.states)
        return Stopped(self.start, tuple(states), ()) if self._take(states, terminal) else None

    def ends(self) -> frozenset[str]:
        """Return the rules that may end here, by their aliases or their names."""
        known = table()
        targets = known.states[self.states[-1]].values()
        return frozenset(known.rules[~target].name for target in targets if target < 0)

    def goes_on(self, text: str, beyond: int) -> bool:
        """Return whether `text` fits here up to and with the first token behind `beyond`."""
        read, known, states, at = lexer().token, table(), list(self.states), 0
        try:
            while (token := read(text, at, known.states[states[-1]])) is not None:
                if not self._take(states, token.type):
                    return False
                if token.start > beyond:
                    return True
                at = token.start + len(token)
        except Foreign:
            return False
        return True

    def _take(self, states: list[int], terminal: str) -> bool:
        """Change a stack of states as the parser would; False when the terminal does not fit."""
        known = table()
        while True:
            target = known.states[states[-1]].get(terminal)
            if target is None:
                return False
            if target >= 0:
                states.append(target)
                return True
            rule = known.rules[~target]
            if rule.size:
                del states[-rule.size :]
            states.append(known.states[states[-1]][rule.origin])
            if terminal == "$END" and states[-1] == known.ends[self.start]:
                return True
