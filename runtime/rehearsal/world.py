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
from ..expressions import Failed
from ..formula import Formula, Literal, Logic, Node, Type
from ..kernel.clauses import call_names, compensating_verify, spread, with_defaults
from ..kernel.commands import Answer, Call
from ..kernel.record import verdict
from ..kernel.state import State, StepState
from ..plan import Step, Tool, Verify
from ..samples import sample_answer
from ..shapes import Mismatch, conform
from ..simulator import Reply
from ..values import Record, encode
from .fitting import Fitting, Unfit, negated
from .script import Script

LATENCY = 20
"""Milliseconds that a simulated call takes."""


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
            case "verify" | "inspect":
                return _returned(self._verified(asked))
            case "remember":
                return _returned(self._read(asked, None))
            case "expect":
                return _returned(self._expected(asked))
            case "undo":
                return self._undo(asked)
            case "corrective":
                return _returned(sample_answer(asked.tool, call.args, self.schema))
            case "do":
                return self._do(asked)

    def _do(self, asked: Asked) -> Reply:
        call, path = asked.call, asked.call.path
        failing = self.script.failing(path)
        if failing is not None:
            if failing.error in asked.tool.done:
                # It is so already: then it is there for whoever asks.
                self._land(asked, self._result(asked))
            return _raised(failing.error, "as the scenario says")
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
            return Reply(None, dies=LATENCY // 2)
        if self.script.losing(path):
            return _raised("ConnectionError", "the answer was lost")
        return _returned(value)

    def _result(self, asked: Asked) -> Any:
        """Gives what an action or a read of a step answers; a known key gives the first answer."""
        call = asked.call
        if asked.tool.is_read:
            return self._read(asked, asked.until)
        known = self._known(asked)
        if known in self.answers:
            return self.answers[known]
        mock = self.script.mock_of(call.path)
        if mock is not None:
            return mock[0]
        return self._fitted(asked)

    def _fitted(self, asked: Asked) -> Any:
        """Gives a sample that keeps the tool's promises and that its verify calls applied."""
        tool, verify = asked.tool, asked.step.verify
        value = sample_answer(tool, asked.call.args, self.schema)
        names = call_names(asked.state, asked.s, False)
        tests = [condition.test for condition in tool.ensures]
        fitting = Fitting("result", tool.result, names, self.schema)
        value = self._fit(asked, fitting, tests, value)
        if verify is None or not self._adopts(verify, tool, asked):
            return value
        seen = self._view(asked, verify, asked.verify_names, value, "applied")
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

    def _adopts(self, verify: Verify, tool: Tool, asked: Asked) -> bool:
        """True when the answer of a verify is, as it stands, the result of the step."""
        read = asked.state.index.tools[verify.tool]
        return _present(read.result) == _present(tool.result)

    def _land(self, asked: Asked, value: Any) -> None:
        """Lets an action happen: once for a known key, once for what is naturally idempotent."""
        known = self._known(asked)
        if asked.tool.is_read or known in self.answers:
            return
        self.answers[known] = value
        path, verify = asked.call.path, asked.step.verify
        here = self.standing.setdefault(path, Standing())
        if verify is None:
            return
        read = asked.state.index.tools[verify.tool]
        drifting = bool(verify.verdicts) and asked.step.expecting is None
        if drifting and self.script.drifting(path):
            conflicts = any(line.kind == "conflict" for line in verify.verdicts)
            wanted = "conflict" if conflicts else "unknown"
            seen = self._view(asked, verify, asked.verify_names, value, wanted)
        elif self._adopts(verify, asked.tool, asked):
            seen = value
        else:
            seen = self._view(asked, verify, asked.verify_names, value, "applied")
        self._set(here, self._key(read, asked.arguments(verify, asked.verify_names)), seen)

    def _undo(self, asked: Asked) -> Reply:
        path, call = asked.call.path, asked.call
        if self.script.refusing_undo(path):
            return _raised("Refused", "the undo is refused, as the scenario says")
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
            return Reply(None, dies=LATENCY // 2)
        if there is None and asked.tool.done:
            return _raised(asked.tool.done[0], "it is so already")
        return _returned(sample_answer(asked.tool, call.args, self.schema))

    def _verified(self, asked: Asked) -> Any:
        """Gives what a verify is told: as it is, else as it must be for what stands there."""
        verify, names, own = asked.verifying()
        key = self._key(asked.tool, asked.call.args)
        if key in self.reads:
            return self.reads[key]
        there = asked.call.path in self.standing
        # An undo's own verify asks whether the undo has happened.
        wanted = "applied" if there != own else "absent"
        return self._view(asked, verify, names, None, wanted)

    def _view(
        self, asked: Asked, verify: Verify, names: dict[str, Any], value: Any, wanted: str
    ) -> Any:
        """Gives an answer of a verify's read that its verdicts call `wanted`."""
        read = asked.state.index.tools[verify.tool]
        result, path = read.result, asked.call.path
        if wanted == "absent" and result.kind in ("optional", "json", "none"):
            return None
        if wanted == "absent" and result.kind == "bool":
            return False
        key = self._key(read, asked.arguments(verify, names))
        base = self._base(read, asked, value, key)
        if asked.said(verify, names, base) == wanted:
            return base
        fitting = Fitting("it", _present(result), names, self.schema)
        for test in _tests(verify, wanted):
            try:
                found = fitting.fit(test, base)
            except Unfit:
                continue
            if asked.said(verify, names, found) == wanted:
                return found
        raise AskForMock(path, _written(verify, wanted))

    def _base(self, read: Tool, asked: Asked, value: Any, key: str) -> Any:
        """Gives an answer to begin with: what is known of it, else what a step has given."""
        if isinstance(value, Record) and value.name == _present(read.result).name:
            return value
        known = self.reads.get(key)
        if known is not None:
            return known
        made = sample_answer(read, asked.call.args, self.schema)
        if isinstance(made, Record) and isinstance(value, Record):
            shared = {k: v for k, v in value.fields.items() if k in made.fields}
            try:
                return conform(
                    Record(made.name, {**made.fields, **shared}), read.result, self.schema
                )
            except Mismatch:
                return made
        return made

    def _read(self, asked: Asked, until: Formula | None) -> Any:
        """Gives what a read answers: its mock, what is known, or a sample that fits `until`."""
        call, tool = asked.call, asked.tool
        key = self._key(tool, call.args)
        mock = self.script.mock_of(call.path) if call.purpose == "do" else None
        if mock is not None:
            self.reads[key] = mock[0]
            return mock[0]
        if key in self.reads and until is None:
            return self.reads[key]
        found = self.reads.get(key)
        if found is None:
            found = sample_answer(tool, call.args, self.schema)
        if until is not None:
            names = call_names(asked.state, asked.s, True)
            fitting = Fitting("it", _present(tool.result), names, self.schema)
            found = self._fit(asked, fitting, [until], found)
        self.reads[key] = found
        return found

    def _expected(self, asked: Asked) -> Any:
        found = self._read(asked, None)
        baseline = asked.call.name.startswith("baseline:")
        if baseline or not self.script.drifting(asked.call.path):
            return found
        fields = asked.step.expecting.field if asked.step.expecting is not None else ()
        self.reads[self._key(asked.tool, asked.call.args)] = other = _other(found, fields)
        return other

    def _known(self, asked: Asked) -> str:
        """Gives what makes a repeated action the same one for its service."""
        idempotent = asked.tool.idempotent
        if idempotent is None:
            return f"{asked.call.path} {asked.call.generation} {asked.call.attempt}"
        return f"{asked.call.path} {asked.call.key if idempotent.by == 'key' else ''}"

    def _key(self, read: Tool, args: dict[str, Any]) -> str:
        wires = {name: encode(value) for name, value in args.items()}
        return f"{read.name} {json.encode(wires, order='sorted').decode()}"

    def _set(self, here: Standing, key: str, value: Any) -> None:
        here.before.setdefault(key, self.reads.get(key, ABSENT))
        self.reads[key] = value


class Asked:
    """A call with what the kernel knows of its step."""

    def __init__(self, state: State, call: Call) -> None:
        self.state = state
        self.call = call
        self.s: StepState = state.steps[call.path]
        self.step: Step = state.index.step(self.s.number)
        self.tool: Tool = state.index.tools[call.tool]

    @property
    def until(self) -> Formula | None:
        """What the answer of a poll must satisfy."""
        return None if self.step.until is None else self.step.until.test

    @property
    def verify_names(self) -> dict[str, Any]:
        """The names that the step's verify may read."""
        return call_names(self.state, self.s, "verify" in self.step.replaces)

    def arguments(self, verify: Verify, names: dict[str, Any]) -> dict[str, Any]:
        """Gives the arguments of a verify's read."""
        given = spread(self.state, verify.args, names)
        return with_defaults(self.state, self.state.index.tools[verify.tool], given)

    def said(self, verify: Verify, names: dict[str, Any], answer: Any) -> str:
        """Gives what a verify says of an answer."""
        try:
            return verdict(self.state, verify, names, answer)[0]
        except Failed:
            return "unknown"

    def verifying(self) -> tuple[Verify, dict[str, Any], bool]:
        """Gives the verify of this call, its names, and whether it asks about the undo itself."""
        s, call = self.s, self.call
        if call.direction == "undo" and s.undo is not None and s.undo.number:
            check = compensating_verify(self.state, s, self.step, s.descriptors[s.undo_ordinal])
            if check is not None:
                return check[0], check[1], not check[2]
        assert self.step.verify is not None
        return self.step.verify, self.verify_names, False


def _returned(value: Any) -> Reply:
    return Reply(Answer("returned", value), LATENCY)


def _raised(error: str, message: str) -> Reply:
    return Reply(Answer("raised", fault=Fault(error, message), classes=(error,)), LATENCY)


def _present(type_: Type) -> Type:
    return type_.of if type_.kind == "optional" and type_.of is not None else type_


def _tests(verify: Verify, wanted: str) -> list[Node]:
    """Gives the conditions under which each line of a kind is the first that fits, or none is."""
    found: list[Node] = []
    earlier: Node = Literal(True)
    for line in verify.verdicts:
        if line.kind == wanted:
            found.append(Logic("and", line.when.tree, earlier))
        turned = negated(line.when.tree)
        if turned is not None:
            earlier = Logic("and", earlier, turned)
    return [earlier] if wanted == "unknown" else found


def _written(verify: Verify, wanted: str) -> str:
    found = [line.when.source for line in verify.verdicts if line.kind == wanted]
    return " or ".join(found) or f"{wanted} (no verdict of its verify says that)"


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
