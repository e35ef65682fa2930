"""What a generated module imports: the words its plans are written in, and `main`."""

from __future__ import annotations

from collections.abc import Mapping

from .engine.saga import Saga, main
from .formula import (
    NOWHERE,
    Apply,
    Binary,
    Choice,
    Compare,
    Comprehension,
    Field,
    Formula,
    Index,
    ListOf,
    Literal,
    Logic,
    MapOf,
    Name,
    Place,
    RecordOf,
    Text,
    Type,
    Unary,
)
from .notation import DAY, HOUR, MINUTE, SECOND, D, Source, T, arg, get, step
from .plan import (
    Argument,
    Binding,
    Checkpoint,
    Condition,
    Corrective,
    Effect,
    Enum,
    Expecting,
    Gate,
    Idempotence,
    If,
    Let,
    Node,
    Parallel,
    Parameter,
    Plan,
    Promise,
    Reading,
    Record,
    Remember,
    Requires,
    Retry,
    Return,
    Step,
    Tool,
    Undo,
    Until,
    Verdict,
    Verify,
)

__all__ = [
    "DAY", "HOUR", "MINUTE", "SECOND", "Apply", "Argument", "Binary", "Binding", "Checkpoint",
    "Choice", "Compare", "Comprehension", "Condition", "Corrective", "D", "Effect", "Enum",
    "Expecting", "Field", "Formula", "Gate", "Idempotence", "If", "Index", "Let", "ListOf",
    "Literal", "Logic", "MapOf", "Name", "Parallel", "Parameter", "Place", "Plan", "Promise",
    "Reading", "Record", "RecordOf", "Remember", "Requires", "Retry", "Return", "Source",
    "Step", "T", "Text", "Tool", "Type", "Unary", "Undo", "Until", "Verdict", "Verify", "arg",
    "get", "main", "saga", "step",
]  # fmt: skip


def saga(
    *,
    name: str,
    format: int,
    edition: int,
    parameters: tuple[Parameter, ...],
    result: Type,
    body: tuple[Node, ...],
    doc: str = "",
    deadline: int | None = None,
    runbook: str = "",
    promises: tuple[Promise, ...] = (),
    tools: tuple[Tool, ...] = (),
    records: tuple[Record, ...] = (),
    enums: tuple[Enum, ...] = (),
    at: Place = NOWHERE,
    classes: Mapping[str, type] | None = None,
    functions: Mapping[str, object] | None = None,
    file: str = "",
) -> Saga:
    """Gives a saga that can be started.

    `classes` are the Python classes of the records and enums; `functions` has what tools call by a
    bare name; `file` is the module's own, whose folder is importable for its tools.
    """
    plan = Plan(
        format=format,
        edition=edition,
        saga=name,
        doc=doc,
        parameters=parameters,
        result=result,
        body=body,
        deadline=deadline,
        runbook=runbook,
        promises=promises,
        tools=tools,
        records=records,
        enums=enums,
        at=at,
    )
    return Saga(plan, functions, records=classes or {}, file=file)
