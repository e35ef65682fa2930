"""The pipeline as a whole: whatever is wrong with a text, it never raises, and says where."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from sagalang.compiler import pipeline
from sagalang.compiler.pipeline import Compilation
from sagalang.dsl.diagnostics import Diagnostic, Severity
from sagalang.dsl.fixes import apply
from sagalang.dsl.loader import Found, Reader, Unreadable
from sagalang.dsl.render_terminal import render
from sagalang.dsl.source import Source
from sagalang.files import FileReader, identity_of, read_source

from .programs import compiled, compiled_file, files_beside

CORPUS = Path(__file__).parents[1] / "corpus"
PROGRAMS = sorted(CORPUS.glob("*/*.saga"))
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|#[^\n]*|\w+|\s+|.', re.DOTALL)


def sound(made: Compilation) -> None:
    """Holds a compilation against what every one must be."""
    for diagnostic in made.diagnostics:
        assert diagnostic.labels
        assert diagnostic.message.endswith((".", "?", "!")), diagnostic.message
        for label in diagnostic.labels:
            text = made.sources[label.source].text
            assert 0 <= label.start <= label.end <= len(text)
        for edit in diagnostic.fix.edits if diagnostic.fix else ():
            assert 0 <= edit.start <= edit.end <= len(made.sources[edit.source].text)
    assert render(made.diagnostics, made.sources).count("[") >= len(made.diagnostics)
    errors = [d for d in made.diagnostics if d.severity is Severity.ERROR]
    assert made.ok is not bool(errors)
    assert set(made.proofs) == set(made.plans)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(PROGRAMS), st.randoms(use_true_random=False))
def test_a_program_with_anything_wrong_in_it_is_told_and_never_raised(
    path: Path, choice: random.Random
) -> None:
    tokens = TOKEN.findall(path.read_text("utf-8"))
    words = [token for token in tokens if token.strip()]
    for _ in range(choice.randint(1, 4)):
        place = choice.randrange(len(tokens))
        match choice.randrange(4):
            case 0:
                tokens[place] = ""
            case 1:
                tokens[place] = choice.choice(words)
            case 2:
                tokens.insert(place, " " + choice.choice(words) + " ")
            case _:
                other = choice.randrange(len(tokens))
                tokens[place], tokens[other] = tokens[other], tokens[place]
    sound(compiled("".join(tokens)))


@given(st.text(max_size=200))
def test_no_text_at_all_raises(text: str) -> None:
    sound(compiled(text))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_compiles_in_the_same_way_twice(path: Path) -> None:
    one, other = compiled_file(path), compiled_file(path)
    sound(one)
    assert (one.diagnostics, one.plans, one.proofs) == (
        other.diagnostics,
        other.plans,
        other.proofs,
    )


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_diagnostics_stand_in_the_order_of_the_text(path: Path) -> None:
    places = [(d.primary.source, d.primary.start) for d in compiled_file(path).diagnostics]
    assert places == sorted(places)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_fix_mends_what_it_belongs_to(path: Path) -> None:
    """After a fix its own finding is gone; nothing is lost on the way."""
    made = compiled_file(path)
    for each in made.diagnostics:
        if each.fix is not None and each.code[0] in "NTG":
            source = made.sources[path.name]
            mended = apply(source, [each.fix], each.fix.applicability)
            assert mended != source.text
            after = compiled(mended, files_beside(path), name=path.name)
            assert alike(after, each) < alike(made, each), each.message


def alike(made: Compilation, found: Diagnostic) -> int:
    """How often a compilation finds the same."""
    return sum((d.code, d.message) == (found.code, found.message) for d in made.diagnostics)


def test_a_syntax_error_hides_neither_other_mistakes_nor_makes_new_ones() -> None:
    made = compiled(
        """edition 2026
        tool broken(id: str) -> str { call python "x:y" effect effect none }
        tool find(id: str) -> str? { call python "x:y" effect none }
        saga s(id: str) {
          step a = broken(id)
          step b = fnd(a)
        }
        saga t(id: str) { step c = find(id) }"""
    )
    assert [d.code for d in made.diagnostics if d.code != "S101"] == ["N201"]
    assert "fnd" in next(d for d in made.diagnostics if d.code == "N201").message
    assert set(made.plans) == {"t"}


def test_what_a_broken_declaration_uses_is_not_called_unused() -> None:
    made = compiled(
        """edition 2026
        import { find } from "shop.saga"
        saga s(id: str) { step a = find(id }""",
        {"shop.saga": 'tool find(id: str) -> str? { call python "x:y" effect none }'},
    )
    assert {d.code[0] for d in made.diagnostics} == {"S"}


def test_a_file_without_a_saga_is_still_checked() -> None:
    made = compiled('edition 2026\ntool silent(id: str) -> str { call python "x:y" }')
    assert {d.code for d in made.diagnostics} == {"R501"}
    assert made.plans == {}


def test_an_empty_file_compiles_to_nothing() -> None:
    made = compiled("")
    assert (made.diagnostics, made.plans, made.ok) == ((), {}, True)


class TestFiles:
    def reader(self, folder: Path) -> Reader:
        return FileReader(folder)

    def test_an_import_is_relative_to_the_file_that_imports(self, tmp_path: Path) -> None:
        (tmp_path / "a" / "b").mkdir(parents=True)
        (tmp_path / "a" / "b" / "main.saga").write_text("edition 2026\n")
        (tmp_path / "a" / "tools.saga").write_text("tools")
        found = self.reader(tmp_path)("a/b/main.saga", "../tools.saga")
        assert isinstance(found, Found) and found.data == b"tools"

    def test_every_way_to_a_file_is_the_same_file(self, tmp_path: Path) -> None:
        (tmp_path / "tools.saga").write_text("tools")
        (tmp_path / "link.saga").symlink_to("tools.saga")
        (tmp_path / "deep").mkdir()
        read = self.reader(tmp_path)
        ways = ["tools.saga", "./tools.saga", "link.saga", "deep/../tools.saga"]
        seen = {
            found.identity for way in ways if isinstance(found := read("main.saga", way), Found)
        }
        assert seen == {identity_of(tmp_path / "tools.saga")}

    @pytest.mark.parametrize(
        ("path", "reason"),
        [
            ("nowhere.saga", "there is no such file"),
            ("folder", "it is a folder"),
            ("/etc/hostname", "a path is relative to the file that imports it, and this is not"),
            ("x" * 5000, "file name too long"),
            ("loop.saga", "too many levels of symbolic links"),
        ],
    )
    def test_what_cannot_be_read_has_a_reason(self, tmp_path: Path, path: str, reason: str) -> None:
        (tmp_path / "folder").mkdir()
        (tmp_path / "loop.saga").symlink_to("loop.saga")
        found = self.reader(tmp_path)("main.saga", path)
        assert isinstance(found, Unreadable)
        assert (found.reason, bool(found.advice)) == (reason, True)

    def test_a_file_that_is_not_text_is_told_by_the_byte(self, tmp_path: Path) -> None:
        (tmp_path / "binary.saga").write_bytes(b"edition \xff\x00")
        found = read_source(tmp_path / "binary.saga")
        assert getattr(found, "code", "") == "S105"

    def test_rings_and_diamonds_of_files(self, tmp_path: Path) -> None:
        texts = {
            "main.saga": 'import { left } from "left.saga"\nimport { right } from "./right.saga"\n'
            "saga s(id: str) { step a = left(id) step b = right(a) }",
            "left.saga": 'import { Both } from "both.saga"\n'
            "tool left(id: str) -> str { effect none }\nrecord L { x: Both }",
            "right.saga": 'import { Both } from "link.saga"\n'
            "tool right(id: str) -> str { effect none }\nrecord R { x: Both }",
            "both.saga": "record Both { id: str }",
        }
        for name, text in texts.items():
            (tmp_path / name).write_text(text)
        (tmp_path / "link.saga").symlink_to("both.saga")
        source = read_source(tmp_path / "main.saga")
        assert isinstance(source, Source)
        made = pipeline.compile(source, FileReader(), identity=identity_of(tmp_path / "main.saga"))
        assert made.diagnostics == ()
        assert len(made.sources) == 4
        assert {tool.at.file for tool in made.plans["s"].tools} == {"left.saga", "right.saga"}
