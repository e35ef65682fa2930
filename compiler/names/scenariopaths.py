"""The paths in scenarios resolved: which statements each names, inside other sagas too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...dsl.diagnostics import Diagnostic
from ...dsl.nodes import (
    Agent,
    AgentTool,
    Block,
    Each,
    First,
    If,
    IntLiteral,
    MayUse,
    MockCall,
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
from ...dsl.source import Source
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
    loop whose items it tells apart, or the agent's step whose calls, and the file of that. `asked`
    is true for a gate that opens by itself before a call of the step: `ship.corrective`,
    `ship.guard`; `undoing` for a statement of a saga that takes the step back: `pay.undo.refund`.
    `tool` is what an agent calls there: `buyer[2]`.
    """

    path: str
    statements: tuple[Named, ...]
    module: str
    keys: tuple[tuple[PathSegment, Loop | Step, str], ...] = ()
    asked: bool = False
    undoing: bool = False
    tool: Declared | None = None

    @property
    def statement(self) -> Named:
        """The first of the statements: all of them have one type."""
        return self.statements[0]

    def callee(self, catalogue: Catalogue) -> Declared | None:
        """Gives what the step calls; None for other statements and for what is not known."""
        step = self.statement
        if self.tool is not None or not isinstance(step, Step):
            return self.tool
        return catalogue.find(self.module, step.call.callee.text)


class Calls:
    """The calls that agents make in a scenario, in their order, by the path as it is written."""

    def __init__(self, source: Source, lines: Iterable[MockCall]) -> None:
        self.source = source
        self.lines: dict[str, list[MockCall]] = {}
        for line in lines:
            self.lines.setdefault(source.cut(line.path.span), []).append(line)

    def up_to(self, path: Path, segment: PathSegment) -> list[MockCall]:
        """Gives the calls of the agent that a path names up to the name of a segment."""
        written = path.segments[0].name.span.to(segment.name.span)
        return self.lines.get(self.source.cut(written), [])


def listed(catalogue: Catalogue, agent: Declared, line: MockCall) -> Declared | None:
    """Gives the tool that an agent calls, None when it may not use one of that name."""
    word = line.call.callee.text
    found = catalogue.find(agent.module, word)
    known = found is not None and isinstance(found.node, Tool)
    return found if known and any(use.name.text == word for use in uses(agent)) else None


def uses(agent: Declared) -> tuple[AgentTool, ...]:
    """Gives the tools that an agent may use, as it lists them."""
    assert isinstance(agent.node, Agent)
    return tuple(tool for clause in of(agent.node.clauses, MayUse) for tool in clause.tools)


def find(
    catalogue: Catalogue, saga: Declared, path: Path, calls: Calls
) -> Spot | Diagnostic | None:
    """Gives what a path names in a saga, or the mistake in it; None where it has been told."""
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
        called = spot.callee(catalogue)
        if called is not None and isinstance(called.node, Agent) and segment.key is not None:
            line = _made(called, segment, calls.up_to(path, segment))
            if isinstance(line, Diagnostic):
                return line
            tool = listed(catalogue, called, line)
            if tool is None:
                return None
            assert isinstance(statement, Step)
            keys = (*keys, (segment, statement, module))
            spot = replace(spot, path=f"{spot.path}[*]", keys=keys, tool=tool)
            if len(segments) == 1 and segments[0].name.text == "gate":
                spot = replace(spot, path=f"{spot.path}.gate", asked=True)
                return _asked(called, line, segments[0].name) or spot
            wrong = None
        else:
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


def _made(
    agent: Declared, segment: PathSegment, calls: Sequence[MockCall]
) -> MockCall | Diagnostic:
    """Gives what an agent calls at a number, or the mistake in that."""
    name, key = segment.name, segment.key
    assert key is not None
    if not isinstance(key, IntLiteral):
        return N207(
            f"The calls of an agent are numbered: {spelled(name)} has its first call at 1.",
            key.span,
            helps=[f"Write the number of the call: `{name.text}[1]`."],
        )
    if not calls:
        return N207(
            f"In this scenario the agent {spelled(agent.node.name)} calls nothing.",
            segment.span,
            helps=[f"Say what it calls, in order: `mock {name.text} calls TOOL(...)`."],
        )
    if not 1 <= key.value <= len(calls):
        many = "1 call" if len(calls) == 1 else f"{len(calls)} calls"
        return N207(
            f"In this scenario {spelled(name)} makes {many}: there is no call {key.value}.",
            key.span,
            also=[(line.path.span, f"call {n}") for n, line in enumerate(calls, 1)],
            helps=[f"Say what it calls then: `mock {name.text} calls TOOL(...)`."],
        )
    return calls[key.value - 1]


def _asked(agent: Declared, line: MockCall, word: Name) -> Diagnostic | None:
    """Gives the mistake when nobody is asked before an agent calls a tool."""
    name = spelled(line.call.callee)
    use = next(use for use in uses(agent) if use.name.text == line.call.callee.text)
    if use.group is not None:
        return None
    return N207(
        f"There is no gate: {spelled(agent.node.name)} may use {name} without asking anybody.",
        word.span,
        also=[(use.name.span, "listed here")],
        helps=[f'People are asked where the agent lists {name} with `needs "group"`.'],
    )


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
            f"{who} has no statements inside it: what it calls has numbers.",
            inner.span,
            helps=[f"Write the number of the call: `{outer.text}[1]`."],
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
