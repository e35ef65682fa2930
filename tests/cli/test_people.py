"""What people decide from the command line, each decision by its name and on record."""

from __future__ import annotations

import pytest

from .clikit import SAGA, Project, Said


def dear(project: Project) -> Said:
    """A run that waits at its gate."""
    return project.run("d", "--set", "total=500.00")


def test_a_gate_waits_and_is_approved(project: Project) -> None:
    said = dear(project)
    assert said.code == 6
    assert "waiting at `release` for 1 of ops" in said.err
    assert "saga approve d release --by WHO" in said.err
    assert 'total: "500.00"' in project.saga("show", "d").out
    approved = project.saga("approve", "d", "release", "--by", "ada", "--note", "fine")
    assert (approved.code, approved.out) == (0, "d: release approved\n")
    assert project.saga("resume", "d").code == 0
    assert project.done() == ["pay:d", "ship:d"]


def test_an_approval_of_two_says_that_one_is_missing(project: Project) -> None:
    project.write("order.saga", SAGA.replace('needs "ops"', 'needs 2 of "ops"'))
    project.write("saga.toml", 'log = "l.duckdb"\n[groups]\nops = ["ada", "grace"]\n')
    assert "waiting at `release` for 2 of ops" in dear(project).err
    first = project.saga("approve", "d", "release", "--by", "ada")
    assert (first.code, first.out) == (0, "d: release approved\n")
    assert first.err == "that makes 1 of 2 (ops): ada. The gate waits for others.\n"
    assert "approved so far by 1 of 2 (ops): ada" in project.saga("show", "d").out
    second = project.saga("approve", "d", "release", "--by", "grace")
    assert second.err == "`saga resume d` goes on with it if no process does.\n"
    assert project.saga("resume", "d", "order.saga").code == 0


def test_a_rejection_rolls_back(project: Project) -> None:
    dear(project)
    assert project.saga("reject", "d", "release", "--by", "ada").code == 0
    assert project.saga("resume", "d").code == 3
    assert project.done() == ["pay:d", "refund:d"]


def test_who_is_not_in_the_group_is_refused(project: Project) -> None:
    dear(project)
    said = project.saga("approve", "d", "release", "--by", "eve")
    assert said.code == 1
    assert "eve" in said.err
    assert project.saga("show", "d", "--json").json["status"] == "waiting"


def test_an_unknown_gate_is_named(project: Project) -> None:
    dear(project)
    said = project.saga("approve", "d", "releas", "--by", "ada")
    assert said.code == 1
    assert "releas" in said.err


def test_cancelling_undoes(project: Project) -> None:
    dear(project)
    assert project.saga("cancel", "d", "--reason", "the customer called").code == 0
    said = project.saga("resume", "d")
    assert (said.code, said.out) == (3, "d: cancelled\n")


def test_freezing_stops_and_an_answer_goes_on(project: Project) -> None:
    dear(project)
    assert project.saga("freeze", "d", "--by", "ada").code == 0
    assert project.saga("resume", "d").code == 5
    assert project.done() == ["pay:d"]
    assert project.saga("resolve", "d", "-", "back", "--by", "ada").code == 0
    assert project.saga("resume", "d").code == 3


def test_an_incident_is_answered_with_a_value(project: Project) -> None:
    assert project.run("lost").code == 5
    wrong = project.saga("resolve", "lost", "money", "done", "--by", "ada", "--value", "{")
    assert wrong.code == 2
    assert "--value" in wrong.err
    said = project.saga("resolve", "lost", "money", "done", "--by", "ada", "--value", '"money-1"')
    assert said.code == 0
    resumed = project.saga("resume", "lost", "--json")
    assert resumed.code == 0
    assert resumed.json["steps"][0]["result"] == "money-1"


def test_what_was_sent_cannot_be_taken_back(project: Project) -> None:
    project.run("o-1")
    said = project.saga("rollback", "o-1")
    assert said.code == 1
    assert "`parcel` is irreversible" in said.err


@pytest.mark.parametrize("command", ["cancel", "freeze"])
def test_a_run_that_is_over_is_left_alone(project: Project, command: str) -> None:
    project.run("far")
    said = project.saga(command, "far")
    assert said.code == 1
    assert "far" in said.err
