"""A definition as the engine runs it: its plan with an index, and its tools bound to functions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from ..differences import differences
from ..formula import Type
from ..kernel.index import Index
from ..plan import Plan, definition as identity
from .binding import Bound, Unbound, bind_tool, find
from .classes import Classes
from .errors import BindingFailed


class Definition:
    """A plan, its identity, its stored form, and its index; made once and never changed."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.hash = identity(plan)
        self.json = msgspec.json.encode(plan)
        self.index = Index(plan)
        self.secretive = any(_secretive(type_) for type_ in _types(plan))

    @classmethod
    def read(cls, stored: bytes) -> Definition:
        """Makes the definition of a plan from a log."""
        return cls(msgspec.json.decode(stored, type=Plan))

    def differences(self, begun: Plan) -> list[str]:
        """Names what differs between the definition that a run was begun with and this one."""
        return [str(difference) for difference in differences(begun, self.plan)]


class Tools:
    """The functions of a definition's tools, and the classes that they are given."""

    def __init__(self, bound: Mapping[str, Bound], classes: Classes) -> None:
        self.bound = bound
        self.classes = classes
        self.hashes = {name: tool.code for name, tool in sorted(bound.items()) if tool.code}

    def current(self, namespace: Mapping[str, object] | None) -> bool:
        """True while every binding still leads to the same function (cells are run again)."""
        try:
            for tool in self.bound.values():
                if find(tool.tool.call.target, namespace, []) is not tool.function:
                    return False
        except Unbound:
            return False
        return True


def bind(
    definition: Definition,
    namespace: Mapping[str, object] | None,
    file: str,
    records: Mapping[str, type] | Sequence[type],
) -> Tools:
    """Finds and checks the functions of all tools. Raises `BindingFailed`, each fault named."""
    classes = Classes(definition.plan, definition.index.schema, records)
    folders = import_folders(file)
    bound: dict[str, Bound] = {}
    faults: list[str] = []
    for tool in definition.plan.tools:
        try:
            bound[tool.name] = bind_tool(tool, namespace, folders, classes)
        except Unbound as fault:
            faults.append(str(fault))
    for agent in definition.plan.agents:
        names = tuple(use.tool for use in agent.uses)
        tool = definition.index.tools[agent.name]
        try:
            bound[agent.name] = bind_tool(tool, namespace, folders, classes, names)
        except Unbound as fault:
            faults.append(str(fault))
    if faults:
        raise BindingFailed(definition.plan.saga, faults)
    return Tools(bound, classes)


def import_folders(file: str) -> list[Path]:
    """Gives the folders from which tools are imported: the file's own, then the current one."""
    folders = [Path(os.path.abspath(file)).parent] if file else []
    current = Path.cwd()
    return folders if current in folders else [*folders, current]


def _types(plan: Plan) -> Iterable[Type]:
    for parameters in (
        plan.parameters,
        *(tool.parameters for tool in plan.tools),
        *(agent.parameters for agent in plan.agents),
    ):
        yield from (parameter.type for parameter in parameters)
    for record in plan.records:
        yield from (field.type for field in record.fields)


def _secretive(type_: Type) -> bool:
    return type_.kind == "secret" or (type_.of is not None and _secretive(type_.of))
