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
    AcceptEvidence,
    Agent,
    AgentCall,
    AgentTool,
    Argument,
    Binding,
    Checkpoint,
    Condition,
    Corrective,
    Each,
    Effect,
    Enum,
    Evidence,
    Expecting,
    First,
    Gate,
    Guard,
    Idempotence,
    If,
    Let,
    Next,
    Node,
    Parallel,
    Parameter,
    Plan,
    Promise,
    Reading,
    Record,
    Remember,
    Repeat,
    Requires,
    Retry,
    Return,
    SagaCall,
    Scope,
    Sleep,
    Step,
    Tool,
    Undo,
    UndoSaga,
    Until,
    Verdict,
    Verify,
    Wait,
)

__all__ = [
    "DAY", "HOUR", "MINUTE", "SECOND", "AcceptEvidence", "Agent", "AgentCall", "AgentTool",
    "Apply", "Argument", "Binary", "Binding", "Checkpoint", "Choice", "Compare", "Comprehension",
    "Condition", "Corrective", "D", "Each", "Effect", "Enum", "Evidence", "Expecting", "Field",
    "First", "Formula", "Gate", "Guard", "Idempotence", "If", "Index", "Let", "ListOf", "Literal",
    "Logic", "MapOf", "Name", "Next", "Parallel", "Parameter", "Place", "Plan", "Promise",
    "Reading", "Record", "RecordOf", "Remember", "Repeat", "Requires", "Retry", "Return",
    "SagaCall", "Scope", "Sleep", "Source", "Step", "T", "Text", "Tool", "Type", "Unary", "Undo",
    "UndoSaga", "Until", "Verdict", "Verify", "Wait", "arg", "get", "main", "saga", "step",
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
    agents: tuple[Agent, ...] = (),
    guards: tuple[Guard, ...] = (),
    on_rollback: tuple[Node, ...] = (),
    undo_sagas: tuple[UndoSaga, ...] = (),
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
        agents=agents,
        guards=guards,
        on_rollback=on_rollback,
        undo_sagas=undo_sagas,
        at=at,
    )
    return Saga(plan, functions, records=classes or {}, file=file)
