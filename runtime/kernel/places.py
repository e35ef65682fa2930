"""Where a run can be decided on now, for whoever names a place that is none."""

from __future__ import annotations

from collections.abc import Iterable

from ..paths import bracketed, static
from ..plan import Gate, Repeat, Wait
from .asked import is_open
from .state import State

_FEW = 5


def open_gates(state: State) -> list[str]:
    """Gives the paths of the gates that are open now."""
    found = [p for p, g in state.gates.items() if g.phase == "open" and not g.frame.halted()]
    return [*found, *(path for path, gate in state.asked.items() if is_open(state, gate))]


def open_waits(state: State) -> list[str]:
    """Gives the paths at which a signal is waited for now."""
    return [
        path
        for path, w in state.pauses.items()
        if w.phase == "ready"
        and not w.settled
        and not w.frame.halted()
        and isinstance(state.index.entries[w.number].statement, Wait)
    ]


def elsewhere(state: State, kind: type[Gate] | type[Wait], path: str, there: Iterable[str]) -> str:
    """Says what is there now in place of a path, what may come, and what was perhaps meant."""
    from difflib import get_close_matches

    now = list(there)
    come = {static(one) for one in now}
    later = list(
        dict.fromkeys(
            entry.statement.path
            for entry in state.index.entries
            if isinstance(entry.statement, kind)
            and entry.statement.path not in come
            and not _is_past(state, entry.statement.path)
        )
    )
    said = f"{'Open' if kind is Gate else 'Waiting'} now: {_few(now) if now else 'none'}"
    if later and not state.finished:
        said += f"; declared: {_few(later)}"
    same = [one for one in now if static(one) == static(path) or one.endswith(f".{path}")]
    near = same[:1] or get_close_matches(path, now, 1) or get_close_matches(path, later, 1)
    return f"{said}. Did you mean `{near[0]}`?" if near else f"{said}."


def not_an_item(state: State, path: str) -> str:
    """Gives why a path names no item of the loops around it, as far as these have begun."""
    for loop, key in bracketed(path):
        if key == "*":
            return "name the item in the brackets"
        begun = state.loops.get(loop)
        repeat = begun is not None and isinstance(
            state.index.entries[begun.number].statement, Repeat
        )
        if begun is not None and not repeat and key not in begun.keys:
            few = ", ".join(begun.keys[:_FEW]) + (", ..." if len(begun.keys) > _FEW else "")
            return f"`{loop}` has the items {few or 'none'}"
    return ""


def _is_past(state: State, path: str) -> bool:
    gate, pause = state.gates.get(path), state.pauses.get(path)
    if gate is not None:
        return gate.phase not in ("ready", "open")
    return pause is not None and (pause.settled or pause.phase != "ready")


def _few(paths: list[str]) -> str:
    shown = ", ".join(f"`{path}`" for path in paths[:_FEW])
    return f"{shown} and {len(paths) - _FEW} more" if len(paths) > _FEW else shown
