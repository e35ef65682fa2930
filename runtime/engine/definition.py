"""A definition as the engine runs it: its plan with an index, and its tools bound to functions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..formula import Type
from ..kernel.index import Index
from ..plan import If, Node, Parallel, Plan, definition as identity, statements
from ..scalars import kind_of
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
        return differences(begun, self.plan)


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
    if faults:
        raise BindingFailed(definition.plan.saga, faults)
    return Tools(bound, classes)


def import_folders(file: str) -> list[Path]:
    """Gives the folders from which tools are imported: the file's own, then the current one."""
    folders = [Path(os.path.abspath(file)).parent] if file else []
    current = Path.cwd()
    return folders if current in folders else [*folders, current]


def differences(begun: Plan, given: Plan) -> list[str]:
    """Names what differs between the definition of a run and another one."""
    found: list[str] = []
    if begun.saga != given.saga:
        found.append(f"the saga is `{begun.saga}` there and `{given.saga}` here")
    for what, old, new in (
        ("input", begun.parameters, given.parameters),
        ("tool", begun.tools, given.tools),
        ("record", begun.records, given.records),
        ("enum", begun.enums, given.enums),
    ):
        found += _parts(
            what, {p.name: _meaning(p) for p in old}, {p.name: _meaning(p) for p in new}
        )
    old_steps = {s.path: _own(s) for s in statements(begun.body)}
    new_steps = {s.path: _own(s) for s in statements(given.body)}
    found += _parts("statement", old_steps, new_steps)
    common = [path for path in new_steps if path in old_steps]
    if common != [path for path in old_steps if path in new_steps]:
        found.append("the order of the statements differs")
    return found or ["the promises, the deadline or the runbook of the saga differ"]


def _parts(what: str, old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    found = [f"the {what} `{name}` is only in the run's" for name in old if name not in new]
    found += [f"the {what} `{name}` is new" for name in new if name not in old]
    found += [f"the {what} `{n}` differs" for n in new if n in old and old[n] != new[n]]
    return found


def _own(statement: Node) -> dict[str, Any]:
    # What stands in the block of an `if` or `parallel` is compared by itself.
    inner = ("then", "otherwise", "body") if isinstance(statement, If | Parallel) else ()
    return {name: part for name, part in _meaning(statement).items() if name not in inner}


def _meaning(part: object) -> Any:
    return _strip(msgspec.to_builtins(part))


def _strip(data: Any) -> Any:
    kind = kind_of(data)
    if kind is dict:
        return {k: _strip(v) for k, v in data.items() if k not in ("at", "doc", "source")}
    if kind is list or kind is tuple:
        return [_strip(item) for item in data]
    return data


def _types(plan: Plan) -> Iterable[Type]:
    for parameters in (plan.parameters, *(t.parameters for t in plan.tools)):
        yield from (parameter.type for parameter in parameters)
    for record in plan.records:
        yield from (field.type for field in record.fields)


def _secretive(type_: Type) -> bool:
    return type_.kind == "secret" or (type_.of is not None and _secretive(type_.of))
