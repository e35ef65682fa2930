"""The Python target: a module that runs the sagas of a file, and that people like to read.

The module holds each plan as constructors from which it is rebuilt exactly, with the text and
place of each expression beside it. Texts go in through `repr`, names through a `Namespace`: nothing
that a source says can change the syntax tree of its module.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Generic, TypeVar

from ...runtime.plan import Enum, Plan, Record, Tool, definition
from .code import Document, Group, Printer, Words, call, comment, docstring, quote, several
from .constructors import Constructors
from .imports import Imports
from .naming import BUILTINS, Namespace, identifier
from .origin import PYTHON
from .places import Places
from .records import Classes
from .templating import template

FUNCTIONS = "What the tools call by a bare name: put the functions here before a run is started."
P = TypeVar("P", bound=Tool | Record | Enum)


def emit_python(plans: Sequence[Plan], *, name: str, version: str) -> str:
    """Gives the module of the sagas of one file.

    `plans` has at least one; `name` is the file's name, `version` the compiler's: the first line
    says both. The same plans give the same text, byte for byte.
    """
    return _Module(plans).text(name, version)


class _Declared(Generic[P]):
    """Parts of one kind, each once, with the module's name of it.

    Plans of one file share their tools and records; parts of one name that differ (from two files)
    keep a name each.
    """

    def __init__(self, names: Namespace, suffix: str = "") -> None:
        self._names = names
        self._suffix = suffix
        self._found: dict[str, list[tuple[P, str]]] = {}

    def add(self, parts: tuple[P, ...]) -> None:
        """Gives a name to each part that has none."""
        for part in parts:
            same = self._found.setdefault(part.name, [])
            if all(part != other for other, _ in same):
                same.append((part, self._names.give(part.name + self._suffix)))

    def of(self, part: P) -> str:
        """Gives the module's name of a part."""
        return next(spelled for other, spelled in self._found[part.name] if other == part)

    def __iter__(self) -> Iterator[tuple[P, str]]:
        return (entry for same in self._found.values() for entry in same)


class _Module:
    """One module on its way: what things are called in it, and the blocks of its text."""

    def __init__(self, plans: Sequence[Plan]) -> None:
        self._plans = plans
        names = Namespace(BUILTINS)
        # Who comes first keeps the spelling: what people import, what they read, then our words.
        self._sagas = [names.give(plan.saga) for plan in plans]
        self._classes = _Declared[Enum | Record](names)
        self._tools = _Declared[Tool](names)
        for plan in plans:
            self._classes.add((*plan.enums, *plan.records))
        for plan in plans:
            self._tools.add(plan.tools)
        self._kept = _Declared[Enum | Record](names, "_type")
        for part, _ in self._classes:
            self._kept.add((part,))
        bare = any(":" not in tool.call.target for tool, _ in self._tools)
        self._functions = names.give("functions") if bare else ""
        self._names = names
        self._imports = Imports(names.give)
        self._places = Places(plans)
        self._assign = Printer(names.give).assign
        self._forms: dict[str, tuple[str, str]] = {}

    def text(self, name: str, version: str) -> str:
        """Gives the text of the module."""
        classes = Classes(self._classes, self._imports)
        parts = list(classes.write())
        sections = list(self._sections())
        module = f"{identifier(PurePosixPath(name).stem)}_saga"
        main = self._imports.word("main")
        return template("module.py.j2").render(
            marker=PYTHON + comment(version),
            name=comment(name),
            definitions=dict(zip(self._sagas, map(definition, self._plans), strict=True)),
            module=module,
            sagas=self._sagas,
            docstring=docstring(_said(self._plans, name), 0),
            imports=self._imports.text(),
            classes=parts,
            sections=sections,
            main=main,
            example=comment(_example(self._plans[0])),
        )

    def _sections(self) -> Iterator[tuple[str, list[str]]]:
        """Gives the parts of the module, each with the sentence that stands above it."""
        yield "Where the lines of the sources begin.", list(self._sources())
        write = Constructors(self._imports.word, self._places, self._forms, {}).write
        if self._functions:
            kind = f"dict[str, {self._imports.word('Any')}]"
            yield FUNCTIONS, [f"{self._functions}: {kind} = {{}}\n"]
        types = [self._assign(self._kept.of(part), write(part)) for part, _ in self._classes]
        yield "The types, as the plans have them.", types
        tools = [self._assign(spelled, write(tool)) for tool, spelled in self._tools]
        yield "The tools: what each changes, how to verify it, how to undo it.", tools
        sagas = zip(self._plans, self._sagas, strict=True)
        yield "The sagas.", [self._assign(spelled, self._saga(plan)) for plan, spelled in sagas]

    def _sources(self) -> Iterator[str]:
        for file in self._places.files:
            source = self._names.give(file)
            mark = f"_{identifier(PurePosixPath(file).stem)}" if self._forms else ""
            formula, place = self._names.give("f" + mark), self._names.give("at" + mark)
            self._forms[file] = formula, place
            table: list[Document] = [quote(file), Words(self._places.table(file))]
            made = call(self._imports.word("Source"), [("", part) for part in table])
            short = f"{formula}, {place} = {source}.formula, {source}.place"
            yield f"{self._assign(source, made)}{short}\n"

    def _saga(self, plan: Plan) -> Group:
        tools = {tool.name: (tool, self._tools.of(tool)) for tool in plan.tools}
        shared = {
            "tools": [spelled for _, spelled in tools.values()],
            "records": [self._kept.of(record) for record in plan.records],
            "enums": [self._kept.of(enum) for enum in plan.enums],
        }
        inner = Constructors(self._imports.word, self._places, self._forms, tools)
        items = [("name", quote(plan.saga)), *inner.fields(plan, ("saga", *shared))]
        items[-1:-1] = [(name, several(names)) for name, names in shared.items() if names]
        parts: tuple[Enum | Record, ...] = (*plan.enums, *plan.records)
        if parts:
            pairs = [(f"{quote(part.name)}: ", self._classes.of(part)) for part in parts]
            items.append(("classes", Group("{", pairs, "}")))
        if self._functions:
            items.append(("functions", self._functions))
        items.append(("file", "__file__"))
        return inner.construct("saga", items)


def _said(plans: Sequence[Plan], name: str) -> str:
    """Gives what a module says of itself: what its only saga says, or where its sagas are from."""
    doc = plans[0].doc if len(plans) == 1 else ""
    return doc or f"The sagas of {name}."


def _example(plan: Plan) -> str:
    """Gives the shape of an input: what needs no default, values as dots."""
    needed = [p.name for p in plan.parameters if p.default is None]
    return "{" + ", ".join(f'"{name}": ...' for name in needed) + "}"
