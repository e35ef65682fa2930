"""The services of a scenario: what they answer, what stands in them, and what goes wrong there.

What a read gives is kept by the read and its arguments, so that all who ask the same are told the
same. An effect changes what the step's `verify` is told; its undo brings back what was there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from msgspec import json

from ..events import Fault
from ..formula import Formula
from ..kernel.commands import Answer, Call
from ..kernel.state import State
from ..plan import Tool
from ..samples import sample_answer
from ..shapes import Mismatch, conform
from ..simulator import AgentScript, Reply
from ..tooling import Refused
from ..values import Record, encode
from .answers import present, showing, truly
from .asked import Asked, Question
from .fitting import Fitting, Unfit
from .script import Script

LATENCY = 20
"""Milliseconds that a simulated call takes, or a quarter of its timeout where that is less."""


class AskForMock(Exception):
    """A result has to satisfy a condition, and nothing that does was found.

    `path` is the step, `condition` the condition as written.
    """

    def __init__(self, path: str, condition: str) -> None:
        super().__init__(f"`{path}` needs a mock: what it gives must satisfy `{condition}`")
        self.path = path
        self.condition = condition


@dataclass(slots=True)
class Standing:
    """An effect that stands: what reads gave before it, by what was asked (`ABSENT`: nothing)."""

    before: dict[str, Any] = field(default_factory=dict[str, Any])


ABSENT = object()


class World:
    """The simulated services of one run; an instance is the `World` of a `Simulator`.

    Calling it raises `AskForMock`.
    """

    def __init__(self, script: Script) -> None:
        self.script = script
        self.schema = script.schema
        self.state: Callable[[], State] | None = None
        self.reads: dict[str, Any] = {}
        self.standing: dict[str, Standing] = {}
        self.answers: dict[str, Any] = {}

    def __call__(self, call: Call) -> Reply:
        """Gives what comes of a call."""
        assert self.state is not None
        asked = Asked(self.state(), call)
        match call.purpose:
            case "verify" | "inspect" | "evidence":
                return _returned(call, self._verified(asked))
            case "remember":
                return _returned(call, self._read(asked))
            case "expect":
                return _returned(call, self._expected(asked))
            case "undo":
                return self._undo(asked)
            case "corrective":
                return _returned(call, sample_answer(asked.tool, call.args, self.schema))
            case "do" if call.path in self.script.calls:
                return self._agent(asked)
            case "do":
                return self._do(asked)

    def _do(self, asked: Asked) -> Reply:
        call, path = asked.call, asked.call.path
        failing = self.script.failing(path)
        if failing is not None:
            if failing.error in asked.tool.done:
                # It is so already: then it is there for whoever asks.
                self._land(asked, self._result(asked))
            return _raised(call, failing.error, "as the scenario says")
        if self.script.crashing(call, "before"):
            return Reply(None, dies=0)
        value = self._result(asked)
        timing_out = self.script.timing_out(path)
        if timing_out is not None:
            after = timing_out.landing_after
            if after is None:
                return Reply(None)
            return Reply(None, effect=lambda: self._land(asked, value), lands=after)
        self._land(asked, value)
        if self.script.crashing(call, "after"):
            return _dies(call)
        if self.script.losing(path):
            return _raised(call, "ConnectionError", "the answer was lost")
        return _returned(call, value)

    def _agent(self, asked: Asked) -> Reply:
        """Lets an agent make its calls; what is said of its own call comes behind them."""
        if self.script.crashing(asked.call, "before"):
            return Reply(None, dies=0)
        return Reply(None, _latency(asked.call), agent=self._acting(asked))

    def _acting(self, asked: Asked) -> AgentScript:
        for line, given in self.script.calling(asked.call.path):
            try:
                yield line.tool, given
            except Refused as refusal:
                if not line.goes_on:
                    return _raised(asked.call, "Refused", str(refusal))
        return self._do(asked)

    def _result(self, asked: Asked) -> Any:
        """Gives what an action or a read of a step answers; a known key gives the first answer."""
        call = asked.call
        if asked.tool.is_read:
            return self._read(asked)
        known = self._known(asked)
        if known in self.answers:
            return self.answers[known]
        mock = self.script.mock_of(call.path)
        if mock is not None:
            return mock[0]
        return self._fitted(asked)

    def _fitted(self, asked: Asked) -> Any:
        """Gives a sample that keeps the tool's promises and that its verify calls applied."""
        tool, question = asked.tool, asked.verify
        fitting = Fitting("result", tool.result, asked.names(), self.schema)
        tests = [condition.test for condition in tool.ensures]
        value = self._fit(asked, fitting, tests, sample_answer(tool, asked.call.args, self.schema))
        if question is None or not _adopted(question, tool):
            return value
        seen = self._view(asked, question, value, "applied")
        for test in tests:
            if not fitting.holds(test.tree, seen):
                raise AskForMock(asked.call.path, test.source)
        return seen

    def _fit(self, asked: Asked, fitting: Fitting, tests: list[Formula], value: Any) -> Any:
        for _ in tests:
            for test in tests:
                try:
                    value = fitting.fit(test.tree, value)
                except Unfit:
                    raise AskForMock(asked.call.path, test.source) from None
        return value

    def _land(self, asked: Asked, value: Any) -> None:
        """Lets an action happen: once for a known key, once for what is naturally idempotent."""
        known = self._known(asked)
        if asked.tool.is_read or known in self.answers:
            return
        self.answers[known] = value
        here = self.standing.setdefault(asked.call.path, Standing())
        question = asked.verify
        if question is None:
            return
        seen = value
        if question.lines and asked.step.expecting is None and self._drifts(asked):
            conflicts = any(line.kind == "conflict" for line in question.lines)
            seen = self._view(asked, question, value, "conflict" if conflicts else "unknown")
        elif not _adopted(question, asked.tool):
            seen = self._view(asked, question, value, "applied")
        key = _key(question.read, question.args)
        here.before.setdefault(key, self.reads.get(key, ABSENT))
        self.reads[key] = seen

    def _drifts(self, asked: Asked) -> bool:
        return self.script.drifting(asked.call.path)

    def _undo(self, asked: Asked) -> Reply:
        call = asked.call
        path = call.undo_of or call.path
        if self.script.refusing_undo(path) or self.script.refusing_undo(call.path):
            return _raised(call, "Refused", "the undo is refused, as the scenario says")
        failing = self.script.failing(call.path) if call.undo_of else None
        if failing is not None:
            return _raised(call, failing.error, "as the scenario says")
        if self.script.crashing(call, "before"):
            return Reply(None, dies=0)
        there = self.standing.pop(path, None)
        for key, before in () if there is None else reversed(there.before.items()):
            if before is ABSENT:
                self.reads.pop(key, None)
            else:
                self.reads[key] = before
        # What is naturally idempotent may happen again; a key is known for ever.
        self.answers.pop(f"{path} ", None)
        if self.script.crashing(call, "after"):
            return _dies(call)
        mock = self.script.mock_of(call.path) if call.undo_of else None
        if mock is not None:
            return _returned(call, mock[0])
        if there is None and asked.tool.done and not call.undo_of:
            return _raised(call, asked.tool.done[0], "it is so already")
        return _returned(call, sample_answer(asked.tool, call.args, self.schema))

    def _verified(self, asked: Asked) -> Any:
        """Gives what a verify is told: as it is, else as it must be for what stands there."""
        question = asked.question()
        key = _key(question.read, question.args)
        if key in self.reads:
            return self.reads[key]
        there = asked.call.path in self.standing
        return self._view(asked, question, None, truly(question, there))

    def _view(self, asked: Asked, question: Question, value: Any, wanted: str) -> Any:
        """Gives an answer to a question that its verdicts call `wanted`."""
        base = self._base(question, value)
        try:
            return showing(question, base, wanted, self.schema)
        except Unfit:
            raise AskForMock(asked.call.path, question.written(wanted)) from None

    def _base(self, question: Question, value: Any) -> Any:
        """Gives an answer to begin with: what is known of it, else what a step has given."""
        read = question.read
        if isinstance(value, Record) and value.name == present(read.result).name:
            return value
        known = self.reads.get(_key(read, question.args))
        if known is not None:
            return known
        made = sample_answer(read, question.args, self.schema)
        if isinstance(made, Record) and isinstance(value, Record):
            shared = {k: v for k, v in value.fields.items() if k in made.fields}
            mixed = Record(made.name, {**made.fields, **shared})
            try:
                return conform(mixed, read.result, self.schema)
            except Mismatch:
                return made
        return made

    def _read(self, asked: Asked) -> Any:
        """Gives what a read answers: its mock, what is known, or a sample that it may give."""
        call, tool = asked.call, asked.tool
        key = _key(tool, call.args)
        step = call.purpose == "do"
        mock = self.script.mock_of(call.path) if step else None
        if mock is not None:
            self.reads[key] = mock[0]
            return mock[0]
        tests = [condition.test for condition in tool.ensures] if step else []
        until = asked.until if step else None
        if key in self.reads and not tests and until is None:
            return self.reads[key]
        found = self.reads.get(key)
        if found is None:
            found = sample_answer(tool, call.args, self.schema)
        fitting = Fitting("result", tool.result, asked.names(), self.schema)
        found = self._fit(asked, fitting, tests, found)
        if until is not None:
            fitting = Fitting("it", present(tool.result), asked.names(True), self.schema)
            found = self._fit(asked, fitting, [until], found)
        self.reads[key] = found
        return found

    def _expected(self, asked: Asked) -> Any:
        found = self._read(asked)
        baseline = asked.call.name.startswith("baseline:")
        if baseline or not self.script.drifting(asked.call.path):
            return found
        fields = asked.step.expecting.field if asked.step.expecting is not None else ()
        self.reads[_key(asked.tool, asked.call.args)] = other = _other(found, fields)
        return other

    def _known(self, asked: Asked) -> str:
        """Gives what makes a repeated action the same one for its service."""
        idempotent = asked.tool.idempotent
        if idempotent is None:
            return f"{asked.call.path} {asked.call.generation} {asked.call.attempt}"
        return f"{asked.call.path} {asked.call.key if idempotent.by == 'key' else ''}"


def _key(read: Tool, args: dict[str, Any]) -> str:
    """Gives what makes two reads the same question."""
    wires = {name: encode(value) for name, value in args.items()}
    return f"{read.name} {json.encode(wires, order='sorted').decode()}"


def _adopted(question: Question, tool: Tool) -> bool:
    """True when the answer of a verify is, as it stands, the result of the step."""
    return present(question.read.result) == present(tool.result)


def _returned(call: Call, value: Any) -> Reply:
    return Reply(Answer("returned", value), _latency(call))


def _raised(call: Call, error: str, message: str) -> Reply:
    fault = Fault(error, message)
    return Reply(Answer("raised", fault=fault, classes=(error,)), _latency(call))


def _dies(call: Call) -> Reply:
    # What was called beside it has answered by then: this answer is the one that is lost.
    return Reply(None, dies=2 * _latency(call))


def _latency(call: Call) -> int:
    return min(LATENCY, max(1, call.timeout // 4))


def _other(value: Any, fields: tuple[str, ...]) -> Any:
    """Gives a value that differs from another, in the field that is looked at."""
    if isinstance(value, Record):
        name = fields[0] if fields else next(iter(value.fields), "")
        changed = _other(value.fields.get(name), fields[1:])
        return Record(value.name, {**value.fields, name: changed})
    match value:
        case bool():
            return not value
        case str():
            return f"{value} (changed by somebody else)"
        case int() | float():
            return value + 1
        case None:
            return "changed by somebody else"
        case _:
            return None
