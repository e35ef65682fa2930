"""Where the text of a `%%saga` cell begins: lines as the reader of the notebook counts them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..dsl.source import Source

UNKNOWN = "the saga text"
"""What messages call a text whose cell nobody knows, as when a program runs the magic."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell parted into the options of its magic and its text."""

    source: Source
    options: str


def locate(raw: str | None, line: str, body: str, number: int) -> Cell:
    r"""Finds the text of a magic in its cell.

    `raw` is the whole cell as it was typed, None when nobody knows it; `line` and `body` are what
    IPython hands to the magic; `number` is the k of `In[k]`. A line of options that ends with a
    backslash goes on in the next line, which IPython counts as body.

    >>> locate("\n\n%%saga --quiet\nedition 2026", "--quiet", "edition 2026\n", 3).source.first_line
    4
    """
    whole = [] if raw is None else Source("", raw).text.split("\n")
    magic = leading(whole)
    # IPython drops blank lines before the magic and a common indentation, so neither the number of
    # the body's first line nor its columns can be told from the body alone.
    typed = whole[magic + 1 :]
    known = magic < len(whole) and whole[magic].strip().startswith("%%") and _same(typed, body)
    lines = typed if known else Source("", body).text.split("\n")
    first = magic + 2 if known else 1
    parts = [line.rstrip()]
    while parts[-1].endswith("\\") and lines:
        parts[-1] = parts[-1][:-1]
        parts.append(lines.pop(0).strip())
        first += 1
    name = f"Cell In[{number}]" if known else UNKNOWN
    source = Source(name, "\n".join(lines), first)
    return Cell(source, " ".join(part.strip() for part in parts))


def leading(lines: Sequence[str]) -> int:
    """Gives how many lines of a cell stand before what IPython runs.

    Blank lines it drops itself; `without_remarks` drops remarks in front of one of our magics.
    """
    blank = next((at for at, text in enumerate(lines) if text.strip()), len(lines))
    magic = next((at for at, text in enumerate(lines) if not _remark(text)), len(lines))
    return magic if magic < len(lines) and lines[magic].startswith("%%saga") else blank


def without_remarks(lines: list[str]) -> list[str]:
    """Takes the remarks in front of one of our magics out of a cell.

    With them, IPython would take the cell for Python, and Python's own error says nothing of that.
    """
    return lines[leading(lines) :]


def _remark(text: str) -> bool:
    return not text.strip() or text.lstrip().startswith("#")


def _same(typed: list[str], body: str) -> bool:
    """Whether a body is what was typed: IPython takes indentation away and adds a last line end."""
    given = Source("", body).text
    return [text.strip() for text in "\n".join(typed).rstrip().split("\n")] == [
        text.strip() for text in given.rstrip().split("\n")
    ]
