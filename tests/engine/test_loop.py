"""The parts of the engine's loop by themselves: time-outs, slots, and who wakes whom."""

from __future__ import annotations

import threading
from typing import Any, cast

from hypothesis import given, strategies as st

from sagalang.runtime import Log
from sagalang.runtime.engine.binding import Bound
from sagalang.runtime.engine.calling import Job
from sagalang.runtime.engine.live import Live
from sagalang.runtime.engine.mailbox import Mailbox
from sagalang.runtime.engine.slots import Slots
from sagalang.runtime.engine.timeouts import Timeouts
from sagalang.runtime.settings import Limits

from .enginekit import World, at_end, kinds, saga, tool


class Call:
    """Stands for a job, of which time-outs know only the length."""

    length = 0


Acts = st.lists(
    st.one_of(
        st.tuples(st.just("set"), st.integers(1, 5)),
        st.tuples(st.just("cancel"), st.integers(0, 30)),
        st.tuples(st.just("pass"), st.integers(0, 4)),
    )
)


@given(Acts)
def test_a_time_out_comes_true_once_in_time_unless_it_is_cancelled(
    acts: list[tuple[str, int]],
) -> None:
    timeouts, now = Timeouts(), 0
    calls: list[Job] = []
    dues: dict[Job, int] = {}
    for act, number in acts:
        if act == "set":
            job = cast(Job, Call())
            calls.append(job)
            timeouts.set(job, number, now)
            dues[job] = now + number
        elif act == "cancel" and number < len(calls):
            assert timeouts.cancel(calls[number]) == dues.pop(calls[number], None)
        elif act == "pass":
            now += number
            due = {job for job, at in dues.items() if at <= now}
            found = timeouts.due(now)
            assert len(found) == len(due) and set(found) == due
            dues = {job: at for job, at in dues.items() if at > now}
        assert timeouts.next() == min(dues.values(), default=None)


def test_lengths_of_which_no_call_goes_on_are_forgotten() -> None:
    """The rest of the time of an agent is another one each time."""
    timeouts = Timeouts()
    kept = cast(Job, Call())
    timeouts.set(kept, 7_000, 0)
    for length in range(1, 1_000):
        job = cast(Job, Call())
        timeouts.set(job, length, 0)
        timeouts.cancel(job)
    [queues] = vars(timeouts).values()
    assert len(queues) < 100
    assert timeouts.next() == 7_000
    assert timeouts.due(7_000) == [kept]


def _bound(pool: str, service: str) -> Bound:
    class Counted:
        counts = (pool, service)

    return cast(Bound, Counted())


def test_a_slot_goes_to_the_call_that_waits_longest_for_its_kind() -> None:
    slots = Slots(Limits(async_=2, sync=1, services={"bank": 1}))
    bank, mail = _bound("async", "bank"), _bound("async", "mail")
    assert slots.kind(mail) is slots.kind(_bound("async", ""))
    assert slots.kind(bank) is not slots.kind(_bound("sync", "bank"))
    live = cast(Live, None)
    slots.kind(bank).use()
    assert not slots.kind(bank).free() and slots.kind(mail).free()
    assert not slots.kind(_bound("sync", "bank")).free(), "a service has its slots in all pools"
    for name in ("first", "second"):
        slots.kind(bank).waiting.append((live, name))
    slots.kind(mail).waiting.append((live, "mail"))
    got: list[str] = []
    for kind, _, name in slots.ready():
        kind.use()
        got.append(name)
    assert got == ["mail"]
    slots.kind(bank).give()
    for kind, _, name in slots.ready():
        kind.use()
        got.append(name)
    assert got == ["mail", "first"]


def test_what_is_added_quietly_comes_with_the_next_waking() -> None:
    mailbox = Mailbox()
    taken: list[Any] = []

    def read() -> None:
        while len(taken) < 300:
            taken.extend(mailbox.take(60))

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(0, 300, 3):
        for item in range(number, number + 3):
            mailbox.add(item)
        mailbox.wake()
    reader.join(60)
    assert taken == list(range(300))
    mailbox.wake()
    assert mailbox.take(0) == []


def test_calls_that_begin_together_and_one_that_lasts_are_all_answered(log: Log) -> None:
    """The last of them takes long: the answers of the others do not wait for it."""
    import asyncio

    released = asyncio.Event()

    async def quick(id: str, key: str) -> str:
        return f"quick:{id}"

    async def long(id: str, key: str) -> str:
        await released.wait()
        return "long"

    async def release(id: str, key: str) -> str:
        released.set()
        return "released"

    world = World()
    functions = world.add("a", "b", "c") | {"a": quick, "b": long, "c": release}
    text = f"""{tool("a")}{tool("b")}{tool("c")}
saga s() -> str {{
  parallel {{
    step one = a("1")
    step two = a("2")
    step last = b("3")
  }}
  step end = a(last)
  return end
}}
saga other() {{
  step c = c("x")
}}"""
    run = saga(text, functions).start(log)
    assert at_end(saga(text, functions, "other").start(log)) == "succeeded"
    assert run.result(60) == "quick:long"
    assert len(kinds(run, "outcome")) == 4
