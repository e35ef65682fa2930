"""What is offered and shown beside hovers and completions: fixes, layout, lenses, structure."""

from __future__ import annotations

import pytest

from sagalang.dsl.formatter import format_module
from sagalang.dsl.parser import parse
from sagalang.dsl.source import Source
from sagalang.lsp.actions import Action, actions, fix_all
from sagalang.lsp.analysis import Analysis
from sagalang.lsp.formatting import formatting
from sagalang.lsp.lenses import lenses
from sagalang.lsp.positions import Text
from sagalang.lsp.structure import Part, folds, parts
from sagalang.lsp.tokens import tokens

from .desk import SAGAS, SHOP, Desk


def offers(analysis: Analysis, at: int) -> list[Action]:
    return list(actions(analysis, at, at))


def test_a_fix_that_may_change_the_meaning_says_so(desk: Desk) -> None:
    wrong = desk.typed("sagas.saga", "step pay = charge(", "step pay = char§g(")
    [fix, explain] = offers(*wrong)
    assert fix.title == "Replace `charg` by `charge` (the meaning may change) [N201]"
    assert not fix.preferred
    assert explain.title == "Explain N201" and explain.code == "N201"


def test_safe_fixes_are_preferred_and_made_at_once(desk: Desk) -> None:
    text = SAGAS.replace("charge(order.id, 1.0)", "charge(order.id, amount=1.0)")
    analysis = desk.open("sagas.saga", text)
    edit = fix_all(analysis)
    assert edit is not None and "amount: 1.0" in edit.text
    [fix] = [a for a in offers(analysis, text.index("amount=") + 6) if a.kind == "fix"]
    assert fix.preferred and "(the meaning" not in fix.title
    assert fix_all(desk.open("sagas.saga", edit.text)) is None


def test_nothing_is_offered_where_nothing_is_wrong(desk: Desk) -> None:
    assert offers(*desk.at("sagas.saga", "step pa§y")) == []


def changed(text: Text, first: int = 0, last: int | None = None) -> str:
    made = text.source.text
    for edit in reversed(formatting(text, first, last)):
        made = made[: edit.start] + edit.text + made[edit.end :]
    return made


MESSY = (
    "edition 2026\nrecord  A { a:str }\n# kept\nsaga  s( a :A ){\nlet b=a.a\n\n\n\nlet c = b }\n"
)


def test_the_layout_is_that_of_the_formatter() -> None:
    text = Text("a.saga", MESSY)
    assert changed(text) == format_module(parse(Source("a.saga", MESSY)))
    assert formatting(Text("a.saga", changed(text))) == []


def test_only_lines_that_change_are_edited() -> None:
    tidy = format_module(parse(Source("a.saga", SHOP)))
    text = Text("a.saga", tidy.replace("  retry 3 times", "  retry   3   times"))
    [edit] = formatting(text)
    assert edit.text == "  retry 3 times\n"


def test_a_part_can_be_laid_out_alone() -> None:
    text = Text("a.saga", MESSY)
    made = changed(text, 1, 1)
    assert "record A { a: str }" in made and "saga  s( a :A ){" in made


def test_a_half_written_text_stays_as_it_is() -> None:
    assert formatting(Text("a.saga", "saga  s( {\n")) == []


def test_lines_keep_their_ends() -> None:
    text = Text("a.saga", MESSY.replace("\n", "\r\n"))
    [first, *_] = formatting(text)
    assert text.written(first.text).count("\r\n") == first.text.count("\n")


def test_each_step_has_its_class_above_it(desk: Desk) -> None:
    analysis = desk.open("sagas.saga")
    text = analysis.text.source.text
    found = [(text[each.span.start : each.span.end], each.title) for each in lenses(analysis)]
    assert found[0][1].startswith("least readiness ")
    assert found[1:] == [
        ("sell", "show recovery plan"),
        ("pay", "compensatable · may fail"),
        ("letter", "irreversible (pivot) · retriable"),
        ("again", "compensatable · may fail"),
        ("again", "compensatable · may fail"),
    ]


def test_what_a_called_saga_does_stands_above_its_own_lines(desk: Desk) -> None:
    more = "saga twofold(order: Order) -> str {\n  step one = sell(order)\n  return one\n}\n"
    analysis = desk.open("sagas.saga", SAGAS + more)
    titles = [each.title for each in lenses(analysis)]
    assert titles.count("compensatable · may fail") == 3
    assert "saga · may fail" in titles


def names(found: list[Part]) -> list[object]:
    return [[part.name, *names(list(part.parts))] if part.parts else part.name for part in found]


def test_the_structure_goes_into_loops_and_scopes(desk: Desk) -> None:
    parsed = desk.open("sagas.saga").program.modules["sagas.saga"]
    assert names(list(parts(parsed))) == [
        ["sell", "pay", ["sent", "letter"], ["twice", "again", "again"]],
        "all is well",
    ]


def test_blocks_and_comments_can_be_folded() -> None:
    text = "edition 2026\n# one\n# two\n\n# three\nsaga s() {\n  if true {\n    let a = 1\n  }\n}\n"
    found = list(folds(parse(Source("a.saga", text))))
    assert found == [(5, 8, False), (6, 7, False), (1, 2, True)]


def test_names_have_colours_that_no_pattern_could_find(desk: Desk) -> None:
    text = "enum step { tool }\nsaga s(first: step) -> step { let gate = first return gate }\n"
    analysis = desk.open("a.saga", text)
    found = [(text[span.start : span.end], kind) for span, kind, _ in tokens(analysis)]
    assert found == [
        ("step", "enum"),
        ("tool", "enumMember"),
        ("s", "class"),
        ("first", "parameter"),
        ("step", "enum"),
        ("step", "enum"),
        ("gate", "variable"),
        ("first", "parameter"),
        ("gate", "variable"),
    ]


@pytest.mark.parametrize("where", ["saved", "typed"])
def test_groups_are_those_of_saga_toml(desk: Desk, where: str) -> None:
    desk.save("saga.toml", '[groups]\nops = ["ada"]\n')
    text = SAGAS.replace("  return twice", '  gate g needs "oops" shows pay.id\n  return twice')
    if where == "saved":
        desk.save("sagas.saga", text)
        analysis = desk.open("sagas.saga")
    else:
        analysis = desk.open("sagas.saga", text)
    assert [each.code for each in analysis.diagnostics if each.code == "N201"] == ["N201"]


def test_what_is_typed_counts_in_the_files_that_import_it(desk: Desk) -> None:
    desk.open("shop.saga", SHOP.replace("tool charge(", "tool debit("))
    assert "N205" in [each.code for each in desk.open("sagas.saga").diagnostics]
    desk.open("new.saga", "edition 2026\nrecord Fresh { a: int }\n")
    importing = (
        'edition 2026\nimport { Fresh } from "new.saga"\nsaga s(f: Fresh) -> int { return f.a }\n'
    )
    assert desk.open("b.saga", importing).diagnostics == ()
