"""What every check and proof looks at: one plan with its tables, its graph and its texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from ...dsl.parser import Parsed
from ...dsl.span import Span
from ...runtime.formula import Place
from ...runtime.plan import AgentCall, Plan, Requires, SagaCall, Step, Tool
from .failures import certain, fallible, pivot, possible, unreached
from .graph import Graph, Marks, graph
from .lapses import lapsing
from .leaks import leaky
from .spots import Frame, Spot, catch
from .tables import Tables, tables, undoable

Called = tuple[Spot, Step, Tool]
"""A step with its spot and its tool. An agent has one for each tool that it may use."""


class View(Tables, frozen=True, eq=False, dict=True):
    """One saga as checks see it, made by `view`; `texts` are by the files that places name.

    `order` is the graph before it is known which scopes keep R502; everything else asks `graph`.
    """

    plan: Plan
    order: Graph
    texts: Mapping[str, Parsed]

    @cached_property
    def graph(self) -> Graph:
        """The graph of the plan, which knows what is before what and what excludes what."""
        pivots = (spot for spot, step, tool in self.steps if pivot(step, tool))
        return self.order.knowing(leaky(self.order, self.fallibles, pivots))

    @cached_property
    def steps(self) -> tuple[Called, ...]:
        """Every step that goes forward with its spot and its tool, in the order written.

        An agent is a step of each of its tools, called `NAME[n]`: it calls any number of them.
        """
        return tuple(each for each in self._called if not each[0].frame.aftermath)

    @cached_property
    def afterwards(self) -> tuple[Called, ...]:
        """The steps that run on rollback, which nothing takes back."""
        return tuple(each for each in self._called if each[0].frame.aftermath)

    @cached_property
    def _called(self) -> tuple[Called, ...]:
        return tuple(each for spot in self.order.spots for each in self._calls(spot))

    def _calls(self, spot: Spot) -> Iterator[Called]:
        match spot.node:
            case Step():
                yield spot, spot.node, self.tools[spot.node.tool]
            case AgentCall():
                for use in self.agents[spot.node.agent].uses:
                    tool = self.tools[use.tool]
                    yield spot, _child(spot.node, tool), tool
            case _:
                pass

    @cached_property
    def requires(self) -> tuple[tuple[Spot, Requires], ...]:
        """Every condition of the saga itself with its spot."""
        spots = self.order.spots
        return tuple((spot, spot.node) for spot in spots if isinstance(spot.node, Requires))

    @cached_property
    def restorable(self) -> Mapping[tuple[tuple[Spot, int], ...], tuple[Spot, ...]]:
        """The steps that have landed when they have settled, and have undos, by their branches."""
        found: dict[tuple[tuple[Spot, int], ...], list[Spot]] = {}
        for spot, step, tool in self.steps:
            if step.undos and certain(step) and any(map(undoable, tool.effects)):
                found.setdefault(spot.branches, []).append(spot)
        return {branches: tuple(spots) for branches, spots in found.items()}

    @cached_property
    def failures(self) -> Mapping[int, str]:
        """How each fallible statement fails, by the index of its spot."""
        said = ((spot.index, fallible(self, spot)) for spot in self.order.moments)
        found = {index: how for index, how in said if how is not None}
        return possible(self.layout, found, self.bounded.indices.keys())

    @cached_property
    def unreached(self) -> frozenset[Frame]:
        """The bodies that never run."""
        return unreached(self.layout, self.failures, self.bounded.indices.keys())

    def runs(self, spot: Spot) -> bool:
        """True for a statement that some run comes to."""
        return self.unreached.isdisjoint(spot.frame.around())

    @cached_property
    def fallibles(self) -> Marks:
        """The fallible statements, each with the catch of its failure."""
        return self.order.mark(lambda spot: spot.index in self.failures)

    @cached_property
    def bounded(self) -> Marks:
        """The calls at which a lapsed deadline fails its saga: no pivot is sure to be before."""
        pivots = [spot for spot, step, tool in self.steps if pivot(step, tool) and certain(step)]
        pairs: list[tuple[Spot, Frame]] = []
        for frame, _ in self.limited:
            by = catch(frame)
            pairs += ((spot, by) for spot in lapsing(self.order, frame, pivots))
        return self.order.caught(pairs)

    @cached_property
    def limited(self) -> tuple[tuple[Frame, int], ...]:
        """The bodies of sagas that have a deadline, with its length."""
        found: list[tuple[Frame, int]] = []
        for frame in self.layout.frames.values():
            node = self.plan if frame.owner is None else frame.owner.node
            if isinstance(node, Plan | SagaCall) and node.deadline is not None and not frame.side:
                found.append((frame, node.deadline))
        return tuple(found)

    def span(self, place: Place) -> Span:
        """Gives a place as diagnostics hold it."""
        text = self.texts.get(place.file)
        return Span(place.file if text is None else text.source.name, place.start, place.end)

    def text(self, place: Place) -> str:
        """Gives the text at a place, "" when it is not known."""
        text = self.texts.get(place.file)
        return "" if text is None else text.source.text[place.start : place.end]


def _child(agent: AgentCall, tool: Tool) -> Step:
    """Gives the step that stands for each call of one tool that an agent makes."""
    return Step(
        path=f"{agent.path}[n]",
        name=f"{agent.name}[n]",
        tool=tool.name,
        args=(),
        type=tool.result,
        on_failure="continue",
        timeout=tool.timeout,
        settle=tool.settle,
        retry=tool.retry,
        verify=tool.verify,
        undos=tool.undos,
        at=agent.at,
    )


def view(plan: Plan, texts: Mapping[str, Parsed] | None = None) -> View:
    """Makes the view of a plan; without its texts there are no fixes."""
    order = graph(plan)
    known = tables(plan, order.layout)
    return View(
        known.tools,
        known.agents,
        known.records,
        known.layout,
        known.names,
        plan,
        order,
        texts or {},
    )
