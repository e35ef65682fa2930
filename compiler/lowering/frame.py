"""What lowering needs to know where a statement stands: its module, its outline, its path."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict, TypeVar

from msgspec import Struct

from ...dsl import nodes as n
from ...dsl.nodes import of
from ...runtime.formula import Formula, Place
from ..names.order import Needs, waits
from ..names.outline import Outline, Site
from ..names.placement import headline
from .lowertools import Lowering, documentation
from .toolbox import Toolbox

Kind = TypeVar("Kind", bound=n.Node)


class Common(TypedDict):
    """What every statement of a plan has, but for its `after`."""

    path: str
    waits: tuple[str, ...]
    at: Place
    doc: str


class Frame(Struct, frozen=True):
    """One saga in its place: called by another, its paths begin with the path of the call."""

    lowering: Lowering
    tools: Toolbox
    outline: Outline
    needs: Needs
    prefix: str

    def path(self, site: Site) -> str:
        """Gives the path of a statement from the body of the saga that is lowered."""
        return self.prefix + site.path

    def common(self, site: Site) -> Common:
        """Gives what every statement has."""
        place = self.lowering.annotated.places.place
        return Common(
            path=self.path(site),
            waits=tuple(self.prefix + path for path in waits(site, self.needs)),
            at=place(headline(site.statement)),
            doc=documentation(site.statement),
        )

    def formula(self, expr: n.Expr) -> Formula:
        """Gives what typing made of an expression."""
        return self.lowering.formula(expr)

    def when(self, clauses: Iterable[n.Node]) -> Formula | None:
        """Gives the condition under which a statement runs."""
        when = one(clauses, n.When)
        return None if when is None else self.formula(when.condition)


def one(clauses: Iterable[n.Node], kind: type[Kind]) -> Kind | None:
    """Gives the clause of a kind that stands once, if there is one."""
    return next((clause for clause in clauses if isinstance(clause, kind)), None)


def after(clauses: Iterable[n.Node]) -> tuple[str, ...]:
    """Gives the names of `after` as written."""
    return tuple(name.text for clause in of(tuple(clauses), n.After) for name in clause.names)
