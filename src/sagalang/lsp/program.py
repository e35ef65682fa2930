"""A program as the answers need it: its modules with names and types, and its proofs when asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ..compiler.names.catalogue import Catalogue, Declared
from ..compiler.names.resolve import Resolved, resolve
from ..compiler.pipeline import Compilation
from ..compiler.proving.spots import Spot
from ..compiler.proving.view import View, view
from ..compiler.typing.annotations import Annotated, annotate
from ..compiler.typing.interfaces import Interfaces
from ..dsl.loader import Loaded, Reader, load
from ..dsl.parser import Parsed
from ..dsl.source import Source
from ..dsl.span import Span
from .index import Index


@dataclass(eq=False)
class Program:
    """One main file and what it imports; `compilation` is None where nothing had to be proved."""

    loaded: Loaded
    resolved: Resolved
    annotated: Annotated
    compilation: Compilation | None = None
    _views: dict[str, View] = field(default_factory=dict[str, View])
    _spots: dict[str, dict[Span, Spot]] = field(default_factory=dict[str, dict[Span, Spot]])

    @property
    def root(self) -> str:
        """The name of the main file."""
        return self.loaded.root

    @property
    def catalogue(self) -> Catalogue:
        """All that is declared."""
        return self.resolved.catalogue

    @property
    def modules(self) -> Mapping[str, Parsed]:
        """The files by name."""
        return self.loaded.modules

    @cached_property
    def interfaces(self) -> Interfaces:
        """What declarations take and give, with the scopes of sagas as records."""
        made = Interfaces(self.resolved, self.annotated.places)
        made.scopes.update({name: dict(of) for name, of in self.annotated.scopes.items()})
        return made

    def declares(self, declared: Declared | None) -> bool:
        """Tells whether a declaration is one of this program, not of an earlier one."""
        return id(declared) in self._declared

    @cached_property
    def _declared(self) -> frozenset[int]:
        return frozenset(map(id, self.catalogue.order))

    @cached_property
    def index(self) -> Index:
        """Where each name is declared and used."""
        from .binding import bind

        return bind(self)

    def view(self, plan_name: str) -> View | None:
        """Gives what proofs look at, of a saga that has a plan."""
        if self.compilation is None or plan_name not in self.compilation.plans:
            return None
        if plan_name not in self._views:
            files = self.annotated.places.files
            texts = {files[name]: parsed for name, parsed in self.modules.items()}
            self._views[plan_name] = view(self.compilation.plans[plan_name], texts)
        return self._views[plan_name]

    def spot(self, plan_name: str, view: View, at: Span) -> Spot | None:
        """Gives the statement of a saga that proofs speak of, by the place of its name."""
        if plan_name not in self._spots:
            spots = reversed(view.order.spots)
            self._spots[plan_name] = {view.span(each.node.at): each for each in spots}
        return self._spots[plan_name].get(at)


def compiled(compilation: Compilation) -> Program:
    """Makes a program of a compilation."""
    return Program(compilation.loaded, compilation.resolved, compilation.annotated, compilation)


def read(source: Source, reader: Reader, identity: str | None) -> Program:
    """Makes a program without lowering and proving it: enough to find names in it."""
    resolved = resolve(load(source, reader, identity))
    return Program(resolved.loaded, resolved, annotate(resolved))
