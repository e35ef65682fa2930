"""Cases 43 and 44: a position is the one that people count, whatever form the text has.

Cells of a notebook: tests/notebooks; spans of every node, and line ends: tests/dsl.
"""

from __future__ import annotations

from typing import Any

import pytest

from ..crash.bench import Bench
from ..crash.journey import order, tools

pytestmark = pytest.mark.slow

WRONG = "edition 2026\nsaga s() -> int {\n    return @\n}\n"

FORMS: dict[str, tuple[bytes, int, int]] = {
    "LF": (WRONG.encode(), 3, 12),
    "CRLF": (WRONG.replace("\n", "\r\n").encode(), 3, 12),
    "mixed": (WRONG.replace("{\n", "{\r\n").encode(), 3, 12),
    "a tab": (WRONG.replace("    return", "\treturn").encode(), 3, 9),
    "a mark at the head": (b"\xef\xbb\xbf" + WRONG.encode(), 3, 12),
    "two emoji before it": (WRONG.replace("return @", 'return "😀😀" @').encode(), 3, 17),
}


def first(bench: Bench, data: bytes, code: str | None = None) -> dict[str, Any]:
    """The first error of a file (of some code), as JSON."""
    (bench.folder / "s.saga").write_bytes(data)
    done = bench.saga("check", "s.saga", "--format", "json")
    assert done.code in (1, 2) and "Traceback" not in done.err, done
    found: list[dict[str, Any]] = done.json["diagnostics"]
    wanted = [d for d in found if code in (None, d["code"])]
    assert wanted, found
    return wanted[0]


@pytest.mark.parametrize(("data", "line", "column"), FORMS.values(), ids=list(FORMS))
def test_the_sign_is_where_people_count_it(
    bench: Bench, data: bytes, line: int, column: int
) -> None:
    (bench.folder / "s.saga").write_bytes(data)
    done = bench.saga("check", "s.saga", "--format", "json")
    places = [(d["line"], d["column"]) for d in done.json["diagnostics"]]
    assert (line, column) in places, done.json
    shown = bench.saga("check", "s.saga")
    assert f"s.saga:{line}:{column}" in shown.out + shown.err


@pytest.mark.parametrize("character", ["\ufeff", "\x00", "\u00a0", "\u3000", "\u2028", "\x1a"])
def test_a_character_that_has_no_place_is_shown_by_its_number(bench: Bench, character: str) -> None:
    text = f"edition 2026\nsaga s() -> int {{\n  {character}return 1\n}}\n"
    error = first(bench, text.encode(), "S103")
    assert (error["line"], error["column"]) == (3, 3)
    assert f"U+{ord(character):04X}" in str(error["message"])


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_another_encoding_is_told_with_its_byte(bench: Bench, encoding: str) -> None:
    error = first(bench, "# ä\nedition 2026\n".encode(encoding))
    assert error["code"] == "S105" and "UTF-8" in str(error["message"]) and "byte" in str(error)


def test_a_brace_that_is_never_closed_is_shown_where_it_was_opened(bench: Bench) -> None:
    error = first(bench, b"edition 2026\nsaga s() -> int {\n  return 1\n", "S106")
    assert any(label["line"] == 2 for label in error["labels"]) or error["line"] == 2


@pytest.mark.parametrize("data", [b"", b"# nothing but a comment", b"\n\n"])
def test_a_file_without_a_saga_says_so_when_it_is_run(bench: Bench, data: bytes) -> None:
    (bench.folder / "s.saga").write_bytes(data)
    done = bench.saga("run", "s.saga")
    assert done.code in (1, 2) and "s.saga" in done.err and "saga" in done.err


def test_all_independent_mistakes_at_once_in_the_order_of_the_text(bench: Bench) -> None:
    text = (
        tools() + "\nsaga s(order: Order) -> int {\n  step a = charg(order.id)\n  return nope\n}\n"
    )
    (bench.folder / "s.saga").write_text(text, encoding="utf-8")
    found = bench.saga("check", "s.saga", "--format", "json").json["diagnostics"]
    errors = [d for d in found if d["severity"] == "error"]
    assert [d["code"] for d in errors] == ["N201", "N201"]
    assert [d["line"] for d in found] == sorted(d["line"] for d in found)


SAGA = """
saga s(order: Order) -> Charge {
  # äöü 😀
  step a = charge(order.id, order.total)
  return a
}
"""


def test_every_form_is_the_same_saga(bench: Bench) -> None:
    text = tools() + SAGA
    forms = [
        text.encode(),
        text.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + text.encode(),
        text.replace("  ", "\t").encode(),
        text.rstrip().encode() + b" # at the end",
    ]
    seen: set[object] = set()
    for k, data in enumerate(forms):
        (bench.folder / "s.saga").write_bytes(data)
        line = ["run", "s.saga", "--id", f"r{k}", "--input", order(id=f"o-{k}"), "--json"]
        done = bench.saga(*line)
        assert done.code == 0, done.err
        seen.add(done.json["definition"])
    assert len(seen) == 1
    assert bench.done("payment") == len(forms)
