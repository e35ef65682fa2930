"""A fix that is said to be safe makes its diagnostic go away and leaves the rest as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from sagalang.dsl.diagnostics import Edit, Fix, replacement
from sagalang.dsl.fixes import apply, corrected
from sagalang.dsl.parser import parse
from sagalang.dsl.source import Source, Span

BAD = sorted(Path(__file__).with_name("bad").glob("*.saga"))


def fixed(source: Source) -> Source:
    fixes = [d.fix for d in parse(source).diagnostics if d.fix is not None]
    return Source(source.name, apply(source, fixes))


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_each_safe_fix_alone_removes_what_it_mends(path: Path) -> None:
    source = Source(path.name, path.read_text("utf-8"))
    for diagnostic in parse(source).diagnostics:
        if diagnostic.fix is None or diagnostic.fix.applicability != "safe":
            continue
        after = parse(Source(path.name, apply(source, [diagnostic.fix])))
        places = {(d.message, d.primary.start) for d in after.diagnostics}
        assert (diagnostic.message, diagnostic.primary.start) not in places


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("step a = f(b=1, c = 2)", "step a = f(b: 1, c: 2)"),
        ("let a = 'x' let b = f\"y\"", 'let a = "x" let b = "y"'),
        ("let a = True let b = x is not None", "let a = true let b = x != none"),
        ("let a = x.strip(); let b = 1e3;", "let a = trim(x) let b = 1000"),
        ("let a = x && !y", "let a = x and not y"),
        ("stepa = f() { timeout 90sec }", "step a = f() { timeout 90s }"),
        ("let a\u00a0= 1", "let a = 1"),
    ],
)
def test_fixed_again_and_again_it_is_well_formed(wrong: str, right: str) -> None:
    source = Source("t", f"saga s() {{ {wrong} }}")
    for _ in range(4):
        source = fixed(source)
    assert source.text == f"saga s() {{ {right} }}"
    assert parse(source).ok


def test_of_fixes_that_overlap_the_first_is_made_and_parts_of_a_fix_stay_together() -> None:
    source = Source("t", "abcdef")
    first = replacement("safe", Span("t", 1, 3), "X")
    overlapping = Fix("safe", (Edit("t", 2, 4, "Y"), Edit("t", 5, 6, "Z")))
    unsure = replacement("ask", Span("t", 4, 5), "W")
    elsewhere = Fix("safe", (Edit("t", 5, 6, "V"), Edit("other", 0, 0, "V")))
    assert apply(source, [first, overlapping, unsure, elsewhere]) == "aXdef"
    assert apply(source, [unsure], "ask") == "abcdWf"


def test_the_lines_that_a_fix_changes_are_shown_as_they_are_after_it() -> None:
    source = Source("t", "one\ntwo\nthree\n")
    both = Fix("ask", (Edit("t", 4, 5, "T"), Edit("t", 12, 13, "E\nF")))
    assert corrected(source, both) == (2, ["Two", "threE", "F"])
