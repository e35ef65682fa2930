"""Statements lowered: what runs, in its order, with everything that governs it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeVar

from ...dsl import nodes as n
from ...dsl.nodes import of
from ...runtime import plan
from ...runtime.formula import Formula
from ..names.order import Needs, waits
from ..names.outline import Outline, Site
from ..names.placement import headline
from ..typing.constants import integer
from ..typing.types import INT, settled
from .lowertools import Lowering, Toolbox, documentation, settle

LAYOUT = re.compile(r'(?P<text>"(?:\\.|[^"\\])*")|(?:#[^\n]*|\s)+')
Replaced = Literal["timeout", "retry", "verify", "undo"]
Kind = TypeVar("Kind", bound=n.Node)


class Body:
    """Lowers the statements of one saga."""

    def __init__(self, lowering: Lowering, tools: Toolbox, saga: n.Saga) -> None:
        resolved = lowering.annotated.resolved
        self.lowering = lowering
        self.tools = tools
        self.outline: Outline = resolved.outlines[id(saga)]
        self.needs: Needs = resolved.needs[id(saga)]

    def called(self) -> set[str]:
        """Gives the tools that the statements call, by their names in plans."""
        return {
            self.lowering.tool_name(call.callee)
            for site in self.outline.sites
            for call in _calls(site.statement)
        }

    def block(self, statements: tuple[n.Statement, ...]) -> tuple[plan.Node, ...]:
        """Lowers a block; what speaks for the whole saga is not among its statements."""
        return tuple(node for each in statements for node in self._statement(each))

    def promise(self, node: n.Promise) -> plan.Promise:
        """Lowers a promise."""
        places = self.lowering.annotated.places
        span = headline(node).to(node.span)
        bound: Formula | None = None
        match node.promised:
            case n.PromiseReversible():
                kind: Literal["reversible", "readiness", "gated"] = "reversible"
            case n.PromiseReadiness(least=least):
                kind, bound = "readiness", self.lowering.formula(least)
            case n.PromiseGated(impact=impact):
                kind, at = "gated", places.place(impact.span)
                bound = Formula(integer(impact.value), INT, places.text(impact.span), at)
        until = {name.text: self.outline.by_name[name.text][0].path for name in node.until}
        return plan.Promise(
            kind=kind,
            bound=bound,
            until=tuple(until.values()),
            source=places.text(span),
            at=places.place(span),
            doc=documentation(node),
        )

    def _statement(self, statement: n.Statement) -> Iterator[plan.Node]:
        site = self.outline.of_statement[id(statement)]
        lowering = self.lowering
        at = lowering.annotated.places.place(headline(statement))
        doc = documentation(statement)
        waiting = waits(site, self.needs)
        match statement:
            case n.Step():
                yield self._step(statement, site)
            case n.Gate():
                yield self._gate(statement, site)
            case n.Let(name=name, value=value):
                yield plan.Let(path=site.path, waits=waiting, name=name.text,
                               value=lowering.formula(value), at=at, doc=doc)  # fmt: skip
            case n.Requires(condition=condition, message=message):
                yield plan.Requires(path=site.path, waits=waiting, at=at, doc=doc,
                                    test=lowering.formula(condition),
                                    otherwise=lowering.maybe(message))  # fmt: skip
            case n.If(condition=condition, then=then, otherwise=otherwise):
                yield plan.If(
                    path=site.path, waits=waiting, at=at, doc=doc,
                    condition=lowering.formula(condition),
                    then=self.block(then.statements),
                    otherwise=() if otherwise is None else self.block(otherwise.statements),
                )  # fmt: skip
            case n.Parallel(body=body):
                yield plan.Parallel(path=site.path, waits=waiting, at=at, doc=doc,
                                    body=self.block(body.statements))  # fmt: skip
            case n.Checkpoint(name=name):
                yield plan.Checkpoint(path=site.path, waits=waiting, name=name.text,
                                      at=at, doc=doc)  # fmt: skip
            case n.Return(value=value):
                yield plan.Return(path=site.path, waits=waiting, at=at, doc=doc,
                                  value=lowering.formula(value))  # fmt: skip
            case _:
                pass

    def _step(self, step: n.Step, site: Site) -> plan.Step:
        lowering = self.lowering
        declared = lowering.declared(step.call.callee)
        tool = self.tools.tool(declared.plan_name)
        when = _one(step.clauses, n.When)
        policy = _one(step.clauses, n.OnFailure)
        until = _one(step.clauses, n.Until)
        agent = _one(step.clauses, n.ActsAs)
        accepted = _one(step.clauses, n.AcceptIrreversible)
        expecting = _one(step.clauses, n.Expecting)
        overrides = _one(step.clauses, n.Overrides)
        inner = overrides.clauses if overrides is not None else ()
        timeout, retry = _one(inner, n.Timeout), _one(inner, n.Retry)
        verify, undos = _one(inner, n.Verify), of(inner, n.Undo)
        on_failure = policy.policy if policy is not None else "rollback"
        return plan.Step(
            path=site.path,
            waits=waits(site, self.needs),
            after=_after(step.clauses),
            name=step.name.text,
            tool=declared.plan_name,
            args=lowering.arguments(step.call),
            type=settled(lowering.annotated.types[id(step)]),
            when=None if when is None else lowering.formula(when.condition),
            agent="" if agent is None else agent.agent.value,
            on_failure=on_failure,
            until=None if until is None else self._until(until, on_failure),
            expecting=None if expecting is None else self._expecting(expecting),
            accepted=None if accepted is None else lowering.formula(accepted.reason),
            timeout=tool.timeout if timeout is None else timeout.after.milliseconds,
            settle=tool.settle if timeout is None else settle(timeout),
            retry=tool.retry if retry is None else lowering.retry(retry),
            verify=tool.verify if verify is None else lowering.verify(verify),
            undos=tool.undos if not undos else tuple(lowering.undo(undo) for undo in undos),
            replaces=_replaced(inner),
            at=lowering.annotated.places.place(headline(step)),
            doc=documentation(step),
        )  # fmt: skip

    def _until(self, clause: n.Until, on_failure: plan.OnFailure) -> plan.Until:
        return plan.Until(
            test=self.lowering.formula(clause.condition),
            every=clause.every.milliseconds,
            within=clause.within.milliseconds,
            otherwise=on_failure,
            at=self.lowering.at(clause),
            doc=documentation(clause),
        )

    def _expecting(self, clause: n.Expecting) -> plan.Expecting:
        return plan.Expecting(
            tool=self.lowering.tool_name(clause.call.callee),
            args=self.lowering.arguments(clause.call),
            field=tuple(field.text for field in clause.fields),
            since=self.outline.by_name[clause.since.text][0].path,
            at=self.lowering.at(clause),
            doc=documentation(clause),
        )

    def _gate(self, gate: n.Gate, site: Site) -> plan.Gate:
        lowering = self.lowering
        places = lowering.annotated.places
        when, lapse = _one(gate.clauses, n.When), _one(gate.clauses, n.Lapse)
        policy = lapse.policy if lapse is not None else None
        return plan.Gate(
            path=site.path,
            waits=waits(site, self.needs),
            after=_after(gate.clauses),
            name=gate.name.text,
            needs=1 if gate.count is None else gate.count.value,
            group=gate.group.value,
            shows=tuple(
                plan.Argument(
                    name=on_one_line(places.text(shown.span)),
                    value=lowering.formula(shown),
                    at=lowering.at(shown),
                )
                for shown in gate.shows
            ),
            including_initiator=_one(gate.clauses, n.IncludingInitiator) is not None,
            when=None if when is None else lowering.formula(when.condition),
            within=None if lapse is None else lapse.within.milliseconds,
            otherwise=policy or "rollback",
            at=places.place(headline(gate)),
            doc=documentation(gate),
        )  # fmt: skip


def _one(clauses: tuple[n.Node, ...], kind: type[Kind]) -> Kind | None:
    return next(iter(of(clauses, kind)), None)


def _replaced(clauses: tuple[n.Node, ...]) -> tuple[Replaced, ...]:
    kinds: tuple[tuple[Replaced, type[n.Node]], ...] = (
        ("timeout", n.Timeout),
        ("retry", n.Retry),
        ("verify", n.Verify),
        ("undo", n.Undo),
    )
    return tuple(word for word, kind in kinds if of(clauses, kind))


def on_one_line(text: str) -> str:
    """Gives an expression without its layout and comments, which mean nothing."""
    return LAYOUT.sub(lambda found: found["text"] or " ", text).strip()


def _after(clauses: tuple[n.Node, ...]) -> tuple[str, ...]:
    return tuple(name.text for clause in of(clauses, n.After) for name in clause.names)


def _calls(statement: n.Statement) -> Iterator[n.Call]:
    if isinstance(statement, n.Step):
        yield statement.call
        for clause in statement.clauses:
            if isinstance(clause, n.Expecting):
                yield clause.call
            elif isinstance(clause, n.Overrides):
                for inner in clause.clauses:
                    if isinstance(inner, n.Verify | n.Undo):
                        yield inner.call
                    if isinstance(inner, n.Undo):
                        yield from (verify.call for verify in of(inner.clauses, n.Verify))
