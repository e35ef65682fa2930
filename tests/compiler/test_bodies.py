"""Statements with bodies of their own: how each lowers, what it gives, and what it waits for."""

from __future__ import annotations

import pytest

from sagalang.runtime.plan import (
    AgentCall,
    Each,
    First,
    Node,
    Plan,
    Repeat,
    SagaCall,
    Scope,
    Sleep,
    Step,
    Wait,
    statements,
)

from .programs import compiled

HEAD = """edition 2026
record Item { sku: str, qty: int = 1 }
record Page { items: list[Item], following: int? }
tool find(id: str) -> str? { call python "shop:find" effect none }
tool count(id: str) -> int { call python "shop:count" effect none }
tool page(n: int) -> Page { call python "shop:page" effect none }
tool take(sku: str, qty: int) -> Item {
  call python "shop:take" (sku, qty, idempotency_key: key)
  effect stock(sku) reversible impact 3
  idempotent by key
  retry 3 times
  undo give(sku)
}
tool give(sku: str) -> json {
  call python "shop:give"
  effect stock restoring
  idempotent naturally
  retry 5 times
}
agent buyer(goal: str) -> json {
  call python "shop:buyer"
  may use find, take at most 20 calls
  retry 2 times
  timeout 5m
}
saga child(sku: str, qty: int = 2) -> Item {
  deadline 1h
  scope pair {
    step one = take(sku, qty)
  }
  on rollback { step note = find(sku) else continue }
  return pair.one
}
"""
INPUTS = "items: list[Item], ids: list[str], email: str, n: int"


def lowered(body: str, result: str = "") -> Plan:
    """The plan of a saga with this body, which has no error of names, types or order."""
    gives = f" -> {result}" if result else ""
    made = compiled(f"{HEAD}saga s({INPUTS}){gives} {{\n{body}\n}}")
    wrong = [d.message for d in made.diagnostics if d.code[0] in "SNTG" and d.severity == "error"]
    assert wrong == []
    return made.plans["s"]


def only(body: str) -> Node:
    """The first statement of a body."""
    return lowered(body).body[0]


def paths(plan: Plan) -> list[str]:
    """Every path of a plan, in the order written."""
    return [node.path for node in statements(plan.body)]


def waits(plan: Plan) -> dict[str, tuple[str, ...]]:
    """What each statement that waits for something waits for."""
    return {node.path: node.waits for node in statements(plan.body) if node.waits}


class TestPaths:
    def test_a_path_is_the_chain_of_names(self) -> None:
        plan = lowered("""
          each picks = item in items by item.sku {
            requires item.qty > 0
            step pick = take(item.sku, item.qty)
            first one = id in ids { step look = find(id) requires look != none return look }
            requires n > 1
            return pick
          }
          requires n > 0
          scope shipping {
            parallel { step ship = count(email) if n > 1 { step more = count(email) } }
          } else {
            step ship = count("b")
          }
          repeat polls = x from 1 at most 3 times { step ask = count(email) next ask }
          step sub = child(email)""")
        assert paths(plan) == [
            "picks", "picks[*].requires#1", "picks[*].pick", "picks[*].one",
            "picks[*].one[*].look", "picks[*].one[*].requires#1", "picks[*].one[*].return#1",
            "picks[*].requires#2", "picks[*].return#1",
            "requires#1",
            "shipping", "shipping.parallel#1", "shipping.ship", "shipping.if#1", "shipping.more",
            "shipping.else.ship",
            "polls", "polls[*].ask", "polls[*].next#1",
            "sub", "sub.pair", "sub.pair.one", "sub.return#1", "sub.note",
        ]  # fmt: skip

    def test_two_scopes_may_use_one_name(self) -> None:
        plan = lowered('scope a { step x = find("1") } scope b { step x = find("2") }')
        assert paths(plan) == ["a", "a.x", "b", "b.x"]


class TestEach:
    def test_says_everything_about_its_items(self) -> None:
        each = only("""each picks = item in items by item.sku at most 8 at once undo 4 at once
          tolerate 2 { step pick = take(item.sku, item.qty) return pick.sku }""")
        assert isinstance(each, Each)
        assert (each.name, each.variable, each.at_once) == ("picks", "item", 8)
        assert (each.undo_at_once, each.tolerate) == (4, 2)
        assert (str(each.item), str(each.type)) == ("Item", "list[str?]")
        assert each.by is not None and each.by.source == "item.sku"

    def test_is_one_at_a_time_by_index_and_tolerates_nothing_by_default(self) -> None:
        each = only("each picks = item in items { step pick = take(item.sku, 1) return pick }")
        assert isinstance(each, Each)
        assert (each.by, each.at_once, each.undo_at_once, each.tolerate) == (None, 1, 1, 0)
        assert str(each.type) == "list[Item]"

    @pytest.mark.parametrize(
        ("body", "expected"),
        [
            ("let a = x return 1", "list[int]"),
            ("if n > 1 { return 1 } else { return 2.5 }", "list[decimal]"),
            ("if n > 1 { return 1 } else { return none }", "list[int?]"),
            ("step a = find(x) return a", "list[str?]"),
            ("step a = find(x)", "list[none]"),
        ],
    )
    def test_its_value_is_the_list_of_what_its_block_returns(
        self, body: str, expected: str
    ) -> None:
        each = only(f"each all = x in ids {{ {body} }}")
        assert isinstance(each, Each)
        assert str(each.type) == expected


class TestFirstAndRepeat:
    def test_first_gives_what_its_block_returns(self) -> None:
        first = only("first one = x in ids by x { step a = count(x) return a }")
        assert isinstance(first, First)
        assert (first.name, first.variable, str(first.item), str(first.type)) == (
            "one", "x", "str", "int",
        )  # fmt: skip
        assert first.by is not None

    def test_repeat_goes_on_with_what_next_gives(self) -> None:
        repeat = only("""repeat pages = p from 1 at most 100 times {
          step ask = page(p) return ask.items next ask.following }""")
        assert isinstance(repeat, Repeat)
        assert (repeat.variable, repeat.limit, repeat.start.source) == ("p", 100, "1")
        assert (str(repeat.item), str(repeat.type)) == ("int", "list[list[Item]]")

    def test_repeat_may_begin_with_none(self) -> None:
        """Its rounds are then what `next` gives; mistakes in it are told once."""
        repeat = only("""repeat pages = p from none at most 9 times {
          step ask = page(default(p, 1)) let more = ask.following return more next more }""")
        assert isinstance(repeat, Repeat)
        assert (str(repeat.item), str(repeat.type)) == ("int?", "list[int?]")
        made = compiled(f"""{HEAD}
          saga s(n: int) {{
            repeat pages = p from none at most 9 times {{
              let more = Late(wanted: n)
              step ask = page(p)
              next more.wanted
            }}
          }}
          record Late {{ wanted: int, other: int = "x" }}""")
        told = [(d.code, d.message) for d in made.diagnostics if d.severity == "error"]
        assert told == [
            ("T305", "The parameter `n` of `page` must be there, but `p` may be none."),
            ("T301", "The default of `other` must be `int`, but this is `str`."),
        ]


class TestScope:
    def test_outside_it_is_a_record_of_its_steps(self) -> None:
        scope = only("""scope shipping { step ship = count(email) let told = "x" checkpoint here }
          let gone = shipping.ship + len(shipping.told)""")
        assert isinstance(scope, Scope)
        assert {f.name: str(f.type) for f in scope.fields} == {"ship": "int", "told": "str"}
        assert scope.otherwise is None

    def test_what_one_of_its_blocks_lacks_may_be_none(self) -> None:
        scope = only("""scope shipping {
            step ship = count(email)
            step mine = count(email)
            if n > 1 { step some = count(email) }
          } else {
            step ship = count(email)
            step other = count(email)
          }""")
        assert isinstance(scope, Scope)
        assert {f.name: str(f.type) for f in scope.fields} == {
            "ship": "int", "mine": "int?", "some": "int?", "other": "int?",
        }  # fmt: skip

    def test_one_that_holds_a_secret_is_shown_no_more_than_the_secret(self) -> None:
        made = compiled(f"""{HEAD}
          tool use(token: secret[str]) -> int {{ call python "shop:use" effect none }}
          saga s(email: str, token: secret[str]) -> json {{
            scope login {{ let key_of = token step who = find(email) }}
            step fine = use(login.key_of)
            requires fine > 0
            return login
          }}""")
        told = [(d.code, d.message) for d in made.diagnostics if d.severity == "error"]
        assert [code for code, _ in told] == ["X601"], told
        assert told[0][1].startswith("What `s` returns is `json`")

    def test_an_empty_else_goes_on_without(self) -> None:
        scope = only("scope shipping { step ship = count(email) } else { }")
        assert isinstance(scope, Scope)
        assert scope.otherwise == ()
        assert [str(f.type) for f in scope.fields] == ["int?"]


class TestWaiting:
    def test_a_compound_waits_for_what_its_inside_reads(self) -> None:
        plan = lowered("""parallel {
            scope a { step x = find("{b}{c.z}") step y = find("{x}") }
            step b = count(email)
            scope c { each all = i in ids { step q = find("{b}{i}") } step z = count("{all}") }
            first d = i in ids { step q = find("{i}{a.x}") return q }
            step e = find("{d}") after c
          }""")
        assert waits(plan) == {"a": ("b", "c"), "c": ("b",), "d": ("a",), "e": ("c", "d")}

    def test_in_a_parallel_of_a_body_its_own_statements_wait_for_each_other(self) -> None:
        plan = lowered("""step sub = child(email)
          each all = i in ids { parallel { step x = find("{y}{sub.sku}") step y = count(i) } }""")
        assert waits(plan) == {"all[*].x": ("all[*].y",)}

    def test_an_inner_saga_waits_under_its_own_path(self) -> None:
        made = compiled(f"""{HEAD}
          saga both(a: str) {{ parallel {{ step x = find("{{y}}") step y = count(a) }} }}
          saga s(a: str) {{ scope o {{ step sub = both(a) }} }}""")
        assert waits(made.plans["s"]) == {"o.sub.x": ("o.sub.y",)}


class TestCalls:
    def test_a_saga_is_called_with_its_statements_inside(self) -> None:
        call = only("""step sub = child(email) when n > 1 as "bot" else continue {
          undo give(args.sku) within 2d }""")
        assert isinstance(call, SagaCall)
        assert (call.saga, call.name, call.agent, call.on_failure) == (
            "child", "sub", "bot", "continue",
        )  # fmt: skip
        assert [(a.name, a.value.source) for a in call.args] == [("sku", "email"), ("qty", "2")]
        assert [p.name for p in call.parameters] == ["sku", "qty"]
        assert (str(call.result), str(call.type), call.deadline) == ("Item", "Item?", 3_600_000)
        assert [undo.tool for undo in call.undos] == ["give"]
        assert [node.path for node in call.on_rollback] == ["sub.note"]

    def test_an_agent_is_called_with_what_holds_for_it(self) -> None:
        plan = lowered('step bought = buyer("x") as "bot" { timeout 10m }')
        call = plan.body[0]
        assert isinstance(call, AgentCall)
        assert (call.agent, call.acts_as, call.timeout, call.retry.attempts) == (
            "buyer", "bot", 600_000, 2,
        )  # fmt: skip
        (agent,) = plan.agents
        assert [(use.tool, use.needs) for use in agent.uses] == [("find", ""), ("take", "")]
        assert (agent.at_most, agent.timeout) == (20, 300_000)
        assert [tool.name for tool in plan.tools] == ["find", "give", "take"]

    def test_tools_that_only_an_inner_saga_calls_are_in_the_plan(self) -> None:
        plan = lowered("step sub = child(email)")
        assert [tool.name for tool in plan.tools] == ["find", "give", "take"]
        assert [record.name for record in plan.records] == ["Item"]


class TestTime:
    def test_wait_and_sleep(self) -> None:
        wait, sleep = lowered("wait paid: Item within 2d else continue sleep 5m").body
        assert isinstance(wait, Wait) and isinstance(sleep, Sleep)
        assert (str(wait.type), wait.within, wait.otherwise) == ("Item?", 172_800_000, "continue")
        assert sleep.length == 300_000

    def test_a_wait_without_an_end_gives_its_type(self) -> None:
        wait = only("wait paid: Item")
        assert isinstance(wait, Wait)
        assert (str(wait.type), wait.within, wait.otherwise) == ("Item", None, "rollback")


def test_steps_on_rollback_stand_beside_the_body() -> None:
    plan = lowered("""step a = count(email)
      on rollback { step sorry = find("{a}") when a != none else continue }""")
    assert [(type(node), node.path) for node in plan.on_rollback] == [(Step, "sorry")]


def test_everything_goes_inside_everything() -> None:
    plan = lowered("""if n > 1 { parallel {
        scope all { each picks = item in items by item.sku at most 8 at once {
          scope one {
            repeat again = q from item.qty at most 3 times {
              step got = take(item.sku, q) next none }
          } else { first other = id in ids { step got = take(id, 1) return got } }
          return one.other
        } } else { wait answer: list[Item] sleep 1m }
        step base = find(email) after all
      } }""")
    assert waits(plan) == {"base": ("all",)}
    scope = next(node for node in statements(plan.body) if node.path == "all")
    assert isinstance(scope, Scope)
    assert {f.name: str(f.type) for f in scope.fields} == {
        "picks": "list[Item?]?", "answer": "list[Item]?",
    }  # fmt: skip
