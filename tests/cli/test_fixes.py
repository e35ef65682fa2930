"""What `saga check` offers to mend, and how a file is changed: whole, and as it was otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .clikit import Project

Golden = Callable[[str, str], None]

TYPOS = """edition 2026
import { ship, pay } from "order.saga"
saga s(id: str) -> str {
  step money = pay(idd, 1.00)
  step parcel = shp(id)
  return parcel
}
"""


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody sits at a terminal."""
    monkeypatch.setattr("sagalang.cli.mending.somebody_is_there", lambda: True)


def test_fixes_that_keep_the_meaning_are_made(project: Project) -> None:
    path = project.write("f.saga", 'edition 2026\r\nimport { pay, ship } from "order.saga"\r\n')
    said = project.saga("check", "--fix", "--strict", "f.saga")
    assert (said.code, said.err) == (0, "mended f.saga\n"), said.out
    assert path.read_bytes().startswith(b"edition 2026\r\n")
    assert b"pay" not in path.read_bytes()


def test_where_nobody_can_be_asked_the_others_are_left(project: Project) -> None:
    path = project.write("s.saga", TYPOS)
    said = project.saga("check", "--fix", "s.saga")
    assert said.code == 1
    assert path.read_text("utf-8") == TYPOS
    assert "s.saga: 2 fixes are left that may change the meaning" in said.err


@pytest.mark.usefixtures("terminal")
def test_the_others_are_shown_and_asked_for(project: Project, golden: Golden) -> None:
    path = project.write("s.saga", TYPOS)
    said = project.saga("check", "--fix", "s.saga", stdin="y\nn\n")
    assert said.code == 1
    assert path.read_text("utf-8") == TYPOS.replace("idd", "id")
    golden("fix_asked.txt", said.err)


@pytest.mark.usefixtures("terminal")
def test_what_is_agreed_to_is_made(project: Project) -> None:
    path = project.write("s.saga", TYPOS)
    said = project.saga("check", "--fix", "s.saga", stdin="y\ny\n")
    assert path.read_text("utf-8") == TYPOS.replace("idd", "id").replace("shp", "ship")
    assert said.code == 0, said.out


@pytest.mark.usefixtures("terminal")
def test_whoever_stops_in_between_keeps_what_was_agreed_to(project: Project) -> None:
    path = project.write("s.saga", TYPOS)
    project.saga("check", "--fix", "s.saga", stdin="y\n")
    assert path.read_text("utf-8") == TYPOS.replace("idd", "id")
    assert [p.name for p in project.folder.glob(".s.saga*")] == []


@pytest.mark.usefixtures("terminal")
def test_nobody_is_asked_for_a_document(project: Project) -> None:
    path = project.write("s.saga", TYPOS)
    said = project.saga("check", "--fix", "--json", "s.saga")
    assert [each["code"] for each in said.json["diagnostics"]] == ["N201", "N201"]
    assert path.read_text("utf-8") == TYPOS


def test_a_file_that_changes_meanwhile_is_left_alone(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = project.write("s.saga", TYPOS)

    def agreed(shown: str) -> bool:
        path.write_text("edition 2026\n", "utf-8")
        return True

    monkeypatch.setattr("sagalang.cli.mending.somebody_is_there", lambda: True)
    monkeypatch.setattr("sagalang.cli.mending.ask", agreed)
    said = project.saga("check", "--fix", "s.saga")
    assert said.code == 2
    assert "was changed while it was looked at" in said.err
    assert path.read_text("utf-8") == "edition 2026\n"


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("command", [("fmt",), ("check", "--fix")])
def test_line_ends_stay_as_they_are(
    project: Project, ends: str, mark: str, command: tuple[str, ...]
) -> None:
    text = 'edition   2026\nimport { pay, ship } from "order.saga"\nsaga s() -> int { return 1 }\n'
    path = project.folder / "e.saga"
    path.write_bytes((mark + text.replace("\n", ends)).encode())
    project.saga(*command, "e.saga")
    after = path.read_bytes().decode()
    assert after.startswith(mark + "edition")
    assert after != mark + text.replace("\n", ends)
    assert after.count("\n") == after.count(ends)
    assert project.saga("fmt", "e.saga").code == 0
    assert project.saga("fmt", "--check", "e.saga").code == 0


def test_the_mode_of_a_file_stays(project: Project) -> None:
    path: Path = project.write("s.saga", "edition   2026\n")
    path.chmod(0o640)
    project.saga("fmt", "s.saga")
    assert path.read_text("utf-8") == "edition 2026\n"
    assert path.stat().st_mode & 0o777 == 0o640
