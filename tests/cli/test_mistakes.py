"""The first mistakes of a new user: each message says what, where, and what to do next."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from sagalang.runtime import Log
from sagalang.runtime.engine.errors import RunError

from .clikit import SAGA, Project

TWO = """edition 2026
import { pay } from "order.saga"
saga one(id: str) -> str { step money = pay(id, 1.00) return money }
saga two(id: str) -> str { step money = pay(id, 2.00) return money }
"""


def mistake(project: Project, code: int, says: str, *args: str) -> None:
    """The command fails with a code and says something, and never shows a traceback."""
    said = project.saga(*args)
    assert said.code == code, (said.out, said.err)
    assert says in said.err
    assert said.out == ""
    assert "Traceback" not in said.err
    assert "unexpected" not in said.err


@pytest.mark.parametrize("command", ["check", "fmt", "plan", "graph", "compile", "run"])
def test_a_wrong_file_name(project: Project, command: str) -> None:
    mistake(project, 2, "oder.saga", command, "oder.saga")


def test_a_saga_that_is_not_in_the_file(project: Project) -> None:
    mistake(project, 2, "there are: order", "plan", "order.saga:odrer")
    mistake(project, 2, "there are: order", "run", "order.saga:odrer")


def test_two_sagas_and_none_named(project: Project) -> None:
    project.write("two.saga", TWO)
    mistake(project, 2, "Say which: two.saga:NAME", "plan", "two.saga")
    mistake(project, 2, "Say which: two.saga:NAME", "run", "two.saga")
    assert project.saga("run", "two.saga:two", "--set", "id=a").code == 0


def test_an_unknown_run(project: Project) -> None:
    project.run("o-1")
    for command in ("show", "log", "watch", "effects", "score", "cancel", "resume"):
        mistake(project, 1, "o-2", command, "o-2")


def test_a_text_that_is_no_json_is_put_in_quotation_marks(project: Project) -> None:
    project.run("o-1")
    mistake(project, 2, "A text stands in quotation marks", "signal", "o-1", "word", "yes")


@pytest.mark.parametrize("place", ["nowhere/made.py", "order.saga/made.py"])
def test_a_file_that_cannot_be_made_is_named_as_it_was_given(project: Project, place: str) -> None:
    mistake(project, 2, f"error: {place}: ", "compile", "order.saga", "-o", place)


def test_no_log_yet(project: Project) -> None:
    mistake(project, 2, "there is no log here", "runs")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("{id: 1}", "--input"),
        ("[1]", "must be a JSON object"),
        ("@missing.json", "missing.json"),
        ('{"id": "a", "id": "b"}', 'the key "id" stands twice'),
    ],
)
def test_inputs_that_cannot_be_read(project: Project, given: str, says: str) -> None:
    mistake(project, 2, says, "run", "order.saga", "--input", given)


@pytest.mark.parametrize(
    ("given", "says"),
    [('{"id": 7}', "the input id"), ('{"id": "a", "total": "much"}', "the input total")],
)
def test_an_input_of_another_type(project: Project, given: str, says: str) -> None:
    mistake(project, 1, says, "run", "order.saga", "--input", given)


def test_a_pair_of_another_type(project: Project) -> None:
    mistake(project, 1, "total", "run", "order.saga", "--set", "id=a", "--set", "total=much")


def test_a_status_that_is_none(project: Project) -> None:
    mistake(project, 2, "'partly_rolled_back'", "runs", "--status", "unknown")


@pytest.mark.parametrize("n", ["999", "0", "-1"])
def test_an_event_that_the_run_does_not_have(project: Project, n: str) -> None:
    project.run("poor")
    mistake(project, 2, "run poor has 5 events", "show", "poor", "--at", n)
    mistake(project, 2, "'x' is not a valid integer", "show", "poor", "--at", "x")


def test_a_pair_without_a_value(project: Project) -> None:
    mistake(project, 2, "name=value", "run", "order.saga", "--set", "id")


@pytest.mark.parametrize("pairs", [("id=a", "id=b"), ("id=a", "id=a")])
def test_a_pair_that_stands_twice(project: Project, pairs: tuple[str, str]) -> None:
    options = [word for pair in pairs for word in ("--set", pair)]
    mistake(project, 2, "`id` is set twice", "run", "order.saga", *options)


def test_a_pair_of_no_input(project: Project) -> None:
    options = ("--set", "id=a", "--set", "totla=2")
    mistake(project, 1, "did you mean `total`", "run", "order.saga", *options)
    mistake(project, 2, "name=value", "run", "order.saga", "--set", "=a")


def test_a_pair_comes_before_the_document(project: Project) -> None:
    said = project.saga("run", "order.saga", "--input", '{"id": "a"}', "--set", "id=b")
    assert said.code == 0
    assert project.done() == ["pay:b", "ship:b"]


def test_a_file_of_inputs_that_is_no_text(project: Project) -> None:
    (project.folder / "in.json").write_bytes(b'{"id": "\xff"}')
    mistake(project, 2, "in.json: it is no UTF-8 text", "run", "order.saga", "--input", "@in.json")


def test_a_status_that_is_none_in_python(project: Project) -> None:
    project.run("poor")
    log = Log(project.folder / "l.duckdb")
    assert [row["run_id"] for row in log.runs("rolled_back")] == ["poor"]
    with pytest.raises(RunError, match="did you mean 'rolled_back'"):
        log.runs(["roled_back"])


def test_an_input_that_is_missing_or_too_much(project: Project) -> None:
    mistake(project, 1, "`id` (str) is missing", "run", "order.saga")
    mistake(
        project, 1, "did you mean `total`", "run", "order.saga", "--input", '{"id":"a","totla":1}'
    )


def test_a_module_of_tools_that_is_not_there(project: Project) -> None:
    (project.folder / f"{project.module}.py").unlink()
    mistake(project, 1, project.module, "run", "order.saga", "--set", "id=a")


def test_a_program_with_mistakes_is_not_run(project: Project) -> None:
    project.write("bad.saga", "edition 2026\nsaga s() -> str { return x }")
    for command in ("plan", "graph", "compile", "run"):
        mistake(project, 1, "error[N201]", command, "bad.saga")


def test_a_command_that_is_not_there(project: Project) -> None:
    mistake(project, 2, "Did you mean `saga check`?", "chekc")


def test_settings_that_cannot_be_read(project: Project) -> None:
    project.write("saga.toml", "lag = 1")
    mistake(project, 2, "there is no setting `lag`", "runs")


def test_a_blank_run_id(project: Project) -> None:
    mistake(project, 1, "run id", "run", "order.saga", "--set", "id=a", "--id", " ")


@pytest.mark.parametrize("name", ["empty.saga", "binary.saga", "folder.saga"])
def test_files_that_are_no_programs(project: Project, name: str) -> None:
    path = project.folder / name
    if name == "folder.saga":
        path.mkdir()
    else:
        path.write_bytes(b"" if name == "empty.saga" else b"\xff\xfe\x00")
    said = project.saga("plan", name)
    assert said.code in (1, 2)
    assert name in said.err
    assert "Traceback" not in said.err


OTHERS = {
    "made.py": "compiled from a program. Name order.saga",
    "tools.py": "it is a Python module, and no program. Name a .saga file",
    "data.json": "it is JSON, and no program. Name a .saga file",
    "book.ipynb": "it is a notebook, and no program. Its sagas stand in cells",
    "sagas": "it is a folder. Name a file in it: sagas/order.saga",
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("command", ["check", "plan", "graph", "compile", "run", "resume", "fmt"])
def test_what_is_no_program_is_called_by_its_name(
    project: Project, command: str, name: str
) -> None:
    assert project.saga("compile", "order.saga", "-o", "made.py").code == 0
    (project.folder / "tools.py").write_text("def pay(): ...\n")
    (project.folder / "data.json").write_text("{}\n")
    (project.folder / "book.ipynb").write_text('{"cells": []}\n')
    (project.folder / "sagas").mkdir()
    (project.folder / "sagas" / "order.saga").write_text(SAGA)
    if command == "resume":
        project.run("lost")
        mistake(project, 2, OTHERS[name], "resume", "lost", name)
    elif command in ("check", "fmt") and name == "sagas":
        assert project.saga(command, name).code == 0
    else:
        mistake(project, 2, OTHERS[name], command, name)


def test_an_import_of_what_is_no_program(project: Project) -> None:
    (project.folder / "tools.py").write_text("def pay(): ...\n")
    project.write("main.saga", 'edition 2026\nimport { pay } from "tools.py"\nsaga s() { }\n')
    said = project.saga("check", "main.saga")
    assert said.code == 1
    assert "it is a Python module, and no program" in said.out + said.err
    assert "S101" not in said.out + said.err


def test_a_folder_that_is_not_there(project: Project) -> None:
    mistake(project, 2, "nowhere", "compile", "order.saga", "-o", "nowhere/o.py")
    mistake(
        project, 2, "nowhere", "run", "order.saga", "--set", "id=a", "--log", "nowhere/l.duckdb"
    )


def test_a_log_that_is_none(project: Project) -> None:
    project.write("l.journal", "this is no database, and it is long enough to look at" * 20)
    mistake(project, 2, "l.journal", "runs")


def test_a_file_of_inputs_that_is_not_there(project: Project) -> None:
    mistake(project, 2, "nope.json: No such file", "run", "order.saga", "--input", "@nope.json")


def test_a_damaged_run_is_shown_up_to_the_last_good_event(project: Project) -> None:
    project.run("o-1")
    damage = "UPDATE events SET body = CAST(replace(body, 'succeeded', 'Succeeded') AS BLOB)"
    with closing(sqlite3.connect(project.folder / "l.journal")) as db, db:
        db.execute(f"{damage} WHERE run_id = 'o-1' AND n = 3")
    said = project.saga("log", "o-1")
    assert said.code == 2
    assert [line.split()[0] for line in said.out.splitlines()] == ["n", "1", "2"]
    assert "events up to 2 are good" in said.err
