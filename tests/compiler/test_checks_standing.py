"""R506 across items, R517: bodies that are rolled back alone, and items that run at once."""

from __future__ import annotations

import pytest

from .shop import tools
from .test_checks_resources import WORLD

ITEMS = f"{WORLD}\nrecord Item {{ sku: str, qty: int }}\n"
LIST = 'let items = [Item(sku: "a", qty: 1), Item(sku: "b", qty: 2)]'

APART = {
    "one at a time": "each all = i in items { step a = set_price(id, 1) }",
    "their key": """
      each all = i in items by i.sku at most 2 at once { step a = set_price(i.sku, 1) }
    """,
    "their key alone in a text": """
      each all = i in items by i.sku at most 2 at once { step a = set_price("{id}-{i.sku}-x", 1) }
    """,
    "their key, once more by name": """
      each all = i in items by i.sku at most 2 at once {
        let sku = i.sku
        step a = set_price(sku, 1)
      }
    """,
    "what each has made": """
      each all = i in items by i.qty at most 2 at once {
        step a = create(i.sku)
        step b = set_price(a.id, 1)
      }
    """,
    "calls that commute": "each all = i in items at most 2 at once { step a = add(id, 1) }",
    "rounds": """
      repeat all = x from 1 at most 3 times {
        step a = set_price(id, x)
        next if x > 2 then none else x + 1
      }
    """,
    "through a called saga": """
      each all = i in items by i.sku at most 2 at once { step a = inner(i.sku) }
    """,
}

TOGETHER = {
    "one resource for all": """
      each all = i in items at most 2 at once {
        step a = set_price(id, 1)  # error: [R506] "Two items of `all` run at once and both touch"
      }
    """,
    "undone at once": """
      each all = i in items undo 4 at once {
        step a = set_price(id, 1)  # error: [R506] "Two items of `all` are undone at once and both"
      }
    """,
    "not their key": """
      each all = i in items at most 2 at once {
        step a = set_price(i.sku, 1)  # warning: [R506] "Two items of `all` run at once and may"
      }
    """,
    "their key with something else of theirs": """
      each all = i in items by i.sku at most 2 at once {
        step a = set_price("{i.sku}{i.qty}", 1)  # warning: [R506] "may touch the same price"
      }
    """,
    "two steps of them": """
      each all = i in items by i.sku at most 2 at once {
        step a = set_price(i.sku, 1)
        step b = set_price("{i.qty}", 1)  # warning: [R506] "may touch the same price"
      }
    """,
    "the inner key may come again": """
      each all = i in items by i.sku at most 2 at once {
        each inner_ = j in items by j.sku {
          step a = set_price(j.sku, 1)  # warning: [R506] "Two items of `all` run at once and may"
        }
      }
    """,
    "beside a loop": """
      parallel {
        each all = i in items { step a = set_price(i.sku, 1) }
        step b = set_price(id, 1)  # warning: [R506] "`all[*].a` and `b` run beside each other"
      }
    """,
    "beside a called saga": """
      parallel {
        step one = inner(id)
        step b = set_price(id, 1)  # error: [R506] "`one.held` and `b` run beside each other"
      }
    """,
    "an agent": """
      parallel {
        step one = seller(id)
        step b = set_price(id, 1)  # warning: [R506] "`one` and `b` run beside each other and may"
      }
    """,
}
INNER = """
saga inner(sku: str) { step held = set_price(sku, 2) }
agent seller(what: str) -> json { call python "s" may use set_price at most 9 calls }
"""


@pytest.mark.parametrize("body", (APART | TOGETHER).values(), ids=APART | TOGETHER)
def test_items_at_once(body: str) -> None:
    tools(ITEMS + INNER, f"{LIST}\n{body}")


STANDING = {
    "read beside a scope": """
      parallel {
        scope s { step a = set_price("{n}", 1) step b = level(id) } else { }
        step c = price_of("x")  # error: [R517] "then the scope" # warning: [R506] "reads"
      }
    """,
    "read in another item": """
      each all = i in ["a", "b"] by i at most 2 at once tolerate 1 {
        step a = set_price(i, 1)
        step c = price_of(id)  # error: [R517] "that item of `all`" # warning: [R506] "Two"
      }
    """,
    "accepted, and given what is undone": """
      scope s {
        step a = charge(id, 1.00)
        step c = letter(a) accept irreversible because "x"  # error: [R517] "`s.c` is done with"
        step b = level(id)
      } else { }
    """,
    "by another name": """
      scope s {
        step a = charge(id, 1.00)
        let whom = "to {a}"
        step c = letter(whom) accept irreversible because "x"  # error: [R517] "and `s.c` stands."
        step b = level(id)
      } else { }
    """,
    "an item of `first`": """
      first one = i in ["a", "b"] {
        step a = charge(i, 1.00)
        step c = letter(a) accept irreversible because "x"  # error: [R517] "that item of `one`"
        step b = level(i)
        return b
      }
    """,
    "back to a checkpoint": """
      checkpoint paid
      step a = charge(id, 1.00)
      step c = letter(a) accept irreversible because "x"  # warning: [R517] "back to the checkpoint"
      step b = level(id)
    """,
}

FIRM = {
    "rolled back together": """
      scope s {
        parallel {
          step a = set_price("x", 1)
          step b = level(id)
          step c = price_of("y")
        }
      } else { }
    """,
    "behind the scope": """
      parallel {
        scope s { step a = set_price("{n}", 1) step b = level(id) } else { }
        step c = price_of("x") after s
      }
    """,
    "given what was known before": """
      step a = charge(id, 1.00)
      scope s {
        step c = letter(a) accept irreversible because "x"
        step b = level(id)
      } else { }
    """,
    "nothing fails behind it": """
      scope s {
        step a = charge(id, 1.00)
        step c = letter(a) accept irreversible because "x"
      } else { }
    """,
    "the checkpoint is behind it": """
      step a = charge(id, 1.00)
      checkpoint paid
      step c = letter(a) accept irreversible because "x"
      step b = level(id)
    """,
}


@pytest.mark.parametrize("body", (STANDING | FIRM).values(), ids=STANDING | FIRM)
def test_what_is_left_standing(body: str) -> None:
    tools(WORLD, body)
