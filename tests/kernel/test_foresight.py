"""What would happen, before it does: the recovery plan of each point of failure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sagalang.compiler.proving.points import points
from sagalang.runtime import recoveries
from sagalang.runtime.foresight import Foresight, Recovery, foresee as lived
from sagalang.runtime.kernel.index import Index
from sagalang.runtime.paths import static
from sagalang.runtime.plan import Argument, Gate, Node as Statement, Plan
from sagalang.runtime.simulator import Simulator

from ..compiler.journey import whole
from ..compiler.programs import compiled, compiled_file
from .kit import parallel, plan, step, text, tool


def foresee(plan: Plan, only: str | None = None) -> Foresight:
    """What is foreseen at the points of failure that the compiler knows."""
    return lived(plan, points(plan), only)


def test_each_point_of_failure_has_its_plan() -> None:
    a, b, p, c = tool("a"), tool("b"), tool("p", cls="irreversible"), tool("c")
    gate = Gate(
        path="g", name="g", needs=1, group="ops", shows=(Argument(name="x", value=text("y")),)
    )
    body: list[Statement] = [parallel(step(a), step(b)), gate, step(p), step(c)]
    found = foresee(plan(body, [a, b, p, c]))
    by_path = {failure.at: failure for failure in found.failures}
    assert [row["path"] for row in found.order] == ["parallel#1", "a", "b", "g", "p", "c"]
    assert [u.path for u in by_path["a"].undo] == ["b"]
    assert [u.path for u in by_path["g"].undo] == ["b", "a"]
    assert by_path["g"].tier == 3 and by_path["g"].ends == "rolled_back"
    assert [(u.tool, u.arguments) for u in by_path["p"].undo] == [("un_b", "id"), ("un_a", "id")]
    assert by_path["c"].tier == 4 and by_path["c"].ends == "escalated"
    assert by_path["c"].stays == ("a", "b", "p")
    assert "`p`" in by_path["c"].asks


def test_one_point_can_be_asked_for() -> None:
    a, b = tool("a"), tool("b")
    found = foresee(plan([step(a), step(b)], [a, b]), only="b")
    assert [failure.at for failure in found.failures] == ["b"]


def test_failures_lead_through_one_plan_wherever_they_can(monkeypatch: pytest.MonkeyPatch) -> None:
    """Making it anew for each of them would cost what the plan is long each time."""
    made: list[Plan] = []

    def counting(plan: Plan) -> Index:
        made.append(plan)
        return Index(plan)

    monkeypatch.setattr(recoveries, "Index", counting)
    lines = (
        f'scope s{n} {{ step a{n} = put("a{n}") }} else {{ step b{n} = put("b{n}") }}\n'
        f'requires len(ids) > {n} else "too few"\n'
        f'gate g{n} needs "ops" shows ids\n'
        for n in range(5)
    )
    found = foreseen("".join(lines))
    assert len(found) == 20
    assert len(made) == 1


def test_a_verify_that_is_asked_for_ever_keeps_nothing_from_its_end() -> None:
    asked = HEAD.replace("undo drop(id)", "verify there(id)\n  undo drop(id)")
    read = 'tool there(id: str) -> str? { call python "shop:there" effect none retry forever }'
    made = compiled(f'{asked}{read}\nsaga s(id: str) {{ step a = put(id) step b = put("b") }}')
    rows = foresee(made.plans["s"]).failures
    assert [[undo.path for undo in row.undo] for row in rows] == [[], ["a"]]


HEAD = """edition 2026
tool put(id: str) -> str {
  call python "shop:put" (id, idempotency_key: key)
  effect thing(id) reversible
  idempotent by key
  fails with Refused
  undo drop(id)
}
tool drop(id: str) -> json {
  call python "shop:drop"
  effect thing restoring
  idempotent naturally
  retry 5 times
}
tool look(id: str) -> str { call python "shop:look" effect none }
tool mail(to: str) -> str {
  call python "shop:mail" (to, idempotency_key: key)
  effect mail(to) irreversible corrective "write again"
  idempotent by key
  retry forever
}
agent buyer(goal: str) -> json { call python "shop:buyer" may use look, put at most 3 calls }
saga child(id: str) -> str {
  step one = put("{id}-1")
  step two = put("{id}-2")
  return two
}
"""


def foreseen(body: str) -> dict[str, Recovery]:
    """What is foreseen of a saga, by point of failure."""
    made = compiled(f"{HEAD}\nsaga s(id: str, ids: list[str]) {{\n{body}\n}}\n")
    assert "s" in made.plans, [each.message for each in made.diagnostics]
    rows = foresee(made.plans["s"]).failures
    return {failure.at: failure for failure in rows if not failure.through}


def undone(failure: Recovery) -> list[str]:
    return [undo.path for undo in failure.undo]


def test_the_last_item_fails_when_another_is_done() -> None:
    found = foreseen("""
      step first = put(id)
      each picks = x in ids { step pick = put(x) step look = look(x) return pick }
      step last = put(id)
    """)
    assert undone(found["picks[*].pick"]) == ["picks[*].pick", "first"]
    assert undone(found["picks[*].look"]) == ["picks[*].pick", "first"]
    assert undone(found["last"]) == ["picks[*].pick", "first"]
    assert found["last"].ends == "rolled_back"


def test_a_tolerated_item_is_rolled_back_alone() -> None:
    found = foreseen("""
      step first = put(id)
      each picks = x in ids tolerate 3 { step a = put(x) step b = put("{x}-b") return b }
    """)
    assert undone(found["picks[*].b"]) == ["picks[*].a"]
    assert (found["picks[*].b"].ends, found["picks[*].b"].stays) == ("succeeded", ())


def test_a_scope_is_rolled_back_alone_and_its_else_goes_on() -> None:
    found = foreseen("""
      step first = put(id)
      scope sending { step a = put("a") step b = put("b") } else { step c = put("c") }
      scope extra { step d = put("d") step e = put("e") }
    """)
    assert (undone(found["sending.b"]), found["sending.b"].ends) == (["sending.a"], "succeeded")
    # Its `else` runs when its last step was refused.
    assert undone(found["sending.else.c"]) == ["sending.a", "first"]
    assert undone(found["extra.e"]) == ["extra.d", "sending.b", "sending.a", "first"]


def test_a_called_saga_takes_back_its_own_first() -> None:
    found = foreseen("step first = put(id)\nstep a = child(id)\nstep b = child(id) else continue")
    assert undone(found["a.two"]) == ["a.one", "first"]
    assert found["a.two"].ends == "rolled_back"
    assert (undone(found["b.two"]), found["b.two"].ends) == (["b.one"], "succeeded")


def test_candidates_and_rounds() -> None:
    found = foreseen("""
      first got = x in ids { step a = put(x) step b = put("{x}-b") return b }
      repeat polls = at from id at most 3 times { step c = put(at) return c next none }
    """)
    assert (undone(found["got[*].b"]), found["got[*].b"].ends) == (["got[*].a"], "rolled_back")
    assert undone(found["polls[*].c"]) == ["got[*].b", "got[*].a"]


def test_the_last_round_fails_when_another_is_done() -> None:
    found = foreseen("""
      step first = put(id)
      repeat polls = at from id at most 3 times {
        step a = put(at)
        repeat once = x from id at most 1 times { step b = put(x) return b next x }
        return a
        next if at == "" then none else "{at}+"
      }
      step last = put(id)
    """)
    assert undone(found["polls[*].a"]) == ["polls[*].once[*].b", "polls[*].a", "first"]
    assert undone(found["polls[*].once[*].b"]) == ["polls[*].a", "polls[*].once[*].b", "first"]
    assert undone(found["last"]) == ["polls[*].once[*].b", "polls[*].a", "first"]


def test_people_and_the_outside() -> None:
    found = foreseen("""
      step a = put(id)
      wait paid: str within 1d
      gate ok needs "ops" shows id, paid
      sleep 10m
      wait told: str within 1d else continue
      step b = put(paid)
      on rollback { step sorry = mail(id) else continue }
    """)
    assert list(found) == ["a", "paid", "ok", "b"]
    for point in ("paid", "ok", "b"):
        assert (undone(found[point]), found[point].ends) == (["a"], "rolled_back")
        assert found[point].after == ("sorry",)


def test_an_agent_may_have_called_whatever_it_may() -> None:
    found = foreseen("step a = put(id)\nstep buy = buyer(id)\nstep b = put(id)")
    assert undone(found["buy"]) == ["buy[*]", "a"]
    assert undone(found["b"]) == ["buy[*]", "a"]
    assert [undo.tool for undo in found["b"].undo] == ["drop", "drop"]


def test_the_star_of_items_may_be_left_out() -> None:
    body = "each p = x in ids { step a = put(x) return a }"
    made = compiled(f"{HEAD}\nsaga s(ids: list[str]) {{\n{body}\n}}\n").plans["s"]
    for said in ("p.a", "p[*].a", 'p["sku-1"].a', "p[3].a"):
        assert [failure.at for failure in foresee(made, said).failures] == ["p[*].a"]
    assert foresee(made, "p.b").failures == ()


PROGRAMS = sorted((Path(__file__).parents[1] / "corpus/ok").glob("*.saga"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_clean_program_comes_back_or_goes_on_from_every_failure(path: Path) -> None:
    """What is proved of it is what is foreseen: nobody has to be asked."""
    for made in compiled_file(path).plans.values():
        found = foresee(made)
        paths = {row["path"] for row in found.order}
        for failure in found.failures:
            assert failure.at in paths
            assert (failure.tier, failure.asks) == (3, ""), failure
            assert failure.ends in ("rolled_back", "succeeded"), failure
            assert failure.stays == ()
            assert {static(undo.inside or undo.path) for undo in failure.undo} <= paths | {
                f"{row['path']}[*]" for row in found.order if "lets" in row
            }


def test_a_saga_that_is_the_undo_is_foreseen_with_its_calls() -> None:
    plan = compiled_file(next(path for path in PROGRAMS if path.stem == "rentals")).plans["rent"]
    [failure] = foresee(plan, "cover_all").failures
    assert [(undo.path, undo.tool, undo.inside) for undo in failure.undo] == [
        ("sent", "take_back", ""),
        ("sent.undo.stopped", "stop_van", "sent"),
        ("sent.undo.shelves[*].back", "put_back", "sent"),
        ("sent.undo.paid", "pay_back", "sent"),
        ("policy", "end_cover", ""),
        ("policy.undo.stopped", "stop_van", "policy"),
        ("policy.undo.ended", "end_policy", "policy"),
    ]


def test_a_plan_with_every_statement_is_foreseen() -> None:
    """It is not clean: behind what nothing takes back people are asked."""
    found = {failure.at: failure for failure in foresee(whole()).failures}
    assert (found["picks[*].pick"].tier, found["picks[*].pick"].ends) == (3, "succeeded")
    assert (found["child.pay"].tier, found["extra.gift"].tier) == (3, 3)
    assert found["buyer"].tier == 4


def test_behind_a_scope_with_an_else_either_of_its_blocks_may_have_to_be_undone() -> None:
    made = compiled(f"""{HEAD}
    saga s(id: str, ids: list[str]) {{
      scope way {{ step a = put(id) step b = put("b") }} else {{ step c = put("c") }}
      each e = x in ids {{
        scope w {{ step d = put(x) }} else {{ step f = put("f") }}
        step g = look(x)
      }}
      scope last {{ step h = put("h") }} else {{ step i = put("i") }}
    }}""")
    rows = foresee(made.plans["s"]).failures
    found = [(row.at, row.through, undone(row)) for row in rows if row.at[:2] not in ("wa", "e[")]
    assert found == [
        ("last.h", (), []),
        ("last.else.i", (), ["e[*].w.d", "way.b", "way.a"]),
        ("last.else.i", ("way", "e[*].w"), ["e[*].w.else.f", "e[*].w.d", "way.else.c"]),
    ]
    # In an item the scope before it is passed in that item.
    inside = [(row.through, undone(row)) for row in rows if row.at == "e[*].g"]
    assert inside == [
        ((), ["e[*].w.d", "way.b", "way.a"]),
        (("way", "e[*].w"), ["e[*].w.else.f", "e[*].w.d", "way.else.c"]),
    ]


def test_a_row_that_would_say_the_same_is_left_out() -> None:
    made = compiled(f"""{HEAD}
    saga s(id: str) {{
      scope way {{ step a = put(id) }} else {{ }}
      scope told {{ step b = put("b") }} else {{ step c = look("c") else continue }}
      step d = put("d")
    }}""")
    rows = [row for row in foresee(made.plans["s"]).failures if row.at == "d"]
    assert [(row.through, undone(row)) for row in rows] == [((), ["told.b", "way.a"]),
                                                            (("told",), ["way.a"])]  # fmt: skip


def rows(body: str, head: str = "", parts: str = "(id: str, ids: list[str])") -> list[Recovery]:
    made = compiled(f"{HEAD}{head}\nsaga s{parts} {{\n{body}\n}}\n")
    assert "s" in made.plans, [each.message for each in made.diagnostics]
    return list(foresee(made.plans["s"]).failures)


def told(rows: list[Recovery], at: str) -> list[tuple[tuple[str, ...], list[str]]]:
    return [(row.through, undone(row)) for row in rows if row.at == at]


def test_behind_an_if_either_of_its_branches_may_have_to_be_undone() -> None:
    found = rows("""
      if len(ids) > 1 { step a = put("a") } else { step b = put("b") step c = put("c") }
      if len(ids) > 2 { step d = put("d") }
      step z = put("z")
    """)
    assert told(found, "a") == [((), [])]
    assert told(found, "c") == [((), ["b"])]
    assert told(found, "d") == [((), ["a"]), (("if#1",), ["c", "b"])]
    assert told(found, "z") == [((), ["d", "a"]), (("if#1",), ["d", "c", "b"])]


def test_every_branch_of_an_if_in_an_else_is_gone_through() -> None:
    found = rows("""
      if len(ids) > 3 { step a = put("a") }
      else { if len(ids) > 2 { step b = put("b") }
             else { if len(ids) > 1 { step c = put("c") } else { step d = put("d") } } }
      step z = put("z")
    """)
    assert told(found, "z") == [
        ((), ["a"]),
        (("if#1",), ["b"]),
        (("if#1", "if#2"), ["c"]),
        (("if#1", "if#2", "if#3"), ["d"]),
    ]


def test_more_items_may_fail_than_are_tolerated() -> None:
    body = """
      step first = put(id)
      each picks = x in {items} tolerate 2 {{ step a = put(x) step b = put("{{x}}-b") return b }}
    """
    found = rows(body.format(items="ids"))
    [items] = [row for row in found if row.at == "picks"]
    assert items.how == "more than 2 items of `picks` fail"
    assert (items.ends, items.stays) == ("rolled_back", ())
    assert undone(items) == ["picks[*].b", "picks[*].a", "first"]
    # Of three items all three have failed: none of them is there any more.
    [items] = [row for row in rows(body.format(items='["x", "y", "z"]')) if row.at == "picks"]
    assert undone(items) == ["picks[*].a", "first"]
    # Two can never be too many.
    assert not [row for row in rows(body.format(items='["x", "y"]')) if row.at == "picks"]


def test_rounds_may_not_come_to_an_end() -> None:
    found = rows("""
      step first = put(id)
      repeat polls = at from id at most 3 times { step a = put(at) return a next "{at}+" }
    """)
    [last] = [row for row in found if row.at == "polls"]
    assert last.how == "`polls` is not over after 3 rounds"
    assert undone(last) == ["polls[*].a", "first"]


def test_what_cannot_be_computed_is_a_failure_too() -> None:
    found = rows(
        """
      step a = put(id)
      let share = 1 / n
      if 1 / n > 0.5 { step b = put("{1 / n}") }
      each e = x in range(n) by 9 // x { step c = put("{x}") return c }
      return int("{share}")
    """,
        parts="(id: str, n: int) -> int",
    )
    assert [(row.at, undone(row)) for row in found] == [
        ("a", []),
        ("share", ["a"]),
        ("if#1", ["a"]),
        ("b", ["a"]),
        ("e", ["b", "a"]),
        ("e[*].c", ["e[*].c", "b", "a"]),
        ("return#1", ["e[*].c", "b", "a"]),
    ]
    assert found[1].how == "`share` cannot be computed (division by zero)"


def test_a_list_without_items_leaves_a_first_without_any() -> None:
    calm = """tool calm(id: str) -> str {
      call python "shop:calm" (id, idempotency_key: key)
      effect calm(id) reversible
      idempotent by key
      retry forever
      undo drop(id)
    }
    """
    found = rows("step a = put(id)\nfirst f = x in ids { step c = calm(x) return c }", calm)
    assert [(row.at, row.how, undone(row)) for row in found if row.at == "f"] == [
        ("f", "every item of `f` fails", ["a"])
    ]


def test_what_escalates_asks_people() -> None:
    [_, row] = rows("step a = put(id)\nstep b = put(id) else escalate")
    assert (row.at, row.tier, row.ends, row.stays) == ("b", 4, "escalated", ("a",))


def test_what_runs_beside_a_failure_is_done_and_waits_are_not_late() -> None:
    found = rows("""
      parallel {
        step a = put("a")
        wait w: str within 1d
        if len(ids) > 0 { step b = put("b") } else { step c = put("c") }
        gate g needs "ops" shows id
        step d = put("d") after g
      }
    """)
    assert told(found, "a") == [((), ["d", "b"]), (("if#1",), ["d", "c"])]
    assert told(found, "w")[0][1] == ["d", "b", "a"]
    assert told(found, "g")[0][1] == ["b", "a"]


def test_a_failure_is_told_once_for_each_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """One run goes forward on each way; whatever fails on it is a fork of it."""
    begun: list[Plan] = []

    class Counting(Simulator):
        def __init__(self, plan: Plan, *args: Any, **more: Any) -> None:
            begun.append(plan)
            super().__init__(plan, *args, **more)

    monkeypatch.setattr(recoveries, "Simulator", Counting)
    assert len(rows("\n".join(f'step s{n} = put("s{n}")' for n in range(8)))) == 8
    assert len(begun) == 1
