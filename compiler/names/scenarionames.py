"""The names in scenarios resolved: the saga, every path, and what each line may be said of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from msgspec import Struct

from ...dsl.diagnostics import Diagnostic, Severity, problem, replacement
from ...dsl.nodes import (
    Agent,
    Approve,
    CancelAt,
    Crash,
    DoneWith,
    Drift,
    Each,
    Effect,
    ExpectCorrective,
    ExpectDone,
    Expecting,
    ExpectNotCalled,
    ExpectReadiness,
    ExpectResult,
    ExpectUndone,
    Expr,
    Fail,
    FailsWith,
    First,
    Gate,
    Given,
    Item,
    Let,
    LogDownAt,
    Lose,
    Mock,
    MockCall,
    Name,
    Overrides,
    Path,
    PlainText,
    RefuseUndo,
    Reject,
    Repeat,
    Saga,
    Scenario,
    Scope,
    Signal,
    Step,
    TimesOut,
    Tool,
    ToolClause,
    TransientWith,
    Undo,
    Verify,
    Wait,
    of,
)
from ...dsl.parser import Parsed
from .catalogue import Catalogue, Declared, near, spelled, unreadable
from .declared import N201, N202, N207
from .scenariopaths import Calls, Spot, find, listed, uses
from .toolnames import constant, unknown
from .unused import N206

BUILT_IN_ERRORS = frozenset(("Refused", "Transient", "Conflict"))
"""The runtime's own exceptions, whose meaning no tool has to declare."""

WORDS: dict[type, str] = {
    Let: "value",
    Gate: "gate",
    Wait: "wait",
    Each: "loop",
    First: "loop",
    Repeat: "loop",
    Scope: "scope",
}


CALLS: dict[type, str] = {
    Mock: "is mocked",
    Fail: "fails",
    Crash: "is interrupted by a crash",
    TimesOut: "times out",
    Lose: "has an answer to lose",
}


class Cast(Struct, frozen=True):
    """A scenario with what its names mean: the saga, and each path by the id of its node."""

    node: Scenario
    module: str
    saga: Declared | None
    spots: dict[int, Spot]


def scenarios(
    catalogue: Catalogue, module: Parsed
) -> tuple[tuple[Cast, ...], tuple[Diagnostic, ...]]:
    """Resolves the scenarios of a module; gives them with all that is wrong with their names."""
    casts: list[Cast] = []
    problems: list[Diagnostic] = []
    titles: dict[tuple[str, str], PlainText] = {}
    for node in of(module.module.declarations, Scenario):
        made = Cast(node, module.source.name, _saga(catalogue, module, node), {})
        casts.append(made)
        if made.saga is None:
            problems += _no_saga(catalogue, module, node)
            continue
        earlier = titles.setdefault((node.saga.text, node.title.value), node.title)
        if earlier is not node.title:
            problems.append(_again(node.title, earlier))
        problems += _items(catalogue, module, made)
    return tuple(casts), tuple(problems)


def paths(item: Item) -> tuple[Path, ...]:
    """Gives the paths that a line names."""
    match item:
        case Approve(gate=path) | Reject(gate=path) | Signal(wait=path):
            return (path,)
        case ExpectDone(paths=several) | ExpectUndone(paths=several):
            return several
        case Given() | ExpectReadiness() | ExpectResult():
            return ()
        case _:
            found = getattr(item, "path", None)
            return () if found is None else (cast(Path, found),)


def values(item: Item) -> tuple[Expr, ...]:
    """Gives the expressions of a line, keys in its paths included."""
    keys = (s.key for path in paths(item) for s in path.segments if s.key is not None)
    match item:
        case Given(value=value) | Mock(value=value) | Signal(value=value):
            return (*keys, value)
        case MockCall(call=call):
            return (*keys, *(argument.value for argument in call.arguments))
        case ExpectReadiness(least=value) | ExpectResult(value=value):
            return (value,)
        case _:
            return tuple(keys)


def _saga(catalogue: Catalogue, module: Parsed, node: Scenario) -> Declared | None:
    found = catalogue.find(module.source.name, node.saga.text)
    return found if found is not None and isinstance(found.node, Saga) else None


def _no_saga(catalogue: Catalogue, module: Parsed, node: Scenario) -> Iterator[Diagnostic]:
    name = node.saga
    found = catalogue.find(module.source.name, name.text)
    if found is not None:
        yield N207(
            f"A scenario is for a saga, but {spelled(name)} is {found.kind}.",
            name.span,
            also=[(found.node.name.span, "declared here")],
        )
    elif name.text not in unreadable(module):
        sagas = catalogue.words(module.source.name, "saga")
        help_ = "Declare it or import it."
        yield unknown(name, f"There is no saga {spelled(name)}.", sagas, help_)


def _again(title: PlainText, earlier: PlainText) -> Diagnostic:
    return N202(
        f'There are two scenarios "{title.value}" for one saga.',
        title.span,
        "the second time",
        also=[(earlier.span, "first here")],
        helps=["Give one of them another title: reports name a scenario by it."],
    )


def _items(catalogue: Catalogue, module: Parsed, made: Cast) -> Iterator[Diagnostic]:
    assert made.saga is not None
    mocked: dict[str, Mock] = {}
    expects = False
    calls = Calls(module.source, (line for line in made.node.items if isinstance(line, MockCall)))
    for item in made.node.items:
        expects = expects or type(item).__name__.startswith("Expect")
        for expr in values(item):
            yield from constant(catalogue, module, expr, "A scenario is known before anything runs")
        for path in paths(item):
            found = find(catalogue, made.saga, path, calls)
            if found is None or isinstance(found, Diagnostic):
                yield from () if found is None else (found,)
                continue
            made.spots[id(path)] = found
            yield from _fits(catalogue, item, path, found)
        if isinstance(item, Mock):
            text = module.source.cut(item.path.span)
            other = mocked.setdefault(text, item)
            if other is not item:
                yield N202(
                    f"`{text}` is mocked twice: it gives one thing.",
                    item.path.span,
                    "the second time",
                    also=[(other.path.span, "first here")],
                    helps=["Keep the one that you mean."],
                )
    if not expects:
        yield N206(
            f'The scenario "{made.node.title.value}" expects nothing: however the run ends, '
            "it passes.",
            made.node.title.span,
            helps=["Say how it ends, for example `expect succeeded`."],
        )


def _fits(catalogue: Catalogue, item: Item, path: Path, spot: Spot) -> Iterator[Diagnostic]:
    """Yields what is wrong with saying a line of this statement."""
    if spot.asked and not isinstance(item, Approve | Reject | ExpectDone | ExpectNotCalled):
        yield N207(
            f"{_named(path)} is a gate that opens by itself: people approve or reject there.",
            path.span,
        )
        return
    match item:
        case Approve() | Reject() if spot.asked:
            pass
        case Approve() | Reject():
            yield from _kind(spot, path, Gate, "Only a gate is approved or rejected")
        case Signal():
            yield from _kind(spot, path, Wait, "A signal is for a `wait`")
        case MockCall():
            yield from _agent(catalogue, path, spot, item)
        case Mock() | Fail() | Crash() | TimesOut() | Lose():
            said = f"Only a call {CALLS[type(item)]}"
            callee = spot.callee(catalogue)
            if not isinstance(spot.statement, Step):
                yield from _kind(spot, path, Step, said)
            elif callee is not None and isinstance(callee.node, Saga):
                yield N207(
                    f"{said}, and {_named(path)} is a whole saga.",
                    path.span,
                    also=[(spot.statement.name.span, f"calls {spelled(callee.node.name)}")],
                    helps=[f"Name a step in it: `{spot.path}.STEP`."],
                )
            elif isinstance(item, Fail) and callee is not None:
                yield from _error(callee, item)
            elif isinstance(item, Crash) and item.of == "undo" and not spot.undoing:
                yield from _undoable(catalogue, path, spot)
        case RefuseUndo() if spot.undoing and isinstance(spot.statement, Step):
            pass
        case RefuseUndo():
            yield from _undoable(catalogue, path, spot)
        case Drift():
            yield from _drift(catalogue, path, spot)
        case ExpectCorrective():
            callee = spot.callee(catalogue)
            effects = of(_clauses(callee), Effect)
            if not any(effect.corrective for effect in effects):
                yield N207(
                    f"{_named(path)} has no corrective.",
                    path.span,
                    also=[(spot.statement.name.span, "declared here")],
                    helps=["A corrective is a part of an irreversible effect of a tool."],
                )
        case CancelAt() | LogDownAt() | ExpectDone() | ExpectUndone() | ExpectNotCalled():
            if isinstance(spot.statement, Let):
                yield N207(f"{_named(path)} is a value: nothing happens there.", path.span)
        case _:
            pass


def _agent(catalogue: Catalogue, path: Path, spot: Spot, item: MockCall) -> Iterator[Diagnostic]:
    callee = spot.callee(catalogue)
    if not isinstance(spot.statement, Step):
        yield from _kind(spot, path, Step, "Only an agent calls tools")
    elif callee is not None and not isinstance(callee.node, Agent):
        yield N207(
            f"Only an agent calls tools, and {_named(path)} is a call of the {callee.noun} "
            f"{spelled(callee.node.name)}.",
            path.span,
            also=[(callee.node.name.span, "declared here")],
        )
    elif callee is not None and listed(catalogue, callee, item) is None:
        name, names = item.call.callee, [use.name for use in uses(callee)]
        message = f"The agent {spelled(callee.node.name)} may not use {spelled(name)}."
        help_ = f"It may use: {', '.join(map(spelled, names))}."
        yield unknown(name, message, [each.text for each in names], help_)


def _clauses(callee: Declared | None) -> tuple[ToolClause, ...]:
    return callee.node.clauses if callee is not None and isinstance(callee.node, Tool) else ()


def _kind(spot: Spot, path: Path, wanted: type, message: str) -> Iterator[Diagnostic]:
    if not isinstance(spot.statement, wanted):
        word = WORDS.get(type(spot.statement), type(spot.statement).__name__.lower())
        yield N207(
            f"{message}, and {_named(path)} is a {word}.",
            path.span,
            also=[(spot.statement.name.span, "declared here")],
        )


def _undoable(catalogue: Catalogue, path: Path, spot: Spot) -> Iterator[Diagnostic]:
    callee = spot.callee(catalogue)
    own: list[Undo] = []
    if isinstance(spot.statement, Step):
        for overrides in of(spot.statement.clauses, Overrides):
            own += of(overrides.clauses, Undo)
    own += of(_clauses(callee), Undo)
    if not own and (callee is not None or not isinstance(spot.statement, Step)):
        yield N207(
            f"{_named(path)} has no undo.",
            path.span,
            also=[(spot.statement.name.span, "declared here")],
            helps=["Name a step whose tool, or whose own block, has an `undo`."],
        )


def _drift(catalogue: Catalogue, path: Path, spot: Spot) -> Iterator[Diagnostic]:
    callee = spot.callee(catalogue)
    step = spot.statement
    if not isinstance(step, Step):
        yield from _kind(spot, path, Step, "Only what a step changes or expects can drift")
        return
    seen = bool(of(step.clauses, Expecting))
    verifies: list[Verify] = []
    for overrides in of(step.clauses, Overrides):
        verifies += of(overrides.clauses, Verify)
    verifies = verifies or list(of(_clauses(callee), Verify))
    if not seen and not any(verify.verdicts for verify in verifies):
        yield N207(
            f"Nobody would see {_named(path)} drift.",
            path.span,
            also=[(step.name.span, "neither `expecting` nor a `verify` with verdicts")],
            helps=["Say `conflict when ...` in the verify of its tool."],
        )


def _error(callee: Declared, item: Fail) -> Iterator[Diagnostic]:
    node = callee.node
    if not isinstance(node, Tool | Agent):
        return
    named = {
        name.text
        for clause in node.clauses
        if isinstance(clause, FailsWith | TransientWith | DoneWith)
        for name in clause.errors
    }
    word = item.error.value
    if word in named | BUILT_IN_ERRORS:
        return
    guess = near(word, named)
    means = "what happened is then *unknown*"
    if isinstance(node, Tool) and not of(node.clauses, Effect):
        means = "the read is then tried again"
    listed = ", ".join(f"`{name}`" for name in sorted(named)) or "none"
    yield problem(
        N201.code,
        f"{spelled(node.name)} does not name the error `{word}`: {means}.",
        item.error.span,
        "not named by it",
        severity=Severity.WARNING if guess else Severity.HINT,
        also=[(node.name.span, "declared here")],
        helps=[f"Did you mean `{guess}`?" if guess else f"It names: {listed}."],
        fix=replacement("ask", item.error.span, f'"{guess}"') if guess else None,
    )


def _named(path: Path) -> str:
    last: Name = path.segments[-1].name
    return spelled(last)
