"""Every mistake is said, shown and advised upon; people read the renderings beside the programs.

`pytest tests/dsl/test_bad_programs.py --update-golden` writes them anew; read what changed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sagalang.dsl.diagnostics import has_errors
from sagalang.dsl.parser import parse
from sagalang.dsl.render_terminal import render
from sagalang.dsl.source import Source

BAD = sorted(Path(__file__).with_name("bad").glob("*.saga"))


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_its_rendering_is_the_one_that_was_read(path: Path, request: pytest.FixtureRequest) -> None:
    source = Source(path.name, path.read_text("utf-8"))
    parsed = parse(source)
    assert has_errors(parsed.diagnostics)
    shown = render(parsed.diagnostics, {source.name: source})
    golden = path.with_suffix(".txt")
    if request.config.getoption("--update-golden"):
        golden.write_text(shown, "utf-8", newline="\n")
    assert shown == golden.read_text("utf-8")


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_every_diagnostic_points_into_the_text_and_they_are_in_order(path: Path) -> None:
    source = Source(path.name, path.read_text("utf-8"))
    found = parse(source).diagnostics
    for diagnostic in found:
        for label in diagnostic.labels:
            assert 0 <= label.start <= label.end <= len(source.text)
    starts = [diagnostic.primary.start for diagnostic in found]
    assert starts == sorted(starts)
