"""The canonical layout of scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from . import nodes as n
from .expression_layout import SUM
from .layout import Layout
from .statement_layout import StatementLayout


class ScenarioLayout(StatementLayout):
    """Lays out scenarios, each item on a line of its own."""

    def scenario(self, node: n.Scenario) -> Layout:
        """Return a scenario without its documentation."""
        head = f"scenario {self.written(node.title)} for {node.saga.text} "
        return (head, self.long_braces(node.items, node.saga.span.end, node.span.end, self.item))

    def item(self, node: n.Item) -> Layout:
        match node:
            case n.Given():
                return (f"given {node.name.text} = ", self.value(node.value))
            case n.Mock():
                return ("mock ", self.path(node.path), " = ", self.value(node.value))
            case n.MockCall():
                rest = " else continue" if node.goes_on else ""
                return ("mock ", self.path(node.path), " calls ", self.call(node.call), rest)
            case n.Fail():
                times = "" if node.times is None else f" {self.written(node.times)} times"
                return ("fail ", self.path(node.path), f" with {self.written(node.error)}{times}")
            case n.Crash():
                return ("crash ", self.path(node.path), f" {node.moment} {node.of}")
            case n.TimesOut():
                landing = self.duration(" landing after ", node.landing_after)
                return ("timeout ", self.path(node.path), landing)
            case n.Lose():
                return ("lose ", self.path(node.path))
            case n.Drift():
                return ("drift ", self.path(node.path))
            case n.RefuseUndo():
                return ("refuse undo ", self.path(node.path))
            case n.Approve():
                return ("approve ", self.path(node.gate), f" by {self.written(node.by)}")
            case n.Reject():
                return ("reject ", self.path(node.gate))
            case n.Signal():
                return ("signal ", self.path(node.wait), " = ", self.value(node.value))
            case n.CancelAt():
                return ("cancel at ", self.path(node.path))
            case n.LogDownAt():
                return ("log down at ", self.path(node.path))
            case n.ExpectStatus():
                return f"expect {node.status}"
            case n.ExpectDone():
                return self.paths("expect done ", node.paths)
            case n.ExpectUndone():
                return self.paths("expect undone ", node.paths)
            case n.ExpectNotCalled():
                return ("expect not called ", self.path(node.path))
            case n.ExpectCorrective():
                return ("expect corrective ", self.path(node.path))
            case n.ExpectReadiness():
                return ("expect readiness >= ", self.value(node.least, SUM))
            case n.ExpectResult():
                return ("expect result ", self.value(node.value))
            case _:
                assert_never(node)

    def paths(self, word: str, paths: Sequence[n.Path]) -> Layout:
        return self.commas(word, [self.path(path) for path in paths])

    def path(self, node: n.Path) -> Layout:
        parts: list[Layout] = []
        for i, segment in enumerate(node.segments):
            parts.append(("." if i else "") + segment.name.text)
            if segment.key is not None:
                parts += ("[", self.value(segment.key), "]")
        return tuple(parts)
