"""Whether a live run may go on with another definition, for every place where it can stand.

A run stands at a call, a gate, a wait. It *goes on* when a run of the new definition could stand
there too, with the same behind it. Else it can still be rolled back, because the undos are in its
log, unless something irreversible may have landed: then it can only be finished as it was begun.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal as OneOf, NamedTuple

from .aspects import Change, of_agent, of_statement, of_tool
from .differences import Difference, differences
from .formula import Type
from .meaning import definition, meaning
from .plan import AgentCall, Checkpoint, Gate, Let, Node, Parallel, Plan, Sleep, Step, Wait
from .reach import Key, Versions, bits

Verdict = OneOf["goes_on", "only_rolls_back", "incompatible"]


class Standpoint(NamedTuple):
    """A place where a live run can stand, what may become of it there, and why."""

    at: str
    verdict: Verdict
    because: tuple[str, ...] = ()


class Comparison(NamedTuple):
    """Two definitions of a saga: their identities, what differs, and each place in the old one."""

    saga: str
    old: str
    new: str
    differences: tuple[Difference, ...]
    places: tuple[Standpoint, ...]

    @property
    def all_go_on(self) -> bool:
        """Whether a run may go on wherever it stands."""
        return all(place.verdict == "goes_on" for place in self.places)


def compare(old: Plan, new: Plan) -> Comparison:
    """Compares two definitions of a saga. O(n) sets of n bits for n statements."""
    identities = (definition(old), definition(new))
    found = () if identities[0] == identities[1] else tuple(differences(old, new))
    return Comparison(old.saga, *identities, found, tuple(_Judge(old, new).places()))


class _Judge:
    """Judges the places of one plan against another."""

    def __init__(self, old: Plan, new: Plan) -> None:
        self._old = old
        self._versions = Versions.of(old, new)
        self._weights = _Weights(old, new)
        was, now, numbers, _ = self._versions
        self._past = 0
        self._call = 0
        self._pivots = 0
        self._reasons: dict[int, str] = {}
        for key, node in was.nodes.items():
            bit = 1 << numbers[key]
            reason, weight = self._weights.of(node, now.nodes.get(key))
            if reason:
                self._reasons[numbers[key]] = reason
                self._past |= bit if weight == "past" else 0
                self._call |= bit
            if self._weights.is_pivot(node):
                self._pivots |= bit
        self._common = sum(1 << numbers[key] for key in was.nodes if key in now.nodes)
        self._fresh = sum(
            1 << numbers[key]
            for key, node in now.nodes.items()
            if key not in was.nodes and not isinstance(node, Parallel | Let | Checkpoint)
        )
        self._always = tuple(self._weights.inputs())
        # A log is folded in its order: what is behind must have come in an order of the new plan.
        self._turned = 0
        for number in bits(self._common):
            if any(True for _ in self._out_of_order(number)):
                self._turned |= 1 << number

    def places(self) -> Iterator[Standpoint]:
        """Gives every place of the old plan, in the order written."""
        for key, node in self._versions.old.nodes.items():
            if isinstance(node, Step | Gate | Wait | Sleep | AgentCall):
                yield self._judged(key, node)

    def _judged(self, key: Key, node: Node) -> Standpoint:
        was, _, numbers, _ = self._versions
        number = numbers[key]
        then = was.reach.moments[number]
        behind = then.before | then.maybe | then.around
        because = [*self._always]
        for other in bits(behind & self._past | 1 << number & self._call):
            because.append(self._reasons[other])
        for other in bits(behind & self._turned | 1 << number & self._common):
            because += self._out_of_order(other)
        if not because:
            return Standpoint(node.path, "goes_on")
        landed = self._versions.named((behind | 1 << number) & self._pivots)
        if not landed:
            return Standpoint(node.path, "only_rolls_back", _once(because))
        because.append(f"`{landed[-1]}` may have happened, and nothing takes it back")
        return Standpoint(node.path, "incompatible", _once(because))

    def _out_of_order(self, number: int) -> Iterator[str]:
        """Says what would have come before in the new plan and has not, and the other way round."""
        was, now, *_ = self._versions
        then, there = was.reach.moments[number], now.reach.moments[number]
        [here] = self._versions.named(1 << number)
        for path in self._versions.named((there.before | there.looped) & self._fresh):
            yield f"`{path}` is new and comes before `{here}`"
        unsettled = there.before & self._common & ~then.before
        for path in self._versions.named(unsettled):
            yield f"`{path}` now comes before `{here}`"
        lost = then.before & ~there.before & self._common
        for other in bits(lost):
            if now.reach.moments[other].before >> number & 1:
                yield f"`{self._versions.named(1 << other)[0]}` now comes after `{here}`"


class _Weights:
    """How much it matters what differs in a statement, together with its tool and its types."""

    def __init__(self, old: Plan, new: Plan) -> None:
        self._plans = (old, new)
        self._tools = [{tool.name: tool for tool in plan.tools} for plan in (old, new)]
        self._agents = [{agent.name: agent for agent in plan.agents} for plan in (old, new)]
        self._shapes = [
            {record.name: meaning(record) for record in plan.records}
            | {enum.name: meaning(enum) for enum in plan.enums}
            for plan in (old, new)
        ]
        self._fields = {record.name: record.fields for record in old.records}

    def of(self, old: Node, new: Node | None) -> tuple[str, str]:
        """Gives why a statement is not what it was, and *past* or *call*; nothing when it is."""
        if isinstance(old, Parallel):
            return "", ""
        if new is None:
            # A value without a call can be computed, or left out, at any time.
            harmless = isinstance(old, Let | Checkpoint)
            return ("", "") if harmless else (f"`{old.path}` is gone", "past")
        found = [(change, f"`{old.path}`") for change in of_statement(old, new)]
        found += [(change, name) for name, changes in self._called(old) for change in changes]
        for weight in ("past", "call"):
            for change, name in found:
                if change.weight == weight:
                    return f"{name} differs in {change.name}", weight
        if isinstance(old, Step | AgentCall | Wait) and (name := self._reshaped(old.type)):
            return f"`{name}`, the type of `{old.path}`, differs", "past"
        return "", ""

    def is_pivot(self, node: Node) -> bool:
        """Whether nothing takes back what a statement may do."""
        tools = self._tools[0]
        match node:
            case Step(tool=name, accepted=None):
                return name in tools and tools[name].irreversible
            case AgentCall(agent=name) if name in self._agents[0]:
                uses = self._agents[0][name].uses
                return any(use.tool in tools and tools[use.tool].irreversible for use in uses)
            case _:
                return False

    def inputs(self) -> Iterator[str]:
        """Says what of the inputs keeps any run from going on."""
        old, new = self._plans
        was = {one.name: one for one in old.parameters}
        if old.saga != new.saga:
            yield f"the saga is called `{new.saga}` now"
        for one in new.parameters:
            if one.name not in was:
                if one.default is None:
                    yield f"the input `{one.name}` is new and has no default"
            elif was[one.name].type != one.type:
                yield f"the input `{one.name}` has another type"
            elif name := self._reshaped(one.type):
                yield f"`{name}`, the type of the input `{one.name}`, differs"

    def _called(self, node: Node) -> Iterator[tuple[str, list[Change]]]:
        match node:
            case Step(tool=name) if all(name in tools for tools in self._tools):
                was, now = (tools[name] for tools in self._tools)
                yield f"the tool `{name}`", of_tool(was, now)
            case AgentCall(agent=name) if all(name in agents for agents in self._agents):
                before, after = (agents[name] for agents in self._agents)
                yield f"the agent `{name}`", of_agent(before, after)
            case _:
                pass

    def _reshaped(self, kind: Type) -> str:
        """Gives a record or enum in a type that is not what it was."""
        seen: set[str] = set()
        todo = [kind]
        while todo:
            part = todo.pop()
            if part.of is not None:
                todo.append(part.of)
            if part.kind in ("record", "enum") and part.name not in seen:
                seen.add(part.name)
                was, now = (shapes.get(part.name) for shapes in self._shapes)
                if was != now:
                    return part.name
                todo += [field.type for field in self._fields.get(part.name, ())]
        return ""


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
