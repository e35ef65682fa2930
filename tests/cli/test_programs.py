"""Commands about programs: nothing runs, nothing is overwritten, people can read what is said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from sagalang.cli import shapes
from sagalang.cli.app import COMMANDS
from sagalang.runtime.foresight import Foresight

from .clikit import Project

Golden = Callable[[str, str], None]

WRONG = """edition 2026
import { ship, pay } from "order.saga"
saga early(id: str) -> str {
  step parcel = ship(id)
  step money = pay(id, 1.00)
  return money
}
"""


def test_check_tells_what_is_proved(project: Project, golden: Golden) -> None:
    said = project.saga("check", "order.saga")
    assert (said.code, said.err) == (0, "")
    golden("check.txt", said.out)


def test_check_shows_mistakes_and_exits_with_1(project: Project, golden: Golden) -> None:
    project.write("early.saga", WRONG)
    said = project.saga("check", "early.saga")
    assert said.code == 1
    golden("check_wrong.txt", said.out)


@pytest.mark.parametrize("text", [WRONG, "edition 2026\nsaga s( {", ""])
def test_check_gives_one_document_of_the_published_shape(project: Project, text: str) -> None:
    project.write("a.saga", text)
    said = project.saga("check", "a.saga", "order.saga", "--json")
    msgspec.convert(said.json, shapes.Check, strict=True)
    assert said.err == ""
    assert [saga["name"] for saga in said.json["sagas"]][-1] == "order"


def test_strict_takes_warnings_for_errors(project: Project) -> None:
    project.write(
        "w.saga",
        'edition 2026\nimport { pay, ship } from "order.saga"\n'
        "saga w(id: str) -> str {\n  step money = pay(id, 1.00)\n  return money\n}\n",
    )
    assert project.saga("check", "w.saga").code == 0
    assert project.saga("check", "w.saga", "--strict").code == 1


def test_check_of_a_folder_takes_every_file_in_it(project: Project) -> None:
    project.write("early.saga", WRONG)
    said = project.saga("check", ".")
    assert said.code == 1
    assert "early.saga: 1 error" in said.out
    assert "order.saga: no mistakes" in said.out


def test_plan_tells_the_recovery_from_each_failure(project: Project, golden: Golden) -> None:
    said = project.saga("plan", "order.saga")
    assert said.code == 0
    golden("plan.txt", said.out)


BRANCHES = """edition 2026
tool put(id: str) -> str {
  call python "shop:put" (id, idempotency_key: key)
  effect thing(id) reversible
  idempotent by key
  fails with Refused
  undo drop(id)
}
tool drop(id: str) -> json {
  call python "shop:drop"
  effect thing restoring
  idempotent naturally
  retry 5 times
}
saga pack(items: list[str], fragile: bool) {
  parallel {
    step label = put("label")
    step note = put("note")
  }
  if fragile {
    step padding = put("padding")
    gate seen needs "ops" shows items
  } else {
    step bag = put("bag")
  }
  let weight = 100 / len(items)
  each parts = item in items tolerate 2 {
    step taken = put(item)
    step laid = put("{item} laid")
  }
  requires weight < 30.0 else "too heavy"
  repeat closing = tape from "tape" at most 3 times {
    step round = put(tape)
    next "{tape}+"
  }
}
"""


def test_plan_tells_both_ways_of_an_if_and_what_fails_as_a_whole(
    project: Project, golden: Golden
) -> None:
    """Each way to fail has its row: a false condition, too many items, rounds without end."""
    project.write("pack.saga", BRANCHES)

    golden("plan_branches.txt", project.saga("plan", "pack.saga").out)
    golden("plan_branches_fail.txt", project.saga("plan", "pack.saga", "--fail", "parts").out)
    said = project.saga("plan", "pack.saga", "--json")
    msgspec.convert(said.json, Foresight, strict=True)
    golden("plan_branches.json", said.out)


def test_plan_of_one_failure_as_json(project: Project) -> None:
    said = project.saga("plan", "order.saga:order", "--fail", "parcel", "--json")
    msgspec.convert(said.json, Foresight, strict=True)
    (failure,) = said.json["failures"]
    assert failure["ends"] == "rolled_back"
    assert [undo["tool"] for undo in failure["undo"]] == ["refund"]


def test_plan_says_that_the_next_candidate_is_tried(project: Project) -> None:
    project.write(
        "seek.saga",
        """edition 2026
tool look(shop: str) -> str { call python "shops:look" effect none }
saga seek(shops: list[str]) -> str {
  first found = shop in shops { step seen = look(shop) return seen }
  step last = look(found)
  return last
}
""",
    )
    after = "tries the next of found; after the last one it is rolled back"
    rows = project.saga("plan", "seek.saga").out.splitlines()
    assert [row.endswith(after) for row in rows if "is rolled back" in row] == [True, False]
    one = project.saga("plan", "seek.saga", "--fail", "found.seen")
    assert f"the run {after}" in one.out


def test_plan_names_the_points_of_failure(project: Project) -> None:
    said = project.saga("plan", "order.saga", "--fail", "elsewhere")
    assert said.code == 2
    assert "money, release, parcel" in said.err


@pytest.mark.parametrize(
    ("form", "begin"), [("mermaid", "%% Made by"), ("svg", "<svg"), ("json", "{")]
)
def test_graph_in_each_format(project: Project, form: str, begin: str) -> None:
    assert begin in project.saga("graph", "order.saga", "--format", form).out


def test_fmt_changes_once_and_says_so(project: Project) -> None:
    before = (project.folder / "order.saga").read_text("utf-8")
    path = project.write("loose.saga", before.replace("  step money", "      step money"))
    assert project.saga("fmt", "--check", "loose.saga").code == 1
    assert "-      step money" in project.saga("fmt", "--diff", "loose.saga").out
    assert path.read_text("utf-8") != project.saga("fmt", "loose.saga").out
    assert project.saga("fmt", "--check", "loose.saga").code == 0


def test_fmt_leaves_a_file_with_mistakes_alone(project: Project) -> None:
    path = project.write("broken.saga", "edition 2026\nsaga   s( {")
    assert project.saga("fmt", "broken.saga").code == 1
    assert path.read_text("utf-8") == "edition 2026\nsaga   s( {"


def test_compile_makes_a_module_and_makes_it_again(project: Project) -> None:
    assert project.saga("compile", "order.saga", "-o", "order.py").code == 0
    assert project.saga("compile", "order.saga", "-o", "order.py").code == 0
    made = (project.folder / "order.py").read_text("utf-8")
    assert made == project.saga("compile", "order.saga").out
    assert [p.name for p in project.folder.glob(".order.py*")] == []


def test_compile_never_overwrites_what_it_did_not_make(project: Project) -> None:
    mine = project.write("mine.py", "print('mine')\n")
    said = project.saga("compile", "order.saga", "-o", "mine.py")
    assert said.code == 2
    assert "not overwritten" in said.err
    assert mine.read_text("utf-8") == "print('mine')\n"


def test_a_compiled_module_runs_by_itself(project: Project) -> None:
    project.saga("compile", "order.saga", "-o", "order.py")
    ran = subprocess.run(
        [sys.executable, "order.py", "--input", '{"id": "a"}', "--id", "a", "--json"],
        cwd=project.folder,
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    msgspec.convert(json.loads(ran.stdout), shapes.Run, strict=True)
    assert project.done() == ["pay:a", "ship:a"]


def test_explain_gives_the_page(project: Project) -> None:
    assert project.saga("explain", "r502").out.startswith("# R502")


def test_explain_of_an_unknown_code_lists_what_there_is(project: Project) -> None:
    said = project.saga("explain", "R52")
    assert said.code == 2
    assert "Did you mean R5" in said.err
    assert "G401" in said.err


def test_a_new_project_checks_clean_and_does_what_its_readme_says(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert project.saga("new", "trips").code == 0
    folder = tmp_path / "trips"
    told = folder.joinpath("README.md").read_text("utf-8")
    lines = [line[4:] for line in told.splitlines() if line.startswith("    saga ")]
    codes = {"trip.saga --id t-2": 3, "rollback": 1}
    assert len(lines) > 8
    for line in lines:
        wanted = next((code for said, code in codes.items() if said in line), 0)
        command = line.replace(
            "saga ", f'{sys.executable} -c "from sagalang.cli import main; main()" ', 1
        )
        ran = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
        assert ran.returncode == wanted, (line, ran.stdout, ran.stderr)


def test_new_never_overwrites(project: Project) -> None:
    (project.folder / "p").mkdir()
    (project.folder / "p" / "tools.py").write_text("mine", "utf-8")
    said = project.saga("new", "p")
    assert said.code == 2
    assert "tools.py" in said.err
    assert os.listdir(project.folder / "p") == ["tools.py"]


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_help_with_an_example(project: Project, command: str) -> None:
    said = project.saga(command, "--help")
    assert said.code == 0
    assert f"Example:\n    saga {command}" in said.out
    assert COMMANDS[command][1] in project.saga("--help").out


UNDOES = """edition 2026
import { pay } from "order.saga"
tool forget(id: str) -> json {
  call python "shop:forget"
  effect parcel restoring
  idempotent naturally
  retry 3 times
}
tool send(id: str) -> str {
  call python "shop:send"
  effect parcel(id) reversible
  idempotent naturally
  undo take_back(id)
}
saga take_back(id: str) { step gone = forget(id) }
saga order(id: str) -> str {
  step parcel = send(id)
  step money = pay(id, 1.00)
  return parcel
}
"""


@pytest.mark.parametrize("command", ["plan", "graph", "compile", "run", "test"])
@pytest.mark.parametrize(
    ("name", "why"), [("take_back", "is not run by itself"), ("oder", "declares no saga `oder`")]
)
def test_a_saga_that_cannot_be_run_is_named_with_those_that_can(
    project: Project, command: str, name: str, why: str
) -> None:
    project.write("undoes.saga", UNDOES)
    said = project.saga(command, f"undoes.saga:{name}")
    assert said.code == 2 and why in said.err and "there are: order." in said.err, said


def test_diff_names_the_sagas_that_there_are(project: Project) -> None:
    project.write("undoes.saga", UNDOES)
    said = project.saga("diff", "undoes.saga:take_back", "undoes.saga:order")
    assert said.code == 2 and "is not run by itself; there are: order." in said.err
