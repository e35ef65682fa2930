"""Tools, records and enums lowered: their clauses as a plan has them, defaults filled in."""

from __future__ import annotations

from decimal import Decimal

from ...dsl import nodes as n
from ...dsl.nodes import of
from ...runtime import plan
from ...runtime.formula import Formula, Name, Place, Type
from ..names.catalogue import Declared
from ..typing.annotations import Annotated
from ..typing.types import present, settled

TIMEOUT = 60_000
READING = plan.Retry(attempts=5, low=200, high=10_000)
"""How often a read is tried unless it says otherwise; a tool with effects is never tried twice."""


class Lowering:
    """Makes parts of plans from the nodes of one module."""

    def __init__(self, annotated: Annotated, module: str) -> None:
        self.annotated = annotated
        self.module = module

    def at(self, node: n.Node) -> Place:
        """Gives the place of a node."""
        return self.annotated.places.place(node.span)

    def formula(self, expr: n.Expr) -> Formula:
        """Gives what typing made of an expression."""
        return self.annotated.formulas[id(expr)]

    def maybe(self, expr: n.Expr | None) -> Formula | None:
        """Gives what typing made of an expression, if there is one."""
        return None if expr is None else self.formula(expr)

    def tool_name(self, name: n.Name) -> str:
        """Gives the name in plans of a tool that a clause names."""
        return self.declared(name).plan_name

    def declared(self, name: n.Name) -> Declared:
        """Gives the declaration that a name means; typing has found it."""
        found = self.annotated.resolved.catalogue.find(self.module, name.text)
        assert found is not None
        return found

    def arguments(self, call: n.Call) -> tuple[plan.Argument, ...]:
        """Gives the arguments of a call of a tool."""
        return self.annotated.arguments[id(call)]

    def retry(self, clause: n.Retry) -> plan.Retry:
        """Lowers `retry`; without `every` the pauses are those of the format."""
        attempts = {"forever": None, "never": 1}
        count = clause.attempts
        times = count.value if isinstance(count, n.IntLiteral) else attempts[count]
        at, doc = self.at(clause), documentation(clause)
        if clause.every is None:
            return plan.Retry(attempts=times, at=at, doc=doc)
        low, high = clause.every.shortest.milliseconds, clause.every.longest.milliseconds
        return plan.Retry(attempts=times, low=low, high=high, at=at, doc=doc)

    def verify(self, clause: n.Verify) -> plan.Verify:
        """Lowers `verify` with its verdicts."""
        after = clause.consistent_after
        return plan.Verify(
            tool=self.tool_name(clause.call.callee),
            args=self.arguments(clause.call),
            consistent_after=0 if after is None else after.milliseconds,
            verdicts=tuple(self.verdict(verdict) for verdict in clause.verdicts or ()),
            at=self.at(clause),
            doc=documentation(clause),
        )

    def undo(self, clause: n.Undo) -> plan.Undo:
        """Lowers `undo` with what its block replaces."""
        timeout = next(iter(of(clause.clauses, n.Timeout)), None)
        retry = next(iter(of(clause.clauses, n.Retry)), None)
        verify = next(iter(of(clause.clauses, n.Verify)), None)
        return plan.Undo(
            tool=self.tool_name(clause.call.callee),
            args=self.arguments(clause.call),
            when=self.maybe(clause.condition),
            within=None if clause.within is None else clause.within.milliseconds,
            timeout=None if timeout is None else timeout.after.milliseconds,
            settle=None if timeout is None else settle(timeout),
            retry=None if retry is None else self.retry(retry),
            verify=None if verify is None else self.verify(verify),
            at=self.at(clause),
            doc=documentation(clause),
        )

    def verdict(self, verdict: n.Verdict) -> plan.Verdict:
        """Lowers one line of a verify or evidence block."""
        gives = verdict.gives if isinstance(verdict, n.Applied) else None
        return plan.Verdict(
            kind="applied"
            if isinstance(verdict, n.Applied)
            else "absent"
            if isinstance(verdict, n.Absent)
            else "conflict",
            when=self.formula(verdict.condition),
            gives=self.maybe(gives),
            at=self.at(verdict),
            doc=documentation(verdict),
        )


def tool(annotated: Annotated, declared: Declared) -> plan.Tool:
    """Lowers a tool."""
    node = declared.node
    assert isinstance(node, n.Tool)
    lowering = Lowering(annotated, declared.module)
    effects = of(node.clauses, n.Effect)
    reads_only = bool(of(node.clauses, n.NoEffect)) and not effects
    timeout = next(iter(of(node.clauses, n.Timeout)), None)
    retry = next(iter(of(node.clauses, n.Retry)), None)
    verify = next(iter(of(node.clauses, n.Verify)), None)
    commutes = of(node.clauses, n.Commutes)
    runbook = next(iter(of(node.clauses, n.Runbook)), None)
    service = next(iter(of(node.clauses, n.Service)), None)
    between = next(iter(of(node.clauses, n.BetweenRuns)), None)
    return plan.Tool(
        name=declared.plan_name,
        parameters=annotated.parameters[declared.plan_name],
        result=annotated.results[declared.plan_name],
        call=binding(lowering, node),
        effects=tuple(_effect(lowering, effect) for effect in effects),
        states_effects=bool(effects or of(node.clauses, n.NoEffect)),
        reads=tuple(_reading(lowering, clause) for clause in of(node.clauses, n.Reads)),
        idempotent=_idempotence(lowering, node),
        fails=errors(node, n.FailsWith),
        transient=errors(node, n.TransientWith),
        done=errors(node, n.DoneWith),
        retry=lowering.retry(retry) if retry else READING if reads_only else plan.Retry(),
        timeout=timeout.after.milliseconds if timeout else TIMEOUT,
        settle=settle(timeout) if timeout else TIMEOUT,
        requires=tuple(condition(lowering, c) for c in of(node.clauses, n.Requires)),
        ensures=tuple(condition(lowering, c) for c in of(node.clauses, n.Ensures)),
        remember=tuple(_remember(lowering, c) for c in of(node.clauses, n.Remember)),
        verify=lowering.verify(verify) if verify else None,
        verify_always=bool(of(node.clauses, n.VerifyAlways)),
        escalate_unknown=bool(of(node.clauses, n.OnUnknownEscalate)),
        evidence=tuple(_evidence(lowering, clause) for clause in of(node.clauses, n.Evidence)),
        accept_evidence=_accepted(lowering, node),
        between_runs=between.policy if between else "",
        undos=tuple(lowering.undo(clause) for clause in of(node.clauses, n.Undo)),
        commutes=any(clause.other is None for clause in commutes),
        commutes_with=tuple(
            sorted(lowering.tool_name(clause.other) for clause in commutes if clause.other)
        ),
        service=service.name.value if service else "",
        runbook=runbook.text.value if runbook else "",
        at=lowering.at(node.name),
        doc=documentation(node),
    )


def record(annotated: Annotated, declared: Declared) -> plan.Record:
    """Lowers a record."""
    return plan.Record(
        name=declared.plan_name,
        fields=annotated.parameters[declared.plan_name],
        at=annotated.places.place(declared.node.name.span),
        doc=documentation(declared.node),
    )


def enum(annotated: Annotated, declared: Declared) -> plan.Enum:
    """Lowers an enum."""
    node = declared.node
    assert isinstance(node, n.Enum)
    return plan.Enum(
        name=declared.plan_name,
        members=tuple(member.text for member in node.members),
        at=annotated.places.place(node.name.span),
        doc=documentation(node),
    )


def settle(clause: n.Timeout) -> int:
    """Gives how long an effect may still land: as long as the timeout unless said otherwise."""
    return (clause.settle or clause.after).milliseconds


def documentation(node: n.Node) -> str:
    """Gives a node's documentation, for the kinds of nodes that have any."""
    doc = getattr(node, "doc", None)
    return doc.text if isinstance(doc, n.Doc) else ""


def binding(lowering: Lowering, node: n.Tool | n.Agent) -> plan.Binding:
    """Lowers `call`; without arguments they are the parameters by name."""
    clause = next(iter(of(node.clauses, n.Binding)), None)
    target = clause.target.value if clause and clause.target else node.name.text
    if clause is None or clause.arguments is None:
        catalogue = lowering.annotated.resolved.catalogue
        by_name = [
            plan.Argument(
                name=p.name.text,
                value=Formula(
                    Name(p.name.text),
                    settled(catalogue.type(lowering.module, p.type)),
                    p.name.text,
                    lowering.at(p.name),
                ),
                at=lowering.at(p.name),
            )
            for p in node.parameters
        ]
        # A tool without the clause is still called: what is said of its call is said at its name.
        at = lowering.at(clause or node.name)
        return plan.Binding(target=target, args=tuple(by_name), at=at)
    args = [
        plan.Argument(
            name=argument.name.text if argument.name else "",
            value=lowering.formula(argument.value),
            at=lowering.at(argument),
        )
        for argument in clause.arguments
    ]
    return plan.Binding(
        target=target, args=tuple(args), at=lowering.at(clause), doc=documentation(clause)
    )


def _effect(lowering: Lowering, clause: n.Effect) -> plan.Effect:
    return plan.Effect(
        kind=clause.kind.text,
        ids=() if clause.id is None else (lowering.formula(clause.id),),
        effect_class=clause.effect_class,
        impact=1 if clause.impact is None else clause.impact.value,
        corrective=None if clause.corrective is None else _corrective(lowering, clause.corrective),
        at=lowering.at(clause),
        doc=documentation(clause),
    )


def _corrective(lowering: Lowering, node: n.Corrective) -> plan.Corrective:
    needs = "" if node.group is None else node.group.value
    at = lowering.at(node)
    if isinstance(node.action, n.Call):
        return plan.Corrective(
            tool=lowering.tool_name(node.action.callee),
            args=lowering.arguments(node.action),
            needs=needs,
            at=at,
        )
    return plan.Corrective(text=lowering.formula(node.action), needs=needs, at=at)


def _reading(lowering: Lowering, clause: n.Reads) -> plan.Reading:
    ids = () if clause.id is None else (lowering.formula(clause.id),)
    return plan.Reading(
        kind=clause.kind.text, ids=ids, at=lowering.at(clause), doc=documentation(clause)
    )


def _idempotence(lowering: Lowering, node: n.Tool) -> plan.Idempotence | None:
    for clause in node.clauses:
        if isinstance(clause, n.IdempotentByKey):
            lifetime = None if clause.lifetime is None else clause.lifetime.milliseconds
            return plan.Idempotence(
                by="key", lifetime=lifetime, at=lowering.at(clause), doc=documentation(clause)
            )
        if isinstance(clause, n.IdempotentNaturally):
            return plan.Idempotence(
                by="naturally", at=lowering.at(clause), doc=documentation(clause)
            )
    return None


def errors(
    node: n.Tool | n.Agent, kind: type[n.FailsWith] | type[n.TransientWith] | type[n.DoneWith]
) -> tuple[str, ...]:
    """Gives the names of exceptions that the clauses of one kind list."""
    return tuple(name.text for clause in of(node.clauses, kind) for name in clause.errors)


def condition(lowering: Lowering, clause: n.Requires | n.Ensures) -> plan.Condition:
    """Lowers `requires` or `ensures`."""
    return plan.Condition(
        test=lowering.formula(clause.condition),
        otherwise=lowering.maybe(clause.message),
        at=lowering.at(clause),
        doc=documentation(clause),
    )


def _evidence(lowering: Lowering, clause: n.Evidence) -> plan.Evidence:
    return plan.Evidence(
        tool=lowering.tool_name(clause.call.callee),
        args=lowering.arguments(clause.call),
        weight=number(clause.weight),
        verdicts=tuple(lowering.verdict(verdict) for verdict in clause.verdicts),
        at=lowering.at(clause),
        doc=documentation(clause),
    )


def _accepted(lowering: Lowering, node: n.Tool) -> plan.AcceptEvidence | None:
    clause = next(iter(of(node.clauses, n.AcceptEvidence)), None)
    if clause is None:
        return None
    return plan.AcceptEvidence(
        least=number(clause.least),
        below=clause.below_impact.value,
        at=lowering.at(clause),
        doc=documentation(clause),
    )


def number(literal: n.IntLiteral | n.DecimalLiteral) -> str:
    """Gives a number as exact decimal text; numbers that are equal have one text."""
    return format(Decimal(literal.value).normalize(), "f")


def _remember(lowering: Lowering, clause: n.Remember) -> plan.Remember:
    read = lowering.declared(clause.call.callee)
    given: Type = lowering.annotated.results[read.plan_name]
    return plan.Remember(
        name=clause.name.text,
        tool=read.plan_name,
        args=lowering.arguments(clause.call),
        type=given if clause.message is None else present(given),
        otherwise=lowering.maybe(clause.message),
        required=clause.message is not None,
        at=lowering.at(clause),
        doc=documentation(clause),
    )
