"""The nodes of scenarios, the tests in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .expressions import Duration, Expr, IntLiteral, PlainText
from .node import Doc, Name, Node


@dataclass(frozen=True, slots=True)
class PathSegment(Node):
    """`name` or `name[key]` in the path of a statement."""

    name: Name
    key: Expr | None


@dataclass(frozen=True, slots=True)
class Path(Node):
    """`shipping.else.ship`, `picks["a"].pick`: a statement by its chain of names."""

    segments: tuple[PathSegment, ...]


@dataclass(frozen=True, slots=True)
class ScenarioItem(Node):
    """An input, an injection or an expectation, with its documentation."""

    doc: Doc | None


@dataclass(frozen=True, slots=True)
class Given(ScenarioItem):
    """`given NAME = E`."""

    name: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class Mock(ScenarioItem):
    """`mock P = E`: the result of a step."""

    path: Path
    value: Expr


@dataclass(frozen=True, slots=True)
class Fail(ScenarioItem):
    """`fail P with "E" N times`."""

    path: Path
    error: PlainText
    times: IntLiteral | None


@dataclass(frozen=True, slots=True)
class Crash(ScenarioItem):
    """`crash P before|after call|undo`."""

    path: Path
    moment: Literal["before", "after"]
    of: Literal["call", "undo"]


@dataclass(frozen=True, slots=True)
class TimesOut(ScenarioItem):
    """`timeout P landing after D`; without `landing` it never lands."""

    path: Path
    landing_after: Duration | None


@dataclass(frozen=True, slots=True)
class Lose(ScenarioItem):
    """`lose P`: the answer is lost."""

    path: Path


@dataclass(frozen=True, slots=True)
class Drift(ScenarioItem):
    """`drift P`: someone else changes it."""

    path: Path


@dataclass(frozen=True, slots=True)
class RefuseUndo(ScenarioItem):
    """`refuse undo P`."""

    path: Path


@dataclass(frozen=True, slots=True)
class Approve(ScenarioItem):
    """`approve G by "who"`."""

    gate: Path
    by: PlainText


@dataclass(frozen=True, slots=True)
class Reject(ScenarioItem):
    """`reject G`."""

    gate: Path


@dataclass(frozen=True, slots=True)
class Signal(ScenarioItem):
    """`signal W = V`."""

    wait: Path
    value: Expr


@dataclass(frozen=True, slots=True)
class CancelAt(ScenarioItem):
    """`cancel at P`."""

    path: Path


@dataclass(frozen=True, slots=True)
class LogDownAt(ScenarioItem):
    """`log down at P`."""

    path: Path


ScenarioStatus = Literal[
    "succeeded",
    "rolled back",
    "partly rolled back",
    "escalated",
    "waiting",
    "cancelled",
    "paused",
]


@dataclass(frozen=True, slots=True)
class ExpectStatus(ScenarioItem):
    """`expect succeeded | rolled back | ...`."""

    status: ScenarioStatus


@dataclass(frozen=True, slots=True)
class ExpectDone(ScenarioItem):
    """`expect done P, Q`."""

    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class ExpectUndone(ScenarioItem):
    """`expect undone P, Q`, in this order."""

    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class ExpectNotCalled(ScenarioItem):
    """`expect not called P`."""

    path: Path


@dataclass(frozen=True, slots=True)
class ExpectCorrective(ScenarioItem):
    """`expect corrective P`."""

    path: Path


@dataclass(frozen=True, slots=True)
class ExpectReadiness(ScenarioItem):
    """`expect readiness >= X`."""

    least: Expr


@dataclass(frozen=True, slots=True)
class ExpectResult(ScenarioItem):
    """`expect result E`."""

    value: Expr


Item = (
    Given
    | Mock
    | Fail
    | Crash
    | TimesOut
    | Lose
    | Drift
    | RefuseUndo
    | Approve
    | Reject
    | Signal
    | CancelAt
    | LogDownAt
    | ExpectStatus
    | ExpectDone
    | ExpectUndone
    | ExpectNotCalled
    | ExpectCorrective
    | ExpectReadiness
    | ExpectResult
)


@dataclass(frozen=True, slots=True)
class Scenario(Node):
    """`scenario "title" for SAGA { items }`."""

    doc: Doc | None
    title: PlainText
    saga: Name
    items: tuple[Item, ...]
