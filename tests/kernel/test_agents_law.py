"""The law of agents, on random attempts, faults and crashes: what stands is what was asked for."""

from __future__ import annotations

from collections import Counter

from hypothesis import HealthCheck, example, given, settings, strategies as st
from msgspec.structs import replace

from sagalang.runtime.kernel import views
from sagalang.runtime.kernel.commands import Call
from sagalang.runtime.plan import Idempotence, Retry, Step
from sagalang.runtime.simulator import AgentScript, Reply, Simulator
from sagalang.runtime.tooling import Refused

from .kit import raised, tool
from .test_agents import Office, saga

THINGS = st.sampled_from(["a", "b", "c"])
FAULTS = st.sampled_from(["ok", "ok", "ok", "refuse", "transient", "lose", "fail before"])


class Service(Office):
    """An office whose tools suffer a fault at each call in turn."""

    def __init__(self, plans: list[list[str]], fails: list[bool], faults: list[str]) -> None:
        super().__init__(lambda: self.attempt())
        self.plans, self.fails, self.faults = plans, fails, faults
        self.granted: Counter[str] = Counter()

    def attempt(self) -> AgentScript:
        """One attempt: its list of calls, refusals passed over, and perhaps a failure."""
        number = min(self.attempts, len(self.plans)) - 1
        granted: Counter[str] = Counter()
        for thing in self.plans[number]:
            try:
                yield "charge", {"id": thing}
            except Refused:
                continue
            granted[thing] += 1
        if self.fails[number] and number < len(self.plans) - 1:
            raise RuntimeError("as drawn")
        self.granted = granted
        return "done"

    def __call__(self, call: Call) -> Reply:
        if call.tool != "charge" or not self.faults:
            return super().__call__(call)
        match self.faults.pop():
            case "refuse":
                # A service that knows a key gives what it gave.
                return self.well(call) if call.key in self.keys else raised("Refused")
            case "transient":
                return raised("Transient")
            case "lose":
                return self.lose(call)
            case "fail before":
                return raised("ConnectionError")
            case _:
                return self.well(call)


@example(
    plans=[[], ["a"], []], fails=[True, True, False, False], faults=[], crashes=[63], last=False
)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    plans=st.lists(st.lists(THINGS, max_size=4), min_size=1, max_size=4),
    fails=st.lists(st.booleans(), min_size=4, max_size=4),
    faults=st.lists(FAULTS, max_size=12),
    crashes=st.lists(st.integers(0, 300), max_size=3, unique=True),
    last=st.booleans(),
)
def test_what_stands_is_what_the_successful_attempt_asked_for(
    plans: list[list[str]],
    fails: list[bool],
    faults: list[str],
    crashes: list[int],
    last: bool,
) -> None:
    service = Service(plans, fails, list(faults))
    if not last:
        service.script("last", *[raised("Refused")] * 9)
    again = Retry(attempts=None, low=1, high=5)
    charge = tool("charge", idempotent=Idempotence(by="key"), retry=again)
    plan = saga(charge, attempts=9)
    # A crash may hit the step behind the agent too, whose outcome could not be found out otherwise.
    known = Idempotence(by="key")
    tools = [
        replace(each, idempotent=known, retry=again) if each.name == "last" else each
        for each in plan.tools
    ]
    body = [replace(each, retry=again) if isinstance(each, Step) else each for each in plan.body]
    simulator = Simulator(replace(plan, tools=tuple(tools), body=tuple(body)), {}, service)
    for at in sorted(crashes):
        simulator.run(until=at)
        simulator.crash()
    status = simulator.run()
    assert status == ("succeeded" if last else "rolled_back"), views.open_incident(simulator.state)
    stands = {thing: n for thing, n in service.net.items() if n and thing != "last"}
    assert stands == (dict(service.granted) if last else {})
    intents = Counter(
        (e.path, e.attempt) for e in simulator.events if e.kind == "intent" and e.direction == "do"
    )
    assert max(intents.values()) == 1
