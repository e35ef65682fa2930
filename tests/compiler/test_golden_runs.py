"""Golden modules run: imported as users import them, to their result, and all the way back."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sagalang.runtime import Log, Refused, Run

GOLDEN = Path(__file__).parents[1] / "golden"
Act = Callable[..., object]


class World(ModuleType):
    """The module `world` that the programs' tools are bound to: the methods of some object."""

    def __init__(self, outside: object, refuses: str = "") -> None:
        super().__init__("world")
        self.calls: list[str] = []
        for name in dir(outside):
            if not name.startswith("_"):
                act: Act = getattr(outside, name)
                setattr(self, name, self._counted(name, act, name == refuses))

    def _counted(self, name: str, act: Act, refuses: bool) -> Act:
        def call(*args: object, **given: object) -> object:
            self.calls.append(name)
            if refuses:
                raise Refused("not today")
            return act(*args, **given)

        return call


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Log]:
    monkeypatch.chdir(tmp_path)
    with Log(tmp_path / "test.duckdb") as opened:
        yield opened


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, World], ModuleType]:
    """Imports a golden module in whose world tools act."""

    def loading(name: str, world: World) -> ModuleType:
        monkeypatch.setitem(sys.modules, "world", world)
        spec = importlib.util.spec_from_file_location(name, GOLDEN / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    return loading


Load = Callable[[str, World], ModuleType]


class Shop:
    """The world of `orders`: what it holds is what its reads say."""

    def __init__(self) -> None:
        self._charge: dict[str, object] | None = None
        self._stock: dict[str, object] | None = None

    def charge(self, order_id: str, amount: Decimal, idempotency_key: str) -> object:
        self._charge = {"id": "ch_1", "amount": amount, "state": "captured"}
        return self._charge

    def charge_of(self, order_id: str) -> object:
        return self._charge

    def refund(self, charge_id: str, idempotency_key: str) -> None:
        assert self._charge is not None
        self._charge["state"] = "refunded"

    def void_by_key(self, forward_key: str) -> None:
        raise AssertionError("the charge has a result: it is refunded")

    def reserve(self, order_id: str, skus: list[str], idempotency_key: str) -> object:
        self._stock = {"id": "r_1", "sku": skus[0]}
        return self._stock

    def reservation_of(self, order_id: str) -> object:
        return self._stock

    def release(self, order_id: str) -> None:
        self._stock = None

    def label_of(self, order_id: str) -> None:
        return None

    def ship(self, order_id: str, carrier: str, idempotency_key: str) -> object:
        return {"code": "T1", "carrier": carrier}

    def recall(self, order_id: str, idempotency_key: str) -> None: ...

    def send_mail(self, to: str, text: str, idempotency_key: str) -> str:
        return text


def ordered(module: ModuleType) -> Any:
    """An order, made with the module's own classes."""
    return module.Order(
        id="o-1",
        items=[module.Item(sku="a"), module.Item(sku="b", qty=0)],
        total=Decimal("12.50"),
        speed=module.Speed.express,
        email="a@example.org",
    )


def settled(run: Run) -> Run:
    return run.wait(60)


def test_orders_runs_to_its_result(load: Load, log: Log) -> None:
    world = World(Shop())
    module = load("orders_saga", world)
    run = settled(module.fulfil.start(log, order=ordered(module)))
    assert run.status == "succeeded"
    assert run.result() == module.Tracking(code="T1", carrier="dhl")
    assert [name for name in world.calls if name in ("ship", "send_mail")] == ["ship", "send_mail"]


def test_orders_goes_all_the_way_back(load: Load, log: Log) -> None:
    world = World(Shop(), "ship")
    module = load("orders_saga", world)
    run = settled(module.fulfil.start(log, order=ordered(module)))
    assert run.status == "rolled_back"
    assert {"refund", "release"} <= set(world.calls)
    assert "send_mail" not in world.calls


class Named:
    """The world of `names`."""

    def print_(self, first: str, second: str) -> object:
        print(first)
        return {
            "class": second,
            "str": "s",
            "list": ["l"],
            "self": 1,
            "field": "mro",
            "Decimal": Decimal(1),
        }

    def f(self, at: str) -> None: ...

    def Tool(self, T: str) -> None: ...

    def tool(self, t: str) -> None: ...

    def step_of(self, number: int) -> int:
        return number


def test_names_are_everywhere_as_they_were_written(
    load: Load, log: Log, capsys: pytest.CaptureFixture[str]
) -> None:
    module = load("names_saga", World(Named()))
    run = settled(module.class_.start(log, print="p", match=3))
    assert run.status == "succeeded"
    made = run.result()
    assert isinstance(made, module.record)
    assert (made.kind, made.Record_.class_) == (module.Step.import_, "x")
    paths = {step["path"] for step in run.to_json()["steps"]}
    assert paths == {"__init__", "Load", "load", "_"}
    assert capsys.readouterr().out == "p\n"


def test_names_go_all_the_way_back(load: Load, log: Log) -> None:
    world = World(Named(), "step_of")
    run = settled(load("names_saga", world).class_.start(log, print="p"))
    assert run.status == "rolled_back"
    assert world.calls[-1] == "f"


class Desk:
    """The world of `branches`."""

    def __init__(self, level: int) -> None:
        self._level = level
        self._open: set[str] = set()

    def look(self, id: str) -> object:
        return {"id": id, "level": self._level}

    def open(self, id: str, at: str) -> object:
        self._open.add(id)
        return {"id": id, "level": self._level}

    def shut(self, id: str) -> None:
        self._open.remove(id)


@pytest.mark.parametrize("urgent", [True, False])
@pytest.mark.parametrize("level", [1, 3])
def test_branches_run_where_they_are_taken(load: Load, log: Log, urgent: bool, level: int) -> None:
    world = World(Desk(level))
    run = settled(load("branches_saga", world).triage.start(log, id="t", urgent=urgent))
    assert run.result() == (level * 2 + 1 if level > 2 else -1)
    expected = {"copy"} | ({"page"} if urgent else {"queue", "told"})
    expected |= {"twin"} if level > 2 or not urgent else set[str]()
    expected |= {"a", "b", "c"} if level > 2 and urgent else set[str]()
    done = {step["path"] for step in run.to_json()["steps"] if step["status"] == "succeeded"}
    assert done == expected | {"ticket"}
    assert world.calls.count("open") == len(expected)


class Pen:
    """The world of `texts`."""

    def __init__(self) -> None:
        self._written: list[str] = []

    def write(self, text: str) -> object:
        self._written.append(text)
        return {"text": text}

    def erase(self, text: str) -> None: ...


def test_texts_arrive_as_they_were_written(load: Load, log: Log) -> None:
    world = World(Pen())
    Path("saga.toml").write_text('[groups]\n"\\"<b>&amp;ops\\n" = ["ann"]\n', "utf-8")
    run = settled(load("texts_saga", world).texts.start(log, name="{{ name }}"))
    assert run.status == "waiting"
    assert run.waiting_for[0]["path"] == "agree"
    assert world.calls == []
    run.approve("agree", by="ann")
    assert settled(run).result().text == (
        '{{ 7*7 }} \r \u2028{{ name }}%s {0} $HOME # not a comment\n"""'
    )
    assert not Path("CANARY").exists()


class Cloud:
    """The world of `provision`."""

    def __init__(self) -> None:
        self._server: object = None
        self._stage = "lead"

    def server_named(self, name: str) -> object:
        return self._server

    def create_server(self, name: str, size: str, token: str) -> object:
        assert (str(size), token) == ("small", "open sesame")
        self._server = {"id": "s", "ip": "10.0.0.1", "state": "running"}
        return self._server

    def delete_server(self, name: str, token: str) -> None: ...

    def subscription_by_key(self, k: str) -> None: ...

    def subscribe(self, customer: str, plan: str, idempotency_key: str) -> object:
        return {"id": "sub", "status": "active"}

    def unsubscribe(self, id: str) -> None: ...

    def unsubscribe_by_key(self, k: str) -> None: ...

    def account(self, id: str) -> object:
        return {"id": id, "stage": self._stage}

    def set_stage(self, id: str, stage: str) -> None:
        self._stage = stage

    def welcome(self, to: str, ip: str, idempotency_key: str) -> None: ...


def test_a_record_may_have_the_name_of_a_class_of_the_module(
    load: Load, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOUD_TOKEN", "open sesame")
    module = load("provision_saga", World(Cloud()))
    customer = module.Customer(id="c", email="a@example.org", crm="k")
    plan = module.Plan(id="p", price=Decimal(5))
    run = settled(
        module.provision.start(log, customer=customer, plan=plan, token="env:CLOUD_TOKEN")
    )
    assert run.result() == module.Server(id="s", ip="10.0.0.1", state="running")


@pytest.mark.slow
def test_a_worker_that_imports_a_module_pays_for_no_compiler() -> None:
    code = "import sys, orders_saga; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=GOLDEN
    )
    assert not {"lark", "networkx", "jinja2", "duckdb", "world"} & set(done.stdout.split())


@pytest.mark.slow
def test_a_golden_module_is_a_program(tmp_path: Path) -> None:
    """It runs from anywhere; its own folder is importable for its tools."""
    shutil.copy(GOLDEN / "branches_saga.py", tmp_path)
    world = (
        "def look(id): return {'id': id, 'level': 2}\ndef open(id, at): ...\ndef shut(id): ...\n"
    )
    (tmp_path / "world.py").write_text(world, "utf-8")
    other = tmp_path / "elsewhere"
    other.mkdir()
    program = [sys.executable, str(tmp_path / "branches_saga.py"), "--saga", "peek", "--json"]
    done = subprocess.run(
        [*program, "--input", '{"id": "t"}'], capture_output=True, text=True, check=False, cwd=other
    )
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert (shown["status"], shown["result"]) == ("succeeded", {"id": "t", "level": 2})
    refused = subprocess.run(program, capture_output=True, text=True, check=False, cwd=other)
    assert refused.returncode == 1
    assert "`id` (str) is missing" in refused.stderr
    assert "Traceback" not in refused.stderr
