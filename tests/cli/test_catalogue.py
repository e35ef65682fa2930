"""`saga catalogue`: the verification catalogue, for people, for documents, for programs."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from sagalang.cli import shapes
from sagalang.cli.catalogue import code
from sagalang.runtime.verification import catalogue

from ..compiler.journey import whole
from ..compiler.plans import fulfil
from .clikit import SAGA, Project

Golden = Callable[[str, str], None]
IDLE = """
tool weigh(id: str) -> int { call python "MODULE:weigh" effect none }
"""


def test_the_catalogue_can_be_read(project: Project, golden: Golden) -> None:
    project.write("order.saga", SAGA + IDLE)
    said = project.saga("catalogue", "order.saga")
    assert (said.code, said.err) == (0, "")
    golden("catalogue.txt", said.out)


def test_the_catalogue_as_markdown(project: Project, golden: Golden) -> None:
    golden("catalogue.md", project.saga("catalogue", "order.saga", "--format", "markdown").out)


@pytest.mark.parametrize("option", [("--json",), ("--format", "json")])
def test_the_catalogue_has_the_published_shape(project: Project, option: tuple[str, ...]) -> None:
    said = project.saga("catalogue", ".", *option)
    document = msgspec.convert(said.json, shapes.Catalogue, strict=True)
    assert [one.tool for one in document.tools] == ["pay", "payment_of", "refund", "ship"]
    pay, read, refund, ship = document.tools
    assert (pay.class_, pay.impact, pay.verify) == ("compensatable", 4, "payment_of(id)")
    assert [(use.path, use.gates) for use in ship.uses] == [
        ("parcel", ["release when total > 100.00"])
    ]
    assert read.serves == ["verify of pay"]
    assert refund.serves == ["undo of pay"]


def test_a_file_with_mistakes_has_no_catalogue(project: Project) -> None:
    project.write("order.saga", SAGA.replace("ship(id)\n", "shp(id)\n"))
    said = project.saga("catalogue", "order.saga")
    assert said.code == 1
    assert "N201" in said.err


def test_a_file_without_tools_says_so(project: Project) -> None:
    project.write("a.saga", "edition 2026\n")
    assert project.saga("catalogue", "a.saga").out == "there is no tool\n"


def test_every_use_is_named_with_its_gates() -> None:
    entries = {one.tool: one for one in catalogue([fulfil(), whole()])}
    said = {(use.saga, use.path, use.role, use.gates) for use in entries["charge"].uses}
    assert ("fulfil", "pay", "step", ("release when order.total > 10_000.00",)) in said
    assert ("whole", "child.pay", "step", ()) in said
    assert ("whole", "buyer", "agent shopper", ("child.sign",)) in said
    assert ("whole", "sorry", "step on rollback") in {
        (use.saga, use.path, use.role) for use in entries["mail"].uses
    }


@pytest.mark.parametrize("text", ["a", "a`b", "`", "``x", "a\nb", "| x |"])
def test_code_in_markdown_holds_any_text(text: str) -> None:
    made = code(text)
    fence = made[: len(made) - len(made.lstrip("`"))]
    inner = made.removeprefix(fence).removesuffix(fence)
    assert fence not in [run for run in inner.split() if set(run) == {"`"}]
    assert inner.strip() == " ".join(text.split("\n"))
