"""Builds the nodes of the clauses of tools and agents."""

from __future__ import annotations

from typing import cast

from msgspec.structs import replace

from . import nodes as n
from .expression_builder import ExpressionBuilder
from .growth import Quoted, Word
from .span import Span

Arguments = tuple[n.Argument, ...]


class ClauseBuilder(ExpressionBuilder):
    """Methods named like rules; each gets the span and the children of one match."""

    def documented(self, span: Span, doc: n.Doc | None, node: n.Clause) -> n.Clause:
        return node if doc is None else replace(node, doc=doc)

    tool_clause = agent_clause = undo_clause = override = verdict = documented

    def binding(
        self, span: Span, language: Word, target: Quoted | None, arguments: Arguments | None
    ) -> n.Binding:
        name = n.Name(language.span, language.text)
        return n.Binding(span, None, name, self.plain_or_none(target), arguments)

    def no_effect(self, span: Span) -> n.NoEffect:
        return n.NoEffect(span, None)

    def effect(
        self,
        span: Span,
        kind: n.Name,
        id_: n.Expr | None,
        effect_class: Word,
        impact: n.IntLiteral | None,
        corrective: n.Corrective | None,
    ) -> n.Effect:
        word = cast(n.EffectClass, effect_class.text)
        return n.Effect(span, None, kind, id_, word, effect_class.span, impact, corrective)

    def effect_corrective_first(
        self,
        span: Span,
        kind: n.Name,
        id_: n.Expr | None,
        effect_class: Word,
        corrective: n.Corrective,
        impact: n.IntLiteral,
    ) -> n.Effect:
        return self.effect(span, kind, id_, effect_class, impact, corrective)

    def effect_class(self, span: Span, word: Word) -> Word:
        return word

    between_policy = effect_class

    def impact(self, span: Span, value: n.IntLiteral) -> n.IntLiteral:
        return value

    def corrective(self, span: Span, action: Quoted | n.Call, group: Quoted | None) -> n.Corrective:
        if isinstance(action, Quoted):
            shown = self.text_literal(action.span, action)
            return n.Corrective(span, shown, self.plain_or_none(group))
        return n.Corrective(span, action, self.plain_or_none(group))

    def idempotent_by_key(self, span: Span, lifetime: n.Duration | None) -> n.IdempotentByKey:
        return n.IdempotentByKey(span, None, lifetime)

    def idempotent_naturally(self, span: Span) -> n.IdempotentNaturally:
        return n.IdempotentNaturally(span, None)

    def fails_with(self, span: Span, *errors: n.Name) -> n.FailsWith:
        return n.FailsWith(span, None, errors)

    def transient_with(self, span: Span, *errors: n.Name) -> n.TransientWith:
        return n.TransientWith(span, None, errors)

    def done_with(self, span: Span, *errors: n.Name) -> n.DoneWith:
        return n.DoneWith(span, None, errors)

    def retry(self, span: Span, attempts: n.IntLiteral | Word, every: n.Backoff | None) -> n.Retry:
        if isinstance(attempts, Word):
            return n.Retry(span, None, "forever" if attempts.text == "forever" else "never", every)
        return n.Retry(span, None, attempts, every)

    def backoff(self, span: Span, shortest: n.Duration, longest: n.Duration) -> n.Backoff:
        return n.Backoff(span, shortest, longest)

    def timeout(self, span: Span, after: n.Duration, settle: n.Duration | None) -> n.Timeout:
        return n.Timeout(span, None, after, settle)

    def requires(self, span: Span, condition: n.Expr, message: Quoted | None) -> n.Requires:
        return n.Requires(span, None, condition, self.text_or_none(message))

    def ensures(self, span: Span, condition: n.Expr, message: Quoted | None) -> n.Ensures:
        return n.Ensures(span, None, condition, self.text_or_none(message))

    def remember(
        self, span: Span, name: n.Name, call: n.Call, message: Quoted | None
    ) -> n.Remember:
        return n.Remember(span, None, self.declares(name), call, self.text_or_none(message))

    def verify(
        self,
        span: Span,
        call: n.Call,
        consistent_after: n.Duration | None,
        verdicts: tuple[n.Verdict, ...] | None,
    ) -> n.Verify:
        return n.Verify(span, None, call, consistent_after, verdicts)

    def verifying_call(self, span: Span, callee: n.Name | Word, arguments: Arguments) -> n.Call:
        return self.call(span, n.Name(callee.span, callee.text), arguments)

    def verify_always(self, span: Span, word: Word) -> n.VerifyAlways:
        return n.VerifyAlways(span, None)

    def verdicts(self, span: Span, *verdicts: n.Verdict) -> tuple[n.Verdict, ...]:
        return verdicts

    def applied(self, span: Span, condition: n.Expr, gives: n.Expr | None) -> n.Applied:
        return n.Applied(span, None, condition, gives)

    def absent(self, span: Span, condition: n.Expr) -> n.Absent:
        return n.Absent(span, None, condition)

    def conflict(self, span: Span, condition: n.Expr) -> n.Conflict:
        return n.Conflict(span, None, condition)

    def number(
        self, span: Span, value: n.IntLiteral | n.DecimalLiteral
    ) -> n.IntLiteral | n.DecimalLiteral:
        return value

    def evidence(
        self,
        span: Span,
        call: n.Call,
        weight: n.IntLiteral | n.DecimalLiteral,
        verdicts: tuple[n.Verdict, ...],
    ) -> n.Evidence:
        return n.Evidence(span, None, call, weight, verdicts)

    def accept_evidence(
        self, span: Span, least: n.IntLiteral | n.DecimalLiteral, below_impact: n.IntLiteral
    ) -> n.AcceptEvidence:
        return n.AcceptEvidence(span, None, least, below_impact)

    def undo(
        self,
        span: Span,
        call: n.Call,
        condition: n.Expr | None,
        within: n.Duration | None,
        clauses: tuple[n.Timeout | n.Retry | n.Verify, ...] | None,
    ) -> n.Undo:
        return n.Undo(span, None, call, condition, within, clauses or ())

    def undo_block(
        self, span: Span, *clauses: n.Timeout | n.Retry | n.Verify
    ) -> tuple[n.Timeout | n.Retry | n.Verify, ...]:
        return clauses

    def commutes(self, span: Span, other: n.Name | None) -> n.Commutes:
        return n.Commutes(span, None, other)

    def reads(self, span: Span, kind: n.Name, id_: n.Expr | None) -> n.Reads:
        return n.Reads(span, None, kind, id_)

    def on_unknown_escalate(self, span: Span) -> n.OnUnknownEscalate:
        return n.OnUnknownEscalate(span, None)

    def between_runs(self, span: Span, policy: Word) -> n.BetweenRuns:
        return n.BetweenRuns(span, None, cast("n.BetweenPolicy", policy.text))

    def service(self, span: Span, name: Quoted) -> n.Service:
        return n.Service(span, None, self.plain(name))

    def runbook(self, span: Span, text: Quoted) -> n.Runbook:
        return n.Runbook(span, None, self.plain(text))

    def may_use(self, span: Span, *made: n.AgentTool | n.IntLiteral | None) -> n.MayUse:
        tools = tuple(part for part in made if isinstance(part, n.AgentTool))
        limit = made[-1]
        return n.MayUse(span, None, tools, limit if isinstance(limit, n.IntLiteral) else None)

    def agent_tool(self, span: Span, name: n.Name, group: Quoted | None) -> n.AgentTool:
        return n.AgentTool(span, name, self.plain_or_none(group))
