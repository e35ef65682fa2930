"""Types: what each expression is, what is known to be there, and what fits where."""

from __future__ import annotations

import pytest

from sagalang.runtime.plan import Let, Step

from .programs import check, compiled

HEAD = """edition 2026
enum Speed { slow, fast }
record Item { sku: str, qty: int = 1, price: decimal? = none }
tool find(id: str) -> str? { call python "shop:find" effect none }
tool item(id: str) -> Item? { call python "shop:item" effect none }
tool any_of(id: str) -> json { call python "shop:any" effect none }
"""
INPUTS = """i: int, j: int?, f: float, d: decimal, b: bool, t: str, u: str?, x: json, xs: list[int],
  its: list[Item], m: map[int], k: Item, l: Item?, sp: Speed, day: date, at: datetime,
  len1: duration, raw: bytes, token: secret[str]"""


def type_of(expression: str) -> str:
    """The type of an expression over the inputs."""
    made = compiled(f"{HEAD}saga s({INPUTS}) {{\n  let value = {expression}\n}}")
    errors = [d.message for d in made.diagnostics if d.severity == "error"]
    assert not errors, errors
    let = made.plans["s"].body[0]
    assert isinstance(let, Let)
    return str(let.value.type)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1", "int"), ("1.5", "decimal"), ('"{i}"', "str"), ("none", "none"), ("5s", "duration"),
        ("i + i", "int"), ("i / i", "decimal"), ("i // i", "int"), ("i * d", "decimal"),
        ("i + f", "float"), ("t + t", "str"), ("xs + [1]", "list[int]"), ("-d", "decimal"),
        ("at + len1", "datetime"), ("at - at", "duration"), ("day - day", "duration"),
        ("len1 * 2", "duration"), ("len1 / len1", "decimal"), ("day + 1d", "date"),
        ("i < d", "bool"), ("t in [t]", "bool"), ('"a" in m', "bool"), ("1 not in xs", "bool"),
        ("j == none", "bool"), ("sp == Speed.slow", "bool"), ("b and not b", "bool"),
        ("xs[0]", "int?"), ('m["a"]', "int?"), ("m.a", "int?"), ("k.sku", "str"),
        ("k.price", "decimal?"), ("x.any.thing", "json"), ("x[0]", "json"), ("x + 1", "json"),
        ("x == 1", "bool"), ("[1, 2.5]", "list[decimal]"), ("[none, 1]", "list[int?]"),
        ("[]", "list[json]"), ("{ a: 1, b: 2 }", "map[int]"), ('{ a: 1, b: "x" }', "map[json]"),
        ("{}", "map[json]"), ("if b then 1 else 2.5", "decimal"), ("if b then 1 else none", "int?"),
        ("if j != none then j else 0", "int"), ("if j == none then 0 else j", "int"),
        ("[y.qty for y in its]", "list[int]"), ("[y for y in [j] if y != none]", "list[int]"),
        ("Item(sku: t)", "Item"), ("Speed.fast", "Speed"), ("[Speed.fast, sp]", "list[Speed]"),
        ("sum(xs)", "int"), ("max(xs)", "int?"), ("min(1, d)", "decimal"), ("default(j, 0)", "int"),
        ("default(u, u)", "str?"), ("keys(m)", "list[str]"), ("values(m)", "list[int]"),
        ("sorted(unique(xs))", "list[int]"), ("chunks(its, 2)", "list[list[Item]]"),
        ("round(d)", "int"), ("round(d, 2)", "decimal"), ("decimal(t)", "decimal"),
        ("started_at()", "datetime"), ("len(raw)", "int"), ('join(split(t, ","), "-")', "str"),
        ("not (j == none) and j > 1", "bool"), ("j == none or j > 1", "bool"),
        ("l != none and l.price != none and l.price > 1", "bool"),
    ],
)  # fmt: skip
def test_an_expression_has_one_type(expression: str, expected: str) -> None:
    assert type_of(expression) == expected


class TestNarrowing:
    """A value is there where a condition has proved it, and nowhere else."""

    @pytest.mark.parametrize(
        "statements",
        [
            "step a = find(u) when u != none",
            "step a = find(u) when none != u and b",
            "step a = find(l.sku) when l != none and l.qty > 1",
            "if u != none { step a = find(u) }",
            "if u == none { step a = find(t) } else { step a = find(u) }",
            "if not (u == none or j == none) { step a = find(u) let c = j + 1 }",
            "requires u != none\nstep a = find(u)\nif b { step c = find(u) }",
            "requires l != none\nrequires l.price != none\nlet a = l.price * 2",
            "requires u != none\nparallel { step a = find(u) step c = find(u) }",
            'gate g needs "ops" shows u + "!" when u != none',
            "step a = item(t)\nrequires a != none\nlet c = a.sku",
            "let a = u\nrequires a != none\nstep c = find(a)",
            "step a = item(t) until it.qty > 1 every 1s within 1m\nlet c = a.sku",
            "if b { step a = item(t) } else { step a = item(t) }\nlet c = a == none",
            "let q = { u: u, t: default(u, t) }",
        ],
    )
    def test_what_is_proved_can_be_used(self, statements: str) -> None:
        made = compiled(f"{HEAD}saga s({INPUTS}) {{\n{statements}\n}}")
        assert [d.message for d in made.diagnostics if d.severity == "error"] == []

    @pytest.mark.parametrize(
        "statements",
        [
            "step a = find(u) when u != none or b",
            "step a = find(u) when u == none",
            "if u != none { step a = find(t) }\nstep c = find(u)",
            "if b { requires u != none }\nstep c = find(u)",
            "if not (u == none and j == none) { step a = find(u) }",
            "step a = find(u)\nrequires u != none",
            "step a = item(t) when b\nlet c = a.sku",
            "step a = item(t) else continue\nrequires b\nlet c = a.sku",
            "if b { let a = 1 }\nlet c = a + 1",
            "parallel { step a = item(t) until it.qty > 1 every 1s within 1m else continue\n"
            "step c = find(a.sku) }",
        ],
    )
    def test_what_is_not_proved_cannot(self, statements: str) -> None:
        made = compiled(f"{HEAD}saga s({INPUTS}) {{\n{statements}\n}}")
        assert "T305" in {d.code for d in made.diagnostics}

    def test_the_value_of_a_step_depends_on_its_clauses(self) -> None:
        made = compiled(
            f"""{HEAD}saga s({INPUTS}) {{
              step plain = item(t)
              step often = item(t) until it.qty > 1 every 1s within 1m
              step maybe = any_of(t) when b
              step goes = item(t) until it.qty > 1 every 1s within 1m else continue
            }}"""
        )
        steps = [each for each in made.plans["s"].body if isinstance(each, Step)]
        assert [str(step.type) for step in steps] == ["Item?", "Item", "json", "Item?"]

    def test_a_name_of_one_branch_may_be_none_and_of_both_may_not(self) -> None:
        check(
            HEAD
            + """saga s(b: bool, t: str) {
              if b {
                let one = 1
                let two = 1
              } else {
                if t == "" { let two = 2 } else { let two = 3 }
              }
              let three = two + 1
              let four = one + 1 # error: [T305] "`one` may be none"
              step a = find("{three}{four}")
            }"""
        )


class TestTools:
    def test_every_clause_of_a_tool_is_typed_in_its_scope(self) -> None:
        check(
            """edition 2026
            record Charge { id: str, amount: decimal, state: str }
            tool charge_of(order: str) -> Charge? { call python "pay:find" effect none }
            tool charge(order: str, amount: decimal, note: str?, key2: secret[str]) -> Charge {
              call python "pay:charge" (order, amount, note: note, before: before, token: key2)
              effect payment(order) compensatable impact 8
              reads ledger(order)
              idempotent by key
              requires note != none and amount > 0 else "{order}: {amount}"
              remember before = charge_of(order)
              ensures result.amount == amount and len(note) > 0 else "charged {result.amount}"
              verify charge_of(order) consistent after 5s {
                applied when it.state == "captured" and it.amount == amount gives it
                absent when it.state == "void" or before != none and it.id == before.id
              }
              undo refund(result.id, note, key2)
                when before != none and before.amount < result.amount
              undo refund(key, "{order}", key2)
            }
            tool refund(id: str, why: str, token: secret[str]) -> json {
              call python "pay:refund" (id, why, token)
              effect payment restoring
              idempotent naturally
              retry 5 times
            }
            saga s(order: str, token: secret[str]) {
              step a = charge(order, 10, "x", token)
            }"""
        )

    def test_a_verify_without_verdicts_gives_its_answer(self) -> None:
        check(
            """edition 2026
            record A { id: str }
            tool is_there(id: str) -> bool { call python "x:y" effect none }
            tool put(id: str) -> json {
              call python "x:y"
              effect a(id) reversible
              idempotent naturally
              verify is_there(id)
              undo put(id)
              retry 3 times
            }
            tool make(id: str) -> A {
              call python "x:y"
              effect a(id) reversible
              idempotent naturally
              verify is_there(id) # error: [T301] "of `make`: it must be `A`, but is `bool`"
              undo put(id)
              retry 3 times
            }
            saga s(id: str) {
              step a = put(id)
              step b = make("{a}")
            }"""
        )

    def test_a_step_that_replaces_a_verify_is_held_to_the_same(self) -> None:
        check(
            HEAD
            + """saga s(id: str) {
              step a = find(id) { verify item(args.id) } # error: [T301] "becomes the result of `a`"
              step b = find(id) { verify item(args.id) { applied when it.qty > 1 gives it.sku } }
              step c = find("{a}{b}") { undo find(result) } # error: [T305] "may be none"
            }"""
        )


class TestJson:
    """`json` is any value: it goes everywhere, is checked when passed on, and is no secret."""

    @pytest.mark.parametrize(
        "statement",
        [
            "step a = find(x)",
            "step a = find(x.id) when x.ok",
            "let a = len(x) + 1",
            "let a = [y for y in x if y.z == 1]",
            "step a = any_of(t)\nstep c = find(a.deep[0].er)",
        ],
    )
    def test_it_goes_everywhere(self, statement: str) -> None:
        made = compiled(f"{HEAD}saga s({INPUTS}) {{\n{statement}\n}}")
        assert [d.message for d in made.diagnostics if d.severity == "error"] == []

    def test_a_secret_is_not_any_value(self) -> None:
        check(
            """edition 2026
            tool send(body: json, token: secret[str]) -> json { call python "x:y" effect none }
            saga s(token: secret[str], x: json) {
              step a = send(token, token) # error: [X601] "is written to the log"
              step b = send({ t: token }, token) # error: [X601] "The secret is put into a map"
              step c = send([a, b], x) # error: [T301] "must be `secret[str]`, but this is `json`"
              step d = send("{c}", token)
              let e = str(token) # error: [X601] "A secret is used with `str`"
              step f = send("{d}{e}", token)
            }"""
        )


def test_a_gate_says_who_decided_what() -> None:
    check(
        HEAD
        + """saga s(t: str, b: bool) {
          gate g needs "ops" shows t
          step a = find("{g.by}") when g.approved and g.note != ""
          gate h needs "ops" shows a when b
          step c = find(h.note) # error: [T305] "`h` may be none, and then it has no `.note`"
          step d = find("{c}{h}") when h != none and h.approved
          step e = any_of("{d}{g}")
          step f = any_of("{e}")
        }"""
    )


def test_records_may_hold_themselves_in_lists() -> None:
    made = compiled(
        """edition 2026
        record Tree { name: str, inner: list[Tree] = [] }
        tool walk(tree: Tree) -> str { call python "x:y" effect none }
        saga s(tree: Tree) {
          step a = walk({ name: "x", inner: [{ name: tree.name }, tree] })
          let n = len([t for t in tree.inner if t.name == a])
          step b = walk(Tree(name: "{n}"))
        }"""
    )
    assert made.diagnostics == ()
