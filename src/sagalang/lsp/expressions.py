"""The names in types and expressions bound to their symbols, with the types that fields need."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from ..compiler.names.catalogue import Declared
from ..compiler.typing.environment import Environment
from ..compiler.typing.inference import DECIDED, Inference
from ..compiler.typing.types import DECISION, UNKNOWN, inside, present
from ..dsl.nodes import (
    Argument,
    Call,
    Comprehension,
    Enum,
    Expr,
    Field,
    Index as IndexOf,
    ListLiteral,
    MapLiteral,
    Name,
    NamedType,
    Node,
    Record,
    Reference,
    Type as TypeNode,
    children,
    walk,
)
from ..runtime.formula import Type
from .index import Index, Key, Occurrence
from .program import Program
from .scope import Meaning, Scope


class Expressions(ABC):
    """Binds the names of one module's types and expressions."""

    def __init__(self, program: Program, module: str, index: Index) -> None:
        self.program = program
        self.module = module
        self.index = index
        self.aliases: dict[str, Key] = {}
        """Names that the module gave to what it imports."""
        self.scopes: dict[str, Mapping[str, Key]] = {}
        """The statements of each `scope` by the name of its type."""

    def note(self, name: Name, key: Key | None) -> None:
        """Notes a use of a symbol."""
        if key is not None:
            self.index.note(Occurrence(name.span, key))

    def declared(self, word: str) -> tuple[Declared | None, Key | None]:
        """Gives what this module calls by a word, and the symbol of that word here."""
        found = self.program.catalogue.find(self.module, word)
        if found is None:
            return None, None
        return found, self.aliases.get(word, key_of(found.node.name))

    def use(self, name: Name) -> Declared | None:
        """Notes the use of a declaration by its name."""
        found, key = self.declared(name.text)
        self.note(name, key)
        return found

    def type(self, node: TypeNode | None) -> None:
        """Binds the names in a written type."""
        for each in walk(node) if node is not None else ():
            if isinstance(each, NamedType):
                self.use(each.name)

    def expr(self, expr: Expr | None, scope: Scope, wanted: Type | None = None) -> None:
        """Binds the names in an expression; `wanted` says which record `{ k: v }` is."""
        match expr:
            case None:
                return
            case Reference(name=name):
                self._reference(name, scope)
            case Field(value=value, name=name):
                self.expr(value, scope)
                self.note(name, self.field(value, name.text, scope).key)
            case Call():
                self.call(expr, scope)
            case MapLiteral():
                self._map(expr, scope, wanted)
            case ListLiteral(items=items):
                item = inside(present(wanted)) if wanted is not None else None
                for each in items:
                    self.expr(each, scope, item)
            case Comprehension():
                self._comprehension(expr, scope, wanted)
            case _:
                self._below(expr, scope, wanted)

    def call(self, call: Call, scope: Scope) -> Declared | None:
        """Binds a call: what is called, the names of arguments, their values."""
        found = self.use(call.callee)
        self.arguments(found, call.arguments, scope)
        return found

    def arguments(
        self, declared: Declared | None, arguments: Sequence[Argument], scope: Scope
    ) -> None:
        """Binds the arguments of a call."""
        takes = self.inputs(declared)
        in_order = list(takes.values())
        for place, argument in enumerate(arguments):
            meant = in_order[place] if place < len(in_order) else Meaning(None)
            if argument.name is not None:
                meant = takes.get(argument.name.text, Meaning(None))
                self.note(argument.name, meant.key)
            self.expr(argument.value, scope, meant.type)

    def inputs(self, declared: Declared | None) -> dict[str, Meaning]:
        """Gives the parameters of a tool, agent or saga, or the fields of a record."""
        if declared is None or isinstance(declared.node, Enum):
            return {}
        found = self.program.interfaces.inputs(declared)
        return {each.name.text: Meaning(key_of(each.name), each.type) for each in found}

    def field(self, base: Expr, word: str, scope: Scope) -> Meaning:
        """Gives what a name behind a dot means."""
        if isinstance(base, Reference):
            name = base.name.text
            arguments = scope.parameters()
            if name == "args" and arguments is not None:
                return arguments.get(word, Meaning(None))
            found, _ = self.declared(name)
            if scope.find(name) is None and found is not None and isinstance(found.node, Enum):
                member = next((m for m in found.node.members if m.text == word), None)
                kind = Type("enum", name=found.plan_name)
                return Meaning(None if member is None else key_of(member), kind)
        return self.fields(self.typed(base, scope)).get(word, Meaning(None))

    def fields(self, given: Type) -> dict[str, Meaning]:
        """Gives the fields of a type."""
        given = present(given)
        if given == DECISION:
            return {word: Meaning(None, kind) for word, kind in DECIDED.items()}
        statements = self.scopes.get(given.name, {})
        in_scope = self.program.interfaces.scopes.get(given.name)
        if in_scope is not None:
            return {word: Meaning(statements.get(word), kind) for word, kind in in_scope.items()}
        declared = self.program.catalogue.of_type(given)
        return self.inputs(declared) if declared is not None else {}

    def typed(self, expr: Expr, scope: Scope) -> Type:
        """Gives the type of an expression, as if nothing that may be none was."""
        match expr:
            case Reference(name=name):
                return scope.type_of(name.text) or UNKNOWN
            case Field(value=value, name=name):
                return present(self.field(value, name.text, scope).type or UNKNOWN)
            case IndexOf(value=value):
                return present(inside(self.typed(value, scope)))
            case Call(callee=callee):
                found, _ = self.declared(callee.text)
                if found is not None and isinstance(found.node, Record):
                    return Type("record", name=found.plan_name)
            case _:
                pass
        text = self.program.modules[self.module].source.text
        inference = Inference(self.program.interfaces, self.module, text)
        return present(inference.typed(expr, Environment(scope.type_of)).type)

    def result(self, call: Call) -> Type:
        """Gives what a call of a tool, agent or saga gives."""
        found, _ = self.declared(call.callee.text)
        return UNKNOWN if found is None else self.program.interfaces.result(found)

    def _reference(self, name: Name, scope: Scope) -> None:
        meaning = scope.find(name.text)
        if meaning is not None:
            self.note(name, meaning.key)
        else:
            # The enum before a member; a tool where no tool may stand has been told.
            self.use(name)

    def _map(self, expr: MapLiteral, scope: Scope, wanted: Type | None) -> None:
        wanted = None if wanted is None else present(wanted)
        takes: dict[str, Meaning] = {}
        if wanted is not None and wanted.kind == "record":
            takes = self.fields(wanted)
        item = inside(wanted) if wanted is not None and wanted.kind == "map" else None
        for entry in expr.entries:
            meant = takes.get(entry.key.text, Meaning(None, item))
            self.note(entry.key, meant.key)
            self.expr(entry.value, scope, meant.type)

    def _comprehension(self, expr: Comprehension, scope: Scope, wanted: Type | None) -> None:
        self.expr(expr.items, scope)
        item = inside(self.typed(expr.items, scope))
        inner = Scope(scope, {expr.variable.text: self.variable(expr.variable, expr, item)})
        target = None if wanted is None else present(wanted)
        lists = target is not None and target.kind == "list"
        self.expr(expr.value, inner, inside(target) if target is not None and lists else None)
        self.expr(expr.condition, inner)

    @abstractmethod
    def variable(self, name: Name, node: Node, given: Type) -> Meaning:
        """Declares a name that goes through a list or the rounds of a `repeat`."""

    def _below(self, node: Node, scope: Scope, wanted: Type | None) -> None:
        for child in children(node):
            if isinstance(child, Expr):
                self.expr(child, scope, wanted)
            else:
                self._below(child, scope, None)


def key_of(name: Name) -> Key:
    """Gives the key of the symbol that a name declares."""
    return name.span.source, name.span.start
