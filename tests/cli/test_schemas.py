"""The published schemas are those of the documents that the commands print."""

from __future__ import annotations

from pathlib import Path

import pytest

from sagalang.cli.shapes import DOCUMENTS, schema

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_schema_is_up_to_date(name: str, request: pytest.FixtureRequest) -> None:
    path = SCHEMAS / f"{name}.json"
    if request.config.getoption("--update-golden"):
        path.write_bytes(schema(name))
    assert path.read_bytes() == schema(name)
