"""Statements lowered: what runs, in its order, with everything that governs it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from ...dsl import nodes as n
from ...dsl.nodes import of
from ...runtime import plan
from ...runtime.formula import Formula
from ..names.catalogue import Declared
from ..names.outline import Site
from ..names.placement import headline
from ..typing.annotations import Annotated
from ..typing.constants import integer
from ..typing.types import INT, settled
from .frame import Frame, after, one
from .lowersteps import acts_as, agent_call, on_failure, replacing, step
from .lowertools import Lowering, documentation
from .toolbox import Toolbox

LAYOUT = re.compile(r'(?P<text>"(?:\\.|[^"\\])*")|(?:#[^\n]*|\s)+')


class Body:
    """Lowers the statements of one saga, and of those that it calls."""

    def __init__(
        self, annotated: Annotated, tools: Toolbox, declared: Declared, prefix: str = ""
    ) -> None:
        assert isinstance(declared.node, n.Saga)
        resolved = annotated.resolved
        self.annotated = annotated
        self.saga = declared.node
        self.frame = Frame(
            Lowering(annotated, declared.module),
            tools,
            resolved.outlines[id(declared.node)],
            resolved.needs[id(declared.node)],
            prefix,
        )

    def statements(self) -> tuple[plan.Node, ...]:
        """Lowers the saga's own block; what speaks for the whole saga is not among it."""
        return self._block(self.saga.body)

    def on_rollback(self) -> tuple[plan.Node, ...]:
        """Lowers the steps that run after a rollback."""
        blocks = of(self.saga.body.statements, n.OnRollback)
        return tuple(node for each in blocks for node in self._block(each.body))

    def deadline(self) -> int | None:
        """Gives the deadline in milliseconds."""
        found = one(self.saga.body.statements, n.Deadline)
        return None if found is None else found.duration.milliseconds

    def runbook(self) -> str:
        """Gives the runbook, "" when there is none."""
        found = one(self.saga.body.statements, n.Runbook)
        return "" if found is None else found.text.value

    def guards(self) -> tuple[plan.Guard, ...]:
        """Lowers the guards."""
        return tuple(
            plan.Guard(
                least=self.frame.formula(guard.least),
                group=guard.group.value,
                at=self.annotated.places.place(headline(guard)),
                doc=documentation(guard),
            )
            for guard in of(self.saga.body.statements, n.Guard)
        )

    def promises(self) -> tuple[plan.Promise, ...]:
        """Lowers the promises."""
        return tuple(self._promise(each) for each in of(self.saga.body.statements, n.Promise))

    def _promise(self, node: n.Promise) -> plan.Promise:
        places = self.annotated.places
        span = headline(node).to(node.span)
        bound: Formula | None = None
        match node.promised:
            case n.PromiseReversible():
                kind: Literal["reversible", "readiness", "gated"] = "reversible"
            case n.PromiseReadiness(least=least):
                kind, bound = "readiness", self.frame.formula(least)
            case n.PromiseGated(impact=impact):
                kind, at = "gated", places.place(impact.span)
                bound = Formula(integer(impact.value), INT, places.text(impact.span), at)
        own = self.frame.outline.bodies[0].by_name
        until = {name.text: self.frame.path(own[name.text][0]) for name in node.until}
        return plan.Promise(
            kind=kind,
            bound=bound,
            until=tuple(until.values()),
            source=places.text(span),
            at=places.place(span),
            doc=documentation(node),
        )

    def _block(self, block: n.Block) -> tuple[plan.Node, ...]:
        return tuple(node for each in block.statements for node in self._statement(each))

    def _statement(self, statement: n.Statement) -> Iterator[plan.Node]:
        frame = self.frame
        site = frame.outline.of_statement[id(statement)]
        match statement:
            case n.Step():
                yield self._step(statement, site)
            case n.Gate():
                yield self._gate(statement, site)
            case n.Let(name=name, value=value):
                yield plan.Let(**frame.common(site), name=name.text, value=frame.formula(value))
            case n.Requires(condition=condition, message=message):
                yield plan.Requires(**frame.common(site), test=frame.formula(condition),
                                    otherwise=frame.lowering.maybe(message))  # fmt: skip
            case n.If(condition=condition, then=then, otherwise=otherwise):
                yield plan.If(**frame.common(site), condition=frame.formula(condition),
                              then=self._block(then),
                              otherwise=() if otherwise is None else self._block(otherwise),
                              )  # fmt: skip
            case n.Parallel(body=body):
                yield plan.Parallel(**frame.common(site), body=self._block(body))
            case n.Checkpoint(name=name):
                yield plan.Checkpoint(**frame.common(site), name=name.text)
            case n.Return(value=value):
                yield plan.Return(**frame.common(site), value=frame.formula(value))
            case n.Next(value=value):
                yield plan.Next(**frame.common(site), value=frame.formula(value))
            case n.Sleep(duration=duration):
                yield plan.Sleep(**frame.common(site), length=duration.milliseconds)
            case n.Wait():
                yield self._wait(statement, site)
            case n.Each():
                yield self._each(statement, site)
            case n.First() | n.Repeat():
                yield self._loop(statement, site)
            case n.Scope():
                yield self._scope(statement, site)
            case _:
                pass

    def _step(self, node: n.Step, site: Site) -> plan.Node:
        declared = self.frame.lowering.declared(node.call.callee)
        match declared.node:
            case n.Saga():
                return self._saga_call(node, site, declared)
            case n.Agent():
                return agent_call(self.frame, node, site, declared)
            case _:
                return step(self.frame, node, site, declared)

    def _saga_call(self, node: n.Step, site: Site, declared: Declared) -> plan.SagaCall:
        frame, annotated = self.frame, self.annotated
        inner = Body(annotated, frame.tools, declared, f"{frame.path(site)}.")
        undos = of(replacing(node), n.Undo)
        return plan.SagaCall(
            **frame.common(site),
            after=after(node.clauses),
            name=node.name.text,
            saga=declared.plan_name,
            args=frame.lowering.arguments(node.call),
            parameters=annotated.parameters[declared.plan_name],
            result=annotated.results[declared.plan_name],
            type=settled(annotated.types[id(node)]),
            when=frame.when(node.clauses),
            agent=acts_as(node),
            on_failure=on_failure(node),
            undos=tuple(frame.lowering.undo(undo) for undo in undos),
            body=inner.statements(),
            on_rollback=inner.on_rollback(),
            deadline=inner.deadline(),
            guards=inner.guards(),
            runbook=inner.runbook(),
        )

    def _each(self, node: n.Each, site: Site) -> plan.Each:
        at_once, undo_at_once = one(node.clauses, n.AtOnce), one(node.clauses, n.UndoAtOnce)
        tolerate, key = one(node.clauses, n.Tolerate), one(node.clauses, n.ItemKey)
        return plan.Each(
            **self.frame.common(site),
            after=after(node.clauses),
            name=node.name.text,
            variable=node.variable.text,
            items=self.frame.formula(node.items),
            by=None if key is None else self.frame.formula(key.key),
            at_once=1 if at_once is None else at_once.limit.value,
            undo_at_once=1 if undo_at_once is None else undo_at_once.limit.value,
            tolerate=0 if tolerate is None else tolerate.limit.value,
            item=settled(self.annotated.items[id(node)]),
            type=settled(self.annotated.types[id(node)]),
            body=self._block(node.body),
        )

    def _loop(self, node: n.First | n.Repeat, site: Site) -> plan.First | plan.Repeat:
        common, waited = self.frame.common(site), after(node.clauses)
        item = settled(self.annotated.items[id(node)])
        type_ = settled(self.annotated.types[id(node)])
        body = self._block(node.body)
        if isinstance(node, n.Repeat):
            return plan.Repeat(**common, after=waited, name=node.name.text,
                               variable=node.variable.text, start=self.frame.formula(node.start),
                               limit=node.limit.value, item=item, type=type_,
                               body=body)  # fmt: skip
        key = one(node.clauses, n.ItemKey)
        return plan.First(**common, after=waited, name=node.name.text,
                          variable=node.variable.text, items=self.frame.formula(node.items),
                          by=None if key is None else self.frame.formula(key.key),
                          item=item, type=type_, body=body)  # fmt: skip

    def _scope(self, node: n.Scope, site: Site) -> plan.Scope:
        type_ = self.annotated.types[id(node)]
        held = self.frame.outline.held(site)
        first = {
            word: sites[0].name.span
            for body in reversed(held)
            for word, sites in body.by_name.items()
            if sites[0].name
        }
        return plan.Scope(
            **self.frame.common(site),
            after=after(node.clauses),
            name=node.name.text,
            type=settled(type_),
            fields=tuple(
                plan.Parameter(
                    name=word, type=settled(given), at=self.annotated.places.place(first[word])
                )
                for word, given in self.annotated.scopes[type_.name].items()
            ),
            body=self._block(node.body),
            otherwise=None if node.otherwise is None else self._block(node.otherwise),
        )

    def _wait(self, node: n.Wait, site: Site) -> plan.Wait:
        lapse = one(node.clauses, n.Lapse)
        policy = lapse.policy if lapse is not None else None
        given = settled(self.annotated.types[id(node)])
        return plan.Wait(
            **self.frame.common(site),
            after=after(node.clauses),
            name=node.name.text,
            type=given,
            within=None if lapse is None else lapse.within.milliseconds,
            otherwise=policy or "rollback",
        )

    def _gate(self, gate: n.Gate, site: Site) -> plan.Gate:
        places = self.annotated.places
        lapse = one(gate.clauses, n.Lapse)
        policy = lapse.policy if lapse is not None else None
        return plan.Gate(
            **self.frame.common(site),
            after=after(gate.clauses),
            name=gate.name.text,
            needs=1 if gate.count is None else gate.count.value,
            group=gate.group.value,
            shows=tuple(
                plan.Argument(
                    name=on_one_line(places.text(shown.span)),
                    value=self.frame.formula(shown),
                    at=self.frame.lowering.at(shown),
                )
                for shown in gate.shows
            ),
            including_initiator=one(gate.clauses, n.IncludingInitiator) is not None,
            when=self.frame.when(gate.clauses),
            within=None if lapse is None else lapse.within.milliseconds,
            otherwise=policy or "rollback",
        )


def on_one_line(text: str) -> str:
    """Gives an expression without its layout and comments, which mean nothing."""
    return LAYOUT.sub(lambda found: found["text"] or " ", text).strip()
