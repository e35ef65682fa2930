"""Case 40: thousands of steps are compiled, run and rolled back, each at most once."""

from __future__ import annotations

from sagalang.compiler.emit import emit_python
from sagalang.runtime.kernel.commands import Call
from sagalang.runtime.plan import Plan
from sagalang.runtime.simulator import Reply, Simulator

from ..compiler.modules import loaded
from ..compiler.programs import compiled
from ..kernel.kit import raised, returned

TOOLS = """
edition 2026
tool make(id: int) -> str {
  call python "world:make" (id, idempotency_key: key)
  effect thing(id) reversible
  commutes
  idempotent by key
  fails with Refused
  retry 2 times every 10ms..10ms
  undo drop(id)
}
tool drop(id: int) -> json {
  call python "world:drop" (id, idempotency_key: key)
  effect thing restoring
  idempotent by key
  retry 3 times every 10ms..10ms
}
"""


def saga(steps: int) -> Plan:
    body = "\n".join(f"  step s{number} = make({number})" for number in range(1, steps + 1))
    found = compiled(f"{TOOLS}saga long() {{\n{body}\n}}\n")
    assert found.diagnostics == ()
    return found.plans["long"]


class World:
    """Makes and drops things; the last is refused."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.keys: set[str] = set()
        self.made: list[int] = []
        self.undone: list[int] = []

    def __call__(self, call: Call) -> Reply:
        number = int(call.args["id"])
        if call.tool == "drop":
            self.undone.append(number)
            return returned({})
        if number == self.last:
            return raised("Refused")
        if call.key not in self.keys:
            self.keys.add(call.key)
            self.made.append(number)
        return returned("made")


def test_a_failure_at_the_end_takes_all_back_in_exact_reverse() -> None:
    plan = saga(2_501)
    world = World(2_501)
    simulator = Simulator(plan, {}, world)
    simulator.run(until=2_000)
    simulator.crash()
    assert simulator.run(1_000_000) == "rolled_back"
    assert world.made == list(range(1, 2_501))
    assert world.undone == list(range(2_500, 0, -1))


def test_a_module_of_a_thousand_steps_is_a_module() -> None:
    plan = saga(1_001)
    module = loaded(emit_python((plan,), name="long.saga", version="1"))
    assert module.long.plan == plan


def test_a_wide_layer_is_proved_and_run() -> None:
    body = "\n".join(f"    step s{number} = make({number})" for number in range(1, 1_002))
    found = compiled(f"{TOOLS}saga wide() {{\n  parallel {{\n{body}\n  }}\n}}\n")
    assert found.diagnostics == ()
    world = World(0)
    assert Simulator(found.plans["wide"], {}, world).run(1_000_000) == "succeeded"
    assert sorted(world.made) == list(range(1, 1_002))
