"""The recovery plan of each point of failure, found by letting the kernel live through it.

Values do not exist yet: conditions are set to what leads to the failure, services answer samples,
arguments are shown as they are written. Beside a failing call everything else has landed: what
is shown is the most that may have to be taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from .events import Fault
from .kernel import views
from .kernel.commands import Answer, Call
from .kernel.index import Index
from .kernel.people import Rejected, Request, Verb
from .leading import POINT, Leading, forward, may_fail
from .paths import static
from .plan import (
    AgentCall,
    Each,
    First,
    Gate,
    Node,
    Plan,
    Repeat,
    Requires,
    SagaCall,
    Scope,
    Sleep,
    Step,
    Tool,
    Wait,
    definition,
    statements,
)
from .samples import sample, sample_answer, sample_inputs
from .shapes import Schema
from .simulator import Reply, Simulator, World
from .values import encode
from .wording import arguments, duration


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
    """What happens after a failure at one point.

    `tier` is 3 (undone by itself) or 4 (people are asked, as `asks` says), `stays` names the steps
    whose effects remain, `ends` the run's status then. `after` names what runs when all is undone:
    the steps of an `on rollback`, and correctives. A run that ends *succeeded* has gone on. Before
    the failure the scopes in `through` had failed, and their `else` had run.
    """

    at: str
    tier: int
    undo: tuple[Undoing, ...]
    stays: tuple[str, ...]
    asks: str
    ends: str
    after: tuple[str, ...] = ()
    through: tuple[str, ...] = ()


class Foresight(Struct, frozen=True):
    """A plan before it runs: the order of its statements, and the recovery of each failure.

    A row of `order` has the path, how deep it is in bodies (`in`), and one of: `calls` with
    `changes`, `asks`, `requires`, `waits`, `sleeps`, `repeats`, `scope`, `runs`, `lets`.
    """

    order: tuple[dict[str, Any], ...]
    failures: tuple[Recovery, ...]


def foresee(
    plan: Plan, only: str | None = None, tell: Callable[[int, int], None] | None = None
) -> Foresight:
    """Gives what would happen, for every point of failure or for the one at path `only`.

    In `only` the star of items may be left out: `picks.pick`. `tell` is told how many points of how
    many are done: for n of them n runs are lived through, most of one plan. Each comes to its
    failure and undoes what was done, so that time grows as the listing does, with n² in a sequence;
    a copy of a state on the way costs as much as coming to it anew.
    """
    tools = {tool.name: tool for tool in plan.tools}
    points = [node for node, _ in forward(plan.body) if may_fail(node, tools)]
    if only is not None:
        wanted = _bare(only)
        points = [node for node in points if _bare(node.path) == wanted]
    foreseer = _Foreseer(plan)
    failures: list[Recovery] = []
    for number, node in enumerate(points, 1):
        failures.extend(foreseer.recoveries(node))
        if tell is not None:
            tell(number, len(points))
    return Foresight(tuple(_order(plan, tools)), tuple(failures))


def _bare(path: str) -> str:
    return static(path).replace("[*]", "")


def _order(plan: Plan, tools: dict[str, Tool]) -> list[dict[str, Any]]:
    agents = {agent.name: agent for agent in plan.agents}
    rows: list[dict[str, Any]] = []
    for node, depth in forward(plan.body):
        said: dict[str, Any]
        match node:
            case Step():
                changes = [effect.kind for effect in tools[node.tool].effects]
                said = {"calls": node.tool, "changes": changes}
            case Gate():
                said = {"asks": f"{node.needs} of {node.group}"}
            case Requires():
                said = {"requires": node.test.source}
            case Wait():
                said = {"waits": str(node.type)}
            case Sleep():
                said = {"sleeps": duration(node.length)}
            case Each():
                said = {"repeats": f"for each {node.variable} in {node.items.source}"}
            case First():
                said = {"repeats": f"for the first {node.variable} in {node.items.source}"}
            case Repeat():
                said = {"repeats": f"at most {node.limit} times, from {node.start.source}"}
            case Scope():
                said = {"scope": "rolled back alone"}
            case SagaCall():
                said = {"runs": node.saga}
            case AgentCall():
                said = {"lets": node.agent, "use": [u.tool for u in agents[node.agent].uses]}
            case _:
                continue
        rows.append({"path": node.path, **said, **({"in": depth} if depth else {})})
    return rows


class _Led(NamedTuple):
    """A plan led to some failure, with what every run of it needs."""

    plan: Plan
    numbered: Index
    identity: str
    called: dict[str, Step | SagaCall]
    after: frozenset[str]


class _Foreseer:
    """Lives through the failures of one plan; most of them lead the plan in the same way."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._schema = Schema.of(plan)
        self._people = _everybody(plan)
        self._usual: _Led | None = None

    def recoveries(self, point: Node) -> Iterator[Recovery]:
        """Gives what happens after a failure at one point.

        There is another one when the `else` of scopes before it has run, where that is different.
        """
        usual = self._live_through(Leading(self._plan, point, self._schema), point)
        assert usual is not None
        yield usual
        leading = Leading(self._plan, point, self._schema, otherwise=True)
        other = self._live_through(leading, point) if leading.through else None
        if other is not None and (other.undo, other.stays) != (usual.undo, usual.stays):
            yield replace(other, through=leading.through)

    def _live_through(self, leading: Leading, point: Node) -> Recovery | None:
        """Gives what happens after a failure; None when the run ends before it comes to that."""
        led = self._led(leading)
        world = _world(led.plan, leading.targets, self._schema)
        samples = sample_inputs(led.plan.parameters, self._schema)
        simulator = Simulator(
            led.plan,
            {name: encode(value) for name, value in samples.items()},
            world,
            groups=self._people,
            index=led.numbered,
            identity=led.identity,
        )
        status = simulator.run()
        while status == "waiting":
            try:
                simulator.ask(_answer(simulator, leading.targets, self._schema))
            except Rejected:
                break
            status = simulator.run()
        reached = next((e.n for e in simulator.events if e.path == leading.target), None)
        if reached is None and leading.through:
            return None
        # What those scopes took back before is no part of this failure.
        since = reached if reached is not None and leading.through else 0
        return _recovery(led, simulator, point, status, since, leading.around)

    def _led(self, leading: Leading) -> _Led:
        if leading.usual and self._usual is not None:
            return self._usual
        plan = leading.plan()
        nodes = list(statements(plan.body))
        called = {
            static(node.path): node
            for node in nodes
            if isinstance(node, Step | SagaCall) and not _stands_in(node)
        }
        blocks = (plan.on_rollback, *(n.on_rollback for n in nodes if isinstance(n, SagaCall)))
        after = frozenset(node.path for block in blocks for node in statements(block))
        led = _Led(plan, Index(plan), definition(plan), called, after)
        if leading.usual:
            self._usual = led
        return led


def _world(led: Plan, targets: frozenset[str], schema: Schema) -> World:
    """Gives services that answer samples, and refuse what is to fail."""
    tools = {tool.name: tool for tool in led.tools}

    def world(call: Call) -> Reply:
        if call.purpose == "do" and call.path in targets:
            refused = Answer("raised", fault=Fault("Refused"), classes=("Refused",))
            return Reply(refused, min(call.timeout, 1_000))
        return Reply(Answer("returned", sample_answer(tools[call.tool], call.args, schema)))

    return world


def _answer(simulator: Simulator, targets: frozenset[str], schema: Schema) -> Request:
    """Gives what somebody says: yes to all but the targets, and to those last."""
    rows = views.waiting_for(simulator.state)
    row = next((row for row in rows if row["path"] not in targets), rows[0])
    actor = f"person-{len(simulator.events)}"
    if row["kind"] == "signal":
        node = next(
            n for n in statements(simulator.index.plan.body) if n.path == static(row["path"])
        )
        assert isinstance(node, Wait)
        value = encode(sample(node.type, schema))
        return Request("signal", actor=actor, path=row["path"], value=value)
    verb: Verb = "reject" if row["path"] in targets else "approve"
    return Request(verb, actor=actor, path=row["path"])


def _recovery(
    led: _Led, simulator: Simulator, point: Node, status: str, since: int, around: Sequence[str]
) -> Recovery:
    undone: dict[Undoing, None] = {}
    after: list[str] = []
    for event in simulator.events:
        begun = event.kind == "chosen" and event.direction == "undo"
        if not (event.kind == "intent" or begun) or event.attempt != 1:
            continue
        path = static(event.path)
        if event.n < since and not any(path.startswith(f"{scope}.") for scope in around):
            continue
        s = simulator.state.steps[event.path]
        if event.direction == "undo" and s.frame.undo_of:
            call = led.numbered.entries[s.site.number].statement
            assert isinstance(call, Step)
            outer = static(s.frame.undo_of)
            undone.setdefault(Undoing(path, call.tool, arguments(call.args), outer))
        elif event.direction == "undo":
            undo = led.called[path].undos[int(event.data["ordinal"])]
            undone.setdefault(Undoing(path, undo.tool, arguments(undo.args)))
        elif event.direction == "corrective":
            after.append(f"corrective of {path}")
        elif path in led.after:
            after.append(path)
    incident = views.open_incident(simulator.state)
    on = status == "succeeded"
    stays = () if on else tuple(dict.fromkeys(map(static, views.standing(simulator.state))))
    asks = incident.summary if incident is not None else ""
    tier = 4 if incident else 3
    return Recovery(point.path, tier, tuple(undone), stays, asks, status, tuple(after))


def _stands_in(node: Step | SagaCall) -> bool:
    return isinstance(node, Step) and node.tool == POINT.name


def _everybody(plan: Plan) -> dict[str, list[str]]:
    people = [f"person-{k}" for k in range(10_000)]
    groups = {n.group for n in statements(plan.body) if isinstance(n, Gate)}
    for tool in plan.tools:
        groups |= {e.corrective.needs for e in tool.effects if e.corrective is not None}
    return dict.fromkeys(groups, people)
