"""Declarations resolved: what stands twice, is not known or not there, or not carried out yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...dsl.diagnostics import Diagnostic, replacement
from ...dsl.loader import Loaded
from ...dsl.nodes import (
    Agent,
    Edition,
    Enum,
    Import,
    Name,
    NamedType,
    Node,
    Parameter,
    Record,
    Saga,
    Tool,
    of,
    walk,
)
from ...dsl.parser import Parsed
from ..codes import declare
from ..typing.functions import FUNCTIONS
from ..typing.types import BUILT_IN
from .catalogue import Catalogue, declarations, near, spelled, unreadable

N201 = declare("N201", "error", "unknown name")
N202 = declare("N202", "error", "name or clause twice")
# These two are found while files are loaded (`dsl.loader`), which knows no table of codes.
declare("N203", "error", "import not readable")
declare("N204", "error", "import cycle")
N205 = declare("N205", "error", "not there to import")
N207 = declare("N207", "error", "cannot be used here")
N299 = declare("N299", "error", "not carried out yet")

EDITION = 2026
TAKEN = frozenset(["key", "result", "it", "args", "run_id", "log"])
"""Words with a meaning of their own beside a tool's parameters or a run's inputs."""

_TYPES = {
    "string": "str", "text": "str", "varchar": "str", "char": "str", "uuid": "str",
    "integer": "int", "long": "int", "number": "decimal", "double": "float", "real": "float",
    "money": "decimal", "currency": "decimal", "numeric": "decimal", "boolean": "bool",
    "timestamp": "datetime", "time": "datetime", "timedelta": "duration", "any": "json",
    "object": "json", "dict": "json", "unknown": "json", "blob": "bytes", "binary": "bytes",
}  # fmt: skip
"""Types of other languages, in small letters, and what they are here."""
TYPE_WORDS = frozenset((*BUILT_IN, "list", "map", "secret"))


def twice(names: Iterable[Name], what: str) -> Iterator[Diagnostic]:
    """Yields N202 for each name that stands a second time."""
    first: dict[str, Name] = {}
    for name in names:
        earlier = first.setdefault(name.text, name)
        if earlier is not name:
            yield again(name, earlier, f"There are two {what} {spelled(name)}.")


def again(name: Name, earlier: Node, message: str) -> Diagnostic:
    """Makes N202: a name that stands for something else already."""
    return N202(
        message,
        name.span,
        "the second time",
        also=[(earlier.span, "first here")],
        helps=[f"Give one of them another name, for example `{name.text}_2`."],
    )


def module_names(module: Parsed) -> Iterator[Diagnostic]:
    """Yields what is wrong with the names that a module declares and imports."""
    first: dict[str, Name] = {}
    for name in _own_names(module):
        earlier = first.setdefault(name.text, name)
        if earlier is not name:
            yield again(name, earlier, f"{spelled(name)} is declared twice in this file.")
    editions = [n for n in module.module.declarations if isinstance(n, Edition)]
    for edition in editions[:1]:
        if edition.year != EDITION:
            yield N299(
                f"Edition {edition.year} of the language is not known here.",
                edition.span,
                helps=[f"This is a compiler of edition {EDITION}: say `edition {EDITION}`."],
            )
    for node in declarations(module):
        if isinstance(node, Record | Enum):
            yield from _type_names(node)


def imports(loaded: Loaded, module: Parsed) -> Iterator[Diagnostic]:
    """Yields N205 for each name that the imported file does not declare."""
    for node in of(module.module.declarations, Import):
        target = loaded.targets.get((module.source.name, node.path.value))
        if target is None:
            continue
        there = loaded.modules[target]
        known = {d.name.text: d for d in declarations(there)}
        for item in node.items:
            if item.name.text not in known and item.name.text not in unreadable(there):
                guess = near(item.name.text, known)
                yield N205(
                    f'"{node.path.value}" does not declare {spelled(item.name)}.',
                    item.name.span,
                    "not there",
                    also=[(known[guess].name.span, "this one is there")] if guess else (),
                    helps=[f"Did you mean `{guess}`?"] if guess else _declares(known),
                    fix=replacement("ask", item.name.span, guess) if guess else None,
                )


def types(catalogue: Catalogue, module: Parsed) -> Iterator[Diagnostic]:
    """Yields N201 for each type that is not known, and N207 for what is not a type."""
    for declaration in declarations(module):
        for node in walk(declaration):
            if isinstance(node, NamedType) and node.name.text not in BUILT_IN:
                yield from _type(catalogue, module, node.name)


def parameters(node: Tool | Agent | Saga) -> Iterator[Diagnostic]:
    """Yields what is wrong with the names of parameters."""
    yield from twice((p.name for p in node.parameters), "parameters")
    for parameter in node.parameters:
        yield from _parameter(parameter)


def _parameter(parameter: Parameter) -> Iterator[Diagnostic]:
    name = parameter.name
    if name.text in TAKEN:
        better = {"key": "forward_key", "result": "outcome", "it": "item", "args": "arguments"}
        other = better.get(name.text, f"{name.text}_")
        yield N207(
            f"A parameter cannot be called {spelled(name)}: {_meaning(name.text)}.",
            name.span,
            "has a meaning already",
            helps=[f"Call it `{other}`, here and where it is used."],
            fix=replacement("ask", name.span, other),
        )


def _meaning(word: str) -> str:
    return {
        "key": "in clauses `key` is the idempotency key of the call",
        "result": "in clauses `result` is what the call gave",
        "it": "in verdicts `it` is the answer of the read",
        "args": "in a step's block `args` holds the arguments of the call",
        "run_id": "a program that starts a saga gives the run's id under this name",
        "log": "a program that starts a saga gives the log under this name",
    }[word]


def _own_names(module: Parsed) -> Iterator[Name]:
    for node in module.module.declarations:
        if isinstance(node, Import):
            yield from (item.local for item in node.items)
        elif isinstance(node, Record | Enum | Tool | Agent | Saga):
            yield node.name


def _type_names(node: Record | Enum) -> Iterator[Diagnostic]:
    if node.name.text in TYPE_WORDS or (isinstance(node, Record) and node.name.text in FUNCTIONS):
        kind = "type" if node.name.text in TYPE_WORDS else "function"
        yield N202(
            f"{spelled(node.name)} is a {kind} of the language already.",
            node.name.span,
            helps=["Give it another name; names of records and enums begin with a capital."],
        )
    if isinstance(node, Record):
        yield from twice((f.name for f in node.fields), f"fields of {spelled(node.name)} called")
    else:
        yield from twice(node.members, f"members of {spelled(node.name)} called")


def _type(catalogue: Catalogue, module: Parsed, name: Name) -> Iterator[Diagnostic]:
    found = catalogue.find(module.source.name, name.text)
    if found is None:
        if name.text in unreadable(module):
            return
        types = catalogue.words(module.source.name, "record", "enum")
        guess = _TYPES.get(name.text.lower()) or near(name.text, types | TYPE_WORDS)
        yield N201(
            f"There is no type {spelled(name)}.",
            name.span,
            "not known",
            helps=[f"Did you mean `{guess}`?"] if guess else _how_to_declare(name),
            fix=replacement("ask", name.span, guess) if guess else None,
        )
    elif found.noun not in ("record", "enum"):
        yield N207(
            f"{spelled(name)} is {found.kind}, not a type.",
            name.span,
            also=[(found.node.name.span, "declared here")],
        )


def _how_to_declare(name: Name) -> list[str]:
    return [f"Declare it (`record {name.text} {{ ... }}`) or import it."]


def _declares(known: Iterable[str]) -> list[str]:
    words = sorted(known)
    if not words:
        return ["That file declares nothing."]
    more = ", ..." if len(words) > 8 else "."
    return ["It declares " + ", ".join(f"`{word}`" for word in words[:8]) + more]
