"""Spans in OpenTelemetry: a run is a trace, an attempt a span, an undo linked to its action.

Where OpenTelemetry is not installed, or nobody has configured it, nothing is made and nothing is
sent. The context of an attempt is the current one while its tool runs.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

from ..events import Event
from ..kernel.commands import Answer
from .calling import Job


class Trace:
    """The trace of one run in this process."""

    def __init__(self, api: Any, run_id: str, saga: str) -> None:
        self._api = api
        self._tracer = api.get_tracer("sagalang")
        self._attributes = {"saga.run_id": run_id, "saga.name": saga}
        self._root: Any = None
        self._context: Any = None
        self._starting: Any = None
        self._actions: dict[str, Any] = {}

    def begin(self, job: Job) -> None:
        """Begins the span of an attempt; the next intent is stamped with it."""
        call = job.call
        attributes = {
            **self._attributes,
            "saga.path": call.path,
            "saga.attempt": call.attempt,
            "saga.generation": call.generation,
            "saga.direction": call.direction,
        }
        of = call.undo_of or call.path
        action = self._actions.get(of) if call.direction in ("undo", "corrective") else None
        links = [self._api.Link(action)] if action is not None else []
        name = f"{call.purpose} {call.tool}"
        span = self._tracer.start_span(name, self._context, attributes=attributes, links=links)
        job.span = span
        job.context = partial(self._api.use_span, span, record_exception=False)
        if call.intent is not None:
            self._starting = span
        if call.purpose == "do":
            self._actions[call.path] = span.get_span_context()

    def stamp(self, event: Event) -> None:
        """Writes the trace's ids into an event."""
        if event.kind == "run_started" or self._root is None:
            self._begin_run(event)
        span: Any = self._root
        if event.kind == "intent" and self._starting is not None:
            span, self._starting = self._starting, None
        context = span.get_span_context()
        event.trace_id = f"{context.trace_id:032x}"
        event.span_id = f"{context.span_id:016x}"

    def end(self, job: Job, answer: Answer) -> None:
        """Ends the span of an attempt; called when its outcome is durable."""
        if job.span is None:
            return
        if answer.kind != "returned":
            said = answer.fault.type if answer.fault is not None else answer.kind
            job.span.set_status(self._api.Status(self._api.StatusCode.ERROR, said))
        job.span.set_attribute("saga.answer", answer.kind)
        job.span.end()
        job.span = None

    def resume(self, events: list[Event]) -> None:
        """Goes on with the trace that an earlier owner of the run began."""
        for event in events:
            if event.kind == "intent" and event.direction == "do" and event.trace_id:
                self._actions[event.path] = self._remote(event)
        if events and events[0].trace_id:
            parent = self._api.NonRecordingSpan(self._remote(events[0]))
            self._context = self._api.set_span_in_context(parent)

    def finish(self, status: str) -> None:
        """Ends the run's span in this process."""
        if self._root is not None:
            self._root.set_attribute("saga.status", status)
            self._root.end()

    def _begin_run(self, event: Event) -> None:
        self._root = self._tracer.start_span(
            f"saga {self._attributes['saga.name']}", self._context, attributes=self._attributes
        )
        self._context = self._api.set_span_in_context(self._root)

    def _remote(self, event: Event) -> Any:
        return self._api.SpanContext(
            int(event.trace_id, 16), int(event.span_id, 16), is_remote=True
        )


def trace_of(run_id: str, saga: str) -> Trace | None:
    """Gives the trace of a run, or None where OpenTelemetry is not configured."""
    # Whoever has configured it has imported it: a program without it does not pay for the import.
    if "opentelemetry.trace" not in sys.modules:
        return None
    from opentelemetry import trace as api

    if type(api.get_tracer_provider()).__name__ == "ProxyTracerProvider":
        return None
    return Trace(api, run_id, saga)
