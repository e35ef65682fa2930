"""The JSON target: a plan as its own published format, for programs and other engines."""

from __future__ import annotations

import msgspec

from ...runtime.plan import Plan


def emit_json(plan: Plan) -> str:
    """Gives the JSON of a plan, indented; `plan_schema` describes it."""
    return f"{msgspec.json.format(msgspec.json.encode(plan), indent=2).decode()}\n"


def plan_schema() -> str:
    """Gives the JSON schema (draft 2020-12) of plans."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A plan of sagalang",
        **msgspec.json.schema(Plan),
    }
    encoded = msgspec.json.encode(schema, order="sorted")
    return f"{msgspec.json.format(encoded, indent=2).decode()}\n"
