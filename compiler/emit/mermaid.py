"""The Mermaid target: the DAG of a saga as text that many sites and editors draw."""

from __future__ import annotations

from collections.abc import Iterator

from ...runtime.plan import Plan
from .diagram import Edge, Look, Node, draw
from .origin import MERMAID
from .palette import INK, STYLES, Style

SHAPES: dict[Look, tuple[str, str]] = {
    "start": ("([", "])"),
    "end": ("([", "])"),
    "branch": ("{{", "}}"),
    "fork": ("([", "])"),
    "gate": ("{{", "}}"),
    "checkpoint": (">", "]"),
    "requires": ("(", ")"),
    "let": ("(", ")"),
}
LONGEST = 60


def emit_mermaid(plan: Plan) -> str:
    """Gives the flow chart of a saga: one node a line, then the edges, then the looks."""
    diagram = draw(plan)
    looks: list[Look] = sorted({node.look for node in diagram.nodes})
    lines = (
        MERMAID,
        "flowchart TD",
        *(f"  {_node(index, node)}" for index, node in enumerate(diagram.nodes)),
        *(f"  {_edge(edge)}" for edge in diagram.edges),
        *(f"  classDef {_class(look)} {_look(STYLES[look])}" for look in looks),
    )
    return "\n".join(lines) + "\n"


def _node(index: int, node: Node) -> str:
    opening, closing = SHAPES.get(node.look, ("[", "]"))
    label = "<br/>".join(_label(node))
    return f'n{index}{opening}"{label}"{closing}:::{_class(node.look)}'


def _label(node: Node) -> Iterator[str]:
    style = STYLES[node.look]
    if node.look in ("start", "end", "fork"):
        said = f"{style.word} {node.title}" if node.path else node.title
        yield escape(said.strip())
        yield from map(escape, node.notes)
        return
    yield f"{style.glyph} <b>{escape(node.title)}</b>"
    yield escape(f"{style.word} · {node.subtitle}" if node.subtitle else style.word)
    yield from map(escape, node.notes)


def _edge(edge: Edge) -> str:
    label = f"|{edge.label}|" if edge.label else ""
    return f"n{edge.source} -->{label} n{edge.target}"


def _class(look: Look) -> str:
    # `end` is a word of the language.
    return f"{look}Node"


def _look(style: Style) -> str:
    dark = style.fill == style.stroke
    dash = f",stroke-dasharray:{style.dash}" if style.dash else ""
    ink = "#ffffff" if dark else INK
    return (
        f"fill:{style.fill},stroke:{style.stroke},stroke-width:{style.border}px,color:{ink}{dash}"
    )


def escape(text: str) -> str:
    """Gives a text for a label in quotes: all that may mean something to Mermaid as an entity."""
    cut = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return "".join(
        char if char.isalnum() or char in " .,_·…+-/" else f"#{ord(char)};" for char in cut
    )
