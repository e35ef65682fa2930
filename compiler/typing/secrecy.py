"""Secrets kept: a secret is passed whole to who may have it, and stands nowhere else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...dsl.diagnostics import Diagnostic
from ...dsl.expressions import ListType, MapType, OptionalType, SecretType, Type as TypeNode
from ...dsl.nodes import Agent, Expr, Name, Record, Saga, Tool, Wait, walk
from ...dsl.span import Span
from ...runtime.formula import Type
from ..codes import declare
from ..names.catalogue import Declared, spelled
from .types import shown

X601 = declare("X601", "error", "secret given away")

WHOLE = "Pass it whole, to a parameter that is declared `secret[...]`: the tool gets what is in it."


def in_text(at: Span, given: Type) -> Diagnostic:
    """Makes X601 for a secret in a text."""
    return X601(
        "The secret becomes part of a text: it would stand in the log, and wherever the text is "
        "shown.",
        at,
        shown(given),
        helps=[WHOLE],
    )


def stored(what: str, at: Span, given: Type) -> Diagnostic:
    """Makes X601 for a secret in a list, map or record, which `what` says."""
    return X601(
        f"The secret is put into {what}: it would be written to the log together with that.",
        at,
        shown(given),
        helps=[WHOLE],
    )


def computed(word: str, at: Span, sides: Sequence[tuple[Span, str]]) -> Diagnostic:
    """Makes X601 for a secret that is compared, or that something is computed from."""
    return X601(
        f"A secret is used with `{word}`: what comes of it would give a part of it away, and the "
        "saga only has a reference to it.",
        at,
        also=sides,
        helps=["Let a tool do that: pass it the secret, and take what it answers."],
    )


def handed(
    role: str, expr: Expr, given: Type, wanted: Type, also: Sequence[tuple[Span, str]]
) -> Diagnostic:
    """Makes X601 for a secret where a plain value is wanted."""
    return X601(
        f"{role} is {shown(wanted)}, which is written to the log: the secret would stand there for "
        "everybody who reads it.",
        expr.span,
        shown(given),
        also=also,
        helps=[f"Declare it as `secret[{wanted}]`, or do not pass the secret."],
    )


def at_gate(at: Span, given: Type) -> Diagnostic:
    """Makes X601 for a secret that a gate shows."""
    return X601(
        "The gate shows the secret to everybody who may approve, and it is written down with what "
        "they were shown.",
        at,
        shown(given),
        helps=["Show what it is for instead, such as the account that it opens."],
    )


def as_id(at: Span, given: Type) -> Diagnostic:
    """Makes X601 for a secret that identifies a resource."""
    return X601(
        "The secret identifies a resource: it would stand in the registry of effects, and in every "
        "report about it.",
        at,
        shown(given),
        helps=["Identify the resource by its name or number."],
    )


def in_file(name: Name, given: Type, at: Span, wanted: Span) -> Diagnostic:
    """Makes X601 for a secret that a scenario gives."""
    return X601(
        f"The input {spelled(name)} is {shown(given)}: a secret is never written into a file.",
        at,
        also=[(wanted, "wanted here")],
        helps=["Leave the line out: in a scenario a secret is a placeholder."],
    )


def declarations(declared: Declared) -> Iterator[Diagnostic]:
    """Gives X601 for types by which a secret would be written down, wherever it came from."""
    node = declared.node
    match node:
        case Record(fields=fields):
            for field in fields:
                what = f"A record is written down with its fields, and {spelled(field.name)} is one"
                yield from _written(field.type, what)
        case Tool() | Agent() | Saga():
            for parameter in node.parameters:
                if not _whole(parameter.type):
                    yield from _written(parameter.type, "Lists and maps are written down")
            if node.result is not None:
                what = f"What {spelled(node.name)} gives is written down"
                yield from _written(node.result, what)
        case _:
            pass
    for each in walk(node) if isinstance(node, Saga) else ():
        if isinstance(each, Wait):
            yield from _written(each.type, "A signal is written down when it comes in")


def _whole(node: TypeNode) -> bool:
    """True for a secret that is passed whole, or need not be there."""
    inner = node.inner if isinstance(node, OptionalType) else node
    return isinstance(inner, SecretType) and not any(_secrets(inner.inner))


def _written(node: TypeNode, what: str) -> Iterator[Diagnostic]:
    for secret in _secrets(node):
        yield X601(
            f"{what}: a secret in it would stand in the log.",
            secret.span,
            "written down",
            helps=[
                "Let the saga be given the secret as an input of its own: `token: secret[str]`."
            ],
        )


def _secrets(node: TypeNode) -> Iterator[SecretType]:
    match node:
        case SecretType():
            yield node
        case ListType(item=inner) | MapType(item=inner) | OptionalType(inner=inner):
            yield from _secrets(inner)
        case _:
            pass
