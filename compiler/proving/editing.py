"""Edits of statements in their source: a clause added to a step, a step moved behind another."""

from __future__ import annotations

from typing import cast

from ...dsl import nodes as n
from ...dsl.diagnostics import Edit
from ...dsl.parser import Parsed
from ..names.placement import headline
from .spots import Spot


class Editing:
    """The text of the file that a saga stands in, with its statements by where their names are."""

    def __init__(self, parsed: Parsed) -> None:
        self.source = parsed.source
        self.text = parsed.source.text
        self.statements = {
            headline(cast(n.Statement, node)).start: node
            for node in n.walk(parsed.module)
            if isinstance(node, n.StatementNode | n.Requires)
        }

    def clause(self, spot: Spot, words: str) -> tuple[Edit, ...]:
        """Adds a clause to a step or gate, before its block where it has one.

        An `after` that stands there takes the names in, an `else` gives way: neither stands twice.
        """
        return (self._edit(*self._clause(spot, words)),)

    def moved(self, spot: Spot, behind: Spot, words: str = "") -> tuple[Edit, ...]:
        """Moves a statement behind another, with its documentation and a clause added.

        What stands on lines of its own moves with them, and with a comment behind it.
        """
        node = self._node(spot)
        start = node.span.start if node.doc is None else node.doc.span.start
        end = node.span.end
        line, over = self._line_start(start), self._line_end(end)
        target = self._node(behind).span.end
        stop = self._line_end(target)
        whole = line is not None and over is not None and stop is not None
        moving = self.text[start : over if whole else end]
        if words:
            at, until, added = self._clause(spot, words)
            moving = moving[: at - start] + added + moving[until - start :]
        if line is not None and over is not None and stop is not None:
            indent = self.text[line:start]
            return (
                self._edit(line, over + 1, ""),
                self._edit(stop, stop, f"\n{indent}{moving.rstrip()}"),
            )
        space = len(self.text[end:]) - len(self.text[end:].lstrip())
        return (self._edit(start, end + space, ""), self._edit(target, target, f" {moving}"))

    def _node(self, spot: Spot) -> n.StatementNode | n.Requires:
        return self.statements[spot.node.at.start]

    def _clause(self, spot: Spot, words: str) -> tuple[int, int, str]:
        """Gives what a clause replaces, from and to, and the text that stands there instead."""
        node = self._node(spot)
        clauses = node.clauses if isinstance(node, n.Step | n.Gate) else ()
        word, _, rest = words.partition(" ")
        if word == "after" and (waits := n.of(clauses, n.After)):
            return waits[0].span.end, waits[0].span.end, f", {rest}"
        if word == "else" and (policies := n.of(clauses, n.OnFailure)):
            return policies[0].span.start, policies[0].span.end, words
        if blocks := n.of(clauses, n.Overrides):
            return blocks[0].span.start, blocks[0].span.start, f"{words} "
        return node.span.end, node.span.end, f" {words}"

    def _edit(self, start: int, end: int, text: str) -> Edit:
        return Edit(self.source.name, start, end, text)

    def _line_start(self, at: int) -> int | None:
        """Gives where the line of a position starts, None when something stands before it."""
        start = self.text.rfind("\n", 0, at) + 1
        return None if self.text[start:at].strip() else start

    def _line_end(self, at: int) -> int | None:
        """Gives where the line of a position ends, None when more than a comment stands behind."""
        end = self.text.find("\n", at)
        rest = self.text[at : len(self.text) if end < 0 else end].strip()
        return None if end < 0 or (rest and not rest.startswith("#")) else end
