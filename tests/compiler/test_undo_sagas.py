"""A saga as an undo: what stands of it in a plan, and which names and types it takes."""

from __future__ import annotations

from typing import Any

from sagalang.compiler.emit.json import emit_json
from sagalang.runtime.plan import Each, If, Plan, SagaCall, Step, Undo, definition, statements

from .programs import compiled
from .test_called_sagas import found

TOOLS = """
tool find(id: str) -> str? { call python "shop:find" effect none }
tool put(id: str, qty: int) -> json {
  call python "shop:put" (id, qty, idempotency_key: key)
  effect stock restoring
  idempotent by key
  retry 5 times
}
tool order(id: str, qty: int) -> str {
  call python "shop:order" (id, qty, idempotency_key: key)
  effect stock(id) compensatable
  idempotent by key
  retry 5 times
  verify find(id)
  undo back(id, qty) within 5d
}
"""
BACK = """
\"\"\"Puts it back, half by half.\"\"\"
saga back(id: str, qty: int) {
  let half = qty // 2
  step there = find(id)
  if there != none { step one = put(id, half) }
  each rest = n in [1, 2] { step two = put("{id}-{n}", half) }
}
"""


def plan(saga: str, tools: str = TOOLS, back: str = BACK) -> Plan:
    made = compiled(f"edition 2026\n{tools}{back}{saga}")
    assert made.ok, made.diagnostics
    return made.plans["s"]


def paths(body: Any) -> list[str]:
    return [node.path for node in statements(body)]


class TestLowering:
    def test_it_stands_in_the_plan_once_whoever_names_it(self) -> None:
        made = plan('saga s(id: str) { step a = order(id, 2) step b = order("{id}2", 3) }')
        [saga] = made.undo_sagas
        assert (saga.name, saga.doc) == ("back", "Puts it back, half by half.")
        assert [parameter.name for parameter in saga.parameters] == ["id", "qty"]
        assert paths(saga.body) == [
            "undo back.half",
            "undo back.there",
            "undo back.if#1",
            "undo back.one",
            "undo back.rest",
            "undo back.rest[*].two",
        ]
        for node in made.body:
            assert isinstance(node, Step)
            [undo] = node.undos
            assert (undo.tool, undo.within) == ("back", 5 * 86_400_000)
            assert [argument.name for argument in undo.args] == ["id", "qty"]
        assert paths(made.body) == ["a", "b"], "its statements are not those of the saga"

    def test_it_may_stand_in_a_step_s_block_and_take_a_called_saga_back(self) -> None:
        made = plan("""
          saga inner(id: str) -> str { step a = order(id, 1) return a }
          saga s(id: str) {
            step b = order(id, 2) { undo back(args.id, args.qty) }
            step c = inner(id) { undo back(result, 1) }
          }""")
        assert [saga.name for saga in made.undo_sagas] == ["back"]
        undos: list[Undo] = []
        for node in made.body:
            assert isinstance(node, Step | SagaCall)
            undos += node.undos
        sources = [[argument.value.source for argument in undo.args] for undo in undos]
        assert sources == [["args.id", "args.qty"], ["result", "1"]]

    def test_its_steps_have_no_undos_and_a_ring_through_undos_ends(self) -> None:
        tools = TOOLS.replace(
            "effect stock restoring\n  idempotent by key\n  retry 5 times\n",
            "effect stock(id) compensatable\n  idempotent by key\n  retry 5 times\n"
            "  undo back(id, qty)\n",
        )
        made = plan("saga s(id: str) { step a = order(id, 2) }", tools)
        [saga] = made.undo_sagas
        calls = [node for node in statements(saga.body) if isinstance(node, Step)]
        assert [call.undos for call in calls] == [(), (), ()]

    def test_what_speaks_for_going_forward_is_not_in_it(self) -> None:
        tools = TOOLS.replace("stock restoring", "stock(id) compensatable").replace(
            "  retry 5 times\n}\ntool order", "  retry 5 times\n  undo put(id, qty)\n}\ntool order"
        )
        back = """
          saga deep(id: str) -> str {
            deadline 5m
            step d = put(id, 3)
            on rollback { step r = find(id) else continue }
            return id
          }
          saga back(id: str, qty: int) -> str {
            deadline 1h
            step inner = deep(id)
            if qty > 1 { step one = put(id, qty) return inner } else { return "none" }
          }"""
        made = plan("saga s(id: str) { step a = order(id, 2) }", tools, back)
        [saga] = made.undo_sagas
        inner, branch = saga.body
        assert isinstance(inner, SagaCall) and isinstance(branch, If)
        assert (inner.deadline, inner.on_rollback, inner.undos) == (None, (), ())
        assert paths(inner.body) == ["undo back.inner.d", "undo back.inner.return#1"]
        assert paths(branch.then) == ["undo back.one"]
        assert branch.otherwise == ()

    def test_an_imported_one_is_lowered_like_its_own(self) -> None:
        here = plan("saga s(id: str) { step a = order(id, 2) }")
        files = {"shop.saga": f"edition 2026\n{TOOLS}{BACK}"}
        there = compiled(
            'edition 2026\nimport { order } from "shop.saga"\n'
            "saga s(id: str) { step a = order(id, 2) }",
            files=files,
        )
        assert there.ok, there.diagnostics
        assert there.plans["s"].undo_sagas[0].name == here.undo_sagas[0].name
        assert definition(there.plans["s"]) == definition(here)

    def test_comments_and_layout_do_not_count_and_what_it_does_counts(self) -> None:
        saga = "saga s(id: str) { step a = order(id, 2) }"
        one = plan(saga)
        other = plan(saga, back=BACK.replace("let half", "# half of it\n  let  half"))
        changed = plan(saga, back=BACK.replace("[1, 2]", "[1, 2, 3]"))
        assert definition(one) == definition(other) != definition(changed)
        assert '"undo_sagas"' in emit_json(one)

    def test_one_that_takes_back_only_has_no_plan_of_its_own(self) -> None:
        made = compiled(f"edition 2026\n{TOOLS}{BACK}saga s(id: str) {{ step a = order(id, 2) }}")
        assert list(made.plans) == ["s"]
        assert made.idle is None

    def test_tools_that_nobody_calls_keep_their_sagas(self) -> None:
        made = compiled(f"edition 2026\n{TOOLS}{BACK}")
        assert made.ok
        assert made.idle is not None
        assert [saga.name for saga in made.idle.undo_sagas] == ["back"]
        loops = [n for s in made.idle.undo_sagas for n in s.body if isinstance(n, Each)]
        assert len(loops) == 1


class TestMistakes:
    def test_its_arguments_are_typed_like_those_of_a_tool(self) -> None:
        tools = TOOLS.replace("undo back(id, qty)", 'undo back(id, "two")')
        told = found(f"edition 2026\n{tools}{BACK}saga s(id: str) {{ step a = order(id, 2) }}")
        assert [each.code for each in told] == ["T301"]
        tools = TOOLS.replace("undo back(id, qty)", "undo back(id)")
        told = found(f"edition 2026\n{tools}{BACK}saga s(id: str) {{ step a = order(id, 2) }}")
        assert [each.code for each in told] == ["T302"]

    def test_a_saga_that_calls_itself_is_told_as_such(self) -> None:
        back = "saga back(id: str, qty: int) { step again = back(id, qty) }"
        told = found(f"edition 2026\n{TOOLS}{back}saga s(id: str) {{ step a = order(id, 2) }}")
        assert "G404" in [each.code for each in told]

    def test_what_is_neither_is_told_with_both_words(self) -> None:
        tools = TOOLS.replace("undo back(id, qty)", "undo bakc(id, qty)")
        told = found(f"edition 2026\n{tools}{BACK}saga s(id: str) {{ step a = order(id, 2) }}")
        first = next(each for each in told if each.code == "N201")
        assert first.message == "There is no tool or saga `bakc`."
        assert first.helps == ("Did you mean `back`?",)
