"""The statements of sagas typed: arguments, conditions, keys, and what bodies give."""

from __future__ import annotations

from collections.abc import Iterable

from ...dsl.nodes import (
    Block,
    Each,
    First,
    Gate,
    Guard,
    If,
    ItemKey,
    Next,
    OnRollback,
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
    When,
    of,
)
from ...dsl.span import Span
from ..names.catalogue import Declared, spelled
from ..names.outline import Outline, Site
from .environment import Environment
from .mismatch import T301, Role
from .narrowing import NOTHING, Path, proved
from .sagavalues import Values, returns
from .secrecy import at_gate
from .steptypes import step
from .tooltypes import Clauses
from .types import DECIMAL, UNKNOWN, holds_secret, optional, present, shown


class Statements:
    """Types the statements of one saga; `values` are its named values."""

    def __init__(self, clauses: Clauses, declared: Declared, saga: Saga, outline: Outline) -> None:
        interfaces = clauses.interfaces
        self.clauses = clauses
        self.saga = saga
        self.outline = outline
        self.result = interfaces.result(declared)
        self.values = Values(clauses, outline, declared.plan_name, interfaces.fields(declared))

    def run(self) -> None:
        """Types every statement, outer before inner, in the order written."""
        statements = self.saga.body.statements
        self._block(statements, NOTHING)
        self._gives_result(statements)
        for body in self.outline.bodies:
            others = self._beside(body.number)
            for word, sites in body.by_name.items():
                self._one_type(word, (*others.get(word, ()), *sites))

    def _gives_result(self, statements: tuple[Statement, ...]) -> None:
        own = (s for s in self.outline.sites if s.body == 0 and isinstance(s.statement, Return))
        # A `return` that stands where it cannot was told by `placement`.
        misplaced = any(not self.outline.ends(site) for site in own)
        if self.saga.result is not None and not misplaced and not returns(statements):
            self.clauses.inference.report(
                T301(
                    f"The saga {spelled(self.saga.name)} gives {shown(self.result)}, "
                    "but does not return anything.",
                    self.saga.result.span,
                    "promised here",
                    helps=["End it with `return ...`, or take the `->` and its type out."],
                )
            )

    def _block(self, statements: tuple[Statement, ...], there: frozenset[Path]) -> None:
        for statement in statements:
            site = self.outline.of_statement[id(statement)]
            env = Environment(self.values.names_at(site), there=there)
            self._statement(statement, site, env)
            match statement:
                case If(condition=condition, then=then, otherwise=otherwise):
                    self._block(then.statements, there | proved(condition))
                    if otherwise is not None:
                        self._block(otherwise.statements, there | proved(condition, False))
                case Parallel(body=body) | Each(body=body) | First(body=body) | Repeat(body=body):
                    self._block(body.statements, there)
                case Scope(body=body, otherwise=otherwise):
                    self._block(body.statements, there)
                    if otherwise is not None:
                        self._block(otherwise.statements, there)
                case OnRollback(body=body):
                    # A rollback may come before anything has been asked.
                    self._block(body.statements, NOTHING)
                case Requires(condition=condition):
                    there = there | proved(condition)
                case _:
                    pass

    def _statement(self, statement: Statement, site: Site, env: Environment) -> None:
        clauses = self.clauses
        if isinstance(statement, Each | First | Repeat):
            # Typed with what is proved here, before anything asks for it.
            self.values.item(site, env)
        self.values.type(site, env)
        match statement:
            case Step():
                step(clauses, statement, env)
            case Requires(condition=condition, message=message):
                clauses.condition(condition, env, "requires")
                clauses.text(message, env)
            case If(condition=condition):
                clauses.condition(condition, env, "if")
            case Gate():
                self._gate(statement, env)
            case Each(variable=variable, clauses=each_clauses, body=body):
                self._loop(site, of(each_clauses, ItemKey), variable.text, body, env)
            case First(variable=variable, clauses=first_clauses, body=body):
                self._loop(site, of(first_clauses, ItemKey), variable.text, body, env)
            case Repeat(body=body):
                self._loop(site, (), "", body, env)
            case Next(value=value):
                owner = self.outline.body(site).owner
                round_ = self.values.item(owner) if owner else UNKNOWN
                role = Role("What `next` goes on with", _start(owner))
                clauses.value(value, env, optional(round_), role)
            case Return(value=value) if site.body == 0:
                self._return(statement, env)
            case Return(value=value):
                if id(value) not in clauses.formulas:
                    clauses.value(value, env)
            case Promise(promised=PromiseReadiness(least=least)):
                clauses.value(least, env, DECIMAL, Role("The promised readiness"))
            case Guard(least=least):
                clauses.value(least, env, DECIMAL, Role("The readiness of a guard"))
            case _:
                pass

    def _loop(
        self, site: Site, keys: Iterable[ItemKey], variable: str, body: Block, env: Environment
    ) -> None:
        for key in keys:
            self.values.key(site, key, variable, env)
        statements = body.statements
        if isinstance(site.statement, Repeat) and isinstance(
            statements[-1] if statements else None, Next
        ):
            statements = statements[:-1]
        gives = [s for s in statements[-1:] if isinstance(s, If)]
        if gives and not returns(statements) and any(map(_returns_somewhere, gives)):
            self.clauses.inference.report(
                T301(
                    "One way through this block returns a value, and another does not.",
                    gives[0].condition.span,
                    helps=["Return in every branch: `return none` where there is nothing."],
                )
            )

    def _return(self, statement: Return, env: Environment) -> None:
        if self.saga.result is None:
            self.clauses.inference.report(
                T301(
                    f"{spelled(self.saga.name)} does not say that it gives a value.",
                    statement.value.span,
                    also=[(self.saga.name.span, "declared without `->`")],
                    helps=["Write its type after the inputs: `-> T`."],
                )
            )
        role = Role(
            f"What {spelled(self.saga.name)} returns",
            self.saga.result.span if self.saga.result else None,
        )
        wanted = self.result if self.saga.result else None
        self.clauses.value(statement.value, env, wanted, role)

    def _gate(self, gate: Gate, env: Environment) -> None:
        for when in of(gate.clauses, When):
            self.clauses.condition(when.condition, env, "when")
            env = env.knowing(proved(when.condition))
        for shown_ in gate.shows:
            given = self.clauses.value(shown_, env)
            if holds_secret(given):
                self.clauses.inference.report(at_gate(shown_.span, given))

    def _beside(self, number: int) -> dict[str, list[Site]]:
        """Gives the names of a scope's own block where a body is its `else`."""
        body = self.outline.bodies[number]
        if body.kind != "else" or body.owner is None:
            return {}
        return self.outline.held(body.owner)[0].by_name

    def _one_type(self, word: str, sites: tuple[Site, ...]) -> None:
        first = sites[0]
        for site in sites[1:]:
            if self.outline.relation(site, first) != "other branch":
                continue
            one, other = (present(self.values.type(each)) for each in (first, site))
            if one != other and UNKNOWN not in (one, other) and first.name and site.name:
                both = first.body == site.body
                self.clauses.inference.report(
                    T301(
                        f"`{word}` is {shown(one)} in one branch and {shown(other)} in the other: "
                        "a name has one type."
                        if both
                        else f"`{word}` is {shown(one)} in the scope and {shown(other)} in its "
                        "`else`: a name has one type.",
                        site.name.span,
                        shown(other),
                        also=[(first.name.span, shown(one))],
                        helps=["Give them two names."],
                    )
                )


def _returns_somewhere(choice: If) -> bool:
    blocks = (choice.then, choice.otherwise)
    return any(
        isinstance(last, Return) or (isinstance(last, If) and _returns_somewhere(last))
        for block in blocks
        if block is not None
        for last in block.statements[-1:]
    )


def _start(owner: Site | None) -> Span | None:
    return owner.statement.start.span if owner and isinstance(owner.statement, Repeat) else None
