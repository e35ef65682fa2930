"""Case 8: no effect before its intent is on the disk, and none while nothing can be written.

A slow log, a failing commit and an intent in each copy of the log: tests/engine/test_trouble.py,
tests/engine/test_running.py. Here the disk itself is full.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ..crash.bench import Bench
from ..crash.journey import order, tools

pytestmark = pytest.mark.slow

SAGA = """
saga s(order: Order) -> Charge {
  step a = charge(order.id, order.total)
  step b = send_mail(order.email, "Paid with {a.id}. {order.letter}")
  return a
}
"""


LETTERS = """
saga s(order: Order) -> Charge {
  step a = charge(order.id, order.total)
  step b = send_mail(order.email, "Once. {order.letter}") accept irreversible because "a letter"
  step c = send_mail(order.email, "Twice. {order.letter}")
  return a
}
"""


def fill(folder: Path) -> Path:
    """Takes all the room that is left."""
    path = folder / "filler"
    with path.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while file.write(b"x" * size) == size:
                    pass
            except OSError:
                continue
    return path


def test_a_full_disk_stops_the_run_before_it_begins(small: Bench) -> None:
    small.write("s.saga", tools() + SAGA)
    filler = fill(small.folder)
    done = small.saga("run", "s.saga", "--id", "r", "--input", order())
    filler.unlink()
    assert done.code != 0 and small.calls() == []
    again = small.saga("run", "s.saga", "--id", "r", "--input", order())
    assert again.code == 0, again
    assert small.done("payment") == 1


def test_a_disk_that_fills_up_pauses_and_nothing_is_lost(small: Bench, tmp_path: Path) -> None:
    """What is to be called next cannot be written, so it is not called until there is room."""
    small.write("s.saga", tools() + LETTERS)
    small.shop.switch("payments/charge", delay_answer=1.5)
    # The write-ahead file, 16 MB long beforehand, has no room for it twice.
    given = tmp_path / "order.json"
    given.write_text(order(letter="x" * 9_500_000), encoding="utf-8")
    process = small.start("run", "s.saga", "--id", "r", "--input", f"@{given}")
    small.until("payments/charge", "applied")
    filler = fill(small.folder)
    done = process.wait()
    assert done.code == 7, done
    assert "full" in done.err or "room" in done.err
    assert len(small.calls("mail/send")) < 2
    filler.unlink()
    assert small.saga("resume", "r", "s.saga").code == 0
    assert [small.done("payment"), small.done("mail")] == [1, 2]
