"""The grammar: no conflicts, eleven reserved words, and lessons that teach what they say."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import lark
import msgspec
import platformdirs
import pytest

from sagalang.dsl import syntax
from sagalang.dsl.malformed import Lesson, lesson_for, lessons, place_in
from sagalang.dsl.names import is_name, key_words, reserved_words
from sagalang.dsl.parser import parse
from sagalang.dsl.source import Source
from sagalang.dsl.table import Table


def test_it_is_lalr_without_conflicts(caplog: pytest.LogCaptureFixture) -> None:
    """lark settles a shift/reduce conflict by itself and only says so while it debugs."""
    lark.logger.setLevel(logging.DEBUG)
    lark.logger.propagate = True
    with caplog.at_level(logging.DEBUG, logger=lark.logger.name):
        syntax.build(debug=True)
    assert [record.getMessage() for record in caplog.records if "onflict" in record.message] == []


def test_a_conflict_would_be_seen(caplog: pytest.LogCaptureFixture) -> None:
    lark.logger.setLevel(logging.DEBUG)
    lark.logger.propagate = True
    with caplog.at_level(logging.DEBUG, logger=lark.logger.name):
        lark.Lark('start: "a" start | "a" start "b" | "c"', parser="lalr", debug=True)
        lark.Lark('start: x+\nx: "a" | "a" x', parser="lalr", debug=True)
    assert any("Shift/Reduce conflict" in record.getMessage() for record in caplog.records)


def test_eleven_words_never_name_a_value() -> None:
    words = "and else false for if in none not or then true"
    assert " ".join(sorted(reserved_words())) == words


def test_every_other_word_of_the_language_may_name_a_step_and_a_parameter() -> None:
    for word in sorted(key_words() - reserved_words()):
        text = f"saga s({word}: int) {{ step {word}_2 = {word}({word}: {word}) }}"
        assert parse(Source("t", text)).diagnostics == (), word


@pytest.mark.parametrize("word", sorted(reserved_words()))
def test_a_reserved_word_may_stand_after_a_dot_and_before_a_colon(word: str) -> None:
    text = f"record R {{ {word}: int = 1 }} saga s(r: R) {{ let x = R({word}: r.{word}) }}"
    assert parse(Source("t", text)).diagnostics == ()
    taken = parse(Source("t", f"saga s() {{ step {word} = f() }}")).diagnostics
    assert [found.code for found in taken] == ["N207"]


@pytest.mark.parametrize("text", ["a", "_", "__init__", "class", "a1", "A" * 10_000])
def test_a_name(text: str) -> None:
    assert is_name(text)


@pytest.mark.parametrize("text", ["", "1st", "a-b", "a.b", "é", "名", "a\u200db", "ﬁ", "а", "a\n"])
def test_not_a_name(text: str) -> None:
    assert not is_name(text)


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_a_lesson_is_what_is_said_of_each_of_its_programs(lesson: Lesson) -> None:
    assert lesson.message.endswith((".", "?"))
    for program in lesson.programs:
        assert lesson_for(place_in(program)) is lesson, program


def test_a_program_without_mistake_teaches_nothing() -> None:
    with pytest.raises(ValueError, match="not malformed"):
        place_in("enum E { a }")


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"

    def user_cache_path(name: str) -> Path:
        return folder / name

    monkeypatch.setattr("platformdirs.user_cache_path", user_cache_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


@pytest.mark.parametrize("home", ["home", "home/", "a b"])
def test_the_cache_is_where_platformdirs_says(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CACHE_HOME", "ANDROID_DATA", "ANDROID_ROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", f"{tmp_path}/{home}")
    assert syntax.cache_folder() == platformdirs.user_cache_path("sagalang")
    monkeypatch.setenv("XDG_CACHE_HOME", f"{tmp_path}/elsewhere")
    assert syntax.cache_folder() == platformdirs.user_cache_path("sagalang")


def works(table: Table) -> bool:
    return table.states[table.starts["declaration"]]["TOOL"] >= 0 and len(table.rules) > 500


def test_the_table_is_kept_on_disk_and_read_again(cache_folder: Path) -> None:
    made = syntax.table.__wrapped__()
    [kept] = (cache_folder / "sagalang").iterdir()
    before = kept.stat().st_mtime_ns
    assert syntax.table.__wrapped__() == made
    assert kept.stat().st_mtime_ns == before


@pytest.mark.parametrize("content", [b"", b"not a table", b"\x92\xa0\x90", b"\xc1"])
def test_a_damaged_cache_is_no_cache(cache_folder: Path, content: bytes) -> None:
    syntax.table.__wrapped__()
    [kept] = (cache_folder / "sagalang").iterdir()
    kept.write_bytes(content)
    assert works(syntax.table.__wrapped__())
    assert kept.stat().st_size > 100_000


def test_a_table_of_another_grammar_is_not_taken(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where the name of its file is the same."""

    def always_one(data: bytes) -> int:
        return 1

    monkeypatch.setattr("zlib.crc32", always_one)
    syntax.table.__wrapped__()
    text = syntax.grammar_text() + "// another\n"
    monkeypatch.setattr(syntax, "grammar_text", lambda: text)
    syntax.table.__wrapped__()
    [kept] = (cache_folder / "sagalang").iterdir()
    assert "// another" in msgspec.msgpack.decode(kept.read_bytes())[0]


def test_a_cache_that_cannot_be_written_is_no_cache(cache_folder: Path) -> None:
    cache_folder.write_text("a file where the folder should be")
    assert works(syntax.table.__wrapped__())
    assert cache_folder.read_text() == "a file where the folder should be"


def test_no_two_patterns_fit_at_one_place() -> None:
    """The lexer need not try them in lark's order."""
    patterns = [re.compile(pattern) for _, pattern in syntax.table().terminals.patterns]
    for text in ['"a"', '""', '"""a"""', '""""""', '"a"""b"""', "1", "1_0", "1.5", "1s", "1ms"]:
        assert sum(pattern.match(text) is not None for pattern in patterns) == 1, text
