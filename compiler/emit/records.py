"""Records and enums as Python classes: frozen dataclasses and `StrEnum`s, typed and documented."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ...runtime.formula import ListOf, Literal, MapOf, Node, RecordOf, Type, Unary
from ...runtime.plan import Enum, Parameter, Record
from .code import comment, docstring, number, quote
from .imports import Imports
from .naming import Namespace, identifier

SIMPLE = {
    "str": "str",
    "int": "int",
    "float": "float",
    "decimal": "Decimal",
    "bool": "bool",
    "bytes": "bytes",
    "date": "dt.date",
    "datetime": "dt.datetime",
    "duration": "dt.timedelta",
    "json": "Any",
    "none": "None",
}
TEXT_METHODS = frozenset([
    "capitalize", "casefold", "center", "count", "encode", "endswith", "expandtabs", "find",
    "format", "format_map", "index", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit",
    "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper",
    "join", "ljust", "lower", "lstrip", "maketrans", "mro", "name", "partition",
    "removeprefix", "removesuffix", "replace", "rfind", "rindex", "rjust", "rpartition",
    "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title",
    "translate", "upper", "value", "zfill",
])  # fmt: skip
"""What a member of a `StrEnum` cannot be called."""
WORD = re.compile(r"\w+")


class Classes:
    """The classes of a module: their names, their attributes, their text."""

    def __init__(
        self,
        declared: Iterable[tuple[Enum | Record, str]],
        imports: Imports,
    ) -> None:
        self._imports = imports
        self._word = imports.word
        parts = tuple(declared)
        self._spelled = {part.name: name for part, name in parts}
        self._enums = {e.name: (e, name, _members(e)) for e, name in parts if isinstance(e, Enum)}
        self._records = {
            r.name: (r, name, self._attributes(r)) for r, name in parts if isinstance(r, Record)
        }

    def write(self) -> Iterator[str]:
        """Gives the text of each class: enums first, because defaults name their members."""
        for enum, name, members in self._enums.values():
            lines = [f"    {members[member]} = {quote(member)}\n" for member in enum.members]
            yield _body(f"{name}({self._word('StrEnum')})", enum.doc, lines)
        for record, name, attributes in self._records.values():
            lines = [self._field(field, attributes[field.name]) for field in record.fields]
            decorator = f"@{self._word('dataclass')}(frozen=True, kw_only=True)\n"
            yield decorator + _body(name, record.doc, lines)

    def annotation(self, kind: Type) -> str:
        """Gives the annotation of a type."""
        match kind:
            case Type(kind="optional", of=Type() as of):
                return f"{self.annotation(of)} | None"
            case Type(kind="list", of=of):
                return f"list[{self.annotation(of) if of else self._word('Any')}]"
            case Type(kind="map", of=of):
                return f"dict[str, {self.annotation(of) if of else self._word('Any')}]"
            case Type(kind="secret", of=Type() as of):
                return self.annotation(of)
            case Type(kind="record" | "enum", name=name) if name in self._spelled:
                return self._spelled[name]
            case Type(kind=simple) if simple in SIMPLE:
                head, dot, rest = SIMPLE[simple].partition(".")
                imported = self._word(head) if head in ("dt", "Decimal", "Any") else head
                return f"{imported}{dot}{rest}"
            case _:
                return self._word("Any")

    def _attributes(self, record: Record) -> dict[str, str]:
        # A field may not hide what the annotations and defaults of its own class name.
        said = " ".join(self.annotation(field.type) for field in record.fields)
        used = map(self._imports.spelling, ("Decimal", "dt", "field"))
        scope = Namespace({*used, *self._spelled.values(), *WORD.findall(said)})
        return {field.name: scope.give(field.name) for field in record.fields}

    def _field(self, field: Parameter, name: str) -> str:
        line = f"    {name}: {self.annotation(field.type)}"
        note = ""
        given = [] if name == field.name else [f'metadata={{"saga": {quote(field.name)}}}']
        if field.default is not None:
            tree = field.default.tree
            value = self._constant(tree, field.type)
            if value is None:
                note = f"  # where it is left out of a map: {comment(field.default.source)}"
            elif isinstance(tree, ListOf | MapOf | RecordOf):
                given.insert(0, f"default_factory=lambda: {value}")
            else:
                given.insert(0, f"default={value}")
        if len(given) == 1 and given[0].startswith("default="):
            line += f" = {given[0].removeprefix('default=')}"
        elif given:
            line += f" = {self._word('field')}({', '.join(given)})"
        doc = f"    {docstring(field.doc, 4)}\n" if field.doc else ""
        return f"{line}{note}\n{doc}"

    def _constant(self, tree: Node, kind: Type) -> str | None:
        """Gives a constant tree as Python, or None where the value must be computed."""
        if kind.kind == "optional" and kind.of is not None and tree != Literal(None):
            return self._constant(tree, kind.of)
        match tree:
            case Literal(value=value):
                return self._literal(value, kind)
            case Unary(operator="-", of=Literal(value=int() | float() | dict()) as inner):
                positive = self._constant(inner, kind)
                return None if positive is None else f"-{positive}"
            case ListOf(items=items):
                return _joined("[", [self._constant(item, kind.of or kind) for item in items], "]")
            case MapOf(pairs=pairs):
                values = [(quote(k) + ": ", self._constant(v, kind.of or kind)) for k, v in pairs]
                return _joined("{", [None if v is None else k + v for k, v in values], "}")
            case RecordOf(record=name, fields=fields) if name in self._records:
                record, spelled, attributes = self._records[name]
                types = {field.name: field.type for field in record.fields}
                if not types.keys() >= {field for field, _ in fields}:
                    return None
                given = [(attributes[k] + "=", self._constant(v, types[k])) for k, v in fields]
                return _joined(f"{spelled}(", [None if v is None else k + v for k, v in given], ")")
            case _:
                return None

    def _literal(self, value: Any, kind: Type) -> str | None:
        match value:
            case None | bool() | float():
                return repr(value)
            case int():
                exact = kind.kind == "decimal"
                return f'{self._word("Decimal")}("{value}")' if exact else number(value)
            case str() if kind.kind == "enum" and kind.name in self._enums:
                _, name, members = self._enums[kind.name]
                return f"{name}.{members[value]}" if value in members else None
            case str():
                return quote(value)
            case {"$decimal": str(digits)}:
                return f"{self._word('Decimal')}({quote(digits)})"
            case {"$duration": int(length)}:
                return f"{self._word('dt')}.timedelta(microseconds={number(length)})"
            case _:
                return None


def _joined(opening: str, parts: list[str | None], closing: str) -> str | None:
    known = [part for part in parts if part is not None]
    return f"{opening}{', '.join(known)}{closing}" if len(known) == len(parts) else None


def _members(enum: Enum) -> dict[str, str]:
    scope = Namespace(TEXT_METHODS)
    names = ((member, identifier(member)) for member in enum.members)
    # What begins with an underscore is Enum's own.
    return {m: scope.give(f"x{name}" if name.startswith("_") else name) for m, name in names}


def _body(head: str, doc: str, lines: list[str]) -> str:
    said = f"    {docstring(doc, 4)}\n" if doc else ""
    inner = "\n".join(part for part in (said, "".join(lines)) if part)
    return f"class {head}:\n{inner or '    pass' + chr(10)}"
