"""Colours, borders, signs and words of nodes: no class or state is told by its colour alone.

All texts on their grounds have a contrast of 4.5 or more, all borders and signs of 3 or more
(WCAG 2.2, level AA); a test computes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .diagram import Look

INK = "#1f2328"
"""Titles."""
QUIET = "#4d5661"
"""Subtitles, notes, edges and their labels."""
GROUND = "#ffffff"


class Style(NamedTuple):
    """How a class of nodes looks: its word, its sign (a path in a square of 16), ground, border."""

    word: str
    glyph: str
    sign: str
    fill: str
    stroke: str
    border: float = 1.5
    dash: str = ""


class State(NamedTuple):
    """How a state of a run looks: its word, its sign, its colour, the ground of the node."""

    word: str
    glyph: str
    sign: str
    colour: str
    fill: str


_UNDO = "M4 6h5.5a3.25 3.25 0 0 1 0 6.5H6M6.8 3 3.8 6l3 3"
_AGAIN = "M12.9 9.2A5 5 0 1 1 11.6 4.4L13 5.8M13 2.6v3.2H9.8"
_LOCK = "M4 7.5h8v6H4zM5.7 7.5V5.3a2.3 2.3 0 0 1 4.6 0v2.2"
_CHECK = "M3 8.5l3.3 3.3L13 4.6"
_EYE = (
    "M1.8 8S4 4 8 4s6.2 4 6.2 4S12 12 8 12 1.8 8 1.8 8z"
    "M8 6.4a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2z"
)
_PERSON = (
    "M8 2.4a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2zM2.8 13.6c.4-3 2.4-4.4 5.2-4.4s4.8 1.4 5.2 4.4"
)
_FLAG = "M4 14V2.5h8.2L10 5.6l2.2 3H4"
_SHIELD = "M8 2.2l4.8 1.7v3.7c0 3.2-2 5.2-4.8 6.2-2.8-1-4.8-3-4.8-6.2V3.9z"
_EQUALS = "M3.5 6.2h9M3.5 9.8h9"
_CROSS = "M4 4l8 8M12 4l-8 8"
_PLAY = "M5 3.2v9.6l7.6-4.8z"
_PAUSE = "M5.4 3.5v9M10.6 3.5v9"
_QUESTION = "M5.3 5.6a2.7 2.7 0 1 1 4 2.5c-.9.5-1.3 1-1.3 2M8 12.6v.4"
_DASH = "M3.5 8h9"
_REPEAT = "M3 8a5 5 0 0 1 8.6-3.5L13 6M13 3v3h-3M13 8a5 5 0 0 1-8.6 3.5L3 10M3 13v-3h3"
_STACK = "M2.5 5.2 8 2.6l5.5 2.6L8 7.8zM2.5 8 8 10.6 13.5 8M2.5 10.8 8 13.4l5.5-2.6"
_STAIRS = "M2.5 13h3.6V9.6h3.6V6.2h3.6M10.6 3.4l2.9 2.8-2.9 2.8"
_FRAME = "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3"
_SAGA = "M3 3h10v10H3zM6.2 5.6v4.8L10.4 8z"
_SPARK = "M8 2l1.5 4.5L14 8l-4.5 1.5L8 14l-1.5-4.5L2 8l4.5-1.5z"
_MAIL = "M2.5 4h11v8h-11zM2.5 4.6 8 9l5.5-4.4"
_CLOCK = "M8 2.4a5.6 5.6 0 1 0 0 11.2A5.6 5.6 0 0 0 8 2.4zM8 5v3.2l2.2 1.4"
_NEXT = "M3 8h9M8.6 4.4 12.2 8l-3.6 3.6"
_BACK = "M13 3.5v4a2.5 2.5 0 0 1-2.5 2.5H3.5M6.3 7 3.3 10l3 3"
_DOT = "M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z"

STYLES: Mapping[Look, Style] = {
    "start": Style("saga", "●", _PLAY, INK, INK),
    "end": Style("return", "●", _CHECK, INK, INK),
    "branch": Style("if", "?", _QUESTION, "#f4f5f7", "#59636e"),
    "fork": Style("parallel", "∥", _PAUSE, "#4d5661", "#4d5661"),
    "read": Style("read", "○", _EYE, "#ffffff", "#6a7480", 1.25),
    "reversible": Style("reversible", "↩", _UNDO, "#eaf6ee", "#1a7f4b", 1.75),
    "compensatable": Style("compensatable", "↺", _AGAIN, "#eaf2fd", "#2563b8", 1.75, "7 3"),
    "irreversible": Style("pivot, irreversible", "◆", _LOCK, "#fdeeec", "#b42318", 3),
    "final": Style("irreversible", "◆", _LOCK, "#fdf4f3", "#b42318", 1.5),
    "accepted": Style("irreversible, accepted", "◇", _LOCK, "#fef3e2", "#96560a", 2.5, "10 4"),
    "restoring": Style("restoring", "↶", _UNDO, "#eef6f6", "#0f6b6b", 1.75),
    "gate": Style("gate", "✋", _PERSON, "#f4eefc", "#6d3fb2", 1.75),
    "checkpoint": Style("checkpoint", "⚑", _FLAG, "#e6f5f7", "#0c6b78", 1.5),
    "requires": Style("requires", "✓", _SHIELD, "#f4f5f7", "#59636e", 1.25, "3 3"),
    "let": Style("let", "=", _EQUALS, "#f9fafb", "#6a7480", 1.25, "3 3"),
    "wait": Style("wait", "✉", _MAIL, "#f4eefc", "#6d3fb2", 1.75, "7 3"),
    "sleep": Style("sleep", "◷", _CLOCK, "#f4f5f7", "#59636e", 1.25),
    "next": Style("next", "→", _NEXT, "#f4f5f7", "#59636e", 1.25),
    "each": Style("each", "≡", _STACK, "#f6f9fd", "#3b6ea5", 1.5),
    "first": Style("first", "▷", _STAIRS, "#f6f9fd", "#3b6ea5", 1.5, "7 3"),
    "repeat": Style("repeat", "↻", _REPEAT, "#f6f9fd", "#3b6ea5", 1.5, "2 3"),
    "scope": Style("scope", "▢", _FRAME, "#fafaf7", "#6b6a4a", 1.5),
    "saga": Style("saga", "▣", _SAGA, "#f7f8f9", "#4d5661", 2.25),
    "agent": Style("agent", "✦", _SPARK, "#fbf6fd", "#8a3fa0", 1.75),
    "undo": Style("undo", "↶", _UNDO, "#f7f8f9", "#0f6b6b", 1.5, "3 3"),
    "after": Style("after the undos", "↵", _BACK, "#f7f8f9", "#59636e", 1.5, "3 3"),
}

_DONE = State("succeeded", "✓", _CHECK, "#116637", "#d8f3e0")
_FAILED = State("failed", "✕", _CROSS, "#a4161a", "#fbdcd9")
_PENDING = State("pending", "○", _DOT, "#59636e", "#ffffff")
_SKIPPED = State("skipped", "–", _DASH, "#59636e", "#f0f1f3")
_WAITING = State("waiting", "⏸", _PAUSE, "#6d3fb2", "#efe4fd")

STATES: Mapping[str, State] = {
    "pending": _PENDING,
    "in_flight": State("running", "▶", _PLAY, "#0b5cad", "#dcecfd"),
    "unknown": State("unknown", "?", _QUESTION, "#7a5200", "#fff3c4"),
    "succeeded": _DONE,
    "failed": _FAILED,
    "skipped": _SKIPPED,
    "compensating": State("undoing", "↶", _UNDO, "#7426d9", "#f1e6ff"),
    "compensated": State("undone", "↶", _UNDO, "#55406f", "#e9e4f0"),
    "compensation_failed": State("undo failed", "✕", _CROSS, "#8f0a0a", "#ffc9c4"),
    # What people and choices come to.
    "ready": _PENDING,
    "open": _WAITING,
    "waiting": _WAITING,
    "approved": _DONE._replace(word="approved"),
    "rejected": _FAILED._replace(word="rejected"),
    "lapsed": _FAILED._replace(word="lapsed"),
    "closed": _SKIPPED._replace(word="closed"),
    "then": _DONE._replace(word="yes"),
    "else": _DONE._replace(word="no"),
    "met": _DONE._replace(word="met"),
    "value": _DONE._replace(word="done"),
    "completed": _DONE,
    "settled": _DONE._replace(word="done"),
}
"""By status, as the runtime says it of steps, gates, and choices."""


def state_of(status: str) -> State:
    """Gives how a status looks; one that is not known here is shown by its own word."""
    if not status:
        return State("", "", "M0 0", QUIET, GROUND)
    known = STATES.get(status)
    return known or STATES["pending"]._replace(word=status.replace("_", " "))
