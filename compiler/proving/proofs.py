"""What is proved of one saga: the class of each step, the least readiness, each promise."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ...runtime.plan import EffectClass, Step, Tool
from .promises import judge
from .readiness import least
from .view import View

StepClass = Literal["read", "reversible", "compensatable", "irreversible", "accepted", "restoring"]

_WORST: tuple[EffectClass, ...] = ("irreversible", "compensatable", "reversible", "restoring")


@dataclass(frozen=True, slots=True)
class StepProof:
    """One step: what can become of it, and whether it can be relied on to be completed."""

    path: str
    tool: str
    step_class: StepClass
    retriable: bool


@dataclass(frozen=True, slots=True)
class ReadinessProof:
    """The least readiness, and the paths of the effects that stand in the first state with it."""

    least: Fraction
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PromiseProof:
    """A promise as written; the run that breaks it, None when it holds."""

    text: str
    counterexample: str | None

    @property
    def holds(self) -> bool:
        """Whether it holds in every state of every run."""
        return self.counterexample is None


@dataclass(frozen=True, slots=True)
class Proofs:
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
        tuple(
            StepProof(spot.path, tool.name, step_class(step, tool), spot.index not in view.failures)
            for spot, step, tool in view.steps
        ),
        ReadinessProof(found.value, tuple(spot.path for spot in found.landed)),
        tuple(
            PromiseProof(promise.source, None if judgement.holds else judgement.run)
            for promise, judgement in judged
        ),
    )


def step_class(step: Step, tool: Tool) -> StepClass:
    """Gives the class of a step: that of its tool, unless its irreversible effect is accepted."""
    found = tool_class(tool)
    return "accepted" if found == "irreversible" and step.accepted is not None else found


def tool_class(tool: Tool) -> StepClass:
    """Gives the class of a tool: that of its effect which is hardest to take back."""
    classes = {effect.effect_class for effect in tool.effects}
    return next((each for each in _WORST if each in classes), "read")
