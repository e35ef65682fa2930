"""What a tool's function may use, and how what it says reaches the run."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from sagalang.runtime import Log, Refused, Transient, call
from sagalang.runtime.engine.classes import Classes
from sagalang.runtime.tooling import Attempt, NoCall

from .enginekit import World, at_end, hold, kinds, saga, tool, until

ONE = (
    tool("a", more="retry 3 times every 1ms..2ms") + 'saga s() -> str { step a = a("1") return a }'
)


def test_outside_of_a_call_there_is_no_call() -> None:
    with pytest.raises(NoCall, match="only there while a run calls a tool"):
        call()


def test_a_call_knows_what_it_is(log: Log) -> None:
    found: list[Attempt] = []

    def look() -> None:
        at = call()
        assert 0 < at.remaining <= at.timeout == 60.0
        assert datetime.now(UTC) < at.deadline <= datetime.now(UTC) + timedelta(seconds=60)
        assert at.heartbeat("alive")
        found.append(at)

    world = World()
    world.before["a"] = look
    run = saga(ONE, world.add("a")).start(log, run_id="r")
    assert at_end(run) == "succeeded"
    [at] = found
    assert (at.run_id, at.path, at.tool, at.attempt) == ("r", "a", "a", 1)
    assert [at.key] == world.keys("a")
    assert not at.heartbeat()


def test_a_retry_is_not_made_earlier_than_the_service_asks(log: Log) -> None:
    tries = iter([Transient("wait", retry_after=0.25), None])

    def stumble() -> None:
        if (error := next(tries)) is not None:
            raise error

    world = World()
    world.before["a"] = stumble
    run = saga(ONE, world.add("a")).start(log)
    assert at_end(run) == "succeeded"
    [timer] = [event for event in run.events() if event["kind"] == "timer_set"]
    assert timer["data"]["length"] >= 250
    first, second = [e["elapsed"] for e in run.events() if e["kind"] == "intent"]
    assert second - first >= 250


@pytest.mark.parametrize("after", [float("nan"), -1, float("inf"), "soon", None])
def test_a_senseless_wish_for_a_retry_is_passed_over(log: Log, after: Any) -> None:
    tries = iter([Transient("wait", retry_after=after), None])

    def stumble() -> None:
        if (error := next(tries)) is not None:
            raise error

    world = World()
    world.before["a"] = stumble
    assert at_end(saga(ONE, world.add("a")).start(log)) == "succeeded"


class CardDeclined(Refused):
    """A refusal of its own name."""


class RateLimited(Exception):
    """Declared by name in the tool."""


def test_exceptions_are_known_by_the_names_of_their_classes(log: Log) -> None:
    tries = iter([RateLimited("slow down"), CardDeclined("no")])

    def stumble() -> None:
        raise next(tries)

    world = World()
    world.before["a"] = stumble
    text = ONE.replace(
        "effect a(id) reversible", "effect a(id) reversible transient with RateLimited"
    )
    run = saga(text, world.add("a")).start(log)
    assert at_end(run) == "rolled_back"
    assert [status for _, _, _, status in kinds(run, "outcome")] == ["transient", "refused"]
    assert run.to_json()["error"] == {"type": "CardDeclined", "message": "no"}


def test_an_exception_without_a_text_or_with_a_strange_one_is_kept(log: Log) -> None:
    class Strange(Refused):
        def __str__(self) -> str:
            raise RuntimeError("no text")

    texts = iter([Strange(), Refused("\ud800"), Refused("x" * 1_000_000)])
    for expected in ("cannot be had", "\\ud800", "x" * 100):

        def stumble() -> None:
            raise next(texts)

        world = World()
        world.before["a"] = stumble
        run = saga(ONE, world.add("a")).start(log)
        assert at_end(run) == "rolled_back"
        message = run.to_json()["error"]["message"]
        assert expected in message and len(message) <= 10_000


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit])
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_tool_cannot_bring_its_worker_down(
    log: Log, error: type[BaseException], kind: str
) -> None:
    times = 0

    def act(id: str, key: str) -> str:
        nonlocal times
        times += 1
        if times == 1:
            raise error("out")
        return id

    async def act_async(id: str, key: str) -> str:
        return act(id, key)

    functions = World().add("a") | {"a": act if kind == "sync" else act_async}
    run = saga(ONE, functions).start(log)
    assert run.result(60) == "1"
    assert [status for _, _, _, status in kinds(run, "outcome")] == ["unknown", "succeeded"]


async def plain(id: str, key: str) -> str:
    await asyncio.sleep(0)
    return f"{id}:{call().path}"


class Callable_:
    """An object whose call is a coroutine."""

    async def __call__(self, id: str, key: str) -> str:
        return await plain(id, key)


def hidden(id: str, key: str) -> Awaitable[str]:
    return plain(id, key)


@functools.wraps(plain)
def wrapped(id: str, key: str) -> Awaitable[str]:
    return plain(id, key)


FUNCTIONS: list[Callable[..., Any]] = [
    plain, functools.partial(plain), Callable_(), hidden, wrapped,
]  # fmt: skip


@pytest.mark.parametrize(
    "function",
    FUNCTIONS,
    ids=["function", "partial", "object", "hidden", "wrapped"],
)
def test_every_kind_of_async_callable_is_awaited(log: Log, function: Callable[..., Any]) -> None:
    run = saga(ONE, World().add("a") | {"a": function}).start(log)
    assert run.result(60) == "1:a"


def test_a_coroutine_that_overruns_its_time_is_cancelled(log: Log) -> None:
    cancelled = threading.Event()

    async def a(id: str, key: str) -> str:
        if call().attempt > 1:
            return id
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.set()
        return "never"

    text = ONE.replace("retry 3", "timeout 300ms settle 10ms retry 20")
    run = saga(text, World().add("a") | {"a": a}).start(log)
    assert run.result(60) == "1"
    assert cancelled.wait(60)
    assert kinds(run, "late") == []


def test_a_function_that_overruns_does_not_keep_its_slot(log: Log) -> None:
    (log.path.parent / "saga.toml").write_text("[limits]\nsync = 1\n")
    leave = threading.Event()
    world = World()
    world.before["a"] = lambda: hold(threading.Event(), leave)() if call().attempt == 1 else None
    text = ONE.replace("retry 3", "timeout 300ms settle 10ms retry 20")
    run = saga(text, world.add("a")).start(log)
    assert run.result(60) == "a:1"
    leave.set()
    until(lambda: bool(kinds(run, "late")))
    assert world.net("a") == 1


RECORDS = """
enum Speed { normal, express }
record Item { sku: str, qty: int = 1 }
record Order {
  id: str, items: list[Item], total: decimal, speed: Speed = Speed.normal, class: str? = none
}
tool t(order: Order, more: map[Item], any: json) -> Order {
  call python "t" effect thing reversible idempotent naturally undo u()
}
tool u() -> json { call python "u" effect thing restoring idempotent naturally }
saga s(order: Order) -> Order { step t = t(order, { x: Item(sku: "x") }, [order.id]) return t }
"""


def test_records_and_enums_are_classes_on_the_way_in_and_out(log: Log) -> None:
    given: list[Any] = []

    def t(order: Any, more: Any, any: Any) -> Any:
        given.append((order, more, any))
        return order

    started = saga(RECORDS, {"t": t, "u": lambda: None})
    schema = started.definition.index.schema
    classes = Classes(started.plan, schema).by_name
    item = classes["Item"](sku="x")
    order = classes["Order"](id="1", items=[item], total=Decimal("2.50"), class_="c")
    for value in (
        order,
        {"id": "1", "items": [{"sku": "x"}], "total": Decimal("2.50"), "class": "c"},
    ):
        result = started.start(log, order=value).result(60)
        assert (result.id, result.total, result.class_) == ("1", Decimal("2.50"), "c")
        assert type(result.speed).__name__ == "Speed" and result.speed == "normal"
        assert [(i.sku, i.qty) for i in result.items] == [("x", 1)]
    (got, more, any_), _ = given
    assert type(got).__name__ == "Order" and type(more["x"]).__name__ == "Item" and any_ == ["1"]


def test_what_a_tool_returns_wrongly_has_happened_all_the_same(log: Log) -> None:
    world = World()
    functions = world.add("a")
    act = functions["a"]
    assert callable(act)

    def a(id: str, key: str) -> Any:
        act(id, key)
        return object()

    run = saga(ONE, functions | {"a": a}).start(log)
    assert at_end(run) == "rolled_back"
    assert world.net("a") == 0
    assert world.names() == ["a", "-a"]
