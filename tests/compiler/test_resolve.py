"""Names: what may be called what, where each name is known, and what is not told twice."""

from __future__ import annotations

import pytest

from sagalang.dsl.diagnostics import Diagnostic
from sagalang.dsl.fixes import apply

from .programs import check, compiled

HEAD = """edition 2026
tool find(id: str) -> str? { call python "shop:find" effect none }
"""


def found(text: str, groups: frozenset[str] | None = None) -> list[Diagnostic]:
    """What is found in a saga's body, names and types only."""
    made = compiled(f"{HEAD}saga s(id: str, n: int) {{\n{text}\n}}", groups=groups)
    return [each for each in made.diagnostics if each.code[0] in "SNTG"]


class TestAllowed:
    @pytest.mark.parametrize(
        "body",
        [
            "step find = find(id)",
            "let print = id\nstep class = find(print)\nstep lambda = find(\"{class}\")",
            "let step = id\nstep parallel = find(step)\nstep key = find(\"{parallel}\")",
            "let len = len(id)\nstep a = find(\"{len}\")",
            "if n > 1 { step a = find(id) } else { step a = find(\"x\") }\nstep b = find(\"{a}\")",
            "if n > 1 { if n > 2 { step a = find(id) } } else { step a = find(\"x\") }",
            "let a = [x for x in [1] if x > n]\nlet b = [x for x in a]\nstep c = find(\"{b}\")",
            "parallel { step a = find(id) parallel { step b = find(\"{a}\") } }",
        ],
    )  # fmt: skip
    def test_names(self, body: str) -> None:
        assert [each for each in found(body) if each.severity == "error"] == []

    def test_words_of_clauses_are_values_where_nothing_else_is_meant(self) -> None:
        """`result` and the like may name steps; it is told only where both could be meant."""
        check(
            HEAD
            + """saga s(id: str) {
              step result = find(id)
              step it = find("{result}")
              step a = find("{it}") until it != "" every 1s within 1m # error: [N202] "could be"
              step b = find("{a}") until a != none every 1s within 1m
              step c = find("{b}") { verify find("{result}") }
              step d = find("{c}") { undo find("{result}") } # error: [N202] "could be"
            }"""
        )

    def test_in_parallel_a_later_statement_may_be_read(self) -> None:
        assert found('parallel { step a = find("{b}") step b = find("{n}{id}") }') == []

    def test_after_reaches_through_if_and_parallel(self) -> None:
        body = """parallel {
          if n > 1 { step a = find(id) after b }
          step b = find(id)
          parallel { step c = find(id) after a }
        }"""
        assert found(body) == []

    def test_a_twin_in_the_same_branch_is_the_one_that_is_read(self) -> None:
        body = """if n > 1 {
          step a = find(id)
          requires a != none
          step b = find(a)
        } else { step a = find("x") step c = find("{a}") }
        step d = find("{b}{c}")"""
        assert found(body) == []

    def test_a_field_may_be_called_as_a_reserved_word_is(self) -> None:
        made = compiled(
            """edition 2026
            record Range { in: str, not: int }
            tool find(r: Range) -> str { call python "shop:find" effect none }
            saga s(r: Range) { step a = find({ in: r.in, not: r.not }) }"""
        )
        assert made.diagnostics == ()


class TestGroups:
    def test_without_a_list_of_groups_any_group_is_taken(self) -> None:
        assert found('gate g needs "opps" shows id, n') == []

    def test_with_one_a_group_has_to_be_in_it(self) -> None:
        (problem,) = found('gate g needs "opps" shows id, n', frozenset({"ops", "dba"}))
        assert problem.code == "N201"
        assert problem.helps == ('Did you mean "ops"?',)

    def test_correctives_name_groups_too(self) -> None:
        made = compiled(
            """edition 2026
            tool mail(to: str) -> str {
              call python "shop:mail" (to, key)
              effect mail(to) irreversible corrective recall(to) needs "dekst"
              idempotent by key
            }
            tool recall(to: str) -> str {
              call python "shop:recall" (to)
              effect mail restoring
              idempotent naturally
              retry 3 times
            }
            saga s(to: str) { step a = mail(to) }""",
            groups=frozenset({"desk"}),
        )
        assert [each.code for each in made.diagnostics] == ["N201"]


class TestOnce:
    """One mistake is told once, where it is made."""

    def test_a_lost_import_is_not_told_again_where_it_is_used(self) -> None:
        made = compiled(
            """edition 2026
            import { find, Order, Speed } from "gone.saga"
            record Box { order: Order, speed: Speed = Speed.fast }
            saga s(order: Order) {
              step a = find(order.id, Speed.slow)
              let b = Order(id: a)
              step c = find("{b}")
            }"""
        )
        assert [each.code for each in made.diagnostics] == ["N203"]

    def test_an_unknown_value_has_every_type(self) -> None:
        (problem,) = found('step a = find(idd.x + 1)\nlet b = len(a)\nstep c = find("{b}{n}{id}")')[
            :1
        ]
        assert problem.code == "N201"

    def test_a_name_that_stands_twice_is_no_further_mistake(self) -> None:
        body = 'step a = find(id)\nlet a = n\nstep b = find("{a}")'
        assert [each.code for each in found(body)] == ["N202"]


def test_independent_mistakes_are_told_in_one_go_by_position() -> None:
    codes = [each.code for each in found(
        """step a = fnd(id)
        step b = find(m)
        step c = find(id) after d
        step e = find(1)
        gate g needs 0 of "ops" shows n
        if n { step f = find(id) }"""
    )]  # fmt: skip
    assert codes == ["N201", "N201", "G402", "T301", "T301", "T306"]


def test_the_near_miss_is_a_fix() -> None:
    made = compiled(f"{HEAD}saga s(id: str) {{ step a = fnid(id) }}")
    (problem,) = made.diagnostics
    assert problem.fix is not None and problem.fix.applicability == "ask"
    mended = apply(made.sources["main.saga"], [problem.fix], "ask")
    assert compiled(mended).diagnostics == ()


def test_unused_imports_are_taken_out_with_their_commas() -> None:
    files = {"shop.saga": HEAD + "record A { id: str }\nrecord B { id: str }\n"}
    for names in ("A, find, B", "find, A, B", "A, B, find", "A,\n  # why\n  find,\n  B,\n"):
        text = (
            f'edition 2026\nimport {{ {names} }} from "shop.saga"\n'
            "saga s(id: str) { step a = find(id) }"
        )
        made = compiled(text, files)
        (problem,) = made.diagnostics
        assert problem.message == "The imports `A` and `B` are never used."
        assert problem.fix is not None
        text = apply(made.sources["main.saga"], [problem.fix])
        assert compiled(text, files).diagnostics == (), text


def test_an_import_of_which_nothing_is_used_goes_as_a_whole() -> None:
    files = {"shop.saga": HEAD}
    made = compiled('edition 2026\nimport { find } from "shop.saga"\nsaga s() { }', files)
    (problem,) = made.diagnostics
    assert problem.fix is not None
    assert "import" not in apply(made.sources["main.saga"], [problem.fix])


def test_a_cycle_is_told_at_every_member_and_two_cycles_twice() -> None:
    body = """parallel {
      step x = find("{a}")
      step a = find("{b}")
      step b = find("{c}")
      step c = find("{a}{n}")
      step d = find("{e}")
      step e = find("{d}{id}")
    }"""
    one, other = found(body)
    assert one.message.startswith("`a` → `b` → `c` → `a`:")
    assert [label.message for label in one.labels] == [
        "`a` waits for `b`",
        "`b` waits for `c`",
        "`c` waits for `a`",
    ]
    assert other.message.startswith("`d` → `e` → `d`:")


def test_a_long_cycle_costs_no_recursion() -> None:
    count = 3000
    steps = "\n".join(f'step a{n} = find("{{a{(n + 1) % count}}}")' for n in range(count))
    (problem,) = [d for d in found(f"parallel {{\n{steps}\n}}") if d.code == "G401"]
    assert len(problem.labels) == count


def test_a_long_name_is_cut_in_messages() -> None:
    name = "a" * 10_000
    (problem,) = [d for d in found(f"step b = find({name})") if d.code == "N201"]
    assert len(problem.message) < 200
