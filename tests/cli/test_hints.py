"""Every command that is suggested works as it stands: it finds the log, the run and the saga."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .clikit import SAGA, Project, Said, until

TOOLS_PART = SAGA[: SAGA.index('"""Takes')]
GATES = (
    TOOLS_PART
    + """
saga order(id: str, items: list[str] = ["a b", "it's"]) -> str {
  step money = pay(id, 1.00)
  each many = item in items by item {
    gate release needs "ops" shows item
  }
  wait word: str within 24h else rollback
  return word
}
saga other(id: str) -> str { step money = pay(id, 1.00) return money }
"""
)
FILLED = {"WHO": "ada", "JSON": '"text"', "TEXT": "looked", "PATH": "order.saga"}


def hints(text: str) -> list[list[str]]:
    """The commands in a text, in the order in which they stand; what is to be filled in is."""
    found = re.findall(r"`((?:saga|\S*python\S*) [^`]*)`|with: (saga [^\n]*?)(?:   |$)", text, re.M)
    return [[FILLED.get(word, word) for word in shlex.split(a or b)] for a, b in found]


def said(project: Project, words: list[str]) -> Said:
    """Says a command that was suggested."""
    if words[0] == "saga":
        return project.saga(*words[1:])
    assert Path(words[0]).name.startswith("python")
    ran = subprocess.run(
        [sys.executable, *words[1:]], cwd=project.folder, capture_output=True, text=True
    )
    return Said(ran.returncode, ran.stdout, ran.stderr)


def followed(project: Project, first: Said) -> tuple[Said, list[list[str]]]:
    """Follows the suggestions of a command, and theirs, until there is none any more."""
    done: list[list[str]] = []
    while found := hints(first.err):
        for words in found:
            first = said(project, words)
            done.append(words)
            assert first.code in (0, 3, 4, 5, 6), (words, first)
            assert len(done) < 40, done
    return first, done


@pytest.fixture(params=["default", "log", "elsewhere"])
def where(request: pytest.FixtureRequest, project: Project) -> tuple[str, list[str]]:
    """The file of a program, and the options that name a log which is not the default one."""
    if request.param == "default":
        project.write("order.saga", GATES)
        return "order.saga:order", []
    (project.folder / "it's my log").mkdir()
    log = ["--log", "it's my log/l.duckdb"]
    if request.param == "log":
        project.write("order.saga", GATES)
        return "order.saga:order", log
    # The program is found by nobody who is not told where it is.
    home = project.folder
    (home / "sagas").mkdir()
    (home / "sagas" / "order.saga").write_text(GATES.replace("MODULE", project.module), "utf-8")
    (home / f"{project.module}.py").rename(home / "sagas" / f"{project.module}.py")
    (home / "order.saga").unlink()
    (home / "work").mkdir()
    project.folder = home / "work"
    project.write("saga.toml", '[groups]\nops = ["ada"]\n')
    (project.folder / "it's my log").mkdir()
    return "../sagas/order.saga:order", log


def test_a_run_is_led_to_its_end_by_what_is_suggested(
    project: Project, where: tuple[str, list[str]]
) -> None:
    path, log = where
    begun = project.saga("run", path, "--id", "o-1'x", "--set", "id=a", *log)
    assert begun.code == 6
    last, done = followed(project, begun)
    assert last.out == 'o-1\'x: succeeded\n"text"\n'
    assert [words[1] for words in done if words[1] != "resume"] == ["approve", "approve", "signal"]
    assert all(("--log" in words) == bool(log) for words in done)


@pytest.mark.parametrize("command", ["show", "watch"])
def test_what_looks_suggests_what_works(
    project: Project, where: tuple[str, list[str]], command: str
) -> None:
    path, log = where
    project.saga("run", path, "--id", "o-1", "--set", "id=a", *log)
    [words] = hints(project.saga(command, "o-1", *log).out)
    assert words[1:4] == ["approve", "o-1", 'many["a b"].release']
    assert said(project, words).code == 0


@pytest.mark.parametrize("looks", [["show", "lost"], ["incidents"], ["run"]])
def test_an_incident_is_answered_as_it_is_suggested(project: Project, looks: list[str]) -> None:
    project.write("saga.toml", '[groups]\nops = ["ada"]\n')
    log = ["--log", "other.duckdb"]
    ran = project.run("lost", *log)
    assert ran.code == 5
    text = ran.err if looks == ["run"] else project.saga(*looks, *log).out
    words = hints(text)[0]
    assert words == [
        "saga", "resolve", "lost", "money", "done", "--by", "ada", "--value", '"text"', *log
    ]  # fmt: skip
    answered = said(project, words)
    assert answered.code == 0
    [resume] = hints(answered.err)
    assert said(project, resume).out == 'lost: succeeded\n"parcel-lost"\n'


def test_the_other_answers_are_named_with_what_they_need(project: Project) -> None:
    assert "` (or retry, skip --reason TEXT), then" in project.run("lost").err


def test_messages_of_faults_name_the_log(project: Project) -> None:
    project.write("saga.toml", '[groups]\nops = ["ada"]\n')
    log = ["--log", "other.duckdb"]
    project.run("o-1", *log)
    unknown = project.saga("show", "o-2", *log)
    assert unknown.code == 1
    [words] = hints(unknown.err)
    assert said(project, words).out.splitlines()[1].startswith("o-1")


def test_another_definition_is_resumed_as_it_is_suggested(project: Project) -> None:
    project.write("saga.toml", '[groups]\nops = ["ada"]\n')
    log = ["--log", "other.duckdb"]
    project.run("d", "--set", "total=500.00", *log)
    project.write("order.saga", SAGA.replace("step parcel = ship(id)", 'step parcel = ship("x")'))
    refused = project.saga("resume", "d", *log)
    assert refused.code == 1
    [words] = hints(refused.err)
    assert words == ["saga", "resume", "d", "--as-begun", *log]
    assert said(project, words).code == 6


@pytest.mark.parametrize("log", [[], ["--log", "an other.duckdb"]])
def test_a_compiled_module_suggests_itself(project: Project, log: list[str]) -> None:
    project.write("order.saga", GATES)
    assert project.saga("compile", "order.saga", "-o", "made module.py").code == 0
    (project.folder / "order.saga").unlink()
    start = [sys.executable, "made module.py", "--id", "m", "--set", "id=a", *log]
    begun = said(project, start)
    assert begun.code == 6
    last, done = followed(project, begun)
    assert last.out == 'm: succeeded\n"text"\n'
    assert [words[1:4] for words in done if words[0] != "saga"] == [
        ["made module.py", "--resume", "m"]
    ] * 3


def test_a_compiled_module_takes_up_only_what_is_its_own(project: Project) -> None:
    project.write("order.saga", GATES)
    project.saga("compile", "order.saga", "-o", "made.py")
    project.write(
        "alone.saga", TOOLS_PART + 'saga alone() -> str { step parcel = ship("a") return parcel }'
    )
    module = [sys.executable, "made.py"]
    assert said(project, [*module, "--resume", "nothing"]).code == 2
    project.saga("run", "alone.saga", "--id", "b")
    wrong = said(project, [*module, "--resume", "b"])
    assert (wrong.code, "run b is one of `alone`" in wrong.err) == (1, True)
    both = said(project, [*module, "--resume", "b", "--id", "c"])
    assert (both.code, "without --input, --set and --id" in both.err) == (2, True)
    unknown = said(project, [*module, "--resume", "c"])
    assert (unknown.code, "there is no run 'c'" in unknown.err) == (1, True)


def test_the_run_says_which_saga_of_a_file_it_is(project: Project) -> None:
    project.write("order.saga", GATES)
    project.saga("run", "order.saga:order", "--id", "o", "--set", "id=a")
    assert project.saga("resume", "o", "order.saga").code == 6
    wrong = project.saga("resume", "o", "order.saga:other")
    assert (wrong.code, "run o is one of `order`" in wrong.err) == (2, True)


def test_a_run_that_cannot_be_taken_up_keeps_no_other_from_it(project: Project) -> None:
    project.run("far")
    project.run("d", "--set", "total=500.00")
    project.write("other.saga", SAGA.replace("saga order", "saga other"))
    project.saga("run", "other.saga", "--id", "a", "--set", "id=a", "--set", "total=500.00")
    (project.folder / "other.saga").unlink()
    project.run("e", "--set", "total=500.00")
    said = project.saga("resume", "--all")
    assert (said.code, said.out) == (6, "d: waiting\ne: waiting\n")
    assert "error: run a: its saga `other` is not known here" in said.err
    project.saga("reject", "d", "release", "--by", "ada")
    project.saga("reject", "e", "release", "--by", "ada")
    assert project.saga("resume", "d").code == project.saga("resume", "e").code == 3
    alone = project.saga("resume", "--all")
    assert (alone.code, alone.out) == (1, "")


def test_an_id_that_begins_like_an_option(project: Project) -> None:
    ran = project.saga("run", "order.saga", "--id=-x", "--set", "id=lost")
    [first, second] = hints(ran.err)
    assert first[-4:] == ["--", "-x", "money", "done"]
    assert said(project, first).code == 0
    assert said(project, second).code == 0


@pytest.fixture
def stopped(project: Project) -> Project:
    """A run in the middle of a call, whose process is stopped and still owns it."""
    project.write("saga.toml", 'log = "l.duckdb"\n[groups]\nops = ["ada"]\n')
    owner = project.start("run", "order.saga", "--id", "r", "--set", "id=slow", SLOW="60")
    until(lambda: "begun" in project.done())
    owner.send_signal(signal.SIGSTOP)
    return project


def test_a_run_of_another_definition_is_taken_over_as_it_is_suggested(
    stopped: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOW", "0")
    stopped.write("order.saga", SAGA.replace("step parcel = ship(id)", 'step parcel = ship("x")'))
    refused = stopped.saga("takeover", "r", "--owner-is-dead")
    assert (refused.code, "another definition" in refused.err) == (1, True)
    [words] = hints(refused.err)
    assert words == ["saga", "takeover", "r", "--owner-is-dead", "--as-begun"]
    assert said(stopped, words).out == 'r: succeeded\n"parcel-slow"\n'
    assert stopped.done() == ["begun", "begun", "pay:slow", "ship:slow"]


def test_a_run_whose_file_is_not_found_is_taken_over_as_it_is_suggested(
    stopped: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOW", "0")
    (stopped.folder / "order.saga").rename(stopped.folder / "moved.saga")
    refused = stopped.saga("takeover", "r", "--owner-is-dead")
    assert (refused.code, "is not known here" in refused.err) == (1, True)
    [words] = hints(refused.err)
    assert words == ["saga", "takeover", "r", "order.saga", "--owner-is-dead"]
    words[3] = "moved.saga"
    assert said(stopped, words).out == 'r: succeeded\n"parcel-slow"\n'
