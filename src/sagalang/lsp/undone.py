"""What an undo takes back, said where it stands."""

from __future__ import annotations

from ..dsl.nodes import Effect, Node, Saga, Step, Tool, Undo, children, of
from ..dsl.span import Span
from .analysis import Analysis
from .program import Program


def undone(analysis: Analysis, offset: int, word: Span) -> str | None:
    """Says what is taken back, for the word `undo` and for the name of what it calls."""
    for program, place in analysis.places(offset):
        by = place - offset
        start, end = word.start + by, word.end + by
        module = program.modules[analysis.text.name]
        around = _around(module.module, start, end)
        undo = next((node for node in reversed(around) if isinstance(node, Undo)), None)
        if undo is not None and start <= undo.call.callee.span.start:
            actions = [node for node in around if isinstance(node, Tool | Step)]
            return _said(program, analysis.text.name, actions[-1]) if actions else None
    return None


def _around(node: Node, start: int, end: int) -> list[Node]:
    """Gives the nodes that hold a range, outer before inner."""
    found: list[Node] = []
    inner: Node | None = node
    while inner is not None:
        found.append(inner)
        inner = next(
            (c for c in children(inner) if c.span.start <= start and end <= c.span.end), None
        )
    return found


def _said(program: Program, module: str, action: Tool | Step) -> str | None:
    if isinstance(action, Tool):
        return f"takes back **`{action.name.text}`**: {_effects(program, module, action)}"
    called = program.catalogue.find(module, action.call.callee.text)
    match called.node if called is not None else None:
        case Tool() as tool if called is not None:
            effects = _effects(program, called.module, tool)
            return f"takes back **`{action.name.text}`**, a call of `{tool.name.text}`: {effects}"
        case Saga(name=name):
            return (
                f"takes back **`{action.name.text}`**: all that `{name.text}` did, once it is over"
            )
        case _:
            return None


def _effects(program: Program, module: str, tool: Tool) -> str:
    source = program.modules[module].source
    told: list[str] = []
    for effect in of(tool.clauses, Effect):
        kind = effect.kind.text + (f"({source.cut(effect.id.span)})" if effect.id else "")
        told.append(f"`{kind}`, {effect.effect_class}")
    return "; ".join(told) or "nothing, it only reads"
