"""What follows from what is known is never wrong, whatever the names stand for."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings, strategies as st

from sagalang.compiler.proving.conditions import follows
from sagalang.runtime.expressions import evaluate
from sagalang.runtime.formula import Compare, Literal, Logic, Name, Node, Unary
from sagalang.runtime.shapes import Schema

ORDERS = st.sampled_from(("==", "!=", "<", "<=", ">", ">="))
NUMBERS = st.builds(Literal, st.integers(0, 3))
SIDES = st.builds(Name, st.sampled_from(("n", "m"))) | NUMBERS


def conditions() -> st.SearchStrategy[Node]:
    plain = st.builds(Compare, ORDERS, SIDES, SIDES) | st.builds(Name, st.just("ok"))
    return st.recursive(
        plain,
        lambda inner: (
            st.builds(Logic, st.sampled_from(("and", "or")), inner, inner)
            | st.builds(Unary, st.just("not"), inner)
        ),
        max_leaves=4,
    )


@settings(max_examples=300)
@given(conditions(), st.lists(conditions(), min_size=1, max_size=2))
def test_where_all_that_is_known_holds_what_follows_holds(wanted: Node, known: list[Node]) -> None:
    if not follows(wanted, known):
        return
    schema = Schema({}, {})
    for n, m, ok in product(range(-1, 5), range(-1, 5), (False, True)):
        names = {"n": n, "m": m, "ok": ok}
        if all(evaluate(each, names, schema) for each in known):
            assert evaluate(wanted, names, schema)


@given(conditions())
def test_what_is_known_follows(known: Node) -> None:
    assert follows(known, [known])
