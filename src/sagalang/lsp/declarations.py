"""The names in declarations and clauses bound: records, enums, tools, agents, imports."""

from __future__ import annotations

from ..compiler.names.catalogue import Declared
from ..compiler.typing.types import JSON, STR, present
from ..dsl.nodes import (
    Agent,
    AgentTool,
    Applied,
    Binding,
    Call,
    Commutes,
    Effect,
    Ensures,
    Enum,
    Evidence,
    Import,
    MayUse,
    Name,
    Node,
    Parameter,
    Reads,
    Record,
    Remember,
    Requires,
    Saga,
    Tool,
    Undo,
    Verdict,
    Verify,
    of,
)
from ..dsl.span import Span
from ..runtime.formula import Type
from .expressions import Expressions, key_of
from .index import Kind, Symbol
from .scope import Meaning, Scope


class Declarations(Expressions):
    """Binds what one module declares, but for the statements of its sagas."""

    def declare(
        self,
        kind: Kind,
        name: Name,
        node: Node,
        given: Type | None = None,
        owner: str = "",
    ) -> Meaning:
        """Declares a symbol."""
        self.index.declare(Symbol(key_of(name), kind, name.text, name.span, node, given, owner))
        return Meaning(key_of(name), given)

    def variable(self, name: Name, node: Node, given: Type) -> Meaning:
        """Declares a name that goes through a list or the rounds of a `repeat`."""
        return self.declare("variable", name, node, given)

    def imports(self, node: Import) -> None:
        """Binds what is imported; another name for it is a symbol of its own."""
        target = self.program.loaded.targets.get((self.module, node.path.value), "")
        for item in node.items:
            found = self.program.catalogue.names.get(target, {}).get(item.name.text)
            meant = key_of(found.node.name) if found is not None else None
            self.note(item.name, meant)
            if item.alias is not None and meant is not None:
                key = key_of(item.alias)
                self.aliases[item.alias.text] = key
                self.index.declare(
                    Symbol(key, "alias", item.alias.text, item.alias.span, item, target=meant)
                )

    def declaration(self, node: Record | Enum | Tool | Agent | Saga) -> None:
        """Declares what has a name of its own, with its parameters, fields or members."""
        kind: dict[type[Node], Kind] = {
            Record: "record", Enum: "enum", Tool: "tool", Agent: "agent", Saga: "saga",
        }  # fmt: skip
        self.declare(kind[type(node)], node.name, node)
        match node:
            case Record(fields=fields):
                for each in fields:
                    given = self.program.catalogue.type(self.module, each.type)
                    self.declare("field", each.name, each, given, node.name.text)
                    self.type(each.type)
                    self.expr(each.default, Scope(), given)
            case Enum(members=members):
                for member in members:
                    self.declare("member", member, node, None, node.name.text)
            case Tool() | Agent():
                scope = self.parameters(node.parameters, node.name.text)
                self.type(node.result)
                self._clauses(node, scope)
            case Saga():
                pass

    def parameters(self, nodes: tuple[Parameter, ...], owner: str) -> Scope:
        """Declares parameters and gives the scope that knows them."""
        scope = Scope()
        for node in nodes:
            given = self.program.catalogue.type(self.module, node.type)
            scope.names[node.name.text] = self.declare("parameter", node.name, node, given, owner)
            self.type(node.type)
            self.expr(node.default, Scope(), given)
        return scope

    def _clauses(self, node: Tool | Agent, scope: Scope) -> None:
        before = scope.inner(key=STR)
        remembering = Scope(before)
        for clause in of(node.clauses, Remember):
            given = (
                present(self.result(clause.call)) if clause.message else (self.result(clause.call))
            )
            remembering.names[clause.name.text] = self.declare(
                "remembered", clause.name, clause, given, node.name.text
            )
        result = self.program.catalogue.type(self.module, node.result)
        for each in node.clauses:
            self.clause(each, before, remembering, remembering.inner(result=result))

    def clause(self, clause: Node, before: Scope, during: Scope, after: Scope) -> None:
        """Binds a clause: `before` knows what is there before the call, `after` the result."""
        match clause:
            case Binding(arguments=arguments):
                for argument in arguments or ():
                    self.expr(argument.value, during)
            case Effect(id=id_, corrective=corrective):
                self.expr(id_, before)
                if corrective is not None:
                    self.expr(corrective.action, after)
            case Reads(id=id_):
                self.expr(id_, before)
            case Requires(condition=condition, message=message):
                self.expr(condition, before)
                self.expr(message, before)
            case Ensures(condition=condition, message=message):
                self.expr(condition, after)
                self.expr(message, after)
            case Remember(call=call, message=message):
                self.call(call, before)
                self.expr(message, before)
            case Verify():
                self.verify(clause, during)
            case Evidence(call=call, verdicts=verdicts):
                self.call(call, during)
                self._verdicts(call, verdicts, during)
            case Undo():
                self.undo(clause, after)
            case Commutes(other=other) if other is not None:
                self.use(other)
            case MayUse(tools=tools):
                for tool in tools:
                    self._may_use(tool)
            case _:
                pass

    def verify(self, verify: Verify, scope: Scope) -> None:
        """Binds a verify."""
        self.call(verify.call, scope)
        self._verdicts(verify.call, verify.verdicts or (), scope)

    def undo(self, undo: Undo, scope: Scope) -> None:
        """Binds an undo with the clauses of its block."""
        declared = self.call(undo.call, scope)
        if declared is not None:
            # Documentation may stand before the word.
            text = self.program.modules[self.module].source.text
            start = text.rfind("undo", undo.span.start, undo.call.span.start)
            word = Span(undo.span.source, start, start + len("undo"))
            self.index.lead(word, key_of(declared.node.name))
        self.expr(undo.condition, scope)
        for clause in of(undo.clauses, Verify):
            self.verify(clause, scope)

    def _verdicts(self, call: Call, verdicts: tuple[Verdict, ...], scope: Scope) -> None:
        inner = scope.inner(it=present(self.result(call)))
        for verdict in verdicts:
            self.expr(verdict.condition, inner)
            if isinstance(verdict, Applied):
                self.expr(verdict.gives, inner)

    def _may_use(self, tool: AgentTool) -> None:
        self.use(tool.name)

    def step_block(self, declared: Declared | None, scope: Scope, result: Type) -> Scope:
        """Gives the scope of a step's block, where `args.NAME` are the call's."""
        inner = scope.inner(key=STR, args=JSON, result=result)
        inner.arguments = self.inputs(declared)
        return inner
