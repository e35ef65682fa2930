"""The command as a process: interrupted, watched, piped into something that leaves, taken over."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import Any

import pytest

from .clikit import Project, until

pytestmark = pytest.mark.slow


def logged(project: Project) -> list[dict[str, Any]]:
    """The events of the run."""
    found: list[dict[str, Any]] = project.saga("log", "r", "--json").json
    return found


def begun(project: Project, slow: str) -> subprocess.Popen[str]:
    """A run in the middle of its first call."""
    process = project.start("run", "order.saga", "--id", "r", "--set", "id=slow", SLOW=slow)
    until(lambda: "begun" in project.done())
    return process


def test_the_first_interrupt_lets_calls_settle(project: Project) -> None:
    process = begun(project, "2")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (out, "`saga resume r` goes on" in err) == ("", True)
    assert project.done() == ["begun", "pay:slow"]
    resumed = project.saga("resume", "r")
    assert resumed.code == 0
    assert project.done() == ["begun", "pay:slow", "ship:slow"]


def test_the_second_interrupt_stops_at_once(project: Project) -> None:
    process = begun(project, "60")
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    while "calls settle now" not in (line := process.stderr.readline()):
        assert line, "it has ended without a word"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "finds out what became of the calls" in err
    assert project.done() == ["begun"]


CHATTY = """import os
import sys

print("imported", flush=True)


def hello(word):
    print(f"said {word}")
    sys.stdout.write("written\\n")
    os.write(1, b"past Python\\n")
    os.system("echo by a child")
    return word
"""
HELLO = """edition 2026
tool hello(word: str) -> str { call python "chatty:hello" effect none }
saga greet(word: str) -> str {
  step said = hello(word)
  return said
}
"""


def test_what_tools_print_is_not_mixed_into_the_document(project: Project) -> None:
    project.write("chatty.py", CHATTY)
    project.write("greet.saga", HELLO)
    assert project.saga("compile", "greet.saga", "-o", "made.py").code == 0
    line = ("--id", "a", "--set", "word=ada", "--log", "a.duckdb", "--json")
    command = project.start("run", "greet.saga", *line)
    module = subprocess.Popen(
        [sys.executable, "made.py", *line[:5], "b.duckdb", "--json"],
        cwd=project.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for process in (command, module):
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert json.loads(out)["result"] == "ada"
        for said in ("imported", "said ada", "written", "past Python", "by a child"):
            assert said in err
    # Without --json stdout is the tools' as well, as in any other program.
    plain = project.start("run", "greet.saga", *line[:2], "--set", "word=eve", "--log", "c.duckdb")
    out, _ = plain.communicate(timeout=60)
    assert "said eve" in out and "a: succeeded" in out


def test_a_tool_that_changes_the_folder_loses_neither_the_log_nor_the_groups(
    project: Project,
) -> None:
    project.write("wander.py", "import os\n\n\ndef go():\n    os.chdir('/')\n")
    project.write(
        "away.saga",
        """edition 2026
tool go() -> json { call python "wander:go" effect none }
saga away() {
  step gone = go()
  gate g needs "ops" shows gone
}
""",
    )
    process = project.start("run", "away.saga", "--id", "w", "--log", "w.duckdb")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 6, err
    assert project.saga("approve", "w", "g", "--by", "ada", "--log", "w.duckdb").code == 0
    resumed = project.saga("resume", "w", "away.saga", "--log", "w.duckdb")
    assert (resumed.code, resumed.out) == (0, "w: succeeded\n")


def test_a_run_that_is_owned_is_watched_and_not_run_again(project: Project) -> None:
    process = begun(project, "2")
    watching = project.start("watch", "r")
    attached = project.saga("resume", "r")
    assert attached.code == 0
    out, err = watching.communicate(timeout=60)
    assert watching.returncode == 0
    assert "run finished" in err
    assert out.startswith("r  saga order  succeeded")
    process.communicate(timeout=60)
    assert project.done() == ["begun", "pay:slow", "ship:slow"]


def test_a_killed_run_is_seen_and_taken_up(project: Project) -> None:
    process = begun(project, "60")
    process.kill()
    process.communicate()
    assert "nobody goes on with r" in project.saga("doctor").out
    assert "`saga resume r` takes it up" in project.saga("watch", "r").err


def test_a_stopped_owner_is_taken_over_only_on_a_persons_word(project: Project) -> None:
    process = begun(project, "60")
    process.send_signal(signal.SIGSTOP)
    try:
        assert project.saga("takeover", "r").code == 2
        taking = project.start("takeover", "r", "--owner-is-dead", "--by", "ada", SLOW="0")
        until(lambda: len(logged(project)) > 3)
        stated, lost = logged(project)[2:4]
        assert stated["status"] == "taken_over"
        assert (stated["actor"], stated["data"]["pid"]) == ("ada", process.pid)
        assert (lost["kind"], lost["data"]) == ("attempt_lost", {"owner_is_dead": True})
        taking.communicate(timeout=60)
        assert taking.returncode == 0
        # The tool is idempotent by key: the same call was made again, with the same key.
        assert project.done() == ["begun", "begun", "pay:slow", "ship:slow"]
    finally:
        process.kill()
        process.communicate()


def test_whoever_reads_may_leave(project: Project) -> None:
    project.run("o-1")
    process = project.start("log", "o-1", "--json")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    with process.stderr as said:
        assert said.read() == ""
    assert process.wait(60) == 0


def test_python_without_the_heavy_libraries_checks(project: Project) -> None:
    """What is slow to load is not loaded for `saga check`."""
    code = (
        "import sys\nfrom sagalang.cli import main\n"
        "try: main(['check', 'order.saga'])\nexcept SystemExit: pass\n"
        "heavy = {'asyncio', 'duckdb', 'jinja2', 'networkx', 'rich', 'sqlite3'}\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=project.folder, capture_output=True, text=True
    )
    assert ran.stdout.endswith("[]\n"), ran.stdout + ran.stderr
