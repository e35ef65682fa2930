"""The statements of sagas typed: arguments, conditions, and the type of each named value."""

from __future__ import annotations

from ...dsl.nodes import (
    AcceptIrreversible,
    Each,
    Expecting,
    First,
    Gate,
    If,
    Lapse,
    Let,
    Name,
    OnFailure,
    Overrides,
    Parallel,
    Promise,
    PromiseReadiness,
    Repeat,
    Requires,
    Return,
    Saga,
    Scope,
    Statement,
    Step,
    Undo,
    Until,
    Verify,
    Wait,
    When,
    of,
)
from ...runtime.formula import Type
from ..names.catalogue import Declared, spelled
from ..names.outline import Outline, Site
from .environment import Environment, Lookup
from .inference import T304
from .interfaces import Interfaces
from .mismatch import T301, Role
from .narrowing import NOTHING, Path, proved
from .tooltypes import Clauses
from .types import (
    DECIMAL,
    DECISION,
    JSON,
    NONE,
    STR,
    UNKNOWN,
    holds_secret,
    optional,
    present,
    shown,
)


class Statements:
    """Types the statements of one saga; `types` are those of steps, by the ids of their nodes."""

    def __init__(self, clauses: Clauses, declared: Declared, saga: Saga, outline: Outline) -> None:
        self.clauses = clauses
        self.interfaces: Interfaces = clauses.interfaces
        self.saga = saga
        self.outline = outline
        self.inputs = self.interfaces.fields(declared)
        self.result = self.interfaces.result(declared)
        self.types: dict[int, Type] = {}
        self._open: set[int] = set()

    def run(self) -> None:
        """Types every statement, outer before inner, in the order written."""
        self._block(self.saga.body.statements, NOTHING)
        sites = self.outline.sites
        # A `return` that stands where it cannot was told by `placement`.
        misplaced = any(isinstance(s.statement, Return) and not self.outline.ends(s) for s in sites)
        complete = misplaced or _returns(self.saga.body.statements)
        if self.saga.result is not None and not complete:
            self.clauses.inference.report(
                T301(
                    f"The saga {spelled(self.saga.name)} gives {shown(self.result)}, "
                    "but does not return anything.",
                    self.saga.result.span,
                    "promised here",
                    helps=["End it with `return ...`, or take the `->` and its type out."],
                )
            )
        for word, sites in self.outline.by_name.items():
            self._one_type(word, sites)

    def _block(self, statements: tuple[Statement, ...], there: frozenset[Path]) -> None:
        for statement in statements:
            site = self.outline.of_statement[id(statement)]
            self._statement(statement, Environment(self._names_at(site), there=there))
            match statement:
                case If(condition=condition, then=then, otherwise=otherwise):
                    self._block(then.statements, there | proved(condition))
                    if otherwise is not None:
                        self._block(otherwise.statements, there | proved(condition, False))
                case Parallel(body=body):
                    self._block(body.statements, there)
                case Requires(condition=condition):
                    there = there | proved(condition)
                case _:
                    pass

    def _statement(self, statement: Statement, env: Environment) -> None:
        clauses = self.clauses
        match statement:
            case Step():
                self._type(self.outline.of_statement[id(statement)], env)
                self._step(statement, env)
            case Let():
                self._type(self.outline.of_statement[id(statement)], env)
            case Requires(condition=condition, message=message):
                clauses.condition(condition, env, "requires")
                clauses.text(message, env)
            case If(condition=condition):
                clauses.condition(condition, env, "if")
            case Gate():
                self._gate(statement, env)
            case Return(value=value):
                if self.saga.result is None:
                    clauses.inference.report(
                        T301(
                            f"{spelled(self.saga.name)} does not say that it gives a value.",
                            value.span,
                            also=[(self.saga.name.span, "declared without `->`")],
                            helps=["Write its type after the inputs: `-> T`."],
                        )
                    )
                role = Role(
                    f"What {spelled(self.saga.name)} returns",
                    self.saga.result.span if self.saga.result else None,
                )
                clauses.value(value, env, self.result if self.saga.result else None, role)
            case Promise(promised=PromiseReadiness(least=least)):
                clauses.value(least, env, DECIMAL, Role("The promised readiness"))
            case _:
                pass

    def _step(self, step: Step, env: Environment) -> None:
        clauses = self.clauses
        for when in of(step.clauses, When):
            clauses.condition(when.condition, env, "when")
            env = env.knowing(proved(when.condition))
        answer = clauses.call(step.call, env)
        for clause in step.clauses:
            match clause:
                case Until(condition=condition):
                    clauses.condition(condition, env.plus(it=present(answer)), "until")
                case Expecting(call=read, fields=fields):
                    self._fields(clauses.call(read, env), fields)
                case AcceptIrreversible(reason=reason):
                    clauses.text(reason, env)
                case Overrides():
                    self._overrides(step, clause, env, answer)
                case _:
                    pass

    def _overrides(self, step: Step, overrides: Overrides, env: Environment, answer: Type) -> None:
        declared = self.clauses.tool(step.call)
        arguments = self.interfaces.fields(declared) if declared else dict[str, Type]()
        given = Environment(
            env.lookup, {**env.local, "key": STR, "args": JSON}, env.there, arguments
        )
        for clause in overrides.clauses:
            match clause:
                case Verify():
                    self.clauses.verify(clause, given, answer, spelled(step.name))
                case Undo():
                    self.clauses.undo(clause, given.plus(result=answer))
                case _:
                    pass

    def _fields(self, given: Type, fields: tuple[Name, ...]) -> None:
        for field in fields:
            declared = self.interfaces.catalogue.of_type(present(given))
            if present(given) in (JSON, UNKNOWN):
                return
            known = self.interfaces.fields(declared) if declared else dict[str, Type]()
            if field.text not in known:
                message = f"There is no field {spelled(field)} in {shown(present(given))}."
                self.clauses.inference.report(T304(message, field.span, "no such field"))
                return
            given = known[field.text]

    def _gate(self, gate: Gate, env: Environment) -> None:
        for when in of(gate.clauses, When):
            self.clauses.condition(when.condition, env, "when")
            env = env.knowing(proved(when.condition))
        for shown_ in gate.shows:
            if holds_secret(self.clauses.value(shown_, env)):
                message = "A secret cannot be shown, not even to those who approve."
                self.clauses.inference.report(T301(message, shown_.span))

    def _names_at(self, site: Site) -> Lookup:
        return lambda word: self._lookup(site, word)

    def _lookup(self, site: Site, word: str) -> Type | None:
        sites = self.outline.usable(site, word)
        if not sites:
            return self.inputs.get(word, UNKNOWN if word in self.outline.by_name else None)
        given = self._type(sites[0], None)
        for other in sites[1:]:
            if given == NONE or self._type(other, None).kind == "optional":
                given = self._type(other, None)
        return given if self.outline.always_there(site, sites) else optional(given)

    def _type(self, site: Site, env: Environment | None) -> Type:
        """Gives the type of a named value; that of a `let` is found when first asked for."""
        known = self.types.get(id(site.statement))
        if known is not None or site.number in self._open:
            return UNKNOWN if known is None else known
        self._open.add(site.number)
        match site.statement:
            case Step():
                found = self._step_type(site.statement)
            case Let(value=value):
                if env is None:
                    env = Environment(self._names_at(site), there=self._known(site))
                found = self.clauses.value(value, env)
            case Gate(clauses=clauses):
                lapses = any(lapse.policy == "continue" for lapse in of(clauses, Lapse))
                found = optional(DECISION) if lapses or of(clauses, When) else DECISION
            case Wait() | Each() | First() | Repeat() | Scope():
                found = UNKNOWN
            case _:
                found = NONE
        self._open.discard(site.number)
        self.types[id(site.statement)] = found
        return found

    def _step_type(self, step: Step) -> Type:
        declared = self.clauses.tool(step.call)
        given = UNKNOWN if declared is None else self.interfaces.result(declared)
        if of(step.clauses, Until):
            given = present(given)
        goes_on = any(each.policy == "continue" for each in of(step.clauses, OnFailure))
        return optional(given) if goes_on or of(step.clauses, When) else given

    def _known(self, site: Site) -> frozenset[Path]:
        """Gives what is proved where a statement stands, by the `if`s and `requires` around it."""
        there: frozenset[Path] = NOTHING
        for area_number, place in site.trail:
            area = self.outline.areas[area_number]
            for statement in area.members[:place]:
                if isinstance(statement, Requires):
                    there |= proved(statement.condition)
            if area.branch_of is not None:
                branch = self.outline.sites[area.branch_of].statement
                assert isinstance(branch, If)
                there |= proved(branch.condition, area.members == branch.then.statements)
        return there

    def _one_type(self, word: str, sites: tuple[Site, ...]) -> None:
        first = sites[0]
        for site in sites[1:]:
            if self.outline.relation(site, first) != "other branch":
                continue
            one, other = (present(self._type(each, None)) for each in (first, site))
            if one != other and UNKNOWN not in (one, other) and first.name and site.name:
                self.clauses.inference.report(
                    T301(
                        f"`{word}` is {shown(one)} in one branch and {shown(other)} in the other: "
                        "a name has one type.",
                        site.name.span,
                        shown(other),
                        also=[(first.name.span, shown(one))],
                        helps=["Give them two names."],
                    )
                )


def _returns(statements: tuple[Statement, ...]) -> bool:
    """True when a block ends with `return`, or with an `if` both of whose branches do."""
    match statements[-1:]:
        case (Return(),):
            return True
        case (If(then=then, otherwise=otherwise),) if otherwise is not None:
            return _returns(then.statements) and _returns(otherwise.statements)
        case _:
            return False
