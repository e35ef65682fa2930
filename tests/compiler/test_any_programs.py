"""Laws of lowering, held by programs of the whole language that are written at random."""

from __future__ import annotations

import random
from collections.abc import Iterator

from hypothesis import given, settings, strategies as st

from sagalang.compiler.pipeline import Compilation
from sagalang.dsl.formatter import format_module
from sagalang.dsl.parser import parse
from sagalang.dsl.source import Source
from sagalang.runtime.plan import If, Node, Parallel, blocks, definition

from .any_programs import Writer
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


@settings(max_examples=120)
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
def test_formatting_and_reading_again_changes_no_definition(choice: random.Random) -> None:
    text, made = written(choice)
    again = compiled(format_module(parse(Source("main.saga", text))))
    assert set(again.plans) == set(made.plans)
    for name, plan in made.plans.items():
        assert definition(again.plans[name]) == definition(plan)
