"""What is not read again for a completion changes nothing about what is offered."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from sagalang.lsp.analysis import Analysis, analysed
from sagalang.lsp.completion import completion
from sagalang.lsp.place import place
from sagalang.lsp.unchanged import unchanged
from sagalang.lsp.workspace import Workspace

CORPUS = Path(__file__).parents[1] / "corpus/ok"
PROGRAMS = sorted(path for path in CORPUS.glob("*.saga") if path.stat().st_size < 6000)
WRITTEN = ("", "\n  step more = ", "\n  let more = ", ".", " when ", "(", "\n}\n")


def offered(analysis: Analysis, offset: int) -> set[tuple[str, str, str]]:
    found = completion(analysis, offset)
    return {(item.label, item.kind, item.detail) for item in found}


@pytest.mark.parametrize("path", PROGRAMS[:12], ids=lambda path: path.stem)
def test_completions_are_those_of_a_text_that_is_read_as_a_whole(path: Path) -> None:
    workspace = Workspace(CORPUS)
    raw = path.read_text("utf-8")
    document = workspace.put(str(path), raw)
    known = analysed(document.text, workspace.compile(document.text), None)
    ends = [at for at, character in enumerate(raw) if character == "\n"]
    for turn, at in enumerate(ends[:: max(1, len(ends) // 9)]):
        written = WRITTEN[turn % len(WRITTEN)]
        text = workspace.put(str(path), raw[:at] + written + raw[at:]).text
        now = Analysis(text, known.program, known.good)
        offset = at + len(written)
        short = unchanged(text, now.good, offset)
        assert len(short.source.text) == len(text.source.text)
        read, whole = place(short.source, offset, short.statements), place(text.source, offset)
        assert (read.where, read.word) == (whole.where, whole.word)
        fits = [p.stopped.fitting() if p.stopped is not None else None for p in (read, whole)]
        assert fits[0] == fits[1], (at, written)
        assert {n for n, _, _ in offered(now, offset)} >= {
            n for n, _, _ in offered(dataclasses.replace(now, good=None), offset)
        }, (at, written)


def test_of_a_long_saga_only_the_statement_before_is_read() -> None:
    steps = "".join(f'  let s{i} = "{i}"\n' for i in range(300))
    raw = f"edition 2026\nsaga long(id: str) {{\n{steps}}}\n"
    workspace = Workspace()
    document = workspace.put("long.saga", raw)
    known = analysed(document.text, workspace.compile(document.text), None)
    at = raw.rindex("}")
    text = workspace.put("long.saga", raw[:at] + "  let last = " + raw[at:]).text
    short = unchanged(text, known.good, at + 13)
    assert short.source.text.split() == [
        "edition", "2026", "saga", "long(id:", "str)", "{", "let", "s299", "=", '"299"',
        "let", "last", "=", "}",
    ]  # fmt: skip
    offers = completion(Analysis(text, known.program, known.good), at + 13)
    names = [item.label for item in offers if item.kind == "value"]
    assert names == [f"s{i}" for i in range(300)]
