"""The loop over lark's table and tokens that builds a node at every reduction.

lark's own loop makes a tree first, gives a position to every level of precedence that a value
passes through, and needs a second walk to make nodes: measured, that took three times as long. The
table, the contextual lexer and the shaping of children (what is filtered, inlined, left out) are
lark's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, cast

from lark import Token, Tree, UnexpectedInput
from lark.parsers.lalr_analysis import Shift

from .growth import MAX_LEVELS, Growing
from .names import is_name, reserved_words
from .span import Span
from .stopped import Stopped
from .syntax import Start, interactive

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
    run = _Run(text, start, growing, make)
    try:
        return run.all()
    except UnexpectedInput as error:
        # The lexer found nothing that fits: nothing has been reduced for it.
        stopped = Stopped(start, tuple(run.state.state_stack), tuple(run.values))
        raise Unfit(error.pos_in_stream or 0, stopped) from None


def _may_name(text: str) -> bool:
    return is_name(text) and text not in reserved_words()


class _Run:
    """The stacks of one parse: what was built, where it begins and ends, how deep it is."""

    def __init__(self, text: str, start: Start, growing: Growing, make: Make) -> None:
        reading = interactive(text, start)
        self.state: Any = reading.parser_state
        self.tokens: Iterator[Token] = reading.lexer_thread.lex(self.state)
        self.start: Start = start
        self.length = len(text)
        self.growing = growing
        self.make = make
        self.values: list[Any] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.depths: list[int] = []

    def all(self) -> Any:
        for token in self.tokens:
            at = token.start_pos or 0
            token.type = self.take(token.type, at, token)
            self.values.append(token)
            self.starts.append(at)
            self.ends.append(at + len(token))
            self.depths.append(0)
            if len(self.values) > MAX_HELD:
                self.growing.too_deep(self.growing.span(at, at + len(token)))
                raise TooDeep
        self.take("$END", self.length, "")
        return self.values[-1]

    def take(self, terminal: str, at: int, text: str) -> str:
        """Reduce until the terminal can be shifted, or at the end until nothing is left to do.

        Gives what it was taken for. LALR has one state for a type wherever one stands, so that the
        lexer finds behind the type of a field the words that begin a statement behind `wait`, too.
        """
        stack: list[int] = self.state.state_stack
        conf = self.state.parse_conf
        states, end_state = conf.states, conf.end_state
        skips = _skips()
        # A wrong token may close much that it can follow elsewhere before it is known to be wrong.
        before, values = tuple(stack), tuple(self.values)
        while True:
            here = stack[-1]
            found = states[here].get(terminal)
            if found is None and "NAME" in states[here] and _may_name(text):
                terminal = "NAME"
                found = states[here][terminal]
            if found is None:
                raise Unfit(at, Stopped(self.start, before, values))
            action, target = found
            if action is Shift:
                stack.append(target)
                return terminal
            if len(target.expansion) == 1 and target.options.expand1 and target.alias is None:
                key = (stack[-2], here, terminal)
                skipped = skips.get(key)
                if skipped is None:
                    skipped = skips[key] = _skip(states, *key)
                stack[-1] = skipped
            else:
                self.reduce(target, conf.callbacks)
                stack.append(states[stack[-1]][target.origin.name][1])
            if terminal == "$END" and stack[-1] == end_state:
                return terminal

    def reduce(self, rule: Any, callbacks: Any) -> None:
        size = len(rule.expansion)
        values, starts, ends, depths = self.values, self.starts, self.ends, self.depths
        if size:
            children = values[-size:]
            start, end, depth = starts[-size], ends[-1], max(depths[-size:])
            del values[-size:], starts[-size:], ends[-size:], depths[-size:]
            del self.state.state_stack[-size:]
        else:
            children, depth = [], 0
            start = end = ends[-1]
        value = callbacks[rule](children)
        # A name that begins with an underscore is a list that its parent takes apart.
        if type(value) is Tree and value.data[0] != "_":
            tree = cast(Any, value)
            leaf = self.growing.leaf
            inner: list[Any] = tree.children
            made = [leaf(child) if type(child) is Token else child for child in inner]
            name, span = str(tree.data), self.growing.span(start, end)
            value = self.make(name, span, made)
            depth = 0 if name in _FRESH else depth + 1
            if depth > MAX_LEVELS:
                self.growing.too_deep(span)
        values.append(value)
        starts.append(start)
        ends.append(end)
        depths.append(depth)


@cache
def _skips() -> Skips:
    """Where each level of precedence that only hands a value on leads to, as far as is known."""
    return {}


def _skip(states: Any, below: int, here: int, terminal: str) -> int:
    """Follow the reductions that hand on one value; `below` is the state before that value."""
    while True:
        action, rule = states[here].get(terminal, (Shift, None))
        if action is Shift or len(rule.expansion) != 1:
            return here
        if not rule.options.expand1 or rule.alias is not None:
            return here
        here = states[below][rule.origin.name][1]
