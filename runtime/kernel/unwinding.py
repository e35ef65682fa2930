"""An unwinding: which effects are taken back, in which order, and how many at one time."""

from __future__ import annotations

from .frames import Frame, Loop, Segment
from .marks import mark, mark_undo
from .registry import landed
from .state import UNDO, State, StepState


def draw_up(state: State, frame: Frame) -> None:
    """Draws up what is undone and corrected, once everything in a closed boundary has settled.

    Undos run in the reverse order of confirmation (an effect that may have landed takes its
    intent's place); a step that failed with its effect there comes first.
    """
    there = [
        s
        for inner in frame.subtree()
        for path in inner.members
        if (s := state.steps.get(path)) is not None
        and s.phase != "undone"
        and s.undo_phase != "left"
        and landed(s)
        and (s.confirmed_n or s.intent_n) > (state.target if frame.parent is None else 0)
    ]
    there.sort(key=lambda s: s.confirmed_n or s.intent_n)
    undos = [s for s in there if not s.covered and _takes_undo(state, s)]
    first = [s for s in undos if s.error is not None]
    rest = [s for s in undos if s.error is None]
    frame.segments = _segments(frame, [*rest, *first])
    frame.correcting = [
        (s.path, ordinal)
        for s in there
        for ordinal, effect in reversed(list(enumerate(s.site.tool.effects)))
        if effect.effect_class == "irreversible"
        and effect.corrective is not None
        and ordinal not in s.corrective_status
    ]


def next_undo(state: State, frame: Frame) -> bool:
    """Begins what may be undone now; False when nothing is left."""
    while frame.segments:
        segment = frame.segments[-1]
        while segment.waiting and len(segment.running) < segment.width:
            _run(state, segment, segment.waiting.pop())
        if segment.running:
            return True
        frame.segments.pop()
    return False


def next_corrective(state: State, frame: Frame) -> bool:
    """Begins the next corrective; False when none is left."""
    if not frame.correcting:
        return False
    path, ordinal = frame.correcting[-1]
    state.going_back[path] = ordinal
    mark(state, path)
    return True


def taken_back(state: State, s: StepState) -> None:
    """Goes on in the unwinding that a step belongs to, now that nothing is owed for it there."""
    state.going_back.pop(s.path, None)
    frame: Frame | None = s.frame
    while frame is not None:
        if frame.segments and s.path in frame.segments[-1].running:
            segment = frame.segments[-1]
            lane = segment.running.pop(s.path)
            lane.pop()
            _run(state, segment, lane)
            state.turning.append(frame)
            return
        frame = frame.parent


def corrected(state: State, s: StepState, ordinal: int) -> None:
    """Goes on in the correctives that one of a step's belongs to."""
    if state.going_back.get(s.path) == ordinal:
        del state.going_back[s.path]
    for frame in s.frame.chain():
        if frame.correcting and (s.path, ordinal) in frame.correcting:
            frame.correcting.remove((s.path, ordinal))
            state.turning.append(frame)
    mark(state, "")


def _run(state: State, segment: Segment, lane: list[str]) -> None:
    while lane and not _owes(state, lane[-1]):
        lane.pop()
    if lane:
        segment.running[lane[-1]] = lane
        state.going_back[lane[-1]] = UNDO
        mark_undo(state, state.steps[lane[-1]])


def _owes(state: State, path: str) -> bool:
    s = state.steps[path]
    return s.phase != "undone" and s.undo_phase != "left" and landed(s)


def _segments(frame: Frame, steps: list[StepState]) -> list[Segment]:
    """Cuts an unwinding into stretches, the one to begin with last.

    The steps of the items of one `each` that stand together may be taken back item beside item;
    anything else is one after another.
    """
    found: list[Segment] = []
    last: Loop | None = None
    lanes: dict[int, list[str]] = {}
    for s in reversed(steps):
        item = _item(frame, s)
        loop = item.loop if item is not None else None
        if not found or loop is not last:
            found.append(Segment(loop.undo_at_once if loop else 1, []))
            last, lanes = loop, {}
        place = item.number if item is not None else 0
        if place not in lanes:
            lanes[place] = []
            found[-1].waiting.append(lanes[place])
        lanes[place].append(s.path)
    for segment in found:
        segment.waiting.reverse()
        for lane in segment.waiting:
            lane.reverse()
    found.reverse()
    return found


def _item(frame: Frame, s: StepState) -> Frame | None:
    """Gives the outermost item around a step whose `each` is undone several items at one time."""
    found: Frame | None = None
    for at in s.frame.chain():
        if at is frame:
            break
        if at.kind == "item" and at.loop is not None and at.loop.undo_at_once > 1:
            found = at
    return found


def _takes_undo(state: State, s: StepState) -> bool:
    tool = s.site.tool
    return bool(s.descriptors) or any(e.effect_class != "irreversible" for e in tool.effects)
