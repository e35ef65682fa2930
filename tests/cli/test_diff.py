"""`saga diff`: what people and scripts read of two definitions."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from sagalang.cli import shapes

from .clikit import SAGA, Project

Golden = Callable[[str, str], None]
NEW = (
    SAGA.replace("pay(id, total)\n", "pay(id, total + 1.00)\n")
    .replace('needs "ops" shows id, total', 'needs 2 of "ops" shows id, total')
    .replace("undo refund(id)", "undo refund(id) within 30d")
    .replace("  return parcel", "  step again = pay(id, 1.00) else continue\n  return parcel")
)


def test_equal_meaning_has_no_difference(project: Project) -> None:
    project.write("new.saga", "# a comment\n" + SAGA)
    said = project.saga("diff", "order.saga", "new.saga", "--exit-code")
    assert (said.code, said.out) == (0, "saga order: no difference in meaning\n")


def test_differences_and_places_are_named(project: Project, golden: Golden) -> None:
    project.write("new.saga", NEW)
    said = project.saga("diff", "order.saga", "new.saga")
    assert said.code == 1
    golden("diff.txt", said.out)


def test_a_difference_with_which_every_run_goes_on(project: Project) -> None:
    project.write("new.saga", SAGA.replace("undo refund(id)", "undo refund(id) within 30d"))
    assert project.saga("diff", "order.saga", "new.saga").code == 0
    assert project.saga("diff", "order.saga", "new.saga", "--exit-code").code == 1


def test_diff_gives_one_document_of_the_published_shape(project: Project) -> None:
    project.write("new.saga", NEW)
    said = project.saga("diff", "order.saga", "new.saga", "--json")
    document = msgspec.convert(said.json, shapes.Diff, strict=True)
    assert said.code == 1
    [saga] = document.sagas
    assert [place.verdict for place in saga.places] == [
        "only_rolls_back",
        "only_rolls_back",
        "incompatible",
    ]
    [changed] = [one for one in saga.differences if one.name == "money"]
    assert [(one.name, one.old, one.new) for one in changed.changes] == [
        ("arguments", "id, total", "id, total + 1.00")
    ]


def test_a_saga_that_is_gone_and_one_that_is_new(project: Project) -> None:
    project.write("new.saga", SAGA.replace("saga order(", "saga other("))
    said = project.saga("diff", "order.saga", "new.saga")
    assert said.code == 1
    assert "saga order is gone: its live runs can only be finished as begun" in said.out
    assert "saga other is new" in said.out
    named = project.saga("diff", "order.saga:order", "new.saga:other")
    assert "the saga is called `other` now" in named.out


def test_diff_of_a_file_with_mistakes_shows_them(project: Project) -> None:
    project.write("new.saga", SAGA.replace("ship(id)\n", "shp(id)\n"))
    said = project.saga("diff", "order.saga", "new.saga")
    assert said.code == 1
    assert "N201" in said.err
