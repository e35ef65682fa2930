"""A call of the kernel with all that a simulated service may need to know to answer it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..expressions import Failed
from ..formula import Formula
from ..kernel.clauses import call_names, compensating_verify, spread, with_defaults
from ..kernel.commands import Call
from ..kernel.state import State, StepState
from ..kernel.verdicts import verdict
from ..plan import Argument, Step, Tool, Verdict, Verify


@dataclass(frozen=True, slots=True)
class Question:
    """What a verify or a witness asks: the read, its arguments, its verdicts, and their names.

    `own` is true for an undo's own verify, which asks whether the undo has happened.
    """

    read: Tool
    args: dict[str, Any]
    lines: tuple[Verdict, ...]
    names: Mapping[str, Any]
    state: State
    own: bool = False

    def said(self, answer: Any) -> str:
        """Gives what an answer says."""
        try:
            return verdict(self.state, self.lines, lambda: self.names, answer)[0]
        except Failed:
            return "unknown"

    def written(self, wanted: str) -> str:
        """Gives the conditions of the lines of a kind as written."""
        found = [line.when.source for line in self.lines if line.kind == wanted]
        return " or ".join(found) or f"{wanted} (no verdict says that)"


class Asked:
    """A call with what the kernel knows of its step."""

    def __init__(self, state: State, call: Call) -> None:
        self.state = state
        self.call = call
        self.s: StepState = state.steps[call.path]
        self.step: Step = self.s.site.step
        self.tool: Tool = state.index.tools[call.tool]

    @property
    def until(self) -> Formula | None:
        """What the answer of a poll must satisfy."""
        return None if self.step.until is None else self.step.until.test

    def names(self, replaced: bool = False) -> Mapping[str, Any]:
        """Gives the names that the tool's clauses, or those of the step's own block, may read."""
        return call_names(self.state, self.s, replaced)

    @property
    def verify(self) -> Question | None:
        """What the verify of the action asks, if there is one."""
        verify = self.step.verify
        if verify is None:
            return None
        return self._question(verify, self.names("verify" in self.step.replaces))

    def question(self) -> Question:
        """Gives what this call of a verify or of a witness asks."""
        s, call = self.s, self.call
        if call.purpose == "evidence":
            evidence = self.s.site.tool.evidence[int(call.name.split(" ")[0])]
            return self._put(evidence.tool, evidence.args, evidence.verdicts, self.names())
        if call.direction == "undo" and s.undo is not None and s.undo.number:
            check = compensating_verify(self.state, s, self.step, s.descriptors[s.undo_ordinal])
            if check is not None:
                return self._question(check[0], check[1](), own=not check[2])
        asked = self.verify
        assert asked is not None
        return asked

    def _question(self, verify: Verify, names: Mapping[str, Any], own: bool = False) -> Question:
        return self._put(verify.tool, verify.args, verify.verdicts, names, own)

    def _put(
        self,
        tool: str,
        args: tuple[Argument, ...],
        lines: tuple[Verdict, ...],
        names: Mapping[str, Any],
        own: bool = False,
    ) -> Question:
        read = self.state.index.tools[tool]
        given = with_defaults(self.state, read, spread(self.state, args, names))
        return Question(read, given, lines, names, self.state, own)
