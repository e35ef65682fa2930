"""What the tree holds, where it is hard: values, texts, precedence, documentation, names."""

from __future__ import annotations

from decimal import Decimal
from typing import TypeVar

import pytest

from sagalang.dsl import nodes as n
from sagalang.dsl.parser import Parsed, parse
from sagalang.dsl.source import Source

Kind = TypeVar("Kind", bound=n.Node)


def read(text: str) -> Parsed:
    parsed = parse(Source("t.saga", text))
    assert parsed.diagnostics == ()
    return parsed


def value(text: str) -> n.Expr:
    return only(read(f"saga s() {{ let x = {text} }}"), n.Let).value


def only(parsed: Parsed, kind: type[Kind]) -> Kind:
    [found] = [node for node in n.walk(parsed.module) if isinstance(node, kind)]
    return found


def shape(node: n.Expr) -> str:
    """An expression with every part in parentheses."""
    match node:
        case n.Reference():
            return node.name.text
        case n.IntLiteral():
            return str(node.value)
        case n.Arithmetic() | n.Comparison() | n.Logical():
            return f"({shape(node.left)} {node.operator} {shape(node.right)})"
        case n.Not():
            return f"(not {shape(node.operand)})"
        case n.Negate():
            return f"(-{shape(node.operand)})"
        case n.Field():
            return f"({shape(node.value)}.{node.name.text})"
        case n.Conditional():
            parts = (node.condition, node.then, node.otherwise)
            return "(if {} then {} else {})".format(*map(shape, parts))
        case _:
            raise AssertionError(node)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a - b - c", "((a - b) - c)"),
        ("a - (b - c)", "(a - (b - c))"),
        ("a + b * c // d", "(a + ((b * c) // d))"),
        ("-a.b * -c", "((-(a.b)) * (-c))"),
        ("a + 1 < b * 2", "((a + 1) < (b * 2))"),
        ("not a == b and c or d", "(((not (a == b)) and c) or d)"),
        ("a or b and not c in d", "(a or (b and (not (c in d))))"),
        ("a not in b", "(a not in b)"),
        (
            "if a then b else if c then d else e or f",
            "(if a then b else (if c then d else (e or f)))",
        ),
        ("(if a then b else c) + d", "((if a then b else c) + d)"),
        ("- -a", "(-(-a))"),
    ],
)
def test_how_tightly_operators_hold(text: str, tree: str) -> None:
    assert shape(value(text)) == tree


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("200ms", 200), ("10s", 10_000), ("5m", 300_000), ("24h", 86_400_000), ("1_0d", 864_000_000)],
)
def test_a_duration_is_a_whole_number_of_milliseconds(text: str, milliseconds: int) -> None:
    found = value(text)
    assert isinstance(found, n.Duration)
    assert found.milliseconds == milliseconds


def test_a_decimal_is_exact_and_keeps_its_places() -> None:
    found = value("10_000.00")
    assert isinstance(found, n.DecimalLiteral)
    assert str(found.value) == "10000.00"
    big = value("0." + "1" * 60)
    assert isinstance(big, n.DecimalLiteral)
    assert big.value == Decimal("0." + "1" * 60)


def test_a_text_is_cut_into_runs_and_expressions_at_their_places() -> None:
    parsed = read('saga s(a: int) { let x = "é {a.b}{{}} \\u{1F600}\\"{ {k: a}.k }" }')
    text = only(parsed, n.Let).value
    assert isinstance(text, n.TextLiteral)
    runs = [part.value for part in text.parts if isinstance(part, n.TextRun)]
    assert runs == ["é ", '{} \U0001f600"']
    first, second = (part for part in text.parts if isinstance(part, n.Interpolation))
    assert parsed.source.cut(first.span) == "{a.b}"
    assert parsed.source.cut(first.value.span) == "a.b"
    assert isinstance(first.value, n.Field)
    assert parsed.source.cut(first.value.name.span) == "b"
    assert parsed.source.cut(second.value.span) == "{k: a}.k"
    assert text.plain is None


def test_a_text_without_expressions_is_plain() -> None:
    text = value(r'"a {{b}}\n"')
    assert isinstance(text, n.TextLiteral)
    assert text.plain == "a {b}\n"
    empty = value('""')
    assert isinstance(empty, n.TextLiteral)
    assert (empty.parts, empty.plain) == ((), "")


def test_the_name_of_a_thing_is_not_interpolated() -> None:
    parsed = read('tool t() -> json { call python "m:{f}" effect none service "a}\\"" }')
    assert only(parsed, n.Service).name.value == 'a}"'
    target = only(parsed, n.Binding).target
    assert target is not None
    assert target.value == "m:{f}"


def test_documentation_loses_the_indentation_of_the_program() -> None:
    parsed = read(
        '''"""
    Fulfils.

      - indented
    """
saga s() {
  """One line."""
  let x = 1
}'''
    )
    [saga] = parsed.module.declarations
    assert isinstance(saga, n.Saga)
    assert saga.doc is not None
    assert saga.doc.text == "Fulfils.\n\n  - indented"
    assert parsed.source.cut(saga.span).startswith("saga s()")
    inner = saga.body.statements[0]
    assert isinstance(inner, n.Let)
    assert inner.doc is not None
    assert inner.doc.text == "One line."


def test_each_clause_has_its_own_place() -> None:
    parsed = read("tool t() -> json { effect a(key) irreversible impact 3 undo u() undo v() }")
    [tool] = parsed.module.declarations
    assert isinstance(tool, n.Tool)
    cuts = [parsed.source.cut(clause.span) for clause in tool.clauses]
    assert cuts == ["effect a(key) irreversible impact 3", "undo u()", "undo v()"]
    [effect] = n.of(tool.clauses, n.Effect)
    assert parsed.source.cut(effect.class_at) == effect.effect_class == "irreversible"


def test_a_conditional_value_does_not_take_the_if_of_the_next_statement() -> None:
    parsed = read("saga s(a: bool) { let x = if a then 1 else 2 if a { } }")
    [saga] = parsed.module.declarations
    assert isinstance(saga, n.Saga)
    assert [type(statement) for statement in saga.body.statements] == [n.Let, n.If]


@pytest.mark.parametrize("word", ["True", "None", "print", "class", "self", "import_", "__init__"])
def test_words_of_python_name_steps_and_may_be_used(word: str) -> None:
    read(f"saga s() {{ step {word} = f() step after_it = g({word}) }}")


def test_comments_are_kept_with_their_places() -> None:
    parsed = read('# one\nedition 2026 # two "\nenum E { a, # three }\n b }#four')
    texts = ["# one", '# two "', "# three }", "#four"]
    assert [comment.text for comment in parsed.comments] == texts
    assert [parsed.source.cut(comment.span) for comment in parsed.comments] == texts


@pytest.mark.parametrize("text", ["", "\n \n", "# only a comment", "\ufeff", "\x1a"])
def test_an_empty_file_holds_nothing_and_is_well_formed(text: str) -> None:
    parsed = read(text)
    assert parsed.module.declarations == ()
    assert parsed.ok


def test_declarations_may_be_named_like_the_words_that_begin_them() -> None:
    parsed = read(
        "record tool { a: int } tool saga() -> tool { call python } saga record() -> tool { }"
        ' enum import { a } scenario "s" for saga { } agent agent() -> enum { call python }'
    )
    named = (n.Record, n.Tool, n.Saga, n.Enum, n.Agent)
    names = [each.name.text for each in parsed.module.declarations if isinstance(each, named)]
    assert names == ["tool", "saga", "record", "import", "agent"]
