"""Sagas and agents that a saga reaches: over files, with mistakes in them, and how large it is."""

from __future__ import annotations

import pytest

from sagalang.dsl.diagnostics import Diagnostic
from sagalang.dsl.fixes import apply
from sagalang.runtime.plan import AgentCall, SagaCall, Step, statements

from .programs import compiled

FIND = 'tool find(id: str) -> str? { call python "shop:find" effect none }\n'
LIBRARY = f"""edition 2026
record Note {{ text: str }}
{FIND}
tool send(id: str) -> Note {{
  call python "mail:send"
  effect mail(id) irreversible corrective "write again"
  idempotent naturally
  retry forever
}}
agent writer(goal: str) -> Note {{
  call python "mail:writer"
  may use find, send needs "ops" at most 3 calls
}}
saga tell(id: str, times: int = 2) -> Note? {{
  repeat sent = n from times at most 9 times {{
    step one = send(id)
    return one
    next if n > 1 then n - 1 else none
  }}
  return sent[0]
}}
"""


def found(text: str, files: dict[str, str] | None = None) -> list[Diagnostic]:
    """What is wrong with names, types and order."""
    return [d for d in compiled(text, files).diagnostics if d.code[0] in "SNTG"]


class TestFiles:
    def test_what_is_imported_is_lowered_with_all_that_it_reaches(self) -> None:
        made = compiled(
            """edition 2026
            import { tell as inform, writer as author } from "lib.saga"
            tool find(id: str) -> int { call python "other:find" effect none }
            saga s(id: str) -> json {
              step a = find(id)
              step b = inform(id, a)
              step c = author("{b}")
              return { b: b, c: c }
            }""",
            {"lib.saga": LIBRARY},
        )
        plan = made.plans["s"]
        find, call, agent, *_ = plan.body
        assert isinstance(find, Step) and isinstance(call, SagaCall)
        assert isinstance(agent, AgentCall)
        assert (find.tool, call.saga, agent.agent) == ("find", "tell", "writer")
        assert [node.path for node in statements(call.body)] == [
            "b.sent", "b.sent[*].one", "b.sent[*].return#1", "b.sent[*].next#1", "b.return#1",
        ]  # fmt: skip
        # The library's own `find` is another tool than the main file's.
        assert [tool.name for tool in plan.tools] == ["find", "find_2", "send"]
        assert [use.tool for use in plan.agents[0].uses] == ["find_2", "send"]
        assert [record.name for record in plan.records] == ["Note"]

    def test_defaults_of_a_called_saga_are_those_of_its_file(self) -> None:
        made = compiled(
            'edition 2026\nimport { tell } from "lib.saga"\nsaga s(id: str) { step b = tell(id) }',
            {"lib.saga": LIBRARY},
        )
        (call,) = made.plans["s"].body
        assert isinstance(call, SagaCall)
        assert [(each.name, each.value.source) for each in call.args] == [
            ("id", "id"), ("times", "2"),
        ]  # fmt: skip


class TestMistakes:
    def test_a_saga_that_reaches_a_mistake_is_not_lowered_and_the_others_are(self) -> None:
        made = compiled(f"""edition 2026
          {FIND}
          agent wrong(goal: str) -> json {{ call python "a:b" may use fnd }}
          saga broken(id: str) {{ step a = find(di) }}
          saga above(id: str) {{ scope a {{ step b = broken(id) }} }}
          saga further(id: str) {{ each a = x in [id] {{ step b = above(x) }} }}
          saga with_agent(id: str) {{ first a = x in [id] {{ step b = wrong(x) return b }} }}
          saga fine(id: str) {{ step a = find(id) }}
          saga above_fine(id: str) {{ step a = fine(id) }}""")
        assert set(made.plans) == {"fine", "above_fine"}

    def test_a_mistake_in_a_called_saga_is_told_once(self) -> None:
        wrong = found(f"""edition 2026
          {FIND}
          saga inner(id: str) {{ step a = find(di) }}
          saga outer(id: str) {{ step a = inner(id) step b = inner(id) }}""")
        assert [each.code for each in wrong if each.severity == "error"] == ["N201"]

    def test_groups_that_nobody_lists_are_told_wherever_they_stand(self) -> None:
        made = compiled(
            f"""edition 2026
            {FIND}
            tool send(id: str) -> json {{
              call python "mail:send"
              effect mail(id) irreversible corrective find(id) needs "osp"
              idempotent naturally
              retry forever
            }}
            agent writer(goal: str) -> json {{ call python "a:b" may use send needs "pos" }}
            saga s(id: str) {{
              guard readiness >= 0.5 needs "spo"
              scope a {{ gate b needs "sop" shows id step c = writer(id) }}
            }}""",
            groups=frozenset(["ops"]),
        )
        told = [d.message for d in made.diagnostics if d.code == "N201"]
        assert [text.split('"')[1] for text in told] == ["osp", "pos", "spo", "sop"]


class TestSize:
    def test_sagas_in_sagas_are_carried_out_as_deep_as_is_said(self) -> None:
        chain = "\n".join(
            f"saga s{n}(id: str) {{ scope a {{ step b = s{n - 1}(id) }} }}" for n in range(1, 31)
        )
        made = compiled(f"edition 2026\n{FIND}\nsaga s0(id: str) {{ step a = find(id) }}\n{chain}")
        wrong = [d for d in made.diagnostics if d.code == "N299"]
        assert [d.message for d in wrong] == [
            "With all that it calls, blocks stand 61 deep inside `s30`; more than 60 are not "
            "carried out."
        ]
        assert "s29" in made.plans and "s30" not in made.plans

    def test_a_plan_does_not_grow_beyond_all_bounds(self) -> None:
        steps = " ".join(f"step a{n} = find(id)" for n in range(1_100))
        calls = " ".join(f"step b{n} = small(id)" for n in range(100))
        wrong = found(f"""edition 2026
          {FIND}
          saga small(id: str) {{ {steps} }}
          saga large(id: str) {{ {calls} }}
          saga larger(id: str) {{ step c = large(id) step d = large(id) }}""")
        assert [(d.code, d.message) for d in wrong] == [
            ("N299", "With all that it calls, `large` would have 110,100 statements; more than "
                     "100,000 are not carried out."),
        ]  # fmt: skip

    def test_what_takes_back_counts_once_whoever_names_it(self) -> None:
        steps = " ".join(f"step a{n} = find(id)" for n in range(1_100))
        calls = " ".join(f"step b{n} = small(id)" for n in range(60))
        back = "{ undo large(id) }"
        wrong = found(f"""edition 2026
          {FIND}
          saga small(id: str) {{ {steps} }}
          saga large(id: str) {{ {calls} }}
          saga fits(id: str) {{ step c = small(id) {back} step d = small(id) {back} }}
          saga whole(id: str) {{ step c = large(id) {back} }}""")
        assert [d.message for d in wrong if d.code == "N299"] == [
            "With all that it calls and what takes it back, `whole` would have 132,121 "
            "statements; more than 100,000 are not carried out."
        ]

    def test_what_takes_back_a_tool_counts_also_where_an_agent_calls_it(self) -> None:
        chain = "\n".join(
            f"saga s{n}(id: str) {{ scope a {{ step b = s{n - 1}(id) }} }}" for n in range(1, 31)
        )
        put = FIND.replace("tool find(", "tool put(").replace(
            "effect none", "effect a undo s30(id)"
        )
        wrong = found(f"""edition 2026
          {FIND}{put}
          agent buyer(id: str) -> json {{ call python "shop:buyer" may use put }}
          saga s0(id: str) {{ step a = find(id) }}
          {chain}
          saga asks(id: str) {{ step a = buyer(id) }}
          saga puts(id: str) {{ step a = put(id) }}""")
        assert [d.message for d in wrong if d.code == "N299"] == [
            "With all that it calls, blocks stand 61 deep inside `s30`; more than 60 are not "
            "carried out."
        ]


class TestFixes:
    @pytest.mark.parametrize(
        ("wrong", "right"),
        [
            ("step a = find(id)", "step a = find(id) else continue"),
            ('step a = find("x") else escalate', 'step a = find("x") else continue'),
        ],
    )
    def test_a_step_on_rollback_goes_on(self, wrong: str, right: str) -> None:
        head = f"edition 2026\n{FIND}saga s(id: str) {{ on rollback {{ "
        made = compiled(f"{head}{wrong} }} }}")
        fixes = [d.fix for d in made.diagnostics if d.fix is not None]
        assert apply(made.sources["main.saga"], fixes) == f"{head}{right} }} }}"

    def test_what_is_inside_a_scope_is_read_as_its_field(self) -> None:
        text = (
            f"edition 2026\n{FIND}saga s(id: str) {{ scope a {{ step b = find(id) }} let c = b }}"
        )
        made = compiled(text)
        fixes = [d.fix for d in made.diagnostics if d.fix is not None]
        assert apply(made.sources["main.saga"], fixes, "ask").endswith("let c = a.b }")
