"""Case 41: cycles of imports and of steps are named member by member, and all others at once.

The texts, one by one: tests/corpus/bad.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from ..crash.bench import Bench
from ..crash.journey import tools

pytestmark = pytest.mark.slow

TOOL = "tool t{n}() -> str {{ call python effect none }}\n"


def found(bench: Bench, path: str = "a.saga") -> list[dict[str, Any]]:
    """The errors of a file, as JSON."""
    done = bench.saga("check", path, "--format", "json")
    assert "Traceback" not in done.err
    errors: list[dict[str, Any]] = [d for d in done.json["diagnostics"] if d["severity"] == "error"]
    assert done.code == (1 if errors else 0)
    return errors


def ring(bench: Bench, names: str) -> None:
    """Files that import each other in a ring."""
    for k, name in enumerate(names):
        following = names[(k + 1) % len(names)]
        text = f'edition 2026\nimport {{ t{following} }} from "{following}.saga"\n'
        bench.write(f"{name}.saga", text + TOOL.format(n=name))


@pytest.mark.parametrize("names", ["a", "ab", "abc"])
def test_a_ring_of_imports_is_one_error_with_every_member(bench: Bench, names: str) -> None:
    ring(bench, names)
    (error,) = [d for d in found(bench) if d["code"] == "N204"]
    text = str(error)
    for name in names:
        assert f"{name}.saga" in text
    assert bench.saga("compile", "a.saga", "-o", "made.py").code == 1
    assert not (bench.folder / "made.py").exists()


@pytest.mark.parametrize("alias", ["link.saga", "./a.saga", "../bench/a.saga"])
def test_a_file_is_itself_by_whatever_name(bench: Bench, alias: str) -> None:
    (bench.folder / "link.saga").symlink_to("a.saga")
    alias = alias.replace("bench", bench.folder.name)
    text = f'edition 2026\nimport {{ tb }} from "{alias}"\n' + TOOL.format(n="b")
    bench.write("a.saga", text)
    assert "N204" in {d["code"] for d in found(bench)}


def test_a_diamond_is_fine_and_its_foot_is_there_once(bench: Bench) -> None:
    bench.write("d.saga", "edition 2026\n" + TOOL.format(n="d"))
    for name in "bc":
        text = 'edition 2026\nimport { td } from "d.saga"\n'
        saga = f"saga {name}() -> str {{\n  step s = td()\n  return s\n}}\n"
        bench.write(f"{name}.saga", text + saga + TOOL.format(n=name))
    imports = "".join(f'import {{ t{n} }} from "{n}.saga"\n' for n in "bcd")
    body = "".join(f"  step {n} = t{n}()\n" for n in "bcd")
    bench.write("a.saga", f"edition 2026\n{imports}saga s() -> str {{\n{body}  return d\n}}\n")
    assert found(bench) == []


def test_a_long_chain_of_imports_is_read(bench: Bench) -> None:
    last = 500
    for k in range(last):
        text = f'edition 2026\nimport {{ t{k + 1} }} from "f{k + 1}.saga"\n'
        saga = f"saga s{k}() -> str {{\n  step s = t{k + 1}()\n  return s\n}}\n"
        bench.write(f"f{k}.saga", text + saga + TOOL.format(n=k))
    bench.write(f"f{last}.saga", "edition 2026\n" + TOOL.format(n=last))
    assert found(bench, "f0.saga") == []


@pytest.mark.parametrize("kind", ["missing", "folder", "binary", "nothing"])
def test_an_import_that_cannot_be_read_is_told_where_it_stands(bench: Bench, kind: str) -> None:
    saga = "saga s() -> str {\n  step a = t()\n  return a\n}\n"
    text = 'edition 2026\nimport { t } from "other.saga"\n' + saga
    bench.write("a.saga", text)
    other = bench.folder / "other.saga"
    if kind == "folder":
        other.mkdir()
    elif kind == "binary":
        other.write_bytes(bytes(range(256)) * 40)
    elif kind == "nothing":
        other.write_bytes(b"")
    errors = found(bench)
    assert errors and "other.saga" in str(errors)
    wanted = {"missing": "N203", "folder": "N203", "binary": "N203", "nothing": "N205"}[kind]
    assert wanted in {d["code"] for d in errors}


def test_two_rings_of_steps_are_told_each_without_the_innocent(bench: Bench) -> None:
    text = """
saga s(order: Order) -> int {
  parallel {
    step a = charge_of(order.id) after c
    step b = charge_of(order.id) after a
    step c = charge_of(order.id) after b
    step x = charge_of(order.id) after a
    step p = charge_of(order.id) after q
    step q = charge_of(order.id) after p
    step me = charge_of(order.id) after me
  }
  return 1
}
"""
    bench.write("a.saga", tools() + text)
    rings = [d for d in found(bench) if d["code"] == "G401"]
    assert len(rings) == 3
    lines = (tools() + text).splitlines()
    for ring_, members in zip(rings, ("abc", "pq", ("me",)), strict=True):
        places = [ring_["line"], *(label["line"] for label in ring_["labels"])]
        named = {lines[int(str(line)) - 1].split()[1] for line in places}
        assert named == set(members), ring_
        assert "`x`" not in str(ring_["message"])


def test_a_name_that_is_almost_right_is_suggested(bench: Bench) -> None:
    text = """
saga s(order: Order) -> int {
  parallel {
    step first = charge_of(order.id)
    step second = charge_of(order.id) after frist
  }
  return 1
}
"""
    bench.write("a.saga", tools() + text)
    errors = found(bench)
    assert [d["code"] for d in errors] == ["G402"] and "`first`" in str(errors)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_no_file(bench: Bench) -> None:
    os.mkfifo(bench.folder / "a.saga")
    done = bench.saga("check", "a.saga")
    assert done.code == 2 and "a.saga" in done.err
