"""The nodes of scenarios, the tests in a file."""

from __future__ import annotations

from typing import Literal

from .expressions import Call, Duration, Expr, IntLiteral, PlainText
from .node import Doc, Name, Node


class PathSegment(Node, frozen=True):
    """`name` or `name[key]` in the path of a statement."""

    name: Name
    key: Expr | None


class Path(Node, frozen=True):
    """`shipping.else.ship`, `picks["a"].pick`: a statement by its chain of names."""

    segments: tuple[PathSegment, ...]


class ScenarioItem(Node, frozen=True):
    """An input, an injection or an expectation, with its documentation."""

    doc: Doc | None


class Given(ScenarioItem, frozen=True):
    """`given NAME = E`."""

    name: Name
    value: Expr


class Mock(ScenarioItem, frozen=True):
    """`mock P = E`: the result of a step."""

    path: Path
    value: Expr


class MockCall(ScenarioItem, frozen=True):
    """`mock P calls T(arguments) else continue`: the next call that an agent makes."""

    path: Path
    call: Call
    goes_on: bool


class Fail(ScenarioItem, frozen=True):
    """`fail P with "E" N times`."""

    path: Path
    error: PlainText
    times: IntLiteral | None


class Crash(ScenarioItem, frozen=True):
    """`crash P before|after call|undo`."""

    path: Path
    moment: Literal["before", "after"]
    of: Literal["call", "undo"]


class TimesOut(ScenarioItem, frozen=True):
    """`timeout P landing after D`; without `landing` it never lands."""

    path: Path
    landing_after: Duration | None


class Lose(ScenarioItem, frozen=True):
    """`lose P`: the answer is lost."""

    path: Path


class Drift(ScenarioItem, frozen=True):
    """`drift P`: someone else changes it."""

    path: Path


class RefuseUndo(ScenarioItem, frozen=True):
    """`refuse undo P`."""

    path: Path


class Approve(ScenarioItem, frozen=True):
    """`approve G by "who"`."""

    gate: Path
    by: PlainText


class Reject(ScenarioItem, frozen=True):
    """`reject G`."""

    gate: Path


class Signal(ScenarioItem, frozen=True):
    """`signal W = V`."""

    wait: Path
    value: Expr


class CancelAt(ScenarioItem, frozen=True):
    """`cancel at P`."""

    path: Path


class LogDownAt(ScenarioItem, frozen=True):
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


class ExpectStatus(ScenarioItem, frozen=True):
    """`expect succeeded | rolled back | ...`."""

    status: ScenarioStatus


class ExpectDone(ScenarioItem, frozen=True):
    """`expect done P, Q`."""

    paths: tuple[Path, ...]


class ExpectUndone(ScenarioItem, frozen=True):
    """`expect undone P, Q`, in this order."""

    paths: tuple[Path, ...]


class ExpectNotCalled(ScenarioItem, frozen=True):
    """`expect not called P`."""

    path: Path


class ExpectCorrective(ScenarioItem, frozen=True):
    """`expect corrective P`."""

    path: Path


class ExpectReadiness(ScenarioItem, frozen=True):
    """`expect readiness >= X`."""

    least: Expr


class ExpectResult(ScenarioItem, frozen=True):
    """`expect result E`."""

    value: Expr


Item = (
    Given
    | Mock
    | MockCall
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


class Scenario(Node, frozen=True):
    """`scenario "title" for SAGA { items }`."""

    doc: Doc | None
    title: PlainText
    saga: Name
    items: tuple[Item, ...]
