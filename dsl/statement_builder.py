"""Builds the nodes of the statements of sagas."""

from __future__ import annotations

from typing import TypeVar, cast

from msgspec.structs import replace

from . import nodes as n
from .clause_builder import ClauseBuilder
from .growth import Quoted, Word
from .span import Span

OneStatement = TypeVar("OneStatement", bound=n.StatementNode)


class StatementBuilder(ClauseBuilder):
    """Methods named like rules; each gets the span and the children of one match."""

    def statement(self, span: Span, doc: n.Doc | None, node: OneStatement) -> OneStatement:
        return node if doc is None else replace(node, doc=doc)

    def block(self, span: Span, *statements: n.Statement) -> n.Block:
        return n.Block(span, statements)

    def step(self, span: Span, name: n.Name, call: n.Call, *clauses: n.StepClause) -> n.Step:
        return n.Step(span, None, self.declares(name), call, clauses)

    def when(self, span: Span, condition: n.Expr) -> n.When:
        return n.When(span, condition)

    def after(self, span: Span, *names: n.Name) -> n.After:
        return n.After(span, names)

    def acts_as(self, span: Span, agent: Quoted) -> n.ActsAs:
        return n.ActsAs(span, self.plain(agent))

    def on_failure(self, span: Span, policy: n.FailurePolicy) -> n.OnFailure:
        return n.OnFailure(span, policy)

    def policy(self, span: Span, word: Word) -> n.FailurePolicy:
        return cast(n.FailurePolicy, word.text)

    def until(
        self, span: Span, condition: n.Expr, every: n.Duration, within: n.Duration
    ) -> n.Until:
        return n.Until(span, condition, every, within)

    def expecting(self, span: Span, call: n.Call, *names: n.Name) -> n.Expecting:
        *fields, since = names
        return n.Expecting(span, call, tuple(fields), since)

    def since(self, span: Span, name: n.Name) -> n.Name:
        return name

    def accept_irreversible(self, span: Span, reason: Quoted) -> n.AcceptIrreversible:
        return n.AcceptIrreversible(span, self.text_literal(reason.span, reason))

    def overrides(
        self, span: Span, *clauses: n.Timeout | n.Retry | n.Verify | n.Undo
    ) -> n.Overrides:
        return n.Overrides(span, clauses)

    def let(self, span: Span, name: n.Name, value: n.Expr) -> n.Let:
        return n.Let(span, None, self.declares(name), value)

    def if_(self, span: Span, condition: n.Expr, then: n.Block, other: n.Block | None) -> n.If:
        return n.If(span, None, condition, then, other)

    def parallel(self, span: Span, body: n.Block) -> n.Parallel:
        return n.Parallel(span, None, body)

    def each(
        self,
        span: Span,
        name: n.Name,
        variable: n.Name,
        items: n.Expr,
        *made: n.EachClause | n.Block,
    ) -> n.Each:
        *clauses, body = made
        name, variable = self.declares(name), self.declares(variable)
        return n.Each(
            span,
            None,
            name,
            variable,
            items,
            tuple(cast("list[n.EachClause]", clauses)),
            cast(n.Block, body),
        )

    def item_key(self, span: Span, key: n.Expr) -> n.ItemKey:
        return n.ItemKey(span, key)

    def at_once(self, span: Span, limit: n.IntLiteral) -> n.AtOnce:
        return n.AtOnce(span, limit)

    def undo_at_once(self, span: Span, limit: n.IntLiteral) -> n.UndoAtOnce:
        return n.UndoAtOnce(span, limit)

    def tolerate(self, span: Span, limit: n.IntLiteral) -> n.Tolerate:
        return n.Tolerate(span, limit)

    def first(
        self,
        span: Span,
        name: n.Name,
        variable: n.Name,
        items: n.Expr,
        *made: n.ItemKey | n.After | n.Block,
    ) -> n.First:
        *clauses, body = made
        name, variable = self.declares(name), self.declares(variable)
        return n.First(
            span,
            None,
            name,
            variable,
            items,
            tuple(cast("list[n.ItemKey | n.After]", clauses)),
            cast(n.Block, body),
        )

    def repeat(
        self,
        span: Span,
        name: n.Name,
        variable: n.Name,
        start: n.Expr,
        limit: n.IntLiteral,
        *made: n.After | n.Block,
    ) -> n.Repeat:
        *clauses, body = made
        name, variable = self.declares(name), self.declares(variable)
        return n.Repeat(
            span,
            None,
            name,
            variable,
            start,
            limit,
            tuple(cast("list[n.After]", clauses)),
            cast(n.Block, body),
        )

    def next(self, span: Span, value: n.Expr) -> n.Next:
        return n.Next(span, None, value)

    def scope(self, span: Span, name: n.Name, *made: n.After | n.Block | None) -> n.Scope:
        *clauses, body, otherwise = made
        return n.Scope(
            span,
            None,
            self.declares(name),
            tuple(cast("list[n.After]", clauses)),
            cast(n.Block, body),
            cast("n.Block | None", otherwise),
        )

    def gate(
        self,
        span: Span,
        name: n.Name,
        count: n.IntLiteral | None,
        group: Quoted,
        shows: tuple[n.Expr, ...],
        *clauses: n.GateClause,
    ) -> n.Gate:
        return n.Gate(span, None, self.declares(name), count, self.plain(group), shows, clauses)

    def shows(self, span: Span, *shown: n.Expr) -> tuple[n.Expr, ...]:
        return shown

    def including_initiator(self, span: Span) -> n.IncludingInitiator:
        return n.IncludingInitiator(span)

    def lapse(self, span: Span, within: n.Duration, policy: n.FailurePolicy | None) -> n.Lapse:
        return n.Lapse(span, within, policy)

    def wait(self, span: Span, name: n.Name, signal: n.Type, *clauses: n.Lapse | n.After) -> n.Wait:
        return n.Wait(span, None, self.declares(name), signal, clauses)

    def sleep(self, span: Span, duration: n.Duration) -> n.Sleep:
        return n.Sleep(span, None, duration)

    def checkpoint(self, span: Span, name: n.Name) -> n.Checkpoint:
        return n.Checkpoint(span, None, self.declares(name))

    def deadline(self, span: Span, duration: n.Duration) -> n.Deadline:
        return n.Deadline(span, None, duration)

    def guard(self, span: Span, least: n.Expr, group: Quoted) -> n.Guard:
        return n.Guard(span, None, least, self.plain(group))

    def on_rollback(self, span: Span, body: n.Block) -> n.OnRollback:
        return n.OnRollback(span, None, body)

    def promise(
        self, span: Span, promised: n.Promised, until: tuple[n.Name, ...] | None
    ) -> n.Promise:
        return n.Promise(span, None, promised, until or ())

    def promise_reversible(self, span: Span) -> n.PromiseReversible:
        return n.PromiseReversible(span)

    def promise_readiness(self, span: Span, least: n.Expr) -> n.PromiseReadiness:
        return n.PromiseReadiness(span, least)

    def promise_gated(self, span: Span, impact: n.IntLiteral) -> n.PromiseGated:
        return n.PromiseGated(span, impact)

    def names(self, span: Span, *names: n.Name) -> tuple[n.Name, ...]:
        return names

    def return_(self, span: Span, value: n.Expr) -> n.Return:
        return n.Return(span, None, value)
