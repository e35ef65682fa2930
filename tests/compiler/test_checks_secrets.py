"""X601: a secret is passed whole to who may have it, and stands nowhere else."""

from __future__ import annotations

import pytest

from .programs import compiled, marks, told

WORLD = """
record Login { user: str, name: str? = none }
tool login(user: str, token: secret[str], old: secret[str]? = none) -> Login {
  call python "l" (user, token, old)
  effect session(user) reversible
  idempotent naturally
  retry 3 times
  remember before = seen(user, token)
  verify seen(user, token)
  undo logout(user, token)
}
tool logout(user: str, token: secret[str]) -> json {
  call python "o"
  effect session restoring
  idempotent naturally
  retry 5 times
}
tool seen(user: str, token: secret[str]) -> Login? { call python "s" effect none }
tool send(body: json) -> json { call python "b" effect none }
tool look(user: str) -> str { call python "f" effect none }
agent helper(goal: str, token: secret[str]) -> str { call python "h" may use look at most 9 calls }
saga inner(token: secret[str]) -> Login {
  step a = login("x", token)
  return a
}
"""


def judged(body: str, more: str = "", inputs: str = "id: str, token: secret[str]") -> None:
    """Compiles a saga with a secret; what its comments mark is all that is said of secrets."""
    made = compiled(f"edition 2026\n{WORLD}\n{more}\nsaga s({inputs}) {{\n{body}\n}}\n")
    expected = marks(made)
    assert [each for each in told(made, expected) if each.code[0] in "XNT" and each.severity ==
            "error"] == expected  # fmt: skip


KEPT = {
    "to a tool": "step a = login(id, token)",
    "where it need not be there": "step a = login(id, token, token)",
    "to an agent": "step a = helper(id, token)",
    "to a saga": "step a = inner(token)",
    "by another name": """
      let other = token
      step a = login(id, other)
    """,
    "one of two": """
      let other = if id == "x" then token else token
      step a = login(id, other)
    """,
    "to the undo and verify of a step": """
      step a = login(id, token) { verify seen(id, token) undo logout(id, token) }
    """,
    "out of a scope": """
      scope inside { let other = token }
      step a = login(id, inside.other)
    """,
}

GIVEN_AWAY = {
    "in a text": """
      step a = look("with {token}")  # error: [X601] "The secret becomes part of a text"
    """,
    "in the text of a condition": """
      requires id == "x" else "not {token}"  # error: [X601] "The secret becomes part of a text"
    """,
    "compared": """
      requires token == id  # error: [X601] "A secret is used with `==`"
    """,
    "looked for": """
      requires token in [id]  # error: [X601] "A secret is used with `in`"
    """,
    "computed with": """
      let a = token + "x"  # error: [X601] "A secret is used with `+`"
      step b = look(a)
    """,
    "given to a function": """
      let a = len(token)  # error: [X601] "A secret is used with `len`"
      step b = look("{a}")
    """,
    "as a plain argument": """
      step a = look(token)  # error: [X601] "The parameter `user` of `look` is `str`, which is"
    """,
    "as json": """
      step a = send(token)  # error: [X601] "The parameter `body` of `send` is `json`, which is"
    """,
    "in a list": """
      step a = send([id, token])  # error: [X601] "The secret is put into a list"
    """,
    "in a map": """
      step a = send({ by: token })  # error: [X601] "The secret is put into a map"
    """,
    "in a record": """
      let a = Login(user: token)  # error: [X601] "The field `user` of `Login` is `str`, which is"
      step b = send(a.user)
    """,
    "in a list that is made": """
      let a = [token for x in [1, 2]]  # error: [X601] "The secret is put into a list"
      step b = send(a)
    """,
    "at a gate": """
      gate ok needs "ops" shows id, token  # error: [X601] "The gate shows the secret to everybody"
      step a = login(id, token)
    """,
    "to an undo": """
      step a = login(id, token) { undo logout(token, token) }  # error: [X601] "The parameter"
    """,
    "to a verify": """
      step a = login(id, token) { verify seen(token, token) }  # error: [X601] "The parameter"
    """,
    "to a saga's plain input": """
      step a = plain(token)  # error: [X601] "The parameter `what` of `plain` is `str`"
    """,
    "as a reason": """
      step a = login(id, token) else continue
      step b = look(id) as "x" when token != none  # error: [X601] "A secret is used with `!=`"
    """,
}
PLAIN = "saga plain(what: str) { step a = look(what) }"


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
def test_passed_whole(body: str) -> None:
    judged(body)


@pytest.mark.parametrize("body", GIVEN_AWAY.values(), ids=GIVEN_AWAY)
def test_given_away(body: str) -> None:
    judged(body, PLAIN)


TOOLS = {
    "its id": 'effect x(token) irreversible # error: [X601] "The secret identifies a resource"',
    "what it reads": 'effect none reads x(token) # error: [X601] "The secret identifies"',
    "what is remembered": """effect none
      remember was = look(token) # error: [X601] "The parameter `user` of `look` is `str`"
    """,
    "a corrective": """
      effect x irreversible corrective "use {token}" # error: [X601] "becomes part of a text"
    """,
    "a corrective call": """
      effect x irreversible corrective look(token) # error: [X601] "The parameter `user` of `look`"
    """,
    "what is called": 'effect none call python "t" ("{token}") # error: [X601] "part of a text"',
    "what is ensured": 'effect none ensures result != token # error: [X601] "used with `!=`"',
}


@pytest.mark.parametrize("clauses", TOOLS.values(), ids=TOOLS)
def test_given_away_by_a_tool(clauses: str) -> None:
    binding = "" if "call python" in clauses else 'call python "t"'
    judged("", f"tool t(token: secret[str]) -> str {{ {binding} {clauses}\n}}")


DECLARED = {
    "a field": 'record R { key: secret[str] } # error: [X601] "and `key` is one"',
    "a list": """
      tool t(all: list[secret[str]]) -> json { # error: [X601] "Lists and maps are written down"
        call python "t" effect none
      }
    """,
    "an answer": """
      tool t() -> secret[str] { # error: [X601] "What `t` gives is written down"
        call python "t" effect none
      }
    """,
    "an agent's answer": """
      agent t() -> secret[str]? { # error: [X601] "What `t` gives is written down"
        call python "t" may use look
      }
    """,
    "a result": """
      saga t(token: secret[str]) -> secret[str] { # error: [X601] "What `t` gives is written down"
        return token
      }
    """,
    "a signal": """
      saga t() {
        wait token: secret[str] # error: [X601] "A signal is written down when it comes in"
      }
    """,
}


@pytest.mark.parametrize("more", DECLARED.values(), ids=DECLARED)
def test_types_by_which_a_secret_would_be_written(more: str) -> None:
    judged("", more)


def test_other_mistakes_are_told_with_it() -> None:
    """What is proved of a saga does not wait for its secrets to be kept."""
    made = compiled(
        f"edition 2026\n{WORLD}\nsaga s(token: secret[str]) {{\n"
        'step a = login("x", token) { retry 3 times undo logout("x", token) within 1h }\n'
        'gate ok needs "ops" shows token within 2h\n}\n'
    )
    errors = {each.code for each in made.diagnostics if each.severity == "error"}
    assert errors == {"X601", "R507"}
