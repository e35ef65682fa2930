"""Whatever a file holds: it is answered with diagnostics, never with an exception."""

from __future__ import annotations

import pytest

from sagalang.dsl import nodes as n
from sagalang.dsl.brackets import MAX_DEPTH
from sagalang.dsl.diagnostics import Diagnostic
from sagalang.dsl.formatter import format_module
from sagalang.dsl.growth import MAX_LEVELS
from sagalang.dsl.outline import MAX_MISTAKES
from sagalang.dsl.parser import MAX_LENGTH, parse
from sagalang.dsl.source import Source


def found(text: str) -> list[Diagnostic]:
    return list(parse(Source("t.saga", text)).diagnostics)


def codes(text: str) -> list[str]:
    return [diagnostic.code for diagnostic in found(text)]


def value(text: str) -> str:
    return f"saga s() {{ let x = {text} }}"


DEEP = 10_000


@pytest.mark.parametrize(
    "text",
    [
        value("[" * DEEP + "]" * DEEP),
        value("(" * DEEP + "1" + ")" * DEEP),
        value("{a:" * DEEP + "1" + "}" * DEEP),
        "saga s(a: bool) {" + "if a {" * DEEP + "}" * DEEP + "}",
        "record R { a: " + "list[" * DEEP + "int" + "]" * DEEP + "}",
        value("not " * 1000 + "a"),
        value("-" * 1000 + "a"),
        value(" or ".join(["a"] * 1000)),
        value("a" + ".b" * 1000),
        value("a" + "[0]" * 1000),
        value("if a then b else " * 1000 + "c"),
        value("not " * 100_000 + "a"),
        value("if a then b else " * 100_000 + "c"),
        value('"{' + "-" * 100_000 + 'a}"'),
        value('"{' + "[" * 1000 + "]" * 1000 + '}"'),
    ],
    ids=lambda text: text[:30],
)
def test_what_is_nested_too_deep_is_told_once(text: str) -> None:
    assert codes(text) == ["S104"]


def test_the_limits_themselves_are_allowed_and_can_be_formatted() -> None:
    blocks = MAX_DEPTH - 1
    inner = "let x = " + " + ".join(["a"] * (MAX_LEVELS - 2))
    text = "saga s(a: int) {" + "if a {" * blocks + inner + "}" * blocks + "}"
    parsed = parse(Source("t", text))
    assert parsed.diagnostics == ()
    assert parse(Source("t", format_module(parsed))).ok
    assert sum(1 for _ in n.walk(parsed.module)) > MAX_LEVELS
    assert MAX_DEPTH >= 50


@pytest.mark.parametrize(
    "text",
    ["\0" * 999, "\x01\x02" * 999, "é " * 2000, "'a' " * 2000, "tool x {}\n" * 2000, '"\n' * 2000],
    ids=["nul", "control", "accents", "quotes", "declarations", "texts"],
)
def test_a_file_full_of_mistakes_has_an_end(text: str) -> None:
    assert 1 <= len(found(text)) <= 2 * MAX_MISTAKES


def test_a_file_that_is_too_long_is_not_read() -> None:
    [diagnostic] = found("#" * (MAX_LENGTH + 1))
    assert diagnostic.code == "S104"
    assert f"{MAX_LENGTH:,}" in diagnostic.message


@pytest.mark.parametrize(
    "piece", ["#", " ", "\n", "x = "], ids=["comment", "blank", "lines", "text"]
)
def test_two_million_characters_are_read(piece: str) -> None:
    long = piece[0] * 2_000_000
    text = f'saga s() {{ let x = "{long}" }}' if piece == "x = " else long
    assert found(text) == []


def test_long_numbers_are_refused_not_computed() -> None:
    assert codes(value("9" * 5000)) == ["S107"]
    assert codes(value("0." + "9" * 5000)) == ["S107"]
    assert codes(f"saga s() {{ sleep {'9' * 5000}d }}") == ["S107"]


def test_mistakes_in_different_declarations_are_all_told_and_the_others_are_read() -> None:
    parsed = parse(
        Source(
            "t",
            "tool a() -> json { effect x }\n"
            "record Good { a: int }\n"
            "saga b() { step }\n"
            "saga c() { let a = 1 }\n"
            'saga d() { let a = "x }\n'
            "enum E { }\n",
        )
    )
    lines = [parsed.source.position(d.primary.start).line for d in parsed.diagnostics]
    assert lines == [1, 3, 5, 6]
    names = [each.name.text for each in n.of(parsed.module.declarations, n.Record)]
    assert names == ["Good"]
    assert len(n.of(parsed.module.declarations, n.Saga)) == 1


def test_independent_mistakes_in_one_declaration_are_all_told() -> None:
    text = "saga s(a: int) { let b = a is None; let c = 'x' let d = f(a=1) let e = True ** 2 }"
    said = [diagnostic.message for diagnostic in found(text)]
    assert said == [
        "`is` is written `==`: values have no identity, they are only equal or not.",
        "Nothing ends with a semicolon.",
        'A text stands between double quotation marks `"`.',
        "An argument is named with a colon.",
        "`True` is written `true` here.",
        "There is no power operator.",
    ]


TEXT = "tool t() -> json {\n  call python\n    effect %;\n}\n"


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        (TEXT, 3, 12),
        (TEXT.replace("\n", "\r\n"), 3, 12),
        (TEXT.replace("\n", "\r"), 3, 12),
        (TEXT.replace("    ", "\t"), 3, 9),
        ("\ufeff" + TEXT, 3, 12),
        ("\ufefftool % ", 1, 6),
        ('saga s() { let a = "😀😀" let b = % }', 1, 33),
        (TEXT + "\x1a", 3, 12),
    ],
    ids=["lf", "crlf", "cr", "tab", "mark", "mark on line 1", "emoji", "ctrl-z"],
)
def test_the_form_of_a_text_does_not_move_its_mistakes(text: str, line: int, column: int) -> None:
    parsed = parse(Source("t", text))
    place = parsed.source.position(parsed.diagnostics[0].primary.start)
    assert (place.line, place.column) == (line, column)


@pytest.mark.parametrize(
    "character", ["\ufeff", "\0", "\u00a0", "\u3000", "\u2028", "\u202e", "\u200d"]
)
def test_a_character_that_stands_nowhere_is_told_at_its_place_by_its_number(character: str) -> None:
    [diagnostic] = found(f"saga s() {{ {character} let x = 1 }}")
    assert diagnostic.code == "S103"
    assert diagnostic.primary.start == 11
    assert f"U+{ord(character):04X}" in diagnostic.message


@pytest.mark.parametrize("character", ["\u00a0", "\u3000", "\u2028", "\u200d", "é", "\t"])
def test_in_a_text_it_may_stand_if_it_hides_nothing(character: str) -> None:
    assert found(value(f'"{character}"')) == []


@pytest.mark.parametrize("character", ["\0", "\u202e", "\u2066", "\x1b", "\ud800"])
def test_what_hides_something_may_not_stand_in_texts_comments_or_documentation(
    character: str,
) -> None:
    assert codes(value(f'"{character}"')) == ["S103"]
    assert codes(f"# {character}\nedition 2026") == ["S103"]
    assert codes(f'"""{character}"""\nsaga s() {{ }}') == ["S103"]


def test_a_brace_that_is_missing_at_the_end_is_told_there_with_where_it_was_opened() -> None:
    [diagnostic] = found("saga s() {\n  let x = 1\n")
    assert diagnostic.code == "S106"
    assert diagnostic.primary.start == len("saga s() {\n  let x = 1\n")
    assert [label.start for label in diagnostic.labels if not label.primary] == [9]


def test_an_edition_stands_at_the_head() -> None:
    [diagnostic] = found("enum E { a }\nedition 2026\n")
    assert diagnostic.code == "S101"
    assert "head of the file" in diagnostic.message
