"""Settings for all tests: no test is judged by the clock, and `make check` tries fewer examples.

What a test leaves open (a process, a file, a loop, a coroutine) is its own mistake, found then.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

# The programs of the tests are read by tests; many of them are wrong on purpose.
collect_ignore_glob = ["*.saga"]

# A build machine tries the same examples each time; new ones are searched on people's machines.
SAME = bool(os.environ.get("CI"))

settings.register_profile("full", deadline=None, derandomize=SAME)
settings.register_profile("quick", deadline=None, derandomize=SAME, max_examples=15)
settings.load_profile("full")

# What a script starts in the background has interrupts ignored, and so have all of its children.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the one way to renew golden files; read the difference before you commit it."""
    parser.addoption(
        "--update-golden", action="store_true", help="write the golden files instead of comparing"
    )


@pytest.fixture(scope="module", autouse=True)
def _kept() -> None:
    """Takes what is there before a module's tests out of the collections at their ends.

    Looking through all modules and results again after each of some thousand tests takes minutes.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _nothing_left(request: pytest.FixtureRequest, _kept: None) -> Iterator[None]:
    """Collects what a test has left: Python complains of what was not closed, and pytest fails it.

    Otherwise whichever test runs when Python collects by itself fails, perhaps files later.
    """
    yield
    # All that still holds what the test had: its fixtures, and the frames of its failure.
    request.node.funcargs = {}
    for name in ("last_exc", "last_type", "last_value", "last_traceback"):
        sys.__dict__.pop(name, None)
    gc.collect()
