"""`saga.toml`: every fault has its line, its key and the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from sagalang.runtime.settings import BadSettings, settings


def said(folder: Path, text: str) -> list[str]:
    """What is said of a file, without its path."""
    path = folder / "saga.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(BadSettings) as caught:
        settings(folder)
    lines = str(caught.value).split("\n")
    assert all(line.startswith(f"{path}:") for line in lines)
    return [line.removeprefix(f"{path}:") for line in lines]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "log = 3\n",
            '1: `log` is a whole number. It takes the path of the log, like `log = "shop.duckdb"`.',
        ),
        (
            '\n[groups]\nops = "ada"\n',
            '3: `groups.ops` is a text. It takes a list of names, like `ops = ["ada", "grace"]`.',
        ),
        (
            '[groups]\nops = ["ada", 1]\n',
            "2: `groups.ops` is a list of other things. It takes a list of names, like "
            '`ops = ["ada", "grace"]`.',
        ),
        ("lgo = 'x'\n", "1: there is no setting `lgo`. Did you mean `log`?"),
        (
            "colour = true\n",
            "1: there is no setting `colour`. There are `log`, `sagas`, `groups`, `limits`.",
        ),
        (
            "[limits]\nsync = 1.5\n",
            "2: `limits.sync` is a number. It takes how many calls may go on at once, like "
            "`sync = 8`.",
        ),
        ("[limits]\n\nasync = 0\n", "3: `limits.async` is 0: at least 1 call must be allowed."),
        (
            "[limits]\nservices = { bank = -1 }\n",
            "2: `limits.services.bank` is -1: at least 1 call must be allowed.",
        ),
        (
            "limits = 3\n",
            "1: `limits` is a whole number. It takes a table, like `[limits]` and below it "
            "`async = 64`.",
        ),
        (
            'log = "a"\nlog = "b"\n',
            "2:10: a key stands twice. The file is written in TOML: correct it there.",
        ),
    ],
)
def test_a_fault_has_its_line_its_key_and_the_way_out(
    tmp_path: Path, text: str, expected: str
) -> None:
    assert said(tmp_path, text) == [expected]


def test_all_faults_are_told_in_one_go(tmp_path: Path) -> None:
    found = said(
        tmp_path, 'sagas = "a"\nlog = 1\n[groups]\na = 1\n[limits.services]\nbank = true\n'
    )
    assert [line.partition(":")[0] for line in found] == ["2", "1", "4", "6"]


def test_what_never_ends_has_no_line(tmp_path: Path) -> None:
    [line] = said(tmp_path, "sagas = [")
    assert line.startswith(" here should stand a value")


def test_every_setting_may_be_left_out(tmp_path: Path) -> None:
    (tmp_path / "saga.toml").write_text("", "utf-8")
    found = settings(tmp_path)
    assert (found.log, found.sagas, found.groups, found.limits.async_) == (
        "saga.duckdb",
        (),
        {},
        64,
    )


def test_what_is_right_is_taken(tmp_path: Path) -> None:
    (tmp_path / "saga.toml").write_text(
        'log = "x.duckdb"\nsagas = ["a.saga"]\n[groups]\nops = ["ada"]\n'
        "[limits]\nasync = 2\nsync = 3\nservices = { bank = 1 }\n",
        "utf-8",
    )
    found = settings(tmp_path)
    assert found.log_path == tmp_path / "x.duckdb"
    assert found.groups == {"ops": ["ada"]}
    assert (found.limits.async_, found.limits.sync, found.limits.services) == (2, 3, {"bank": 1})
