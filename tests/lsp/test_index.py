"""Every name is bound to what it means, over files; renaming keeps the meaning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from sagalang.compiler.typing.types import BUILT_IN
from sagalang.dsl.diagnostics import Edit
from sagalang.dsl.nodes import (
    Binding,
    DoneWith,
    Effect,
    FailsWith,
    MapEntry,
    Name,
    NamedType,
    Node,
    Reads,
    Saga,
    Step,
    TransientWith,
    children,
    walk,
)
from sagalang.dsl.span import Span
from sagalang.lsp import navigation, rename
from sagalang.lsp.analysis import Analysis, analysed
from sagalang.lsp.hover import hover
from sagalang.lsp.lenses import lenses
from sagalang.lsp.program import Program
from sagalang.lsp.workspace import Workspace
from sagalang.runtime.signatures import FUNCTIONS

from .desk import AGENTS, ROOT, SAGAS, SHOP, Desk

FILES = sorted(
    path
    for folder in ("tests/corpus/ok", "examples", "src/sagalang/cli/starter")
    for path in (ROOT / folder).glob("**/*.saga")
)
IDS = [path.relative_to(ROOT).as_posix() for path in FILES]
SOME = 12
WORDS = {"key", "result", "it", "args", "else", "gate", "undo", *FUNCTIONS}


def opened(path: Path) -> Analysis:
    workspace = Workspace(path.parent)
    document = workspace.put(str(path), path.read_bytes().decode("utf-8"))
    return analysed(document.text, workspace.compile(document.text), None)


def names(node: Node) -> Iterator[Name]:
    """The names that must mean something: no errors' or kinds' names, none of Python's."""
    match node:
        case FailsWith() | TransientWith() | DoneWith():
            return
        case Name():
            yield node
            return
        case Binding(arguments=arguments):
            for argument in arguments or ():
                yield from names(argument.value)
            return
        case NamedType(name=name) if name.text in BUILT_IN:
            return
        case _:
            pass
    for child in children(node):
        kind = isinstance(node, Effect | Reads) and child is node.kind
        key = isinstance(node, MapEntry) and child is node.key
        if not kind and not key:
            yield from names(child)


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_every_name_of_a_program_is_bound(path: Path) -> None:
    analysis = opened(path)
    module = analysis.program.modules[path.name].module
    bound = {each.span for each in analysis.program.index.by_module[path.name]}
    missing = [n.text for n in names(module) if n.span not in bound and n.text not in WORDS]
    assert missing == []


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_every_name_has_something_to_show_and_every_step_a_lens(path: Path) -> None:
    analysis = opened(path)
    for each in analysis.program.index.by_module[path.name]:
        found = hover(analysis, each.span.start)
        assert found is not None and found.markdown, each
    shown = {lens.span for lens in lenses(analysis)}
    assert analysis.program.compilation is not None
    proved = analysis.program.compilation.proofs
    for declared in analysis.program.catalogue.order:
        if isinstance(declared.node, Saga) and declared.plan_name in proved:
            steps = [n for n in walk(declared.node) if isinstance(n, Step)]
            assert {step.name.span for step in steps} <= shown or declared.module != path.name


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_a_symbol_can_be_renamed_and_the_program_means_the_same(path: Path) -> None:
    """What the compiler says of the new program, and what each name means in it, tells."""
    analysis = opened(path)
    program = analysis.program
    recompile = Workspace(path.parent).recompiled
    own = [each for each in program.index.symbols.values() if each.key[0] == path.name]
    # Each asks the compiler anew: of a long file some will do.
    for symbol in own[:: max(1, len(own) // SOME)]:
        renaming = rename.Renaming(symbol, rename.spans(symbol, [program]))
        edits = rename.checked(renaming, "quite_another_name", [program], recompile)
        assert len(edits) == len(renaming.spans) > 0


def places(spans: Iterable[Span]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for span in spans:
        text = {"shop.saga": SHOP, "sagas.saga": SAGAS}[span.source]
        line = text[: span.start].count("\n")
        found.append((span.source, text.split("\n")[line].strip()))
    return found


def programs(desk: Desk, analysis: Analysis, word: str) -> list[Program]:
    known = {analysis.program.root}
    return [analysis.program, *desk.workspace.others(word, known)]


def uses(desk: Desk, name: str, part: str) -> list[tuple[str, str]]:
    analysis, at = desk.at(name, part)
    symbol = navigation.meant(analysis, at)
    assert symbol is not None
    spans = navigation.uses(symbol.key, programs(desk, analysis, symbol.name))
    return places(spans)


def renamed(desk: Desk, name: str, part: str, new: str) -> list[Edit]:
    analysis, at = desk.at(name, part)
    symbol, _ = rename.target(analysis, at)
    found = programs(desk, analysis, symbol.name)
    renaming = rename.Renaming(symbol, rename.spans(symbol, found))
    return rename.checked(renaming, new, found, desk.workspace.recompiled)


def after(edits: list[Edit], name: str, text: str) -> str:
    for edit in sorted(edits, key=lambda e: e.start, reverse=True):
        if edit.source == name:
            text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def test_a_tool_is_found_from_another_file(desk: Desk) -> None:
    assert uses(desk, "shop.saga", "tool char§ge(") == [
        ("sagas.saga", 'import { Order, charge, mail as post } from "shop.saga"'),
        ("sagas.saga", "step pay = charge(order.id, order.total)"),
        ("sagas.saga", "step again = charge(amount: order.total, order_id: order.id)"),
        ("sagas.saga", "step again = charge(order.id, 1.0)"),
        ("shop.saga", "tool charge(order_id: str, amount: decimal) -> Charge {"),
    ]


def test_a_tool_is_found_by_its_other_name(desk: Desk) -> None:
    found = uses(desk, "shop.saga", "tool ma§il(")
    assert ("sagas.saga", 'step letter = post(item.sku, "{item.qty} of {order.id}")') in found


def test_fields_are_found_in_expressions_texts_and_maps(desk: Desk) -> None:
    lines = uses(desk, "shop.saga", "{ sk§u: str")
    assert [line for _, line in lines] == [
        "each sent = item in order.items by item.sku {",
        'step letter = post(item.sku, "{item.qty} of {order.id}")',
        'given order = { id: "o-1", items: [{ sku: "a" }], total: 1.0 }',
        "record Item { sku: str, qty: int = 1 }",
    ]


def test_a_definition_leads_into_another_file(desk: Desk) -> None:
    span = navigation.definition(*desk.at("sagas.saga", "pay = char§ge("))
    assert span is not None and span.source == "shop.saga"
    assert SHOP[span.start - 5 : span.end] == "tool charge"
    path = navigation.definition(*desk.at("sagas.saga", '"shop§.saga"'))
    assert path == ("shop.saga", 0, 0)


def test_paths_of_scenarios_lead_into_scopes(desk: Desk) -> None:
    span = navigation.definition(*desk.at("sagas.saga", "fail twice.aga§in"))
    assert span is not None
    assert SAGAS[span.start - 5 :].startswith("step again = charge(amount")


def test_what_an_agent_calls_in_a_scenario_is_the_tool(desk: Desk) -> None:
    desk.save("agents.saga", AGENTS)
    span = navigation.definition(*desk.at("agents.saga", "calls char§ge("))
    assert span is not None and SHOP[span.start - 5 : span.end] == "tool charge"
    step = navigation.definition(*desk.at("agents.saga", "undo bou§ght[1]"))
    assert step is not None and AGENTS[step.start - 5 : step.end] == "step bought"
    edits = renamed(desk, "shop.saga", "tool charge(order§_id", "order")
    assert 'calls charge(order: "o-1"' in after(edits, "agents.saga", AGENTS)
    edits = renamed(desk, "agents.saga", "step bou§ght", "got")
    text = after(edits, "agents.saga", AGENTS)
    assert "bought" not in text and "approve got[2].gate" in text


def test_a_name_in_a_scope_and_its_else_is_one(desk: Desk) -> None:
    text = after(renamed(desk, "sagas.saga", "fail twice.aga§in", "once_more"), "sagas.saga", SAGAS)
    assert "again" not in text
    assert text.count("once_more") == 4


def test_renaming_goes_over_files_and_keeps_other_names(desk: Desk) -> None:
    edits = renamed(desk, "shop.saga", "tool ma§il(", "write")
    assert "tool write(to" in after(edits, "shop.saga", SHOP)
    sagas = after(edits, "sagas.saga", SAGAS)
    assert "write as post" in sagas and "= post(" in sagas
    edits = renamed(desk, "sagas.saga", "letter = po§st(", "send")
    assert {edit.source for edit in edits} == {"sagas.saga"}
    assert "mail as send }" in after(edits, "sagas.saga", SAGAS)


def test_renaming_a_parameter_changes_named_arguments(desk: Desk) -> None:
    edits = renamed(desk, "shop.saga", "tool charge(order§_id", "order")
    assert "(order, amount, idempotency_key: key)" in after(edits, "shop.saga", SHOP)
    assert "order: order.id)" in after(edits, "sagas.saga", SAGAS)


@pytest.mark.parametrize(
    ("part", "new", "reason"),
    [
        ("step pa§y", "2pay", "`2pay` is not a name"),
        ("step pa§y", "if", "the language uses this word itself"),
        ("step pa§y", "twice", "`twice` cannot be taken"),
        ("step pa§y", "order", "is an input of the saga already"),
        ("by ite§m.sku", "pay", "`pay` cannot be taken"),
    ],
)
def test_a_name_that_cannot_be_given_is_refused(
    desk: Desk, part: str, new: str, reason: str
) -> None:
    with pytest.raises(rename.Refused, match=reason):
        renamed(desk, "sagas.saga", part, new)


def test_parameters_do_not_take_words_of_clauses(desk: Desk) -> None:
    with pytest.raises(rename.Refused, match="a meaning of its own"):
        renamed(desk, "shop.saga", "tool charge(order§_id", "key")


def test_nothing_is_renamed_while_a_file_is_half_written(desk: Desk) -> None:
    analysis, at = desk.typed("sagas.saga", "  return twice.again.id\n", "  return pa§y.\n")
    with pytest.raises(rename.Refused, match="syntax errors"):
        rename.target(analysis, at)
    desk.save("broken.saga", 'import { charge } from "shop.saga"\nsaga x() { step a = charge( }')
    with pytest.raises(rename.Refused, match=r"broken\.saga has syntax errors"):
        renamed(desk, "shop.saga", "tool char§ge(", "debit")


BACK = """\
saga unsell(id: str) { step paid_back = unpay(id) }
tool unpay(id: str) -> json {
  call python "shop:unpay" effect payment restoring idempotent naturally retry 5 times
}
saga outer(order: Order) -> str {
  step inner = sell(order) { undo unsell(order.id) }
  return inner
}
scenario "taken back" for outer {
  crash inner.undo.paid_back after undo
  expect rolled back
}
"""


def test_the_word_undo_leads_to_what_takes_back(desk: Desk) -> None:
    span = navigation.definition(*desk.at("shop.saga", "und§o refund(result.id)"))
    assert span is not None and SHOP[span.start - 5 : span.end] == "tool refund"
    assert span == navigation.definition(*desk.at("shop.saga", "undo ref§und(result.id)"))
    desk.save("sagas.saga", SAGAS + BACK)
    for part in ("{ un§do unsell(", "{ undo uns§ell(", "crash inner.un§do.paid_back"):
        span = navigation.definition(*desk.at("sagas.saga", part))
        assert span is not None, part
        assert (SAGAS + BACK)[span.start - 5 : span.end] == "saga unsell", part
    assert "saga unsell(id: str)" in desk.hover("sagas.saga", "crash inner.un§do.paid_back")


def test_the_word_undo_stays_when_what_it_leads_to_is_renamed(desk: Desk) -> None:
    desk.save("sagas.saga", SAGAS + BACK)
    text = after(
        renamed(desk, "sagas.saga", "saga uns§ell", "give_back"), "sagas.saga", SAGAS + BACK
    )
    assert "undo give_back(order.id)" in text and "crash inner.undo.paid_back" in text
    with pytest.raises(rename.Refused, match="no name here"):
        renamed(desk, "sagas.saga", "crash inner.un§do.paid_back", "redo")
