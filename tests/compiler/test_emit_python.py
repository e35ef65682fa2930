"""The generated module is its plan: exactly, safely, the same everywhere, and good to read."""

from __future__ import annotations

import ast
import io
import os
import subprocess
import sys
import tokenize
from itertools import cycle
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from sagalang.compiler.emit import made_by_us
from sagalang.runtime.formula import Binary, Formula, Literal, Name, Type
from sagalang.runtime.plan import If, Plan, Return, definition

from .any_plans import any_plans
from .modules import NASTY, loaded, made, rebuilt, sagas, shape, with_texts
from .plans import fulfil

ROOT = Path(__file__).parents[2]


def test_the_plan_is_rebuilt_exactly() -> None:
    plan = fulfil()
    [again] = rebuilt([plan])
    assert again == plan
    assert definition(again) == definition(plan)


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(any_plans())
def test_any_plan_is_rebuilt_exactly(plan: Plan) -> None:
    [again] = rebuilt([plan])
    assert again == plan
    # 1, 1.0 and true are equal in Python, and not in JSON.
    assert repr(again) == repr(plan)


def test_sagas_of_one_file_share_their_tools_and_records() -> None:
    first = fulfil()
    second = msgspec.structs.replace(first, saga="again", body=first.body[1:])
    text = made([first, second])
    assert text.count("charge = Tool(") == 1
    assert text.count("class Order:") == 1
    assert [saga.plan for saga in sagas(loaded(text)).values()] == [first, second]


def test_parts_of_one_name_that_differ_keep_a_name_each() -> None:
    first = fulfil()
    tools = tuple(msgspec.structs.replace(tool, timeout=7) for tool in first.tools)
    second = msgspec.structs.replace(first, saga="other", tools=tools, records=first.records[:2])
    assert rebuilt([first, second]) == [first, second]


@pytest.mark.parametrize("text", NASTY)
def test_no_text_changes_the_syntax_tree(text: str) -> None:
    plan = with_texts(fulfil(), cycle([text]))
    plain = with_texts(fulfil(), cycle(["x"]))
    module = made([plan])
    assert shape(module) == shape(made([plain]))
    [again] = [saga.plan for saga in sagas(loaded(module)).values()]
    assert again == plan
    assert not Path("CANARY").exists()


@pytest.mark.parametrize("text", NASTY)
def test_no_name_of_a_file_leaves_its_comment(text: str) -> None:
    assert shape(made([fulfil()], text)) == shape(made([fulfil()], "x"))


def test_comments_are_ours_alone() -> None:
    """What a source says stands in literals; where a comment holds a text, it cannot end it."""

    def comments(text: str, name: str) -> list[str]:
        module = made([with_texts(fulfil(), cycle([text]))], name)
        tokens = tokenize.generate_tokens(io.StringIO(module).readline)
        return [token.string for token in tokens if token.type == tokenize.COMMENT]

    found = comments("# no comment\nimport os", "a\nb\r.saga")
    assert len(found) == len(comments("x", "x.saga"))
    assert found[0].startswith("# Made by sagalang 1.2.3 from a\\nb\\r.saga.")


def test_deep_nesting_stays_importable() -> None:
    """Python takes no more than 200 open brackets."""
    tree: Binary | Name = Name("n")
    for _ in range(120):
        tree = Binary("+", tree, Literal(1))
    deep = Formula(tree, Type("int"), "n" + " + 1" * 120)
    body: tuple[If | Return, ...] = (Return(path="return#1", value=deep),)
    for level in range(60):
        test = Formula(Literal(True), Type("bool"), "true")
        body = (If(path=f"if#{level}", condition=test, then=body),)
    plan = msgspec.structs.replace(fulfil(), body=body)
    assert rebuilt([plan]) == [plan]


def test_long_lines_are_wrapped() -> None:
    """Documentation alone keeps the lines of its author."""
    plan = with_texts(fulfil(), cycle(["many words " * 30]))
    records = tuple(msgspec.structs.replace(r, doc="", fields=()) for r in plan.records)
    text = made([msgspec.structs.replace(plan, doc="", records=records, enums=())])
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.slow
def test_the_module_is_formatted_as_ruff_does_it(tmp_path: Path) -> None:
    path = tmp_path / "fulfil_saga.py"
    path.write_text(made([fulfil()]), "utf-8")
    options = ("--isolated", "--line-length", "100", "--target-version", "py311")
    for command in (("format", "--check"), ("check", "--select", "B,C4,E,F,I,PIE,RUF,SIM,UP,W")):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, *options, str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["0", "1", "random"])
def test_the_same_plan_gives_the_same_bytes_everywhere(tmp_path: Path, seed: str) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from tests.compiler.journey import whole\n"
        "from tests.compiler.plans import fulfil\n"
        "from sagalang.compiler.emit import emit_json, emit_mermaid, emit_python, emit_svg\n"
        "plans = [fulfil(), whole()]\n"
        "texts = [emit_python(plans, name='test.saga', version='1.2.3')]\n"
        "texts += [emit(plan) for plan in plans for emit in (emit_json, emit_mermaid, emit_svg)]\n"
        "sys.stdout.buffer.write(''.join(texts).encode())\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C", "TZ": "Asia/Kathmandu"}
    command = [sys.executable, "-c", code, str(ROOT)]
    done = subprocess.run(command, capture_output=True, check=True, cwd=tmp_path, env=environment)
    here = {**os.environ, "PYTHONHASHSEED": "7"}
    other = subprocess.run(command, capture_output=True, check=True, cwd=ROOT, env=here)
    assert done.stdout == other.stdout


def test_the_first_line_says_who_made_it() -> None:
    text = made([fulfil()])
    assert text.startswith("# Made by sagalang 1.2.3 from test.saga.")
    assert made_by_us(text)
    assert made_by_us("\ufeff" + text.replace("\n", "\r\n"))
    assert not made_by_us("import os\n" + text)
    assert not made_by_us("")


def test_importing_a_module_imports_none_of_its_tools() -> None:
    tree = ast.parse(made([fulfil()]))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert modules <= {
        "__future__",
        "dataclasses",
        "datetime",
        "decimal",
        "enum",
        "typing",
        "sagalang.runtime.module",
    }


def test_records_are_typed_classes_with_their_defaults() -> None:
    module = loaded(made([fulfil()]))
    order = module.Order(id="o-1", items=[module.Item(sku="a")], total=1, email="a@example.org")
    assert order.items == [module.Item(sku="a", qty=1)]
    assert (order.speed, order.note) == (module.Speed.normal, None)
    assert module.Order.__doc__ == "An order as the shop sends it."
    with pytest.raises(AttributeError):
        order.id = "o-2"
