"""Imports: every file once, in the order of dependence, and rings told member by member."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

import pytest

from sagalang.dsl import nodes as n
from sagalang.dsl.diagnostics import Diagnostic
from sagalang.dsl.loader import Found, Loaded, Unreadable, load
from sagalang.dsl.source import Source


class Files:
    """A reader over texts in memory, with links from one name to another."""

    def __init__(
        self, files: Mapping[str, str | bytes], links: Mapping[str, str] | None = None
    ) -> None:
        self.files = {name: f if isinstance(f, bytes) else f.encode() for name, f in files.items()}
        self.links = links or {}
        self.asked: list[tuple[str, str]] = []

    def __call__(self, importing: str, path: str) -> Found | Unreadable:
        self.asked.append((importing, path))
        name = posixpath.normpath(posixpath.join(posixpath.dirname(importing), path))
        name = self.links.get(name, name)
        data = self.files.get(name)
        return Unreadable("there is no such file") if data is None else Found(name, data)

    def load(self, name: str) -> Loaded:
        return load(Source(name, self.files[name].decode()), self, name)


def imports(*paths: str) -> str:
    return "".join(f'import {{ a }} from "{path}"\n' for path in paths)


def shown(loaded: Loaded, diagnostic: Diagnostic) -> list[str]:
    """Each label of a diagnostic as `file:line message`, the primary one last."""
    labels = sorted(diagnostic.labels, key=lambda label: label.primary)
    return [
        f"{x.source}:{loaded.sources[x.source].position(x.start).line} {x.message}" for x in labels
    ]


def test_a_diamond_is_legal_and_its_foot_is_there_once() -> None:
    files = Files(
        {
            "a.saga": imports("b.saga", "sub/c.saga"),
            "b.saga": imports("d.saga"),
            "sub/c.saga": imports("../d.saga"),
            "d.saga": "enum a { x }",
        }
    )
    loaded = files.load("a.saga")
    assert loaded.diagnostics == ()
    assert list(loaded.modules) == ["d.saga", "b.saga", "sub/c.saga", "a.saga"]
    assert loaded.root == "a.saga"
    assert (
        loaded.targets["b.saga", "d.saga"] == loaded.targets["sub/c.saga", "../d.saga"] == "d.saga"
    )
    assert ("sub/c.saga", "../d.saga") in files.asked


def test_a_file_that_has_two_names_is_one_module() -> None:
    files = Files(
        {
            "a.saga": imports("./b.saga", "b.saga", "x/../b.saga", "link.saga"),
            "b.saga": "enum a { x }",
        },
        links={"link.saga": "b.saga"},
    )
    loaded = files.load("a.saga")
    assert loaded.diagnostics == ()
    assert list(loaded.modules) == ["b.saga", "a.saga"]
    assert set(loaded.targets.values()) == {"b.saga"}


def test_files_are_named_from_where_the_first_one_is() -> None:
    files = Files({"p/a.saga": imports("q/../../r/b.saga"), "r/b.saga": imports("missing.saga")})
    loaded = files.load("p/a.saga")
    assert list(loaded.modules) == ["r/b.saga", "p/a.saga"]
    [missing] = loaded.diagnostics
    assert missing.code == "N203"
    assert shown(loaded, missing) == ["p/a.saga:1 imported here", "r/b.saga:1 not readable"]


def test_a_ring_is_told_member_by_member_in_order_without_what_only_leads_to_it() -> None:
    files = Files(
        {
            "x.saga": "# leads to it\n" + imports("a.saga"),
            "a.saga": imports("b.saga"),
            "b.saga": "\n" + imports("c.saga"),
            "c.saga": "\n\n" + imports("a.saga"),
        }
    )
    loaded = files.load("x.saga")
    [ring] = loaded.diagnostics
    assert ring.code == "N204"
    assert "a.saga → b.saga → c.saga → a.saga" in ring.message
    assert "x.saga" not in ring.message
    assert shown(loaded, ring) == [
        "a.saga:1 a.saga imports b.saga",
        "b.saga:2 b.saga imports c.saga",
        "c.saga:3 c.saga imports a.saga",
    ]


def test_a_file_that_imports_itself_is_a_ring() -> None:
    loaded = Files({"a.saga": imports("./a.saga")}).load("a.saga")
    [ring] = loaded.diagnostics
    assert (ring.code, ring.message) == ("N204", "a.saga imports itself.")


def test_every_separate_ring_is_told() -> None:
    files = Files(
        {
            "a.saga": imports("b.saga", "c.saga"),
            "b.saga": imports("a.saga"),
            "c.saga": imports("d.saga", "c.saga"),
            "d.saga": imports("c.saga"),
        }
    )
    found = files.load("a.saga").diagnostics
    assert [diagnostic.code for diagnostic in found] == ["N204"] * 3


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("missing.saga", "there is no such file"),
        ("latin.saga", "0xE9 at offset 2"),
        ("binary.saga", "binary"),
        ("", "empty"),
        ("\\u{0}.saga", "control characters"),
    ],
)
def test_what_cannot_be_read_is_told_at_the_import(path: str, reason: str) -> None:
    files = Files(
        {"a.saga": imports(path), "latin.saga": b"# \xe9", "binary.saga": b"\0\1\xff\xfe"}
    )
    loaded = files.load("a.saga")
    [diagnostic] = loaded.diagnostics
    assert diagnostic.code == "N203"
    assert reason in diagnostic.message
    assert diagnostic.primary.source == "a.saga"
    assert loaded.targets == {}


def test_mistakes_in_an_imported_file_are_told_at_their_own_places() -> None:
    loaded = Files({"a.saga": imports("b.saga"), "b.saga": "\nenum a {"}).load("a.saga")
    assert [(d.code, d.primary.source) for d in loaded.diagnostics] == [("S106", "b.saga")]
    assert not loaded.modules["b.saga"].ok


def test_a_chain_of_five_hundred_files_is_followed() -> None:
    files = Files({f"{i}.saga": imports(f"{i + 1}.saga") for i in range(500)} | {"500.saga": ""})
    loaded = files.load("0.saga")
    assert loaded.diagnostics == ()
    assert list(loaded.modules) == [f"{i}.saga" for i in range(500, -1, -1)]
    assert all(len(n.of(m.module.declarations, n.Import)) < 2 for m in loaded.modules.values())
