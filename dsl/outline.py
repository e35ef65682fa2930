"""The outline of a text before it is parsed: its declarations, comments, and broken characters.

One pass over what cannot be told from the grammar alone: texts that are not closed (S102),
characters that stand nowhere (S103), nesting (S104) and braces (S106). It cuts the text at the
declarations, so that a mistake in one leaves the others to be parsed, and finds nothing twice.
"""

from __future__ import annotations

import re

from msgspec import Struct

from .brackets import Brackets
from .characters import curly_quotes, foreign_quotes, not_allowed, readable
from .diagnostics import Diagnostic, problem
from .source import Source
from .span import Span

# Whoever sees so many has opened the wrong file.
MAX_MISTAKES = 500
DECLARATIONS = ("edition", "import", "record", "enum", "tool", "agent", "saga", "scenario")
NAMING = ("record", "enum", "tool", "agent", "saga")

# Runs of what matters nowhere come first: a search that stepped through them character by character
# took a minute for a file of blanks.
_PIECE = re.compile(
    r"""(?P<dull>[\s,:.=<>+*/%?!;@&|^~$\\`]+ | [0-9]\w* | -(?!>))
    | (?P<prefix>[fFrRbBuU]{1,2}(?=["']))
    | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<comment>\#[^\n]*)
    | (?P<doc>\"""[\s\S]*?\""")
    | (?P<open_doc>\"""[\s\S]*)
    | (?P<text>"[^"\\\n]*(?:\\.[^"\\\n]*)*")
    | (?P<open_text>"[^\n]*)
    | (?P<foreign>'[^'\n]*')
    | (?P<curly>[\u201c\u201e\u00ab][^\u201c-\u201f\u00ab\u00bb"\n]*[\u201c\u201d\u00bb])
    | (?P<open>[{(\[])
    | (?P<close>[})\]])
    | (?P<arrow>->)
    | (?P<strange>[^\x20-\x7e\n\t]+)""",
    re.VERBOSE | re.ASCII,
)
_WORDS = frozenset((*DECLARATIONS, "for"))
# Patterns for what is rare are compiled where it is met: `re` keeps them.
_FROM = r"\s*from\s+[\w.]+\s+\Z"
_BLANK = re.compile(r"\s*(?:#[^\n]*\s*)*")
# What can only be the head of a declaration, wherever it stands: used where braces are missing.
_HEAD = re.compile(
    r"""(?:(?:record|enum)\s+\w+\s*\{ | (?:tool|agent|saga)\s+\w+\s*\( | scenario\s*" | import\s*\{
    | edition\s+\d)""",
    re.VERBOSE,
)
# In these a character that cannot be seen may still mislead whoever reads the program.
_HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


class Comment(Struct, frozen=True):
    """A comment from `#` to the end of its line."""

    span: Span
    text: str


class Chunk(Struct, frozen=True):
    """The text of one declaration, or what stands in the place of one.

    It is `sound` when the outline has reported nothing in it. `broken_from` is the offset of the
    first mistake that could not be repaired: what the parser finds there or later follows from
    that. A chunk too deep is not parsed at all.
    """

    start: int
    end: int
    sound: bool
    broken_from: int | None
    too_deep: bool


class Outline(Struct, frozen=True):
    """What one pass over a source gives.

    `readable` is the source with every repaired mistake replaced by as many characters that can be
    parsed, so that one wrong quotation mark does not hide the mistakes behind it.
    """

    readable: Source
    chunks: tuple[Chunk, ...]
    comments: tuple[Comment, ...]
    diagnostics: tuple[Diagnostic, ...]


def outline(source: Source) -> Outline:
    """Cut a source into declarations and report what is wrong with its characters."""
    first = _Pass(source, heads_end_blocks=False)
    first.run()
    if first.brackets.sound:
        return first.outcome()
    # Some brace is missing: the heads of declarations tell best where the last one ended.
    second = _Pass(source, heads_end_blocks=True)
    second.run()
    return second.outcome()


class _Pass:
    """The state of one pass; nothing of it is kept."""

    def __init__(self, source: Source, *, heads_end_blocks: bool) -> None:
        self.source = source
        self.text = source.text
        self.heads_end_blocks = heads_end_blocks
        self.brackets = Brackets(source)
        self.chunks: list[Chunk] = []
        self.comments: list[Comment] = []
        self.diagnostics: list[Diagnostic] = []
        self.start = 0
        self.keyword: str | None = None
        self.sound = True
        self.broken_from: int | None = None
        self.repairs: list[tuple[int, str]] = []
        # A text that is not closed may have swallowed brackets: their count proves nothing then.
        self.count_is_off = False
        self.names_next = False
        self.looked_at = 0

    def run(self) -> None:
        for piece in _PIECE.finditer(self.text):
            kind, at = piece.lastgroup, piece.start()
            if kind == "dull" or (kind == "word" and piece.group() not in _WORDS):
                continue
            blank_before = _is_blank(self.text, self.looked_at, at)
            if kind == "comment":
                self.comments.append(Comment(self.span(piece), piece.group()))
                self.hidden(piece)
                self.looked_at = piece.end() if blank_before else self.looked_at
                continue
            named = self.names_next and blank_before
            self.names_next = False
            self.looked_at = piece.end()
            self.one(kind or "", piece, named)
        self.end()

    def one(self, kind: str, piece: re.Match[str], named: bool) -> None:
        at = piece.start()
        if kind == "open":
            self.brackets.open(piece.group(), at)
        elif kind == "close":
            self.close(piece)
        elif kind == "word":
            self.word(piece, named)
        elif kind == "arrow":
            self.names_next = True
        elif kind == "text":
            self.hidden(piece)
        elif kind == "doc":
            if self.brackets.depth == 0:
                self.cut(at)
            self.hidden(piece)
        elif len(self.diagnostics) >= MAX_MISTAKES:
            self.sound, self.broken_from = (
                False,
                at if self.broken_from is None else self.broken_from,
            )
        elif kind == "strange":
            self.mistake(at, not_allowed(self.source, at), readable(piece.group()))
        elif kind == "prefix":
            found = foreign_quotes(self.source, self.span(piece))
            self.mistake(at, found, " " * len(piece.group()))
        elif kind == "foreign":
            found = foreign_quotes(self.source, self.span(piece))
            self.mistake(at, found, f'"{"x" * (len(piece.group()) - 2)}"')
        elif kind == "curly":
            found = curly_quotes(self.source, self.span(piece))
            self.mistake(at, found, f'"{"x" * (len(piece.group()) - 2)}"')
        elif kind == "open_text":
            self.count_is_off = True
            self.mistake(at, _text_not_closed(self.span(piece)))
        elif kind == "open_doc":
            self.count_is_off = True
            self.mistake(at, _doc_not_closed(self.source, at))

    def word(self, piece: re.Match[str], named: bool) -> None:
        word, at = piece.group(), piece.start()
        # A field, or a name that someone wrote with hyphens; or `from payments import charge`.
        if self.text[at - 1 : at] in (".", "-"):
            return
        if word == "import" and re.search(_FROM, self.text[self.text.rfind("\n", 0, at) + 1 : at]):
            return
        if word == "for":
            self.names_next = True
            return
        if self.brackets.depth and self.heads_end_blocks and self.is_head(at):
            if not self.count_is_off:
                self.mistake_all(at, self.brackets.missing(at, word))
            deep = self.brackets.too_deep_at
            self.brackets = Brackets(self.source)
            self.brackets.too_deep_at = deep
        if self.brackets.depth or named:
            return
        doc_only = self.keyword is None and self.text.startswith('"""', self.first_word())
        if not doc_only:
            self.cut(at)
        self.keyword = word
        self.names_next = word in NAMING

    def is_head(self, at: int) -> bool:
        line_start = self.source.line_starts[self.source.position(at).line - self.source.first_line]
        return line_start == at and _HEAD.match(self.text, at) is not None

    def close(self, piece: re.Match[str]) -> None:
        at = piece.start()
        found = self.brackets.close(piece.group(), at)
        if found is not None and self.heads_end_blocks and not self.count_is_off:
            # What does not fit behind the bracket that was not closed follows from that.
            self.mistake(found.labels[1].start, found)
        if self.brackets.depth == 0 and piece.group() == "}" and self.keyword != "import":
            self.cut(piece.end())

    def cut(self, at: int) -> None:
        """End the chunk at `at`, if there is anything in it."""
        first = self.first_word()
        if first < at:
            deep = self.brackets.too_deep_at
            self.chunks.append(Chunk(first, at, self.sound, self.broken_from, deep is not None))
            if deep is not None:
                self.diagnostics.append(self.brackets.too_deep(deep))
            self.brackets.too_deep_at = None
            self.sound, self.broken_from = True, None
        self.start = at
        self.keyword = None

    def end(self) -> None:
        at = len(self.text)
        if self.brackets.depth and not self.count_is_off:
            self.mistake_all(at, self.brackets.missing(at, None))
        self.cut(at)
        if self.count_is_off:
            self.brackets.sound = False

    def mistake(self, at: int, diagnostic: Diagnostic, repair: str | None = None) -> None:
        if len(self.diagnostics) < MAX_MISTAKES:
            self.diagnostics.append(diagnostic)
        self.sound = False
        if repair is not None:
            self.repairs.append((at, repair))
        elif self.broken_from is None:
            self.broken_from = at

    def mistake_all(self, at: int, diagnostics: list[Diagnostic]) -> None:
        for diagnostic in diagnostics:
            self.mistake(at, diagnostic)

    def hidden(self, piece: re.Match[str]) -> None:
        found = _HIDDEN.search(self.text, piece.start(), piece.end())
        if found is not None:
            at = found.start()
            self.mistake(at, not_allowed(self.source, at, hidden=True), " ")

    def repaired(self) -> Source:
        if not self.repairs:
            return self.source
        parts: list[str] = []
        done = 0
        for at, repair in self.repairs:
            parts += (self.text[done:at], repair)
            done = at + len(repair)
        text = "".join(parts) + self.text[done:]
        return Source(self.source.name, text, self.source.first_line)

    def first_word(self) -> int:
        blank = _BLANK.match(self.text, self.start)
        return blank.end() if blank else self.start

    def span(self, piece: re.Match[str]) -> Span:
        return Span(self.source.name, piece.start(), piece.end())

    def outcome(self) -> Outline:
        return Outline(
            self.repaired(), tuple(self.chunks), tuple(self.comments), tuple(self.diagnostics)
        )


def _is_blank(text: str, start: int, end: int) -> bool:
    return start == end or text[start:end].isspace()


def _text_not_closed(span: Span) -> Diagnostic:
    return problem(
        "S102",
        "This text is not closed on its line.",
        span,
        'no `"` follows on this line',
        helps=[
            r'A text ends on the line it begins on: close it with `"`, write `\n` for a new line.'
        ],
    )


def _doc_not_closed(source: Source, at: int) -> Diagnostic:
    return problem(
        "S102",
        'This documentation is not closed: no `"""` follows.',
        Span(source.name, at, at + 3),
        "it begins here",
        helps=['Documentation stands between `"""` and `"""`, in front of what it documents.'],
    )
