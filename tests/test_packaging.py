"""The layout keeps its promises: in the checkout, in what is built and where it is installed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from .sources import facts

ROOT = Path(__file__).parents[1]
ROOMS = ("grammar", "dsl", "compiler", "runtime", "notebooks")
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
HEAVY = frozenset({"IPython", "anywidget", "duckdb", "ipywidgets", "jinja2", "lark", "networkx"})


def sources(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((ROOT / folder).rglob("*.py"))


def loaded_by(statement: str) -> set[str]:
    """The top-level modules that a fresh interpreter holds after a statement."""
    code = f"{statement}\nimport sys; print(*{{name.partition('.')[0] for name in sys.modules}})"
    return set(run(sys.executable, "-c", code).split())


def run(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_both_kernels_of_ipython_are_allowed_and_the_newer_one_is_tested() -> None:
    wanted = [Requirement(one) for one in CONFIG["project"]["optional-dependencies"]["dev"]]
    (kernel,) = [one for one in wanted if one.name == "ipykernel"]
    assert kernel.specifier.contains("6.31.0")
    assert not kernel.specifier.contains("6.30.0")
    (pinned,) = [
        line.partition("==")[2]
        for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
        if line.startswith("ipykernel==")
    ]
    assert kernel.specifier.contains(pinned) and pinned.startswith("7.")
    held = (
        CONFIG["project"]["dependencies"] + CONFIG["project"]["optional-dependencies"]["notebook"]
    )
    assert not [one for one in held if Requirement(one).name == "ipykernel"]


def test_every_package_is_listed() -> None:
    found = {"sagalang"}
    for room in ROOMS:
        for init in (ROOT / room).rglob("__init__.py"):
            found.add(".".join(("sagalang", *init.parent.relative_to(ROOT).parts)))
    for init in (ROOT / "src/sagalang").glob("*/__init__.py"):
        if not init.parent.is_symlink():
            found.add(f"sagalang.{init.parent.name}")
    assert found == set(CONFIG["tool"]["setuptools"]["packages"])


def test_every_folder_with_modules_is_a_package() -> None:
    """Without its __init__ a folder works in the checkout and is missing from the wheel."""
    for path in sources(*ROOMS):
        assert (path.parent / "__init__.py").exists(), path


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_its_relative_link(room: str) -> None:
    link = ROOT / "src/sagalang" / room
    assert link.readlink() == Path("../..", room)
    assert link.resolve() == ROOT / room


@pytest.mark.parametrize("room", ROOMS)
def test_pyright_sees_every_room(room: str) -> None:
    """It does not follow links by itself, and says nothing about files that it never saw."""
    assert f"src/sagalang/{room}" in CONFIG["tool"]["pyright"]["include"]


def test_rooms_are_never_imported_by_their_folder_name() -> None:
    """`import dsl` works from the repository root and would be a second copy of the room."""
    named = "|".join(ROOMS)
    rooms = re.compile(rf"^\s*(?:from|import)\b.*(?<![\w.])(?:{named})\b", re.MULTILINE)
    for path in sources(*ROOMS, "src/sagalang", "tests", "examples", "benchmarks"):
        # What is parsed is what may be wrong: texts in tests look like imports too.
        if rooms.search(path.read_text("utf-8")):
            wrong = {name for name in facts(path).imports if name.partition(".")[0] in ROOMS}
            assert not wrong, (path, wrong)


def test_imports_inside_the_package_are_relative() -> None:
    for path in sources(*ROOMS, "src/sagalang"):
        wrong = {name for name in facts(path).imports if name.partition(".")[0] == "sagalang"}
        assert not wrong, (path, wrong)


def test_notebook_modules_shadow_nothing() -> None:
    """A kernel started in notebooks/ has that folder first on its path."""
    for path in (ROOT / "notebooks").glob("*.py"):
        assert path.stem not in sys.stdlib_module_names | HEAVY, path


@pytest.mark.parametrize(
    "statement",
    [
        "import sagalang",
        "import sagalang.runtime",
        "import sagalang.runtime.plan, sagalang.runtime.kernel, sagalang.runtime.engine",
        "import sagalang.cli",
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(statement: str) -> None:
    assert loaded_by(statement) & HEAVY == set()


NOT_FOR_A_CHECK = {
    *HEAVY,
    *("asyncio", "difflib", "email", "hashlib", "importlib.metadata", "importlib.resources"),
    *("json", "logging", "pickle", "rich", "sqlite3", "subprocess", "tomllib"),
    *("sagalang.cli.mending", "sagalang.compiler.drawing", "sagalang.compiler.emit"),
    *("sagalang.compiler.explain", "sagalang.dsl.formatter", "sagalang.dsl.syntax_errors"),
    *("sagalang.dsl.render_json", "sagalang.lsp", "sagalang.runtime.engine"),
    *("sagalang.runtime.journal", "sagalang.runtime.kernel", "sagalang.runtime.simulator"),
    *("sagalang.runtime.settingsfaults", "sagalang.runtime.store"),
}


def test_a_check_loads_only_what_checks(tmp_path: Path) -> None:
    """People wait for it at every save: what findings, fixes, settings and runs need comes then."""
    program = tmp_path / "notes.saga"
    program.write_text(
        """tool note(text: str) -> str {
  call python "notes.note" (text, idempotency_key: key)
  effect note(text) reversible
  idempotent by key
  retry 3 times every 1s..10s
  undo forget(text)
}
tool forget(text: str) -> str {
  call python "notes.forget" (text)
  effect note restoring
  idempotent naturally
  retry 3 times every 1s..10s
}
saga keep(text: str) { step kept = note(text: text) }
"""
    )
    code = (
        "import sys\nfrom sagalang.cli import main\n"
        "try: main(['check', sys.argv[1]])\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    # Where none was made yet, the first check makes the parser's table, and that takes lark.
    run(sys.executable, "-c", "from sagalang.dsl.syntax import table; table()")
    done = subprocess.run(
        [sys.executable, "-c", code, program], capture_output=True, text=True, cwd=tmp_path
    )
    assert "no mistakes" in done.stdout, done
    assert NOT_FOR_A_CHECK & set(done.stderr.split()) == set()


def test_the_public_names_are_pinned() -> None:
    """A name that leaves or joins the face is a decision; this is where it is taken."""
    import sagalang

    assert set(sagalang.__all__) == {
        "CompileFailed",
        "Log",
        "Run",
        "RunFailed",
        "Saga",
        "__version__",
        "load",
        "open",
    }
    for name in sagalang.__all__:
        assert getattr(sagalang, name) is not None
    assert dir(sagalang) == sorted(sagalang.__all__)
    with pytest.raises(AttributeError, match="no attribute 'run_everything'"):
        _ = sagalang.run_everything


def refused_setup(folder: Path, **pythons: str) -> str:
    """What `make setup` says on a machine that has only these Pythons, given as shell scripts."""
    tools = folder / "bin"
    tools.mkdir()
    for needed in ("sh", "cat", "rm"):
        found = shutil.which(needed)
        assert found
        (tools / needed).symlink_to(found)
    for name, script in pythons.items():
        (tools / name).write_text(f"#!/bin/sh\n{script}\n")
        (tools / name).chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", ROOT / ".ci/setup"],
        cwd=folder,
        env={"PATH": str(tools)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert not (folder / ".venv").exists()
    return done.stderr


def test_setup_without_python_says_what_to_install(tmp_path: Path) -> None:
    said = refused_setup(tmp_path)
    assert "needs Python 3.11 or newer" in said
    assert "apt-get install python3 python3-venv" in said
    assert "brew install python" in said


def test_setup_with_an_old_python_says_what_it_found(tmp_path: Path) -> None:
    said = refused_setup(tmp_path, python3='case "$2" in *exit*) exit 1;; esac; echo 3.9')
    assert "needs Python 3.11 or newer. python3 is 3.9." in said


def test_setup_without_the_venv_package_names_it(tmp_path: Path) -> None:
    """Debian and Ubuntu split Python: `python3` alone cannot make an environment."""
    said = refused_setup(tmp_path, python3='case "$2" in *ensurepip*) exit 1;; esac; echo 3.11')
    assert "apt-get install python3.11-venv" in said


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as users get it: built from the source archive, not from the checkout."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", out, ROOT)
    assert len(list(out.glob("*.tar.gz"))) == 1
    [built] = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def clean(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment outside the checkout that holds the wheel and what it asks for."""
    home = tmp_path_factory.mktemp("clean")
    venv.create(home, with_pip=True)
    pip = (home / "bin/python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
    run(*pip, wheel, "--constraint", ROOT / "constraints.txt", cwd=home)
    return home


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_rooms_and_nothing_else(wheel: Path) -> None:
    expected = {"sagalang/py.typed"}
    for path in (ROOT / "src/sagalang").rglob("*.py"):
        inside = path.relative_to(ROOT / "src")
        if inside.parts[1] not in ROOMS:
            expected.add(inside.as_posix())
    starter = ROOT / "src/sagalang/cli/starter"
    expected |= {path.relative_to(ROOT / "src").as_posix() for path in starter.iterdir()}
    for room in ROOMS:
        for path in (ROOT / room).rglob("*"):
            inside = path.relative_to(ROOT)
            if path.is_file() and not {"__pycache__", "tutorials"} & set(inside.parts):
                expected.add(f"sagalang/{inside.as_posix()}")
    lab = ROOT / "grammar/editors/jupyterlab"
    [data] = {n.partition("/")[0] for n in zipfile.ZipFile(wheel).namelist() if ".data/" in n}
    for path in lab.rglob("*.*"):
        beside = path.relative_to(lab).as_posix()
        expected.add(f"{data}/data/share/jupyter/labextensions/sagalang/{beside}")
    found = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert found == expected


@pytest.mark.slow
def test_nothing_but_sagalang_is_importable_from_the_wheel(wheel: Path, clean: Path) -> None:
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    importable = {top for top in tops if not top.endswith((".dist-info", ".data"))}
    assert importable == {"sagalang"}
    find = f"from importlib.util import find_spec; print(*filter(find_spec, {ROOMS!r}))"
    assert run(clean / "bin/python", "-c", find, cwd=clean).split() == []


@pytest.mark.slow
def test_the_installed_command_says_its_version(clean: Path) -> None:
    version = CONFIG["project"]["version"]
    assert run(clean / "bin/saga", "--version", cwd=clean).split()[-1] == version


@pytest.mark.slow
def test_what_is_installed_colours_sagas(clean: Path) -> None:
    """Pygments and JupyterLab find what they need by themselves."""
    find = "from pygments.lexers import get_lexer_by_name; print(get_lexer_by_name('saga').name)"
    assert run(clean / "bin/python", "-c", find, cwd=clean).strip() == "Saga"
    lab = clean / "share/jupyter/labextensions/sagalang"
    assert json.loads((lab / "package.json").read_text("utf-8"))["name"] == "sagalang"
    assert (lab / "static/remoteEntry.js").is_file()


SAGA = """\
edition 2026

tool write(name: str) -> str {
  call python "greeting:write" (name, idempotency_key: key)
  effect letter(name) compensatable
  idempotent by key
  undo tear(name)
}

tool tear(name: str) -> json {
  call python "greeting:tear" (name, idempotency_key: key)
  effect letter restoring
  idempotent by key
  retry 5 times
}

saga hello(name: str) -> str {
  step letter = write(name)
  return letter
}
"""
TOOLS = """\
def write(name: str, idempotency_key: str) -> str:
    return f"Hello, {name}!"


def tear(name: str, idempotency_key: str) -> None:
    pass
"""
PROGRAM = """\
import sagalang

hello = sagalang.load("hello.saga").hello
with sagalang.open("program.duckdb") as log:
    run = hello.start(log, run_id="h-1", name="Ada")
    run.wait()
    print(run.status, run.result())
"""


@pytest.mark.slow
def test_a_saga_runs_where_only_the_wheel_is_installed(clean: Path, tmp_path: Path) -> None:
    """By the command, by the API and as a compiled module: the three ways of the README."""
    for name, text in {"hello.saga": SAGA, "greeting.py": TOOLS, "program.py": PROGRAM}.items():
        (tmp_path / name).write_text(text, "utf-8")
    saga, python = clean / "bin/saga", clean / "bin/python"
    run(saga, "check", "hello.saga", cwd=tmp_path)
    shown = run(saga, "run", "hello.saga", "--set", "name=Ada", "--json", cwd=tmp_path)
    assert json.loads(shown)["result"] == "Hello, Ada!"
    assert run(python, "program.py", cwd=tmp_path).split("\n")[0] == "succeeded Hello, Ada!"
    run(saga, "compile", "hello.saga", "-o", "hello_saga.py", cwd=tmp_path)
    assert "Hello, Ada!" in run(python, "hello_saga.py", "--input", '{"name": "Ada"}', cwd=tmp_path)
