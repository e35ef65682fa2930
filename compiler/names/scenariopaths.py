"""The paths in scenarios resolved: which statements each names, inside other sagas too."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from ...dsl.diagnostics import Diagnostic
from ...dsl.nodes import (
    Agent,
    Block,
    Each,
    First,
    If,
    Name,
    OnRollback,
    Overrides,
    Parallel,
    Path,
    PathSegment,
    Repeat,
    Saga,
    Scope,
    Statement,
    Step,
    Tool,
    Undo,
    of,
)
from .catalogue import Catalogue, Declared, spelled
from .declared import N207
from .outline import NAMED, Named
from .toolnames import unknown

Loop = Each | First | Repeat
ASKED = frozenset(("corrective", "guard"))
"""The gates that open by themselves before a call of a step (`kernel.asked`)."""
Members = dict[str, tuple[Named, ...]]


class Spot(Struct, frozen=True):
    """What a path names: its statements (two where both branches of an `if` have the name).

    `module` is the file that they stand in, `path` their static path, `keys` each key with the
    loop whose items it tells apart and the file of that loop. `asked` is true for a gate that opens
    by itself before a call of the step: `ship.corrective`, `ship.guard`; `undoing` for a statement
    of a saga that takes the step back: `pay.undo.refund`.
    """

    path: str
    statements: tuple[Named, ...]
    module: str
    keys: tuple[tuple[PathSegment, Loop, str], ...] = ()
    asked: bool = False
    undoing: bool = False

    @property
    def statement(self) -> Named:
        """The first of the statements: all of them have one type."""
        return self.statements[0]

    def callee(self, catalogue: Catalogue) -> Declared | None:
        """Gives what the step calls; None for other statements and for what is not known."""
        step = self.statement
        if not isinstance(step, Step):
            return None
        return catalogue.find(self.module, step.call.callee.text)


def find(catalogue: Catalogue, saga: Declared, path: Path) -> Spot | Diagnostic:
    """Gives what a path names in a saga, or the mistake in it."""
    assert isinstance(saga.node, Saga)
    module, members = saga.module, _members(saga.node.body)
    where = f"the saga {spelled(saga.node.name)}"
    spot: Spot | None = None
    undoing = False
    segments = list(path.segments)
    while segments:
        segment = segments.pop(0)
        found = members.get(segment.name.text)
        if found is None:
            return unknown(
                segment.name, f"There is no statement {spelled(segment.name)} in {where}.", members
            )
        keys = () if spot is None else spot.keys
        text = f"{spot.path}." if spot is not None else ""
        spot = Spot(f"{text}{segment.name.text}", found, module, keys, undoing=undoing)
        statement = spot.statement
        wrong = _key(segment, statement, last=not segments)
        if wrong is not None:
            return wrong
        if isinstance(statement, Loop) and segment.key is not None:
            keys = (*keys, (segment, statement, module))
            spot = replace(spot, path=f"{spot.path}[*]", keys=keys)
        if not segments:
            break
        where = spelled(segment.name)
        match statement:
            case Each(body=body) | First(body=body) | Repeat(body=body):
                members = _members(body)
            case Scope(body=body, otherwise=otherwise):
                members = _members(body)
                if segments[0].name.text == "else" and otherwise is not None:
                    word = segments.pop(0).name
                    if not segments:
                        return _block(word)
                    members, where = _members(otherwise), f"the `else` of {where}"
                    spot = replace(spot, path=f"{spot.path}.else")
            case Step():
                called = spot.callee(catalogue)
                if len(segments) == 1 and segments[0].name.text in ASKED and _acts(called):
                    return replace(spot, path=f"{spot.path}.{segments[0].name.text}", asked=True)
                by = None if undoing else _taken_back_by(catalogue, spot, called, segments)
                if by is not None:
                    word = segments.pop(0).name
                    if not segments:
                        return _block(word)
                    undoing, spot = True, replace(spot, path=f"{spot.path}.undo")
                    module, members = by[0], _members(by[1].body)
                    where = f"the saga {spelled(by[1].name)}"
                    continue
                if called is None or not isinstance(called.node, Saga):
                    return _nothing_inside(segments[0].name, segment.name, called)
                module, members = called.module, _members(called.node.body)
            case _:
                return _nothing_inside(segments[0].name, segment.name, None)
    assert spot is not None
    return spot


def _taken_back_by(
    catalogue: Catalogue, spot: Spot, called: Declared | None, segments: list[PathSegment]
) -> tuple[str, Saga] | None:
    """Gives the saga that takes a step back, where a path goes on into it: `pay.undo.refund`.

    Of several undos it is the first one that has the statement named next, else the first.
    """
    step = spot.statement
    inner = called.node if called is not None and isinstance(called.node, Saga) else None
    if segments[0].name.text != "undo" or not isinstance(step, Step):
        return None
    if inner is not None and "undo" in _members(inner.body):
        return None
    sagas = list(taking_back(catalogue, spot.module, step, called))
    following = segments[1].name.text if len(segments) > 1 else ""
    having = [each for each in sagas if following in _members(each[1].body)]
    return next(iter((*having, *sagas)), None)


def taking_back(
    catalogue: Catalogue, module: str, step: Step, called: Declared | None
) -> Iterator[tuple[str, Saga]]:
    """Gives the sagas among a step's undos, its own or else its tool's, with their modules."""
    undos = [undo for block in of(step.clauses, Overrides) for undo in of(block.clauses, Undo)]
    if not undos and called is not None and isinstance(called.node, Tool):
        module, undos = called.module, list(of(called.node.clauses, Undo))
    for undo in undos:
        found = catalogue.find(module, undo.call.callee.text)
        if found is not None and isinstance(found.node, Saga):
            yield found.module, found.node


def _key(segment: PathSegment, statement: Named, *, last: bool) -> Diagnostic | None:
    if isinstance(statement, Loop):
        if segment.key is None and not last:
            kind = "round" if isinstance(statement, Repeat) else "item"
            by = not isinstance(statement, Repeat) and statement.clauses
            example = f'{segment.name.text}["..."]' if by else f"{segment.name.text}[0]"
            return N207(
                f"{spelled(segment.name)} runs once for each {kind}: say which one is meant.",
                segment.span,
                helps=[f"Write its key in brackets, for example `{example}`."],
            )
        return None
    if segment.key is not None:
        return N207(
            f"{spelled(segment.name)} runs once: it has no items to choose from.",
            segment.key.span,
            helps=["Leave the brackets out."],
        )
    return None


def _acts(called: Declared | None) -> bool:
    return called is not None and isinstance(called.node, Tool)


def _block(word: Name) -> Diagnostic:
    return N207(
        "This names a block, not a statement.",
        word.span,
        helps=["Name a statement in it, for example `NAME.else.STEP`."],
    )


def _nothing_inside(inner: Name, outer: Name, called: Declared | None) -> Diagnostic:
    who = spelled(outer)
    if called is not None and isinstance(called.node, Agent):
        return N207(
            f"In a scenario the agent {spelled(called.node.name)} calls nothing: it gives its "
            "mock at once.",
            inner.span,
            helps=[f"Say what it gives: `mock {outer.text} = ...`."],
        )
    return N207(f"{who} has no statements inside it.", inner.span)


def _members(block: Block) -> Members:
    found: Members = {}
    for statement in _named(block):
        found[statement.name.text] = (*found.get(statement.name.text, ()), statement)
    return found


def _named(block: Block) -> Iterator[Named]:
    """Yields what the names of a block mean; `if`, `parallel` and `on rollback` are transparent."""
    waiting: list[Statement] = list(reversed(block.statements))
    while waiting:
        statement = waiting.pop()
        match statement:
            case If(then=then, otherwise=otherwise):
                inner = (*then.statements, *(otherwise.statements if otherwise else ()))
                waiting.extend(reversed(inner))
            case Parallel(body=body) | OnRollback(body=body):
                waiting.extend(reversed(body.statements))
            case _:
                if isinstance(statement, NAMED):
                    yield statement
