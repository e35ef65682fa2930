"""Brackets of all kinds: which is open, which was never closed (S106), how deep (S104)."""

from __future__ import annotations

import re

from .diagnostics import Diagnostic, Fix, problem, replacement
from .source import Source
from .span import Span

MAX_DEPTH = 64
CLOSING = {"{": "}", "(": ")", "[": "]"}
# At the end of a line: what does not end there goes on.
_GOES_ON = r"(?:[,(\[{:=+\-*/%<>.]|\b(?:and|or|not|in|if|then|else))\s*(?:#.*)?\Z"


class Brackets:
    """The brackets that are open at one place of a text."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.source_name = source.name
        self.stack: list[tuple[str, int]] = []
        self.sound = True
        self.too_deep_at: int | None = None
        # The first block whose `}` stands further left than the line that opens it.
        self.askew: tuple[int, int] | None = None

    @property
    def depth(self) -> int:
        """How many are open."""
        return len(self.stack)

    def open(self, bracket: str, at: int) -> None:
        """Take an opening bracket in."""
        self.stack.append((bracket, at))
        if len(self.stack) > MAX_DEPTH and self.too_deep_at is None:
            self.too_deep_at = at

    def close(self, bracket: str, at: int) -> Diagnostic | None:
        """Take a closing bracket in; what stands between it and its partner was never closed."""
        if self.stack and CLOSING[self.stack[-1][0]] == bracket:
            _, opened_at = self.stack.pop()
            if bracket == "}" and self.askew is None and self._askew(opened_at, at):
                self.askew = (opened_at, at)
            return None
        self.sound = False
        partner = next(
            (i for i in reversed(range(self.depth)) if CLOSING[self.stack[i][0]] == bracket), None
        )
        if partner is None:
            return None
        open_, opened_at = self.stack[-1]
        del self.stack[partner:]
        return problem(
            "S106",
            f"`{open_}` is closed by `{bracket}`.",
            Span(self.source_name, at, at + 1),
            f"a `{CLOSING[open_]}` is missing before this",
            also=[(Span(self.source_name, opened_at, opened_at + 1), "opened here")],
            helps=[f"Close it with `{CLOSING[open_]}`."],
            fix=self._at_line_end(open_, opened_at, at),
        )

    def missing(self, at: int, word: str | None) -> list[Diagnostic]:
        """Report, at the end or at the head of the next declaration, what is still open."""
        self.sound = False
        opened = self.stack[::-1]
        open_ = opened[0][0]
        where = "the text ends" if word is None else f"`{word}` begins another declaration"
        end = at if word is None else at + len(word)
        message = f"`{open_}` is never closed: {where}."
        also = [(Span(self.source_name, i, i + 1), f"this `{b}` is open") for b, i in opened[:3]]
        closing = "".join(CLOSING[bracket] for bracket, _ in opened[:3])
        if self.askew is not None and open_ == "{":
            return [self._lacking(*self.askew, Span(self.source_name, at, end), word)]
        return [
            problem(
                "S106",
                message,
                Span(self.source_name, at, end),
                f"`{closing}` expected before this" if word else f"`{closing}` expected",
                also=also,
                helps=["The indentation may show which block lacks its end."],
            )
        ]

    def _lacking(self, opened: int, closed: int, end: Span, word: str | None) -> Diagnostic:
        """Report the block whose `}` is missing, as the indentation shows it."""
        line = self.source.position(closed).line
        return problem(
            "S106",
            f"`{{` is never closed: the `}}` in line {line} stands too far left to be its own.",
            Span(self.source_name, opened, opened + 1),
            "this block lacks its `}`",
            also=[
                (Span(self.source_name, closed, closed + 1), "closes another block, by its place"),
                (end, "one `}` is missing before this" if word else "one `}` is missing"),
            ],
            helps=["Close the block where its last statement ends."],
        )

    def _askew(self, opened: int, closed: int) -> bool:
        """Tells whether a `}` begins its line, further left than the line of its `{` begins."""
        own, indented = self._indent(closed)
        if not indented:
            return False
        return own < self._indent(opened)[0]

    def _indent(self, at: int) -> tuple[int, bool]:
        """Gives how far the line of an offset is indented, and whether nothing stands before it."""
        text = self.source.text
        start = text.rfind("\n", 0, at) + 1
        blank = len(text[start:at]) - len(text[start:at].lstrip(" \t"))
        return blank, start + blank == at

    def _at_line_end(self, open_: str, opened_at: int, at: int) -> Fix | None:
        """Closes a bracket where its line ends, when nothing there says that it goes on."""
        text = self.source.text
        end = text.find("\n", opened_at, at)
        if open_ == "{" or end < 0 or re.search(_GOES_ON, text[opened_at:end]):
            return None
        place = opened_at + len(text[opened_at:end].split("#")[0].rstrip())
        return replacement("ask", Span(self.source_name, place, place), CLOSING[open_])

    def too_deep(self, at: int) -> Diagnostic:
        """Report the bracket that goes too deep."""
        return problem(
            "S104",
            f"This is nested more than {MAX_DEPTH} deep.",
            Span(self.source_name, at, at + 1),
            f"level {MAX_DEPTH + 1}",
            helps=["Name an inner part with `let`, or make it a saga or a record of its own."],
        )
