"""The tables of a plan: its tools and records by name, the types of its saga's names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...runtime.formula import Formula, Type
from ...runtime.plan import Effect, Gate, Let, Parameter, Plan, Record, Step, Tool, statements
from .partial import reasons

DECISION = Record(
    name="a gate's decision",
    fields=(
        Parameter(name="approved", type=Type("bool")),
        Parameter(name="by", type=Type("list", Type("str"))),
        Parameter(name="note", type=Type("str")),
    ),
)
"""The value of a gate; no record of a program has such a name."""


@dataclass(frozen=True, eq=False)
class Tables:
    """What names of one plan mean."""

    tools: Mapping[str, Tool]
    records: Mapping[str, Record]
    types: Mapping[str, Type]

    def partial(self, formula: Formula, types: Mapping[str, Type] | None = None) -> str | None:
        """Gives why an expression may have no value, None for a total one.

        Without `types` its names are the saga's.
        """
        names = self.types if types is None else types
        return next(reasons(formula.tree, names, self.records), None)


def tables(plan: Plan) -> Tables:
    """Makes the tables of a plan."""
    types = {parameter.name: parameter.type for parameter in plan.parameters}
    for node in statements(plan.body):
        match node:
            case Step(name=name, type=given):
                types[name] = given
            case Let(name=name, value=value):
                types[name] = value.type
            case Gate(name=name):
                types[name] = Type("record", name=DECISION.name)
            case _:
                pass
    return Tables(
        {tool.name: tool for tool in plan.tools},
        {record.name: record for record in (*plan.records, DECISION)},
        types,
    )


def undoable(effect: Effect) -> bool:
    """True for an effect that an undo is there for."""
    return effect.effect_class in ("reversible", "compensatable")
