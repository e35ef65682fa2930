"""A test that leaves something open fails itself, and no other test does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

LEAVING = """
import asyncio, subprocess, sys

import pytest


class Cycle:
    def __init__(self):
        self.me, self.found = self, []

    def start(self):
        command = [sys.executable, "-c", "pass"]
        self.found.append(subprocess.Popen(command, stdout=subprocess.PIPE))


@pytest.fixture
def cycle():
    return Cycle()


async def nothing():
    pass


def test_1_loop():
    Cycle().found.append(asyncio.new_event_loop())


def test_2_clean():
    assert asyncio.run(nothing()) is None


def test_3_held_by_a_fixture(cycle):
    cycle.start()


def test_4_clean():
    Cycle()


def test_5_failed():
    cycle = Cycle()
    cycle.start()
    assert not cycle.found


def test_6_clean(cycle):
    assert not cycle.found


def test_7_coroutine():
    Cycle().found.append(nothing())


def test_8_clean():
    pass
"""


def test_who_leaves_something_open_fails_itself(tmp_path: Path) -> None:
    (tmp_path / "test_leaving.py").write_text(LEAVING)
    settings = Path(__file__).with_name("conftest.py").read_text("utf-8")
    (tmp_path / "conftest.py").write_text(settings)
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    said = {
        tuple(line.split(" - ")[0].split(" test_leaving.py::"))
        for line in done.stdout.splitlines()
        if line.startswith(("ERROR test", "FAILED test"))
    }
    assert said == {
        ("ERROR", "test_1_loop"),
        ("ERROR", "test_3_held_by_a_fixture"),
        ("ERROR", "test_5_failed"),
        ("ERROR", "test_7_coroutine"),
        ("FAILED", "test_5_failed"),
    }, done.stdout
