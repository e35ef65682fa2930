"""Settings for all tests: no test is judged by the clock, and `make check` tries fewer examples."""

from __future__ import annotations

import os
import signal

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
