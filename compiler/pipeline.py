"""Every pass of the compiler, in order: parse, load, resolve, type, lower, check.

What is written with the plans (`emit`) is for the faces to ask. No pass raises for a user's
mistake: what is wrong is in `Compilation.diagnostics`; a saga is in `plans` when it has no error of
names or types, and then in `proofs`; so are scenarios in `scenarios`.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from ..dsl.diagnostics import Diagnostic, has_errors, in_order
from ..dsl.loader import Loaded, Reader, load
from ..dsl.source import Source
from ..runtime.plan import Plan
from ..runtime.scenario import Scenario
from .checks import check
from .lowering.clean import clean
from .lowering.idle import alone
from .lowering.lower import lower
from .names.resolve import Resolved, resolve
from .proving.proofs import Proofs, prove
from .proving.view import view
from .typing.annotations import Annotated, annotate


class Compilation(Struct, frozen=True):
    """All that is known of a main file and what it imports, after every pass.

    `idle` holds the tools that no saga reaches, as a plan without statements.
    """

    loaded: Loaded
    resolved: Resolved
    annotated: Annotated
    plans: Mapping[str, Plan]
    proofs: Mapping[str, Proofs]
    scenarios: tuple[Scenario, ...]
    diagnostics: tuple[Diagnostic, ...]
    idle: Plan | None

    @property
    def sources(self) -> Mapping[str, Source]:
        """The sources by name, for the renderers of diagnostics."""
        return self.loaded.sources

    @property
    def ok(self) -> bool:
        """Whether there is no error at all."""
        return not has_errors(self.diagnostics)


def compile(
    source: Source,
    read: Reader,
    *,
    identity: str | None = None,
    groups: frozenset[str] | None = None,
) -> Compilation:
    """Compiles a source and what it imports, which `read` gives.

    `identity` is that of the source's own file; `groups` are the groups of people that exist, None
    when nobody knows.
    """
    loaded = load(source, read, identity)
    resolved = resolve(loaded, groups)
    annotated = annotate(resolved)
    found = (*loaded.diagnostics, *resolved.diagnostics, *annotated.diagnostics)
    lowered = lower(annotated, clean(resolved, found), found)
    texts = {annotated.places.files[name]: parsed for name, parsed in loaded.modules.items()}
    views = {name: view(plan, texts) for name, plan in lowered.plans.items()}
    idle = [view(plan, texts) for plan in alone(lowered.idle)] if lowered.idle else []
    judged = check(*views.values(), *idle)
    proofs = {name: prove(seen) for name, seen in views.items()}
    diagnostics = in_order((*found, *judged))
    return Compilation(
        loaded,
        resolved,
        annotated,
        lowered.plans,
        proofs,
        lowered.scenarios,
        diagnostics,
        lowered.idle,
    )
