"""The names that each clause of a tool and each statement of a saga reads, and may read.

A `Use` is one expression with the words that mean something there beside the ordinary names:
`key`, `result`, `it`, `args`. Which clause sees what is LANGUAGE.md §3, "What is in scope".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from ...dsl.nodes import (
    AcceptIrreversible,
    Agent,
    Applied,
    Binding,
    Call,
    Comprehension,
    Each,
    Effect,
    Ensures,
    Evidence,
    Expecting,
    Expr,
    Field,
    First,
    Gate,
    Guard,
    If,
    ItemKey,
    Let,
    Name,
    Next,
    Node,
    Overrides,
    Reads,
    Reference,
    Remember,
    Repeat,
    Requires,
    Return,
    Statement,
    Step,
    Tool,
    Undo,
    Until,
    Verdict,
    Verify,
    When,
    children,
)

KEY = frozenset(("key",))
ACTION = frozenset(("key", "result"))


class Use(Struct, frozen=True):
    """An expression, the words beside the ordinary names that it may read, and where it stands.

    `remembered` says whether a tool's remembered values are known there.
    """

    expr: Expr
    words: frozenset[str]
    clause: str
    remembered: bool = False


def of_clauses(node: Tool | Agent) -> Iterator[Use]:
    """Yields every expression of a tool's or an agent's clauses."""
    for clause in node.clauses:
        match clause:
            case Effect(id=id_, corrective=corrective):
                if id_ is not None:
                    yield Use(id_, KEY, "effect")
                if corrective is not None:
                    for expr in _parts(corrective.action):
                        yield Use(expr, ACTION, "corrective", True)
            case Reads(id=id_):
                if id_ is not None:
                    yield Use(id_, KEY, "reads")
            case Requires(condition=condition, message=message):
                yield Use(condition, KEY, "requires")
                if message is not None:
                    yield Use(message, KEY, "requires")
            case Remember(call=call, message=message):
                for argument in call.arguments:
                    yield Use(argument.value, KEY, "remember")
                if message is not None:
                    yield Use(message, KEY, "remember")
            case Binding(arguments=arguments):
                for argument in arguments or ():
                    yield Use(argument.value, KEY, "call", True)
            case Ensures(condition=condition, message=message):
                yield Use(condition, ACTION, "ensures", True)
                if message is not None:
                    yield Use(message, ACTION, "ensures", True)
            case Verify():
                yield from of_verify(clause, KEY)
            case Evidence(call=call, verdicts=verdicts):
                for argument in call.arguments:
                    yield Use(argument.value, KEY, "verify", True)
                yield from of_verdicts(verdicts, KEY | {"it"})
            case Undo():
                yield from of_undo(clause, ACTION)
            case _:
                pass


def of_verify(verify: Verify, words: frozenset[str]) -> Iterator[Use]:
    """Yields the expressions of a verify: its arguments, then its verdicts, which know `it`."""
    for argument in verify.call.arguments:
        yield Use(argument.value, words, "verify", True)
    yield from of_verdicts(verify.verdicts or (), words | {"it"})


def of_verdicts(verdicts: Iterable[Verdict], words: frozenset[str]) -> Iterator[Use]:
    """Yields the expressions of verdicts."""
    for verdict in verdicts:
        yield Use(verdict.condition, words, "verdict", True)
        if isinstance(verdict, Applied) and verdict.gives is not None:
            yield Use(verdict.gives, words, "verdict", True)


def of_undo(undo: Undo, words: frozenset[str]) -> Iterator[Use]:
    """Yields the expressions of an undo and of a verify in its block."""
    for argument in undo.call.arguments:
        yield Use(argument.value, words, "undo", True)
    if undo.condition is not None:
        yield Use(undo.condition, words, "undo", True)
    for clause in undo.clauses:
        if isinstance(clause, Verify):
            yield from of_verify(clause, words)


def of_statement(statement: Statement) -> Iterator[Use]:
    """Yields a statement's own expressions; those of statements inside it are theirs."""
    none: frozenset[str] = frozenset()
    match statement:
        case Step(call=call, clauses=clauses):
            for argument in call.arguments:
                yield Use(argument.value, none, "step")
            for clause in clauses:
                match clause:
                    case When(condition=condition):
                        yield Use(condition, none, "when")
                    case Until(condition=condition):
                        yield Use(condition, frozenset(("it",)), "until")
                    case Expecting(call=read):
                        for argument in read.arguments:
                            yield Use(argument.value, none, "expecting")
                    case AcceptIrreversible(reason=reason):
                        yield Use(reason, none, "because")
                    case Overrides(clauses=inner):
                        yield from _of_overrides(inner)
                    case _:
                        pass
        case Let(value=value) | Return(value=value) | Next(value=value):
            yield Use(value, none, "let")
        case Each(items=items, clauses=each_clauses, variable=variable):
            yield Use(items, none, "items")
            for each_clause in each_clauses:
                if isinstance(each_clause, ItemKey):
                    yield Use(each_clause.key, frozenset((variable.text,)), "by")
        case First(items=items, clauses=first_clauses, variable=variable):
            yield Use(items, none, "items")
            for first_clause in first_clauses:
                if isinstance(first_clause, ItemKey):
                    yield Use(first_clause.key, frozenset((variable.text,)), "by")
        case Repeat(start=start):
            yield Use(start, none, "from")
        case Guard(least=least):
            yield Use(least, none, "guard")
        case Requires(condition=condition, message=message):
            yield Use(condition, none, "requires")
            if message is not None:
                yield Use(message, none, "requires")
        case If(condition=condition):
            yield Use(condition, none, "if")
        case Gate(shows=shows, clauses=gate_clauses):
            for shown in shows:
                yield Use(shown, none, "shows")
            for gate_clause in gate_clauses:
                if isinstance(gate_clause, When):
                    yield Use(gate_clause.condition, none, "when")
        case _:
            pass


def _of_overrides(clauses: Iterable[Node]) -> Iterator[Use]:
    for clause in clauses:
        if isinstance(clause, Verify):
            yield from of_verify(clause, frozenset(("args", "key")))
        elif isinstance(clause, Undo):
            yield from of_undo(clause, frozenset(("args", "key", "result")))


def _parts(action: Expr) -> Iterator[Expr]:
    if isinstance(action, Call):
        for argument in action.arguments:
            yield argument.value
    else:
        yield action


def free(expr: Expr) -> Iterator[tuple[Name, Field | None]]:
    """Yields the names that an expression reads from outside itself, in the order written.

    With each comes the field taken of it directly, if one is: `Speed.express`.
    """
    return _free(expr, frozenset(), None)


def _free(
    node: Node, bound: frozenset[str], field: Field | None
) -> Iterator[tuple[Name, Field | None]]:
    match node:
        case Reference(name=name):
            if name.text not in bound:
                yield name, field
        case Comprehension(value=value, variable=variable, items=items, condition=condition):
            yield from _free(items, bound, None)
            inner = bound | {variable.text}
            yield from _free(value, inner, None)
            if condition is not None:
                yield from _free(condition, inner, None)
        case _:
            for child in children(node):
                yield from _free(child, bound, node if isinstance(node, Field) else None)
