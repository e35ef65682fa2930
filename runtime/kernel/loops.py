"""Bodies that run more than once: `each`, `first`, `repeat`, from their items to their value."""

from __future__ import annotations

from typing import Any

from ..display import Unshowable, quote, show
from ..events import Event, Fault
from ..expressions import Failed
from ..plan import Each, First, Next, Repeat
from ..scalars import kind_of
from ..values import decode, encode
from .clauses import value_of
from .flow import begin_frame
from .frames import Frame, Loop
from .marks import fold_failure, mark, settle_value
from .state import State


def choice_of_items(state: State, frame: Frame, number: int) -> Event:
    """Gives the choice that fixes what a loop runs over; raises `Failed` and what `encode` does."""
    path = frame.prefix + state.index.entries[number].local
    node = state.index.entries[number].statement
    if isinstance(node, Repeat):
        begun = encode(value_of(state, frame, node.start))
        return Event("chosen", path=path, status="items", result=begun)
    assert isinstance(node, Each | First)
    items: list[Any] = value_of(state, frame, node.items)
    if kind_of(items) is not list:
        raise Failed(f"`{node.name}` does not run over a list")
    if isinstance(node, First) and not items:
        raise Failed(f"none of 0 items of `{path}`: its list is empty")
    event = Event("chosen", path=path, status="items", result=encode(items))
    if node.by is not None:
        event.data = {"keys": _keys(state, frame, node, items)}
    return event


def _keys(state: State, frame: Frame, node: Each | First, items: list[Any]) -> list[str]:
    assert node.by is not None
    found: dict[str, int] = {}
    for position, item in enumerate(items):
        key = value_of(state, frame, node.by, {node.variable: item})
        encode(key)
        try:
            shown = quote(key) if isinstance(key, str) else show(key)
        except Unshowable as reason:
            raise Failed(f"the key of item {position} of `{node.name}`: {reason}") from reason
        if shown in found:
            raise Failed(
                f"items {found[shown]} and {position} of `{node.name}` have the same key {shown}"
            )
        found[shown] = position
    return list(found)


def begin_loop(state: State, frame: Frame, number: int, event: Event) -> None:
    """Folds what a loop runs over, and begins its first items."""
    path = event.path
    given = decode(event.result)
    items = [given] if isinstance(state.index.entries[number].statement, Repeat) else given
    keys = event.data.get("keys") or [str(k) for k in range(len(items))]
    node = state.index.entries[number].statement
    wide = node.undo_at_once if isinstance(node, Each) else 1
    state.loops[path] = Loop(path, frame, number, items, keys, [None] * len(items), wide)
    go_on(state, state.loops[path])


def begin_again(state: State, frame: Frame, number: int) -> None:
    """Begins a loop whose items are on record, when the frame around it runs anew."""
    loop = state.loops[frame.prefix + state.index.entries[number].local]
    if isinstance(state.index.entries[number].statement, Repeat):
        loop.items, loop.keys = loop.items[:1], loop.keys[:1]
    loop.frame = frame
    loop.returns = [None] * len(loop.items)
    loop.begun = loop.live = loop.over = loop.failures = loop.undoing = 0
    loop.queue.clear()
    go_on(state, loop)


def go_on(state: State, loop: Loop) -> None:
    """Begins the next items, as many as may run at one time, or settles the loop after the last."""
    entry = state.index.entries[loop.number]
    node = entry.statement
    assert isinstance(node, Each | First | Repeat)
    width = node.at_once if isinstance(node, Each) else 1
    while loop.begun < len(loop.items) and loop.live < width and not loop.frame.stopped():
        position = loop.begun
        loop.begun += 1
        path = f"{loop.path}[{loop.keys[position]}]"
        if path in state.choices:
            loop.failures += 1
            loop.over += 1
            continue
        loop.live += 1
        begin_frame(
            state,
            path,
            entry.blocks[0],
            loop.frame,
            {node.variable: loop.items[position]},
            loop=loop,
            number=position,
            boundary=isinstance(node, First) or (isinstance(node, Each) and node.tolerate > 0),
        )
    if loop.over == len(loop.items):
        settle_value(state, loop.frame, loop.number, list(loop.returns))


def end_item(state: State, frame: Frame) -> None:
    """Folds that the body of an item or round has run to its end."""
    loop = frame.loop
    assert loop is not None
    frame.progress = None
    loop.live -= 1
    loop.over += 1
    loop.returns[frame.number] = frame.returned
    if frame.kind == "candidate":
        settle_value(state, loop.frame, loop.number, frame.returned)
        return
    if frame.kind == "round" and frame.following is not None:
        loop.items.append(frame.following)
        loop.keys.append(str(len(loop.items) - 1))
        loop.returns.append(None)
    go_on(state, loop)


def choice_after_item(state: State, frame: Frame) -> Event:
    """Gives what follows when an item has been rolled back alone."""
    loop = frame.loop
    assert loop is not None
    node = state.index.entries[loop.number].statement
    event = Event("chosen", path=frame.path, status="failed", error=frame.error)
    if isinstance(node, Each):
        if loop.failures < node.tolerate:
            event.status = "tolerated"
    elif loop.over + 1 < len(loop.items):
        event.status = "rolled_back"
    else:
        said = f": {frame.error.message}" if frame.error and frame.error.message else ""
        event.error = Fault(
            "NoneLeft", f"none of {len(loop.items)} items of `{loop.path}` succeeded{said}"
        )
    return event


def after_item(state: State, frame: Frame, event: Event) -> None:
    """Folds what follows an item that has been rolled back alone."""
    loop = frame.loop
    assert loop is not None
    frame.progress = None
    loop.live -= 1
    loop.over += 1
    loop.failures += 1
    if event.status == "failed":
        # Should it run anew, none of them has been decided.
        for key in loop.keys[: loop.begun]:
            state.choices.pop(f"{loop.path}[{key}]", None)
        fold_failure(state, loop.frame, loop.path, event)
        return
    state.choices[frame.path] = event.status
    go_on(state, loop)


def choice_of_next(state: State, frame: Frame, node: Next, path: str) -> Event:
    """Gives what a round goes on with; one round too many fails. Raises `Failed`."""
    value = value_of(state, frame, node.value)
    loop = frame.loop
    assert loop is not None
    repeat = state.index.entries[loop.number].statement
    assert isinstance(repeat, Repeat)
    if value is not None and frame.number + 1 >= repeat.limit:
        said = f"`{loop.path}` is not done after {repeat.limit} rounds"
        return Event("chosen", path=path, status="failed", error=Fault("TooManyRounds", said))
    return Event("chosen", path=path, status="value", result=encode(value))


def unfinished(state: State) -> None:
    """Lets loops go on that stood still while something around them had failed, and no longer has.

    One that has failed itself, of which people say that all goes back, is not over by that.
    """
    for loop in state.loops.values():
        turn = state.turns.get(loop.path)
        if turn is not None and turn[0] is loop.frame and not loop.frame.stopped():
            go_on(state, loop)
            mark(state, loop.path)
