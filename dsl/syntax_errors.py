"""What to say of a place that does not fit the grammar (S101 and its kin).

The order: what comes from another language, words and numbers nearly right, what the malformed
examples teach, and last the plain list of what would have fitted.
"""

from __future__ import annotations

from .brackets import CLOSING
from .characters import NOWHERE, not_allowed
from .diagnostics import Diagnostic, Fix, problem, replacement
from .expectations import in_words, only
from .foreign_signs import missing_comma, walrus
from .foreign_statements import STATEMENTS
from .habits import HABITS
from .malformed import lesson_for
from .names import key_words
from .place import Lexeme, Place, place_of
from .source import Source
from .span import Span
from .spelling import joined_words, likely_word, number, point_and_word
from .stopped import Stopped
from .texts import never_closed


def explain(source: Source, piece: Span, at: int, stopped: Stopped) -> Diagnostic:
    """Say what is wrong at an offset of a source, where parsing a piece of it stopped."""
    place = place_of(source, piece, at, stopped)
    for habit in (
        missing_comma,
        walrus,
        joined_words,
        _broken_text,
        point_and_word,
        *STATEMENTS,
        *HABITS,
    ):
        found = habit(place)
        if found is not None:
            return found
    return number(place) or likely_word(place) or _taught(place)


def _taught(place: Place) -> Diagnostic:
    found = place.found
    if found.text in NOWHERE:
        return not_allowed(place.source, found.start)
    at_end = not found.text
    shown = found.text if len(found.text) <= 30 else found.text[:27] + "..."
    piece = "declaration" if place.stopped.start == "declaration" else "expression"
    unfit = f"This {piece} ends too early." if at_end else f"`{shown}` does not fit here."
    lesson = lesson_for(place)
    expected = f"expected {in_words(place.fitting)}"
    also: list[tuple[Span, str]] = []
    keyword = place.keyword
    if keyword is not None:
        begin = place.piece.start + keyword.start
        at = Span(place.source.name, begin, begin + len(keyword))
        if at.end < found.start and place.same_line(Lexeme("word", str(keyword), begin)):
            also.append((at, f"after this `{keyword}`"))
    gap, fix = _missing(place)
    return problem(
        "S101",
        unfit if lesson is None else lesson.message,
        gap or (place.span(found) if not at_end else Span(place.source.name, place.at, place.at)),
        expected,
        also=also if gap is None else (),
        helps=() if lesson is None else lesson.helps,
        fix=fix,
    )


def _missing(place: Place) -> tuple[Span | None, Fix | None]:
    """Tells where the one thing that fits is to be put, if all goes on behind it.

    What is missing at the end of a line is missing there, not where the next one begins.
    """
    found, before = place.found, place.near(-1)
    gap = Span(place.source.name, before.end, before.end)
    elsewhere = bool(found.text) and not place.same_line(before)
    missing = only(place.fitting)
    if set(place.fitting) == {"DURATION"} and found.text.isdigit():
        return None, replacement("ask", place.span(found), f"{found.text}s")
    if missing is None:
        return None, None
    # What is a word of the language may fit as a name and yet be meant as that word.
    as_a_name = found.text in key_words() and missing != "times"
    if missing in CLOSING or as_a_name or not found.text or not place.takes_before(missing):
        return (gap if elsewhere else None), None
    text = missing if missing == ":" else f" {missing}"
    return gap, replacement("ask", gap, text)


def _broken_text(place: Place) -> Diagnostic | None:
    """A quotation mark inside the braces of a text, which ends the text early."""
    text = place.near(-1)
    if text.kind != "text" or text.end != place.found.start or place.found.kind == "end":
        return None
    plain = text.text.replace("{{", "  ").replace("}}", "  ")
    if plain.count("{") <= plain.count("}"):
        return None
    opened = text.start + plain.rindex("{")
    return never_closed(Span(place.source.name, opened, opened + 1))
