"""What the grammar accepts at a place in a text that is being written, and what was read before.

The parser itself tells: it is stopped there. Where it stumbles earlier, that token is passed over.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from ..dsl.declaration_builder import DeclarationBuilder
from ..dsl.driver import TooDeep, Unfit, drive
from ..dsl.growth import Growing
from ..dsl.lexer import Token
from ..dsl.nodes import Node, Statement
from ..dsl.outline import outline
from ..dsl.source import Source
from ..dsl.stopped import Stopped
from ..dsl.syntax import Start

MOST_PASSED_OVER = 60
"""Most tokens that are passed over before the place."""
# No terminal matches it: the parser stops there at the latest.
_STOP = "\0"
_TOKEN = re.compile(r'[A-Za-z_]\w*|"[^"\n]*"?|[0-9][\w.]*|->|\S')
_HEAD = re.compile(r'#[^\n]*|"""[\s\S]*?(?:"""|\Z)|"(?:[^"\\\n]|\\.)*(?:"|(?=\n)|\Z)|[^#"]+')
_BRACE = re.compile(r"\\.|\{\{|\}\}|[{}]")

Where = Literal["code", "text", "inside a text", "comment"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where somebody writes: the stopped parser, the word begun, and how sure that is.

    `before` is the text of the declaration up to the word, of a text up to its quotation mark.
    `text` is what has been written of a text. `sure`: nothing had to be passed over.
    `start` is where the declaration begins; `known` are statements before the place that have not
    been read, with their offsets in the whole text.
    """

    where: Where
    stopped: Stopped | None
    outer: Stopped | None
    before: str
    word: str
    text: str
    sure: bool
    start: int = 0
    known: Sequence[Statement] = ()

    def values(self) -> Iterator[object]:
        """Yields tokens and nodes of what was read before, flat, in the order written."""
        stopped = self.outer or self.stopped
        known = deque(self.known)
        for value in stopped.values if stopped is not None else ():
            for each in _flat(value):
                at = each.start if isinstance(each, Token) else each.span.start
                while known and known[0].span.start < self.start + at:
                    yield known.popleft()
                yield each
        yield from known

    def behind(self) -> list[object]:
        """Gives what stands directly before the word, flat."""
        values = self.stopped.values if self.stopped is not None else ()
        return [each for value in values[-3:] for each in _flat(value)]


def place(source: Source, offset: int, known: Sequence[Statement] = ()) -> Place:
    """Finds out what may stand at an offset; of `known` statements the source holds blanks."""
    start = _declaration(source, offset)
    known = sorted((each for each in known if each.span.start >= start), key=_start)
    head = source.text[start:offset]
    where, at = _lexically(head)
    word = re.search(r"[A-Za-z_]\w*\Z", head)
    begun = word.group() if word is not None else ""
    if where == "comment":
        return Place(where, None, None, head, begun, "", True)
    if where == "code":
        before = head[: len(head) - len(begun)]
        stopped, sure = _stopped(before, "declaration")
        return Place(where, stopped, None, before, begun, "", sure, start, known)
    outer, sure = _stopped(head[:at], "declaration")
    written = head[at + 1 :]
    brace = _open_brace(written)
    if brace is None:
        return Place("text", None, outer, head[:at], begun, written, sure, start, known)
    expression = written[brace + 1 : len(written) - len(begun)]
    inner, inner_sure = _stopped(expression, "interpolation")
    both = sure and inner_sure
    return Place("inside a text", inner, outer, head[:at], begun, written, both, start, known)


def _start(statement: Statement) -> int:
    return statement.span.start


def _declaration(source: Source, offset: int) -> int:
    """Gives where the declaration begins that is being written at an offset."""
    start = 0
    for chunk in outline(source).chunks:
        if chunk.start >= offset:
            break
        # Behind its last brace a declaration is over.
        over = chunk.end <= offset and source.text[chunk.start : chunk.end].rstrip().endswith("}")
        start = chunk.end if over else chunk.start
    return start


def _lexically(head: str) -> tuple[Where, int]:
    """Tells whether a text ends in code, in a comment, or in a text that begins at an offset."""
    where: Where = "code"
    at = 0
    for piece in _HEAD.finditer(head):
        found, last = piece.group(), piece.end() == len(head)
        if found.startswith("#"):
            where = "comment" if last else "code"
        elif found.startswith('"""'):
            where = "comment" if last and (len(found) < 6 or not found.endswith('"""')) else "code"
        elif found.startswith('"'):
            closed = len(found) > 1 and found.endswith('"') and not found.endswith('\\"')
            where, at = ("text" if last and not closed else "code"), piece.start()
        else:
            where = "code"
    return where, at


def _open_brace(text: str) -> int | None:
    """Gives where the `{` of an expression in a text stands that is not closed yet."""
    found: int | None = None
    for brace in _BRACE.finditer(text):
        if brace.group() == "{":
            found = brace.start()
        elif brace.group() == "}":
            found = None
    return found


def _stopped(text: str, start: Start) -> tuple[Stopped | None, bool]:
    """Stops the parser at the end of a text, passing over what it cannot read."""
    sure = True
    for _ in range(MOST_PASSED_OVER):
        stopped, at = _read(text, start)
        if stopped is None or at >= len(text):
            return stopped, sure
        sure = False
        line = text.rfind("\n", 0, at) + 1
        if text.find("\n", at) >= 0:
            text = _blank(text, line, text.index("\n", at))
            continue
        # What is wrong in the last line is often that the one before was left half-written.
        before = text.rstrip("\n").rfind("\n", 0, max(line - 1, 0)) + 1
        without = _blank(text, before, line)
        found, reached = _read(without, start)
        if found is not None and reached >= len(text):
            return found, False
        wrong = _TOKEN.match(text, at)
        text = _blank(text, at, wrong.end() if wrong is not None else at + 1)
    return None, False


def _read(text: str, start: Start) -> tuple[Stopped | None, int]:
    growing = Growing(Source("", text + _STOP), 0)
    try:
        drive(text + _STOP, start, growing, DeclarationBuilder(growing).make)
    except Unfit as unfit:
        return unfit.stopped, unfit.at
    except TooDeep:
        pass
    return None, 0


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]


def _flat(value: object) -> Iterator[Token | Node]:
    """Yields a value of the parser's stack; repetitions are lists of what they repeat."""
    if type(value) in (list, tuple):
        for child in cast(Sequence[object], value):
            yield from _flat(child)
    elif isinstance(value, Token | Node):
        yield value
