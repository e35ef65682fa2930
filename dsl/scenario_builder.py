"""Builds the nodes of scenarios."""

from __future__ import annotations

from typing import Literal, cast

from msgspec.structs import replace

from . import nodes as n
from .growth import Quoted, Word
from .span import Span
from .statement_builder import StatementBuilder


class ScenarioBuilder(StatementBuilder):
    """Methods named like rules; each gets the span and the children of one match."""

    def scenario(self, span: Span, title: Quoted, saga: n.Name, *items: n.Item) -> n.Scenario:
        return n.Scenario(span, None, self.plain(title), saga, items)

    def scenario_item(self, span: Span, doc: n.Doc | None, item: n.ScenarioItem) -> n.ScenarioItem:
        return item if doc is None else replace(item, doc=doc)

    def path(self, span: Span, *segments: n.PathSegment) -> n.Path:
        return n.Path(span, segments)

    def path_segment(self, span: Span, name: n.Name, key: n.Expr | None) -> n.PathSegment:
        return n.PathSegment(span, name, key)

    def given(self, span: Span, name: n.Name, value: n.Expr) -> n.Given:
        return n.Given(span, None, name, value)

    def mock(self, span: Span, path: n.Path, value: n.Expr) -> n.Mock:
        return n.Mock(span, None, path, value)

    def mock_call(self, span: Span, path: n.Path, call: n.Call, goes_on: bool | None) -> n.MockCall:
        return n.MockCall(span, None, path, call, bool(goes_on))

    def goes_on(self, span: Span) -> bool:
        return True

    def fail(self, span: Span, path: n.Path, error: Quoted, times: n.IntLiteral | None) -> n.Fail:
        return n.Fail(span, None, path, self.plain(error), times)

    def crash(self, span: Span, path: n.Path, moment: Word, of: Word) -> n.Crash:
        before = cast(Literal["before", "after"], moment.text)
        return n.Crash(span, None, path, before, cast(Literal["call", "undo"], of.text))

    def moment(self, span: Span, word: Word) -> Word:
        return word

    called = moment

    def times_out(self, span: Span, path: n.Path, landing_after: n.Duration | None) -> n.TimesOut:
        return n.TimesOut(span, None, path, landing_after)

    def lose(self, span: Span, path: n.Path) -> n.Lose:
        return n.Lose(span, None, path)

    def drift(self, span: Span, path: n.Path) -> n.Drift:
        return n.Drift(span, None, path)

    def refuse_undo(self, span: Span, path: n.Path) -> n.RefuseUndo:
        return n.RefuseUndo(span, None, path)

    def approve(self, span: Span, gate: n.Path, by: Quoted) -> n.Approve:
        return n.Approve(span, None, gate, self.plain(by))

    def reject(self, span: Span, gate: n.Path) -> n.Reject:
        return n.Reject(span, None, gate)

    def signal(self, span: Span, wait: n.Path, value: n.Expr) -> n.Signal:
        return n.Signal(span, None, wait, value)

    def cancel_at(self, span: Span, path: n.Path) -> n.CancelAt:
        return n.CancelAt(span, None, path)

    def log_down_at(self, span: Span, path: n.Path) -> n.LogDownAt:
        return n.LogDownAt(span, None, path)

    def expectation(self, span: Span, item: n.ScenarioItem) -> n.ScenarioItem:
        return replace(item, span=span)

    def expect_status(self, span: Span, *words: Word) -> n.ExpectStatus:
        status = " ".join(word.text for word in words)
        return n.ExpectStatus(span, None, cast(n.ScenarioStatus, status))

    def expect_done(self, span: Span, *paths: n.Path) -> n.ExpectDone:
        return n.ExpectDone(span, None, paths)

    def expect_undone(self, span: Span, *paths: n.Path) -> n.ExpectUndone:
        return n.ExpectUndone(span, None, paths)

    def expect_not_called(self, span: Span, path: n.Path) -> n.ExpectNotCalled:
        return n.ExpectNotCalled(span, None, path)

    def expect_corrective(self, span: Span, path: n.Path) -> n.ExpectCorrective:
        return n.ExpectCorrective(span, None, path)

    def expect_readiness(self, span: Span, least: n.Expr) -> n.ExpectReadiness:
        return n.ExpectReadiness(span, None, least)

    def expect_result(self, span: Span, value: n.Expr) -> n.ExpectResult:
        return n.ExpectResult(span, None, value)
