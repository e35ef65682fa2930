"""The Pygments lexer, and the TextMate grammar in a real engine, on all example programs."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
from pygments.token import Error, Keyword, Name, Operator, String, Token
from textmate_grammar.parsers.base import LanguageParser

from sagalang.editors.lexer import SagaLexer
from sagalang.editors.words import words

from .examples import FILES, ROOT, language, names, program

IDS = [path.relative_to(ROOT).as_posix() for path in FILES]
Colours = Callable[[str], dict[int, str]]


def lexed(text: str) -> list[tuple[int, Any, str]]:
    return list(SagaLexer(stripnl=False, ensurenl=False).get_tokens_unprocessed(text))


def pygments_colours(text: str) -> dict[int, str]:
    """`language`, `name` or `other` by the place where a token begins."""
    found: dict[int, str] = {}
    for at, kind, _ in lexed(text):
        if kind in Keyword or kind is Operator.Word:
            found[at] = "type" if kind is Keyword.Type else "language"
        else:
            found[at] = "name" if kind in Name else "other"
    return found


@cache
def engine() -> LanguageParser:
    logging.getLogger("textmate_grammar").setLevel(logging.ERROR)
    path = ROOT / "grammar/editors/vscode/saga.tmLanguage.json"
    return LanguageParser(json.loads(path.read_text("utf-8")))


def textmate_scopes(text: str) -> dict[int, list[str]]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    parsed: Any = cast(Any, engine()).parse_string(text)
    assert parsed is not None
    return {starts[row] + column: scopes for (row, column), _, scopes in parsed.flatten()}


def textmate_colours(text: str) -> dict[int, str]:
    found: dict[int, str] = {}
    for at, scopes in textmate_scopes(text).items():
        scope = scopes[-1]
        if scope.startswith("support.type"):
            found[at] = "type"
        elif scope.startswith(("keyword.operator", "source")):
            found[at] = "other"
        elif scope.startswith(("keyword", "storage", "constant.language")):
            found[at] = "language"
        else:
            found[at] = "name" if scope.startswith(("variable", "entity", "support")) else "other"
    return found


ENGINES = [
    pytest.param(pygments_colours, id="pygments"),
    pytest.param(textmate_colours, id="textmate"),
]


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_nothing_in_a_program_is_an_error_and_nothing_is_lost(path: Path) -> None:
    text = program(path).source.text
    tokens = lexed(text)
    assert [value for _, kind, value in tokens if kind is Error] == []
    assert "".join(value for *_, value in tokens) == text


@pytest.mark.parametrize("colours", ENGINES)
@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_words_of_the_language_are_coloured_as_such(path: Path, colours: Colours) -> None:
    parsed = program(path)
    found = colours(parsed.source.text)
    # `key` of `idempotent by key` has the colour that it has as a value.
    written = [(at, word) for at, word in language(parsed) if word not in words().values]
    wrong = [each for each in written if found.get(each[0]) not in ("language", "type")]
    assert wrong == []


@pytest.mark.parametrize("colours", ENGINES)
def test_names_are_not_coloured_as_words_of_the_language(colours: Colours) -> None:
    """But for a few that only the parser can tell: a last `import }`, `for d in done if`."""
    named: list[str] = []
    wrong: list[str] = []
    for path in FILES:
        parsed = program(path)
        found = colours(parsed.source.text)
        for at, name in names(parsed).items():
            named.append(name)
            wrong += [name] if found.get(at) == "language" else []
    assert len(wrong) <= len(named) / 200, wrong


@pytest.mark.parametrize("colours", ENGINES)
@pytest.mark.parametrize("word", sorted(words().contextual))
def test_a_word_of_the_language_may_be_a_name(word: str, colours: Colours) -> None:
    text = f"record R {{ {word}: str }}\nsaga s({word}: R) {{ let {word} = f({word}, a.{word}) }}\n"
    found = colours(text)
    places = [at for at in range(len(text)) if text.startswith(word, at) and at in found]
    named = [
        at for at in places if not text[at - 1].isalpha() and not text[at + len(word)].isalpha()
    ]
    assert len([at for at in named if found[at] == "name"]) == 5


def test_texts_show_what_is_put_into_them() -> None:
    kinds = {value: kind for _, kind, value in lexed('let x = "a {b.c} {{d}} \\n"')}
    assert kinds["b"] is Name
    assert kinds["{"] is String.Interpol
    assert kinds["{{"] is String.Escape
    assert kinds["\\n"] is String.Escape


@pytest.mark.parametrize(
    "text", ['"', '"a {', '"a {b', '"""', "%%saga --check\n", "{", "é", "0x", "a."]
)
def test_half_written_text_is_lexed_to_its_end(text: str) -> None:
    assert "".join(value for *_, value in lexed(text)) == text


def test_a_text_ends_at_the_latest_on_its_line() -> None:
    kinds = [kind for _, kind, value in lexed('let x = "open\nlet y = 1') if value == "let"]
    assert kinds == [Keyword, Keyword]
    assert Token.Error not in {kind for _, kind, _ in lexed('let x = "open\nlet y = 1')}
