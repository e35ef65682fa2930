"""The names in tools resolved: what each clause may read and call, and clauses that stand twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ...dsl.diagnostics import Diagnostic, replacement
from ...dsl.nodes import (
    Agent,
    Call,
    Commutes,
    Comprehension,
    DoneWith,
    Effect,
    Ensures,
    Evidence,
    Expr,
    FailsWith,
    Field,
    IdempotentByKey,
    IdempotentNaturally,
    Name,
    Node,
    NoEffect,
    Reads,
    Remember,
    Requires,
    Retry,
    Saga,
    Timeout,
    Tool,
    TransientWith,
    Undo,
    Verify,
    of,
    walk,
)
from ...dsl.parser import Parsed
from ...dsl.span import Span
from ..codes import declare
from ..typing.functions import FUNCTIONS
from .catalogue import Catalogue, near, spelled, unreadable
from .declared import N201, N202, N207, again, twice
from .references import Use, free, of_clauses

T307 = declare("T307", "error", "wrong kind of thing called")

NOT_OF_SAGA = {Timeout: "timeout", Retry: "retry"}
SEVERAL = (Effect, Requires, Ensures, Remember, Reads, Undo, Evidence)
PLACES = {
    "effect": "what identifies an effect is known before the call: it names parameters",
    "reads": "what a tool reads is known before the call: it names parameters",
    "requires": "`requires` is checked before the call: it names parameters",
    "remember": "`remember` reads before the call: it names parameters",
    "call": "the call is made with parameters, remembered values and `key`",
    "ensures": "`ensures` names parameters, remembered values, `key` and `result`",
    "verify": "a verify works without the result, which may be lost: it names parameters, "
    "remembered values and `key`",
    "verdict": "a verdict names what its verify may name, and `it`, the answer",
    "undo": "an undo names parameters, remembered values, `result` and `key`",
    "corrective": "a corrective names parameters, remembered values, `result` and `key`",
}


def tool(catalogue: Catalogue, module: Parsed, node: Tool) -> Iterator[Diagnostic]:
    """Yields every problem of names in a tool."""
    remembered = [clause.name for clause in of(node.clauses, Remember)]
    parameters = [parameter.name for parameter in node.parameters]
    known = {name.text: name for name in reversed((*parameters, *remembered))}
    yield from clauses_once(node.clauses)
    yield from uses(catalogue, module, node)
    yield from twice(remembered, "remembered values called")
    for name in remembered:
        if name.text in {p.text for p in parameters}:
            yield again(name, known[name.text], f"{spelled(name)} is a parameter already.")
        elif name.text in ("key", "result", "it", "args"):
            message = f"{spelled(name)} has a meaning of its own in clauses."
            yield N207(message, name.span, helps=[f"Call it `earlier_{name.text}`, for example."])
    for parameter in node.parameters:
        if parameter.default is not None:
            yield from constant(catalogue, module, parameter.default)
    for clause in node.clauses:
        yield from _clause(catalogue, module, clause)


def uses(catalogue: Catalogue, module: Parsed, node: Tool | Agent) -> Iterator[Diagnostic]:
    """Yields what is wrong with the names that the clauses of a tool or an agent read."""
    remembered = [clause.name for clause in of(node.clauses, Remember)]
    parameters = [parameter.name for parameter in node.parameters]
    known = {name.text: name for name in reversed((*parameters, *remembered))}
    earlier = {name.text for name in remembered} - {name.text for name in parameters}
    for use in of_clauses(node):
        yield from _use(catalogue, module, use, known, earlier, isinstance(node, Agent))


def constant(
    catalogue: Catalogue,
    module: Parsed,
    expr: Expr,
    known_when: str = "A default is known before any value",
) -> Iterator[Diagnostic]:
    """Yields what is wrong with the names of what reads no values, such as a default."""
    for name, field in free(expr):
        known = enum_member(catalogue, module, name, field) or name.text in unreadable(module)
        if not known:
            yield N207(
                f"{known_when}: it cannot read {spelled(name)}.",
                name.span,
                helps=["Write a constant, a member of an enum, or a record of these."],
            )
    yield from inner_calls(catalogue, module, expr, {})


def clauses_once(clauses: Iterable[Node]) -> Iterator[Diagnostic]:
    """Yields N202 for a clause that stands twice though one kind of it stands once."""
    first: dict[object, Node] = {}
    errors: dict[str, Name] = {}
    for clause in clauses:
        if not isinstance(clause, SEVERAL):
            earlier = first.setdefault(_slot(clause), clause)
            if earlier is not clause:
                yield N202(
                    "This clause stands twice; only one of the two could hold.",
                    clause.span,
                    "again",
                    also=[(earlier.span, "first here")],
                    helps=["Keep the one that you mean."],
                )
        if isinstance(clause, FailsWith | TransientWith | DoneWith):
            for name in clause.errors:
                known = errors.setdefault(name.text, name)
                if known is not name:
                    yield N202(
                        f"{spelled(name)} is listed twice: a call ends in one way only.",
                        name.span,
                        "the second time",
                        also=[(known.span, "first here")],
                        helps=["Keep the one that is true."],
                    )
    nothing, something = first.get(NoEffect), next(iter(of(clauses, Effect)), None)
    if nothing is not None and something is not None:
        yield N202(
            "`effect none` and an effect contradict each other.",
            nothing.span,
            "says that nothing is changed",
            also=[(something.span, "says what is changed")],
            helps=["Keep the one that is true; when in doubt, the effect."],
        )


def inner_calls(
    catalogue: Catalogue, module: Parsed, expr: Expr, values: Mapping[str, Name]
) -> Iterator[Diagnostic]:
    """Yields what is wrong with calls and loop names inside an expression."""
    for node in walk(expr):
        if isinstance(node, Comprehension):
            outer = values.get(node.variable.text)
            if outer is not None:
                yield again(
                    node.variable, outer, f"{spelled(node.variable)} hides a value of that name."
                )
        if not isinstance(node, Call):
            continue
        name = node.callee
        found = catalogue.find(module.source.name, name.text)
        if name.text in FUNCTIONS or (found is not None and found.noun == "record"):
            continue
        if found is not None:
            yield T307(
                f"{spelled(name)} is {found.kind}: it cannot be called inside an expression.",
                name.span,
                also=[(found.node.name.span, "declared here")],
                helps=["Call it in a step of its own, and use the step's name here."]
                if found.noun in ("tool", "saga", "agent")
                else [f"Write `{name.text}.MEMBER`."],
            )
        elif name.text not in unreadable(module):
            known = catalogue.words(module.source.name, "record") | set(FUNCTIONS)
            yield unknown(name, f"There is no function or record {spelled(name)}.", known)


def unknown(name: Name, message: str, known: Iterable[str], help_: str = "") -> Diagnostic:
    """Makes N201, with the near miss when there is one."""
    guess = near(name.text, known)
    return N201(
        message,
        name.span,
        "not known",
        helps=[f"Did you mean `{guess}`?"] if guess else [help_] if help_ else (),
        fix=replacement("ask", name.span, guess) if guess else None,
    )


def enum_member(catalogue: Catalogue, module: Parsed, name: Name, field: Field | None) -> bool:
    """True for the `Speed` of `Speed.express`."""
    found = catalogue.find(module.source.name, name.text)
    return field is not None and found is not None and found.noun == "enum"


def called(
    catalogue: Catalogue, module: Parsed, call: Call, place: str, *, saga: bool = False
) -> Iterator[Diagnostic]:
    """Yields N201 or T307 when what a clause calls is no tool (nor a `saga`, where it may be)."""
    name = call.callee
    found = catalogue.find(module.source.name, name.text)
    what = "tool or saga" if saga else "tool"
    if found is None:
        if name.text in unreadable(module):
            return
        known = catalogue.words(module.source.name, "tool", *(["saga"] if saga else []))
        yield unknown(name, f"There is no {what} {spelled(name)}.", known,
                      "Declare it or import it.")  # fmt: skip
    elif not isinstance(found.node, Tool | Saga if saga else Tool):
        yield T307(
            f"{place} calls a {what}, but {spelled(name)} is {found.kind}.",
            name.span,
            also=[(found.node.name.span, "declared here")],
        )


def undo(catalogue: Catalogue, module: Parsed, clause: Undo) -> Iterator[Diagnostic]:
    """Yields what is wrong with the names and clauses of an undo, but for its expressions."""
    yield from called(catalogue, module, clause.call, "An undo", saga=True)
    yield from clauses_once(clause.clauses)
    for verify in of(clause.clauses, Verify):
        yield from called(catalogue, module, verify.call, "A verify")
    found = catalogue.find(module.source.name, clause.call.callee.text)
    if found is None or not isinstance(found.node, Saga):
        return
    for inner in clause.clauses:
        word = next((w for kind, w in NOT_OF_SAGA.items() if isinstance(inner, kind)), None)
        if word is not None:
            start = inner.span.start
            yield N207(
                f"A saga as an undo has no `{word}`: each call in it has its own.",
                Span(inner.span.source, start, start + len(word)),
                also=[(found.node.name.span, "a saga")],
                helps=[f"Say it at the steps of {spelled(clause.call.callee)}."],
            )


def _use(
    catalogue: Catalogue,
    module: Parsed,
    use: Use,
    known: dict[str, Name],
    remembered: set[str],
    of_agent: bool,
) -> Iterator[Diagnostic]:
    for name, field in free(use.expr):
        word = name.text
        if word in use.words or (word in known and (use.remembered or word not in remembered)):
            continue
        if enum_member(catalogue, module, name, field):
            continue
        if word in known or word in ("key", "result", "it", "args"):
            yield N207(
                f"{spelled(name)} is not known here: {PLACES[use.clause]}.",
                name.span,
                also=[(known[word].span, "remembered here")] if word in known else (),
            )
        else:
            yield unknown(
                name,
                f"{spelled(name)} is not a parameter."
                if of_agent
                else f"{spelled(name)} is neither a parameter nor a remembered value.",
                {*known, *use.words},
                f"Add it to the {'agent' if of_agent else 'tool'}'s parameters.",
            )
    yield from inner_calls(catalogue, module, use.expr, known)


def _clause(catalogue: Catalogue, module: Parsed, clause: Node) -> Iterator[Diagnostic]:
    match clause:
        case Verify(call=call):
            yield from called(catalogue, module, call, "A verify")
        case Remember(call=call):
            yield from called(catalogue, module, call, "`remember`")
        case Undo():
            yield from undo(catalogue, module, clause)
        case Effect(corrective=corrective) if corrective is not None:
            if isinstance(corrective.action, Call):
                yield from called(catalogue, module, corrective.action, "A corrective")
        case Commutes(other=other) if other is not None:
            made = Call(other.span, other, ())
            yield from called(catalogue, module, made, "`commutes with`")
        case Evidence(call=call):
            yield from called(catalogue, module, call, "`evidence`")
        case _:
            pass


def _slot(clause: Node) -> object:
    match clause:
        case IdempotentByKey() | IdempotentNaturally():
            return "idempotent"
        case Commutes(other=other):
            return ("commutes", other and other.text)
        case _:
            return type(clause)
