"""Whether a statement that holds others has been carried out, as the kernel's state says."""

from __future__ import annotations

from ..kernel.state import State
from ..plan import First


def carried_out(state: State, path: str) -> bool:
    """True for a scope, an item, a round or a called saga that came to its end, and for a loop.

    A scope counts when its body or its `else` did, a `first` when one of its items did.
    """
    ended = {frame for frame in (path, f"{path}.else") if frame in state.frames}
    if any(state.frames[frame].ended for frame in ended):
        return True
    loop = state.loops.get(path)
    if loop is None or loop.live or loop.over < loop.begun:
        return False
    if not isinstance(state.index.entries[loop.number].statement, First):
        return True
    items = (f"{path}[{key}]" for key in loop.keys)
    return any(state.frames[item].ended for item in items if item in state.frames)


def begun(state: State, path: str) -> bool:
    """True for a statement that holds others and has begun."""
    return path in state.frames or path in state.loops
