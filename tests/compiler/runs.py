"""Every run of a small plan, found by playing it: what the analyses are held against.

This is the order of the language told once more and as plainly as can be, without the compiler.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from sagalang.runtime.plan import Gate, If, Node, Parallel, Plan, Step

Place = tuple[int, ...]
"""The positions on the way to a statement; in an `if` the branch stands before the position."""


@dataclass(frozen=True)
class Now:
    """One state: what has settled, what of it has landed, which branches were taken."""

    settled: frozenset[Place] = frozenset()
    landed: frozenset[Place] = frozenset()
    taken: frozenset[Place] = frozenset()


class Runs:
    """All states that a plan can be in before the first effect of any step in `until`."""

    def __init__(self, plan: Plan, until: Collection[str] = ()) -> None:
        self.plan = plan
        self.until = until
        self.nodes: dict[Place, Node] = dict(_places(plan.body, ()))
        self.twins: dict[str, list[Place]] = {}
        for place, node in self.nodes.items():
            self.twins.setdefault(node.path, []).append(place)

    def states(self) -> set[Now]:
        """Every state that can be reached."""
        found = {Now()}
        todo = [Now()]
        while todo:
            for following in self.after(todo.pop()):
                if following not in found:
                    found.add(following)
                    todo.append(following)
        return found

    def after(self, now: Now) -> Iterator[Now]:
        """Every state that one event leads to."""
        for place in self.callable(now, self.plan.body, ()):
            node = self.nodes[place]
            if isinstance(node, If):
                for branch in (0, 1):
                    yield replace(now, taken=now.taken | {(*place, branch)})
                continue
            done = replace(now, settled=now.settled | {place})
            maybe = isinstance(node, Step | Gate) and (
                node.when is not None
                or (node.on_failure if isinstance(node, Step) else node.otherwise) == "continue"
            )
            if node.path not in self.until:
                yield replace(done, landed=done.landed | {place})
            if maybe:
                yield done

    def callable(self, now: Now, body: tuple[Node, ...], at: Place) -> Iterator[Place]:
        """The statements of a block whose turn it is and whose waits are over."""
        yield from self._turn(now, body, at, in_parallel=False)

    def _turn(
        self, now: Now, body: tuple[Node, ...], at: Place, *, in_parallel: bool
    ) -> Iterator[Place]:
        for number, node in enumerate(body):
            place = (*at, number)
            if self.over(now, node, place):
                continue
            if all(self.let_go(now, path) for path in node.waits):
                match node:
                    case Parallel():
                        yield from self._turn(now, node.body, place, in_parallel=True)
                    case If() if (branch := self.branch(now, place)) is not None:
                        block = (node.then, node.otherwise)[branch]
                        yield from self._turn(now, block, (*place, branch), in_parallel=False)
                    case _:
                        yield place
            if not in_parallel:
                return

    def branch(self, now: Now, place: Place) -> int | None:
        """The branch that was taken at an `if`, None before."""
        return next((b for b in (0, 1) if (*place, b) in now.taken), None)

    def over(self, now: Now, node: Node, place: Place) -> bool:
        """True when a statement with all that is in it has settled."""
        match node:
            case Parallel(body=body):
                return all(self.over(now, each, (*place, n)) for n, each in enumerate(body))
            case If(then=then, otherwise=otherwise):
                branch = self.branch(now, place)
                if branch is None:
                    return False
                block = (then, otherwise)[branch]
                return all(
                    self.over(now, each, (*place, branch, n)) for n, each in enumerate(block)
                )
            case _:
                return place in now.settled

    def let_go(self, now: Now, path: str) -> bool:
        """True when every statement with a path has settled or will never run."""
        return all(
            self.over(now, self.nodes[place], place) or self.passed(now, place)
            for place in self.twins.get(path, [])
        )

    def passed(self, now: Now, place: Place) -> bool:
        """True for a statement in a branch that was not taken."""
        return any(
            (*place[:length], 1 - place[length]) in now.taken
            for length in range(1, len(place))
            if isinstance(self.nodes.get(place[:length]), If)
        )


def _places(body: tuple[Node, ...], at: Place) -> Iterator[tuple[Place, Node]]:
    for number, node in enumerate(body):
        place = (*at, number)
        yield place, node
        match node:
            case If(then=then, otherwise=otherwise):
                yield from chain(_places(then, (*place, 0)), _places(otherwise, (*place, 1)))
            case Parallel(body=inner):
                yield from _places(inner, place)
            case _:
                pass
