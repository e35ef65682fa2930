"""R512, X602: what is done for good is what was approved, and what somebody has looked at."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from sagalang.dsl.fixes import apply

from .programs import compiled
from .shop import TOOLS, tools

QUOTES = """
record Quote { vendor: str, price: int, notes: list[str] }
agent buyer(goal: str) -> Quote { call python "b" may use level at most 20 calls }
agent buyers(goal: str) -> list[Quote] { call python "b" may use level at most 20 calls }
saga ask(what: str) -> Quote {
  step found = buyer(what)
  return found
}
saga tell(whom: str) {
  step note = letter(whom)
}
"""
OK = 'gate ok needs "ops" shows'

APPROVED = {
    "read before": f"""
      step left = level(id)
      {OK} id
      step paper = letter(id, left)
    """,
    "asked again": f"""
      {OK} id
      step left = level(id)
      gate again needs "ops" shows left
      step paper = letter(id, left)
    """,
    "asked again wherever it is read": f"""
      {OK} id
      each all = i in [1, 2] {{
        step left = level(id)
        gate again needs "ops" shows left
        return left
      }}
      step paper = letter(id, sum(all))
    """,
    "nobody was asked": """
      step left = level(id)
      step paper = letter(id, left)
    """,
    "what an action answers is its own": f"""
      {OK} id
      step pay = charge(id, 1.00)
      step paper = letter(pay)
    """,
    "it does not reach the pivot": f"""
      {OK} id
      step left = level(id)
      step hold = reserve("x-{{left}}")
      step paper = letter(id)
    """,
    "waited for beside it": f"""
      parallel {{
        step left = level(id)
        {OK} left
        step paper = letter(id, left) after ok
      }}
    """,
    "asked in every branch since": f"""
      {OK} id
      step left = level(id)
      if n > 3 {{ gate many needs "ops" shows left }} else {{ gate few needs "ops" shows left }}
      step paper = letter(id, left)
    """,
    "asked on the condition under which it is done": f"""
      {OK} id
      step left = level(id)
      gate again needs "ops" shows left when n > 3
      step paper = letter(id, left) when n > 3
    """,
}

OTHER = {
    "read behind it": f"""
      {OK} id
      step left = level(id)
      step paper = letter(id, left)  # error: [R512] "`ok` is approved, then `left` is read"
    """,
    "by other names": f"""
      {OK} id
      step left = level(id)
      let pages = {{ many: [left] }}
      step paper = letter(id, len(values(pages)))  # error: [R512] "goes into `paper` as `pages`"
    """,
    "asked again in one branch only": f"""
      {OK} id
      step left = level(id)
      if n > 3 {{ gate again needs "ops" shows left }}
      step paper = letter(id, left)  # error: [R512] "`ok` is approved, then `left` is read"
    """,
    "asked again, and gone on without an answer": f"""
      {OK} id
      step left = level(id)
      gate again needs "ops" shows left within 1h else continue
      step paper = letter(id, left)  # error: [R512] "then `left` is read"
    """,
    "as a condition": f"""
      {OK} id
      step left = level(id)
      step paper = letter(id) when left > 3  # error: [R512] "`left` is read and decides whether"
    """,
    "as the condition of a branch": f"""
      {OK} id
      step left = level(id)
      if left > 3 {{  # error: [R512] "`left` is read and decides whether `paper` is called"
        step paper = letter(id)
      }}
    """,
    "beside it": f"""
      parallel {{
        step left = level(id)
        {OK} id
        step paper = letter(id, left) after ok  # error: [R512] "and beside that `left` is read"
      }}
    """,
    "in a loop": f"""
      {OK} id
      each all = i in [1, 2] {{
        step left = level(id)
        return left
      }}
      step paper = letter(id, sum(all))  # error: [R512] "then `all[*].left` is read"
    """,
    "in a scope or its else": f"""
      {OK} id
      scope found {{ step left = level(id) }} else {{ step left = level("x") }}
      step paper = letter(id, found.left)  # error: [R512] "then `found.left` is read"
    """,
    "a signal": f"""
      {OK} id
      wait word: int within 3d
      requires word < 9
      step paper = letter(id, word)  # error: [R512] "then `word` comes in and goes into `paper`"
    """,
    "an agent": f"""
      {OK} id
      step best = buyer(id)
      requires best.price < 9
      step paper = letter(id, best.price)  # error: [R512] "then the agent answers in `best`"
    """,
    "from the inputs and results of other sagas": f"""
      {OK} id
      step left = level(id)
      step other = tell("{{left}}") else continue
    """,
}


@pytest.mark.parametrize("body", APPROVED.values(), ids=APPROVED)
def test_what_was_approved_is_done(body: str) -> None:
    tools(QUOTES, body)


@pytest.mark.parametrize("body", list(OTHER.values())[:-1], ids=list(OTHER)[:-1])
def test_what_came_after_was_not_approved(body: str) -> None:
    tools(QUOTES, body)


def test_inputs_of_a_called_saga_are_followed() -> None:
    text = QUOTES.replace(
        "step note = letter(whom)",
        'step note = letter(whom) # error: [R512] "`ok` is approved, then `left` is read and goes"',
    )
    tools(text, OTHER["from the inputs and results of other sagas"])


SEEN = {
    "a gate shows it": f"""
      step best = buyer(id)
      {OK} best.vendor, best.price
      step paper = letter(best.vendor, best.price)
    """,
    "a gate shows all of it": f"""
      step best = buyer(id)
      {OK} best
      step paper = letter(best.vendor, best.price)
    """,
    "a gate shows a text that holds it": f"""
      step best = buyer(id)
      {OK} "for {{best.vendor}}"
      step paper = letter(best.vendor)
    """,
    "by another name": f"""
      step best = buyer(id)
      let whom = best.vendor
      {OK} whom
      step paper = letter(best.vendor)
    """,
    "all that it is computed from": f"""
      step best = buyer(id)
      {OK} best.price
      let pages = best.price * 2
      step paper = letter(id, pages)
    """,
    "a condition names it": """
      step best = buyer(id)
      requires best.price < 9 and best.vendor == id
      step paper = letter(best.vendor, best.price)
    """,
    "a condition names a part of it": """
      step best = buyer(id)
      requires len(best.notes) < 9
      step paper = letter(id, len(best.notes))
    """,
    "a list, and then its items": f"""
      step all = buyers(id)
      {OK} all
      each done = q in all {{ step paper = letter(q.vendor) }}
    """,
    "in both branches": f"""
      step best = buyer(id)
      if n > 3 {{ {OK} best.price }} else {{ requires best.price < 9 }}
      step paper = letter(id, best.price)
    """,
    "where it is used": f"""
      step best = buyer(id)
      if n > 3 {{
        {OK} best.price
        step paper = letter(id, best.price)
      }}
    """,
    "what a tool answers is its own": """
      step best = buyer(id)
      step left = level(best.vendor)
      step paper = letter(id, left)
    """,
    "what can be taken back": """
      step best = buyer(id)
      step pay = charge(best.vendor, 1.00)
    """,
    "it may stand": """
      step best = buyer(id)
      step paper = letter(best.vendor) accept irreversible because "it is only a letter"
    """,
    "the answer of people": f"""
      {OK} id
      step paper = letter(ok.note)
    """,
}

UNSEEN = {
    "an agent": """
      step best = buyer(id)
      step paper = letter(best.vendor)  # error: [X602] "Whatever the agent answers in `best` goes"
    """,
    "a signal": """
      wait word: str within 3d
      step paper = letter("to {word}")  # error: [X602] "Whatever comes in as `word` goes into"
    """,
    "something else is shown": f"""
      step best = buyer(id)
      {OK} best.price
      step paper = letter(best.vendor, best.price)  # error: [X602] "into `paper` as `to`"
    """,
    "only how much of it there is": f"""
      step best = buyer(id)
      {OK} len(best.vendor)
      step paper = letter(best.vendor)  # error: [X602] "into `paper` as `to`"
    """,
    "an item is not the list": f"""
      step all = buyers(id)
      each seen = q in all {{ {OK} q }}
      step paper = letter("{{all}}")  # error: [X602] "answers in `all` goes into `paper` as `to`"
    """,
    "in one branch only": f"""
      step best = buyer(id)
      if n > 3 {{ {OK} best.price }}
      step paper = letter(id, best.price)  # error: [X602] "into `paper` as `pages`"
    """,
    "looked at in a scope that may fail": """
      step best = buyer(id)
      scope look { requires best.price < 9 } else { }
      step paper = letter(id, best.price)  # error: [X602] "into `paper` as `pages`"
    """,
    "beside it": """
      step best = buyer(id)
      parallel {
        if n > 3 { requires best.price < 9 step left = level(id) }
        step paper = letter(id, best.price) after left  # error: [X602] "into `paper` as `pages`"
      }
    """,
    "through a loop": """
      step all = buyers(id)
      each done = q in all { step paper = letter(q.vendor) }  # error: [X602] "answers in `all`"
    """,
    "through rounds": """
      repeat all = q from "x" at most 3 times {
        step best = buyer(q)
        return q
        next best.vendor
      }
      step paper = letter("{all}")  # error: [X602] "answers in `all[*].best` goes into `paper`"
    """,
    "it decides whether there is another round": """
      repeat all = x from 1 at most 3 times {
        step paper = letter(id)  # error: [R502] "`paper` is done"
        step best = buyer(id)
        next if best.price > 3 then x else none  # warning: [X602] "decides whether `all[*].paper`"
      }
    """,
    "through a called saga": """
      step best = ask(id)
      step paper = letter(best.vendor)  # error: [X602] "Whatever the agent answers in `best.found`"
    """,
    "it decides": """
      step best = buyer(id)
      if best.price > 3 {  # warning: [X602] "decides whether `paper` is called"
        step paper = letter(id)
      }
    """,
    "it decides how often": """
      step all = buyers(id)
      each done = q in all {  # warning: [X602] "decides whether `done[*].paper` is called"
        step paper = letter(id)
      }
    """,
}


@pytest.mark.parametrize("body", SEEN.values(), ids=SEEN)
def test_what_somebody_has_looked_at(body: str) -> None:
    tools(QUOTES, body)


@pytest.mark.parametrize("body", UNSEEN.values(), ids=UNSEEN)
def test_what_nobody_has_looked_at(body: str) -> None:
    tools(QUOTES, body)


def test_the_fix_lets_the_gate_show_all_of_it() -> None:
    body = f"""
      step best = buyer(id)
      {OK} id
      step paper = letter(best.vendor, best.price)
    """
    made = compiled(f"edition 2026\n{QUOTES}\n{TOOLS}\nsaga s(id: str) {{\n{body}\n}}\n")
    (found,) = made.diagnostics
    assert found.fix is not None
    fixed = apply(made.sources["main.saga"], [found.fix], "ask")
    assert f"{OK} id, best.vendor, best.price\n" in fixed
    assert compiled(fixed).diagnostics == ()


PARTS = ["best.vendor", "id", "whom", '"{best.price}"', "best.notes[0]"]


@given(st.sampled_from(PARTS), st.sampled_from(PARTS), st.sampled_from(["best", "b", "key_"]))
def test_names_do_not_matter(shown: str, used: str, name: str) -> None:
    def verdict(called: str) -> list[str]:
        body = f"""
          step best = buyer(id)
          let whom = default(best.vendor, "x")
          {OK} {shown}
          step paper = letter("{{{used}}}")
        """.replace("best", called)
        text = f"edition 2026\n{QUOTES}\n{TOOLS}\nsaga s(id: str) {{\n{body}\n}}\n"
        return [each.code for each in compiled(text).diagnostics if each.code[0] in "RX"]

    assert verdict("best") == verdict(name)
