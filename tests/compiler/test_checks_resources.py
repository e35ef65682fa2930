"""R506, R521: what touches one resource is in order, and nobody is surprised by his own changes."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from sagalang.dsl.diagnostics import Diagnostic, Severity
from sagalang.dsl.fixes import apply

from .programs import compiled
from .shop import tools

WORLD = """
tool price_of(sku: str) -> int { call python "p" effect none reads price(sku) }
tool set_price(sku: str, to: int) -> json {
  call python "s" (sku, to, key)
  effect price(sku) reversible
  idempotent by key
  retry 3 times
  remember before = price_of(sku)
  undo restore(sku, before)
}
tool restore(sku: str, to: int) -> json {
  call python "r"
  effect price(sku) restoring
  idempotent naturally
  retry 5 times
}
tool add(sku: str, more: int) -> json {
  call python "a" (sku, more, key)
  effect price(sku) reversible
  idempotent by key
  retry 3 times
  commutes
  undo add(sku, -more)
}
tool create(like: str) -> Thing {
  call python "c" (like, key)
  effect price(key) reversible
  idempotent by key
  retry 3 times
  undo drop(key)
}
tool drop(forward_key: str) -> json {
  call python "d"
  effect price(forward_key) restoring
  idempotent naturally
  done with NotFound
  retry 5 times
}
tool reindex() -> json {
  call python "i"
  effect price reversible
  idempotent naturally
  retry 3 times
  undo reindex()
}
record Thing { id: str, like: str }
"""


ORDERED = {
    "one after another": """
      step a = set_price(id, 1)
      step b = set_price(id, 2)
    """,
    "waiting": """
      parallel {
        step a = set_price(id, 1) after b
        step b = set_price(id, 2)
      }
    """,
    "in different branches": """
      parallel {
        if n > 1 { step a = set_price(id, 1) } else { step b = set_price(id, 2) }
      }
    """,
    "in a chain beside something else": """
      parallel {
        if n > 1 {
          step a = set_price(id, 1)
          step b = set_price(id, 2)
          step c = set_price(id, 3)
        }
        step left = level(id)
      }
    """,
    "different constants": """
      parallel {
        step a = set_price("x", 1)
        step b = set_price("y", 2)
      }
    """,
    "texts that begin or end differently": """
      parallel {
        step a = set_price("old-{id}", 1)
        step b = set_price("new-{id}", 2)
        step c = set_price("older", 2)
        step d = set_price("{id}-end", 2) after a, b, c
        step e = set_price("{id}-stop", 2) after a, b, c
      }
    """,
    "what was just made": """
      step one = create(id)
      step two = create(id)
      parallel {
        step a = set_price(one.id, 1)
        step b = set_price(two.id, 2)
        step c = set_price(id, 3)
        step d = set_price("x", 4) after c
        step e = create("x")
        step f = create("y")
      }
    """,
    "calls that commute": """
      parallel {
        step a = add(id, 1)
        step b = add(id, 2)
      }
    """,
    "two that only read": """
      parallel {
        step a = price_of(id)
        step b = price_of(id)
      }
    """,
    "different kinds": """
      parallel {
        step a = set_price(id, 1)
        step b = reserve(id)
      }
    """,
}

EQUAL = {
    "the same input": """
      parallel {
        step a = set_price(id, 1)
        step b = set_price(id, 2)  # error: [R506] "`a` and `b` run beside each other and touch"
      }
    """,
    "the same constant": """
      parallel {
        step a = set_price("x", 1)
        step b = set_price("x", 2)  # error: [R506] "what is left depends on which comes last."
      }
    """,
    "by another name": """
      let sku = id
      parallel {
        step a = set_price("x-{sku}", 1)
        step b = set_price("x-{id}", 2)  # error: [R506] "touch the same price"
      }
    """,
    "every resource of the kind": """
      parallel {
        step a = reindex()
        step b = set_price("x", 2)  # error: [R506] "touch the same price"
      }
    """,
    "read and touched": """
      parallel {
        step a = set_price(id, 1)
        step b = price_of(id)  # error: [R506] "`b` reads the price that `a` touches beside it"
      }
    """,
    "commuting with itself only": """
      parallel {
        step a = add(id, 1)
        step b = set_price(id, 2)  # error: [R506] "touch the same price"
      }
    """,
    "one branch of it": """
      parallel {
        if n > 1 { step a = set_price(id, 1) }
        step b = set_price(id, 2)  # error: [R506] "`a` and `b` run beside each other"
      }
    """,
    "behind what it waits for, and beside the rest": """
      parallel {
        step a = set_price(id, 1)
        step b = set_price(id, 2) after a
        step c = set_price(id, 3) after a  # error: [R506] "`b` and `c` run beside each other"
      }
    """,
}

MAYBE = {
    "two inputs": """
      parallel {
        step a = set_price(id, 1)
        step b = set_price("{n}", 2)  # warning: [R506] "may touch the same price: when it is the"
      }
    """,
    "an input and a constant": """
      parallel {
        step a = set_price("x", 1)
        step b = set_price(id, 2)  # warning: [R506] "the run lets one wait for the other."
      }
    """,
    "what a call echoes is not new": """
      step one = create(id)
      step two = create(id)
      parallel {
        step a = set_price(one.like, 1)
        step b = set_price(two.like, 2)  # warning: [R506] "may touch the same price"
      }
    """,
    "what was read": """
      step one = level(id)
      step two = level("x")
      parallel {
        step a = set_price("{one}", 1)
        step b = set_price("{two}", 2)  # warning: [R506] "may touch the same price"
      }
    """,
}


@pytest.mark.parametrize("body", ORDERED.values(), ids=ORDERED)
def test_what_is_in_order_or_apart(body: str) -> None:
    tools(WORLD, body)


@pytest.mark.parametrize("body", (EQUAL | MAYBE).values(), ids=EQUAL | MAYBE)
def test_one_resource_without_an_order(body: str) -> None:
    tools(WORLD, body)


def test_positions_of_both_steps_and_of_what_identifies_the_resource() -> None:
    (found,) = tools(WORLD, EQUAL["the same input"]).diagnostics
    said = [label.message for label in found.labels]
    assert said == ["touches `price(id)`", "touches `price(id)`", "says which one"]


def test_tools_that_commute_with_each_other() -> None:
    text = WORLD.replace("retry 3 times\n  commutes", "retry 3 times commutes with set_price")
    tools(text, EQUAL["commuting with itself only"].split("# error")[0] + "\n}")


FIXED = """
      parallel {
        step a = set_price(id, 1)
        step b = set_price(id, 2) after a { timeout 5s }
      }
"""


def test_the_fix_puts_them_in_order() -> None:
    text = f"edition 2026\n{WORLD}\nsaga s(id: str) {{{FIXED}}}\n"
    wrong = text.replace("after a ", "")
    made = compiled(wrong)
    (found,) = (each for each in made.diagnostics if each.code == "R506")
    assert found.fix is not None
    assert apply(made.sources["main.saga"], [found.fix], "ask") == text
    assert [each for each in compiled(text).diagnostics if each.code == "R506"] == []


IDS = ["id", '"x"', '"y"', '"a-{id}"', '"b-{id}"', "one.id", "one.like", '"{n}"']
KINDS = ["set_price({}, 1)", "add({}, 1)", "price_of({})"]
MEMBERS = st.tuples(st.sampled_from(KINDS), st.sampled_from(IDS))


def verdicts(text: str) -> list[tuple[str, Severity]]:
    return [
        (each.code, each.severity) for each in compiled(text).diagnostics if each.code == "R506"
    ]


def program(one: str, other: str, name: str = "a") -> str:
    members = f"step {name} = {one}\n step zz = {other}"
    body = f"step one = create(id)\n parallel {{\n {members}\n }}"
    return f"edition 2026\n{WORLD}\nsaga s(id: str, n: int) {{\n {body}\n}}\n"


@given(MEMBERS, MEMBERS)
def test_who_is_written_first_does_not_matter(one: tuple[str, str], other: tuple[str, str]) -> None:
    first, second = (kind.format(ids) for kind, ids in (one, other))
    assert verdicts(program(first, second)) == verdicts(program(second, first))


@given(MEMBERS, MEMBERS, st.sampled_from(["b", "price", "key_", "zzz"]))
def test_names_and_layout_do_not_matter(
    one: tuple[str, str], other: tuple[str, str], name: str
) -> None:
    first, second = (kind.format(ids) for kind, ids in (one, other))
    plain = program(first, second)
    assert verdicts(program(first, second, name)) == verdicts(plain)
    assert verdicts(plain.replace("\n ", "\n  # a comment\n\n   ")) == verdicts(plain)


DRIFT = {
    "changed in between": """
      step was = price_of(id)
      step a = set_price(id, 1)
      step b = set_price(id, 2)
        expecting price_of(id) unchanged since was  # error: [R521] "then `a` changes the price"
    """,
    "perhaps the same": """
      step was = price_of(id)
      step a = set_price("{n}", 1)
      step b = set_price(id, 2)
        expecting price_of(id) unchanged since was  # error: [R521] "`a` changes a price that may"
    """,
    "the last change is told": """
      step was = price_of(id)
      step a = set_price(id, 1)
      step b = set_price(id, 2)
      step c = set_price(id, 3)
        expecting price_of(id) unchanged since was  # error: [R521] "then `b` changes the price"
    """,
    "in a branch": """
      step was = price_of(id)
      if n > 1 { step a = set_price(id, 1) }
      step b = set_price(id, 2)
        expecting price_of(id) unchanged since was  # error: [R521] "then `a` changes the price"
    """,
    "by the read's own word or by what it verifies": """
      step was = level(id)
      step a = reserve_(id)
      step b = letter(id)
        expecting seen(id) unchanged since was  # error: [R521] "then `a` changes the stock"
    """,
}

STILL = {
    "changed before": """
      step a = set_price(id, 1)
      step was = price_of(id)
      step b = set_price(id, 2) expecting price_of(id) unchanged since was
    """,
    "changed by the step itself that it counts from": """
      step a = set_price(id, 1)
      step b = set_price(id, 2) expecting price_of(id) unchanged since a
    """,
    "another one": """
      step was = price_of("x")
      step a = set_price("y", 1)
      step b = set_price("x", 2) expecting price_of("x") unchanged since was
    """,
    "another kind of thing": """
      step was = price_of(id)
      step a = reserve(id)
      step b = set_price(id, 2) expecting price_of(id) unchanged since was
    """,
    "in the other branch": """
      step was = price_of(id)
      if n > 1 { step a = set_price(id, 1) } else {
        step b = set_price(id, 2) expecting price_of(id) unchanged since was
      }
    """,
}
SEEN = """
tool seen(sku: str) -> json { call python "s" effect none }
tool reserve_(sku: str) -> json {
  call python "stock:reserve" (sku, key)
  effect stock(sku) reversible
  idempotent by key
  retry 3 times
  verify seen(sku)
  undo release(sku)
}
"""


@pytest.mark.parametrize("body", (DRIFT | STILL).values(), ids=DRIFT | STILL)
def test_what_the_saga_changes_itself(body: str) -> None:
    tools(WORLD + SEEN, body)


def test_a_change_beside_it_may_come_in_between() -> None:
    tools(
        WORLD,
        """
        step was = level(id)
        parallel {
          step a = set_price("x", 1)
          step b = reserve(id)
            expecting price_of("x") unchanged since was  # error: [R521] "then `a` changes"
        }
        """,
    )


def test_the_fix_expects_it_since_the_last_change() -> None:
    text = f"edition 2026\n{WORLD}\nsaga s(id: str, n: int) {{{DRIFT['the last change is told']}}}"
    made = compiled(text)
    found = one(made.diagnostics)
    assert found.fix is not None
    fixed = apply(made.sources["main.saga"], [found.fix], "ask")
    assert "unchanged since b " in fixed
    assert [each for each in compiled(fixed).diagnostics if each.code == "R521"] == []


def one(diagnostics: tuple[Diagnostic, ...]) -> Diagnostic:
    (found,) = (each for each in diagnostics if each.code == "R521")
    return found
