"""Every code has a page, and every page tells the truth: its wrong program gives its code alone."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib.resources import files as package_files

import pytest

from sagalang.compiler.checks import CHECKS, Check
from sagalang.compiler.codes import CODES
from sagalang.dsl.diagnostics import Diagnostic
from sagalang.dsl.source import from_bytes

from ..sources import facts, modules
from .programs import compiled

PAGES = {
    path.name.removesuffix(".md"): path.read_text("utf-8")
    for path in package_files("sagalang.compiler.explain").iterdir()
    if path.name.endswith(".md")
}
PAGE = re.compile(
    r"# (?P<code>\w\d{3}) · (?P<title>[^\n]+)\n\n"
    r"\*(?P<severity>error|warning|note|hint)\*\n\n"
    r"(?P<words>[^#].*?)"
    r"(?:\n## Why\n\n(?P<why>.*?))?"
    r"\n## Wrong\n\n(?P<wrong>.*?)"
    r"\n## Right\n\n(?P<right>.*?)"
    r"(?:\n## See also\n\n(?P<see>.*))?",
    re.DOTALL,
)
BLOCK = re.compile(r"^```saga(?: (?P<kind>\S+))?\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
ESCAPE = re.compile(rb"\\x([0-9a-f]{2})|\\r")
SHOWN = re.compile(r"^```text\n(.*?)\n```$", re.DOTALL | re.MULTILINE)


def written() -> set[str]:
    """Every code that some module of the language or the compiler can give."""
    return {code for path in modules("dsl", "compiler") for code in facts(path).codes}


def parts(code: str) -> re.Match[str]:
    """The parts of a page, which all have one form."""
    found = PAGE.fullmatch(PAGES[code])
    assert found is not None, f"{code}.md does not have the form of a page"
    return found


def findings(part: str) -> tuple[Diagnostic, ...]:
    """What is found in the program of a part: its first block, the others are files beside it."""
    (kind, main), *others = ((block["kind"], block["text"]) for block in BLOCK.finditer(part))
    beside = {name: text for name, text in others if name is not None}
    assert len(beside) == len(others), "a second block says which file it is"
    if kind != "escaped":
        return compiled(main, beside).diagnostics
    source = from_bytes("main.saga", ESCAPE.sub(unescaped, main.encode()))
    return (source,) if isinstance(source, Diagnostic) else compiled(source.text).diagnostics


def unescaped(escape: re.Match[bytes]) -> bytes:
    return bytes.fromhex(escape[1].decode()) if escape[1] else b"\r"


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert set(PAGES) == written()


def test_codes_are_declared_once_with_severity_and_title() -> None:
    """Beyond the grammar's own, the table of codes is made of what modules declare."""
    assert {code for code in written() if code[0] != "S"} == set(CODES)


@pytest.mark.parametrize("code", sorted(PAGES))
def test_a_page_is_called_what_its_code_is(code: str) -> None:
    page = parts(code)
    assert page["code"] == code
    if code in CODES:
        assert (page["title"], page["severity"]) == (CODES[code].title, CODES[code].severity)


@pytest.mark.parametrize("code", sorted(PAGES))
def test_the_wrong_program_gives_this_code_alone(code: str) -> None:
    page = parts(code)
    found = findings(page["wrong"])
    assert {each.code for each in found} == {code}, [each.message for each in found]
    shown = SHOWN.search(page["wrong"])
    assert shown is not None
    assert any(one_line(shown[1]) in one_line(each.message) for each in found)
    assert {each.severity.value for each in found} == {page["severity"]}


@pytest.mark.parametrize("code", sorted(PAGES))
def test_the_right_program_gives_nothing(code: str) -> None:
    assert [each.message for each in findings(parts(code)["right"])] == []


def lines() -> Iterator[tuple[str, str]]:
    for code, page in PAGES.items():
        yield from ((code, line) for line in page.splitlines())


def test_pages_can_be_read_on_a_terminal() -> None:
    assert [each for each in lines() if len(each[1]) > 108] == []


@pytest.mark.parametrize("each", CHECKS, ids=lambda each: each.CODE.code)
def test_every_check_says_what_it_costs(each: Check) -> None:
    """10,000 steps are checked in seconds: what a check does for each of them is no secret."""
    said = inspect.getdoc(each.run) or ""
    assert re.search(r"^Cost: \S", said, re.MULTILINE), f"{each.CODE.code}: {said!r}"
