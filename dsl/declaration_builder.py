"""Builds the nodes of declarations; with what it inherits, a method for every rule."""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from . import nodes as n
from .growth import Quoted
from .scenario_builder import ScenarioBuilder
from .span import Span

OneDeclaration = TypeVar(
    "OneDeclaration", n.Edition, n.Import, n.Record, n.Enum, n.Tool, n.Agent, n.Saga, n.Scenario
)
Parameters = tuple[n.Parameter, ...]


class DeclarationBuilder(ScenarioBuilder):
    """Methods named like rules; each gets the span and the children of one match."""

    def declaration(self, span: Span, doc: n.Doc | None, node: OneDeclaration) -> OneDeclaration:
        return node if doc is None else replace(node, doc=doc)

    def edition(self, span: Span, year: n.IntLiteral) -> n.Edition:
        return n.Edition(span, None, year.value)

    def import_(self, span: Span, *made: n.ImportItem | Quoted) -> n.Import:
        path = next(part for part in made if isinstance(part, Quoted))
        items = tuple(part for part in made if isinstance(part, n.ImportItem))
        return n.Import(span, None, items, self.plain(path))

    def import_item(self, span: Span, name: n.Name, alias: n.Name | None) -> n.ImportItem:
        return n.ImportItem(span, name, None if alias is None else self.declares(alias))

    def record(self, span: Span, name: n.Name, *fields: n.RecordField) -> n.Record:
        return n.Record(span, None, self.declares(name), fields)

    def record_field(
        self,
        span: Span,
        doc: n.Doc | None,
        name: n.Name,
        field_type: n.Type,
        default: n.Expr | None,
    ) -> n.RecordField:
        return n.RecordField(span, doc, name, field_type, default)

    def enum(self, span: Span, name: n.Name, *members: n.Name) -> n.Enum:
        return n.Enum(span, None, self.declares(name), members)

    def parameters(self, span: Span, *parameters: n.Parameter) -> Parameters:
        return parameters

    def parameter(
        self, span: Span, name: n.Name, parameter_type: n.Type, default: n.Expr | None
    ) -> n.Parameter:
        return n.Parameter(span, self.declares(name), parameter_type, default)

    def tool(
        self,
        span: Span,
        name: n.Name,
        parameters: Parameters,
        result: n.Type,
        *clauses: n.ToolClause,
    ) -> n.Tool:
        return n.Tool(span, None, self.declares(name), parameters, result, clauses)

    def agent(
        self,
        span: Span,
        name: n.Name,
        parameters: Parameters,
        result: n.Type,
        *clauses: n.AgentClause,
    ) -> n.Agent:
        return n.Agent(span, None, self.declares(name), parameters, result, clauses)

    def saga(
        self,
        span: Span,
        name: n.Name,
        parameters: Parameters,
        result: n.Type | None,
        body: n.Block,
    ) -> n.Saga:
        return n.Saga(span, None, self.declares(name), parameters, result, body)
