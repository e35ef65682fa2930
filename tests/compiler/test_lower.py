"""Plans: what a saga lowers to, statement by statement, and nothing that layout could change."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TypeVar

import msgspec
import pytest

from sagalang.runtime.formula import (
    Apply,
    Choice,
    Compare,
    Field,
    Index,
    ListOf,
    Literal,
    Name,
    RecordOf,
    Type,
    names,
)
from sagalang.runtime.plan import (
    Argument,
    Corrective,
    Gate,
    If,
    Let,
    Node,
    Parallel,
    Plan,
    Retry,
    Return,
    Step,
    Tool,
    definition,
    statements,
)

from .programs import compiled

HEAD = """edition 2026
tool find(id: str, depth: int = 2) -> str? { call python "shop:find" effect none }
tool put(id: str, n: decimal) -> str {
  call python "shop:put" (id, n, idempotency_key: key)
  effect thing(id) reversible impact 3
  idempotent by key for 24h
  fails with Refused
  retry 5 times every 200ms..30s
  timeout 10s settle 30s
  verify find(id) consistent after 5s { applied when it == id gives it }
  undo drop(id) within 90d
}
tool drop(id: str) -> json {
  call python "shop:drop"
  effect thing restoring
  idempotent naturally
  done with Gone
  retry 10 times every 1s..5m
}
"""
Kind = TypeVar("Kind", bound=Node)


def lowered(body: str, head: str = HEAD, inputs: str = "id: str, n: int") -> Plan:
    """The plan of a saga `s` with a body."""
    made = compiled(f"{head}saga s({inputs}) {{\n{body}\n}}")
    wrong = [d for d in made.diagnostics if d.severity == "error" and d.code[0] in "SNTG"]
    assert not wrong
    return made.plans["s"]


def at(plan: Plan, path: str, kind: type[Kind]) -> Kind:
    """The statement with a path."""
    found = next(each for each in statements(plan.body) if each.path == path)
    assert isinstance(found, kind)
    return found


def tool(plan: Plan, name: str) -> Tool:
    """A tool of a plan."""
    return next(each for each in plan.tools if each.name == name)


def waits(plan: Plan) -> dict[str, tuple[str, ...]]:
    """What each statement waits for, where it waits for anything."""
    return {each.path: each.waits for each in statements(plan.body) if each.waits}


class TestOrder:
    def test_a_sequence_says_all_that_there_is_to_say(self) -> None:
        plan = lowered("step a = find(id)\nstep b = find(default(a, id)) when a != none")
        assert waits(plan) == {}

    def test_beside_one_another_each_waits_for_what_it_reads(self) -> None:
        plan = lowered(
            """parallel {
              step c = find("{a}{b}")
              step a = find(id)
              step b = find(id) when a != none
            }"""
        )
        assert waits(plan) == {"c": ("a", "b"), "b": ("a",)}

    def test_every_clause_that_reads_a_value_makes_its_statement_wait(self) -> None:
        plan = lowered(
            """parallel {
              step a = find(id)
              step b = put(id, 1) { verify find("{a}") undo drop("{c}") }
              step c = find(id) until it == id or n > 1 and "{d}" != "" every 1s within 1m
              step d = find(id)
              step e = put(id, 2) expecting find("{c}") unchanged since d
              gate g needs "ops" shows a, "{d}" when e == id
              step f = find(id) after g, e
            }"""
        )
        assert waits(plan) == {
            "b": ("a", "c"),
            "c": ("d",),
            "e": ("c", "d"),
            "g": ("a", "d", "e"),
            "f": ("e", "g"),
        }
        assert at(plan, "f", Step).after == ("g", "e")

    def test_what_is_inside_waits_for_itself_and_not_for_what_is_around_it(self) -> None:
        plan = lowered(
            """parallel {
              step a = find(id)
              step b = find(id)
              if a != none {
                step c = find("{b}")
                step d = find("{c}{a}")
              } else {
                parallel { step e = find("{f}") step f = find(id) }
              }
              step g = find("{d}{e}")
            }
            step h = find("{g}{d}")"""
        )
        assert waits(plan) == {
            "if#1": ("a",),
            "c": ("b",),
            "d": ("a",),
            "e": ("f",),
            "g": ("d", "e"),
        }

    def test_a_name_of_both_branches_is_waited_for_once(self) -> None:
        plan = lowered(
            """parallel {
              if n > 1 { step a = find(id) } else { step a = find("x") }
              step b = find("{a}")
            }"""
        )
        assert waits(plan) == {"b": ("a",)}
        assert [each.path for each in statements(plan.body)].count("a") == 2

    def test_paths_count_each_kind_over_the_whole_saga_as_written(self) -> None:
        plan = lowered(
            """requires n > 0 else "no"
            if n > 1 { requires n > 2 if n > 3 { step a = find(id) } }
            parallel { if n > 4 { requires n < 9 step b = find(id) } step c = find(id) }
            checkpoint here
            let d = 1
            step e = find("{d}")"""
        )
        assert [each.path for each in statements(plan.body)] == [
            "requires#1", "if#1", "requires#2", "if#2", "a", "parallel#1", "if#3", "requires#3",
            "b", "c", "here", "d", "e",
        ]  # fmt: skip


class TestSteps:
    def test_a_read_is_tried_five_times_and_an_effect_once(self) -> None:
        plan = lowered("step a = find(id)\nstep b = other(id)", head=HEAD + """
            tool other(id: str) -> json {
              call python "shop:other" effect other(id) reversible idempotent naturally
              undo other(id)
            }""")  # fmt: skip
        read, effect = at(plan, "a", Step), at(plan, "b", Step)
        assert read.retry == Retry(attempts=5, low=200, high=10_000)
        assert (read.timeout, read.settle) == (60_000, 60_000)
        assert effect.retry == Retry(attempts=1)
        assert (effect.timeout, effect.settle) == (60_000, 60_000)

    def test_the_tools_own_clauses_hold(self) -> None:
        step = at(lowered("step a = put(id, n)"), "a", Step)
        assert (step.timeout, step.settle) == (10_000, 30_000)
        assert (step.retry.attempts, step.retry.low, step.retry.high) == (5, 200, 30_000)
        assert step.verify is not None and step.verify.consistent_after == 5_000
        assert [(undo.tool, undo.within) for undo in step.undos] == [("drop", 90 * 86_400_000)]
        assert step.replaces == ()

    def test_a_steps_block_replaces_whole_kinds(self) -> None:
        step = at(
            lowered(
                """step a = put(id, n) {
                  timeout 5s
                  retry forever every 1s..2s
                  verify find(args.id)
                  undo drop(result) when n > 1
                  undo drop(key) { timeout 1s settle 9s retry 7 times }
                }"""
            ),
            "a",
            Step,
        )
        assert (step.timeout, step.settle) == (5_000, 5_000)
        assert (step.retry.attempts, step.retry.low, step.retry.high) == (None, 1_000, 2_000)
        assert step.replaces == ("timeout", "retry", "verify", "undo")
        assert step.verify is not None
        assert step.verify.args[0].value.tree == Field(Name("args"), "id")
        first, second = step.undos
        assert first.when is not None and names(first.when.tree) == {"n"}
        assert (second.timeout, second.settle) == (1_000, 9_000)
        assert second.retry is not None and second.retry.attempts == 7

    def test_arguments_stand_in_the_order_of_the_parameters_with_defaults(self) -> None:
        step = at(lowered("step a = put(n: 1, id: id)\nstep b = find(id)"), "a", Step)
        assert [argument.name for argument in step.args] == ["id", "n"]
        plan = lowered("step b = find(id)")
        assert at(plan, "b", Step).args[1].value.tree == Literal(2)

    def test_failures_and_conditions_of_a_step(self) -> None:
        step = at(
            lowered(
                """step z = find(id)
                step a = find(id) as "bot" when n > 1 until it == id every 2s within 1m
                  expecting find(id) unchanged since z else continue"""
            ),
            "a",
            Step,
        )
        assert (step.agent, step.on_failure) == ("bot", "continue")
        assert step.type == Type("optional", of=Type("str"))
        assert step.until is not None
        assert (step.until.every, step.until.within) == (2_000, 60_000)
        assert step.until.otherwise == "continue"
        assert step.expecting is not None
        assert (step.expecting.since, step.expecting.field) == ("z", ())

    def test_until_makes_a_value_be_there(self) -> None:
        plan = lowered('step a = find(id) until it != "" every 1s within 1m\nstep b = put(a, 1)')
        assert at(plan, "a", Step).type == Type("str")


class TestTools:
    def test_a_call_without_a_list_passes_every_parameter_by_name(self) -> None:
        plan = lowered("step a = find(id)")
        call = tool(plan, "find").call
        assert call.target == "shop:find"
        assert [(a.name, a.value.tree) for a in call.args] == [
            ("id", Name("id")),
            ("depth", Name("depth")),
        ]

    def test_positional_arguments_of_a_call_have_no_name(self) -> None:
        call = tool(lowered("step a = put(id, 1)"), "put").call
        assert [argument.name for argument in call.args] == ["", "", "idempotency_key"]

    def test_a_call_without_a_text_means_the_tools_own_name(self) -> None:
        plan = lowered("step a = look(id)", "tool look(id: str) -> str { effect none }\n")
        call = tool(plan, "look").call
        assert (call.target, call.at) == ("look", tool(plan, "look").at)

    def test_all_that_a_saga_reaches_is_in_its_plan(self) -> None:
        plan = lowered("step a = put(id, 1)")
        assert [each.name for each in plan.tools] == ["drop", "find", "put"]

    def test_correctives_are_texts_or_calls(self) -> None:
        plan = lowered("step a = mail(id)\nstep b = post(id)", HEAD + """
            tool mail(to: str) -> str {
              call python "shop:mail" (to, key)
              effect mail(to) irreversible corrective "tell {to} about {result}"
              idempotent by key
            }
            tool post(to: str) -> str {
              call python "shop:post" (to, key)
              effect letter(to) irreversible impact 4 corrective drop(to) needs "desk"
              idempotent by key
            }
            """)  # fmt: skip
        text = tool(plan, "mail").effects[0].corrective
        call = tool(plan, "post").effects[0].corrective
        assert isinstance(text, Corrective) and text.text is not None
        assert names(text.text.tree) == {"to", "result"}
        assert isinstance(call, Corrective)
        assert (call.tool, call.needs) == ("drop", "desk")

    def test_what_is_remembered_with_a_text_has_to_be_there(self) -> None:
        plan = lowered("step a = set(id)", HEAD + """
            tool set(id: str) -> json {
              call python "shop:set" (id, before)
              effect set(id) reversible
              idempotent naturally
              remember before = find(id) else "not there"
              remember maybe = find(id)
              undo set(default(maybe, before))
            }
            """)  # fmt: skip
        before, maybe = tool(plan, "set").remember
        assert (before.type, before.required) == (Type("str"), True)
        assert (maybe.type, maybe.required) == (Type("optional", of=Type("str")), False)


class TestValues:
    def test_a_map_becomes_a_record_where_one_is_wanted_with_its_defaults(self) -> None:
        plan = lowered(
            'let a = Order(items: [{ sku: id }])\nstep b = find("{a}")',
            HEAD
            + """record Item { sku: str, qty: int = 1, price: decimal = 2 }
            record Order { items: list[Item], note: str? = none }
            """,
        )
        tree = at(plan, "a", Let).value.tree
        assert isinstance(tree, RecordOf)
        assert [name for name, _ in tree.fields] == ["items", "note"]
        assert [record.name for record in plan.records] == ["Item", "Order"]
        assert tree.fields[0][1] == ListOf(
            (
                RecordOf(
                    "Item",
                    (
                        ("sku", Name("id")),
                        ("qty", Literal(1)),
                        ("price", Literal({"$decimal": "2"})),
                    ),
                ),
            )
        )

    @pytest.mark.parametrize(
        ("expression", "tree"),
        [
            ("1", Literal({"$decimal": "1"})),
            ("1.50", Literal({"$decimal": "1.50"})),
            ("n", Apply("decimal", (Name("n"),))),
            ("default(m, 2)", Apply("decimal", (Apply("default", (Name("m"), Literal(2))),))),
        ],
    )
    def test_an_int_becomes_a_decimal_where_one_is_wanted(
        self, expression: str, tree: object
    ) -> None:
        plan = lowered(f"step a = put(id, {expression})", inputs="id: str, n: int, m: int?")
        assert at(plan, "a", Step).args[1].value.tree == tree

    def test_an_optional_int_becomes_an_optional_decimal(self) -> None:
        plan = lowered(
            "step a = look(n)",
            "tool look(x: decimal?) -> str { effect none }\n",
            inputs="n: int?",
        )
        assert at(plan, "a", Step).args[0].value.tree == Choice(
            Compare("==", Name("n"), Literal(None)), Literal(None), Apply("decimal", (Name("n"),))
        )

    @pytest.mark.parametrize(
        ("expression", "wire"),
        [
            ("90s", {"$duration": 90_000_000}),
            ("9223372036854775808", {"$int": "9223372036854775808"}),
            ("9223372036854775807", 9223372036854775807),
            ("0.10", {"$decimal": "0.10"}),
            ('"a\\n{{b}}"', "a\n{b}"),
            ("none", None),
            ("true", True),
            ("Speed.fast", "fast"),
        ],
    )
    def test_constants_are_in_the_encoding_of_values(self, expression: str, wire: object) -> None:
        plan = lowered(f"let a = {expression}", HEAD + "enum Speed { slow, fast }\n")
        assert at(plan, "a", Let).value.tree == Literal(wire)

    def test_a_field_of_a_map_is_an_item_that_may_be_missing(self) -> None:
        plan = lowered("let a = m.x", inputs="m: map[int]")
        formula = at(plan, "a", Let).value
        assert formula.tree == Index(Name("m"), Literal("x"))
        assert formula.type == Type("optional", of=Type("int"))

    def test_a_formula_knows_its_own_text_and_place(self) -> None:
        formula = at(lowered("let a = 1 +\n  n"), "a", Let).value
        assert formula.source == "1 +\n  n"
        assert (formula.at.file, formula.at.column) == ("main.saga", 9)
        assert formula.at.line == HEAD.count("\n") + 2


class TestSagas:
    def test_what_speaks_for_the_whole_saga_is_not_among_its_statements(self) -> None:
        plan = lowered(
            """deadline 1h
            runbook "see the wiki"
            promise reversible until a, b
            promise readiness >= 0.8
            promise gated impact >= 3 until b
            step a = find(id)
            step b = put(id, n)"""
        )
        assert [each.path for each in plan.body] == ["a", "b"]
        assert (plan.deadline, plan.runbook) == (3_600_000, "see the wiki")
        assert [(p.kind, p.until, p.source) for p in plan.promises] == [
            ("reversible", ("a", "b"), "promise reversible until a, b"),
            ("readiness", (), "promise readiness >= 0.8"),
            ("gated", ("b",), "promise gated impact >= 3 until b"),
        ]
        bounds = [p.bound.tree for p in plan.promises if p.bound]
        assert bounds == [Literal({"$decimal": "0.8"}), Literal(3)]

    def test_a_gate_shows_values_under_their_texts(self) -> None:
        gate = at(
            lowered(
                """gate g needs 2 of "ops" shows id, n   + # why not
                    1, "a  b {n}" including initiator
                  when n > 1 within 24h else continue
                step a = find("{g}")"""
            ),
            "g",
            Gate,
        )
        assert (gate.needs, gate.group, gate.within, gate.otherwise) == (
            2,
            "ops",
            86_400_000,
            "continue",
        )
        assert [shown.name for shown in gate.shows] == ["id", "n + 1", '"a  b {n}"']
        assert all(isinstance(shown, Argument) for shown in gate.shows)
        assert gate.including_initiator

    def test_documentation_goes_with_what_it_stands_before(self) -> None:
        plan = lowered('"""Looks."""\nstep a = find(id)\nparallel { step b = find(id) }')
        assert (plan.body[0].doc, plan.body[1].doc) == ("Looks.", "")

    def test_branches_and_returns(self) -> None:
        made = compiled(
            HEAD
            + """saga s(id: str, n: int) -> str {
              if n > 1 { step a = put(id, 1) return a } else { return "none" }
            }"""
        )
        branch = made.plans["s"].body[0]
        assert isinstance(branch, If)
        assert [each.path for each in branch.then] == ["a", "return#1"]
        assert [each.path for each in branch.otherwise] == ["return#2"]
        assert isinstance(branch.then[1], Return)
        assert made.plans["s"].result == Type("str")

    def test_names_of_different_files_stay_apart(self) -> None:
        made = compiled(
            """edition 2026
            import { put } from "other.saga"
            record Item { a: int }
            tool find(item: Item) -> int { effect none }
            saga s(item: Item) { step a = put(item.a) step b = find(item) }""",
            {
                "other.saga": """edition 2026
                record Item { b: str }
                tool find(n: int) -> Item { effect none }
                tool put(n: int) -> Item {
                  effect x(n) reversible
                  idempotent naturally
                  retry 3 times
                  verify find(n)
                  undo put(n)
                }"""
            },
        )
        plan = made.plans["s"]
        assert [each.name for each in plan.tools] == ["find", "find_2", "put"]
        assert [each.name for each in plan.records] == ["Item", "Item_2"]
        verify = tool(plan, "put").verify
        assert verify is not None and verify.tool == "find_2"
        assert tool(plan, "find_2").call.target == "find"

    def test_a_saga_with_a_mistake_does_not_keep_the_others_from_being_lowered(self) -> None:
        made = compiled(
            HEAD
            + """tool broken(id: str) -> str { call python "x:y" (idd) effect none }
            saga good(id: str) { step a = find(id) }
            saga bad(id: str) { step a = fnd(id) }
            saga unlucky(id: str) { step a = broken(id) }"""
        )
        assert set(made.plans) == {"good"}


PROGRAM = (
    HEAD
    + """
record Item { sku: str, qty: int = 1 }
enum Speed { slow, fast }
# Why this is here.
saga s(id: str, n: int, item: Item, speed: Speed = Speed.fast) -> str {
  \"\"\"Looks.\"\"\"
  parallel {
    step a = find(id, n)
    step b = put("{id} {a}", n) when speed == Speed.slow
    gate g needs "ops" shows a, b
    step c = find(item.sku) after g
  }
  let all = { x: a, y: "{c}" }
  return "{all}"
}
"""
)


class TestDeterminism:
    def test_hash_seed_and_folder_change_nothing(self) -> None:
        script = (
            "import sys, msgspec\n"
            "from sagalang.compiler import pipeline\n"
            "from sagalang.dsl.source import Source\n"
            "made = pipeline.compile(Source(sys.argv[1], sys.stdin.read()), lambda a, b: None)\n"
            "sys.stdout.buffer.write(msgspec.json.encode(made.plans))"
        )
        seen = {
            subprocess.run(
                [sys.executable, "-c", script, name],
                input=PROGRAM.encode(),
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                check=True,
            ).stdout
            for seed, name in (("0", "s.saga"), ("1", "deep/down/s.saga"), ("2", "/abs/s.saga"))
        }
        assert len(seen) == 1
        assert len(seen.pop()) > 1000

    @pytest.mark.parametrize(
        ("main", "imported"),
        [
            ("s.saga", "../z.saga"),
            ("a/s.saga", "z.saga"),
            ("../a/s.saga", "../z.saga"),
            ("../../a/s.saga", "../../z.saga"),
            ("/b/a/s.saga", "/b/z.saga"),
            ("Cell In[3]", "../z.saga"),
        ],
    )
    def test_files_are_named_from_the_main_file(self, main: str, imported: str) -> None:
        text = """import { find } from "../z.saga"
        saga s(id: str) { step a = find(id) }"""
        made = compiled(text, {imported: HEAD}, name=main)
        plan = made.plans["s"]
        assert plan.at.file == main.rpartition("/")[2]
        assert tool(plan, "find").at.file == "../z.saga"

    @pytest.mark.parametrize(
        "changed",
        [
            PROGRAM.replace("\n", "\r\n"),
            PROGRAM.replace("\n", "\r"),
            "\ufeff" + PROGRAM,
            PROGRAM.replace("# Why", "# Because").replace("Looks.", "Looks twice."),
            PROGRAM.replace("  ", "\t").replace("shows a, b", "shows a,\n  # both\n  b"),
            PROGRAM.replace("(id, n)", "(\n id,\n n,\n)"),
        ],
        ids=["CRLF", "CR", "BOM", "comments", "layout", "lines"],
    )
    def test_layout_changes_no_definition(self, changed: str) -> None:
        assert changed != PROGRAM
        assert definition(compiled(changed).plans["s"]) == definition(compiled(PROGRAM).plans["s"])

    def test_crlf_changes_no_byte(self) -> None:
        changed = compiled(PROGRAM.replace("\n", "\r\n"))
        assert msgspec.json.encode(changed.plans) == msgspec.json.encode(compiled(PROGRAM).plans)

    @pytest.mark.parametrize(
        "changed",
        [
            PROGRAM.replace("qty: int = 1", "qty: int = 2"),
            PROGRAM.replace("impact 3", "impact 4"),
            PROGRAM.replace("90d", "91d"),
            PROGRAM.replace("shows a, b", "shows a"),
            PROGRAM.replace('"{c}"', '"{b}"'),
        ],
        ids=["default", "impact", "window", "shown", "expression"],
    )
    def test_meaning_changes_the_definition(self, changed: str) -> None:
        assert definition(compiled(changed).plans["s"]) != definition(compiled(PROGRAM).plans["s"])

    def test_a_plan_survives_its_own_json(self) -> None:
        plan = compiled(PROGRAM).plans["s"]
        assert msgspec.json.decode(msgspec.json.encode(plan), type=Plan) == plan
        assert any(isinstance(each, Parallel) for each in plan.body)
