"""The kernel alone: choices, folds and records of steps that are answered at once, and of undos.

`python -m benchmarks.kernel forward|back STEPS TIMES` runs a chain that often and measures nothing:
for `callgrind`, or a profiler, about it. The difference of two TIMES is the cost of the runs alone.
"""

from __future__ import annotations

import sys
from collections import deque
from functools import partial
from pathlib import Path

from sagalang.runtime.events import Fault
from sagalang.runtime.kernel.commands import Answer, Append, Call
from sagalang.runtime.kernel.decide import advance, begin, issue, news, start
from sagalang.runtime.kernel.index import Index
from sagalang.runtime.kernel.record import record
from sagalang.runtime.kernel.state import State

from . import programs
from .rounds import Measured, in_turn, line

_REFUSED = Answer("raised", fault=Fault("Refused", "no"), classes=("Refused",))


class Chain:
    """A chain of steps; `back`: the last one is refused, and all others are undone."""

    def __init__(self, steps: int, *, back: bool = False, verified: bool = False) -> None:
        text = programs.chain(steps, fails=back, verified=verified)
        self.index = Index(programs.saga(text, "chain").plan)
        self.steps = steps

    def run(self) -> int:
        """Runs it once; gives how many steps it has."""
        state = begin(self.index, "run")
        event = start(self.index.plan, "definition", {"name": "x"}, "")
        event.wall_time = 1
        advance(state, event)
        carry_on(state)
        if state.finished not in ("succeeded", "rolled_back"):
            raise RuntimeError(f"a measured run is {state.finished or 'not over'}")
        return self.steps


def carry_on(state: State) -> None:
    """Goes on with a run to its end: every call is answered at once, as the engine would do it."""
    todo: deque[str] = deque()
    while True:
        if state.dirty:
            todo.extend(news(state))
        if not todo:
            return
        command = state.agenda.get(todo.popleft())
        if isinstance(command, Append):
            advance(state, command.event)
        elif isinstance(command, Call):
            if command.intent is None:
                issue(state, command.id)
            else:
                advance(state, command.intent)
            event = record(state, command, _answer(state, command))
            if event is not None:
                event.wall_time = event.elapsed = state.n
                advance(state, event)


def _answer(state: State, call: Call) -> Answer:
    if call.tool == "refuse":
        return _REFUSED
    if call.tool == "look":
        s = state.steps[call.path]
        return Answer("returned", None if s.undo is not None and s.undo.number else "x")
    return Answer("returned", "x")


def kernel(folder: Path, rounds: int) -> None:
    """The kernel alone: a step forward, and a step forward and back, without and with `verify`."""
    acts: dict[str, Measured] = {}
    for name, back, verified in (
        ("forward", False, False),
        ("forward and back", True, False),
        ("forward and back, verified", True, True),
    ):
        acts[name] = partial(Chain.run, Chain(500, back=back, verified=verified))
    for act in acts.values():
        act()
    found = in_turn(acts, rounds)
    for name in acts:
        print(line(name, found[name]))


if __name__ == "__main__":
    way, steps, times = sys.argv[1:]
    chain = Chain(int(steps), back=way != "forward", verified=way == "verified")
    for _ in range(int(times)):
        chain.run()
