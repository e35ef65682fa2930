"""The theorem, on random sagas and random faults: safety at every moment, and an end.

The judge is the scripted service, not the log: it counts what was applied and what was undone.
"""

from __future__ import annotations

import contextlib
import os
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from itertools import count

from hypothesis import HealthCheck, given, settings, strategies as st
from msgspec import structs

from sagalang.runtime.events import Event
from sagalang.runtime.formula import Formula, ListOf, Literal, Type
from sagalang.runtime.kernel import views
from sagalang.runtime.kernel.commands import Answer, Call
from sagalang.runtime.kernel.decide import begin, decide
from sagalang.runtime.kernel.fold import apply
from sagalang.runtime.kernel.people import Rejected, Request, Verb
from sagalang.runtime.kernel.state import State, StepState
from sagalang.runtime.plan import (
    Argument,
    Corrective,
    Gate,
    Idempotence,
    If,
    Let,
    Node as Statement,
    Plan,
    Tool,
    Undo,
    UndoSaga,
    Verify,
)
from sagalang.runtime.simulator import Reply, Simulator

from .kit import (
    JSON,
    called,
    each,
    first,
    following,
    parallel,
    plan,
    raised,
    read,
    ref,
    repeat,
    scope,
    sleep,
    step,
    text,
    tool,
    undo_saga,
    undo_tool,
    wait,
)

EXAMPLES = int(os.environ.get("SAGA_EXAMPLES", "0")) or 5 * settings().max_examples
"""How many random runs; `SAGA_EXAMPLES=1000000 pytest tests/kernel` is the long version."""

FAULTS = (
    "ok",
    "refuse",
    "refuse",
    "transient",
    "fail before",
    "lose",
    "late",
    "late beyond timeout",
)
TIMEOUT, SETTLE = 1_000, 5_000
TRUE = Formula(Literal(True), Type("bool"), "true")
FALSE = Formula(Literal(False), Type("bool"), "false")


class Service:
    """A service that does what each tool declares, with a fault for each call in turn.

    A thing is named by the path of the step that makes it; what undoes a whole saga undoes all of
    its things. A saga that is an undo has taken its thing back once its call `q`, the last, has
    landed.
    """

    def __init__(self, plan: Plan, faults: list[str]) -> None:
        self.tools = {t.name: t for t in plan.tools}
        self.faults = faults
        self.applied: dict[str, int] = defaultdict(int)
        self.undone: dict[str, int] = defaultdict(int)
        self.keys: set[str] = set()
        self.clock = 0
        self.refused: set[str] = set()
        self.final: set[str] = set()
        self.taken: dict[str, set[int]] = defaultdict(set)

    def net(self, thing: str) -> int:
        return self.applied[thing] - self.undone[thing]

    def within(self, path: str) -> list[str]:
        """The things that stand inside a called saga and can be taken back."""
        return [
            thing
            for thing in self.applied
            if thing.startswith(f"{path}.") and self.net(thing) > 0 and thing not in self.final
        ]

    def there(self, path: str) -> bool:
        if ".undo." in path:
            return path.endswith(".undo.q") and not self.taken[path]
        return self.net(path) > 0 or bool(self.within(path))

    def keyed(self, call: Call) -> bool:
        idempotent = self.tools[call.tool].idempotent
        return idempotent is not None and idempotent.by == "key"

    def change(self, call: Call) -> None:
        t = self.tools[call.tool]
        thing = call.path
        if self.keyed(call):
            if call.key in self.keys:
                return
            self.keys.add(call.key)
        undoing = call.purpose == "undo"
        thing, inside, last = thing.partition(".undo.")
        if inside:
            assert call.generation not in self.taken[call.path], "an undo landed twice"
            self.taken[call.path].add(call.generation)
            if last != "q":
                return
        if call.tool == "un_all":
            for each in self.within(thing):
                self.undone[each] += 1
            return
        if t.irreversible or call.path.rpartition(".")[2].startswith("r"):
            self.final.add(thing)
        if t.idempotent is not None and t.idempotent.by == "naturally":
            if undoing and self.net(thing) == 0:
                return
            if not undoing and self.net(thing) == 1:
                return
        if undoing and self.net(thing) == 0:
            return
        (self.undone if undoing else self.applied)[thing] += 1

    def __call__(self, call: Call) -> Reply:
        if call.tool == "look":
            there = self.net(call.path) > 0
            return Reply(Answer("returned", {"id": call.args["id"]} if there else None))
        fault = self.faults.pop() if self.faults else "ok"
        if call.key in self.refused:
            return raised("Refused")  # a known key gives the first result
        if fault == "refuse" and (call.purpose == "undo" or call.key in self.keys):
            fault = "ok"

        def change() -> None:
            self.change(call)

        answer = Answer("returned", {"id": call.args["id"]})
        match fault:
            case "refuse":
                if self.keyed(call):
                    self.keys.add(call.key)
                    self.refused.add(call.key)
                return raised("Refused")
            case "transient":
                return raised("Transient")
            case "fail before":
                return raised("ConnectionError")
            case "lose":
                return Reply(raised("ConnectionError").answer, 1, change, 1)
            case "late":
                return Reply(answer, 40, change, 30)
            case "late beyond timeout":
                # A service that knows keys may have refused a later attempt by then: no answer.
                told = None if self.keyed(call) else answer
                return Reply(told, TIMEOUT + 3_000, change, TIMEOUT + 2_000)
            case _:
                return Reply(answer, 2, change, 1)


@st.composite
def tools(draw: st.DrawFn, name: str) -> Tool:
    """A tool as the language allows one: any mix of class, verify, idempotence and undos."""
    idempotent = draw(st.sampled_from([None, Idempotence(by="key"), Idempotence(by="naturally")]))
    irreversible = draw(st.integers(0, 4)) == 0
    blind = draw(st.booleans())
    word = draw(st.sampled_from(["un", "un", "back"]))
    undo = Undo(
        tool=f"{word}_{name}",
        args=(Argument(name="id", value=ref("id" if blind else "result.id")),),
    )
    verify = None
    if draw(st.booleans()):
        verify = Verify(tool="look", args=(Argument(name="id", value=ref("id")),))
    return tool(
        name,
        cls="irreversible" if irreversible else "reversible",
        corrective=Corrective(text=text("make good")) if irreversible else None,
        idempotent=idempotent,
        undos=() if irreversible else (undo,),
        verify=verify,
        verify_always=draw(st.booleans()),
        timeout=TIMEOUT,
        settle=SETTLE,
    )


@st.composite
def steps(draw: st.DrawFn, of: Tool) -> Statement:
    """A step that calls a tool, perhaps under a condition, accepted, or going on after failure."""
    condition = draw(st.sampled_from([None, None, TRUE, FALSE]))
    accepted = text("known") if of.irreversible and draw(st.booleans()) else None
    on_failure = "rollback"
    if draw(st.integers(0, 4)) == 0:
        on_failure = "continue"
    called = step(of, when=condition, accepted=accepted, on_failure=on_failure)
    if draw(st.integers(0, 5)) == 0:
        taken = draw(st.sampled_from([TRUE, FALSE]))
        return If(path=f"if {of.name}", condition=taken, then=(called,))
    return called


@st.composite
def taking_back(draw: st.DrawFn, name: str, by: Tool) -> UndoSaga:
    """A saga that takes back what a tool has done: two calls at least, one after another."""
    call = partial(step, by, args=(Argument(name="id", value=ref("id")),))
    more: list[Statement] = []
    for kind in draw(st.lists(st.sampled_from(INSIDE), max_size=2, unique=True)):
        match kind:
            case "let":
                more.append(Let(path="l", name="l", value=ref("id")))
            case "read":
                more.append(step(read(), args=(Argument(name="id", value=ref("id")),)))
            case "each":
                more.append(each("m", TWO, call(name="i"), at_once=draw(st.integers(1, 2))))
            case "if":
                more.append(If(path="if#1", condition=TRUE, then=(call(name="j"),)))
            case "parallel":
                more.append(parallel(call(name="left"), call(name="right")))
            case "repeat":
                more.append(repeat("again", text("x"), call(name="k"), following(NOTHING)))
            case "call":
                more.append(called("inner", call(name="deep")))
            case _:
                more.append(call(name="never", when=FALSE))
    return undo_saga(name, call(name="p"), *more, call(name="q"))


INSIDE = ("let", "read", "each", "if", "parallel", "repeat", "call", "when")
BODIES = ("scope", "scope", "else", "else", "each", "each", "first", "repeat", "call", "call")
NAMES = (*BODIES, "parallel", "wait", "sleep", "gate")


@st.composite
def bodies(
    draw: st.DrawFn, made: list[Statement], names: Iterator[str], depth: int, beside: bool = False
) -> list[Statement]:
    """The steps in their order, some of them inside scopes, loops, called sagas and `parallel`."""
    body: list[Statement] = []
    while made:
        chunk = [made.pop(0) for _ in range(draw(st.integers(1, min(3, len(made)))))]
        kind = draw(st.sampled_from(NAMES)) if depth and draw(st.integers(0, 3)) else ""
        name = next(names)
        inner: list[Statement] = [*chunk]
        if kind in BODIES:
            inner = draw(bodies(list(chunk), names, depth - 1))
        match kind:
            case "scope":
                body.append(scope(name, *inner))
            case "else":
                cut = draw(st.integers(0, len(inner)))
                body.append(scope(name, *inner[:cut], otherwise=inner[cut:]))
            case "each":
                body.append(
                    each(
                        name,
                        draw(st.sampled_from([ONE, TWO, THREE, NONE])),
                        *inner,
                        at_once=draw(st.integers(1, 3)),
                        undo_at_once=draw(st.integers(1, 3)),
                        tolerate=draw(st.integers(0, 2)),
                        by=draw(st.sampled_from([None, ref("x")])),
                    )
                )
            case "first":
                body.append(first(name, draw(st.sampled_from([ONE, TWO, THREE])), *inner))
            case "repeat":
                more = draw(st.sampled_from([NOTHING, text("again")]))
                body.append(repeat(name, text("x"), *inner, following(more), limit=2))
            case "call" if not beside:
                body.append(draw(calls(name, inner)))
            case "parallel":
                body.append(structs.replace(parallel(*inner), path=f"{name}#parallel"))
            case "wait" if not beside:
                within = draw(st.sampled_from([None, 50]))
                lapse = draw(st.sampled_from(["rollback", "continue", "escalate"]))
                body += [wait(name, within=within, otherwise=lapse), *inner]
            case "sleep" if not beside:
                body += [structs.replace(sleep(20), path=f"{name}#sleep"), *inner]
            case "gate":
                shows = (Argument(name="x", value=text("y")),)
                body.append(Gate(path=name, name=name, needs=1, group="ops", shows=shows))
                body += inner
            case _:
                body += inner
    return body


@st.composite
def calls(draw: st.DrawFn, name: str, inner: list[Statement]) -> Statement:
    """A call of a saga, perhaps with an undo of its own, a deadline, or going on without it."""
    whole = draw(st.sampled_from(["un_all", "back_all"]))
    undos = (Undo(tool=whole, args=(Argument(name="id", value=text(name)),)),)
    return called(
        name,
        *inner,
        undos=draw(st.sampled_from([(), (), undos])),
        on_failure=draw(st.sampled_from(["rollback", "rollback", "continue", "escalate"])),
        when=draw(st.sampled_from([None, None, FALSE])),
        deadline=draw(st.sampled_from([None, None, 60])),
        on_rollback=[AFTER] if draw(st.booleans()) else [],
    )


LISTS = [Formula(ListOf(tuple(Literal(k) for k in "pqr"[:n])), JSON, "list") for n in range(4)]
NONE, ONE, TWO, THREE = LISTS
NOTHING = Formula(Literal(None), JSON, "none")
SORRY = tool("r", idempotent=Idempotence(by="key"), undos=(), timeout=TIMEOUT, settle=SETTLE)
AFTER = step(SORRY, on_failure="continue")


@st.composite
def sagas(draw: st.DrawFn) -> Plan:
    """Up to six steps in any of the language's statements."""
    size = draw(st.integers(1, 6))
    known = [draw(tools(f"t{k}")) for k in range(size)]
    names = (f"n{k}" for k in count())
    body = draw(bodies([draw(steps(t)) for t in known], names, depth=2))
    undos = [
        undo_tool(
            f"un_{t.name}",
            done=("NotFound",) if draw(st.booleans()) else (),
            timeout=TIMEOUT,
            settle=SETTLE,
        )
        for t in known
        if t.undos
    ]
    whole = undo_tool("un_all", timeout=TIMEOUT, settle=SETTLE)
    given = [(undo.tool, by) for t, by in zip((t for t in known if t.undos), undos, strict=True)
             for undo in t.undos if undo.tool.startswith("back")]  # fmt: skip
    sagas = [draw(taking_back(name, by)) for name, by in (*given, ("back_all", whole))]
    return plan(
        body,
        [*known, *undos, whole, SORRY, read()],
        on_rollback=(AFTER,) if draw(st.booleans()) else (),
        deadline=draw(st.sampled_from([None, None, None, 100])),
        undo_sagas=tuple(sorted(sagas, key=lambda saga: saga.name)),
    )


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    saga=sagas(),
    faults=st.lists(st.sampled_from(FAULTS), max_size=14),
    crashes=st.lists(st.integers(0, 200), max_size=2, unique=True),
    cancel=st.one_of(st.none(), st.integers(0, 100)),
    backwards=st.booleans(),
    hopes=st.sampled_from([0, 0, 1, 3]),
    freeze=st.one_of(st.none(), st.none(), st.integers(0, 400)),
)
def test_a_run_never_lies(
    saga: Plan,
    faults: list[str],
    crashes: list[int],
    cancel: int | None,
    backwards: bool,
    hopes: int,
    freeze: int | None,
) -> None:
    service = Service(saga, list(faults))
    simulator = Simulator(saga, {}, service, groups={"ops": ["ann"]})
    for at in sorted(crashes):
        simulator.run(until=at)
        assert_same(simulator)
        simulator.crash()
    if cancel is not None:
        simulator.run(until=cancel)
        with contextlib.suppress(Rejected):
            simulator.ask(Request("cancel", actor="someone"))
    if freeze is not None:
        simulator.run(until=freeze)
        with contextlib.suppress(Rejected):
            simulator.ask(Request("freeze", actor="someone"))
    simulator.run()
    assert_truth(simulator, service)
    assert_log(simulator)
    for _ in range(80):
        if simulator.status in views.FINAL:
            break
        hopes = answer(simulator, service, backwards, hopes)
        simulator.run()
        assert_truth(simulator, service)
    assert simulator.status in views.FINAL, "people answered truly, and it does not come to an end"
    assert_log(simulator)


def answer(simulator: Simulator, service: Service, backwards: bool, hopes: int) -> int:
    """Answers what is asked, truly: people look at the service, not at the log.

    So often as they still have hopes they have it tried once more; gives what is left of these.
    """
    if simulator.status == "waiting":
        row = views.waiting_for(simulator.state)[0]
        if row["kind"] == "signal":
            simulator.ask(Request("signal", actor="ann", path=row["path"], value="came"))
        else:
            verb: Verb = "reject" if backwards else "approve"
            simulator.ask(Request(verb, actor="ann", path=row["path"]))
        return hopes
    incident = views.open_incident(simulator.state)
    assert incident is not None, simulator.status
    there = service.there(incident.path)
    match incident.cause:
        case "unknown" | "conflict" | "key_conflict":
            said = "done" if there else "skip"
        case "undo_failed" | "no_undo" | "undo_conflict" if hopes and there:
            said = "forward" if "forward" in incident.answers else "retry"
            hopes -= 1
        case "failed" | "lapsed" | "after_pivot" if hopes and incident.path:
            said = "retry" if "retry" in incident.answers else "forward"
            hopes -= 1
        case "frozen":
            said = "back" if backwards else "forward"
        case "undo_failed" | "no_undo" | "undo_conflict":
            said = "skip" if there else "done"
        case "after_pivot" | "lapsed" if "back" in incident.answers:
            said = "back"
        case "failed":
            said = "back" if backwards else "skip"
        case _:
            said = incident.answers[0]
    value = {"id": incident.path} if said == "done" else None
    asked = Request("resolve", actor="ann", answer=said, value=value, reason="looked")
    simulator.ask(asked)
    return hopes


def undo_phases(state: State, s: StepState) -> set[str]:
    """How far those undos came that take a step back: its own, and those of calls around it."""
    calls = (state.steps.get(frame.path) for frame in s.frame.chain() if s.covered)
    return {s.undo_phase, *(call.undo_phase for call in calls if call is not None)}


def assert_truth(simulator: Simulator, service: Service) -> None:
    """What the run says of itself is what the service says."""
    state, status = simulator.state, simulator.status
    unproven = {s.path for s in state.steps.values() if s.unproven}
    after = {s.path for s in state.steps.values() if s.frame.aftermath}
    net = {path: service.net(path) for path in state.steps if path not in unproven}
    assert all(n <= 1 for n in net.values()), "an effect landed twice"
    if status not in views.FINAL:
        assert status in ("waiting", "escalated"), status
        return
    standing = set(views.standing(state))
    there = {path for path, n in net.items() if n} - after
    assert there == standing - unproven, (status, net, standing)
    if status == "rolled_back":
        assert not standing
    if status == "partly_rolled_back":
        assert standing
    given_up = any(e.kind == "resolved" and e.status == "back" for e in simulator.events)
    for path in standing:
        s = state.steps[path]
        if s.frame.halted() and not given_up:
            allowed = s.site.step.accepted or "left" in undo_phases(state, s)
            assert allowed, f"{path} stands and nobody said that it may"


def assert_log(simulator: Simulator) -> None:
    """What holds of every log: gap-free, intents before outcomes, no new work after closing."""
    events = simulator.events
    assert [e.n for e in events] == list(range(1, len(events) + 1))
    intents = {(e.path, e.direction, e.generation, e.attempt) for e in events if e.kind == "intent"}
    for e in events:
        if e.kind == "outcome" and e.direction in ("do", "undo") and not reads(simulator, e):
            assert (e.path, e.direction, e.generation, e.attempt) in intents
    for closing in events:
        if closing.kind == "scope_closed":
            assert_closed(simulator, closing)
    assert_order(simulator)
    state = begin(simulator.index, simulator.state.run_id)
    for e in events:
        apply(state, e)
    assert views.status_of_run(state) == simulator.status
    assert views.steps(state) == views.steps(simulator.state)
    assert views.effects(state) == views.effects(simulator.state)
    assert views.waiting_for(state) == views.waiting_for(simulator.state)
    assert state.readiness == simulator.state.readiness
    assert_same(simulator)


def reads(simulator: Simulator, event: Event) -> bool:
    """True for the answer of a read, whose intent is not logged."""
    return event.direction == "do" and simulator.state.steps[event.path].site.is_read


def assert_order(simulator: Simulator) -> None:
    """What the saga takes back by itself, it takes back newest first; items side by side may not.

    A step that failed with its effect there goes first; what people have touched is left out.
    """
    state, events = simulator.state, simulator.events
    closing = max((e.n for e in events if e.kind == "scope_closed" and not e.path), default=0)
    if not closing or any(e.kind == "resolved" for e in events):
        return
    undone = [state.steps[e.path] for e in events if e.status == "undone" and e.n > closing]
    order = [
        s.confirmed_n or s.intent_n
        for s in undone
        if s.error is None
        and not s.frame.undo_of
        and not any(f.closed for f in s.frame.chain() if f.parent is not None)
        and not any(f.loop is not None and f.loop.undo_at_once > 1 for f in s.frame.chain())
    ]
    assert order == sorted(order, reverse=True)


def assert_closed(simulator: Simulator, closing: Event) -> None:
    """No forward call begins in a boundary from its closing on, and none inside it is lost."""
    prefix = f"{closing.path}." if closing.path else ""
    calls = [
        e
        for e in simulator.events
        if e.kind == "intent"
        and e.direction == "do"
        and e.path.startswith(prefix)
        and not e.path.startswith(f"{prefix}else.")
        and not simulator.state.steps[e.path].frame.aftermath
    ]
    begun = {(e.path, e.generation) for e in calls if e.n < closing.n}
    for e in calls:
        if e.n > closing.n:
            said = "a forward call began after its boundary had closed"
            assert (e.path, e.generation) in begun or opened(simulator, closing, e), said


def opened(simulator: Simulator, closing: Event, call: Event) -> bool:
    """True when people let a boundary go forward again between its closing and a call."""
    return any(
        e.kind == "resolved" and e.status in ("forward", "retry") and closing.n < e.n < call.n
        for e in simulator.events
    )


def assert_same(simulator: Simulator) -> None:
    """The same events want the same: what is under way here would be begun by a new owner."""
    state = begin(simulator.index, simulator.state.run_id)
    for e in simulator.events:
        apply(state, e)
    wanted = {command.id for command in decide(state)}
    here = {command.id for command in decide(simulator.state)} | set(simulator.state.issued)
    assert wanted == here
