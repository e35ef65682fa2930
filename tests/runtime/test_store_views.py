"""The views say of a run what the kernel says of it, whatever its services answered."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from sagalang.runtime.events import Action, Event, Fault
from sagalang.runtime.formula import Field, Formula, ListOf, Literal, Name, Node, Type
from sagalang.runtime.journal import Beginning, Entry, Journal, Write
from sagalang.runtime.kernel import views
from sagalang.runtime.kernel.commands import Answer, Call
from sagalang.runtime.kernel.people import Rejected, Request
from sagalang.runtime.plan import (
    Argument,
    Binding,
    Effect,
    Gate,
    Idempotence,
    Node as Statement,
    Parameter,
    Plan,
    Retry,
    Step,
    Tool,
    Undo,
    Verify,
    definition,
)
from sagalang.runtime.simulator import Reply, Simulator
from sagalang.runtime.store import query

from ..kernel import kit, test_agents, test_agents_law

JSON, STR = Type("json"), Type("str")
PACE = Retry(attempts=2, low=100, high=100)


def formula(tree: Node) -> Formula:
    return Formula(tree, JSON, "")


ID = (Argument(name="id", value=formula(Name("id"))),)


def tool(name: str, effect_class: str, **more: Any) -> Tool:
    effects = (Effect(kind=name, ids=(formula(Name("id")),), effect_class=effect_class, impact=4),)  # type: ignore[arg-type]
    return Tool(
        name=name,
        parameters=(Parameter(name="id", type=STR),),
        result=JSON,
        call=Binding(target=f"shop:{name}", args=()),
        effects=() if effect_class == "read" else effects,
        retry=PACE,
        timeout=1_000,
        settle=1_000,
        service="bank" if name != "look" else "",
        **more,
    )


VERIFY = Verify(tool="look", args=ID)
UNDO = (Undo(tool="give_back", args=ID),)
TOOLS = (
    tool("give_back", "restoring", idempotent=Idempotence(by="key")),
    tool("keyed", "compensatable", undos=UNDO, idempotent=Idempotence(by="key")),
    tool("look", "read"),
    tool("proven", "reversible", undos=UNDO, verify=VERIFY),
    tool("sent", "irreversible"),
    tool("taken", "reversible", undos=UNDO),
)


def plan(names: list[str]) -> Plan:
    by_name = {one.name: one for one in TOOLS}
    steps = [
        Step(
            path=f"s{n}",
            name=f"s{n}",
            tool=name,
            args=(Argument(name="id", value=formula(Literal(f"s{n}"))),),
            type=JSON,
            agent="planner" if n == 0 else "",
            timeout=1_000,
            settle=1_000,
            retry=PACE,
            verify=by_name[name].verify,
            undos=by_name[name].undos,
        )
        for n, name in enumerate(names)
    ]
    gate = Gate(
        path="ok",
        name="ok",
        needs=1,
        group="boss",
        shows=(Argument(name="what", value=formula(Field(Name("s0"), "id"))),),
        otherwise="escalate",
    )
    return Plan(
        format=1,
        edition=2026,
        saga="fulfil",
        parameters=(),
        result=JSON,
        body=(steps[0], gate, *steps[1:]),
        tools=TOOLS,
    )


ANSWERS: dict[str, Answer | None] = {
    "yes": Answer("returned", {"id": "x"}),
    "none": Answer("returned", None),
    "refused": Answer("raised", fault=Fault("Refused", "no"), classes=("Refused",)),
    "transient": Answer("raised", fault=Fault("Transient", "busy"), classes=("Transient",)),
    "conflict": Answer("raised", fault=Fault("Conflict", "other"), classes=("Conflict",)),
    "crash": Answer("raised", fault=Fault("OSError", "cut"), classes=("OSError",)),
    "silence": None,
}


def simulate(names: list[str], script: list[str], asked: list[str], crash_at: int) -> Simulator:
    replies = iter(script)

    def world(_: Call) -> Reply:
        return Reply(ANSWERS[next(replies, "yes")], takes=10)

    simulator = Simulator(
        plan(names), {}, world, run_id="o-1", actor="ann", groups={"boss": ["eve"]}
    )
    for n, answer in enumerate([*asked, "", ""]):
        simulator.run(until=simulator.now + 20 if n == crash_at else None)
        if n == crash_at:
            simulator.crash()
            simulator.run()
        incident = views.open_incident(simulator.state)
        try:
            if incident is None:
                simulator.ask(Request("approve", actor="eve", path="ok"))
            elif answer:
                path = incident.path
                simulator.ask(Request("resolve", actor="eve", path=path, answer=answer))
        except Rejected:
            continue
    return simulator


STORED = {"pending", "skipped"}
"""Statuses of steps that no event need ever tell of."""

SCENARIOS = st.tuples(
    st.lists(st.sampled_from(["keyed", "proven", "sent", "taken", "look"]), min_size=1, max_size=3),
    st.lists(st.sampled_from([*sorted(ANSWERS), *["yes"] * 4]), max_size=10),
    st.lists(st.sampled_from(["retry", "done", "skip", "back", "forward"]), max_size=3),
    st.integers(0, 6),
)


def write(log: Journal, run: str, simulator: Simulator) -> None:
    entries: list[Entry] = []
    for event in simulator.events:
        event.run_id, event.epoch = run, 1
        entries.append(log.encode(event))
    made = simulator.index.plan
    begins = Beginning("fulfil", definition(made), msgspec.json.encode(made), "digest")
    log.commit([Write(run, 1, entries, status=simulator.status, begins=begins)])


@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow])
@given(scenarios=st.lists(SCENARIOS, min_size=1, max_size=20))
def test_the_views_agree_with_the_kernel(
    scenarios: list[tuple[list[str], list[str], list[str], int]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Law: what SQL finds in the events is what the kernel's fold finds."""
    runs = {f"o-{n}": simulate(*scenario) for n, scenario in enumerate(scenarios)}
    path = tmp_path_factory.mktemp("log") / "shop.duckdb"
    with Journal.open(path) as log:
        for run, simulator in runs.items():
            write(log, run, simulator)
    steps = by_run(path, "SELECT run_id, path, status FROM steps")
    effects = by_run(path, "SELECT run_id, path, status FROM effects WHERE status <> 'absent'")
    ended = by_run(path, "SELECT run_id, status, events, initiator FROM runs")
    asked = by_run(path, "SELECT run_id, incident, cause FROM incidents WHERE answer IS NULL")
    for run, simulator in runs.items():
        state = simulator.state
        assert ended[run] == [(simulator.status, len(simulator.events), "ann")]
        wanted = {row["path"]: row["status"] for row in views.steps(state)}
        assert reached(dict(steps.get(run, []))) == reached(wanted)
        registry = {row["path"]: row["status"] for row in views.effects(state)}
        proven = {path: status for path, status in registry.items() if status != "unproven"}
        found = dict(effects.get(run, []))
        assert {path: found.get(path) for path in proven} == proven
        assert found.keys() <= registry.keys()
        opened = [(one.id, one.cause) for one in state.incidents.values() if one.open]
        assert sorted(asked.get(run, [])) == sorted(opened)


def bodies() -> Simulator:
    """Items, a scope that went its other way, a called saga with an undo of its own: taken back."""
    a, b, c, d = (kit.tool(name) for name in "abcd")
    items = Formula(ListOf((Literal("p"), Literal('q"]'))), JSON, "items")
    undo = Undo(tool="un_all", args=(Argument(name="id", value=kit.text("all")),))
    body: list[Statement] = [
        kit.each("e", items, kit.item("a", a), by=kit.ref("x")),
        kit.scope("s", kit.step(b), kit.step(c), otherwise=[kit.step(d)]),
        kit.called("child", kit.step(b), undos=(undo,)),
        kit.step(c),
    ]
    world = kit.World()
    world.script("c", kit.raised("Refused"), kit.raised("Refused"))
    simulator = Simulator(kit.plan(body, [a, b, c, d]), {}, world, run_id="o-1")
    assert simulator.run() == "rolled_back"
    return simulator


def shown(simulator: Simulator) -> dict[str, str]:
    """The steps that were reached, as `saga show --json` says."""
    return reached({row["path"]: row["status"] for row in views.steps(simulator.state)})


CALLED = st.tuples(
    st.sampled_from(["", "un_all", "back"]),
    st.sampled_from(["rollback", "continue", "escalate"]),
    st.lists(st.sampled_from(["yes", "yes", "refused", "crash", "silence"]), max_size=8),
    st.sampled_from(["", "retry", "done", "skip", "back", "forward"]),
    st.booleans(),
    st.booleans(),
)


def calls(
    undone: str, otherwise: str, script: list[str], answer: str, inner: bool, cancelled: bool
) -> Simulator:
    """A saga in a saga in a saga, the middle one perhaps with an undo of its own, or a saga."""
    a, b, c, d = (kit.tool(name) for name in "abcd")
    whole = kit.undo_tool("un_all")
    undo = (Undo(tool=undone or "un_all", args=(Argument(name="id", value=kit.text("all")),)),)
    by = (Argument(name="id", value=kit.ref("id")),)
    back = kit.undo_saga("back", *(kit.step(whole, name=name, args=by) for name in "pq"))
    deep = kit.called("deep", kit.step(c), undos=undo if inner else ())
    body: list[Statement] = [
        kit.step(a),
        kit.called(
            "child",
            kit.step(b),
            *kit.under("child", deep),
            undos=undo if undone else (),
            on_failure=otherwise,
        ),
        kit.step(d),
    ]
    world = kit.World()
    replies = iter(script)

    def answered(call: Call) -> Reply:
        reply = ANSWERS[next(replies, "yes")]
        return world(call) if reply == ANSWERS["yes"] else Reply(reply, takes=10)

    groups = {"boss": ["eve"]}
    simulator = Simulator(
        kit.plan(body, [a, b, c, d, whole], undo_sagas=(back,)),
        {},
        answered,
        run_id="o-1",
        actor="ann",
        groups=groups,
    )
    simulator.run(until=simulator.now + 15 if cancelled else None)
    if cancelled:
        with suppress(Rejected):
            simulator.ask(Request("cancel", actor="eve"))
    simulator.run()
    incident = views.open_incident(simulator.state)
    if incident is not None and answer:
        with suppress(Rejected):
            path = incident.path
            simulator.ask(Request("resolve", actor="eve", path=path, answer=answer, reason="x"))
    simulator.run()
    return simulator


@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(scenarios=st.lists(CALLED, min_size=1, max_size=20))
def test_the_view_of_steps_agrees_where_sagas_are_called(
    scenarios: list[tuple[str, str, list[str], str, bool, bool]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Law: also of steps that the undo of a called saga took back."""
    runs = {f"o-{n}": calls(*scenario) for n, scenario in enumerate(scenarios)}
    assert_agree(tmp_path_factory.mktemp("log") / "shop.duckdb", runs)


def test_the_calls_of_a_saga_that_is_an_undo_have_their_tools(tmp_path: Path) -> None:
    simulator = calls("back", "rollback", ["yes", "yes", "yes", "refused"], "", False, False)
    path = tmp_path / "shop.duckdb"
    with Journal.open(path) as log:
        write(log, "o-1", simulator)
    asked = "SELECT path, tool, class, status, undo_attempts FROM steps WHERE path LIKE '%undo%'"
    assert [tuple(row.values()) for row in told(path, f"{asked} ORDER BY path")] == [
        ("child.undo.p", "un_all", "restoring", "succeeded", 1),
        ("child.undo.q", "un_all", "restoring", "succeeded", 1),
    ]


def assert_agree(path: Path, runs: dict[str, Simulator]) -> None:
    with Journal.open(path) as log:
        for run, simulator in runs.items():
            write(log, run, simulator)
    steps = by_run(path, "SELECT run_id, path, status FROM steps")
    effects = by_run(path, "SELECT run_id, path, status FROM effects WHERE status <> 'absent'")
    for run, simulator in runs.items():
        assert reached(dict(steps.get(run, []))) == shown(simulator)
        registry = {row["path"]: row["status"] for row in views.effects(simulator.state)}
        proven = {path: status for path, status in registry.items() if status != "unproven"}
        found = dict(effects.get(run, []))
        assert {path: found.get(path) for path in proven} == proven


AGENT = st.tuples(
    st.lists(st.lists(st.sampled_from("abc"), max_size=3), min_size=1, max_size=3),
    st.lists(st.booleans(), min_size=3, max_size=3),
    st.lists(test_agents_law.FAULTS, max_size=8),
    st.booleans(),
)


def agents(plans: list[list[str]], fails: list[bool], faults: list[str], last: bool) -> Simulator:
    service = test_agents_law.Service(plans, fails, list(faults))
    if not last:
        service.script("last", *[kit.raised("Refused")] * 9)
    simulator = Simulator(
        test_agents.saga(kit.tool("charge")), {}, service, run_id="o-1", actor="ann"
    )
    simulator.run()
    return simulator


@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(scenarios=st.lists(AGENT, min_size=1, max_size=20))
def test_the_view_of_steps_agrees_where_agents_call(
    scenarios: list[tuple[list[list[str]], list[bool], list[str], bool]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Law: the calls of an agent are steps of its run."""
    runs = {f"o-{n}": agents(*scenario) for n, scenario in enumerate(scenarios)}
    assert_agree(tmp_path_factory.mktemp("log") / "shop.duckdb", runs)


def test_the_calls_of_an_agent_have_their_tools(tmp_path: Path) -> None:
    simulator = agents([["a", "b"]], [False] * 3, [], True)
    path = tmp_path / "shop.duckdb"
    with Journal.open(path) as log:
        write(log, "o-1", simulator)
    rows = told(path, "SELECT path, tool, class, status FROM steps ORDER BY path")
    assert [tuple(row.values()) for row in rows] == [
        ("buyer", "buyer", "agent", "succeeded"),
        ("buyer[1]", "charge", "reversible", "succeeded"),
        ("buyer[2]", "charge", "reversible", "succeeded"),
        ("last", "last", "reversible", "succeeded"),
    ]


def test_items_and_called_sagas_are_known_by_their_plan(tmp_path: Path) -> None:
    simulator = bodies()
    path = tmp_path / "shop.duckdb"
    with Journal.open(path) as log:
        write(log, "o-1", simulator)
    told_steps = told(path, "SELECT path, tool, class, status FROM steps")
    steps = {row["path"]: (row["tool"], row["class"], row["status"]) for row in told_steps}
    assert steps['e["q\\"]"].a'] == ("a", "reversible", "compensated")
    assert steps["s.else.d"] == ("d", "reversible", "compensated")
    assert steps["child"] == ("child", "saga", "compensated")
    assert steps["child.b"] == ("b", "reversible", "compensated")
    effects = by_run(path, "SELECT run_id, path, status FROM effects WHERE status <> 'absent'")
    registry = {row["path"]: row["status"] for row in views.effects(simulator.state)}
    assert dict(effects["o-1"]) == registry
    assert registry["child.b"] == "undone"


def by_run(path: Path, sql: str) -> dict[str, list[tuple[Any, ...]]]:
    found: dict[str, list[tuple[Any, ...]]] = {}
    for run, *rest in query(path, sql).rows:
        found.setdefault(run, []).append(tuple(rest))
    return found


def reached(steps: dict[str, str]) -> dict[str, str]:
    return {path: status for path, status in steps.items() if status not in STORED}


def told(path: Path, sql: str) -> list[dict[str, Any]]:
    asked = query(path, sql)
    return [dict(zip(asked.columns, row, strict=True)) for row in asked.rows]


def test_calls_undos_and_their_times_are_counted(tmp_path: Path) -> None:
    """A keyed call, a gate, one that is refused twice: the first is undone at the second try."""
    script = ["yes", "refused", "transient", "yes"]
    simulator = simulate(["keyed", "taken"], script, [], 9)
    assert simulator.status == "rolled_back"
    path = tmp_path / "shop.duckdb"
    with Journal.open(path) as log:
        write(log, "o-1", simulator)

    attempts = told(path, "SELECT * FROM attempts ORDER BY path, direction, attempt")
    assert [(a["path"], a["direction"], a["attempt"], a["status"]) for a in attempts] == [
        ("s0", "do", 1, "succeeded"),
        ("s0", "undo", 1, "transient"),
        ("s0", "undo", 2, "succeeded"),
        ("s1", "do", 1, "refused"),
    ]
    assert {a["duration_ms"] for a in attempts} == {10}
    assert attempts[0]["agent"] == "planner"
    assert {a["service"] for a in attempts} == {"bank"}
    assert attempts[1]["tool"] == "give_back"
    assert attempts[3]["error_type"] == "Refused"

    (undo,) = told(path, "SELECT * FROM undo_reliability")
    assert (undo["tool"], undo["undos"], undo["succeeded"], undo["failed"]) == (
        "give_back",
        1,
        1,
        0,
    )
    assert (undo["calls"], undo["reliability"], undo["p50_ms"]) == (2, 1.0, 10.0)
    durations = told(path, "SELECT * FROM durations ORDER BY tool")
    assert [(d["tool"], d["calls"], d["failures"]) for d in durations] == [
        ("give_back", 2, 1),
        ("keyed", 1, 0),
        ("taken", 1, 1),
    ]
    (approval,) = told(path, "SELECT * FROM approvals")
    assert (approval["gate"], approval["status"], approval["actor"]) == ("ok", "approved", "eve")
    assert (approval["group"], approval["needs"]) == ("boss", 1)
    over_time = told(path, "SELECT * FROM readiness_over_time ORDER BY n")
    assert over_time[0]["readiness"] == 1.0
    assert all(0 <= row["readiness"] <= 1 for row in over_time)


def test_a_call_that_takes_longer_than_ever_and_a_silent_run_are_found(tmp_path: Path) -> None:
    path = tmp_path / "shop.duckdb"
    now = time.time_ns() // 1_000_000
    with Journal.open(path) as log:
        for number in range(4):
            write(log, f"o-{number}", simulate(["keyed"], [], [], 9))
        made = plan(["keyed"])
        begins = Beginning("fulfil", definition(made), msgspec.json.encode(made), "digest")
        for run, since in (("fresh", now), ("old", now - 3_600_000)):
            events = [
                Event("run_started", n=1, wall_time=since),
                Event("intent", path="s0", direction="do", generation=1, attempt=1, n=2,
                      action=Action("keyed"), wall_time=since),
            ]  # fmt: skip
            for event in events:
                event.run_id, event.epoch = run, 1
            entries = [log.encode(event) for event in events]
            log.commit([Write(run, 1, entries, status="running", begins=begins)])
    (slow,) = told(path, "SELECT * FROM anomalies WHERE in_flight_ms > 600000")
    assert (slow["run_id"], slow["path"], slow["p99_ms"], slow["calls"]) == ("old", "s0", 10.0, 4)
    assert slow["in_flight_ms"] >= 3_600_000
    (stuck,) = told(path, "SELECT * FROM stuck")
    assert (stuck["run_id"], stuck["why"], stuck["path"]) == ("old", "last event: intent", "s0")


def test_a_checkpoint_has_its_reason_its_parent_and_the_checksum_of_the_chain(
    tmp_path: Path,
) -> None:
    path = tmp_path / "shop.duckdb"
    heavy = tuple(
        msgspec.structs.replace(
            one, effects=(Effect(kind="x", effect_class="reversible", impact=8),)
        )
        if one.name == "keyed"
        else one
        for one in TOOLS
    )
    made = plan(["taken", "keyed", "keyed"])
    body = tuple(one for one in made.body if not isinstance(one, Gate))
    simulator = Simulator(
        msgspec.structs.replace(made, body=body, tools=heavy),
        {},
        lambda _: Reply(ANSWERS["yes"], 1),
    )
    assert simulator.run() == "succeeded"
    with Journal.open(path) as log:
        write(log, "r", simulator)
    first, second = told(path, "SELECT * FROM checkpoints ORDER BY n")
    assert (first["name"], first["step"], first["impact"]) == ("before:s1", "s1", 8)
    assert (first["low"], first["parent"]) == (None, None)
    assert (second["name"], second["parent"]) == ("before:s2", first["n"])
    (landed,) = told(path, f"SELECT kind, path FROM events WHERE n = {first['cause']}")
    assert landed == {"kind": "outcome", "path": "s0"}
    assert len(first["checksum"]) == 64
    assert told(path, "SELECT path FROM steps WHERE path LIKE '%checkpoint'") == []
