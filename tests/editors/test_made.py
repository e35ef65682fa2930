"""What editors colour by is made from the grammar, and the committed files are what it makes."""

from __future__ import annotations

import json
import re
import tomllib
from importlib import metadata

import pytest

from sagalang.compiler.typing.types import BUILT_IN
from sagalang.dsl.names import key_words, reserved_words
from sagalang.editors.made import JUPYTERLAB, made
from sagalang.editors.words import words

from .examples import ROOT

EDITORS = ROOT / "grammar/editors"


def test_every_word_of_the_grammar_is_in_exactly_one_group() -> None:
    w = words()
    groups = (w.declarations, w.statements, w.clauses, w.classes, w.operators, w.constants)
    every = [word for group in (*groups, w.others, w.values) for word in group]
    assert len(every) == len(set(every))
    # `it` and `args` mean something without the grammar knowing them; these types it does know.
    assert {*every, *w.types} == {*key_words(), *BUILT_IN, "it", "args"}
    assert w.reserved == reserved_words()


def test_the_groups_say_what_words_do() -> None:
    w = words()
    assert {"tool", "saga", "scenario"} <= w.declarations
    assert {"step", "gate", "each", "given", "expect"} <= w.statements
    assert {"effect", "undo", "verify", "until", "after", "applied"} <= w.clauses
    assert w.classes == {"reversible", "compensatable", "irreversible", "restoring"}
    assert {"step", "tool", "wait", "effect"} <= w.naming
    assert not {"retry", "timeout", "return"} & w.naming


@pytest.mark.parametrize("name", made(""))
def test_the_committed_files_are_what_would_be_made_now(name: str) -> None:
    """`python -m sagalang.editors` makes them."""
    now = made((EDITORS / JUPYTERLAB).read_text("utf-8"))
    assert (EDITORS / name).read_text("utf-8") == now[name]


@pytest.mark.parametrize("name", ["vscode/package.json", "jupyterlab/package.json"])
def test_extensions_have_the_version_of_the_project(name: str) -> None:
    said = json.loads((EDITORS / name).read_text("utf-8"))
    assert said["version"] == metadata.version("sagalang")


def test_the_settings_in_the_page_are_well_formed() -> None:
    text = (ROOT / "docs/editors.md").read_text("utf-8")
    blocks = dict(re.findall(r"```(json|toml)\n(.*?)```", text, re.DOTALL))
    settings = json.loads(blocks["json"])
    assert settings["glspc.server.commandArguments"] == ["lsp"]
    server = tomllib.loads(blocks["toml"])["language-server"]["saga"]
    assert [server["command"], *server["args"]] == ["saga", "lsp"]


def test_the_vscode_extension_names_files_that_are_there() -> None:
    folder = EDITORS / "vscode"
    contributes = json.loads((folder / "package.json").read_text("utf-8"))["contributes"]
    [language], [grammar] = contributes["languages"], contributes["grammars"]
    assert language["extensions"] == [".saga"]
    settings = json.loads((folder / language["configuration"]).read_text("utf-8"))
    assert settings["comments"] == {"lineComment": "#"}
    assert (
        json.loads((folder / grammar["path"]).read_text("utf-8"))["scopeName"]
        == (grammar["scopeName"])
    )
