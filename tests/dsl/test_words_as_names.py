"""Words of the language as names: only the reserved ones may not name a value or a field."""

from __future__ import annotations

import pytest

from sagalang.dsl import methods
from sagalang.dsl.names import key_words, reserved_words
from sagalang.dsl.parser import parse
from sagalang.dsl.source import Source
from sagalang.runtime import signatures

WORDS = sorted(key_words() - reserved_words())


@pytest.mark.parametrize("word", WORDS)
def test_a_field_may_have_any_word_as_its_name_with_or_without_a_comma(word: str) -> None:
    for between in (",", "\n"):
        text = f"record R {{ a: str{between} {word}: list[str]{between} {word}2: str? }}"
        assert parse(Source("t.saga", text)).diagnostics == (), text


@pytest.mark.parametrize("word", sorted(reserved_words()))
def test_a_reserved_word_is_read_before_a_colon_only_where_it_names_no_value(word: str) -> None:
    assert parse(Source("t.saga", f"saga s() {{ let {word} = 1 }}")).diagnostics != ()


def test_methods_of_other_languages_lead_to_the_functions_that_there_are() -> None:
    """The parser may not import the runtime, so it has the names of its functions written out."""
    assert set(signatures.FUNCTIONS) == methods.FUNCTIONS
