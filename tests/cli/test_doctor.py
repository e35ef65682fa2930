"""`saga doctor`: what is wrong with the files of a log is not called fine."""

from __future__ import annotations

from typing import Any

from .clikit import Project


def findings(project: Project) -> dict[str, Any]:
    return {one["about"]: one for one in project.saga("doctor", "--json").json["findings"]}


def test_a_store_that_is_no_database_is_wrong(project: Project) -> None:
    project.run("a")
    project.write("l.duckdb", "garbage")
    said = project.saga("doctor")
    assert said.code == 1
    found = findings(project)["event store"]
    assert found["verdict"] == "wrong"
    assert "it is no DuckDB file. Move it away" in found["fix"]


def test_garbage_is_found_where_no_run_has_begun(project: Project) -> None:
    project.write("l.duckdb", "garbage")
    assert project.saga("doctor").code == 1


def test_a_store_without_its_journal_is_wrong(project: Project) -> None:
    project.run("a")
    project.saga("sql", "SELECT count(*) FROM events")
    for path in project.folder.glob("l.journal*"):
        path.unlink()
    found = findings(project)["event store"]
    assert (found["verdict"], "no l.journal beside it" in found["found"]) == ("wrong", True)


def test_a_store_that_lacks_events_is_fine(project: Project) -> None:
    project.run("a")
    project.saga("sql", "SELECT count(*) FROM events")
    assert findings(project)["event store"]["verdict"] == "fine"
    project.run("b")
    assert findings(project)["event store"]["verdict"] == "fine"


def test_check_says_what_a_file_has_instead_of_a_saga(project: Project) -> None:
    project.write("t.saga", 'edition 2026\ntool f() -> str { call python "x:y" effect none }\n')
    project.write("e.saga", "edition 2026\n")
    assert project.saga("check", "t.saga").out == "t.saga: no mistakes, no saga, but 1 tool.\n"
    assert project.saga("check", "e.saga").out == "e.saga: no mistakes, and no saga.\n"
