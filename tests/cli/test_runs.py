"""Commands about runs: exit codes, shapes, and what people read."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from sagalang.cli import look, shapes
from sagalang.runtime.engine import progress
from sagalang.runtime.journal import OPEN
from sagalang.runtime.kernel.views import FINAL

from .clikit import SAGA, Project

Golden = Callable[[str, str], None]


@pytest.mark.parametrize(
    ("run_id", "code", "done"),
    [
        ("o-1", 0, ["pay:o-1", "ship:o-1"]),
        ("poor", 3, []),
        ("far", 3, ["pay:far", "refund:far"]),
        ("lost", 5, ["pay:lost"]),
    ],
)
def test_the_exit_code_says_how_a_run_stands(
    project: Project, run_id: str, code: int, done: list[str]
) -> None:
    said = project.run(run_id, "--json")
    assert said.code == code
    msgspec.convert(said.json, shapes.Run, strict=True)
    assert project.done() == done
    assert project.saga("show", run_id, "--json").json == said.json


def test_a_run_that_exists_is_never_done_twice(project: Project) -> None:
    first = project.run("o-1")
    assert project.run("o-1") == first
    assert project.done() == ["pay:o-1", "ship:o-1"]


def test_other_inputs_under_the_same_id_are_refused(project: Project) -> None:
    project.run("o-1")
    said = project.run("o-1", "--set", "total=2.00")
    assert said.code == 1
    assert "`total`" in said.err


def test_the_result_is_on_stdout_and_the_rest_on_stderr(project: Project) -> None:
    said = project.run("far")
    assert said.out == "far: rolled back\n"
    assert said.err == "NoTruck: nobody drives there\nundone: payment(far)\n"


def test_inputs_from_a_file_and_from_stdin(project: Project) -> None:
    project.write("in.json", '{"id": "f"}')
    assert project.saga("run", "order.saga", "--input", "@in.json").code == 0
    assert project.saga("run", "order.saga", "--input", "-", stdin='{"id": "s"}').code == 0
    assert project.done() == ["pay:f", "ship:f", "pay:s", "ship:s"]


def test_the_looks_of_a_run(project: Project, golden: Golden) -> None:
    project.run("far")
    golden("show.txt", project.saga("show", "far").out)
    golden("show_then.txt", project.saga("show", "far", "--at", "4").out)
    golden("log.txt", project.saga("log", "far").out)
    golden("runs.txt", project.saga("runs").out)
    golden("effects.txt", project.saga("effects", "far", "--verify-now").out)
    golden("score.txt", project.saga("score", "far").out)
    golden("watch.txt", project.saga("watch", "far").err)


@pytest.mark.parametrize(
    ("args", "shape"),
    [
        (["show", "lost"], shapes.Run),
        (["show", "lost", "--at", "3"], shapes.Run),
        (["runs"], list[shapes.RunRow]),
        (["log", "lost"], list[shapes.LoggedEvent]),
        (["effects", "lost"], list[shapes.Effect]),
        (["effects", "lost", "--verify-now"], list[shapes.Effect]),
        (["score", "lost"], shapes.Score),
        (["incidents"], list[shapes.OpenIncident]),
        (["doctor"], shapes.Doctor),
    ],
)
def test_json_has_the_published_shape_and_stands_alone(
    project: Project, args: list[str], shape: Any
) -> None:
    project.run("lost")
    said = project.saga(*args, "--json")
    assert (said.code, said.err) == (0, "")
    msgspec.convert(said.json, shape, strict=True)


def test_incidents_name_the_answers(project: Project, golden: Golden) -> None:
    assert project.saga("incidents", "--log", "l.duckdb").code == 2
    project.run("lost")
    golden("incidents.txt", project.saga("incidents").out)


def test_effects_verified_now_say_what_is_outside(project: Project) -> None:
    project.run("o-1")
    money, parcel = project.saga("effects", "o-1", "--verify-now", "--json").json
    assert (money["verified"], parcel["verified"]) == ("applied", "no verify")
    (project.folder / "done.txt").write_text("")
    money, _ = project.saga("effects", "o-1", "--verify-now", "--json").json
    assert (money["status"], money["verified"]) == ("standing", "absent")


def test_score_says_which_effect_pulls_it_down(project: Project) -> None:
    project.run("o-1")
    score = project.saga("score", "o-1", "--json").json
    assert score["readiness"] == "0.8"
    assert [(row["path"], row["u"]) for row in score["reasons"]] == [
        ("money", "1"),
        ("parcel", "0"),
    ]
    assert score["reasons"][1]["why"] == "nothing undoes it"


def test_sql_prints_a_table_and_json(project: Project) -> None:
    project.run("o-1")
    query = "SELECT run_id, status FROM runs"
    said = project.saga("sql", query)
    assert said.out == "run_id  status\no-1     succeeded\n"
    assert project.saga("sql", query, "--json").json == [{"run_id": "o-1", "status": "succeeded"}]


@pytest.mark.parametrize(
    "query", ["SELEC 1", "DELETE FROM stored.events", "SELECT nothing FROM runs"]
)
def test_sql_refuses_what_it_cannot_do(project: Project, query: str) -> None:
    project.run("o-1")
    said = project.saga("sql", query)
    assert said.code in (1, 2)
    assert said.err.startswith("error: ")
    assert "Traceback" not in said.err


def test_every_status_can_be_asked_for(project: Project) -> None:
    assert {*look.STATUSES} == {*OPEN, *FINAL}
    project.run("far")
    assert "far" in project.saga("runs", "--status", "rolled_back").out
    assert project.saga("runs", "--status", "waiting").err == "no run is waiting\n"


TRYING = """edition 2026
tool knock(id: str) -> str {
  call python "MODULE:knock"
  effect door(id) reversible
  idempotent naturally
  transient with Closed
  retry forever every 1ms..20ms
  undo knock(id)
}
saga visit(id: str) -> str {
  step door = knock(id)
  return door
}
"""

KNOCK = """
class Closed(Exception): pass

def knock(id):
    write("knock")
    if lines().count("knock") < 12:
        raise Closed("nobody is in")
    return id
"""


def test_a_step_that_is_tried_again_and_again_is_not_silent(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "FIRST", 0.01)
    project.write("visit.saga", TRYING)
    tools = project.folder / f"{project.module}.py"
    tools.write_text(tools.read_text() + KNOCK)
    said = project.saga("run", "visit.saga", "--id", "v", "--set", "id=a", "--json")
    assert said.code == 0
    assert said.json["result"] == "a"
    assert "v running: 0 of 1 steps, door in flight (attempt " in said.err
    assert "Closed: nobody is in" in said.err
    assert "`saga cancel v` takes back what was done" in said.err


def test_an_undo_that_is_tried_again_and_again_is_not_silent(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "FIRST", 0.01)
    lasting = SAGA.replace("retry 3 times every 10ms..20ms", "retry 20 times every 10ms..20ms")
    project.write("order.saga", lasting)
    tools = project.folder / f"{project.module}.py"
    tools.write_text(tools.read_text().replace("def refund(id):", UNDO))
    said = project.run("far")
    assert said.code == 3
    assert "far compensating: " in said.err
    assert re.search(r"money compensating \(attempt \d+: OSError: the bank is closed\)", said.err)


UNDO = """def refund(id):
    write("asked")
    if lines().count("asked") < 12:
        raise OSError("the bank is closed")"""


def test_a_compiled_module_is_not_silent(project: Project) -> None:
    """It says the same as `saga run`, in a process of its own."""
    project.write("visit.saga", TRYING)
    tools = project.folder / f"{project.module}.py"
    tools.write_text(tools.read_text() + KNOCK)
    assert project.saga("compile", "visit.saga", "-o", "visit_saga.py").code == 0
    patient = "from sagalang.runtime.engine import progress; progress.FIRST = 0.01\n"
    module = project.folder / "visit_saga.py"
    module.write_text(module.read_text().replace("if __name__", patient + "if __name__"))
    ran = subprocess.run(
        [sys.executable, "visit_saga.py", "--id", "v", "--set", "id=a"],
        cwd=project.folder, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (0, 'v: succeeded\n"a"\n')
    assert "v running: 0 of 1 steps, door in flight (attempt " in ran.stderr


def test_doctor_finds_the_log_and_its_runs(project: Project) -> None:
    assert "not there yet" in project.saga("doctor").out
    project.run("o-1")
    assert "1 succeeded" in project.saga("doctor").out
