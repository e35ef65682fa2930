"""The names in sagas and scenarios bound, block by block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..compiler.names.outline import NAMED
from ..compiler.names.scenariopaths import Spot, listed, taking_back
from ..compiler.typing.types import UNKNOWN, inside, present
from ..dsl.nodes import (
    AcceptIrreversible,
    After,
    Agent,
    Block,
    Each,
    Expecting,
    Expr,
    First,
    Gate,
    Given,
    Guard,
    If,
    ItemKey,
    Let,
    MockCall,
    Name,
    Next,
    OnRollback,
    Overrides,
    Path,
    Promise,
    PromiseReadiness,
    Repeat,
    Requires,
    Return,
    Saga,
    Scenario,
    Scope as ScopeNode,
    Statement,
    Step,
    Undo,
    Until,
    Verify,
    Wait,
    When,
    children,
    of,
    within,
)
from ..runtime.formula import Type
from .declarations import Declarations
from .expressions import key_of
from .index import Index, Key
from .program import Program
from .scope import Meaning, Scope


@dataclass(slots=True)
class Frame:
    """The statements of one block by name, with the frames inside each: `else` is one of them."""

    keys: dict[str, Key] = field(default_factory=dict[str, Key])
    inside: dict[str, Frame] = field(default_factory=dict[str, "Frame"])
    callee: dict[str, Key] = field(default_factory=dict[str, Key])
    """The sagas that statements call."""
    undoes: dict[str, tuple[Key, ...]] = field(default_factory=dict[str, tuple[Key, ...]])
    """The sagas that take statements back."""
    otherwise: Frame | None = None
    returns: Type | None = None


class Sagas(Declarations):
    """Binds sagas and scenarios of one module, beside its declarations."""

    def __init__(self, program: Program, module: str, index: Index) -> None:
        super().__init__(program, module, index)
        self.frames: dict[Key, Frame] = {}
        """The frame of each saga's body."""

    def saga(self, node: Saga) -> None:
        """Binds a saga."""
        scope = self.parameters(node.parameters, node.name.text)
        self.type(node.result)
        result = None
        if node.result is not None:
            result = self.program.catalogue.type(self.module, node.result)
        self.frames[key_of(node.name)] = self._block(node.body, scope, {}, result)

    def _block(
        self,
        block: Block,
        outer: Scope,
        beside: Mapping[str, Key],
        returns: Type | None = None,
    ) -> Frame:
        """Binds a block with names of its own; of `beside` are those that mean the same."""
        scope, frame = Scope(outer), Frame(returns=returns)
        for statement in within(block.statements):
            if isinstance(statement, NAMED):
                name = statement.name
                given = self.program.annotated.types.get(id(statement))
                earlier = frame.keys.get(name.text, beside.get(name.text))
                if earlier is None:
                    meaning = self.declare("statement", name, statement, given)
                    frame.keys[name.text] = key_of(name)
                else:
                    # In another branch, or in the scope that this `else` belongs to.
                    meaning = Meaning(earlier, given)
                    frame.keys[name.text] = earlier
                    self.note(name, earlier)
                if name.text not in scope.names:
                    scope.names[name.text] = meaning
        for statement in within(block.statements):
            self._statement(statement, scope, frame)
        return frame

    def _statement(self, statement: Statement, scope: Scope, frame: Frame) -> None:
        match statement:
            case Step():
                self._step(statement, scope, frame)
            case Let(value=value) | Next(value=value):
                self.expr(value, scope)
            case Return(value=value):
                self.expr(value, scope, frame.returns)
            case Requires(condition=condition, message=message):
                self.expr(condition, scope)
                self.expr(message, scope)
            case If(condition=condition):
                self.expr(condition, scope)
            case Each(items=items) | First(items=items):
                self.expr(items, scope)
                self._loop(statement, scope, frame)
            case Repeat(start=start):
                self.expr(start, scope)
                self._loop(statement, scope, frame)
            case ScopeNode():
                self._scope(statement, scope, frame)
            case Gate(shows=shows, clauses=clauses):
                for shown in shows:
                    self.expr(shown, scope)
                for when in of(clauses, When):
                    self.expr(when.condition, scope)
            case Wait(type=written):
                self.type(written)
            case Guard(least=least):
                self.expr(least, scope)
            case Promise(promised=promised, until=until):
                if isinstance(promised, PromiseReadiness):
                    self.expr(promised.least, scope)
                self._names(until, scope)
            case OnRollback(body=body):
                self._block(body, scope, {})
            case _:
                pass
        for child in children(statement):
            if isinstance(child, After):
                self._names(child.names, scope)

    def _names(self, names: Sequence[Name], scope: Scope) -> None:
        for name in names:
            meaning = scope.find(name.text)
            self.note(name, meaning.key if meaning else None)

    def _step(self, step: Step, scope: Scope, frame: Frame) -> None:
        declared = self.call(step.call, scope)
        if declared is not None and isinstance(declared.node, Saga):
            frame.callee[step.name.text] = key_of(declared.node.name)
        back = taking_back(self.program.catalogue, self.module, step, declared)
        frame.undoes[step.name.text] = tuple(key_of(saga.name) for _, saga in back)
        result = self.result(step.call)
        for clause in step.clauses:
            match clause:
                case When(condition=condition):
                    self.expr(condition, scope)
                case Until(condition=condition):
                    self.expr(condition, scope.inner(it=present(result)))
                case AcceptIrreversible(reason=reason):
                    self.expr(reason, scope)
                case Expecting():
                    self._expecting(clause, scope)
                case Overrides(clauses=inner):
                    block = self.step_block(declared, scope, result)
                    for each in inner:
                        if isinstance(each, Verify):
                            self.verify(each, block)
                        elif isinstance(each, Undo):
                            self.undo(each, block)
                case _:
                    pass

    def _expecting(self, clause: Expecting, scope: Scope) -> None:
        self.call(clause.call, scope)
        given = self.result(clause.call)
        for name in clause.fields:
            meaning = self.fields(given).get(name.text, Meaning(None))
            self.note(name, meaning.key)
            given = meaning.type or UNKNOWN
        self._names([clause.since], scope)

    def _loop(self, loop: Each | First | Repeat, scope: Scope, frame: Frame) -> None:
        given = self.program.annotated.items.get(id(loop))
        if given is None and not isinstance(loop, Repeat):
            given = inside(self.typed(loop.items, scope))
        meaning = self.variable(loop.variable, loop, given or UNKNOWN)
        inner = Scope(scope, {loop.variable.text: meaning})
        for key in of(loop.clauses, ItemKey):
            self.expr(key.key, inner)
        frame.inside[loop.name.text] = self._block(loop.body, inner, {})

    def _scope(self, node: ScopeNode, scope: Scope, frame: Frame) -> None:
        body = self._block(node.body, scope, {})
        keys = dict(body.keys)
        if node.otherwise is not None:
            body.otherwise = self._block(node.otherwise, scope, body.keys)
            keys = {**body.otherwise.keys, **keys}
        frame.inside[node.name.text] = body
        given: Type | None = self.program.annotated.types.get(id(node))
        if given is not None:
            self.scopes[given.name] = keys

    def scenario(self, node: Scenario, frames: Mapping[Key, Frame]) -> None:
        """Binds a scenario: paths lead into the saga and into those that it calls."""
        declared = self.use(node.saga)
        takes = self.inputs(declared)
        saga = declared.node if declared is not None else None
        key = key_of(saga.name) if isinstance(saga, Saga) else None
        spots: dict[int, Spot] = {}
        for cast in self.program.resolved.casts:
            if cast.node is node:
                spots = cast.spots
        for item in node.items:
            if isinstance(item, MockCall):
                self._path(item.path, frames, key)
                self._mock_call(item, spots.get(id(item.path)))
                continue
            if isinstance(item, Given):
                meant = takes.get(item.name.text, Meaning(None))
                self.note(item.name, meant.key)
                self.expr(item.value, Scope(), meant.type)
                continue
            gives: Type | None = None
            for child in children(item):
                if isinstance(child, Path):
                    gives = self._gives(self._path(child, frames, key), spots.get(id(child)))
                elif isinstance(child, Expr):
                    self.expr(child, Scope(), gives)

    def _mock_call(self, item: MockCall, spot: Spot | None) -> None:
        """Binds what an agent calls: a tool by the name that the agent's file has for it."""
        catalogue = self.program.catalogue
        agent = None if spot is None else spot.callee(catalogue)
        acts = agent is not None and isinstance(agent.node, Agent)
        tool = listed(catalogue, agent, item) if agent is not None and acts else None
        if tool is not None and tool.node.name.text == item.call.callee.text:
            self.note(item.call.callee, key_of(tool.node.name))
        self.arguments(tool, item.call.arguments, Scope())

    def _gives(self, key: Key | None, spot: Spot | None) -> Type | None:
        """Gives the type of a statement, or of what an agent calls there."""
        if spot is not None and spot.tool is not None:
            return self.program.interfaces.result(spot.tool)
        symbol = self.index.symbols.get(key) if key is not None else None
        return symbol.type if symbol is not None else None

    def _path(self, path: Path, frames: Mapping[Key, Frame], saga: Key | None) -> Key | None:
        frame = frames.get(saga) if saga is not None else None
        found: Key | None = None
        undoes: Sequence[Key] = ()
        for place, segment in enumerate(path.segments, 1):
            word = segment.name.text
            self.expr(segment.key, Scope())
            if word == "undo" and undoes and (frame is None or word not in frame.keys):
                wanted = {each.name.text for each in path.segments[place : place + 1]}
                having = (one for one in undoes if wanted & frames[one].keys.keys())
                key = next(having, undoes[0])
                self.index.lead(segment.name.span, key)
                frame, undoes = frames[key], ()
                continue
            if frame is None:
                return None
            if word == "else" and frame.otherwise is not None:
                frame = frame.otherwise
                continue
            found = frame.keys.get(word)
            self.note(segment.name, found)
            callee = frame.callee.get(word)
            taking_back = frame.undoes.get(word) or ()
            undoes = [key for key in taking_back if key in frames]
            frame = frame.inside.get(word) or (frames.get(callee) if callee else None)
        return found
