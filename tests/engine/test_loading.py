"""Files that are loaded: sagas as attributes, tools beside the file, runs found by their id."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import sagalang
from sagalang.loading import CompileFailed, load_saga
from sagalang.runtime.engine.errors import BindingFailed, OtherDefinition, RunError

SAGA = """edition 2026
record Order { id: str, total: decimal }
tool pay(id: str, total: decimal) -> str {
  call python "{module}:pay" (id, total, key: key)
  effect payment(id) compensatable
  idempotent by key
  undo refund(result)
}
tool refund(charge: str) -> json {
  call python "{module}:refund" effect payment restoring idempotent naturally
}
saga order(order: Order) -> str {
  step pay = pay(order.id, order.total)
  gate release needs "ops" shows pay
  return pay
}
"""

TOOLS = """
def pay(id, total, key):
    return f"ch-{id}-{total}"


def refund(charge):
    return None
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: Any) -> Path:
    """A project; its tools' module has a name of its own, because modules stay loaded."""
    monkeypatch.chdir(tmp_path)
    module = f"tools_{abs(hash(request.node.name))}"
    (tmp_path / "order.saga").write_text(SAGA.replace("{module}", module))
    (tmp_path / f"{module}.py").write_text(TOOLS)
    (tmp_path / "saga.toml").write_text('[groups]\nops = ["ada"]\n')
    return tmp_path


def test_a_file_gives_its_sagas_and_classes(folder: Path) -> None:
    program = sagalang.load("order.saga")
    assert list(program) == ["order"]
    made: Any = program.Order
    with sagalang.open("x.duckdb") as log:
        run = program.order.start(log, order=made(id="1", total=Decimal("2.50")))
        run.wait(60)
        run.approve("release", by="ada")
        assert run.result(60) == "ch-1-2.50"
    with pytest.raises(AttributeError, match="declares order, Order"):
        _ = program.nothing
    assert {d.severity.value for d in program.order.diagnostics} <= {"warning"}
    assert "class Order" in program.order.to_python()
    assert program.order.dag().startswith("<svg") and "pay" in program.order.to_mermaid()


def test_a_run_is_resumed_by_its_id_alone_from_the_file_it_began_in(folder: Path) -> None:
    with sagalang.open("x.duckdb") as log:
        saga = load_saga("order.saga:order")
        saga.start(log, run_id="r", order={"id": "1", "total": Decimal(2)}).wait(60)
    with sagalang.open("x.duckdb") as log:
        [run] = log.resume_all()
        run.approve("release", by="ada")
        assert run.result(60) == "ch-1-2"


def test_an_edited_file_goes_on_as_begun_only_when_asked(folder: Path) -> None:
    file = folder / "order.saga"
    with sagalang.open("x.duckdb") as log:
        saga = load_saga("order.saga")
        saga.start(log, run_id="r", order={"id": "1", "total": Decimal(2)}).wait(60)
    file.write_text(file.read_text().replace("idempotent by key", "idempotent by key for 24h"))
    edited = load_saga("order.saga")
    with sagalang.open("x.duckdb") as log:
        with pytest.raises(OtherDefinition, match="the tool `pay` differs"):
            log.resume("r")
        run = log.resume("r", edited, as_begun=True)
        run.approve("release", by="ada")
        assert run.result(60) == "ch-1-2"


def test_errors_show_the_place(folder: Path) -> None:
    file = folder / "order.saga"
    file.write_text(file.read_text().replace("return pay", "return pays"))
    with pytest.raises(CompileFailed) as caught:
        sagalang.load("order.saga")
    assert "order.saga:15:" in str(caught.value) and "`pays`" in str(caught.value)
    with pytest.raises(RunError, match=r"nothing\.saga: there is no such file"):
        sagalang.load("nothing.saga")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def pay(id, total, key): ...\n", "there is no `refund`"),
        ("import nothing_of_that_name\n", "failed with ModuleNotFoundError"),
        ("def pay(:\n", "failed with SyntaxError"),
        ("1 / 0\n", "ZeroDivisionError: division by zero"),
        (None, "there is no module"),
    ],
)
def test_a_module_that_cannot_be_used_is_named(folder: Path, text: str | None, said: str) -> None:
    [module] = folder.glob("tools_*.py")
    if text is None:
        module.unlink()
    else:
        module.write_text(text)
    with pytest.raises(BindingFailed) as caught:
        load_saga("order.saga").start(
            "x.duckdb", run_id="r", order={"id": "1", "total": Decimal(2)}
        )
    assert said in str(caught.value) and "order.saga:" in str(caught.value)
    assert not (folder / "x.journal").exists()


def test_a_second_module_of_the_same_name_is_not_taken_for_the_first(folder: Path) -> None:
    saga = load_saga("order.saga")
    [module] = folder.glob("tools_*.py")
    other = folder / "other"
    other.mkdir()
    (other / "order.saga").write_text((folder / "order.saga").read_text())
    (other / module.name).write_text(TOOLS)
    assert saga.tools().hashes
    with pytest.raises(BindingFailed, match="already loaded from"):
        load_saga("other/order.saga").tools()
