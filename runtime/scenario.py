"""Scenarios: the tests in a file as data, which only `rehearsal` plays."""

from __future__ import annotations

from typing import Literal as OneOf

from msgspec import Struct

from .catalogue import Part
from .formula import Formula
from .plan import Argument, Plan

ScenarioStatus = OneOf[
    "succeeded", "rolled_back", "partly_rolled_back", "escalated", "waiting", "cancelled", "paused"
]


class Segment(Struct, frozen=True, omit_defaults=True):
    """One name of a path; `key` says which item, a constant."""

    name: str
    key: Formula | None = None


class Spot(Struct, frozen=True):
    """A statement that a scenario names: its path in the plan, and the names with their keys."""

    path: str
    segments: tuple[Segment, ...]


class Line(Part, frozen=True, kw_only=True):
    """What every line of a scenario has: its own text, on one line."""

    source: str


class Given(Line, frozen=True, kw_only=True, tag="given"):
    """The value of an input."""

    name: str
    value: Formula


class Mock(Line, frozen=True, kw_only=True, tag="mock"):
    """What a step's call answers."""

    spot: Spot
    value: Formula


class MockCall(Line, frozen=True, kw_only=True, tag="mock_call"):
    """The next call that an agent makes; when it is refused the agent ends there, or `goes_on`."""

    spot: Spot
    tool: str
    args: tuple[Argument, ...]
    goes_on: bool = False


class Fail(Line, frozen=True, kw_only=True, tag="fail"):
    """A call raises `error`: each time, or the first `times`; nothing happens outside."""

    spot: Spot
    error: str
    times: int | None = None


class Crash(Line, frozen=True, kw_only=True, tag="crash"):
    """The process dies before the first call reaches the service, or before its answer is kept."""

    spot: Spot
    moment: OneOf["before", "after"]
    of: OneOf["call", "undo"]


class TimesOut(Line, frozen=True, kw_only=True, tag="timeout"):
    """The first call is never answered; it lands after so many milliseconds, or never (None)."""

    spot: Spot
    landing_after: int | None = None


class Lose(Line, frozen=True, kw_only=True, tag="lose"):
    """The first call lands, and its answer is lost."""

    spot: Spot


class Drift(Line, frozen=True, kw_only=True, tag="drift"):
    """Somebody else changes what the step expects unchanged, else what it has left behind."""

    spot: Spot


class RefuseUndo(Line, frozen=True, kw_only=True, tag="refuse_undo"):
    """Every undo of the step is refused."""

    spot: Spot


class Approve(Line, frozen=True, kw_only=True, tag="approve"):
    """Somebody approves as soon as the gate is open."""

    spot: Spot
    by: str


class Reject(Line, frozen=True, kw_only=True, tag="reject"):
    """Somebody rejects as soon as the gate is open."""

    spot: Spot


class Signal(Line, frozen=True, kw_only=True, tag="signal"):
    """A signal comes as soon as it is waited for."""

    spot: Spot
    value: Formula


class CancelAt(Line, frozen=True, kw_only=True, tag="cancel_at"):
    """The run is cancelled when the statement has begun."""

    spot: Spot


class LogDownAt(Line, frozen=True, kw_only=True, tag="log_down_at"):
    """The log cannot be written from where the statement begins."""

    spot: Spot


Injection = (
    Fail | Crash | TimesOut | Lose | Drift | RefuseUndo | Approve | Reject | Signal | CancelAt
    | LogDownAt
)  # fmt: skip


class ExpectStatus(Line, frozen=True, kw_only=True, tag="status"):
    """How the run stands in the end."""

    status: ScenarioStatus


class ExpectDone(Line, frozen=True, kw_only=True, tag="done"):
    """Each of them was carried out, whatever was taken back later."""

    spots: tuple[Spot, ...]


class ExpectUndone(Line, frozen=True, kw_only=True, tag="undone"):
    """They were undone one after another as written; others may have been between them."""

    spots: tuple[Spot, ...]


class ExpectNotCalled(Line, frozen=True, kw_only=True, tag="not_called"):
    """It never began."""

    spot: Spot


class ExpectCorrective(Line, frozen=True, kw_only=True, tag="corrective"):
    """A corrective of it was carried out, or is due on record."""

    spot: Spot


class ExpectReadiness(Line, frozen=True, kw_only=True, tag="readiness"):
    """The readiness is never less while the run goes forward."""

    least: Formula


class ExpectResult(Line, frozen=True, kw_only=True, tag="result"):
    """What the saga returns."""

    value: Formula


Expectation = (
    ExpectStatus | ExpectDone | ExpectUndone | ExpectNotCalled | ExpectCorrective
    | ExpectReadiness | ExpectResult
)  # fmt: skip


class Scenario(Part, frozen=True, kw_only=True):
    """One scenario, complete with the plan of its saga: it is played from this alone."""

    title: str
    plan: Plan
    given: tuple[Given, ...] = ()
    mocks: tuple[Mock, ...] = ()
    calls: tuple[MockCall, ...] = ()
    injections: tuple[Injection, ...] = ()
    expectations: tuple[Expectation, ...] = ()
