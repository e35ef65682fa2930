"""What is shown under the pointer: the proof of a step, tools, names, clauses, rules."""

from __future__ import annotations

import dataclasses

import pytest

from sagalang.compiler.codes import CODES
from sagalang.dsl import nodes
from sagalang.lsp.help import CLAUSES
from sagalang.lsp.hover import hover
from sagalang.lsp.pages import summary

from .desk import SAGAS, Desk

SILENT = {
    # Parts of what has help itself, and what names, texts and numbers are made of.
    "Argument", "Arithmetic", "Block", "BoolLiteral", "Call", "Comparison", "DecimalLiteral", "Doc",
    "Duration", "Field", "ImportItem", "Index", "IntLiteral", "Interpolation", "ListLiteral",
    "ListType", "Logical", "MapEntry", "MapLiteral", "MapType", "Module", "Name", "NamedType",
    "Negate", "Node", "NoneLiteral", "Not", "OptionalType", "Parameter", "Path", "PathSegment",
    "PlainText", "PromiseGated", "PromiseReadiness", "PromiseReversible", "Reference",
    "Clause", "ScenarioItem", "SecretType", "StatementNode", "TextLiteral", "TextRun",
}  # fmt: skip


def test_every_clause_statement_and_declaration_has_help() -> None:
    kinds = {
        name
        for name in nodes.__all__
        if isinstance(getattr(nodes, name), type) and issubclass(getattr(nodes, name), nodes.Node)
    }
    assert kinds - SILENT == set(CLAUSES)


def test_a_step_shows_what_is_proved_of_it(desk: Desk) -> None:
    said = desk.hover("sagas.saga", "step pa§y")
    assert said.startswith("```saga\nstep pay: Charge\n```")
    assert "**compensatable**: its undo makes good, but leaves a trace" in said
    assert "**may fail**: `pay` is refused (CardDeclined)" in said
    assert "**undo** `refund(result.id)`: can always be called, `verify` gives the result" in said
    assert "**undo** `void_by_key(key)`: can always be called, all that it names is logged" in said
    assert "**readiness** of the saga: at least" in said


def test_a_step_shows_it_where_it_is_used_too(desk: Desk) -> None:
    assert "**may fail**" in desk.hover("sagas.saga", "expect undone pa§y")


def test_steps_inside_loops_and_scopes_show_it(desk: Desk) -> None:
    said = desk.hover("sagas.saga", "step lette§r")
    assert "**irreversible**" in said and "**retriable**" in said
    assert "**compensatable**" in desk.hover("sagas.saga", "step aga§in = charge(amount")


def test_called_sagas_and_agents_say_what_they_may_do(desk: Desk) -> None:
    more = """\
agent buyer(goal: str) -> json { call python "shop:buyer" may use charge, post needs "ops" }
saga outer(order: Order) -> str {
  step inner = sell(order)
  step bought = buyer("more") else continue
  return inner
}
"""
    desk.save("sagas.saga", SAGAS + more)
    said = desk.hover("sagas.saga", "step inne§r")
    assert "**saga** `sell`: when it fails it is rolled back by itself" in said
    said = desk.hover("sagas.saga", "step bough§t")
    assert "**agent** `buyer`: calls `charge` (compensatable), `mail` (irreversible)" in said


def test_an_undo_that_needs_the_answer_says_so(desk: Desk) -> None:
    shop = (desk.folder / "shop.saga").read_text("utf-8")
    start, end = shop.index("  verify charge_of"), shop.index("  undo refund(result.id)")
    desk.save("shop.saga", shop[:start] + shop[end:])
    assert "once the answer is there; it needs `result`" in desk.hover("sagas.saga", "step pa§y")


def test_an_undo_shows_what_it_takes_back(desk: Desk) -> None:
    back = "takes back **`charge`**: `payment(order_id)`, compensatable"
    said = desk.hover("shop.saga", "un§do refund(result.id)")
    assert said.startswith("`undo tool(args) when E within D`: takes the action back.")
    assert back in said
    said = desk.hover("shop.saga", "undo refu§nd(result.id)")
    assert said.startswith("```saga\ntool refund(charge_id: str) -> json {") and back in said
    assert back not in desk.hover("shop.saga", "undo refund(resu§lt.id)")
    assert back not in desk.hover("shop.saga", "tool refu§nd(charge_id")


def test_an_undo_of_a_step_shows_what_the_step_did(desk: Desk) -> None:
    more = """\
saga unsell(id: str) { step back = unpay(id) }
tool unpay(id: str) -> json {
  call python "shop:unpay" effect payment restoring idempotent naturally retry 5 times
}
saga outer(order: Order) -> str {
  step inner = sell(order) { undo unsell(order.id) }
  step paid = charge(order.id, order.total) { undo unpay(key) }
  return inner
}
"""
    desk.save("sagas.saga", SAGAS + more)
    said = desk.hover("sagas.saga", "{ un§do unsell(order.id)")
    assert "takes back **`inner`**: all that `sell` did, once it is over" in said
    said = desk.hover("sagas.saga", "{ undo unpa§y(key)")
    assert "takes back **`paid`**, a call of `charge`: `payment(order_id)`, compensatable" in said


def test_a_tool_shows_its_entry_in_the_catalogue(desk: Desk) -> None:
    said = desk.hover("sagas.saga", "step pay = char§ge(")
    assert said.startswith("```saga\ntool charge(order_id: str, amount: decimal) -> Charge {\n")
    assert "  effect payment(order_id) compensatable impact 8\n" in said
    assert said.endswith("Charges the card.")


def test_a_saga_shows_how_it_is_called(desk: Desk) -> None:
    said = desk.hover("sagas.saga", "for sel§l {")
    assert said == "```saga\nsaga sell(order: Order) -> str\n```\n\nSells something."


@pytest.mark.parametrize(
    ("name", "part", "said"),
    [
        ("sagas.saga", "order.it§ems by", "items: list[Item]  # of Order"),
        ("sagas.saga", "post(it§em.sku", "item: Item"),
        ("sagas.saga", "saga sell(ord§er", "order: Order  # of sell"),
        ("sagas.saga", "each sen§t", "each sent: list[json]"),
        ("sagas.saga", "return twi§ce", "scope twice: { again: Charge }"),
        ("shop.saga", "it.state == State.cap§tured", "State.captured"),
        ("shop.saga", "sku: str, qt§y", "qty: int = 1  # of Item"),
    ],
)
def test_a_name_shows_its_type(desk: Desk, name: str, part: str, said: str) -> None:
    assert desk.hover(name, part).startswith(f"```saga\n{said}\n```")


@pytest.mark.parametrize(
    ("name", "part", "said"),
    [
        ("shop.saga", "  ret§ry 3 times", "N attempts in all"),
        ("shop.saga", "verify§ charge_of", "finds out whether a call happened"),
        ("shop.saga", "applied wh§en", "becomes the result"),
        ("shop.saga", "payment(order_id) compens§atable", "leaves a trace"),
        ("shop.saga", "refund(res§ult.id)", "what the action has given"),
        ("sagas.saga", "item in order.items b§y", "what identifies an item"),
        ("sagas.saga", "} els§e {", "rolled back alone"),
        ("sagas.saga", "expe§ct undone", "in this order"),
    ],
)
def test_a_word_of_the_language_shows_what_it_does(
    desk: Desk, name: str, part: str, said: str
) -> None:
    assert said in desk.hover(name, part)


def test_a_problem_shows_its_rule(desk: Desk) -> None:
    analysis, at = desk.typed("sagas.saga", "pay = charge(", "pay = char§g(")
    found = hover(analysis, at)
    assert found is not None
    assert "**N201 · " in found.markdown


def test_a_code_in_a_comment_shows_its_rule(desk: Desk) -> None:
    analysis, at = desk.typed("sagas.saga", "edition 2026\n", "edition 2026 # see R5§02\n")
    found = hover(analysis, at)
    assert found is not None and found.markdown.startswith("**R502 · ")


def test_every_code_has_a_summary() -> None:
    for code in CODES:
        said = summary(code)
        assert said is not None and "```" not in said


def test_there_is_nothing_to_say_about_blanks_and_texts(desk: Desk) -> None:
    assert desk.hover("sagas.saga", "Sells some§thing") == ""
    assert desk.hover("shop.saga", '"write ag§ain"') == ""


def test_a_half_written_saga_still_shows_its_last_proof(desk: Desk) -> None:
    analysis, _ = desk.typed("sagas.saga", "  return twice.again.id\n", "  step x = char§\n")
    assert not analysis.whole
    at = analysis.text.source.text.index("pay = charge")
    found = hover(analysis, at)
    assert found is not None and "**compensatable**" in found.markdown
    assert analysis.text.source.text[found.start : found.end] == "pay"
    assert hover(dataclasses.replace(analysis, good=None), at) is None
