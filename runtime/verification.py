"""The verification catalogue: of each tool what it changes, how that is found out, and undone.

An entry is said in the words of the language. It is what people agree on before anything runs, and
what whoever recovers a run looks up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from . import wording
from .catalogue import Tool
from .formula import Place
from .plan import AgentCall, Expecting, Gate, Node, Plan, Step, UndoSaga, statements
from .reach import Reach, bits, keyed


class Change(NamedTuple):
    """One effect: the kind of resource and what identifies it, its class, impact, corrective."""

    resource: str
    effect_class: str
    impact: int
    corrective: str


class Taking(NamedTuple):
    """One undo: the call, its condition, and until when after the action it is accepted.

    `steps` are the calls of a saga that is the undo, in the order written; a tool has none.
    """

    call: str
    when: str
    within: str
    steps: tuple[str, ...] = ()


class Use(NamedTuple):
    """Where a tool is used: the saga, the step's path, as what, behind which gates."""

    saga: str
    path: str
    role: str
    gates: tuple[str, ...] = ()


class Entry(NamedTuple):
    """A tool of the catalogue; a text that is empty says that there is none."""

    tool: str
    doc: str
    at: Place
    parameters: str
    result: str
    binding: str
    service: str
    effects: tuple[Change, ...]
    reads: tuple[str, ...]
    remembers: tuple[str, ...]
    verify: str
    consistent_after: str
    verdicts: tuple[str, ...]
    evidence: tuple[str, ...]
    unknown: str
    idempotent: str
    undos: tuple[Taking, ...]
    attempts: str
    timeout: str
    settle: str
    refused: tuple[str, ...]
    transient: tuple[str, ...]
    done: tuple[str, ...]
    between_runs: str
    runbook: str
    uses: tuple[Use, ...]
    serves: tuple[str, ...]

    @property
    def worst(self) -> str:
        """The class of its effect that is hardest to take back; `read` without effects."""
        classes = {effect.effect_class for effect in self.effects}
        order = ("irreversible", "compensatable", "reversible", "restoring")
        return next((each for each in order if each in classes), "read")

    @property
    def impact(self) -> int:
        """The sum of the impacts of its effects."""
        return sum(effect.impact for effect in self.effects)


def catalogue(plans: Sequence[Plan]) -> list[Entry]:
    """Gives an entry for each tool of some plans, by name; of equal tools one."""
    tools: dict[str, Tool] = {}
    sagas: dict[str, UndoSaga] = {}
    for plan in plans:
        for tool in plan.tools:
            tools.setdefault(tool.name, tool)
        for saga in plan.undo_sagas:
            sagas.setdefault(saga.name, saga)
    uses: dict[str, list[Use]] = {}
    for plan in plans:
        for name, use in _uses(plan):
            if use not in uses.setdefault(name, []):
                uses[name].append(use)
    serves: dict[str, list[str]] = {}
    for tool in tools.values():
        for name, role in _serves(tool):
            serves.setdefault(name, []).append(f"{role} of {tool.name}")
    for saga in sagas.values():
        for node in _calls(saga):
            serves.setdefault(node.tool, []).append(f"step of the undo {saga.name}")
    return [
        _entry(tool, tuple(uses.get(name, ())), tuple(dict.fromkeys(serves.get(name, ()))), sagas)
        for name, tool in sorted(tools.items())
    ]


def _entry(
    tool: Tool, uses: tuple[Use, ...], serves: tuple[str, ...], sagas: Mapping[str, UndoSaga]
) -> Entry:
    verify = tool.verify
    lag = verify.consistent_after if verify else 0
    return Entry(
        tool=tool.name,
        doc=tool.doc,
        at=tool.at,
        parameters=wording.parameters(tool.parameters),
        result=str(tool.result),
        binding=wording.binding(tool.call),
        service=tool.service,
        effects=tuple(
            Change(
                wording.resource(effect),
                effect.effect_class,
                effect.impact,
                wording.corrective(effect.corrective) if effect.corrective else "",
            )
            for effect in tool.effects
        ),
        reads=tuple(map(wording.resource, tool.reads)),
        remembers=tuple(map(wording.remember, tool.remember)),
        verify=wording.call(verify.tool, verify.args) if verify else "",
        consistent_after=wording.duration(lag) if lag else "",
        verdicts=tuple(map(wording.verdict, verify.verdicts)) if verify else (),
        evidence=tuple(map(wording.evidence, tool.evidence)),
        unknown=_unknown(tool),
        idempotent="" if tool.idempotent is None else wording.idempotence(tool.idempotent),
        undos=tuple(
            Taking(
                wording.call(undo.tool, undo.args),
                undo.when.source if undo.when else "",
                "" if undo.within is None else wording.duration(undo.within),
                _steps(sagas.get(undo.tool)),
            )
            for undo in tool.undos
        ),
        attempts=wording.retry(tool.retry),
        timeout=wording.duration(tool.timeout),
        settle=wording.duration(tool.settle),
        refused=tool.fails,
        transient=tool.transient,
        done=tool.done,
        between_runs=tool.between_runs,
        runbook=tool.runbook,
        uses=uses,
        serves=serves,
    )


def _calls(saga: UndoSaga) -> Iterator[Step]:
    return (node for node in statements(saga.body) if isinstance(node, Step))


def _steps(saga: UndoSaga | None) -> tuple[str, ...]:
    if saga is None:
        return ()
    return tuple(wording.call(node.tool, node.args) for node in _calls(saga))


def _unknown(tool: Tool) -> str:
    """Says what settles an outcome that nobody knows, in the order in which it is tried."""
    if tool.is_read:
        return "it is asked again"
    if tool.escalate_unknown:
        return "people decide"
    ways = [
        *([f"{tool.verify.tool} is asked"] if tool.verify else []),
        *(["the same call is made again"] if tool.idempotent else []),
        *(["evidence is weighed"] if tool.evidence else []),
        "people decide",
    ]
    return ", else ".join(ways)


def _uses(plan: Plan) -> Iterator[tuple[str, Use]]:
    nodes = keyed(plan.body)
    numbers = {key: number for number, key in enumerate(nodes)}
    reach, order = Reach(plan, numbers), list(nodes.values())
    for key, node in nodes.items():
        moment = reach.moments[numbers[key]]
        before = (order[each] for each in bits(moment.before))
        gates = tuple(_gate(each) for each in before if isinstance(each, Gate))
        for name, role in _called(plan, node):
            yield name, Use(plan.saga, node.path, role, gates)
    for node in statements(plan.on_rollback):
        for name, role in _called(plan, node):
            yield name, Use(plan.saga, node.path, f"{role} on rollback")


def _called(plan: Plan, node: Node) -> Iterator[tuple[str, str]]:
    match node:
        case Step(tool=tool, expecting=expecting):
            yield tool, "step"
            if isinstance(expecting, Expecting):
                yield expecting.tool, "expecting"
        case AgentCall(agent=called):
            for agent in plan.agents:
                if agent.name == called:
                    yield from ((use.tool, f"agent {called}") for use in agent.uses)
        case _:
            pass


def _serves(tool: Tool) -> Iterator[tuple[str, str]]:
    if tool.verify:
        yield tool.verify.tool, "verify"
    for undo in tool.undos:
        yield undo.tool, "undo"
        if undo.verify:
            yield undo.verify.tool, "verify"
    yield from ((each.tool, "remember") for each in tool.remember)
    yield from ((each.tool, "evidence") for each in tool.evidence)
    for effect in tool.effects:
        if effect.corrective and effect.corrective.tool:
            yield effect.corrective.tool, "corrective"


def _gate(node: Gate) -> str:
    when = f" when {node.when.source}" if node.when is not None else ""
    return f"{node.path}{when}"


def changing(entries: Iterable[Entry]) -> list[Entry]:
    """Gives the tools that change something outside, the hardest to take back first."""
    order = ("irreversible", "compensatable", "reversible", "restoring")
    found = [entry for entry in entries if entry.effects]
    return sorted(found, key=lambda entry: (order.index(entry.worst), -entry.impact, entry.tool))
