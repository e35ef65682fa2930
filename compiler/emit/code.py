"""Python expressions as documents: built as data, printed in the style of ruff within 100 columns.

A document is a finished piece of code on one line (`str`), a `Group` of documents in brackets,
`Words`, a long text, or `Named`, what gets a name of its own wherever it stands. A group stands on
one line when it fits, else one item a line. What goes on forever inwards is cut: Python takes no
more than 200 open brackets, and nobody reads so far right; such a group becomes a name of its own,
defined before the statement that uses it. Where it is cut depends on the brackets alone, so that no
text can change the syntax tree of what is printed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

WIDTH = 100
DEEPEST = 18
"""How many brackets stand in each other before the next group gets a name of its own."""


class Group:
    """Items in brackets, each with a prefix such as `name=`.

    Items without prefixes in a call may share one line of their own between the brackets.
    """

    __slots__ = (
        "close", "height", "inner", "items", "lone", "named", "open", "positional", "width",
    )  # fmt: skip

    def __init__(self, opening: str, items: Iterable[tuple[str, Document]], closing: str) -> None:
        self.open = opening
        self.close = closing
        self.items = tuple(items)
        self.lone = opening == "(" and len(self.items) == 1
        self.positional = len(opening) > 1 and not any(prefix for prefix, _ in self.items)
        self.height = 1 + max((height(item) for _, item in self.items), default=0)
        self.named = any(_named(item) for _, item in self.items)
        alone = sum(len(prefix) + width(item) for prefix, item in self.items)
        self.inner = alone + 2 * max(0, len(self.items) - 1)
        self.width = len(opening) + self.inner + self.lone + len(closing)


class Words:
    """A text that may be broken between words; Python joins the pieces."""

    __slots__ = ("text", "width")

    def __init__(self, text: str) -> None:
        self.text = text
        self.width = len(quote(text))


class Named:
    """What is defined before the statement that uses it, under the name that is wished for."""

    __slots__ = ("document", "wish")

    def __init__(self, wish: str, document: Document) -> None:
        self.wish = wish
        self.document = document


Document = str | Group | Words | Named


def call(function: str, items: Iterable[tuple[str, Document]]) -> Group:
    """Gives the document of a call; the prefix of a positional argument is empty."""
    return Group(function + "(", items, ")")


def several(items: Iterable[Document]) -> Group:
    """Gives the document of a tuple."""
    return Group("(", (("", item) for item in items), ")")


def width(document: Document) -> int:
    """Gives the columns that a document takes on one line."""
    match document:
        case str():
            return len(document)
        case Named(wish=wish):
            return len(wish)
        case _:
            return document.width


def height(document: Document) -> int:
    """Gives how many brackets stand in each other in a document."""
    return document.height if isinstance(document, Group) else 0


def _named(document: Document) -> bool:
    return isinstance(document, Named) or (isinstance(document, Group) and document.named)


def flat(document: Document) -> str:
    """Prints a document on one line."""
    match document:
        case Named(document=inner):
            return flat(inner)
        case str():
            return document
        case Words(text=text):
            return quote(text)
        case Group():
            comma = "," if document.lone else ""
            return f"{document.open}{_inside(document)}{comma}{document.close}"


def _inside(group: Group) -> str:
    return ", ".join(prefix + flat(item) for prefix, item in group.items)


def quote(text: str) -> str:
    """Gives the literal of a text: what `repr` makes, in double quotes where that costs nothing."""
    literal = repr(text)
    if literal[0] == '"' or text.count('"') > text.count("'"):
        return literal
    inner = literal[1:-1].replace("\\'", "'").replace('"', '\\"')
    return f'"{inner}"'


def comment(text: str) -> str:
    """Gives a text for a comment: what is not printable is escaped, so it stays on its line."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def docstring(text: str, indent: int) -> str:
    """Gives the literal of a documentation, in triple quotes where nothing in it needs escaping."""
    lines = text.split("\n")
    plain = all(line.isprintable() and "\\" not in line and line == line.rstrip() for line in lines)
    if not plain or '"""' in text or text[:1] in ("", " ", '"') or text[-1:] == '"':
        return quote(text)
    margin = " " * indent
    rest = "".join(f"\n{margin}{line}" if line else "\n" for line in lines[1:])
    return f'"""{lines[0]}{rest}' + (f'\n{margin}"""' if rest else '"""')


def number(value: int) -> str:
    """Gives the literal of a whole number, its thousands set apart from five digits on."""
    return f"{value:_}" if abs(value) >= 10_000 else str(value)


class Printer:
    """Prints documents as the right sides of assignments; `give` makes names for what is cut."""

    def __init__(self, give: Callable[[str], str]) -> None:
        self._give = give

    def assign(self, name: str, document: Document) -> str:
        """Prints `name = document`, after whatever had to be named for it."""
        parts: list[tuple[str, Document]] = []
        whole = self._cut(document, 0, parts)
        return "\n\n".join(
            f"{part} = {_lay(value, 0, len(part) + 3)}\n" for part, value in [*parts, (name, whole)]
        )

    def _cut(self, document: Document, depth: int, parts: list[tuple[str, Document]]) -> Document:
        if isinstance(document, Named):
            inner = self._cut(document.document, 0, parts)
            name = self._give(document.wish)
            parts.append((name, inner))
            return name
        if not isinstance(document, Group):
            return document
        if depth + document.height <= DEEPEST and not document.named:
            return document
        if depth == DEEPEST:
            whole = self._cut(document, 0, parts)
            name = self._give("part")
            parts.append((name, whole))
            return name
        items = [(prefix, self._cut(item, depth + 1, parts)) for prefix, item in document.items]
        return Group(document.open, items, document.close)


def _lay(document: Document, indent: int, used: int) -> str:
    """Lays a document out where `used` columns of its line are taken by others."""
    if isinstance(document, str | Named) or indent + used + width(document) <= WIDTH:
        return flat(document)
    margin = " " * (indent + 4)
    if isinstance(document, Words):
        pieces = _pieces(document.text, indent + 4)
        if len(pieces) < 2:
            return flat(document)
        lines = "".join(f"{margin}{piece}\n" for piece in pieces)
        return f"(\n{lines}{margin[:-4]})"
    if not document.items:
        return flat(document)
    if indent + 4 + document.inner <= WIDTH and document.positional:
        return f"{document.open}\n{margin}{_inside(document)}\n{margin[:-4]}{document.close}"
    lines = "".join(
        f"{margin}{prefix}{_lay(item, indent + 4, len(prefix) + 1)},\n"
        for prefix, item in document.items
    )
    return f"{document.open}\n{lines}{margin[:-4]}{document.close}"


def _pieces(text: str, indent: int) -> list[str]:
    """Breaks a text into literals of at most the width, between words or after line breaks."""
    pieces: list[str] = []
    current = ""
    for word in re.findall(r"[^\s]*\s?", text):
        if current and (current.endswith("\n") or indent + len(quote(current + word)) > WIDTH):
            pieces.append(quote(current))
            current = ""
        current += word
    return [*pieces, quote(current)] if current else pieces
