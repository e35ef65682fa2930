"""Scenarios lowered: each clean one of the main file, with the plan of its saga."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypedDict, assert_never

from ...dsl import nodes as n
from ...dsl.diagnostics import Diagnostic
from ...runtime import plan, scenario as s
from ...runtime.formula import Place
from ..names.catalogue import Declared
from ..names.scenarionames import Cast
from ..names.scenariopaths import listed
from ..typing.annotations import Annotated
from .clean import Soundness
from .lowertools import Lowering, documentation

STATUSES: dict[n.ScenarioStatus, s.ScenarioStatus] = {
    "succeeded": "succeeded",
    "rolled back": "rolled_back",
    "partly rolled back": "partly_rolled_back",
    "escalated": "escalated",
    "waiting": "waiting",
    "cancelled": "cancelled",
    "paused": "paused",
}


def scenarios(
    annotated: Annotated,
    diagnostics: Iterable[Diagnostic],
    plan_of: Callable[[Declared], plan.Plan],
) -> tuple[s.Scenario, ...]:
    """Lowers the scenarios in which, and in whose sagas, nothing is wrong with names and types."""
    resolved = annotated.resolved
    soundness = Soundness(resolved.catalogue, diagnostics)
    return tuple(
        _Scenario(annotated, cast, plan_of(cast.saga)).lowered()
        for cast in resolved.casts
        if cast.module == resolved.loaded.root
        and cast.saga is not None
        and soundness.without_errors(cast.module, cast.node.span)
        and soundness.of(cast.saga)
    )


class _Said(TypedDict):
    """What every line has."""

    at: Place
    doc: str
    source: str


class _Scenario:
    def __init__(self, annotated: Annotated, cast: Cast, made: plan.Plan) -> None:
        self.lowering = Lowering(annotated, cast.module)
        self.cast = cast
        self.plan = made

    def lowered(self) -> s.Scenario:
        given: list[s.Given] = []
        mocks: list[s.Mock] = []
        calls: list[s.MockCall] = []
        injections: list[s.Injection] = []
        expectations: list[s.Expectation] = []
        for item in self.cast.node.items:
            match self._line(item):
                case s.Given() as line:
                    given.append(line)
                case s.Mock() as line:
                    mocks.append(line)
                case s.MockCall() as line:
                    calls.append(line)
                case (
                    s.ExpectStatus()
                    | s.ExpectDone()
                    | s.ExpectUndone()
                    | s.ExpectNotCalled()
                    | s.ExpectCorrective()
                    | s.ExpectReadiness()
                    | s.ExpectResult()
                ) as line:
                    expectations.append(line)
                case line:
                    injections.append(line)
        return s.Scenario(
            title=self.cast.node.title.value,
            plan=self.plan,
            given=tuple(given),
            mocks=tuple(mocks),
            calls=tuple(calls),
            injections=tuple(injections),
            expectations=tuple(expectations),
            at=self.lowering.at(self.cast.node),
            doc=documentation(self.cast.node),
        )

    def _line(self, item: n.Item) -> s.Given | s.Mock | s.MockCall | s.Injection | s.Expectation:
        said = _Said(
            at=self.lowering.at(item),
            doc=documentation(item),
            source=" ".join(self.lowering.annotated.places.text(item.span).split()),
        )
        formula, spot = self.lowering.formula, self._spot
        match item:
            case n.Given(name=name, value=value):
                return s.Given(name=name.text, value=formula(value), **said)
            case n.Mock(path=path, value=value):
                return s.Mock(spot=spot(path), value=formula(value), **said)
            case n.MockCall(path=path, call=call, goes_on=goes_on):
                return s.MockCall(
                    spot=spot(path),
                    tool=self._called(item),
                    args=self.lowering.arguments(call),
                    goes_on=goes_on,
                    **said,
                )
            case n.Fail(path=path, error=error, times=times):
                return s.Fail(
                    spot=spot(path),
                    error=error.value,
                    times=None if times is None else times.value,
                    **said,
                )
            case n.Crash(path=path, moment=moment, of=of):
                return s.Crash(spot=spot(path), moment=moment, of=of, **said)
            case n.TimesOut(path=path, landing_after=after):
                return s.TimesOut(
                    spot=spot(path),
                    landing_after=None if after is None else after.milliseconds,
                    **said,
                )
            case n.Lose(path=path):
                return s.Lose(spot=spot(path), **said)
            case n.Drift(path=path):
                return s.Drift(spot=spot(path), **said)
            case n.RefuseUndo(path=path):
                return s.RefuseUndo(spot=spot(path), **said)
            case n.Approve(gate=path, by=by):
                return s.Approve(spot=spot(path), by=by.value, **said)
            case n.Reject(gate=path):
                return s.Reject(spot=spot(path), **said)
            case n.Signal(wait=path, value=value):
                return s.Signal(spot=spot(path), value=formula(value), **said)
            case n.CancelAt(path=path):
                return s.CancelAt(spot=spot(path), **said)
            case n.LogDownAt(path=path):
                return s.LogDownAt(spot=spot(path), **said)
            case n.ExpectStatus(status=status):
                return s.ExpectStatus(status=STATUSES[status], **said)
            case n.ExpectDone(paths=paths):
                spots = tuple(map(spot, paths))
                return s.ExpectDone(spots=spots, **said)
            case n.ExpectUndone(paths=paths):
                spots = tuple(map(spot, paths))
                return s.ExpectUndone(spots=spots, **said)
            case n.ExpectNotCalled(path=path):
                return s.ExpectNotCalled(spot=spot(path), **said)
            case n.ExpectCorrective(path=path):
                return s.ExpectCorrective(spot=spot(path), **said)
            case n.ExpectReadiness(least=least):
                return s.ExpectReadiness(least=formula(least), **said)
            case n.ExpectResult(value=value):
                return s.ExpectResult(value=formula(value), **said)
            case _:
                assert_never(item)

    def _called(self, item: n.MockCall) -> str:
        """Gives the name in plans of the tool that an agent calls."""
        catalogue = self.lowering.annotated.resolved.catalogue
        agent = self.cast.spots[id(item.path)].callee(catalogue)
        assert agent is not None
        tool = listed(catalogue, agent, item)
        assert tool is not None
        return tool.plan_name

    def _spot(self, path: n.Path) -> s.Spot:
        segments = tuple(
            s.Segment(segment.name.text, self.lowering.maybe(segment.key))
            for segment in path.segments
        )
        return s.Spot(self.cast.spots[id(path)].path, segments)
