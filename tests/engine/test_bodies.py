"""Bodies and called sagas on the real engine: killed anywhere, taken up by another process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .childkit import Children
from .enginekit import tool

pytestmark = pytest.mark.slow

QUICK = "retry 3 times every 1ms..2ms timeout 5s settle 20ms"

PROGRAM = '''
"""Starts a run, or takes it up; gives it its signal when it waits for one."""

import json, os

import msgspec
from sagalang.runtime import Log, Saga
from sagalang.runtime.engine.people import ask
from sagalang.runtime.kernel.people import Request
from sagalang.runtime.plan import Plan

import world

plan = msgspec.json.decode(open("plan.json", "rb").read(), type=Plan)
saga = Saga(plan, vars(world))
with Log("test.duckdb") as log:
    run = saga.start(log, run_id="r")
    run.wait(60)
    if run.status == "waiting":
        said = os.environ.get("SAID", "yes")
        ask(log.path, "r", Request("signal", actor="shop", path="go", value=said))
        run.wait(60)
    print(json.dumps({**run.to_json(), "events": run.events()}))
'''

TEXT = (
    tool("a", more=QUICK)
    + tool("b", more=QUICK)
    + tool("c", more=QUICK)
    + """
saga child(id: str) -> str {
  step inner = b(id)
  return inner
}
saga s() -> str {
  each many = x in ["1", "2", "3"] by x at most 2 at once undo 2 at once {
    step one = a(x)
    return one
  }
  scope way { step fast = b("fast") step refused = c("x") } else { step slow = a("slow") }
  step called = child("k")
  sleep 20ms
  wait go: str within 1h
  requires go == "yes" else "the shop says no"
  return called
}
"""
)

POINTS = [
    'intent.before:many["2"].one',
    'call.after:many["3"].one',
    'outcome.before:many["1"].one',
    "call.after:way.fast",
    "scope_closed.after:way",
    "undo.call.after:way.fast",
    "chosen.after:called",
    "call.after:called.inner",
    "timer_due.before:sleep#1",
    "signalled.before:go",
    "signalled.after:go",
    "run_finished.before",
]


def children_in(folder: Path) -> Children:
    children = Children(folder, TEXT, refuse=True)
    (folder / "signals.py").write_text(PROGRAM)
    return children


def ran(children: Children, failpoint: str = "", **more: str) -> dict[str, Any] | None:
    return children.run(failpoint, "signals.py", **more)


@pytest.mark.parametrize("point", POINTS)
def test_killed_anywhere_it_goes_on_in_another_process(tmp_path: Path, point: str) -> None:
    children = children_in(tmp_path)
    assert ran(children, point) is None
    shown = ran(children)
    assert shown is not None
    assert shown["status"] == "succeeded", shown
    assert shown["result"].startswith("b-")
    assert (children.net("a"), children.done("a")) == (4, 4), "three items and the other way"
    assert (children.net("b"), children.done("b")) == (1, 2), "the fast way was taken back"
    statuses = {row["path"]: row["status"] for row in shown["steps"]}
    assert statuses == {
        'many["1"].one': "succeeded",
        'many["2"].one': "succeeded",
        'many["3"].one': "succeeded",
        "way.fast": "compensated",
        "way.refused": "failed",
        "way.else.slow": "succeeded",
        "called": "succeeded",
        "called.inner": "succeeded",
    }


@pytest.mark.parametrize(
    "point",
    [
        "scope_closed.after",
        "undo.call.after:called.inner",
        'undo.call.before:many["2"].one',
        'undo.call.after:many["3"].one',
        "run_finished.before",
    ],
)
def test_killed_on_its_way_back_it_is_taken_back_whole(tmp_path: Path, point: str) -> None:
    children = children_in(tmp_path)
    if point.startswith("scope_closed"):
        assert ran(children, "scope_closed.after:way", SAID="no") is None
        point = "scope_closed.after"
    assert ran(children, point, SAID="no") is None
    shown = ran(children, SAID="no")
    assert shown is not None
    assert shown["status"] == "rolled_back", shown
    assert (children.net("a"), children.net("b")) == (0, 0)
    undos = [
        e["path"] for e in shown["events"] if e["kind"] == "chosen" and e["status"] == "undone"
    ]
    assert undos[:3] == ["way.fast", "called.inner", "way.else.slow"]
    assert {path.split("[")[0] for path in undos[3:]} == {"many"}
