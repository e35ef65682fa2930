"""What the names mean where somebody writes: read off the stopped parser, not off a whole tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from ..compiler.names.catalogue import Declared
from ..compiler.names.outline import NAMED
from ..compiler.typing.types import DECISION, JSON, STR, UNKNOWN, inside, present
from ..dsl.lexer import Token
from ..dsl.nodes import (
    Call,
    Checkpoint,
    Enum,
    Expr,
    Gate,
    Let,
    Name,
    Node,
    Parameter,
    Reference,
    Remember,
    Statement,
    StatementNode,
    Step,
    Type as TypeNode,
    Wait,
    within,
)
from ..runtime.formula import Type
from .analysis import Analysis
from .expressions import Expressions
from .index import Index
from .place import Place
from .program import Program
from .scope import Meaning, Scope

_LOOPS = {"EACH": True, "FIRST": True, "REPEAT": False, "_FOR": True}


@dataclass(frozen=True, slots=True)
class Value:
    """A name that may be read: what it is, its type, its documentation."""

    name: str
    kind: str
    type: Type | None
    doc: str = ""


class Writing(Expressions):
    """Types what is being written, with what other declarations say now or said at last."""

    def __init__(self, analysis: Analysis) -> None:
        super().__init__(analysis.program, analysis.text.name, Index())
        self.analysis = analysis

    def declared(self, word: str) -> tuple[Declared | None, None]:
        """Gives a declaration, also one that cannot be read just now."""
        return self.analysis.named(word), None

    def fields(self, given: Type) -> dict[str, Meaning]:
        """Gives the fields of a type."""
        for program in self._programs():
            self.program = program
            found = super().fields(given)
            if found:
                return found
        return {}

    def inputs(self, declared: Declared | None) -> dict[str, Meaning]:
        """Gives parameters or fields, in the program that declares them."""
        for program in self._programs():
            if program.declares(declared):
                self.program = program
                return super().inputs(declared)
        return {}

    def variable(self, name: Name, node: Node, given: Type) -> Meaning:
        """Gives what goes through a list: it is declared nowhere else."""
        return Meaning(None, given)

    def written(self, node: TypeNode) -> Type:
        """Gives what a written type means."""
        found = UNKNOWN
        for program in self._programs():
            found = program.catalogue.type(self.module, node)
            if found != UNKNOWN:
                break
        return found

    def result(self, call: Call) -> Type:
        """Gives what a call gives."""
        found = self.analysis.named(call.callee.text)
        for program in self._programs():
            if found is not None and program.declares(found):
                return program.interfaces.result(found)
        return UNKNOWN

    def members(self, base: Expr, scope: Scope) -> list[Value]:
        """Gives what may stand behind a dot."""
        if isinstance(base, Reference):
            word = base.name.text
            arguments = scope.parameters()
            if word == "args" and arguments is not None:
                return [Value(name, "field", of.type) for name, of in arguments.items()]
            found = self.analysis.named(word)
            if scope.find(word) is None and found is not None and isinstance(found.node, Enum):
                return [Value(member.text, "member", None) for member in found.node.members]
        fields = self.fields(self.typed(base, scope))
        return [Value(name, "field", of.type) for name, of in fields.items()]

    def values(self, place: Place) -> list[Value]:
        """Gives every name that may be read at a place, the nearest last."""
        scope, found = Scope(), list[Value]()
        for value in self._values(list(place.values()), scope):
            scope.names[value.name] = Meaning(None, value.type)
            found.append(value)
        return found

    def _programs(self) -> Iterator[Program]:
        yield self.analysis.program
        if self.analysis.good is not None:
            yield self.analysis.good.program

    def _values(self, read: Sequence[object], scope: Scope) -> Iterator[Value]:
        for at, value in enumerate(read):
            if isinstance(value, Parameter):
                yield Value(value.name.text, "parameter", self.written(value.type))
            elif isinstance(value, Remember):
                yield Value(value.name.text, "remembered", present(self.result(value.call)))
            elif isinstance(value, StatementNode):
                yield from self._statements(cast(Statement, value), scope)
            elif isinstance(value, Token) and value.type in _LOOPS:
                yield from self._variable(read[at:], _LOOPS[value.type], scope)
        yield from self._words(read)

    def _statements(self, statement: Statement, scope: Scope) -> Iterator[Value]:
        """Yields what a statement names, also inside what has no names of its own."""
        for each in within([statement]):
            if isinstance(each, NAMED):
                said = each.doc.text if each.doc is not None else ""
                kind = "checkpoint" if isinstance(each, Checkpoint) else "statement"
                yield Value(each.name.text, kind, self._type(each, scope), said)

    def _type(self, statement: Statement, scope: Scope) -> Type | None:
        match statement:
            case Step(call=call):
                return present(self.result(call))
            case Let(value=value):
                return self.typed(value, scope)
            case Gate():
                return DECISION
            case Wait(type=written):
                return self.written(written)
            case _:
                return self._earlier(statement)

    def _earlier(self, statement: Statement) -> Type | None:
        """Gives the type that a compound statement of that name had in the last good text."""
        if not isinstance(statement, NAMED):
            return None
        for program in self._programs():
            for symbol in program.index.symbols.values():
                alike = symbol.kind == "statement" and symbol.name == statement.name.text
                if alike and symbol.key[0] == self.module and symbol.type is not None:
                    return symbol.type
        return None

    def _variable(self, read: Sequence[object], lists: bool, scope: Scope) -> Iterator[Value]:
        """Yields the name of the item or round of a loop whose block is open."""
        tokens = [each for each in read[:5] if isinstance(each, Token) and each.type == "NAME"]
        source = next((each for each in read[:6] if isinstance(each, Expr)), None)
        if tokens and source is not None:
            given = self.typed(source, scope)
            item = inside(given) if lists else given
            yield Value(str(tokens[-1]), "variable", present(item))

    def _words(self, read: Sequence[object]) -> Iterator[Value]:
        """Yields the words that a clause knows: `key`, `result`, `it`, `args`."""
        tokens = [each for each in read if isinstance(each, Token)]
        heads = {token.type for token in tokens}
        if "TOOL" in heads or (tokens and "STEP" in heads and tokens[-1].type != "STEP"):
            inside_step = "STEP" in heads and any(t.type in ("UNDO", "VERIFY") for t in tokens)
            if "TOOL" in heads or inside_step:
                yield Value("key", "word", STR)
            if heads & {"UNDO", "ENSURES", "CORRECTIVE"} and ("TOOL" in heads or inside_step):
                yield Value("result", "word", self._result(read))
            if inside_step:
                yield Value("args", "word", JSON)
        if heads & {"APPLIED", "ABSENT", "CONFLICT", "UNTIL"}:
            yield Value("it", "word", self._answer(read))

    def _result(self, read: Sequence[object]) -> Type | None:
        calls = [each for each in read if isinstance(each, Call)]
        written = next((each for each in read if isinstance(each, TypeNode)), None)
        if written is not None and any(isinstance(t, Token) and t.type == "TOOL" for t in read):
            # The types of parameters have become parts of these.
            return present(self.written(written))
        return present(self.result(calls[0])) if calls else None

    def _answer(self, read: Sequence[object]) -> Type | None:
        """Gives the type of `it`: that of the nearest call before."""
        calls = [each for each in read if isinstance(each, Call)]
        if calls:
            return present(self.result(calls[-1]))
        names = [str(each) for each in read if isinstance(each, Token) and each.type == "NAME"]
        for word in reversed(names):
            if self.analysis.named(word) is not None:
                return self._result_of(word)
        return None

    def _result_of(self, word: str) -> Type | None:
        found = self.analysis.named(word)
        for program in self._programs():
            if found is not None and program.declares(found):
                return present(program.interfaces.result(found))
        return None
