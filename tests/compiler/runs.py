"""Every run of a small plan, found by playing it: what the analyses are held against.

This is the order of the language, its loops, boundaries and failures told once more and as plainly
as can be, without the compiler. A list has so many items as there can be at once and tolerated, and
one more; an agent makes two calls.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sagalang.compiler.proving.view import View
from sagalang.runtime.plan import (
    AgentCall,
    Each,
    First,
    Gate,
    If,
    Node,
    Parallel,
    Plan,
    Repeat,
    SagaCall,
    Scope,
    Step,
    Wait,
    blocks,
    statements,
)

Place = tuple[int, ...]
"""The way to a statement: from each block, its number (branch, side, item) and the position."""
Frame = tuple[int, ...]
"""The way to a block: the place of a statement, and the number of the block."""
Landing = tuple[Place, str, int]
"""A call that has landed: where, of which tool, and which of an agent's."""
Leaf = tuple[int, bool]
"""What can fail: the identity of a node, and whether only when all inside it is over."""

MANY = 3_000
"""States of a plan beyond which it is not small."""


@dataclass(frozen=True)
class Now:
    """One state: what has settled and landed, what was decided, what has been rolled back alone."""

    settled: frozenset[Place] = frozenset()
    landed: frozenset[Landing] = frozenset()
    chosen: frozenset[tuple[Place, int]] = frozenset()
    fallen: frozenset[Frame] = frozenset()
    stands: frozenset[Landing] = frozenset()


@dataclass(frozen=True)
class Failure:
    """What fails in a state, and the boundary that catches it."""

    now: Now
    place: Place
    leaf: Leaf
    catch: Frame


@dataclass
class Runs:
    """All states that a plan can be in before the first effect of what `until` names.

    `fallible` is what can fail; `pivots` the names of tools that nothing takes back.
    """

    plan: Plan
    until: Collection[str] = ()
    fallible: Collection[Leaf] = ()
    pivots: Collection[str] = ()
    many: int = MANY
    failures: list[Failure] = field(default_factory=list[Failure])
    following: dict[Now, list[Now]] = field(default_factory=dict[Now, list[Now]])

    def __post_init__(self) -> None:
        self.tools = {tool.name: tool for tool in self.plan.tools}
        self.agents = {agent.name: agent for agent in self.plan.agents}
        self.never = {id(node) for node in self._ended()}
        self.twins: dict[int, Mapping[str, list[Place]]] = {}
        self.known: dict[Place, Node] = {}
        self.here: tuple[Now, dict[Place, int]] = (Now(), {})

    def _ended(self) -> Iterator[Node]:
        for node in statements(self.plan.body):
            if node.path not in self.until:
                continue
            if not blocks(node):
                yield node
            for inner in statements((node,)):
                if isinstance(inner, AgentCall):
                    uses = self.agents[inner.agent].uses
                    if any(self.tools[use.tool].effects for use in uses):
                        yield inner
                elif isinstance(inner, Step) and self.tools[inner.tool].effects:
                    yield inner

    def states(self) -> set[Now]:
        """Every state that can be reached; `OverflowError` when the plan is not small."""
        todo = [Now()]
        self.following = {Now(): []}
        while todo:
            now = todo.pop()
            found = list(dict.fromkeys(self.after(now)))
            self.following[now] = found
            for each in found:
                if each not in self.following:
                    self.following[each] = []
                    todo.append(each)
            if len(self.following) > self.many:
                raise OverflowError
        return set(self.following)

    def node(self, place: Place) -> Node:
        """The statement at a place."""
        if place not in self.known:
            around = place[:-2]
            body = _block(self.node(around), place[-2]) if around else self.plan.body
            self.known[place] = body[place[-1]]
        return self.known[place]

    def after(self, now: Now) -> Iterator[Now]:
        """Every state that one event leads to."""
        for place, closing in self.turns(now):
            node = self.node(place)
            if (id(node), closing) in self.fallible:
                yield from self.failing(now, place, (id(node), closing))
            if not closing:
                yield from self.happening(now, place, node)

    def happening(self, now: Now, place: Place, node: Node) -> Iterator[Now]:
        done = replace(now, settled=now.settled | {place})
        never = id(node) in self.never
        match node:
            case If():
                yield from (self._choose(now, place, branch) for branch in (0, 1))
            case Each(at_once=many, tolerate=failed):
                yield from (self._choose(now, place, n) for n in range(many + failed + 2))
            case First():
                yield from (self._choose(now, place, n) for n in range(3))
            case Repeat(limit=limit):
                yield from (self._choose(now, place, n) for n in range(1, limit + 2))
            case SagaCall(when=when):
                yield self._choose(now, place, 1)
                if when is not None:
                    yield done
            case AgentCall(agent=agent):
                made = [each for each in now.landed if each[0] == place]
                most = self.agents[agent].at_most
                if not never and len(made) < (2 if most is None else min(most, 2)):
                    for use in self.agents[agent].uses:
                        yield replace(now, landed=now.landed | {(place, use.tool, len(made))})
                if (id(node), True) in self.fallible:
                    yield from self.failing(now, place, (id(node), True))
                yield done
            case Step(tool=tool, when=when, on_failure=policy):
                if not never:
                    yield replace(done, landed=done.landed | {(place, tool, 0)})
                if when is not None or policy == "continue":
                    yield done
            case Gate(when=when, otherwise=policy):
                if not never or when is not None or policy == "continue":
                    yield done
            case Wait(otherwise=policy):
                if not never or policy == "continue":
                    yield done
            case _:
                if not never:
                    yield done

    def failing(self, now: Now, place: Place, leaf: Leaf) -> Iterator[Now]:
        """What a failure leads to: nothing when it ends the run, or a pivot has landed in it."""
        catch = self.catch(place)
        self.failures.append(Failure(now, place, leaf, catch))
        inside = {each for each in now.landed if within(each[0], catch)}
        if len(catch) == 1 or any(self.is_pivot(each) for each in inside):
            return
        owner = self.node(catch[:-1])
        if isinstance(owner, SagaCall) and owner.on_failure == "escalate":
            return
        left = {each for each in inside if self.accepted(each)}
        yield Now(
            frozenset(each for each in now.settled if not within(each, catch)),
            now.landed - inside,
            frozenset(each for each in now.chosen if not within(each[0], catch)),
            frozenset(each for each in now.fallen if not within(each, catch)) | {catch},
            now.stands | left,
        )

    def catch(self, place: Place) -> Frame:
        """The block that catches a failure at a place; that of the saga is the last."""
        while len(place) > 2:
            frame, place = place[:-1], place[:-2]
            match self.node(place):
                case Scope(otherwise=otherwise) if otherwise is not None and frame[-1] == 0:
                    return frame
                case First():
                    return frame
                case Each(tolerate=tolerate) if tolerate:
                    return frame
                case SagaCall(on_failure=policy) if policy != "rollback":
                    return frame
                case _:
                    pass
        return place[:1]

    def is_pivot(self, landing: Landing) -> bool:
        return landing[1] in self.pivots and not self.accepted(landing)

    def accepted(self, landing: Landing) -> bool:
        node = self.node(landing[0])
        accepted = isinstance(node, Step) and node.accepted is not None
        return accepted and self.tools[landing[1]].irreversible

    def _choose(self, now: Now, place: Place, what: int) -> Now:
        return replace(now, chosen=now.chosen | {(place, what)})

    def choice(self, now: Now, place: Place) -> int | None:
        """What was decided at a place: the branch, the number of items; None before."""
        if self.here[0] is not now:
            self.here = (now, dict(now.chosen))
        return self.here[1].get(place)

    def turns(self, now: Now) -> Iterator[tuple[Place, bool]]:
        """What can happen next, and whether it is what all inside of a statement has come to."""
        yield from self._turns(now, self.plan.body, (0,), in_parallel=False)

    def _turns(
        self, now: Now, body: tuple[Node, ...], frame: Frame, *, in_parallel: bool
    ) -> Iterator[tuple[Place, bool]]:
        for number, node in enumerate(body):
            place = (*frame, number)
            if self.over(now, node, place):
                continue
            if all(self.let_go(now, place, path) for path in node.waits):
                yield from self._inside(now, node, place)
            if not in_parallel:
                return

    def _inside(self, now: Now, node: Node, place: Place) -> Iterator[tuple[Place, bool]]:
        chosen = self.choice(now, place)
        match node:
            case Parallel(body=body):
                yield from self._turns(now, body, (*place, 0), in_parallel=True)
            case Scope():
                side = int((*place, 0) in now.fallen)
                yield from self._turns(now, _block(node, side), (*place, side), in_parallel=False)
            case _ if chosen is None:
                yield place, False
            case If():
                yield from self._turns(
                    now, _block(node, chosen), (*place, chosen), in_parallel=False
                )
            case SagaCall(body=body):
                yield from self._turns(now, body, (*place, 0), in_parallel=False)
            case Each(body=body):
                failed = sum((*place, item) in now.fallen for item in range(chosen))
                if failed > node.tolerate:
                    yield place, True
                    return
                open_ = [i for i in range(chosen) if not self.item_over(now, node, place, i)]
                for item in open_[: node.at_once]:
                    yield from self._turns(now, body, (*place, item), in_parallel=False)
            case First(body=body):
                tried = next((i for i in range(chosen) if (*place, i) not in now.fallen), None)
                if tried is None:
                    yield place, True
                else:
                    yield from self._turns(now, body, (*place, tried), in_parallel=False)
            case Repeat(body=body, limit=limit):
                rounds = range(min(chosen, limit))
                turn = next((i for i in rounds if not self.item_over(now, node, place, i)), None)
                if turn is None:
                    yield place, True
                else:
                    yield from self._turns(now, body, (*place, turn), in_parallel=False)
            case _:
                raise TypeError(node.path)

    def item_over(self, now: Now, node: Node, place: Place, item: int) -> bool:
        """True when an item is over, rolled back or done."""
        if (*place, item) in now.fallen:
            return True
        return self.all_over(now, _block(node, item), (*place, item))

    def all_over(self, now: Now, body: tuple[Node, ...], frame: Frame) -> bool:
        return all(self.over(now, each, (*frame, n)) for n, each in enumerate(body))

    def over(self, now: Now, node: Node, place: Place) -> bool:
        """True when a statement with all that is in it has settled."""
        if place in now.settled:
            return True
        chosen = self.choice(now, place)
        match node:
            case Parallel(body=body):
                return self.all_over(now, body, (*place, 0))
            case Scope():
                side = int((*place, 0) in now.fallen)
                return self.all_over(now, _block(node, side), (*place, side))
            case _ if chosen is None:
                return False
            case If():
                return self.all_over(now, _block(node, chosen), (*place, chosen))
            case SagaCall(body=body):
                return (*place, 0) in now.fallen or self.all_over(now, body, (*place, 0))
            case Each(tolerate=tolerate):
                failed = sum((*place, item) in now.fallen for item in range(chosen))
                items = (self.item_over(now, node, place, i) for i in range(chosen))
                return failed <= tolerate and all(items)
            case First(body=body):
                return any(
                    (*place, i) not in now.fallen and self.all_over(now, body, (*place, i))
                    for i in range(chosen)
                )
            case Repeat(limit=limit):
                return chosen <= limit and all(
                    self.item_over(now, node, place, i) for i in range(chosen)
                )
            case _:
                return False

    def let_go(self, now: Now, place: Place, path: str) -> bool:
        """True when every statement of the same body with a path has settled or will never run."""
        frame = self.body_around(place)
        body = self.plan.body if len(frame) == 1 else _block(self.node(frame[:-1]), frame[-1])
        if id(body) not in self.twins:
            twins: dict[str, list[Place]] = {}
            for way, node in _ways(body, ()):
                twins.setdefault(node.path, []).append(way)
            self.twins[id(body)] = twins
        return all(
            self.over(now, self.node((*frame, *way)), (*frame, *way))
            or self.passed(now, (*frame, *way))
            for way in self.twins[id(body)].get(path, [])
        )

    def body_around(self, place: Place) -> Frame:
        """The body that a statement stands in, beyond `if` and `parallel`."""
        frame = place[:-1]
        while len(frame) > 1 and isinstance(self.node(frame[:-1]), If | Parallel):
            frame = frame[:-2]
        return frame

    def passed(self, now: Now, place: Place) -> bool:
        """True for a statement in a branch that was not taken."""
        for length in range(2, len(place), 2):
            chosen = self.choice(now, place[:length])
            if isinstance(self.node(place[:length]), If) and chosen not in (None, place[length]):
                return True
        return False


def within(place: Place | Frame, frame: Frame) -> bool:
    """True for what is inside a block."""
    return len(place) > len(frame) and place[: len(frame)] == frame


def _block(node: Node, number: int) -> tuple[Node, ...]:
    """A block of a statement by its number: of a loop all items have one."""
    return blocks(node)[0 if isinstance(node, Each | First | Repeat | Parallel) else number]


def _ways(body: tuple[Node, ...], at: Place) -> Iterator[tuple[Place, Node]]:
    """The statements of one body, beyond `if` and `parallel`, with the way to each."""
    for number, node in enumerate(body):
        yield (*at, number), node
        if isinstance(node, If | Parallel):
            for side, block in enumerate(blocks(node)):
                yield from _ways(block, (*at, number, side))


def failing(seen: View) -> frozenset[Leaf]:
    """What the compiler says can fail, as runs name it."""
    moments = (seen.graph.moments[index] for index in seen.failures)
    return frozenset((id(spot.node), spot.closing) for spot in moments)


def finals(seen: View) -> frozenset[str]:
    """The tools whose effect nothing takes back."""
    return frozenset(tool.name for tool in seen.plan.tools if tool.irreversible)
