"""Nodes of a diagram measured and shaped: outlines, signs and lines of text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .diagram import Look, Node
from .lettering import fit, measure
from .palette import INK, QUIET, STATES, STYLES, State, Style, state_of
from .standings import Standing

ROOM = 290
"""The widest that a line of text may be; what is longer is cut, and stands whole in the tooltip."""
PAD = 14
SIGN = 16
LINE = 17
TITLE = 14
TEXT = 12
DARK: frozenset[Look] = frozenset(("start", "end", "fork"))
"""Looks with light letters in the middle, and neither a sign nor a state."""
LETTERS = ("#ffffff", "#d0d7de")
QUICK: frozenset[Look] = frozenset([
    "let", "requires", "branch", "checkpoint", "sleep", "next", "each", "first", "repeat", "scope",
    "saga", "agent",
])  # fmt: skip
"""Looks whose states need no line of their own: what takes no time, and what is full of states."""
BODIES: frozenset[Look] = frozenset(("each", "first", "repeat", "scope"))
"""Looks of what has no state but those of what is in it."""
MANY = "1,000 {}, 1,000 other"
"""The longest state of what runs many times."""
INSET: Mapping[Look, int] = {"branch": 14, "gate": 6, "checkpoint": 4, "start": 6, "end": 4}
"""How much of its sides an outline takes beyond a rectangle."""


class Run(NamedTuple):
    """A piece of a line in one colour."""

    text: str
    fill: str
    bold: bool = False


class Line(NamedTuple):
    """A line of text on its base line."""

    y: int
    size: int
    runs: tuple[Run, ...]

    @property
    def width(self) -> float:
        """The width of the line in pixels."""
        return sum(measure(run.text, self.size, bold=run.bold) for run in self.runs)


class Box(NamedTuple):
    """A node ready to be drawn, from its upper left corner on.

    `state` is None in a picture of a definition. In one of a run it has the last line of what may
    take time, and stands behind the class of what does not.
    """

    node: Node
    style: Style
    width: int
    height: int
    outline: str
    lines: tuple[Line, ...]
    left: int
    status: str = ""
    state: State | None = None

    @property
    def dark(self) -> bool:
        """Whether its letters are light and stand in the middle."""
        return self.node.look in DARK

    @property
    def fill(self) -> str:
        """Its ground: the state's where there is one."""
        return self.state.fill if self.state and self.status else self.style.fill

    @property
    def sign(self) -> State | None:
        """The state, where it has a sign on a line of its own."""
        return None if self.node.look in QUICK else self.state


def box(node: Node, states: Mapping[str, Standing] | None) -> Box:
    """Measures a node. With states it keeps room for whatever its state may become.

    A step that has no status yet is pending; of all else without one nothing is said. What stands
    in a branch that is not taken is skipped: both branches may hold the same path.
    """
    if states is None or node.look in DARK or not node.path:
        return _measured(node, "", None)
    if any(path in states and side not in states[path].all_of_them for path, side in node.branches):
        return _measured(node, "skipped", state_of("skipped"))
    found = states.get(node.path)
    silent = node.look in ("gate", "wait") or node.look in QUICK
    if found is None or (node.look in BODIES and found.status not in STATES):
        status = "" if silent else "pending"
        return _measured(node, status, state_of(status))
    return _measured(node, found.status, state_of(found.status)._replace(word=found.word))


def around(header: Box, width: int, height: int) -> Box:
    """Gives a box that has room for bodies below its own lines."""
    outline = _outline(header.node.look, width, height)
    return header._replace(width=width, height=height, outline=outline)


def _measured(node: Node, status: str, state: State | None) -> Box:
    style = STYLES[node.look]
    dark = node.look in DARK
    texts = _texts(node, style, running=state is not None)
    reserved = 0.0
    if state:
        word = Run(state.word, state.colour, True)
        longest = MANY if "[*]" in node.path else "{}"
        words = (longest.format(known.word) for known in STATES.values())
        room = max(measure(said, TEXT, bold=True) for said in words)
        if node.look in QUICK:
            texts[1] = (*texts[1], Run("  ", QUIET))
            reserved = _line(1, texts[1]).width + room
            texts[1] = (*texts[1], word)
        else:
            reserved = room
            texts.append((word,))
    lines = tuple(_line(index, runs) for index, runs in enumerate(texts))
    inset = INSET.get(node.look, 0)
    left = inset + PAD + (0 if dark else SIGN + 8)
    widest = max(reserved, *(line.width for line in lines))
    width = 2 * round((left + widest + PAD + inset) / 2)
    height = lines[-1].y + (10 if len(lines) > 1 else 9)
    outline = _outline(node.look, width, height)
    return Box(
        node, style, width, height, outline, lines, width // 2 if dark else left, status, state
    )


def _line(index: int, runs: tuple[Run, ...]) -> Line:
    return Line(22 + LINE * index, TITLE if index == 0 else TEXT, runs)


def _texts(node: Node, style: Style, *, running: bool) -> list[tuple[Run, ...]]:
    """Gives the runs of each line: the name, the class and what is called, what else is said."""
    if node.look == "fork":
        return [(Run(style.word, LETTERS[0], True),)]
    if node.look in DARK:
        title = f"{style.word} {node.title}" if node.look == "end" and node.path else node.title
        shown: list[tuple[Run, ...]] = [
            (Run(fit(title, TITLE, ROOM, bold=True), LETTERS[0], True),)
        ]
        return shown + [(Run(fit(note, TEXT, ROOM), LETTERS[1]),) for note in _packed(node.notes)]
    texts: list[tuple[Run, ...]] = [(Run(fit(node.title, TITLE, ROOM, bold=True), INK, True),)]
    # On the ground of a state, the colour of a class may be hard to read.
    word = Run(style.word, INK if running else style.stroke, True)
    room = ROOM - measure(style.word, TEXT, bold=True)
    said = (Run(fit(f"  {node.subtitle}", TEXT, room), QUIET),) if node.subtitle else ()
    texts.append((word, *said))
    return texts + [(Run(fit(note, TEXT, ROOM), QUIET),) for note in _packed(node.notes)]


def _packed(notes: tuple[str, ...]) -> list[str]:
    """Puts as many notes on a line as have room."""
    lines: list[str] = []
    for note in notes:
        if lines and measure(longer := f"{lines[-1]} · {note}", TEXT) <= ROOM:
            lines[-1] = longer
        else:
            lines.append(note)
    return lines


def _outline(look: Look, width: int, height: int) -> str:
    """Gives the path around a node: people and choices have corners that steps do not have."""
    if look == "branch":
        half = height / 2
        return f"M14 0H{width - 14}L{width} {half:g} {width - 14} {height}H14L0 {half:g}z"
    if look == "gate":
        right, low = width - 10, height - 10
        return f"M10 0H{right}l10 10V{low}l-10 10H10L0 {low}V10z"
    if look == "checkpoint":
        return f"M0 0H{width}l-9 {height / 2:g}L{width} {height}H0z"
    bend = min(height / 2, 18.0) if look in DARK else 8.0
    across, down = width - 2 * bend, height - 2 * bend
    corner = f"a{bend:g} {bend:g} 0 0 1 "
    return (
        f"M{bend:g} 0h{across:g}{corner}{bend:g} {bend:g}v{down:g}"
        f"{corner}-{bend:g} {bend:g}h-{across:g}{corner}-{bend:g}-{bend:g}v-{down:g}"
        f"{corner}{bend:g}-{bend:g}z"
    )
