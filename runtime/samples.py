"""Sample values of a type: stand-ins where a plan is looked at and no real value exists."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from .formula import Type
from .plan import Parameter, Tool
from .shapes import Schema
from .values import Record, Secret, decode


def sample(type_: Type, schema: Schema, name: str = "") -> Any:
    """Gives a plain value of a type, always the same; declared defaults are taken."""
    match type_.kind:
        case "str" | "json":
            return f"<{name}>" if name else "<text>"
        case "int":
            return 1
        case "float":
            return 1.0
        case "decimal":
            return Decimal("1.00")
        case "bool":
            return True
        case "bytes":
            return b""
        case "date":
            return date(2026, 1, 1)
        case "datetime":
            return datetime(2026, 1, 1, tzinfo=UTC)
        case "duration":
            return timedelta(seconds=1)
        case "list":
            return [sample(_inner(type_), schema, name)]
        case "map":
            return {"key": sample(_inner(type_), schema, name)}
        case "optional":
            return sample(_inner(type_), schema, name)
        case "secret":
            return Secret("env:SAMPLE")
        case "enum":
            return schema.enums[type_.name][0]
        case "record":
            return Record(
                type_.name,
                {
                    field: decode(shape.default)
                    if shape.optional
                    else sample(shape.type, schema, field)
                    for field, shape in schema.records[type_.name].items()
                },
            )
        case "none":
            return None


def sample_answer(tool: Tool, args: dict[str, Any], schema: Schema) -> Any:
    """Gives what a tool might return: fields named like an argument of the same type copy it."""
    value = sample(tool.result, schema)
    if isinstance(value, Record):
        given = {p.name: p for p in tool.parameters if p.name in args}
        shapes = schema.records[value.name]
        return Record(
            value.name,
            {
                field: args[field]
                if field in given and given[field].type == shapes[field].type
                else inner
                for field, inner in value.fields.items()
            },
        )
    return value


def sample_inputs(parameters: tuple[Parameter, ...], schema: Schema) -> dict[str, Any]:
    """Gives a sample of every input of a saga by name."""
    return {p.name: sample(p.type, schema, p.name) for p in parameters}


def _inner(type_: Type) -> Type:
    assert type_.of is not None
    return type_.of
