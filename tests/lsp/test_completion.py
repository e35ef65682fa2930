"""What is offered while somebody writes, from texts that are never whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from sagalang.lsp.analysis import analysed
from sagalang.lsp.completion import completion
from sagalang.lsp.hover import hover
from sagalang.lsp.lenses import lenses
from sagalang.lsp.place import place
from sagalang.lsp.structure import folds, parts
from sagalang.lsp.tokens import tokens
from sagalang.lsp.workspace import Workspace

from .desk import AGENTS, ROOT, SAGAS, SHOP, Desk

RETURN = "  return twice.again.id\n"


def offered(desk: Desk, new: str, old: str = RETURN) -> list[str]:
    return [item.label for item in desk.completed("sagas.saga", old, new)]


def test_words_are_those_that_the_grammar_accepts(desk: Desk) -> None:
    words = offered(desk, "  §\n")
    assert {"step", "gate", "each", "return", "scope", "if"} <= set(words)
    assert not {"tool", "effect", "applied"} & set(words)
    assert offered(desk, "  step x = charge(order.id, 1.0) else §\n") == [
        "continue",
        "escalate",
        "rollback",
    ]
    clauses = desk.offered("shop.saga", "  retry 3 times\n", "  §\n")
    assert {"effect", "undo", "verify", "retry"} <= clauses.keys()
    assert "step" not in clauses
    assert clauses["verify"].doc.startswith("`verify read(args)")


def test_declarations_begin_where_one_has_ended(desk: Desk) -> None:
    assert {"tool", "saga", "record"} <= set(offered(desk, "edition 2026\n§\n", "edition 2026\n"))
    text = "  expect undone pay\n}\n"
    assert {"tool", "saga"} <= set(offered(desk, f"{text}§", text))


def test_values_come_with_their_types(desk: Desk) -> None:
    found = desk.offered("sagas.saga", RETURN, "  let a = §\n")
    assert found["order"].detail == "Order"
    assert found["pay"].detail == "Charge"
    assert found["sent"].detail == "list[json]"
    assert found["len"].insert == "len("
    assert "charge" not in found and "letter" not in found and "item" not in found


def test_only_what_is_there_already_is_offered(desk: Desk) -> None:
    step = "  step pay = charge(order.id, order.total)\n"
    found = offered(desk, "  let a = §\n" + step, step)
    assert "order" in found and "pay" not in found


def test_names_in_blocks_are_known_inside_them(desk: Desk) -> None:
    old = '    step letter = post(item.sku, "{item.qty} of {order.id}")\n'
    found = desk.offered("sagas.saga", old, f"{old}    let a = §\n")
    assert {"item", "letter", "pay", "order"} <= found.keys()
    assert found["item"].detail == "Item"
    assert "again" not in found


@pytest.mark.parametrize(
    ("new", "fields"),
    [
        ("  let a = order.§\n", ["id", "items", "total", "note"]),
        ("  let a = order.it§\n", ["id", "items", "total", "note"]),
        ("  let a = order.items[0].§\n", ["sku", "qty"]),
        ("  let a = pay.§\n", ["id", "amount", "state"]),
        ("  let a = twice.§\n", ["again"]),
        ("  let a = twice.again.§\n", ["id", "amount", "state"]),
        ('  let a = "for {order.§\n', ["id", "items", "total", "note"]),
        ('  let a = "for {order.§}"\n', ["id", "items", "total", "note"]),
        ("  let a = [i.§ for i in order.items]\n", []),
        ("  let a = [i.sku for i in order.items if i.§]\n", ["sku", "qty"]),
        ("  each b = one in order.items by one.§ { }\n", ["sku", "qty"]),
        ("  repeat b = c from order.items[0] at most 3 times { let d = c.§\n", ["sku", "qty"]),
        ('  gate g needs "ops" shows pay.§\n', ["id", "amount", "state"]),
        ('  gate g needs "ops" shows pay.id\n  let a = g.§\n', ["approved", "by", "note"]),
        ("  step a = charge(order.§\n", ["id", "items", "total", "note"]),
        ("  step a = charge(order.id, 1.0) until it.§\n", ["id", "amount", "state"]),
        ("  if order.§ { }\n", ["id", "items", "total", "note"]),
        ("  nonsense ((\n  let a = pay.§\n", ["id", "amount", "state"]),
        ("  step half = \n  let a = pay.§\n", ["id", "amount", "state"]),
    ],
)
def test_behind_a_dot_stand_the_fields(desk: Desk, new: str, fields: list[str]) -> None:
    assert offered(desk, new) == fields


def test_behind_an_enum_stand_its_members(desk: Desk) -> None:
    old = "it.state == State.captured"
    found = desk.completed("shop.saga", old, "it.state == State.§")
    assert [(item.label, item.kind) for item in found] == [
        ("captured", "member"),
        ("refunded", "member"),
    ]


def test_a_step_calls_tools_and_sagas_and_an_undo_first_what_restores(desk: Desk) -> None:
    found = desk.offered("sagas.saga", RETURN, "  step a = §\n")
    assert found.keys() == {"charge", "post", "sell"}
    assert found["charge"].detail == "tool (order_id: str, amount: decimal) -> Charge"
    assert found["charge"].doc == "Charges the card."
    undo = desk.offered("shop.saga", "undo refund(result.id)", "undo §")
    assert undo["refund"].first and not undo["charge"].first
    verify = desk.offered("shop.saga", "verify charge_of(order_id) {", "verify §")
    assert verify["charge_of"].first and not verify["refund"].first


def test_arguments_that_are_not_given_yet_are_offered_by_name(desk: Desk) -> None:
    assert "order_id:" in offered(desk, "  step a = charge(§\n")
    found = offered(desk, "  step a = charge(order.id, §\n")
    assert "amount:" in found and "order_id:" not in found


def test_clauses_know_their_own_words(desk: Desk) -> None:
    undo = desk.completed("shop.saga", "refund(result.id)", "refund(result.§)")
    assert [item.label for item in undo] == ["id", "amount", "state"]
    assert "key" in desk.offered("shop.saga", "void_by_key(key)", "void_by_key(§)")
    verdict = desk.completed("shop.saga", "it.state == State.captured", "it.§")
    assert [item.label for item in verdict] == ["id", "amount", "state"]


def test_types_are_offered_where_types_stand(desk: Desk) -> None:
    found = desk.offered("shop.saga", "qty: int = 1", "qty: §")
    assert {"int", "str", "Order", "State", "list"} <= found.keys()
    assert "charge" not in found and "len" not in found


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (RETURN, "  sleep 1s\n  checkpoint c\n  step a = charge(order.id, 1.0) after §\n",
         {"pay", "sent", "twice", "c"}),
        ("saga sell(order: Order) -> str {\n",
         "saga sell(order: Order) -> str {\n  promise reversible until §\n", {"pay", "twice"}),
        ("for sell {", "for § {", {"sell"}),
        ("given order =", "given §", {"order"}),
        ("fail twice.again", "fail §", {"pay", "sent", "twice"}),
        ("fail twice.again", "fail twice.§", {"again", "else"}),
        ("fail twice.again", "fail twice.else.§", {"again"}),
        ("fail twice.again", 'fail sent["a"].§', {"letter"}),
        ('import { Order,', "import { §", {"Order", "Item", "charge", "mail"}),
        (RETURN, '  gate g needs 2 of "§\n', {"leads", "ops"}),
        (RETURN, '  gate g needs "§" shows pay\n', {"leads", "ops"}),
        ('from "shop.saga"', 'from "§"', {"shop.saga"}),
    ],
)  # fmt: skip
def test_each_place_has_what_belongs_there(
    desk: Desk, old: str, new: str, expected: set[str]
) -> None:
    assert expected <= set(offered(desk, new, old))


def test_what_an_agent_may_use_is_offered_where_a_scenario_says_what_it_calls(desk: Desk) -> None:
    desk.save("agents.saga", AGENTS)
    line = "  refuse undo bought[1]\n"
    found = desk.offered("agents.saga", line, "  mock bought calls §\n")
    assert {name: item.insert for name, item in found.items()} == {
        "charge": "charge(",
        "post": "post(",
    }
    assert desk.offered("agents.saga", line, "  mock bought §\n").keys() == {"calls"}
    assert "order_id:" in desk.offered("agents.saga", line, "  mock bought calls charge(§\n")


def test_a_new_name_is_left_to_the_author(desk: Desk) -> None:
    assert offered(desk, "  step §\n") == []
    assert offered(desk, "  let §\n") == []
    assert offered(desk, "  # a comm§\n") == []
    assert offered(desk, '  let a = "te§\n') == []


def test_declarations_that_are_broken_just_now_are_still_known(desk: Desk) -> None:
    """Two at once: the tool is half-written, and so is the saga that would call it."""
    text = "tool help(me: str) -> Order { call python effect none }\n"
    good = desk.open("sagas.saga", SAGAS + text)
    broken = (SAGAS + text).replace("effect none", "effect").replace(RETURN, "  step a = §\n")
    at = broken.index("§")
    analysis = desk.open("sagas.saga", broken.replace("§", ""), good)
    assert analysis.program.catalogue.find("sagas.saga", "help") is None
    found = {item.label: item for item in completion(analysis, at)}
    assert found["help"].detail == "tool (me: str) -> Order"


def everything(workspace: Workspace, path: Path, raw: str, offset: int) -> None:
    """Asks for all that an editor asks for on its own."""
    text = workspace.put(str(path), raw).text
    analysis = analysed(text, workspace.compile(text), None)
    at = min(offset, len(text.source.text))
    completion(analysis, at)
    hover(analysis, at)
    list(lenses(analysis))
    list(tokens(analysis))
    parsed = analysis.program.modules[text.name]
    list(parts(parsed))
    list(folds(parsed))


@given(st.integers(0, len(SHOP + SAGAS)), st.integers(0, 40), st.sampled_from(["", "{", '"', "}"]))
def test_nothing_half_written_is_too_much(cut: int, gap: int, typed: str) -> None:
    """A text cut anywhere, with something missing behind and something typed in its place."""
    whole = SHOP + SAGAS.replace("edition 2026\n", "").replace("import", "# import")
    raw = whole[:cut] + typed + whole[cut + gap :]
    everything(Workspace(ROOT / "tests"), ROOT / "tests/none.saga", raw, cut + len(typed))


@given(
    st.text(alphabet='{}()[]".,:=>-#\n saga tool step x1 é🎈\\', max_size=60), st.integers(0, 60)
)
def test_any_text_at_all_is_answered(raw: str, offset: int) -> None:
    everything(Workspace(ROOT / "tests"), ROOT / "tests/none.saga", raw, offset)
    place(Workspace().put("a.saga", raw).text.source, min(offset, len(raw)))
