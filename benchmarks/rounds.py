"""Rounds: things measured in turn, so that whatever else the machine does meets all of them."""

from __future__ import annotations

import os
import platform
import resource
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spent:
    """What some number of operations took, in seconds: by the clock, and of CPU."""

    count: int
    wall: float
    cpu: float

    @property
    def each(self) -> float:
        """Seconds by the clock for one operation."""
        return self.wall / self.count

    @property
    def cpu_each(self) -> float:
        """Seconds of CPU for one operation."""
        return self.cpu / self.count


Measured = Callable[[], int]
"""Does something, and says how many operations it was."""


def spend(act: Measured) -> Spent:
    """Measures one call."""
    cpu, wall = _cpu(), time.perf_counter()
    count = act()
    return Spent(count, time.perf_counter() - wall, _cpu() - cpu)


def _cpu() -> float:
    """CPU of this process and of the children that it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def in_turn(acts: Mapping[str, Measured], rounds: int) -> dict[str, list[Spent]]:
    """Measures all of some things in each round."""
    found: dict[str, list[Spent]] = {name: [] for name in acts}
    for _ in range(rounds):
        for name, act in acts.items():
            found[name].append(spend(act))
    return found


def ratio(these: list[Spent], those: list[Spent]) -> float:
    """Gives how many times longer one operation takes than another: the median over the rounds."""
    return statistics.median(a.each / b.each for a, b in zip(these, those, strict=True))


def line(name: str, found: list[Spent], beside: Mapping[str, list[Spent]] | None = None) -> str:
    """Gives a line about one thing: rate, time and CPU of an operation, and ratios."""
    each = statistics.median(spent.each for spent in found)
    cpu = min(spent.cpu_each for spent in found)
    text = f"  {name:<34}{1 / each:>10,.0f} /s {each * 1e6:>10,.0f} µs {cpu * 1e6:>8,.0f} µs CPU"
    for other, those in (beside or {}).items():
        text += f"   {ratio(found, those):.2f} x {other}"
    return text


def machine() -> str:
    """Says what is measured on, and how busy it is: nobody else's ratios hold under any load."""
    load = ", ".join(f"{number:.1f}" for number in os.getloadavg())
    return (
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores, load {load}"
    )
