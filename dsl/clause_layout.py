"""The canonical layout of the clauses of tools and agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from . import nodes as n
from .layout import SPACE, Group, Layout, Nest
from .list_layout import ListLayout

AnyClause = n.ToolClause | n.AgentClause | n.Verdict


class ClauseLayout(ListLayout):
    """Lays out clauses; what does not fit on the line of one continues one step further in."""

    def clause(self, node: AnyClause) -> Layout:
        """Return a clause without its documentation."""
        match node:
            case n.Binding():
                return self.binding(node)
            case n.NoEffect():
                return "effect none"
            case n.Effect():
                return self.effect(node)
            case n.IdempotentByKey():
                return "idempotent by key" + self.duration(" for ", node.lifetime)
            case n.IdempotentNaturally():
                return "idempotent naturally"
            case n.FailsWith():
                return f"fails with {words(node.errors)}"
            case n.TransientWith():
                return f"transient with {words(node.errors)}"
            case n.DoneWith():
                return f"done with {words(node.errors)}"
            case n.Retry():
                return self.retry(node)
            case n.Timeout():
                after = f"timeout {self.written(node.after)}"
                return after + self.duration(" settle ", node.settle)
            case n.Requires():
                return self.stated("requires ", node.condition, node.message)
            case n.Ensures():
                return self.stated("ensures ", node.condition, node.message)
            case n.Remember():
                call = self.call(node.call)
                return self.with_message((f"remember {node.name.text} = ", call), node.message)
            case n.Applied():
                parts: list[Layout] = []
                if node.gives is not None:
                    parts.append(("gives ", self.value(node.gives)))
                return self.continued(("applied when ", self.value(node.condition)), parts)
            case n.Absent():
                return ("absent when ", self.value(node.condition))
            case n.Conflict():
                return ("conflict when ", self.value(node.condition))
            case n.Verify():
                return self.verify(node)
            case n.VerifyAlways():
                return "verify always"
            case n.Evidence():
                head = ("evidence ", self.call(node.call), f" weight {self.written(node.weight)} ")
                return (head, self.verdicts(node, node.verdicts, node.weight.span.end))
            case n.AcceptEvidence():
                least, impact = self.written(node.least), self.written(node.below_impact)
                return f"accept evidence >= {least} below impact {impact}"
            case n.Undo():
                return self.undo(node)
            case n.Commutes():
                return "commutes" if node.other is None else f"commutes with {node.other.text}"
            case n.Reads():
                return (f"reads {node.kind.text}", self.identity(node.id))
            case n.OnUnknownEscalate():
                return "on unknown escalate"
            case n.BetweenRuns():
                return f"between runs {node.policy}"
            case n.Service():
                return f"service {self.written(node.name)}"
            case n.Runbook():
                return f"runbook {self.written(node.text)}"
            case n.MayUse():
                return self.may_use(node)
            case _:
                assert_never(node)

    def binding(self, node: n.Binding) -> Layout:
        target = "" if node.target is None else f" {self.written(node.target)}"
        arguments: Layout = ""
        if node.arguments is not None:
            arguments = (" ", self.arguments(node.arguments))
        return (f"call {node.language.text}{target}", arguments)

    def effect(self, node: n.Effect) -> Layout:
        impact = "" if node.impact is None else f" impact {self.written(node.impact)}"
        head: Layout = (
            f"effect {node.kind.text}",
            self.identity(node.id),
            f" {node.effect_class}{impact}",
        )
        if node.corrective is None:
            return head
        action, group = node.corrective.action, node.corrective.group
        done = self.text(action) if isinstance(action, n.TextLiteral) else self.call(action)
        needs = "" if group is None else f" needs {self.written(group)}"
        return self.continued(head, [("corrective ", done, needs)])

    def identity(self, node: n.Expr | None) -> Layout:
        return "" if node is None else ("(", self.value(node), ")")

    def retry(self, node: n.Retry) -> Layout:
        if isinstance(node.attempts, n.IntLiteral):
            often = f"{self.written(node.attempts)} times"
        else:
            often = node.attempts
        if node.every is None:
            return f"retry {often}"
        pauses = f"{self.written(node.every.shortest)}..{self.written(node.every.longest)}"
        return f"retry {often} every {pauses}"

    def verify(self, node: n.Verify) -> Layout:
        after = self.duration(" consistent after ", node.consistent_after)
        head: Layout = ("verify ", self.call(node.call), after)
        if node.verdicts is None:
            return head
        last = node.consistent_after or node.call
        return (head, " ", self.verdicts(node, node.verdicts, last.span.end))

    def verdicts(self, node: n.Node, verdicts: Sequence[n.Verdict], start: int) -> Layout:
        return self.braces(verdicts, start, node.span.end, self.clause, most=2)

    def undo(self, node: n.Undo) -> Layout:
        parts: list[Layout] = []
        if node.condition is not None:
            parts.append(("when ", self.value(node.condition)))
        if node.within is not None:
            parts.append(f"within {self.written(node.within)}")
        head = self.continued(("undo ", self.call(node.call)), parts)
        if not node.clauses:
            return head
        last = node.within or node.condition or node.call
        return (head, " ", self.braces(node.clauses, last.span.end, node.span.end, self.clause))

    def may_use(self, node: n.MayUse) -> Layout:
        limit = "" if node.limit is None else f" at most {self.written(node.limit)} calls"
        tools = [
            tool.name.text + ("" if tool.group is None else f" needs {self.written(tool.group)}")
            for tool in node.tools
        ]
        return self.commas("may use ", [*tools[:-1], tools[-1] + limit])

    def stated(self, word: str, condition: n.Expr, message: n.TextLiteral | None) -> Layout:
        """Lay out a condition with what is said when it does not hold."""
        return self.with_message((word, self.value(condition)), message)

    def with_message(self, head: Layout, message: n.TextLiteral | None) -> Layout:
        parts = [] if message is None else [f"else {self.text(message)}"]
        return self.continued(head, parts)

    def continued(self, head: Layout, parts: Sequence[Layout]) -> Layout:
        """Lay out a head and its parts: on one line, or each part on a line one step in."""
        if not parts:
            return head
        return Group((head, Nest(tuple((SPACE, part) for part in parts))))

    def commas(self, word: str, parts: Sequence[Layout]) -> Layout:
        """Lay out a word and a list that has no brackets, so no last comma either."""
        inner = [(part, "," if i + 1 < len(parts) else "") for i, part in enumerate(parts)]
        return Group(
            (word, Nest(tuple((SPACE, part) if i else part for i, part in enumerate(inner))))
        )

    def duration(self, word: str, node: n.Duration | None) -> str:
        return "" if node is None else word + self.written(node)


def words(names: Sequence[n.Name]) -> str:
    """Return names with commas between them."""
    return ", ".join(name.text for name in names)
