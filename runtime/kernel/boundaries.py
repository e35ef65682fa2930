"""Boundaries: what is rolled back alone, from the failure that reaches it to what follows."""

from __future__ import annotations

from ..events import Event
from ..plan import Scope
from .commands import Append, Command, Survey
from .flow import begin_frame
from .frames import Frame, stir
from .loops import choice_after_item
from .marks import mark, mark_within
from .state import State
from .unwinding import draw_up, next_corrective, next_undo


def wants_of_boundary(state: State, frame: Frame) -> list[Command]:
    """Gives what a boundary inside the saga wants: to be closed, people, or what follows it."""
    outer = frame.parent
    assert outer is not None
    if not frame.closed:
        if frame.failing and not outer.stopped():
            return [give_up(state, frame)]
        return []
    if frame.stage == "closing":
        return landed_meanwhile(state, frame)
    if frame.stage == "over" and frame.path in state.boundaries and not outer.stopped():
        return [_follow(state, frame)]
    return []


def give_up(state: State, frame: Frame) -> Append:
    """Closes a boundary, or asks people when a landed pivot forbids to go back alone."""
    cause = frame.cause or "failed"
    if frame.pivots and not frame.given_up:
        what = "the run was cancelled" if cause == "cancelled" else f"`{frame.failing}` failed"
        event = Event(
            kind="escalated",
            path=frame.failing,
            status="after_pivot",
            data={"summary": f"{what} after {_pivots(frame)}, which nothing takes back"},
            error=frame.error,
        )
        return Append(f"{frame.failing}|escalated|after_pivot|{state.n}", event)
    event = Event(
        kind="scope_closed",
        path=frame.path,
        status=cause,
        cause=frame.cause_n or frame.failing_n,
        error=frame.error,
    )
    return Append(f"{frame.path}|scope_closed|{state.n}", event)


def landed_meanwhile(state: State, frame: Frame) -> list[Command]:
    """Asks people when a pivot that was on its way when a boundary closed has landed since."""
    if frame.busy or not frame.pivots or frame.given_up:
        return []
    going = f"`{frame.path}`" if frame.path else "the run"
    event = Event(
        kind="escalated",
        path=frame.path,
        status="after_pivot",
        data={"summary": f"{_pivots(frame)} landed while {going} was going back"},
        error=frame.error,
    )
    return [Append(f"{frame.path}|escalated|after_pivot|{frame.closed_n}", event)]


def _pivots(frame: Frame) -> str:
    return ", ".join(f"`{path}`" for path in sorted(frame.pivots or ()))


def _follow(state: State, frame: Frame) -> Append:
    if frame.kind in ("item", "candidate"):
        event = choice_after_item(state, frame)
    else:
        event = Event("chosen", path=frame.path, status="failed", error=frame.error)
        node = state.index.entries[frame.owner].statement
        if isinstance(node, Scope) and node.otherwise is not None:
            event.status = "else"
        elif frame.kind == "call":
            event.generation = state.steps[frame.path].generation
    return Append(f"{frame.path}|chosen|{frame.closed_n}", event)


def close(state: State, event: Event) -> None:
    """Folds that a boundary closes: no new forward call; what was not begun is passed over."""
    frame = state.frames[event.path] if event.path else state.root
    frame.closed = event.status
    frame.closed_n = event.n
    frame.failing = ""
    frame.error = event.error or frame.error
    frame.stage = "closing"
    frame.segments = frame.correcting = None
    if frame.parent is None:
        state.finished = ""
        state.until_checkpoint = str(event.data.get("to", ""))
        state.target = state.checkpoints.get(state.until_checkpoint, 0)
    else:
        state.boundaries[frame.path] = frame
        stir(frame.parent, 1, state.turning)
    members = {path for inner in frame.subtree() for path in inner.members}
    for path in members:
        _stop(state, path)
    for command_id, command in list(state.issued.items()):
        purpose = "do" if isinstance(command, Survey) else getattr(command, "purpose", "")
        if purpose in ("do", "remember", "expect") and _place(command) in members:
            del state.issued[command_id]
    state.turning.append(frame)
    mark_within(state, frame)


def _place(command: Command) -> str:
    return getattr(command, "path", "")


def _stop(state: State, path: str) -> None:
    s = state.steps.get(path)
    if s is not None:
        if s.phase == "between":
            s.phase = "failed"
            s.error = s.error or s.do.error
        if path in state.alone:
            del state.alone[path]
            state.going_back.pop(path, None)
        return
    g = state.gates.get(path)
    if g is not None and g.phase == "open":
        g.phase = "closed"
    w = state.pauses.get(path)
    if w is not None and not w.settled:
        w.phase = "closed"
    state.owed.pop(path, None)


def turn(state: State, frame: Frame) -> None:
    """Takes a closed boundary as far back as it can go by itself."""
    if frame.stage == "closing":
        mark(state, frame.path)
        if frame.busy or (frame.pivots and not frame.given_up) or not _slot(frame):
            return
        draw_up(state, frame)
        frame.stage = "undoing"
    if frame.stage == "undoing":
        if next_undo(state, frame):
            return
        frame.stage = "correcting"
        if frame.parent is None and state.until_checkpoint:
            frame.stage = "held"
            mark(state, "")
    if frame.stage == "correcting":
        if next_corrective(state, frame):
            return
        frame.stage = "after"
        block = _aftermath(state, frame)
        if block is not None:
            path = f"{frame.prefix}on rollback"
            begin_frame(state, path, block, frame, {})
            return
        end_rollback(state, frame)


def end_rollback(state: State, frame: Frame) -> None:
    """Notes that a boundary is back: what follows is for the frame around it."""
    frame.stage = "over"
    _forget_pivots(state, frame)
    mark(state, frame.path)
    if frame.parent is None:
        return
    stir(frame.parent, -1, state.turning)
    loop = frame.loop
    if loop is not None and frame.kind == "item":
        loop.undoing -= 1
        if loop.queue:
            state.turning.append(loop.queue.popleft())


def _slot(frame: Frame) -> bool:
    """Takes a place among the items of one `each` that are rolled back at one time."""
    loop = frame.loop
    if loop is None or frame.kind != "item":
        return True
    if loop.undoing >= loop.undo_at_once:
        if not frame.queued:
            frame.queued = True
            loop.queue.append(frame)
        return False
    frame.queued = False
    loop.undoing += 1
    return True


def _aftermath(state: State, frame: Frame) -> int | None:
    if frame.parent is None:
        return state.index.rollback
    if frame.kind == "call":
        blocks = state.index.entries[frame.owner].blocks
        return blocks[1] if len(blocks) > 1 else None
    return None


def _forget_pivots(state: State, frame: Frame) -> None:
    """Pivots that people gave up bind nobody outside any more."""
    given_up = frame.pivots or set[str]()
    if frame.parent is None or not given_up:
        return
    frame.pivots = None
    state.pivots_landed -= given_up
    for outer in frame.parent.chain():
        if outer.pivots is not None:
            outer.pivots -= given_up
