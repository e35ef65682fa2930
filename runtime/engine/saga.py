"""A saga that can be started: its plan, the functions it calls, and its inputs checked."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, ClassVar

from ..expressions import Failed, evaluate
from ..journal import new_run_id, run_id as checked_id
from ..plan import Parameter, Plan
from ..shapes import Mismatch, conform
from ..values import Secret, Unstorable, encode
from .definition import Definition, Tools, bind
from .errors import InputsRefused, RunError
from .log import Log
from .program import main
from .recorded import remember
from .run import Run


class Saga:
    """One saga of a file or module.

    `namespace` is where tools are looked up whose binding names no module; `records` are the
    classes of the records and enums (made when left out); `file` is where the saga comes from: its
    folder and the current one are importable for its tools.
    """

    guards: ClassVar[list[Guard]] = []
    """Asked before each start, and free to refuse it: a notebook has one, whose cells run again."""

    def __init__(
        self,
        plan: Plan,
        namespace: Mapping[str, object] | None = None,
        *,
        records: Mapping[str, type] | Sequence[type] = (),
        file: str = "",
        source: str = "",
    ) -> None:
        self.plan = plan
        self.name = plan.saga
        self.doc = plan.doc
        self.file = file
        self.source = source
        self._namespace = namespace
        self._records = records
        self._definition: Definition | None = None
        self._tools: Tools | None = None
        self._lock = Lock()

    def __repr__(self) -> str:
        inputs = ", ".join(f"{p.name}: {p.type}" for p in self.plan.parameters)
        return f"<saga {self.name}({inputs}) -> {self.plan.result}>"

    @property
    def definition(self) -> Definition:
        """The plan with its identity and index."""
        with self._lock:
            if self._definition is None:
                self._definition = remember(Definition(self.plan))
            return self._definition

    def tools(self) -> Tools:
        """Gives the functions of all tools, looked up now. Raises `BindingFailed`."""
        definition = self.definition
        with self._lock:
            if self._tools is None or not self._tools.current(self._namespace):
                self._tools = bind(definition, self._namespace, self.file, self._records)
            return self._tools

    def tools_for(self, begun: Definition) -> Tools:
        """Gives the functions for a definition that a log holds, as begun earlier.

        A log is data: it names no module that this saga's own file does not name.
        """
        known = {_module(target) for _, target in _bindings(self.plan)}
        for name, target in _bindings(begun.plan):
            if _module(target) not in known:
                raise RunError(
                    f"`{name}` was bound to `{target}` when the run began; the file of "
                    f"`{self.name}` names no such module any more. Bring it back."
                )
        return bind(begun, self._namespace, self.file, self._records)

    def start(
        self,
        log: Log | str | os.PathLike[str] | None = None,
        /,
        *,
        run_id: str | None = None,
        **inputs: Any,
    ) -> Run:
        """Starts a run and returns at once; of an id that exists, the run there is.

        Raises `InputsRefused`, `BindingFailed`, `OtherInputs`, `OtherDefinition`, `BadRunId`,
        `LogError`; then nothing was called.
        """
        definition = self.definition
        wires = stored_inputs(definition, inputs)
        chosen = new_run_id() if run_id is None else checked_id(run_id)
        tools = self.tools()
        where = log if isinstance(log, Log) else Log(log)
        for guard in self.guards:
            guard(self, where, run_id, wires)
        source = os.path.abspath(self.file) if self.file else ""
        return where.begin(definition, tools, chosen, wires, source)


Guard = Callable[[Saga, Log, str | None, Mapping[str, Any]], None]
"""Is given the saga, the log, the id if one was given, and the stored inputs."""


def stored_inputs(definition: Definition, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Gives a saga's inputs in stored form, checked and with defaults. Raises `InputsRefused`."""
    plan, schema = definition.plan, definition.index.schema
    wires: dict[str, Any] = {}
    faults: list[str] = []
    for parameter in plan.parameters:
        try:
            if parameter.name in inputs:
                given = _secret(inputs[parameter.name], parameter)
            elif parameter.default is not None:
                given = evaluate(parameter.default.tree, {}, schema)
            else:
                faults.append(f"`{parameter.name}` ({parameter.type}) is missing")
                continue
            wires[parameter.name] = encode(conform(given, parameter.type, schema, parameter.name))
        except (Mismatch, Failed) as fault:
            faults.append(str(fault))
        except (Unstorable, ValueError) as fault:
            faults.append(f"{parameter.name}: {fault}")
    known = [parameter.name for parameter in plan.parameters]
    for name in inputs:
        if name not in known:
            close = difflib.get_close_matches(name, known, 1)
            near = f"; did you mean `{close[0]}`?" if close else ""
            faults.append(f"there is no input `{name}`{near}")
    if faults:
        takes = ", ".join(f"{p.name}: {p.type}" for p in plan.parameters) or "no inputs"
        listed = "".join(f"\n  {fault}" for fault in faults)
        raise InputsRefused(f"`{plan.saga}` was not started:{listed}\nIt takes {takes}.")
    return wires


def _secret(value: Any, parameter: Parameter) -> Any:
    wanted = parameter.type.of if parameter.type.kind == "optional" else parameter.type
    if wanted is not None and wanted.kind == "secret" and isinstance(value, str):
        return Secret(value)
    return value


def _bindings(plan: Plan) -> list[tuple[str, str]]:
    """Gives the name and target of each tool and agent."""
    tools = [(tool.name, tool.call.target) for tool in plan.tools]
    return tools + [(agent.name, agent.call.target) for agent in plan.agents]


def _module(target: str) -> str:
    module, colon, _ = target.partition(":")
    return module if colon else ""


__all__ = ["Saga", "main", "stored_inputs"]
