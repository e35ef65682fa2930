"""The explorer: the kernel driven through every outcome, crash and order of answers there can be.

It searches without keeping states (Godefroid, "Model Checking for Programming Languages using
VeriSoft", POPL 1997): a run is a list of choices; the last one that has another way is taken anew.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal as OneOf, TypeVar

from msgspec import Struct

from .events import Fault
from .kernel.commands import Answer, Call
from .kernel.index import Index
from .kernel.people import Request, Verb
from .kernel.state import Incident, State
from .kernel.views import FINAL, open_incident, standing, waiting_for
from .plan import Agent, Plan, Tool, Wait
from .rehearsal.answers import showing, truly
from .rehearsal.asked import Asked
from .rehearsal.fitting import Unfit
from .samples import sample, sample_answer, sample_inputs
from .simulator import AgentScript, Reply, Simulator
from .tooling import Refused
from .values import encode

Option = TypeVar("Option")
Found = TypeVar("Found")

Outcome = OneOf[
    "answered",
    "late",
    "refused",
    "refused late",
    "used up",
    "lost",
    "vanished",
    "crashed before",
    "crashed after",
]
"""What may become of a call.

*Late* answers let others go first, people too. *Used up* means that this attempt and all later ones
are transient failures. *Lost* calls have happened without an answer, *vanished* ones have not.
"""


UNDOING: tuple[Outcome, ...] = (
    "answered",
    "lost",
    "vanished",
    "crashed before",
    "crashed after",
)
ALWAYS: tuple[Outcome, ...] = ("answered", "late")

REFUSING: tuple[Outcome, ...] = ("refused", "refused late")

SOON, LATE = 50, 900
"""Milliseconds after which people answer, and after which a late answer comes."""

PEOPLE = tuple(f"person {number}" for number in range(1, 10))
"""Those who decide: as many as the largest quorum that is explored."""


class Choices:
    """One way through a tree of choices: what is taken first, and what was met on the way.

    All but the first option of a choice are faults; no way has more than `faults` of them.
    """

    def __init__(self, taken: Sequence[int], faults: int) -> None:
        self._given = taken
        self._left = faults
        self.taken: list[int] = []
        self.widths: list[int] = []

    def choose(self, options: Sequence[Option], free: bool = False) -> Option:
        """Takes one of some options; `free` ones are no faults, whichever is taken."""
        width = len(options) if free or self._left else 1
        at = len(self.taken)
        number = self._given[at] if at < len(self._given) else 0
        self.taken.append(number)
        self.widths.append(width)
        if number and not free:
            self._left -= 1
        return options[number]


def every(run: Callable[[Choices], Found], faults: int) -> Iterator[Found]:
    """Gives what every way through the choices of `run` comes to, the way without faults first."""
    taken: list[int] = []
    while True:
        choices = Choices(taken, faults)
        yield run(choices)
        taken, widths = choices.taken, choices.widths
        while taken and taken[-1] + 1 >= widths[len(taken) - 1]:
            taken.pop()
        if not taken:
            return
        taken[-1] += 1


class Crash(Exception):
    """The process that runs the saga dies here."""


class Services:
    """Services that do what the tools declare, with the outcome that is chosen for each call.

    An effect is known by the path of its step. `net` counts how often it has been applied more
    than undone; a saga takes it back with its first call, and `taken` counts how often each of
    its calls has landed. A verify is answered truly; any other read gives a sample.
    """

    def __init__(self, index: Index, choices: Choices) -> None:
        self.index = index
        self.choices = choices
        self.state: State | None = None
        self.net: dict[str, int] = defaultdict(int)
        self.taken: dict[str, int] = defaultdict(int)
        self.begun: set[tuple[str, int]] = set()
        self.keys: dict[str, Any] = {}
        self.worn: set[str] = set()

    def __call__(self, call: Call) -> Reply:
        agent = next((each for each in self.index.plan.agents if each.name == call.tool), None)
        if agent is not None:
            if self.choices.choose(["works", "gives up"]) == "works":
                return Reply(None, agent=self._work(agent))
            return _raised(agent.fails[0] if agent.fails else "GaveUp")
        tool = self.index.tools[call.tool]
        if call.purpose in ("verify", "inspect"):
            return _returned(self._seen(call))
        if call.purpose in ("remember", "expect"):
            return _returned(self._sample(call))
        if call.id.rpartition("|")[0] in self.worn:
            return _raised("Transient")
        match self.choices.choose(self._outcomes(call, tool)):
            case "refused":
                return _raised(tool.fails[0])
            case "refused late":
                return _raised(tool.fails[0], LATE)
            case "used up":
                self.worn.add(call.id.rpartition("|")[0])
                return _raised("Transient")
            case "lost":
                self._do(call, tool)
                return _raised("ConnectionError")
            case "vanished":
                return _raised("ConnectionError")
            case "crashed before":
                raise Crash
            case "crashed after":
                self._do(call, tool)
                raise Crash
            case "late":
                return _returned(self._do(call, tool), LATE)
            case "answered":
                return _returned(
                    self._do(call, tool),
                )

    def _seen(self, call: Call) -> Any:
        """A true answer to a verify, whatever it asks."""
        assert self.state is not None
        question = Asked(self.state, call).question()
        wanted = truly(question, self.net[call.path] > 0)
        known = self._sample(call)
        try:
            return showing(question, known, wanted, self.index.schema)
        except Unfit:
            return known if wanted == "applied" else None

    def _work(self, agent: Agent) -> AgentScript:
        """An agent that calls each of its tools once, and goes on when one is refused."""
        for use in agent.uses:
            parameters = self.index.tools[use.tool].parameters
            with contextlib.suppress(Refused):
                yield use.tool, sample_inputs(parameters, self.index.schema)
        return sample(agent.result, self.index.schema)

    def _outcomes(self, call: Call, tool: Tool) -> list[Outcome]:
        if call.purpose != "do":
            return list(UNDOING)
        found: list[Outcome] = list(ALWAYS)
        if tool.fails and call.attempt == 1:
            found.extend(REFUSING)
        if self._attempts(call) is not None:
            found.append("used up")
        if tool.effects:
            found.extend(UNDOING[1:])
        return found

    def _attempts(self, call: Call) -> int | None:
        assert self.state is not None
        return self.state.steps[call.path].site.step.retry.attempts

    def _sample(self, call: Call) -> Any:
        return sample_answer(self.index.tools[call.tool], call.args, self.index.schema)

    def _do(self, call: Call, tool: Tool) -> Any:
        given = self._sample(call)
        if not call.key or call.purpose not in ("do", "undo"):
            return given
        if tool.idempotent is not None and call.key in self.keys:
            return self.keys[call.key]
        self.keys[call.key] = given
        path = call.undo_of
        if path:
            self.taken[call.path] += 1
            if (path, call.generation) in self.begun:
                return given
            self.begun.add((path, call.generation))
        if tool.effects:
            self.net[path or call.path] += 1 if call.purpose == "do" else -1
        return given


class End(Struct, frozen=True):
    """How a run came out: its status, the incident that is open, what the services hold.

    `pivots` were in the way of a rollback, until people said that it be done all the same;
    `stranded` are the steps that only people could take back; `taken` counts what each call of a
    saga that is an undo has taken back.
    """

    status: str
    incident: Incident | None
    pivots: frozenset[str]
    stranded: frozenset[str]
    standing: frozenset[str]
    net: Mapping[str, int]
    taken: Mapping[str, int]
    events: tuple[Any, ...]


def explore(plan: Plan, inputs: Mapping[str, Any], faults: int) -> Iterator[End]:
    """Gives how every run of a plan comes out that has at most so many faults.

    `inputs` are stored values; people approve, reject or let lapse what they are asked, each a
    choice; signals come or lapse. Where a pivot is in the way people say `back`, and what
    has no undo they take back by hand; at any other incident the run is left as it is.
    """
    index = Index(plan)
    yield from every(lambda choices: _run(index, plan, inputs, choices), faults)


def _run(
    index: Index,
    plan: Plan,
    inputs: Mapping[str, Any],
    choices: Choices,
) -> End:
    services = Services(index, choices)
    simulator = Simulator(plan, inputs, services, groups=_Everybody(), index=index)
    pivots: frozenset[str] = frozenset()
    stranded: frozenset[str] = frozenset()
    while True:
        services.state = simulator.state
        try:
            simulator.run(until=simulator.now + SOON)
            if _asked(simulator, choices):
                continue
            simulator.run()
            incident = open_incident(simulator.state)
            if incident is not None and incident.cause == "after_pivot":
                pivots |= _in_the_way(simulator.state, incident)
                simulator.ask(Request("resolve", actor=PEOPLE[0], answer="back"))
                continue
            if incident is not None and incident.cause == "no_undo":
                stranded |= {incident.path}
                services.net[incident.path] = 0
                simulator.ask(Request("resolve", actor=PEOPLE[0], answer="done"))
                continue
            if simulator.status in FINAL or incident is not None:
                break
            if not _asked(simulator, choices):
                raise RuntimeError(f"the run is {simulator.status} and asks for nothing")
        except Crash:
            simulator.crash()
    state = simulator.state
    return End(
        simulator.status,
        incident,
        pivots,
        stranded,
        frozenset(standing(state)),
        dict(services.net),
        dict(services.taken),
        tuple(simulator.events),
    )


def _in_the_way(state: State, incident: Incident) -> frozenset[str]:
    """Gives the pivots in the boundary that could not be closed."""
    stuck = (
        frame
        for frame in (state.root, *state.boundaries.values())
        if frame.failing == incident.path or (frame.closed and frame.path == incident.path)
    )
    return frozenset(path for frame in stuck for path in frame.pivots or ())


def _asked(simulator: Simulator, choices: Choices) -> bool:
    """Lets people decide about one thing that is waited for; False when nothing is."""
    for waited in waiting_for(simulator.state):
        lapses = ["lapse"] * (waited["until"] is not None)
        if waited["kind"] == "signal":
            if choices.choose(["signal", *lapses]) == "signal":
                simulator.ask(
                    Request("signal", path=waited["path"], value=_signal(simulator, waited))
                )
                return True
        elif waited["kind"] == "gate" and not waited["approved_by"]:
            answer = choices.choose(["approve", "reject", *lapses])
            if answer == "lapse":
                continue
            verb: Verb = "approve" if answer == "approve" else "reject"
            for person in PEOPLE[: _needed(waited) if answer == "approve" else 1]:
                simulator.ask(Request(verb, actor=person, path=waited["path"]))
            return True
    return False


def _signal(simulator: Simulator, waited: Mapping[str, Any]) -> Any:
    state = simulator.state
    node = state.index.entries[state.pauses[waited["path"]].number].statement
    assert isinstance(node, Wait)
    return encode(sample(node.type, state.index.schema))


class _Everybody(Mapping[str, Sequence[str]]):
    """Groups to which whoever is asked belongs."""

    def __getitem__(self, name: str) -> Sequence[str]:
        return PEOPLE

    def __iter__(self) -> Iterator[str]:
        return iter(("everybody",))

    def __len__(self) -> int:
        return 1


def _needed(waited: Mapping[str, Any]) -> int:
    return int(str(waited["needs"]).split(" ")[0])


def _returned(value: Any, takes: int = 1) -> Reply:
    return Reply(Answer("returned", value), takes)


def _raised(name: str, takes: int = 1) -> Reply:
    return Reply(Answer("raised", fault=Fault(name, "as explored"), classes=(name,)), takes)
