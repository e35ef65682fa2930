"""The nodes of a module and its declarations; the clauses of tools are in `clauses`."""

from __future__ import annotations

from .clauses import AgentClause, ToolClause
from .expressions import Expr, PlainText, Type
from .node import Doc, Name, Node
from .scenarios import Scenario
from .statements import Block


class Edition(Node, frozen=True):
    """`edition 2026`."""

    doc: Doc | None
    year: int


class ImportItem(Node, frozen=True):
    """`name` or `name as alias`."""

    name: Name
    alias: Name | None

    @property
    def local(self) -> Name:
        """The name by which the importing file knows it."""
        return self.alias or self.name


class Import(Node, frozen=True):
    """`import { items } from "path"`, the path relative to the importing file."""

    doc: Doc | None
    items: tuple[ImportItem, ...]
    path: PlainText


class RecordField(Node, frozen=True):
    """`name: type = default`."""

    doc: Doc | None
    name: Name
    type: Type
    default: Expr | None


class Record(Node, frozen=True):
    """`record Name { fields }`."""

    doc: Doc | None
    name: Name
    fields: tuple[RecordField, ...]


class Enum(Node, frozen=True):
    """`enum Name { members }`."""

    doc: Doc | None
    name: Name
    members: tuple[Name, ...]


class Parameter(Node, frozen=True):
    """`name: type = default` of a tool, an agent or a saga."""

    name: Name
    type: Type
    default: Expr | None


class Tool(Node, frozen=True):
    """`tool name(parameters) -> result { clauses }`, the clauses as written."""

    doc: Doc | None
    name: Name
    parameters: tuple[Parameter, ...]
    result: Type
    clauses: tuple[ToolClause, ...]


class Agent(Node, frozen=True):
    """`agent name(parameters) -> result { clauses }`."""

    doc: Doc | None
    name: Name
    parameters: tuple[Parameter, ...]
    result: Type
    clauses: tuple[AgentClause, ...]


class Saga(Node, frozen=True):
    """`saga name(parameters) -> result { body }`; without `->` it gives nothing."""

    doc: Doc | None
    name: Name
    parameters: tuple[Parameter, ...]
    result: Type | None
    body: Block


Declaration = Edition | Import | Record | Enum | Tool | Agent | Saga | Scenario


class Module(Node, frozen=True):
    """One file: its declarations in the order written."""

    declarations: tuple[Declaration, ...]
