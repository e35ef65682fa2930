"""The nodes of a module and its declarations; the clauses of tools are in `clauses`."""

from __future__ import annotations

from dataclasses import dataclass

from .clauses import AgentClause, ToolClause
from .expressions import Expr, PlainText, Type
from .node import Doc, Name, Node
from .scenarios import Scenario
from .statements import Block


@dataclass(frozen=True, slots=True)
class Edition(Node):
    """`edition 2026`."""

    doc: Doc | None
    year: int


@dataclass(frozen=True, slots=True)
class ImportItem(Node):
    """`name` or `name as alias`."""

    name: Name
    alias: Name | None

    @property
    def local(self) -> Name:
        """The name by which the importing file knows it."""
        return self.alias or self.name


@dataclass(frozen=True, slots=True)
class Import(Node):
    """`import { items } from "path"`, the path relative to the importing file."""

    doc: Doc | None
    items: tuple[ImportItem, ...]
    path: PlainText


@dataclass(frozen=True, slots=True)
class RecordField(Node):
    """`name: type = default`."""

    doc: Doc | None
    name: Name
    type: Type
    default: Expr | None


@dataclass(frozen=True, slots=True)
class Record(Node):
    """`record Name { fields }`."""

    doc: Doc | None
    name: Name
    fields: tuple[RecordField, ...]


@dataclass(frozen=True, slots=True)
class Enum(Node):
    """`enum Name { members }`."""

    doc: Doc | None
    name: Name
    members: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    """`name: type = default` of a tool, an agent or a saga."""

    name: Name
    type: Type
    default: Expr | None


@dataclass(frozen=True, slots=True)
class Tool(Node):
    """`tool name(parameters) -> result { clauses }`, the clauses as written."""

    doc: Doc | None
    name: Name
    parameters: tuple[Parameter, ...]
    result: Type
    clauses: tuple[ToolClause, ...]


@dataclass(frozen=True, slots=True)
class Agent(Node):
    """`agent name(parameters) -> result { clauses }`."""

    doc: Doc | None
    name: Name
    parameters: tuple[Parameter, ...]
    result: Type
    clauses: tuple[AgentClause, ...]


@dataclass(frozen=True, slots=True)
class Saga(Node):
    """`saga name(parameters) -> result { body }`; without `->` it gives nothing."""

    doc: Doc | None
    name: Name
    parameters: tuple[Parameter, ...]
    result: Type | None
    body: Block


Declaration = Edition | Import | Record | Enum | Tool | Agent | Saga | Scenario


@dataclass(frozen=True, slots=True)
class Module(Node):
    """One file: its declarations in the order written."""

    declarations: tuple[Declaration, ...]
