"""What is proved of one saga: the class of each step, the least readiness, each promise."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

from msgspec import Struct

from ...runtime.plan import AgentCall, EffectClass, SagaCall, Step, Tool
from .promises import judge
from .readiness import least
from .spots import Spot, catch
from .view import View

StepClass = Literal[
    "read", "reversible", "compensatable", "irreversible", "accepted", "restoring", "agent", "saga"
]

_WORST: tuple[EffectClass, ...] = ("irreversible", "compensatable", "reversible", "restoring")


class StepProof(Struct, frozen=True):
    """One step: what can become of it, and whether it can be relied on to be completed.

    `tool` is what it calls: of an agent and of another saga, theirs. The steps of a called saga
    follow it.
    """

    path: str
    tool: str
    step_class: StepClass
    retriable: bool


class ReadinessProof(Struct, frozen=True):
    """The least readiness, and the paths of the effects that stand in the first state with it.

    Where it is only approached, `after` are those of which there are ever more.
    """

    least: Fraction
    after: tuple[str, ...]
    approached: bool = False


class PromiseProof(Struct, frozen=True):
    """A promise as written; the run that breaks it, None when it holds."""

    text: str
    counterexample: str | None

    @property
    def holds(self) -> bool:
        """Whether it holds in every state of every run."""
        return self.counterexample is None


class Proofs(Struct, frozen=True):
    """All that is proved of one saga."""

    saga: str
    steps: tuple[StepProof, ...]
    readiness: ReadinessProof
    promises: tuple[PromiseProof, ...]


def prove(view: View) -> Proofs:
    """Proves what can be proved of one saga, whether or not it checks clean."""
    found = least(view)
    judged = [(promise, judge(view, promise)) for promise in view.plan.promises]
    return Proofs(
        view.plan.saga,
        tuple(_steps(view)),
        ReadinessProof(
            found.value, tuple(step.path for _, step, _ in found.landed), found.approached
        ),
        tuple(
            PromiseProof(promise.source, None if judgement.holds else judgement.run)
            for promise, judgement in judged
        ),
    )


def _steps(view: View) -> Iterator[StepProof]:
    for spot in view.graph.spots:
        if spot.frame.aftermath:
            continue
        match spot.node:
            case Step(path=path) as step:
                tool = view.tools[step.tool]
                yield StepProof(path, tool.name, step_class(step, tool), _completed(view, spot))
            case AgentCall(path=path, agent=agent):
                yield StepProof(path, agent, "agent", _completed(view, spot))
            case SagaCall(path=path, saga=saga):
                yield StepProof(path, saga, "saga", _completed(view, spot))
            case _:
                pass


def _completed(view: View, spot: Spot) -> bool:
    """True when neither a call itself nor anything inside it fails what is around it."""
    inside = view.graph.moments[spot.index : spot.stop]
    failing = (each for each in inside if each.index in view.failures)
    return not any(catch(each.frame).start <= spot.index for each in failing)


def step_class(step: Step, tool: Tool) -> StepClass:
    """Gives the class of a step: that of its tool, unless its irreversible effect is accepted."""
    found = tool_class(tool)
    return "accepted" if found == "irreversible" and step.accepted is not None else found


def tool_class(tool: Tool) -> StepClass:
    """Gives the class of a tool: that of its effect which is hardest to take back."""
    classes = {effect.effect_class for effect in tool.effects}
    for each in _WORST:
        if each in classes:
            return each
    return "read"
