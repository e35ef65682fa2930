"""Cases 32 and 34 in bodies: names of items, scopes, sagas and agents, and texts as item keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from sagalang.compiler.emit import emit_json, emit_mermaid, emit_svg
from sagalang.runtime import Log

from ..compiler.modules import loaded, made, rebuilt, sagas, shape
from ..compiler.programs import compiled
from .test_cases_32_34_names_and_texts import NAMES, TEXTS

TOOLS = """edition 2026
tool put(text: str) -> str {
  call python "put" (text)
  effect thing(text) reversible
  idempotent naturally
  fails with Refused
  undo drop(text)
}
tool drop(text: str) -> json {
  call python "drop"
  effect thing restoring
  idempotent naturally
  retry 3 times every 10ms..20ms
}
"""
PLACES = (
    "each NAME = item in texts by item { step x = put(item) return x }",
    "each all_of = NAME in texts by NAME { step x = put(NAME) return x }",
    "each all_of = item in texts { step NAME = put(item) return NAME }",
    "first NAME = item in texts { step x = put(item) return x }",
    "repeat NAME = at from 1 at most 2 times { step x = put(text) return x next none }",
    "repeat all_of = NAME from 1 at most 2 times { step x = put(text) return x next none }",
    "scope NAME { step x = put(text) } else { step x = put(text) }",
    "scope part { step NAME = put(text) } else { step NAME = put(text) }",
    "step NAME = called(text)",
    "step NAME = buyer(text)",
    "wait NAME: str",
    "let all_of = [NAME for NAME in texts]",
    'gate NAME needs "ops" shows text',
)


def program(name: str) -> str:
    """A saga for each place where a name may stand, and one, and an agent, that are called it."""
    parts = [
        f"saga in_{number}(text: str, texts: list[str]) {{\n{place}\n}}\n"
        for number, place in enumerate(PLACES)
    ]
    parts += [
        "saga called(text: str) -> str {\n",
        "scope NAME { step x = put(text) } else { }\nreturn text\n}\n",
        'agent buyer(text: str) -> json { call python "buyer" may use put at most 3 calls }\n',
        "saga NAME_(NAME: str) -> str {\nstep x = called(NAME)\nreturn x\n}\n",
        'agent a_NAME(NAME: str) -> json { call python "buyer" may use put at most 3 calls }\n',
        "saga with_agent(text: str) {\nstep x = a_NAME(text)\n}\n",
    ]
    return TOOLS + "".join(parts).replace("NAME", name)


@pytest.mark.parametrize("name", NAMES)
def test_an_accepted_name_may_stand_wherever_a_body_has_one(name: str) -> None:
    found = compiled(program(name))
    wrong = [one.message for one in found.diagnostics if one.severity == "error"]
    assert wrong == []
    plans = list(found.plans.values())
    assert len(plans) == len(PLACES) + 3
    assert rebuilt(plans) == plans
    assert shape(made(plans)) == shape(made(list(compiled(program("plain")).plans.values())))
    for plan in plans:
        ElementTree.fromstring(emit_svg(plan))
        assert emit_mermaid(plan).startswith("%% Made by sagalang\n")
        assert json.loads(emit_json(plan))["saga"] == plan.saga


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    with Log(tmp_path / "t.duckdb") as opened:
        yield opened


KEYS = """
saga keys(texts: list[str], bad: bool) -> list[str] {
  each held = text in texts by text at most 3 at once {
    scope inside { step x = put(text) } else { }
    step y = put("{text}!")
    return y
  }
  requires not bad else "bad"
  return held
}
"""


@pytest.mark.parametrize("bad", [False, True])
def test_any_text_may_be_the_key_of_an_item(log: Log, bad: bool) -> None:
    """In paths, keys, pictures and the way back it is that text and nothing else."""
    module = loaded(made(list(compiled(TOOLS + KEYS).plans.values())))
    acts: list[tuple[str, str]] = []

    def put(text: str) -> str:
        acts.append(("put", text))
        return text

    def drop(text: str) -> None:
        acts.append(("drop", text))

    module.functions.update(put=put, drop=drop)
    run = sagas(module)["keys"].start(log, texts=TEXTS, bad=bad).wait(60)
    puts = [text for act, text in acts if act == "put"]
    assert sorted(puts) == sorted([*TEXTS, *(f"{text}!" for text in TEXTS)])
    paths = {step["path"]: step for step in run.to_json()["steps"]}
    assert set(paths) == {
        f"held[{json.dumps(text, ensure_ascii=False)}].{inner}"
        for text in TEXTS
        for inner in ("inside.x", "y")
    }
    if bad:
        assert run.status == "rolled_back"
        assert sorted(text for act, text in acts if act == "drop") == sorted(puts)
    else:
        assert run.result() == [f"{text}!" for text in TEXTS]
        assert [act for act, _ in acts if act == "drop"] == []
    statuses = {path: step["status"] for path, step in paths.items()}
    picture = ElementTree.fromstring(emit_svg(run.state.index.plan, statuses))
    held = {
        group.attrib.get("data-path") for group in picture.iter() if "data-path" in group.attrib
    }
    assert {"held[*].inside.x", "held[*].y"} <= held
    assert not Path("CANARY").exists()
