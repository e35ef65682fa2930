"""Recoveries: the kernel lives through each failure of a plan, and what it does is written down.

On each way through the plan one run goes forward; where something may fail, a fork of it fails.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from .events import Fault
from .kernel import views
from .kernel.commands import Answer, Call
from .kernel.index import Index
from .kernel.people import Rejected, Request, Verb
from .leading import POINT, Leading
from .paths import static
from .plan import Gate, Plan, SagaCall, Scope, Step, Wait, definition, statements
from .samples import sample, sample_answer, sample_inputs
from .shapes import Schema
from .simulator import Reply, Simulator, World
from .values import encode
from .ways import Point, Sides, Way, Ways
from .wording import arguments


class Undoing(Struct, frozen=True):
    """One undo of a recovery plan: the step, the undo's tool, its arguments as written.

    A saga that is the undo comes before its own calls, which have in `inside` the path of the step
    that they take back.
    """

    path: str
    tool: str
    arguments: str
    inside: str = ""


class Recovery(Struct, frozen=True):
    """What happens after a failure at one point; `how` says in words how it fails.

    `tier` is 3 (undone by itself) or 4 (people are asked, as `asks` says), `stays` names the steps
    whose effects remain, `ends` the run's status then. `after` names what runs when all is undone:
    the steps of an `on rollback`, and correctives. A run that ends *succeeded* has gone on. Before
    the failure the `else` of what is in `through` had run: of a scope that had failed, of an `if`
    whose condition was false.
    """

    at: str
    tier: int
    undo: tuple[Undoing, ...]
    stays: tuple[str, ...]
    asks: str
    ends: str
    after: tuple[str, ...] = ()
    through: tuple[str, ...] = ()
    how: str = ""


SOON, LATE = 100, 1_000
"""Milliseconds within which everything happens, and after which what fails does."""


class _Led(NamedTuple):
    """A plan led on one way, with what every run of it needs."""

    plan: Plan
    numbered: Index
    identity: str
    called: dict[str, Step | SagaCall]
    after: frozenset[str]


class _Failure(NamedTuple):
    """One failure to be lived through: a point on a way, and the paths of the run that fail."""

    number: int
    point: Point
    through: Way
    targets: frozenset[str]


class Recoveries:
    """The recoveries of one plan from some of its points of failure; `ways` knows all of them."""

    def __init__(
        self,
        plan: Plan,
        points: Sequence[Point],
        ways: Ways,
        tell: Callable[[int, int], None] | None = None,
    ) -> None:
        self._tell = tell
        self._done = self._all = 0
        self._plan = plan
        self._points = points
        self._ways = ways
        self._schema = Schema.of(plan)
        self._people = _everybody(plan)
        self._plans: dict[Sides, _Led] = {}

    def of(self, wanted: Sequence[Point]) -> Iterator[Recovery]:
        """Gives what happens after a failure at each of some points.

        There is another recovery when the `else` of what is before has run, where it is different.
        """
        runs = [
            (order, sides, failures)
            for order, way in enumerate(self._ways.ways)
            for sides, failures in self._together(way, wanted).items()
        ]
        self._all = sum(len(failures) for _, _, failures in runs)
        found: dict[tuple[int, int], Recovery] = {}
        for order, sides, failures in runs:
            life = _Life(self, self._led(sides), self._ways.late(sides), failures)
            for failure, recovery in life.recoveries():
                found[failure.number, order] = recovery
        seen: set[tuple[int, object]] = set()
        for (number, _), recovery in sorted(found.items(), key=lambda each: each[0]):
            said = number, (recovery.undo, recovery.stays)
            if said not in seen:
                seen.add(said)
                yield recovery

    def _together(self, way: Way, wanted: Sequence[Point]) -> dict[Sides, list[_Failure]]:
        """Gives the failures on a way, together where one run comes to them."""
        found: dict[Sides, list[_Failure]] = defaultdict(list)
        for number, point in enumerate(wanted):
            through = self._ways.through(way, point)
            if not way or through:
                sides = self._ways.sides(way, point)
                targets = self._ways.targets(point, sides)
                found[sides].append(_Failure(number, point, through, targets))
        return found

    def told(self) -> None:
        """Tells that one more failure has been lived through."""
        self._done += 1
        if self._tell is not None:
            self._tell(self._done, self._all)

    def _led(self, sides: Sides) -> _Led:
        """Gives the plan led on a way; where only scopes fail on it, it is the same plan."""
        decided = self._ways.decided(sides)
        if decided not in self._plans:
            self._plans[decided] = self._lead(decided)
        return self._plans[decided]

    def _lead(self, sides: Sides) -> _Led:
        plan = Leading(self._plan, self._points, self._schema, sides).plan()
        nodes = list(statements(plan.body))
        called = {
            static(node.path): node
            for node in nodes
            if isinstance(node, Step | SagaCall) and not _stands_in(node)
        }
        blocks = (plan.on_rollback, *(n.on_rollback for n in nodes if isinstance(n, SagaCall)))
        after = frozenset(node.path for block in blocks for node in statements(block))
        return _Led(plan, Index(plan), definition(plan), called, after)

    def begun(self, led: _Led, world: World) -> Simulator:
        """Gives a run of a led plan that has not gone anywhere yet."""
        samples = sample_inputs(led.plan.parameters, self._schema)
        return Simulator(
            led.plan,
            {name: encode(value) for name, value in samples.items()},
            world,
            groups=self._people,
            index=led.numbered,
            identity=led.identity,
        )

    def said(self, simulator: Simulator, no: frozenset[str]) -> Request:
        """Gives what somebody says: yes to everything but `no`, and to that last."""
        rows = views.waiting_for(simulator.state)
        row = next((row for row in rows if row["path"] not in no), rows[0])
        actor = f"person-{len(simulator.events)}"
        if row["kind"] == "signal":
            nodes = statements(simulator.index.plan.body)
            node = next(node for node in nodes if node.path == static(row["path"]))
            assert isinstance(node, Wait)
            value = encode(sample(node.type, self._schema))
            return Request("signal", actor=actor, path=row["path"], value=value)
        verb: Verb = "reject" if row["path"] in no else "approve"
        return Request(verb, actor=actor, path=row["path"])

    def world(self, led: _Led, refused: frozenset[str]) -> World:
        """Gives services that answer samples, and refuse what is to fail."""
        tools = {tool.name: tool for tool in led.plan.tools}

        def world(call: Call) -> Reply:
            if call.purpose == "do" and call.path in refused:
                answer = Answer("raised", fault=Fault("Refused"), classes=("Refused",))
                return Reply(answer, LATE)
            return Reply(
                Answer("returned", sample_answer(tools[call.tool], call.args, self._schema))
            )

        return world

    def around(self, point: Point) -> list[str]:
        """Gives the paths of the scopes that a point is in."""
        return [node.path for node, _ in self._ways.around(point.node) if isinstance(node, Scope)]


class _Life:
    """One run on its way, and a fork of it for each failure."""

    def __init__(
        self, plans: Recoveries, led: _Led, passed: frozenset[str], failures: list[_Failure]
    ) -> None:
        self._plans = plans
        self._led = led
        self._passed = passed
        self._failures = failures
        self._due: dict[str, list[_Failure]] = defaultdict(list)
        for failure in failures:
            for path in failure.targets:
                self._due[path].append(failure)
        self._found: dict[int, Recovery] = {}
        self._well = plans.world(led, passed)
        self._run = plans.begun(led, self._world)

    def recoveries(self) -> Iterator[tuple[_Failure, Recovery]]:
        """Goes forward, and gives what happens after each failure."""
        status = self._lived(self._run, frozenset(), self._meet)
        for failure in self._failures:
            recovery = self._found.get(failure.number) or self._ended(failure, status)
            if recovery is not None:
                yield failure, recovery

    def _meet(self, path: str) -> None:
        """Lets forks fail for which people say no, or nothing comes from outside."""
        for failure in self._due.pop(path, ()):
            self._fail(failure, None)

    def _world(self, call: Call) -> Reply:
        if call.purpose == "do":
            for failure in self._due.pop(call.path, ()):
                self._fail(failure, call)
        return self._well(call)

    def _fail(self, failure: _Failure, call: Call | None) -> None:
        """Lets a fork of the run fail, with the call that has just gone out, if it is one."""
        if failure.number in self._found:
            return
        since = self._run.state.n
        world = self._plans.world(self._led, self._passed | failure.targets)
        fork = self._run.fork(world)
        if call is not None:
            fork.serve(call)
        status = self._lived(fork, failure.targets)
        self._found[failure.number] = self._recovery(failure, fork, status, since)
        self._plans.told()

    def _lived(
        self,
        run: Simulator,
        targets: frozenset[str],
        meet: Callable[[str], None] = lambda path: None,
    ) -> str:
        """Goes to the end, and lets everything else be done before something fails.

        People say yes, and at last no to what fails; a signal that fails does not come. `meet` is
        told of everything that is waited for.
        """
        while True:
            status = run.run(within=SOON)
            rows = views.waiting_for(run.state)
            for row in rows:
                meet(row["path"])
            refused = all(row["path"] in targets for row in rows)
            if refused and not (rows and rows[0]["kind"] == "gate"):
                before = run.state.n
                status = run.run()
                if run.state.n == before:
                    return status
                continue
            try:
                run.ask(self._plans.said(run, targets))
            except Rejected:
                return status

    def _ended(self, failure: _Failure, status: str) -> Recovery | None:
        """Gives what has become of a run that fails by itself, or never came to its failure."""
        paths = failure.targets
        since = next((event.n for event in self._run.events if event.path in paths), None)
        self._plans.told()
        if since is None and failure.through:
            return None
        return self._recovery(failure, self._run, status, since or 0)

    def _recovery(
        self, failure: _Failure, simulator: Simulator, status: str, since: int
    ) -> Recovery:
        undone: dict[Undoing, None] = {}
        after: list[str] = []
        # What was taken back on the way is no part of this failure; what is around it is.
        around = self._plans.around(failure.point)
        begin = since if failure.through else 0
        for event in simulator.events:
            begun = event.kind == "chosen" and event.direction == "undo"
            if not (event.kind == "intent" or begun) or event.attempt != 1:
                continue
            path = static(event.path)
            if event.n < begin and not any(path.startswith(f"{scope}.") for scope in around):
                continue
            if event.direction == "undo":
                undoing = self._undoing(simulator, event.path, event.data)
                if failure.point.closing:
                    # Items fail before too many have: what is done last says the order.
                    undone.pop(undoing, None)
                undone.setdefault(undoing)
            elif event.direction == "corrective":
                after.append(f"corrective of {path}")
            elif path in self._led.after:
                after.append(path)
        incident = views.open_incident(simulator.state)
        standing = dict.fromkeys(map(static, views.standing(simulator.state)))
        return Recovery(
            failure.point.node.path,
            4 if incident else 3,
            tuple(undone),
            () if status == "succeeded" else tuple(standing),
            incident.summary if incident is not None else "",
            status,
            tuple(after),
            tuple(node.path for node in failure.through),
            failure.point.how,
        )

    def _undoing(self, simulator: Simulator, path: str, data: dict[str, object]) -> Undoing:
        s = simulator.state.steps[path]
        if s.frame.undo_of:
            call = self._led.numbered.entries[s.site.number].statement
            assert isinstance(call, Step)
            return Undoing(static(path), call.tool, arguments(call.args), static(s.frame.undo_of))
        undo = self._led.called[static(path)].undos[int(str(data["ordinal"]))]
        return Undoing(static(path), undo.tool, arguments(undo.args))


def _stands_in(node: Step | SagaCall) -> bool:
    return isinstance(node, Step) and node.tool == POINT.name


def _everybody(plan: Plan) -> dict[str, list[str]]:
    people = [f"person-{k}" for k in range(10_000)]
    groups = {n.group for n in statements(plan.body) if isinstance(n, Gate)}
    for tool in plan.tools:
        groups |= {e.corrective.needs for e in tool.effects if e.corrective is not None}
    return dict.fromkeys(groups, people)
