"""With OpenTelemetry a run is a trace, an attempt a span, an undo linked to its action."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from opentelemetry import trace as api

from sagalang.runtime import Log, Transient

from .enginekit import World, at_end, saga, tool

NUMBERS = count(1)


class Span(api.NonRecordingSpan):
    """A span that remembers what is done with it."""

    def __init__(self, name: str, parent: Any, links: Any, attributes: Any) -> None:
        trace_id = parent.trace_id if parent.is_valid else next(NUMBERS)
        super().__init__(api.SpanContext(trace_id, next(NUMBERS), is_remote=False))
        self.name = name
        self.parent = parent
        self.links = [link.context for link in links or ()]
        self.attributes: dict[str, Any] = dict(attributes or {})
        self.ended = 0
        self.status: Any = None

    def set_attribute(self, key: str, value: Any) -> None:
        self.attributes[key] = value

    def set_status(self, status: Any, description: str | None = None) -> None:
        self.status = status

    def end(self, end_time: int | None = None) -> None:
        self.ended += 1


class Provider(api.NoOpTracerProvider):
    """A provider whose tracer keeps every span."""

    def __init__(self) -> None:
        self.spans: list[Span] = []

    def get_tracer(self, *args: Any, **more: Any) -> Any:
        return self

    def start_span(
        self, name: str, context: Any = None, attributes: Any = None, links: Any = None
    ) -> Span:
        parent = api.get_current_span(context).get_span_context()
        self.spans.append(Span(name, parent, links, attributes))
        return self.spans[-1]


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    found = Provider()
    monkeypatch.setattr(api, "get_tracer_provider", lambda: found)
    monkeypatch.setattr(api, "get_tracer", found.get_tracer)
    yield found


def test_a_run_is_a_trace_and_an_attempt_a_span(log: Log, provider: Provider) -> None:
    current: list[int] = []
    tries = iter([Transient("again"), None, None])

    def look() -> None:
        current.append(api.get_current_span().get_span_context().span_id)
        if (error := next(tries)) is not None:
            raise error

    world = World()
    world.before["a"] = world.before["-a"] = look
    text = tool("a", more="retry 3 times every 1ms..2ms") + (
        'saga s() { step a = a("1") requires false }'
    )
    run = saga(text, world.add("a")).start(log, run_id="r")
    assert at_end(run) == "rolled_back"
    log.close()
    root, first, second, undo = provider.spans
    assert [s.name for s in provider.spans] == ["saga s", "do a", "do a", "undo undo_a"]
    assert current == [s.get_span_context().span_id for s in (first, second, undo)]
    assert all(s.parent == root.get_span_context() for s in (first, second, undo))
    assert undo.links == [second.get_span_context()]
    assert [s.ended for s in provider.spans] == [1, 1, 1, 1]
    assert root.attributes["saga.status"] == "rolled_back"
    assert first.attributes["saga.answer"] == "raised" and first.status is not None
    events = run.events()
    assert {event["trace_id"] for event in events} == {f"{root.get_span_context().trace_id:032x}"}
    spans = [event["span_id"] for event in events if event["kind"] == "intent"]
    assert spans == [f"{s.get_span_context().span_id:016x}" for s in (first, second, undo)]


def test_a_run_that_is_taken_up_stays_in_its_trace(log: Log, provider: Provider) -> None:
    (log.path.parent / "saga.toml").write_text('[groups]\nops = ["ada"]\n')
    text = tool("a") + 'saga s() { step a = a("1") gate g needs "ops" shows a }'
    world = World()
    started = saga(text, world.add("a"))
    run = started.start(log, run_id="r")
    assert at_end(run) == "waiting"
    log.close()
    log.resume("r", started)
    run.reject("g", by="ada")
    assert at_end(run) == "rolled_back"
    [trace] = {event["trace_id"] for event in run.events()}
    assert trace == f"{provider.spans[0].get_span_context().trace_id:032x}"
    [action] = [s for s in provider.spans if s.name == "do a"]
    [undo] = [s for s in provider.spans if s.name == "undo undo_a"]
    assert [link.span_id for link in undo.links] == [action.get_span_context().span_id]


def test_the_calls_of_a_saga_that_is_an_undo_are_linked_to_the_action(
    log: Log, provider: Provider
) -> None:
    text = (
        tool("a").replace("undo undo_a(id)", "undo back(id)")
        + tool("b")
        + "saga back(id: str) { step one = undo_a(id) step two = undo_b(id) }"
        + 'saga s() { step a = a("1") requires false }'
    )
    run = saga(text, World().add("a", "b")).start(log, run_id="r")
    assert at_end(run) == "rolled_back"
    _, action, one, two = provider.spans
    assert [s.name for s in (one, two)] == ["undo undo_a", "undo undo_b"]
    assert one.links == two.links == [action.get_span_context()]


def test_without_a_provider_there_are_no_ids(log: Log) -> None:
    run = saga(tool("a") + 'saga s() { step a = a("1") }', World().add("a")).start(log)
    assert at_end(run) == "succeeded"
    assert {(event["trace_id"], event["span_id"]) for event in run.events()} == {("", "")}
