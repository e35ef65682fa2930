"""Follows imports: `load(source, read)` gives every module once, in the order of dependence.

Reading is the caller's: `read(importing name, path as written)` returns `Found(identity, data)` or
`Unreadable(reason)`. The identity decides what is the same file (after links, `./` and the like);
names in messages are made from the names as written, so they are the same in any folder.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping

import msgspec
from msgspec import Struct

from . import nodes as n
from .diagnostics import Diagnostic, in_order, problem
from .parser import Parsed, parse
from .source import Source, from_bytes

SHOWN_CHAIN = 5


class Found(Struct, frozen=True):
    """What a reader found: the identity of the file, the same for every way to it, and its data."""

    identity: str
    data: bytes


class Unreadable(Struct, frozen=True):
    """Why a reader found nothing, as the end of a sentence: `there is no such file`.

    `advice` is a sentence of its own: what to do.
    """

    reason: str
    advice: str = "Check the path."


Reader = Callable[[str, str], Found | Unreadable]


class Loaded(Struct, frozen=True):
    """All modules that a source needs, itself the last, by name; imported ones come first.

    `targets` gives the name of the module that an import of a module means:
    `loaded.modules[loaded.targets["shop.saga", "tools.saga"]]`; it has no entry where the import
    could not be read.
    """

    root: str
    modules: Mapping[str, Parsed]
    targets: Mapping[tuple[str, str], str]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def sources(self) -> dict[str, Source]:
        """The sources by name, as the renderers need them."""
        return {name: parsed.source for name, parsed in self.modules.items()}


def load(source: Source, read: Reader, identity: str | None = None) -> Loaded:
    """Parse a source and all that it imports; `identity` is that of the source's own file."""
    return _Loading(read).run(source, source.name if identity is None else identity)


class _Visit(Struct):
    """A module whose imports are being followed; `via` is the import that led here."""

    parsed: Parsed
    identity: str
    via: n.Import | None
    waiting: list[n.Import]


class _Loading(Struct):
    """The state of one load."""

    read: Reader
    names: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    modules: dict[str, Parsed] = msgspec.field(default_factory=dict[str, Parsed])
    targets: dict[tuple[str, str], str] = msgspec.field(default_factory=dict[tuple[str, str], str])
    diagnostics: list[Diagnostic] = msgspec.field(default_factory=list[Diagnostic])
    open: list[_Visit] = msgspec.field(default_factory=list[_Visit])

    def run(self, source: Source, identity: str) -> Loaded:
        self.enter(source, identity, None)
        while self.open:
            visit = self.open[-1]
            if visit.waiting:
                self.follow(visit, visit.waiting.pop(0))
            else:
                self.open.pop()
                self.modules[visit.parsed.source.name] = visit.parsed
        return Loaded(source.name, self.modules, self.targets, in_order(self.diagnostics))

    def enter(self, source: Source, identity: str, via: n.Import | None) -> None:
        parsed = parse(source)
        self.names[identity] = source.name
        self.diagnostics += parsed.diagnostics
        imports = list(n.of(parsed.module.declarations, n.Import))
        self.open.append(_Visit(parsed, identity, via, imports))

    def follow(self, visit: _Visit, node: n.Import) -> None:
        importing, path = visit.parsed.source.name, node.path.value
        found = self.find(importing, path)
        if isinstance(found, Unreadable):
            self.diagnostics.append(self.unreadable(node, found.reason))
            return
        known = self.names.get(found.identity)
        if known is not None:
            self.targets[importing, path] = known
            if any(each.identity == found.identity for each in self.open):
                self.diagnostics.append(self.cycle(found.identity, node))
            return
        name = self.name(importing, path)
        source = from_bytes(name, found.data)
        if isinstance(source, Diagnostic):
            self.diagnostics.append(self.unreadable(node, source.message))
            return
        self.targets[importing, path] = name
        self.enter(source, found.identity, node)

    def name(self, importing: str, path: str) -> str:
        joined = posixpath.join(posixpath.dirname(importing), path)
        short = posixpath.normpath(joined)
        # Behind a linked folder `..` may lead elsewhere: then two files would have the short name.
        return joined if short in self.names.values() else short

    def find(self, importing: str, path: str) -> Found | Unreadable:
        if not path.strip():
            return Unreadable("the path is empty")
        if any(ord(character) < 32 for character in path):
            return Unreadable("a path has no control characters")
        return self.read(importing, path)

    def unreadable(self, node: n.Import, reason: str) -> Diagnostic:
        chain = [visit.via for visit in reversed(self.open) if visit.via is not None]
        return problem(
            "N203",
            f'"{node.path.value}" cannot be imported: {reason.rstrip(".")}.',
            node.path.span,
            "not readable",
            also=[(via.path.span, "imported here") for via in chain[:SHOWN_CHAIN]],
            helps=["The path is relative to the folder of the file that imports it."],
        )

    def cycle(self, identity: str, closing: n.Import) -> Diagnostic:
        first = next(i for i, each in enumerate(self.open) if each.identity == identity)
        members = self.open[first:]
        imports = [visit.via for visit in members[1:]] + [closing]
        names = [visit.parsed.source.name for visit in members]
        ring = [*names, names[0]]
        labels = [
            (via.path.span, f"{ring[i]} imports {ring[i + 1]}")
            for i, via in enumerate(imports)
            if via is not None
        ]
        span, says = labels[-1]
        if len(names) == 1:
            message = f"{names[0]} imports itself."
        else:
            message = f"These files import each other in a ring: {' → '.join(ring)}."
        return problem(
            "N204",
            message,
            span,
            says,
            also=labels[:-1],
            helps=["Put what they share into a file of its own, which imports none of them."],
        )
