"""Golden modules run: imported as users import them, to their result, and all the way back."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sagalang.runtime import Log, Refused, Run

GOLDEN = Path(__file__).parents[1] / "golden"
Act = Callable[..., object]


class World(ModuleType):
    """The module `world` that the programs' tools are bound to: it acts, remembers and refuses."""

    def __init__(self, acts: Mapping[str, Act], refuses: str = "") -> None:
        super().__init__("world")
        self.calls: list[str] = []
        for name, act in acts.items():
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


def shop(refuses: str = "") -> World:
    """The world of `orders`: what it holds is what its reads say."""
    rows: dict[str, dict[str, Any]] = {}

    def charge(order_id: str, amount: Decimal, idempotency_key: str) -> dict[str, Any]:
        rows["charge"] = {"id": "ch_1", "amount": amount, "state": "captured"}
        return rows["charge"]

    def refund(charge_id: str, idempotency_key: str) -> None:
        rows["charge"] = {**rows["charge"], "state": "refunded"}

    def reserve(order_id: str, skus: list[str], idempotency_key: str) -> dict[str, Any]:
        rows["stock"] = {"id": "r_1", "sku": skus[0]}
        return rows["stock"]

    acts: dict[str, Act] = {
        "charge": charge,
        "refund": refund,
        "charge_of": lambda order_id: rows.get("charge"),
        "void_by_key": lambda forward_key: None,
        "reserve": reserve,
        "release": lambda order_id: rows.pop("stock", None),
        "reservation_of": lambda order_id: rows.get("stock"),
        "label_of": lambda order_id: None,
        "ship": lambda order_id, carrier, idempotency_key: {"code": "T1", "carrier": carrier},
        "recall": lambda order_id, idempotency_key: None,
        "send_mail": lambda to, text, idempotency_key: text,
    }
    return World(acts, refuses)


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
    world = shop()
    module = load("orders_saga", world)
    run = settled(module.fulfil.start(log, order=ordered(module)))
    assert run.status == "succeeded"
    assert run.result() == module.Tracking(code="T1", carrier="dhl")
    assert [name for name in world.calls if name in ("ship", "send_mail")] == ["ship", "send_mail"]


def test_orders_goes_all_the_way_back(load: Load, log: Log) -> None:
    world = shop("ship")
    module = load("orders_saga", world)
    run = settled(module.fulfil.start(log, order=ordered(module)))
    assert run.status == "rolled_back"
    assert {"refund", "release"} <= set(world.calls)
    assert "send_mail" not in world.calls


def test_names_are_everywhere_as_they_were_written(load: Load, log: Log) -> None:
    record = {
        "class": "c",
        "str": "s",
        "list": ["l"],
        "self": 1,
        "field": "mro",
        "Decimal": Decimal(1),
    }
    world = World({
        "print_": lambda *args: record,
        "f": lambda at: None,
        "Tool": lambda T: None,
        "tool": lambda t: None,
        "step_of": lambda lambda_: 7,
    })  # fmt: skip
    module = load("names_saga", world)
    run = settled(module.class_.start(log, print="p", match=3))
    assert run.status == "succeeded"
    made = run.result()
    assert isinstance(made, module.record)
    assert (made.kind, made.Record_.class_) == (module.Step.import_, "c")
    paths = [step["path"] for step in run.to_json()["steps"]]
    assert {"__init__", "Load", "load", "_"} <= set(paths)


def test_names_go_all_the_way_back(load: Load, log: Log) -> None:
    record = {"class": "c", "str": "s", "list": [], "self": 1, "field": "name", "Decimal": 1}
    world = World(
        {
            "print_": lambda *args: record,
            "f": lambda at: None,
            "Tool": lambda T: None,
            "tool": lambda t: None,
            "step_of": lambda lambda_: 7,
        },
        "tool",
    )
    run = settled(load("names_saga", world).class_.start(log, print="p"))
    assert run.status == "rolled_back"
    assert world.calls[-1] == "f"


@pytest.mark.parametrize("urgent", [True, False])
@pytest.mark.parametrize("level", [1, 3])
def test_branches_run_where_they_are_taken(load: Load, log: Log, urgent: bool, level: int) -> None:
    opened: list[str] = []

    def open_(id: str, at: str) -> dict[str, object]:
        opened.append(id)
        return {"id": id, "level": level}

    world = World({
        "look": lambda id: {"id": id, "level": level},
        "open": open_,
        "shut": lambda id: opened.remove(id),
    })  # fmt: skip
    run = settled(load("branches_saga", world).triage.start(log, id="t", urgent=urgent))
    assert run.result() == (level * 2 + 1 if level > 2 else -1)
    expected = {"t-copy"} | ({"t-page"} if urgent else {"t-queue", "t-told"})
    expected |= {"t-twin"} if level > 2 or not urgent else set()
    expected |= {"t-a", "t-b", "t-c"} if level > 2 and urgent else set()
    assert set(opened) == expected


def test_texts_arrive_as_they_were_written(load: Load, log: Log) -> None:
    written: list[str] = []

    def write(text: str) -> dict[str, str]:
        written.append(text)
        return {"text": text}

    world = World({"write": write, "erase": lambda text: None})
    Path("saga.toml").write_text('[groups]\n"\\"<b>&amp;ops\\n" = ["ann"]\n', "utf-8")
    run = settled(load("texts_saga", world).texts.start(log, name="{{ name }}"))
    assert run.status == "waiting"
    assert run.waiting_for[0]["path"] == "agree"
    assert written == []
    run.approve("agree", by="ann")
    assert settled(run).status == "succeeded"
    assert written == ['{{ 7*7 }} \r \u2028{{ name }}%s {0} $HOME # not a comment\n"""']
    assert not Path("CANARY").exists()


def cloud() -> World:
    """The world of `provision`."""
    account = {"id": "k", "stage": "lead"}
    server: dict[str, str] = {}

    def create_server(name: str, size: str, token: str) -> dict[str, str]:
        assert token == "open sesame"
        server.update(id="s", ip="10.0.0.1", state="running")
        return server

    return World({
        "server_named": lambda name: server or None,
        "create_server": create_server,
        "delete_server": lambda name, token: server.clear(),
        "subscription_by_key": lambda k: None,
        "subscribe": lambda customer, plan, idempotency_key: {"id": "sub", "status": "active"},
        "unsubscribe": lambda id: None,
        "unsubscribe_by_key": lambda k: None,
        "account": lambda id: account,
        "set_stage": lambda id, stage: account.update(stage=stage),
        "welcome": lambda to, ip, idempotency_key: None,
    })  # fmt: skip


def test_a_record_may_have_the_name_of_a_class_of_the_module(
    load: Load, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOUD_TOKEN", "open sesame")
    module = load("provision_saga", cloud())
    customer = module.Customer(id="c", email="a@example.org", crm="k")
    plan = module.Plan(id="p", price=Decimal(5))
    run = settled(
        module.provision.start(log, customer=customer, plan=plan, token="env:CLOUD_TOKEN")
    )
    assert run.result() == module.Server(id="s", ip="10.0.0.1", state="running")


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
