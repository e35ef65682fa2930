"""The recovery plan of each point of failure, found by letting the kernel live through it.

Values do not exist yet: conditions are set to what leads to the failure, services answer samples,
arguments are shown as they are written. Beside a failing call everything else has landed: what
is shown is the most that may have to be taken back.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from .events import Fault
from .formula import Formula, Literal, Type
from .kernel import views
from .kernel.commands import Answer, Call
from .kernel.people import Rejected, Request, Verb
from .plan import Gate, If, Node, Parallel, Plan, Requires, Step, Tool, Undo, statements
from .samples import sample_answer, sample_inputs
from .shapes import Schema
from .simulator import Reply, Simulator
from .values import encode

_TRUE = Formula(Literal(True), Type("bool"), "true")
_FALSE = Formula(Literal(False), Type("bool"), "false")


class Undoing(Struct, frozen=True):
    """One undo of a recovery plan: the step, the undo's tool, its arguments as written."""

    path: str
    tool: str
    arguments: str


class Recovery(Struct, frozen=True):
    """What happens after a failure at one point.

    `tier` is 3 (undone by itself) or 4 (people are asked, as `asks` says), `stays` names the steps
    whose effects remain, `ends` the run's status then.
    """

    at: str
    tier: int
    undo: tuple[Undoing, ...]
    stays: tuple[str, ...]
    asks: str
    ends: str


class Foresight(Struct, frozen=True):
    """A plan before it runs: the order of its statements, and the recovery of each failure."""

    order: tuple[dict[str, Any], ...]
    failures: tuple[Recovery, ...]


def foresee(plan: Plan, only: str | None = None) -> Foresight:
    """Gives what would happen, for every point of failure or for the one at path `only`."""
    tools = {tool.name: tool for tool in plan.tools}
    points = [node for node in statements(plan.body) if _may_fail(node, tools)]
    failures = tuple(_live_through(plan, node) for node in points if only in (None, node.path))
    return Foresight(tuple(_order(plan, tools)), failures)


def _may_fail(node: Node, tools: dict[str, Tool]) -> bool:
    match node:
        case Step(on_failure="continue"):
            return False
        case Step():
            tool = tools[node.tool]
            refusable = bool(tool.fails or tool.requires or node.until or node.expecting)
            return refusable or node.retry.attempts is not None
        case Gate() | Requires():
            return True
        case _:
            return False


def _order(plan: Plan, tools: dict[str, Tool]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for node in statements(plan.body):
        match node:
            case Step():
                changes = [e.kind for e in tools[node.tool].effects]
                rows.append({"path": node.path, "calls": node.tool, "changes": changes})
            case Gate():
                rows.append({"path": node.path, "asks": f"{node.needs} of {node.group}"})
            case Requires():
                rows.append({"path": node.path, "requires": node.test.source})
            case _:
                continue
    return rows


def _live_through(plan: Plan, point: Node) -> Recovery:
    schema = Schema.of(plan)
    led = replace(
        plan,
        body=_led(plan.body, point),
        tools=tuple(replace(t, requires=(), ensures=()) for t in plan.tools),
        deadline=None,
    )
    tools = {tool.name: tool for tool in led.tools}
    there: set[str] = set()

    def world(call: Call) -> Reply:
        if call.purpose == "do" and call.path == point.path:
            refused = Answer("raised", fault=Fault("Refused"), classes=("Refused",))
            return Reply(refused, min(call.timeout, 1_000))
        if call.purpose in ("verify", "inspect", "evidence"):
            if call.path not in there:
                return Reply(Answer("returned", None))
            # A sample cannot meet the conditions of a verify block, so it gives no verdict.
            return Reply(Answer("raised", fault=Fault("NotKnown"), classes=("NotKnown",)))
        if call.purpose == "do":
            there.add(call.path)
        elif call.purpose == "undo":
            there.discard(call.path)
        return Reply(Answer("returned", sample_answer(tools[call.tool], call.args, schema)))

    inputs = {name: encode(v) for name, v in sample_inputs(led.parameters, schema).items()}
    simulator = Simulator(led, inputs, world, groups=_everybody(led))
    status = simulator.run()
    while status == "waiting":
        waiting = views.waiting_for(simulator.state)[0]["path"]
        verb: Verb = "reject" if waiting == point.path else "approve"
        try:
            simulator.ask(Request(verb, actor=f"person-{len(simulator.events)}", path=waiting))
        except Rejected:
            break
        status = simulator.run()
    return _recovery(plan, simulator, point, status)


def _recovery(plan: Plan, simulator: Simulator, point: Node, status: str) -> Recovery:
    steps = {n.path: n for n in statements(plan.body) if isinstance(n, Step)}
    undone: list[Undoing] = []
    for event in simulator.events:
        if event.kind == "intent" and event.direction == "undo" and event.attempt == 1:
            undo = steps[event.path].undos[int(event.data["ordinal"])]
            undone.append(Undoing(event.path, undo.tool, _written(undo)))
    incident = views.open_incident(simulator.state)
    stays = tuple(views.standing(simulator.state))
    asks = incident.summary if incident is not None else ""
    return Recovery(point.path, 4 if incident else 3, tuple(undone), stays, asks, status)


def _written(undo: Undo) -> str:
    return ", ".join(argument.value.source for argument in undo.args)


def _everybody(plan: Plan) -> dict[str, list[str]]:
    people = [f"person-{k}" for k in range(10_000)]
    groups = {n.group for n in statements(plan.body) if isinstance(n, Gate)}
    groups |= {guard.group for guard in plan.guards}
    for tool in plan.tools:
        groups |= {e.corrective.needs for e in tool.effects if e.corrective is not None}
    return dict.fromkeys(groups, people)


def _led(body: tuple[Node, ...], point: Node) -> tuple[Node, ...]:
    """Gives a body whose conditions lead to a point and fail there, if it is a condition itself."""
    led: list[Node] = []
    for node in body:
        match node:
            case Step():
                led.append(replace(node, when=None, until=None, expecting=None))
            case Gate():
                led.append(replace(node, when=None, within=None))
            case Requires():
                led.append(replace(node, test=_FALSE if node == point else _TRUE))
            case If():
                inside = _holds(node.otherwise, point)
                condition = _FALSE if inside else _TRUE
                then, otherwise = _led(node.then, point), _led(node.otherwise, point)
                led.append(replace(node, condition=condition, then=then, otherwise=otherwise))
            case Parallel():
                led.append(replace(node, body=_led(node.body, point)))
            case _:
                led.append(node)
    return tuple(led)


def _holds(body: tuple[Node, ...], point: Node) -> bool:
    return any(node is point for node in statements(body))
