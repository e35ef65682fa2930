"""A log that cannot be one, or cannot be written: a message that names it, and an exit code."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .clikit import Project, Said

RUN = ("run", "order.saga", "--id", "b", "--set", "id=b")
LOOKS = (("runs",), ("show", "d"), ("sql", "SELECT 1"), ("incidents",))
RESUMES = (("resume", "d"), ("resume", "--all"))
COMMANDS = (RUN, *LOOKS, *RESUMES, ("approve", "d", "release", "--by", "ada"))


def refused(said: Said, code: int, *parts: str) -> None:
    """The command was refused in one sentence, and nothing else was said or done."""
    assert (said.code, said.out) == (code, ""), said
    assert all(part in said.err for part in parts), said
    assert "Traceback" not in said.err and "unexpected" not in said.err


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("shelf", ("shelf: it is a folder", "Name a file in it, such as ", "shelf/saga.duckdb")),
        ("folder.duckdb", ("folder.duckdb: it is a folder", "Name another log")),
        ("notes.txt", ("notes.txt: it is a file of another kind", "ends in .duckdb")),
        ("text.duckdb", ("text.duckdb: it is a file of another kind",)),
        ("bad.duckdb", ("bad.journal: the log is damaged: file is not a database",)),
        ("gone.duckdb", ("gone.journal: the event store is here", "name another log")),
        ("/dev/null", ("/dev/null: it is a file of another kind",)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_log(
    project: Project, command: tuple[str, ...], name: str, parts: tuple[str, ...]
) -> None:
    (project.folder / "shelf").mkdir()
    (project.folder / "folder.duckdb").mkdir()
    for file in ("notes.txt", "text.duckdb", "bad.journal"):
        (project.folder / file).write_text("this is no log, whoever looks at it" * 99)
    (project.folder / "gone.duckdb").write_bytes(b"12345678DUCK")
    before = project.names()
    refused(project.saga(*command, "--log", name), 2, *parts)
    # Of a log that is damaged the lock is taken before it is looked at.
    assert project.names() - {"bad.lock"} == before
    assert project.saga("doctor", "--log", name).code == 1


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="this system has no such folder")
def test_a_folder_in_which_nothing_can_be_made(project: Project) -> None:
    said = project.saga(*RUN, "--log", "/proc/x.duckdb")
    refused(said, 2, "/proc/x.lock: no file can be made in this folder", "Name a log in another")
    for command in COMMANDS[1:]:
        refused(project.saga(*command, "--log", "/proc/x.duckdb"), 2, "there is no log here")


CHILD = '''
"""Says some commands as somebody who may do only what the files allow."""

import json, sys
from pathlib import Path

from tests.cli.clikit import Project

project = object.__new__(Project)
project.folder = Path(".").absolute()
for command in json.loads(sys.argv[1]):
    said = project.saga(*command)
    print(json.dumps([said.code, said.out, said.err]))
'''


def give_up_power() -> None:
    """Of the superuser too the system asks whether a file may be written; nobody else changes."""
    if os.geteuid() == 0:
        drop, override, search = 24, 1, 2
        for power in (override, search):
            ctypes.CDLL(None).prctl(drop, power)


def as_somebody(project: Project, *commands: tuple[str, ...]) -> list[Said]:
    """Says commands in a process that may do only what the files allow."""
    root = str(Path(__file__).parents[2])
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    ran = subprocess.run(
        [sys.executable, "-c", CHILD, json.dumps(commands)],
        cwd=project.folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        preexec_fn=give_up_power,
        timeout=120,
        check=True,
    )
    assert "Traceback" not in ran.stderr, ran.stderr
    return [Said(*json.loads(line)) for line in ran.stdout.splitlines()]


def test_a_journal_that_may_only_be_read(project: Project) -> None:
    """It can be looked at; what would have to be written is not done, and who asks is told so."""
    project.run("d", "--set", "total=500.00")
    (project.folder / "l.journal").chmod(0o444)
    answer = ("approve", "d", "release", "--by", "ada")
    ran, runs, show, sql, resumed, approved, doctor = as_somebody(
        project, RUN, ("runs",), ("show", "d"), ("sql", "SELECT run_id FROM runs"),
        ("resume", "d"), answer, ("doctor",),
    )  # fmt: skip
    assert (ran.code, ran.out) == (7, "b: paused\n")
    assert "l.journal: the log cannot be used" in ran.err
    assert "say the same again: nothing has begun" in ran.err
    assert (runs.code, show.code, sql.code) == (0, 0, 0)
    assert sql.out.split() == ["run_id", "d"]
    assert resumed.code == 6
    refused(approved, 2, "not decided yet", "l.journal: the log cannot be used")
    assert (doctor.code, "l.journal: you may not write it" in doctor.out) == (1, True)
    (project.folder / "l.journal").chmod(0o644)
    assert project.done() == ["pay:d"]
    assert [row["run_id"] for row in project.saga("runs", "--json").json] == ["d"]
    assert project.saga(*answer).code == 0
    assert project.saga("resume", "d").code == 0


def test_a_folder_that_may_only_be_read(project: Project) -> None:
    """A new log cannot be made there; of one that is there the events are read where they are."""
    closed = project.folder / "closed"
    closed.mkdir()
    project.run("d", "--set", "total=500.00", "--log", "closed/l.duckdb")
    closed.chmod(0o555)
    log, new = ("--log", "closed/l.duckdb"), ("--log", "closed/new.duckdb")
    made, runs, sql, doctor = as_somebody(
        project, (*RUN, *new), ("runs", *log), ("sql", "SELECT run_id FROM runs", *log),
        ("doctor", *log),
    )  # fmt: skip
    closed.chmod(0o755)
    refused(made, 2, "closed/new.lock: it cannot be written (Permission denied)")
    assert runs.code == 0
    assert (sql.code, sql.out.split()) == (0, ["run_id", "d"])
    assert "the event store cannot be written: permission denied" in sql.err
    assert "read from the journal instead" in sql.err
    assert (doctor.code, "you may not write there" in doctor.out) == (1, True)


def test_nothing_is_made_in_a_folder_that_cannot_be_written(project: Project) -> None:
    (project.folder / "closed").mkdir(mode=0o555)
    module, run = as_somebody(
        project,
        ("compile", "order.saga", "-o", "closed/o.py"),
        ("run", "order.saga", "--set", "id=a", "--log", "closed/l"),
    )
    refused(module, 2, "closed")
    refused(run, 2, "closed")
    assert list((project.folder / "closed").iterdir()) == []
