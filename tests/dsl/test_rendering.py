"""Renderings: the terminal's, aligned whatever the characters, and the JSON that is promised."""

from __future__ import annotations

import json
import re

import pytest

from sagalang.dsl.cells import printable, width
from sagalang.dsl.diagnostics import (
    Diagnostic,
    Severity,
    has_errors,
    in_order,
    problem,
    replacement,
)
from sagalang.dsl.render_json import to_json
from sagalang.dsl.render_terminal import render
from sagalang.dsl.source import Source, Span


def rendered(text: str, diagnostic: Diagnostic, *, colour: bool = False) -> str:
    source = Source("shop.saga", text)
    return render([diagnostic], {source.name: source}, colour=colour)


def span(start: int, end: int) -> Span:
    return Span("shop.saga", start, end)


FULL = problem(
    "R502",
    "`mail` is sent, then `ship` is refused.",
    span(19, 23),
    "cannot be taken back",
    severity=Severity.WARNING,
    also=[(span(5, 9), "may be refused"), (span(0, 4), "")],
    helps=["Put `ship` first.", "Or accept it:\nsecond line"],
    fix=replacement("ask", span(0, 4), "mail"),
)


def test_it_says_it_shows_it_and_advises() -> None:
    assert (
        rendered("ship fail\n\nx\n\nthen mail it\n", FULL)
        == """\
warning[R502]: `mail` is sent, then `ship` is refused.
 --> shop.saga:5:6
  |
1 | ship fail
  | ----
  |      ---- may be refused
...
5 | then mail it
  |      ^^^^ cannot be taken back
  = help: Put `ship` first.
  = help: Or accept it:
          second line
  = a likely fix:
1 + mail fail

"""
    )


def test_with_colour_the_words_are_the_same() -> None:
    text = "ship fail\n\nx\n\nthen mail it\n"
    coloured = rendered(text, FULL, colour=True)
    assert "\x1b[1;33mwarning[R502]\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == rendered(text, FULL)


@pytest.mark.parametrize(
    "before",
    [
        "",
        "abc ",
        "\t",
        "a\tb\t",
        "😀😀 ",
        "日本 ",
        "e\u0301e\u0301 ",
        "\u202e\0 ",
        "é" * 500,
        "日\t" * 300,
    ],
    ids=["start", "ascii", "tab", "tabs", "emoji", "wide", "combining", "hidden", "long", "longer"],
)
def test_the_caret_stands_under_its_character(before: str) -> None:
    at = len(before)
    lines = rendered(f"{before}% rest", problem("S101", "m", span(at, at + 1), "here")).split("\n")
    line, mark = lines[3], lines[4]
    assert width(line[: line.index("%")]) == width(mark[: mark.index("^")])
    assert f":{at + 1}" in lines[1]
    assert len(line) <= 5 * 120


def test_nothing_that_is_shown_can_move_the_cursor_or_reorder_the_line() -> None:
    evil = "\x1b[2J\u202e\u2066\r\0\u2028\x9b"
    shown = rendered(evil, problem("S103", f"m{evil}", span(0, 1), evil, helps=[evil]))
    assert not set(shown) & set(evil.replace("[2J", ""))
    assert "<U+202E>" in shown
    assert printable("a\tb\u200d") == "a    b\u200d"


def test_a_range_of_several_lines_is_drawn_to_the_end_of_its_first() -> None:
    assert "1 | ab cd\n  |    ^^ m\n" in rendered("ab cd\nef", problem("S1", "x", span(3, 8), "m"))


def test_the_end_of_the_text_can_be_pointed_at() -> None:
    assert "shop.saga:2:1" in rendered("a\n", problem("S106", "m", span(2, 2), "here"))


def test_other_files_are_shown_each_under_its_name() -> None:
    one, two = Source("a.saga", "aaa"), Source("b.saga", "bbb")
    diagnostic = problem(
        "N204", "m", Span("a.saga", 0, 1), "first", also=[(Span("b.saga", 1, 2), "second")]
    )
    shown = render([diagnostic], {"a.saga": one, "b.saga": two})
    assert " --> a.saga:1:1\n" in shown
    assert " ::: b.saga:1:2\n" in shown


def test_a_file_that_could_not_be_decoded_is_only_named() -> None:
    diagnostic = problem("S105", "not UTF-8", Span("x.saga", 0, 0), helps=["save it"])
    assert render([diagnostic], {}) == (
        "error[S105]: not UTF-8\n --> x.saga\n  = help: save it\n\n"
    )
    [value] = to_json([diagnostic], {})
    assert (value["file"], value["line"], value["column"]) == ("x.saga", 1, 1)


def test_json_has_the_shape_that_is_promised() -> None:
    source = Source("shop.saga", "ship fail\n\nx\n\nthen mail it\n")
    value = json.loads(json.dumps(to_json([FULL], {source.name: source})))[0]
    assert value == {
        "code": "R502",
        "severity": "warning",
        "message": "`mail` is sent, then `ship` is refused.",
        "file": "shop.saga",
        "line": 5,
        "column": 6,
        "end_line": 5,
        "end_column": 10,
        "labels": [
            {
                "file": "shop.saga",
                "line": 5,
                "column": 6,
                "end_line": 5,
                "end_column": 10,
                "message": "cannot be taken back",
            },
            {
                "file": "shop.saga",
                "line": 1,
                "column": 6,
                "end_line": 1,
                "end_column": 10,
                "message": "may be refused",
            },
            {
                "file": "shop.saga",
                "line": 1,
                "column": 1,
                "end_line": 1,
                "end_column": 5,
                "message": "",
            },
        ],
        "help": ["Put `ship` first.", "Or accept it:\nsecond line"],
        "fix": {
            "applicability": "ask",
            "edits": [
                {
                    "file": "shop.saga",
                    "line": 1,
                    "column": 1,
                    "end_line": 1,
                    "end_column": 5,
                    "text": "mail",
                }
            ],
        },
    }


def test_diagnostics_are_sorted_by_position_and_each_is_kept_once() -> None:
    late = problem("A", "m", span(9, 10))
    early = problem("B", "m", span(1, 2), severity=Severity.HINT)
    other = problem("C", "m", Span("a.saga", 99, 100))
    assert in_order([late, early, other, late]) == (other, early, late)
    assert has_errors([early, late])
    assert not has_errors([early])


def test_a_line_of_a_million_characters_is_shown_around_its_mistake() -> None:
    text = "x" * 500_000 + "'a'" + "y" * 500_000
    wrong = problem(
        "S101",
        "m",
        span(500_000, 500_003),
        "here",
        fix=replacement("safe", span(500_000, 500_003), '"a"'),
    )
    shown = rendered(text, wrong)
    assert len(shown) < 1000
    assert "…" in shown
    assert 'xx"a"yy' in shown
    assert "xx'a'yy" in shown
