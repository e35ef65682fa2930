"""Every name of a program bound to what it means: the index that editors ask."""

from __future__ import annotations

from ..dsl.nodes import Agent, Enum, Import, Record, Saga, Scenario, Tool, of
from .index import Index
from .program import Program
from .sagas import Sagas


def bind(program: Program) -> Index:
    """Builds the index of a program; what is not known there has no occurrence."""
    index = Index()
    binders = {name: Sagas(program, name, index) for name in program.modules}
    for name, binder in binders.items():
        for imported in of(program.modules[name].module.declarations, Import):
            binder.imports(imported)
    # Scenarios name statements of sagas that other modules may declare.
    for name, binder in binders.items():
        for node in program.modules[name].module.declarations:
            if isinstance(node, Record | Enum | Tool | Agent | Saga):
                binder.declaration(node)
            if isinstance(node, Saga):
                binder.saga(node)
    frames = {key: frame for binder in binders.values() for key, frame in binder.frames.items()}
    for name, binder in binders.items():
        for scenario in of(program.modules[name].module.declarations, Scenario):
            binder.scenario(scenario, frames)
    index.sort()
    return index
