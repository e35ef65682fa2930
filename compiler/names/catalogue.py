"""Every declaration of all modules, what each module calls it, and what written types mean.

Declarations of different files may have one name; in plans each has its own (`plan_name`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from msgspec import Struct

from ...dsl.loader import Loaded
from ...dsl.nodes import (
    Agent,
    Enum,
    Import,
    ListType,
    MapType,
    Name,
    NamedType,
    OptionalType,
    Record,
    Saga,
    SecretType,
    Tool,
    Type as TypeNode,
    of,
)
from ...dsl.parser import Parsed
from ...runtime.formula import Type
from ..typing.types import BUILT_IN, UNKNOWN, list_of, map_of

Declaration = Record | Enum | Tool | Agent | Saga
KINDS: Mapping[type[Declaration], str] = {
    Record: "record",
    Enum: "enum",
    Tool: "tool",
    Agent: "agent",
    Saga: "saga",
}


class Declared(Struct, frozen=True):
    """One declaration: its node, the module that it stands in, its name in plans."""

    node: Declaration
    module: str
    plan_name: str

    @property
    def noun(self) -> str:
        """What it is, in one word."""
        return KINDS[type(self.node)]

    @property
    def kind(self) -> str:
        """What it is, as a sentence says it: `a tool`, `an enum`."""
        return f"{'an' if self.noun[0] in 'ae' else 'a'} {self.noun}"


class Catalogue(Struct, frozen=True):
    """All that is declared: `names` maps each module's words to it, `order` is as written."""

    order: tuple[Declared, ...]
    names: Mapping[str, Mapping[str, Declared]]
    plan_names: Mapping[str, Declared]

    def find(self, module: str, word: str) -> Declared | None:
        """Gives what a module calls by a word."""
        return self.names[module].get(word)

    def words(self, module: str, *nouns: str) -> set[str]:
        """Gives the words by which a module calls declarations of some kinds."""
        return {word for word, found in self.names[module].items() if found.noun in nouns}

    def word(self, module: str, given: Type) -> str | None:
        """Gives the word by which a module calls a record or enum type, if it knows it at all."""
        found = self.of_type(given)
        return next((word for word, d in self.names[module].items() if d is found), None)

    def of_type(self, given: Type) -> Declared | None:
        """Gives the declaration of a record or enum type."""
        return self.plan_names.get(given.name) if given.kind in ("record", "enum") else None

    def type(self, module: str, node: TypeNode) -> Type:
        """Gives what a written type means; a name that is not known is `UNKNOWN`."""
        match node:
            case ListType(item=item):
                return list_of(self.type(module, item))
            case MapType(item=item):
                return map_of(self.type(module, item))
            case OptionalType(inner=inner):
                return Type("optional", of=self.type(module, inner))
            case SecretType(inner=inner):
                return Type("secret", of=self.type(module, inner))
            case NamedType(name=name):
                return self._named(module, name.text)

    def _named(self, module: str, word: str) -> Type:
        for kind in BUILT_IN:
            if kind == word:
                return Type(kind)
        declared = self.find(module, word)
        match declared:
            case Declared(node=Record()):
                return Type("record", name=declared.plan_name)
            case Declared(node=Enum()):
                return Type("enum", name=declared.plan_name)
            case _:
                return UNKNOWN


def declarations(module: Parsed) -> Iterator[Declaration]:
    """Yields what a module itself declares, in the order written."""
    for node in module.module.declarations:
        if isinstance(node, Declaration):
            yield node


def catalogue(loaded: Loaded) -> Catalogue:
    """Builds the catalogue of all modules; of two declarations with one name the first counts."""
    order: list[Declared] = []
    own: dict[str, dict[str, Declared]] = {}
    plan_names: dict[str, Declared] = {}
    # The main file comes first, so that its declarations keep their names in plans.
    for module in (loaded.modules[loaded.root], *loaded.modules.values()):
        if module.source.name in own:
            continue
        mine = own.setdefault(module.source.name, {})
        for node in declarations(module):
            if node.name.text in mine:
                continue
            declared = Declared(node, module.source.name, _free(node.name.text, plan_names))
            plan_names[declared.plan_name] = declared
            mine[node.name.text] = declared
            order.append(declared)
    names = {name: dict(mine) for name, mine in own.items()}
    for name, module in loaded.modules.items():
        for imported in of(module.module.declarations, Import):
            target = loaded.targets.get((name, imported.path.value), "")
            for item in imported.items:
                found = own.get(target, {}).get(item.name.text)
                if found is not None:
                    names[name].setdefault(item.local.text, found)
    return Catalogue(tuple(order), names, plan_names)


def unreadable(module: Parsed) -> frozenset[str]:
    """Gives names that could not be read: using one of them is not a second mistake.

    These are names whose declarations have syntax errors, and all that is imported: whether it is
    there was told at the import.
    """
    imports = of(module.module.declarations, Import)
    imported = {item.local.text for each in imports for item in each.items}
    own = {node.name.text for node in declarations(module)}
    return _declared_in(module.source.text).difference(own) | imported


@cache
def _declared_in(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\b(?:record|enum|tool|agent|saga)\s+(\w+)", text))


def near(word: str, known: Iterable[str]) -> str | None:
    """Gives the known word that a mistyped one most likely means (difflib, ratio 0.6).

    `order` is not meant by `order_total`: that is another name, made of it.
    """
    # Loaded where something is mistyped.
    import difflib

    others = sorted(each for each in set(known) if not word.startswith(f"{each}_"))
    found = difflib.get_close_matches(word, others, n=1)
    return found[0] if found else None


def spelled(name: Name) -> str:
    """Gives a name as messages quote it; a very long one is cut."""
    return f"`{name.text if len(name.text) <= 60 else name.text[:57] + '...'}`"


def _free(word: str, taken: Mapping[str, Declared]) -> str:
    if word not in taken:
        return word
    number = 2
    while f"{word}_{number}" in taken:
        number += 1
    return f"{word}_{number}"
