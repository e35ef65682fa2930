"""The clauses of tools typed: what each is given and must give (LANGUAGE.md §3)."""

from __future__ import annotations

from collections.abc import Iterable

from ...dsl.nodes import (
    Absent,
    Agent,
    Applied,
    Binding,
    Call,
    Conflict,
    Effect,
    Ensures,
    Evidence,
    Expr,
    Reads,
    Remember,
    Requires,
    Saga,
    Tool,
    Undo,
    Verdict,
    Verify,
    of,
)
from ...runtime import plan
from ...runtime.formula import Formula, Type
from ..names.catalogue import Catalogue, Declared
from .environment import Environment
from .inference import Inference
from .interfaces import Interfaces
from .mismatch import T301, Role
from .narrowing import proved
from .secrecy import as_id
from .types import STR, UNKNOWN, fits, holds_secret, present, shown


class Clauses:
    """Types clauses of one module and keeps what they become, by the ids of their nodes."""

    def __init__(self, interfaces: Interfaces, module: str) -> None:
        self.interfaces = interfaces
        self.catalogue: Catalogue = interfaces.catalogue
        self.inference: Inference = interfaces.inference(module)
        self.module = module
        self.formulas: dict[int, Formula] = {}
        self.arguments: dict[int, tuple[plan.Argument, ...]] = {}

    def value(self, expr: Expr, env: Environment, wanted: Type | None = None,
              role: Role | None = None) -> Type:  # fmt: skip
        """Types an expression and keeps its formula."""
        made = self.inference.typed(expr, env, wanted, role or Role("This"))
        self.formulas[id(expr)] = self.interfaces.formula(made)
        return made.type

    def condition(self, expr: Expr, env: Environment, word: str) -> None:
        """Types a condition."""
        made = self.inference.condition(expr, env, Role(f"The condition of `{word}`"))
        self.formulas[id(expr)] = self.interfaces.formula(made)

    def text(self, expr: Expr | None, env: Environment) -> None:
        """Types a text that is shown, if there is one."""
        if expr is not None:
            self.value(expr, env, STR)

    def tool(self, call: Call) -> Declared | None:
        """Gives the tool that a clause calls; what is none was told by `resolve`."""
        found = self.catalogue.find(self.module, call.callee.text)
        return found if found is not None and isinstance(found.node, Tool) else None

    def callee(self, call: Call) -> Declared | None:
        """Gives the tool, agent or saga that a step calls."""
        found = self.catalogue.find(self.module, call.callee.text)
        known = found is not None and isinstance(found.node, Tool | Agent | Saga)
        return found if known else None

    def text_of(self, expr: Expr) -> str:
        """Gives the text of an expression."""
        return self.inference.text[expr.span.start : expr.span.end]

    def call(self, call: Call, env: Environment) -> Type:
        """Types a call of a tool and gives the type of its result."""
        return self.call_of(self.tool(call), call, env)

    def call_of(self, found: Declared | None, call: Call, env: Environment) -> Type:
        """Types a call of a declaration and gives the type of its result."""
        if found is None:
            for argument in call.arguments:
                self.inference.typed(argument.value, env)
            return UNKNOWN
        self.arguments[id(call)] = self.interfaces.call(self.inference, found, call, env)
        return self.interfaces.result(found)

    def verify(self, verify: Verify, env: Environment, gives: Type | None, whose: str) -> None:
        """Types a verify; its answer, or what it gives, must be of the type `gives`, if told."""
        answer = present(self.call(verify.call, env))
        applied = [v for v in verify.verdicts or () if isinstance(v, Applied)]
        self.verdicts(verify.verdicts or (), env.plus(it=answer), gives, whose)
        silent = (
            [v for v in applied if v.gives is None] if verify.verdicts is not None else [verify]
        )
        if gives is not None and silent and not fits(answer, gives):
            at = silent[0].span if verify.verdicts is not None else verify.call.span
            self.inference.report(
                T301(
                    f"The answer of this verify becomes the result of {whose}: it must be "
                    f"{shown(gives)}, but is {shown(answer)}.",
                    at,
                    shown(answer),
                    helps=["Say what the result is: `{ applied when ... gives ... }`."],
                )
            )

    def verdicts(
        self, verdicts: Iterable[Verdict], env: Environment, gives: Type | None, whose: str
    ) -> None:
        """Types verdicts, which know `it`."""
        for verdict in verdicts:
            self._verdict(verdict, env, gives, whose)

    def undo(self, undo: Undo, env: Environment) -> None:
        """Types an undo with its condition, which narrows what the arguments may use."""
        if undo.condition is not None:
            self.condition(undo.condition, env, "when")
            env = env.knowing(proved(undo.condition))
        found = self.callee(undo.call)
        self.call_of(None if found is not None and found.noun == "agent" else found, undo.call, env)
        for verify in of(undo.clauses, Verify):
            self.verify(verify, env, None, "the undo")

    def _verdict(self, verdict: Verdict, env: Environment, gives: Type | None, whose: str) -> None:
        match verdict:
            case Applied(condition=condition, gives=value):
                self.condition(condition, env, "applied when")
                if value is not None:
                    inner = env.knowing(proved(condition))
                    self.value(value, inner, gives, Role(f"The result of {whose}"))
            case Absent(condition=condition):
                self.condition(condition, env, "absent when")
            case Conflict(condition=condition):
                self.condition(condition, env, "conflict when")


def tool(clauses: Clauses, declared: Declared, node: Tool | Agent) -> None:
    """Types all clauses of a tool or an agent."""
    result = clauses.interfaces.result(declared)
    given = Environment(
        local={**clauses.interfaces.fields(declared), "key": STR},
        there=_required(node.clauses),
    )
    remembered = dict[str, Type]()
    for memory in of(node.clauses, Remember):
        answer = clauses.call(memory.call, given)
        clauses.text(memory.message, given)
        remembered[memory.name.text] = answer if memory.message is None else present(answer)
    before = given.plus(**remembered)
    after = before.plus(result=result)
    asked = Environment(local=given.local)
    whose = f"`{node.name.text}`"
    for clause in node.clauses:
        match clause:
            case Effect(id=id_, corrective=corrective):
                if id_ is not None:
                    _identifier(clauses, id_, given)
                if corrective is not None and isinstance(corrective.action, Call):
                    clauses.call(corrective.action, after)
                elif corrective is not None:
                    clauses.text(corrective.action, after)
            case Reads(id=id_):
                if id_ is not None:
                    _identifier(clauses, id_, given)
            case Requires(condition=condition, message=message):
                # Each may build on those written before it; its text is for when it does not hold.
                clauses.condition(condition, asked, "requires")
                clauses.text(message, asked)
                asked = asked.knowing(proved(condition))
            case Binding(arguments=arguments):
                for argument in arguments or ():
                    clauses.value(argument.value, before)
            case Ensures(condition=condition, message=message):
                clauses.condition(condition, after, "ensures")
                clauses.text(message, after)
            case Verify():
                clauses.verify(clause, before, result, whose)
            case Evidence(call=call, verdicts=verdicts):
                clauses.verdicts(verdicts, before.plus(it=present(clauses.call(call, before))),
                                 result, whose)  # fmt: skip
            case Undo():
                clauses.undo(clause, after)
            case _:
                pass


def _required(clauses: Iterable[object]) -> frozenset[tuple[str, ...]]:
    conditions = [clause.condition for clause in clauses if isinstance(clause, Requires)]
    return frozenset[tuple[str, ...]]().union(*map(proved, conditions))


def _identifier(clauses: Clauses, expr: Expr, env: Environment) -> None:
    made = clauses.value(expr, env)
    if holds_secret(made):
        clauses.inference.report(as_id(expr.span, made))
