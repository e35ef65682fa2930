"""The loop over the table and the tokens that builds a node at every reduction.

lark's own loop makes a tree first, gives a position to every level of precedence that a value
passes through, and needs a second walk to make nodes: measured, that took three times as long. The
table and the shaping of children (what is filtered, inlined, left out) are lark's; lark itself is
not needed once the table is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from .growth import MAX_LEVELS, Growing
from .lexer import Foreign, Token, lexer
from .names import is_name, reserved_words
from .span import Span
from .stopped import Stopped
from .syntax import Start, table
from .table import Rule

Make = Callable[[str, Span, list[Any]], Any]
Skips = dict[tuple[int, int, str], int]

# More than brackets and levels of expressions at their limits can take. Without a limit a text of
# nothing but `not` costs the square of its length: each token looks at all that is still open.
MAX_HELD = 4000
# Each block or clause begins anew: the brackets around it are counted by the outline.
_FRESH = frozenset({"statement", "tool_clause", "agent_clause", "override", "verdict"})


class TooDeep(Exception):
    """The text is nested deeper than any program; that has been reported."""


class Unfit(Exception):
    """The text does not fit the grammar from an offset on."""

    def __init__(self, at: int, stopped: Stopped) -> None:
        super().__init__(f"unfit at {at}")
        self.at = at
        self.stopped = stopped


def drive(text: str, start: Start, growing: Growing, make: Make) -> Any:
    """Parse a text: `make(rule, span, children)` is called for every match, inner ones first.

    Children are nodes or what `make` returned; what is left out in the grammar's `[ ]` is None.
    Raises Unfit with the offset in `text` of the first token that does not fit, or TooDeep.
    """
    return _Run(text, start, growing, make).all()


def _may_name(text: str) -> bool:
    return is_name(text) and text not in reserved_words()


class _Run:
    """The stacks of one parse: what was built, where it begins and ends, how deep it is."""

    def __init__(self, text: str, start: Start, growing: Growing, make: Make) -> None:
        self.text = text
        self.start: Start = start
        self.growing = growing
        self.make = make
        self.known = table()
        self.states = [self.known.starts[start]]
        self.values: list[Any] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.depths: list[int] = []

    def all(self) -> Any:
        read, states, at = lexer().token, self.known.states, 0
        while True:
            try:
                token = read(self.text, at, states[self.states[-1]])
            except Foreign as foreign:
                # Nothing that fits: nothing has been reduced for it.
                stopped = Stopped(self.start, tuple(self.states), tuple(self.values))
                raise Unfit(foreign.at, stopped) from None
            if token is None:
                break
            at = token.start + len(token)
            token.type = self.take(token.type, token.start, token)
            self.values.append(token)
            self.starts.append(token.start)
            self.ends.append(at)
            self.depths.append(0)
            if len(self.values) > MAX_HELD:
                self.growing.too_deep(self.growing.span(token.start, at))
                raise TooDeep
        self.take("$END", len(self.text), "")
        return self.values[-1]

    def take(self, terminal: str, at: int, text: str) -> str:
        """Reduce until the terminal can be shifted, or at the end until nothing is left to do.

        Gives what it was taken for. LALR has one state for a type wherever one stands, so that the
        lexer finds behind the type of a field the words that begin a statement behind `wait`, too.
        """
        stack, states, rules = self.states, self.known.states, self.known.rules
        end_state = self.known.ends[self.start]
        skips = _skips()
        # A wrong token may close much that it can follow elsewhere before it is known to be wrong.
        before, values = tuple(stack), tuple(self.values)
        while True:
            here = stack[-1]
            target = states[here].get(terminal)
            if target is None and "NAME" in states[here] and _may_name(text):
                terminal = "NAME"
                target = states[here][terminal]
            if target is None:
                raise Unfit(at, Stopped(self.start, before, values))
            if target >= 0:
                stack.append(target)
                return terminal
            rule = rules[~target]
            if rule.hands_on:
                key = (stack[-2], here, terminal)
                skipped = skips.get(key)
                if skipped is None:
                    skipped = skips[key] = _skip(states, rules, *key)
                stack[-1] = skipped
            else:
                self.reduce(rule)
                stack.append(states[stack[-1]][rule.origin])
            if terminal == "$END" and stack[-1] == end_state:
                return terminal

    def reduce(self, rule: Rule) -> None:
        size = rule.size
        values, starts, ends, depths = self.values, self.starts, self.ends, self.depths
        if size:
            children = values[-size:]
            start, end, depth = starts[-size], ends[-1], max(depths[-size:])
            del values[-size:], starts[-size:], ends[-size:], depths[-size:]
            del self.states[-size:]
        else:
            children, depth = [], 0
            start = end = ends[-1]
        if not rule.whole:
            children = _shaped(rule, children)
        value: Any = children
        if rule.alone and len(children) == 1:
            value = children[0]
        elif not rule.repeats:
            leaf = self.growing.leaf
            made = [leaf(child) if type(child) is Token else child for child in children]
            span = self.growing.span(start, end)
            value = self.make(rule.name, span, made)
            depth = 0 if rule.name in _FRESH else depth + 1
            if depth > MAX_LEVELS:
                self.growing.too_deep(span)
        values.append(value)
        starts.append(start)
        ends.append(end)
        depths.append(depth)


def _shaped(rule: Rule, values: list[Any]) -> list[Any]:
    """Give the children of a rule; a list that comes first is grown, so that long ones are read
    in time that grows with their length alone."""
    children: list[Any] = []
    for place, listed, nones in rule.children:
        if nones:
            children += [None] * nones
        if not listed:
            children.append(values[place])
        elif children:
            children += values[place]
        else:
            children = values[place]
    if rule.behind:
        children += [None] * rule.behind
    return children


@cache
def _skips() -> Skips:
    """Where each level of precedence that only hands a value on leads to, as far as is known."""
    return {}


def _skip(
    states: Sequence[Mapping[str, int]],
    rules: Sequence[Rule],
    below: int,
    here: int,
    terminal: str,
) -> int:
    """Follow the reductions that hand on one value; `below` is the state before that value."""
    while True:
        target = states[here].get(terminal, 0)
        if target >= 0 or not rules[~target].hands_on:
            return here
        here = states[below][rules[~target].origin]
