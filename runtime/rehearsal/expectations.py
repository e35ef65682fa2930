"""Expectations judged by the events of a run: what fell short, and what happened instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, assert_never

from msgspec import json

from ..equality import identity
from ..events import Event
from ..expressions import evaluate
from ..plain import to_plain
from ..plan import Gate, Plan, statements
from ..scenario import (
    Expectation,
    ExpectCorrective,
    ExpectDone,
    ExpectNotCalled,
    ExpectReadiness,
    ExpectResult,
    ExpectStatus,
    ExpectUndone,
    Scenario,
    Spot,
)
from ..simulator import Simulator
from ..values import decode
from .paths import spelled, within
from .progress import begun, carried_out
from .report import Shortfall


def judge(scenario: Scenario, simulator: Simulator) -> Iterator[Shortfall]:
    """Yields what fell short. Raises `Failed` for an expected value that has none."""
    judging = _Judging(scenario.plan, simulator)
    for line in scenario.expectations:
        happened = judging.missed(line)
        if happened:
            yield Shortfall(line.at, line.source.removeprefix("expect "), happened)


class _Judging:
    def __init__(self, plan: Plan, simulator: Simulator) -> None:
        self.schema = simulator.index.schema
        self.status = simulator.status
        self.state = simulator.state
        self.events: Sequence[Event] = simulator.events
        self.gates = {n.path: n for n in statements(plan.body) if isinstance(n, Gate)}
        self.undone = [e.path for e in self.events if e.kind == "chosen" and e.status == "undone"]

    def missed(self, line: Expectation) -> str:
        """Gives what happened instead of what a line expects; nothing when it happened."""
        match line:
            case ExpectStatus(status=wanted):
                return "" if self.status == wanted else self._stands()
            case ExpectDone(spots=spots):
                missing = [self._path(spot) for spot in spots if not self._done(spot)]
                return "; ".join(map(self._story, missing))
            case ExpectUndone(spots=spots):
                return self._undone(spots)
            case ExpectNotCalled(spot=spot):
                path = self._path(spot)
                return self._story(path) if self._begun(path) else ""
            case ExpectCorrective(spot=spot):
                path = self._path(spot)
                return "" if self._corrected(path) else f"no corrective of `{path}` was due"
            case ExpectReadiness(least=least):
                return self._readiness(evaluate(least.tree, {}, self.schema))
            case ExpectResult(value=value):
                return self._result(evaluate(value.tree, {}, self.schema))
            case _:
                assert_never(line)

    def _path(self, spot: Spot) -> str:
        return spelled(spot, self.schema)

    def _at(self, path: str) -> list[Event]:
        return [event for event in self.events if within(event.path, path)]

    def _begun(self, path: str) -> bool:
        # What an agent asks for may wait at its gate, and then not be called.
        asked_for = ("asked", "claimed", "unclaimed")
        idle = ("skipped", "failed", "value", "announced", *asked_for)
        # A gate that opens by itself before a call stands under its path, and is not the call.
        asked = {e.path for e in self.events if e.kind == "gate_opened" and "for" in e.data}
        return any(
            e.kind != "chosen" or e.status not in idle
            for e in self._at(path)
            if e.path == path or e.path not in asked
        )

    def _done(self, spot: Spot) -> bool:
        path = self._path(spot)
        approved = {
            e.actor
            for e in self.events
            if e.path == path and e.kind == "decided" and e.status == "approved"
        }
        if approved:
            gate = self.gates.get(spot.path)
            return len(approved) >= (1 if gate is None else gate.needs)
        if any(_landed(event) for event in self.events if event.path == path):
            return True
        s = self.state.steps.get(path)
        if s is not None and s.frame.undo_of:
            return s.undo_phase == "done"
        return carried_out(self.state, path)

    def _undone(self, spots: Sequence[Spot]) -> str:
        at = 0
        for spot in spots:
            path = self._path(spot)
            places = [k for k, one in enumerate(self.undone) if within(one, path)]
            if not any(place >= at for place in places):
                listed = ", then ".join(f"`{one}`" for one in self.undone)
                order = f"undone: {listed}" if listed else "nothing was undone"
                return order if places else f"{order}; {self._story(path)}"
            at = next(place for place in places if place >= at) + 1
        return ""

    def _corrected(self, path: str) -> bool:
        return any(
            (e.kind == "chosen" and e.status == "corrective_due")
            or (e.kind == "outcome" and e.direction == "corrective" and e.status == "succeeded")
            for e in self._at(path)
        )

    def _readiness(self, wanted: Decimal) -> str:
        least, at = Fraction(1), ""
        for event in self.events:
            if event.readiness is not None and Fraction(*event.readiness) < least:
                least, at = Fraction(*event.readiness), event.path
        if least >= Fraction(wanted):
            return ""
        return f"it was {_decimal(least)}{f', when `{at}` was under way' if at else ''}"

    def _result(self, wanted: Any) -> str:
        last = self.events[-1]
        if last.kind != "run_finished" or last.status != "succeeded":
            return f"it gave nothing: {self._stands()}"
        given = decode(last.result)
        return "" if identity(given) == identity(wanted) else f"it gave {_shown(given)}"

    def _stands(self) -> str:
        said = f"the run is {self.status.replace('_', ' ')}"
        for event in reversed(self.events):
            if event.kind == "escalated" and self.status == "escalated":
                return f"{said}: {event.data.get('summary', event.status)}"
            if event.kind in ("scope_closed", "run_finished") and event.error is not None:
                error = event.error
                return f"{said}: {error.type}{f': {error.message}' if error.message else ''}"
        return said

    def _story(self, path: str) -> str:
        """Gives the last that is known of a statement, as a sentence."""
        told = [e for e in self.events if e.path == path]
        for event in reversed(told):
            error = f" ({event.error.type})" if event.error is not None else ""
            match (event.kind, event.status):
                case ("chosen", "undone"):
                    return f"`{path}` was undone"
                case ("chosen", "skipped"):
                    return f"`{path}` was skipped"
                case ("chosen", "failed") | ("outcome", "refused"):
                    return f"`{path}` failed{error}"
                case ("outcome", "unknown") | ("verified", "unknown"):
                    return f"what `{path}` did is not known{error}"
                case ("outcome", "succeeded"):
                    return f"`{path}` was carried out"
                case ("decided", status):
                    return f"`{path}` was {status}"
                case ("signalled", "lapsed"):
                    return f"`{path}` lapsed"
                case ("scope_closed", _):
                    return f"`{path}` was rolled back"
                case ("gate_opened", _):
                    return f"`{path}` waits for people"
                case _:
                    continue
        if begun(self.state, path):
            return f"`{path}` was {'carried out' if carried_out(self.state, path) else 'begun'}"
        return f"`{path}` was called" if told else f"`{path}` was never called"


def _landed(event: Event) -> bool:
    match event.kind:
        case "outcome":
            return event.direction in ("do", "read") and event.status == "succeeded"
        case "verified":
            return event.direction == "do" and event.status == "applied"
        case "resolved":
            return event.status == "done"
        case "signalled":
            return event.status != "lapsed"
        case "checkpointed":
            return True
        case _:
            return False


def _decimal(value: Fraction) -> str:
    scaled = value * 10_000
    return f"{scaled.numerator // scaled.denominator / 10_000:.4f}".rstrip("0").rstrip(".")


def _shown(value: Any) -> str:
    return json.encode(to_plain(value)).decode()
