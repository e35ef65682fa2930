"""The malformed programs of the grammar, which teach what to say where parsing stops.

Each file in `grammar/malformed` says what is wrong, then shows programs that are: wherever the same
tokens would have fitted as where parsing stops in them, the same is said. After lark's
`match_examples` and C. Jeffery, *Generating LR syntax error messages from examples* (2003), which
go by the state of the parser; states of the contextual lexer differ where a reader sees no
difference, what would have fitted does not.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from msgspec import Struct

from .. import grammar
from .driver import Unfit, drive
from .expectations import words
from .growth import Growing
from .place import Place, place_of
from .source import Source
from .span import Span


class Lesson(Struct, frozen=True):
    """What one file says, and its programs."""

    name: str
    message: str
    helps: tuple[str, ...]
    programs: tuple[str, ...]


@cache
def lessons() -> tuple[Lesson, ...]:
    """Return the lessons in the order of their names."""
    folder = resources.files(grammar) / "malformed"
    files = sorted((file for file in folder.iterdir()), key=lambda file: file.name)
    return tuple(
        _lesson(file.name.removesuffix(".saga"), file.read_text(encoding="utf-8"))
        for file in files
        if file.name.endswith(".saga")
    )


def lesson_for(place: Place) -> Lesson | None:
    """Return the lesson for a place: where the same fits after the same word, or at least fits."""
    learned = _learned()
    return next((learned[key] for key in _keys(place) if key in learned), None)


Key = tuple[frozenset[str], str | None]


def _keys(place: Place) -> tuple[Key, ...]:
    keyword = None if place.keyword is None else str(place.keyword)
    here = (place.fitting, keyword)
    # Where only a name or a bracket fits, it is the word before it that says what is being read.
    telling = bool(words(place.fitting)) or set(place.fitting) == {"DURATION"}
    return (here, (place.fitting, None)) if telling else (here,)


@cache
def _learned() -> dict[Key, Lesson]:
    learned: dict[Key, Lesson] = {}
    for lesson in lessons():
        for program in lesson.programs:
            for key in _keys(place_in(program)):
                learned.setdefault(key, lesson)
    return learned


def place_in(program: str) -> Place:
    """Return the place where a malformed program stops; raises ValueError for a good one."""
    source = Source("malformed", program)
    piece = Span(source.name, 0, len(program))
    try:
        drive(program, "declaration", Growing(source, 0), lambda rule, span, made: None)
    except Unfit as unfit:
        return place_of(source, piece, unfit.at, unfit.stopped)
    raise ValueError(f"not malformed: {program}")


def _lesson(name: str, text: str) -> Lesson:
    message = ""
    helps: list[str] = []
    body: list[str] = []
    for line in text.splitlines(keepends=True):
        if line.startswith("# says: "):
            message = line.removeprefix("# says: ").strip()
        elif line.startswith("# help: "):
            helps.append(line.removeprefix("# help: ").strip())
        else:
            body.append(line)
    programs = [program.strip() for program in "".join(body).split("\n\n")]
    return Lesson(name, message, tuple(helps), tuple(program for program in programs if program))
