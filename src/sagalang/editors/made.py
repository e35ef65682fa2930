"""The files for editors that are made from the grammar, and the part of one that is."""

from __future__ import annotations

import json
import re

from . import patterns as p
from .textmate import textmate
from .words import words

TEXTMATE = "vscode/saga.tmLanguage.json"
JUPYTERLAB = "jupyterlab/static/remoteEntry.js"

_MADE = re.compile(r"(?<=  const GRAMMAR = ).*(?=;\n)")


def made(jupyterlab: str) -> dict[str, str]:
    """Gives the made files by their place in `grammar/editors`.

    `jupyterlab` is the text of the extension, in which one line is made.
    """
    laid_out = json.dumps(textmate(), indent=2, ensure_ascii=False)
    return {TEXTMATE: f"{laid_out}\n", JUPYTERLAB: _MADE.sub(lambda _: _grammar(), jupyterlab)}


def _grammar() -> str:
    w = words()
    lists = {
        name: sorted(getattr(w, name))
        for name in (
            "contextual", "operators", "constants", "classes", "naming", "types", "functions",
            "values",
        )
    }  # fmt: skip
    expressions = {
        "NAME": p.NAME,
        "NUMBER": p.NUMBER,
        "ESCAPE": p.ESCAPE,
        "OPERATOR": p.OPERATOR,
        "PUNCTUATION": p.PUNCTUATION,
        "WORD": p.NAMED_BY_WHAT_FOLLOWS,
    }
    return json.dumps({"words": lists, "expressions": expressions})
