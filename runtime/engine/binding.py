"""From a tool's binding to its Python function: found, checked against the call, and hashed."""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal as OneOf

from ..formula import Name
from ..plan import Tool
from .classes import Classes, Convert


class Unbound(Exception):
    """One tool cannot be called as it is bound; the text says why and what to do."""


Pool = OneOf["async", "sync", "agent"]
"""Which limit a call counts against."""

TOOLS = "tools"
"""The parameter in which an agent's function gets its tools, where it has one of that name."""


class Bound:
    """A tool and its function: how to call it, whether it is async, and what its code hashes to.

    Of an agent `tool` is what it looks like to its step, and `tool_names` are those it may use.
    `counts` says against which limits a call of it counts.
    """

    def __init__(
        self,
        tool: Tool,
        function: Callable[..., Any],
        classes: Classes,
        tool_names: tuple[str, ...] | None = None,
    ) -> None:
        self.tool = tool
        self.function = function
        self.is_async = _is_async(function)
        self.pool: Pool = "async" if self.is_async else "sync"
        self.tool_names = tool_names
        self.takes_tools = False
        if tool_names is not None:
            self.pool = "agent"
            self.takes_tools = _takes_tools(tool, function)
        self.counts = (self.pool, tool.service)
        self.code = code_hash(function)
        # Most bindings hand parameters on by name: these need no evaluation at each call.
        self.simple: list[tuple[str, str, Convert | None]] | None = []
        self.converters: list[Convert | None] = []
        for argument in tool.call.args:
            convert = classes.convert(argument.value.type)
            self.converters.append(convert)
            if self.simple is not None and isinstance(argument.value.tree, Name):
                self.simple.append((argument.name, argument.value.tree.name, convert))
            else:
                self.simple = None


def bind_tool(
    tool: Tool,
    namespace: Mapping[str, object] | None,
    folders: list[Path],
    classes: Classes,
    tool_names: tuple[str, ...] | None = None,
) -> Bound:
    """Finds the function of a tool and checks that it takes the arguments. Raises `Unbound`.

    With `tool_names` it is an agent's, which may use those.
    """
    where = f"{tool.at.file}:{tool.at.line}: " if tool.at.file else ""
    kind = "tool" if tool_names is None else "agent"
    try:
        function = find(tool.call.target, namespace, folders)
        if not callable(function):
            said = f"`{tool.call.target}` is {type(function).__name__}, which cannot be called"
            raise Unbound(f"{said}. Bind the {kind} to a function.")
        takes_tools = tool_names is not None and _takes_tools(tool, function)
        _check_signature(tool, function, (TOOLS,) if takes_tools else ())
    except Unbound as reason:
        raise Unbound(f"{where}the {kind} `{tool.name}` cannot be called: {reason}") from None
    return Bound(tool, function, classes, tool_names)


def _takes_tools(tool: Tool, function: Callable[..., Any]) -> bool:
    if any(argument.name == TOOLS for argument in tool.call.args):
        return False
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    return TOOLS in parameters


def find(target: str, namespace: Mapping[str, object] | None, folders: list[Path]) -> Any:
    """Gives what a binding's text names: `module:function`, or a name of the namespace."""
    module, colon, path = target.partition(":")
    if not colon:
        first, *rest = target.split(".")
        if namespace is None or first not in namespace:
            raise Unbound(
                f"there is no `{first}` where the saga is loaded. Define or import it there before "
                'the saga starts, or say where it is: `call python "module:function"`.'
            )
        return _walk(namespace[first], rest, target)
    return _walk(_module(module, folders), path.split("."), target)


def _walk(found: Any, names: list[str], target: str) -> Any:
    for name in names:
        try:
            found = getattr(found, name)
        except AttributeError:
            said = f"`{target}`: there is no `{name}`"
            near = _near(name, dir(found))
            raise Unbound(f"{said}{near}. Correct the name, or define the function.") from None
    return found


def _near(name: str, names: list[str]) -> str:
    import difflib

    close = difflib.get_close_matches(name, names, 1)
    return f"; did you mean `{close[0]}`?" if close else ""


def _module(name: str, folders: list[Path]) -> Any:
    for folder in reversed(folders):
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            looked = ", ".join(str(folder) for folder in folders) or "the import path"
            raise Unbound(
                f"there is no module `{name}` (looked in {looked} and what is installed). "
                "Create it, or correct the name."
            ) from None
        raise Unbound(_import_fault(name, error)) from error
    except Exception as error:
        raise Unbound(_import_fault(name, error)) from error
    _same_module(name, module, folders)
    return module


def _import_fault(name: str, error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    if isinstance(error, SyntaxError):
        where = f" ({error.filename}:{error.lineno})"
    else:
        where = f" ({last.filename}:{last.lineno})" if last is not None else ""
    said = f"importing `{name}` failed with {type(error).__name__}: {error}{where}"
    return f"{said}. Correct that module."


def _same_module(name: str, module: Any, folders: list[Path]) -> None:
    """Two projects in one process may each have a `tools.py`; Python keeps only the first."""
    loaded = getattr(module, "__file__", None)
    if loaded is None or not folders:
        return
    stem = folders[0].joinpath(*name.split("."))
    for candidate in (stem.with_suffix(".py"), stem / "__init__.py"):
        if candidate.is_file() and not candidate.samefile(loaded):
            raise Unbound(
                f"`{name}` is already loaded from {loaded}, and this saga's own is {candidate}. "
                "Rename one of them, or run the two sagas in processes of their own."
            )


def _check_signature(tool: Tool, function: Callable[..., Any], more: tuple[str, ...] = ()) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # Some functions written in C do not say what they take.
    positional = [None for argument in tool.call.args if not argument.name]
    named: dict[str, object] = {a.name: None for a in tool.call.args if a.name}
    named |= dict.fromkeys(more)
    try:
        signature.bind(*positional, **named)
    except TypeError as error:
        shown = ", ".join(argument.name or argument.value.source for argument in tool.call.args)
        # Annotations that stay texts would be shown in quotation marks, as nobody wrote them.
        takes = str(signature).replace("'", "")
        raise Unbound(
            f"`{tool.call.target}` is defined as {_name(function)}{takes} and would be called "
            f"with ({shown}): {error}. Change the function, or say what it is given: "
            f'`call python "{tool.call.target}" (...)`.'
        ) from None


def _name(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _is_async(function: Any) -> bool:
    while isinstance(function, functools.partial):
        function = function.func
    if inspect.iscoroutinefunction(function):
        return True
    return not inspect.isroutine(function) and inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004
    )


def code_hash(function: Any) -> str:
    """Gives a hash of a function's source text, or an empty text where there is none to read."""
    while isinstance(function, functools.partial):
        function = function.func
    try:
        source = inspect.getsource(inspect.unwrap(function))
    except (OSError, TypeError, ValueError):
        return ""
    return hashlib.sha256(source.encode("utf-8", "replace")).hexdigest()[:16]
