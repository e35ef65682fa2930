"""Commands that people are told to say next: with the log that they are about, and quoted."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

from ..settings import BadSettings, saga_files, settings
from .files import files


def command(log: str | os.PathLike[str], verb: str, *words: str, **options: str | bool) -> str:
    """Gives a command of `saga` as it can be said in this folder.

    `--log` is in it when the command would find another log without. Options are written with
    dashes; True stands for one without a value.

    >>> command("shop.duckdb", "resolve", "o-1", 'a["x y"].b', "back", by="WHO")
    'saga resolve o-1 \\'a["x y"].b\\' back --by WHO --log shop.duckdb'
    """
    said: list[str] = []
    for name, value in options.items():
        said += _option(name.replace("_", "-"), value)
    said += _log(log)
    # A word that begins like an option is none behind `--`.
    if any(word.startswith("-") and word != "-" for word in words):
        return shlex.join(["saga", verb, *said, "--", *words])
    return shlex.join(["saga", verb, *words, *said])


def resumption(
    log: str | os.PathLike[str],
    run_id: str,
    source: str,
    *,
    as_begun: bool = False,
    elsewhere: bool = False,
) -> str:
    """Gives the command that takes up a run: with its file, where it would not be found.

    `source` is the file that the run was begun from. A run of a generated module is taken up by
    that module. PATH stands for a file that nobody knows; `elsewhere` says that the saga is in none
    of the files in which it is looked for.
    """
    file = Path(source) if source else None
    if file is not None and file.suffix == ".py" and file.is_file():
        words = [_python(), _shown(file), *_option("resume", run_id)]
        return shlex.join([*words, *_option("as-begun", as_begun), *_log(log)])
    return command(log, "resume", run_id, *_file(source, elsewhere), as_begun=as_begun)


def succession(
    log: str | os.PathLike[str],
    run_id: str,
    source: str,
    *,
    as_begun: bool = False,
    elsewhere: bool = False,
) -> str:
    """Gives the command that takes a run from a process which somebody knows to be dead.

    It says the file like `resumption`. A generated module has no such command: for its runs it is
    the saga's own file that is needed.
    """
    words = _file("" if source.endswith(".py") else source, elsewhere)
    return command(log, "takeover", run_id, *words, owner_is_dead=True, as_begun=as_begun)


def _file(source: str, elsewhere: bool) -> list[str]:
    """Gives the file of a run's saga as it is said in a command: nothing where it is found."""
    places = [os.path.realpath(place) for place in saga_files(source)]
    found = ["PATH"] if elsewhere else []
    if not source:
        return found if places else ["PATH"]
    if not Path(source).is_file():
        return ["PATH"]
    return found if places[:1] == [os.path.realpath(source)] else [_shown(Path(source))]


def _option(name: str, value: str | bool) -> list[str]:
    if isinstance(value, bool):
        return [f"--{name}"] if value else []
    return [f"--{name}={value}"] if value.startswith("-") else [f"--{name}", value]


def _log(log: str | os.PathLike[str]) -> list[str]:
    path = Path(log)
    try:
        if files(settings().log_path) == files(path):
            return []
    except BadSettings:
        pass  # Without settings nobody knows the default.
    return _option(
        "log", _shown(path.with_suffix(".duckdb") if path.suffix == ".journal" else path)
    )


def _shown(path: Path) -> str:
    """Gives a path as it is shortest here."""
    here = Path.cwd()
    return os.fspath(path.relative_to(here) if path.is_relative_to(here) else path)


def _python() -> str:
    """Gives the word that calls this interpreter."""
    for name in ("python", "python3"):
        found = shutil.which(name)
        if found and os.path.dirname(found) == os.path.dirname(sys.executable):
            return name
    return sys.executable or "python"
