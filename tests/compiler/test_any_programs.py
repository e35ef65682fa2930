"""Laws of lowering, held by programs of the whole language that are written at random."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from sagalang.compiler.pipeline import Compilation
from sagalang.dsl.formatter import format_module
from sagalang.dsl.parser import parse
from sagalang.dsl.source import Source
from sagalang.runtime.plan import If, Node, Parallel, blocks, definition

from .any_programs import Writer
from .orders import Walk
from .programs import compiled

Body = tuple[Node, ...]


def written(choice: random.Random) -> tuple[str, Compilation]:
    """A program, and what it compiles to without an error of names, types or order."""
    text = Writer(choice).program()
    made = compiled(text)
    wrong = [f"{d.code} {d.message}" for d in made.diagnostics if d.code[0] in "SNTG"
             and d.severity == "error"]  # fmt: skip
    assert wrong == [], text
    return text, made


def bodies(body: Body) -> Iterator[Body]:
    """Every body in one, itself first."""
    yield body
    for node in transparent(body):
        if not isinstance(node, If | Parallel):
            for inner in blocks(node):
                yield from bodies(inner)


def transparent(body: Body) -> Iterator[Node]:
    """The statements of a body, those inside `if` and `parallel` too."""
    for node in body:
        yield node
        if isinstance(node, If | Parallel):
            for inner in blocks(node):
                yield from transparent(inner)


def unique(body: Body) -> set[str]:
    """The paths of a body and of all inside; only the branches of one `if` may share some."""
    found: set[str] = set()
    for node in body:
        inner = [unique(block) for block in blocks(node)]
        if not isinstance(node, If):
            for place, paths in enumerate(inner):
                assert not paths & set[str]().union(*inner[:place]), node.path
        within = set[str]().union(*inner)
        assert node.path not in within | found
        assert not within & found, node.path
        found |= {node.path, *within}
    return found


@settings(max_examples=60)
@given(st.randoms(use_true_random=False))
def test_paths_are_unique_and_waits_stay_in_the_body(choice: random.Random) -> None:
    _, made = written(choice)
    for plan in made.plans.values():
        assert not unique(plan.body) & unique(plan.on_rollback)
        for body in bodies(plan.body):
            own = {node.path for node in transparent(body)}
            for node in transparent(body):
                assert set(node.waits) <= own - {node.path}


@settings(max_examples=60)
@given(st.randoms(use_true_random=False))
def test_in_every_order_that_the_waits_allow_a_value_is_there_when_it_is_read(
    choice: random.Random,
) -> None:
    text, made = written(choice)
    for plan in made.plans.values():
        for _ in range(3):
            try:
                Walk(plan, choice)
            except AssertionError as fault:
                raise AssertionError(f"{fault}\n{text}") from fault


@pytest.mark.parametrize("wrong", [(), ("never",)])
def test_a_plan_that_does_not_wait_for_what_it_reads_is_found(wrong: tuple[str, ...]) -> None:
    made = compiled(
        """edition 2026
        tool find(id: str) -> str? { call python "shop:find" effect none }
        saga s(id: str) { parallel { scope a { step b = find("{c}") } step c = find(id) } }"""
    )
    (beside,) = made.plans["s"].body
    assert isinstance(beside, Parallel)
    first, second = beside.body
    assert first.waits == ("c",)
    body = (replace(beside, body=(replace(first, waits=wrong), second)),)
    with pytest.raises(AssertionError, match=r"which is not there|waits for ever"):
        for seed in range(20):
            Walk(replace(made.plans["s"], body=body), random.Random(seed))


@settings(max_examples=60)
@given(st.randoms(use_true_random=False))
def test_formatting_and_reading_again_changes_no_definition(choice: random.Random) -> None:
    text, made = written(choice)
    again = compiled(format_module(parse(Source("main.saga", text))))
    assert set(again.plans) == set(made.plans)
    for name, plan in made.plans.items():
        assert definition(again.plans[name]) == definition(plan)
