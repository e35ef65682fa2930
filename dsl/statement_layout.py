"""The canonical layout of the statements of sagas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from . import nodes as n
from .clause_layout import ClauseLayout, words
from .expression_layout import SUM
from .layout import Layout

StatementClause = n.StepClause | n.EachClause | n.GateClause | n.Lapse


class StatementLayout(ClauseLayout):
    """Lays out statements; blocks always have a line for each statement."""

    def block(self, node: n.Block) -> Layout:
        """Return `{ statements }`."""
        return self.long_braces(node.statements, node.span.start, node.span.end, self.statement)

    def statement(self, node: n.Statement) -> Layout:
        """Return a statement without its documentation."""
        match node:
            case n.Step():
                head: Layout = (f"step {node.name.text} = ", self.call(node.call))
                return self.continued(head, self.clauses(node.clauses))
            case n.Let():
                return (f"let {node.name.text} = ", self.value(node.value))
            case n.Requires() | n.Runbook():
                return self.clause(node)
            case n.If():
                return (
                    ("if ", self.value(node.condition), " "),
                    self.branches(node.then, node.otherwise),
                )
            case n.Parallel():
                return ("parallel ", self.block(node.body))
            case n.Each():
                return self.loop(f"each {node.name.text} = {node.variable.text} in ", node)
            case n.First():
                return self.loop(f"first {node.name.text} = {node.variable.text} in ", node)
            case n.Repeat():
                head = (
                    f"repeat {node.name.text} = {node.variable.text} from ",
                    self.value(node.start),
                    f" at most {self.written(node.limit)} times",
                )
                return (
                    self.continued(head, self.clauses(node.clauses)),
                    " ",
                    self.block(node.body),
                )
            case n.Next():
                return ("next ", self.value(node.value))
            case n.Scope():
                head = self.continued(f"scope {node.name.text}", self.clauses(node.clauses))
                return (head, " ", self.branches(node.body, node.otherwise))
            case n.Gate():
                return self.gate(node)
            case n.Wait():
                head = f"wait {node.name.text}: {self.type(node.type)}"
                return self.continued(head, self.clauses(node.clauses))
            case n.Sleep():
                return f"sleep {self.written(node.duration)}"
            case n.Checkpoint():
                return f"checkpoint {node.name.text}"
            case n.Deadline():
                return f"deadline {self.written(node.duration)}"
            case n.Guard():
                needs = f" needs {self.written(node.group)}"
                return ("guard readiness >= ", self.value(node.least, SUM), needs)
            case n.OnRollback():
                return ("on rollback ", self.block(node.body))
            case n.Promise():
                return self.promise(node)
            case n.Return():
                return ("return ", self.value(node.value))
            case _:
                assert_never(node)

    def branches(self, body: n.Block, otherwise: n.Block | None) -> Layout:
        first = self.block(body)
        return first if otherwise is None else (first, " else ", self.block(otherwise))

    def loop(self, head: str, node: n.Each | n.First) -> Layout:
        opening = self.continued((head, self.value(node.items)), self.clauses(node.clauses))
        return (opening, " ", self.block(node.body))

    def gate(self, node: n.Gate) -> Layout:
        count = "" if node.count is None else f"{self.written(node.count)} of "
        head = f"gate {node.name.text} needs {count}{self.written(node.group)} "
        shows = self.commas("shows ", [self.value(shown) for shown in node.shows])
        return self.continued((head, shows), self.clauses(node.clauses))

    def promise(self, node: n.Promise) -> Layout:
        until = f" until {words(node.until)}" if node.until else ""
        match node.promised:
            case n.PromiseReversible():
                return f"promise reversible{until}"
            case n.PromiseReadiness():
                return ("promise readiness >= ", self.value(node.promised.least, SUM), until)
            case n.PromiseGated():
                return f"promise gated impact >= {self.written(node.promised.impact)}{until}"
            case _:
                assert_never(node.promised)

    def clauses(self, nodes: Sequence[StatementClause]) -> list[Layout]:
        return [self.statement_clause(node) for node in nodes]

    def statement_clause(self, node: StatementClause) -> Layout:
        match node:
            case n.When():
                return ("when ", self.value(node.condition))
            case n.After():
                return f"after {words(node.names)}"
            case n.ActsAs():
                return f"as {self.written(node.agent)}"
            case n.OnFailure():
                return f"else {node.policy}"
            case n.Until():
                pace = f" every {self.written(node.every)} within {self.written(node.within)}"
                return ("until ", self.value(node.condition), pace)
            case n.Expecting():
                fields = "".join(f".{name.text}" for name in node.fields)
                since = f"{fields} unchanged since {node.since.text}"
                return ("expecting ", self.call(node.call), since)
            case n.AcceptIrreversible():
                return f"accept irreversible because {self.text(node.reason)}"
            case n.Overrides():
                return self.braces(node.clauses, node.span.start, node.span.end, self.clause)
            case n.ItemKey():
                return ("by ", self.value(node.key))
            case n.AtOnce():
                return f"at most {self.written(node.limit)} at once"
            case n.UndoAtOnce():
                return f"undo {self.written(node.limit)} at once"
            case n.Tolerate():
                return f"tolerate {self.written(node.limit)}"
            case n.Lapse():
                otherwise = "" if node.policy is None else f" else {node.policy}"
                return f"within {self.written(node.within)}{otherwise}"
            case n.IncludingInitiator():
                return "including initiator"
            case _:
                assert_never(node)
