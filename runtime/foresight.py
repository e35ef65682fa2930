"""What would happen to a saga, before it does: its order, and the recovery from each failure.

Values do not exist yet: conditions are set to what leads to the failure, services answer samples,
arguments are shown as they are written. Beside a failing call everything else has landed: what
is shown is the most that may have to be taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from typing import Any

from msgspec import Struct

from .paths import static
from .plan import (
    AgentCall,
    Each,
    First,
    Gate,
    If,
    Let,
    Next,
    Node,
    Parallel,
    Plan,
    Repeat,
    Requires,
    Return,
    SagaCall,
    Scope,
    Sleep,
    Step,
    Wait,
)
from .reach import inside
from .recoveries import Recoveries, Recovery as Recovery, Undoing as Undoing
from .ways import Point, Ways
from .wording import duration


class Foresight(Struct, frozen=True):
    """A plan before it runs: the order of its statements, and the recovery of each failure.

    A row of `order` has the path, how deep it is in blocks (`in`), and one of: `calls` with
    `changes`, `asks`, `requires`, `waits`, `sleeps`, `repeats`, `scope`, `runs`, `lets`, `if`,
    `else` (the other block of the `if` at that path), `parallel`, `computes` (where that can fail).
    """

    order: tuple[dict[str, Any], ...]
    failures: tuple[Recovery, ...]


def foresee(
    plan: Plan,
    points: Iterable[tuple[Node, str, bool, bool]],
    only: str | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> Foresight:
    """Gives what would happen at every point of failure, or at those at path `only`.

    `points` are all that there are, as `compiler.proving.points` gives them. In `only` the star of
    items may be left out: `picks.pick`. `tell` is told how many points of how many are done. Time
    grows as the listing does, with the undos in it: n² in a sequence of n. A failure costs a copy
    of the state beside them.
    """
    every = tuple(Point(*each) for each in points)
    ways = Ways(plan, every)
    every = tuple(point for point in every if not ways.told_inside(point))
    wanted = [point for point in every if only is None or _bare(point.node.path) == _bare(only)]
    found = Recoveries(plan, every, ways, tell).of(wanted)
    return Foresight(tuple(_order(plan, {id(point.node) for point in every})), tuple(found))


def _bare(path: str) -> str:
    return static(path).replace("[*]", "")


def _order(plan: Plan, failing: Set[int]) -> Iterator[dict[str, Any]]:
    tools = {tool.name: tool for tool in plan.tools}
    agents = {agent.name: agent for agent in plan.agents}

    def rows(body: Iterable[Node], depth: int) -> Iterator[dict[str, Any]]:
        for node in body:
            said = row(node)
            deep = {"in": depth} if depth else {}
            if said:
                yield {"path": node.path, **said, **deep}
            for number, block in enumerate(inside(node)):
                if number and block and isinstance(node, If):
                    yield {"path": node.path, "else": node.condition.source, **deep}
                yield from rows(block, depth + 1)

    def row(node: Node) -> dict[str, Any]:
        match node:
            case Step():
                changes = [effect.kind for effect in tools[node.tool].effects]
                return {"calls": node.tool, "changes": changes}
            case Gate():
                return {"asks": f"{node.needs} of {node.group}"}
            case Requires():
                return {"requires": node.test.source}
            case Wait():
                return {"waits": str(node.type)}
            case Sleep():
                return {"sleeps": duration(node.length)}
            case Each():
                return {"repeats": f"for each {node.variable} in {node.items.source}"}
            case First():
                return {"repeats": f"for the first {node.variable} in {node.items.source}"}
            case Repeat():
                return {"repeats": f"at most {node.limit} times, from {node.start.source}"}
            case Scope():
                return {"scope": "rolled back alone"}
            case SagaCall():
                return {"runs": node.saga}
            case AgentCall():
                return {"lets": node.agent, "use": [u.tool for u in agents[node.agent].uses]}
            case If():
                return {"if": node.condition.source}
            case Parallel():
                return {"parallel": "beside each other"}
            case Let(value=value) | Return(value=value) | Next(value=value):
                return {"computes": value.source} if id(node) in failing else {}
            case _:
                return {}

    yield from rows(plan.body, 0)
