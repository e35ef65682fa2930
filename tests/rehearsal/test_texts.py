"""What a scenario writes as texts: bytes as base64, and what is said of it before it."""

from __future__ import annotations

from sagalang.compiler.pipeline import compile
from sagalang.dsl.loader import Unreadable
from sagalang.dsl.source import Source
from sagalang.rehearsed import as_json, told
from sagalang.runtime.rehearsal.rehearse import rehearse

from .programs import played

SIGNED = """
edition 2026
tool keep(data: bytes) -> bytes { call python "safe:keep" effect none }
saga order(id: str, data: bytes, more: list[bytes] = []) -> bytes {
  step kept = keep(data)
  return data
}
"""


def test_bytes_are_written_as_base64() -> None:
    lines = 'given data = "aGVsbG8=" given more = ["", "AA=="] expect result "aGVsbG8="'
    found = played(lines, SIGNED)
    assert found.passed, found.shortfalls
    other = played('given data = "aGVsbG8=" expect result "AA=="', SIGNED)
    assert [one.happened for one in other.shortfalls] == ['it gave "aGVsbG8="']


def test_what_is_no_base64_is_told_what_is() -> None:
    text = f'{SIGNED}scenario "it" for order {{ given id = "o" given data = "hello" }}'
    made = compile(Source("safe.saga", text), lambda importing, path: Unreadable("nothing"))
    (error,) = [one for one in made.diagnostics if one.code == "T301"]
    assert 'In a scenario base64 may stand for it: `"aGVsbG8="`.' in str(error)


def test_a_program_itself_takes_no_text_for_bytes() -> None:
    text = SIGNED.replace("keep(data)", 'keep("aGVsbG8=")')
    made = compile(Source("safe.saga", text), lambda importing, path: Unreadable("nothing"))
    assert not made.ok


SAID = f'''{SIGNED}
"""The safe gives back what it was given.

Found when a customer's file came back empty."""
scenario "it" for order {{
  given id = "o-1"
  given data = "aGVsbG8="
  expect rolled back
}}
'''


def test_what_is_said_of_a_scenario_stands_in_its_reports() -> None:
    source = Source("safe.saga", SAID)
    made = compile(source, lambda importing, path: Unreadable("nothing"))
    (scenario,) = made.scenarios
    found = rehearse(scenario)
    doc = "The safe gives back what it was given.\n\nFound when a customer's file came back empty."
    assert found.doc == doc
    assert as_json(found, "safe.saga")["doc"] == doc
    head, said, *_ = told(found, "safe.saga", source).split("\n\n  ")
    assert head.endswith('scenario "it" for order')
    assert said == "The safe gives back what it was given."
