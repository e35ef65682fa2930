"""The Mermaid target: the DAG of a saga as text that many sites and editors draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...runtime.plan import Plan
from .diagram import Look, Node, Panel
from .flow import draw
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
    "wait": ("{{", "}}"),
    "sleep": ("(", ")"),
    "next": ("([", "])"),
    "agent": ("[[", "]]"),
    "saga": ("[[", "]]"),
}
LONGEST = 60


def emit_mermaid(plan: Plan) -> str:
    """Gives the flow chart of a saga: the nodes, bodies as subgraphs, then the edges, the looks."""
    nodes, panels = draw(plan)
    looks: list[Look] = sorted({node.look for node in nodes})
    lines = (
        MERMAID,
        "flowchart TD",
        *_nodes(nodes, panels, "  "),
        *(f"  {edge}" for edge in _edges(nodes, panels)),
        *(f"  n0 -.-> n{index}" for panel in panels[1:] for index in panel.nodes),
        *(f"  class {name} {_class(look)}" for name, look in _frames(nodes)),
        *(f"  classDef {_class(look)} {_look(STYLES[look])}" for look in looks),
    )
    return "\n".join(lines) + "\n"


def _nodes(nodes: Sequence[Node], panels: Sequence[Panel], margin: str) -> Iterator[str]:
    inner = margin + "  "
    for index in (index for panel in panels for index in panel.nodes):
        node = nodes[index]
        if not _full(node):
            yield margin + _node(index, node)
            continue
        # Mermaid draws the second line of a title over what is inside: the rest is a node.
        title, *rest = _label(node)
        yield f'{margin}subgraph n{index}["{title}"]'
        yield f"{inner}direction TB"
        yield f'{inner}n{index}_is("{"<br/>".join(rest)}"):::{_class(node.look)}'
        for number, panel in enumerate(node.panels):
            if panel.caption:
                said = escape(panel.caption.partition(":")[0])
                yield f'{inner}subgraph n{index}_{number}["{said}"]'
                yield f"{inner}  direction TB"
                yield from _nodes(nodes, (panel,), inner + "  ")
                yield f"{inner}end"
            else:
                yield from _nodes(nodes, (panel,), inner)
        yield f"{margin}end"


def _edges(nodes: Sequence[Node], panels: Sequence[Panel]) -> Iterator[str]:
    for panel in panels:
        for source, target, label in panel.edges:
            yield f"n{source} -->{f'|{label}|' if label else ''} n{target}"
        for index in panel.nodes:
            inside = nodes[index].panels
            for number, inner in enumerate(inside):
                if inner.caption:
                    yield f"n{index}_is -.-> n{index}_{number}"
                    continue
                arrow = "---" if inner.free else "-.->" if number else "-->"
                later = {edge.target for edge in inner.edges}
                starts = [node for node in inner.nodes if node not in later]
                yield from (f"n{index}_is {arrow} n{start}" for start in starts)
            yield from _edges(nodes, inside)


def _frames(nodes: Sequence[Node]) -> Iterator[tuple[str, Look]]:
    """Gives the subgraphs: a look cannot be said where one is opened."""
    for index, node in enumerate(nodes):
        if _full(node):
            yield f"n{index}", node.look
            for number, panel in enumerate(node.panels):
                if panel.caption:
                    yield f"n{index}_{number}", node.look


def _full(node: Node) -> bool:
    """Whether there is something in a node's bodies: an empty subgraph is drawn badly."""
    return any(panel.nodes for panel in node.panels)


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


def _class(look: Look) -> str:
    # `end` is a word of Mermaid.
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
