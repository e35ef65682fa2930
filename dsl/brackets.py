"""Brackets of all kinds: which is open, which was never closed (S106), how deep (S104)."""

from __future__ import annotations

from .diagnostics import Diagnostic, problem
from .span import Span

MAX_DEPTH = 64
CLOSING = {"{": "}", "(": ")", "[": "]"}


class Brackets:
    """The brackets that are open at one place of a text."""

    def __init__(self, source_name: str) -> None:
        self.source_name = source_name
        self.stack: list[tuple[str, int]] = []
        self.sound = True
        self.too_deep_at: int | None = None

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
            self.stack.pop()
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

    def too_deep(self, at: int) -> Diagnostic:
        """Report the bracket that goes too deep."""
        return problem(
            "S104",
            f"This is nested more than {MAX_DEPTH} deep.",
            Span(self.source_name, at, at + 1),
            f"level {MAX_DEPTH + 1}",
            helps=["Name an inner part with `let`, or make it a saga or a record of its own."],
        )
