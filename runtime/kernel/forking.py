"""Forks: independent copies of a state, made at once from what a state is known to consist of.

Records that the fold changes are copied, with the lists and dicts in them, also those of values;
what never changes (the index, sites, descriptors, faults) is shared. Commands are copied with their
events, into which a driver writes the number. `copy.deepcopy` asks each value how it is copied, and
takes many times as long.
"""

from __future__ import annotations

import copy
from collections import ChainMap, deque
from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from .agency import Agency
from .commands import Append, Call, SetTimer
from .frames import Frame, Loop, Progress, Segment
from .overlap import Overlaps
from .state import (
    AskedGate,
    Calling,
    Due,
    GateState,
    Incident,
    Neighbourhood,
    State,
    StepState,
    Timer,
    WaitState,
    Witness,
)

Memo = dict[int, Any]
"""The copies made already of what two places may hold, by the identity of what was copied."""

Copier = Callable[[Any, Memo], Any]


def fork(state: State) -> State:
    """Gives an independent copy of a state."""
    made: State = _part(state, {})
    return made


def _part(value: Any, memo: Memo) -> Any:
    """Copies a record that nothing else holds."""
    made = copy.copy(value)
    _fill(made, value, memo)
    return made


def _shared(value: Any, memo: Memo) -> Any:
    """Copies a record that others hold too: frames and loops know each other."""
    made = memo.get(id(value))
    if made is None:
        made = memo[id(value)] = copy.copy(value)
        _fill(made, value, memo)
    return made


def _fill(made: Any, value: Any, memo: Memo) -> None:
    """Puts copies into a copy of a record, in place of what it shares with it."""
    for name, copier in _FIELDS[type(value)]:
        held = getattr(value, name)
        known = copier or _copier(held)
        if known is not None:
            setattr(made, name, known(held, memo))


def _names(value: Mapping[str, Any], memo: Memo) -> Any:
    """Copies the names of a frame, which look into the values of those around it."""
    made = memo.get(id(value))
    if made is None:
        if isinstance(value, ChainMap):
            made = ChainMap(*(_names(held, memo) for held in value.maps))
        else:
            made = dict(value)
        memo[id(value)] = made
    return made


def _data(value: Any, memo: Memo) -> Any:
    """Copies what holds data; the data itself never changes."""
    return None if value is None else value.copy()


def _dict(value: dict[Any, Any], memo: Memo) -> dict[Any, Any]:
    made = value.copy()
    for key, held in value.items():
        copier = _copier(held)
        if copier is not None:
            made[key] = copier(held, memo)
    return made


def _list(value: list[Any], memo: Memo) -> list[Any]:
    return [_copied(held, memo) for held in value]


def _copied(value: Any, memo: Memo) -> Any:
    copier = _copier(value)
    return value if copier is None else copier(value, memo)


def _copier(value: object) -> Copier | None:
    return _COPIERS.get(type(value))


def _due(value: Due, memo: Memo) -> Due:
    return value._replace(frame=_shared(value.frame, memo))


def _command(value: Any, memo: Memo) -> Any:
    match value:
        case Call(intent=None):
            return value
        case Call(intent=intent):
            return replace(value, intent=copy.copy(intent))
        case _:
            return replace(value, event=copy.copy(value.event))


_PARTS = (
    State, Segment, Progress, StepState, Calling, Timer, Witness, Neighbourhood, GateState,
    AskedGate, WaitState, Agency, Incident, Overlaps,
)  # fmt: skip

_SHARED = (Frame, Loop)

_COPIERS: dict[type, Copier] = {
    **dict.fromkeys(_PARTS, _part),
    **dict.fromkeys(_SHARED, _shared),
    **dict.fromkeys((Append, Call, SetTimer), _command),
    dict: _dict,
    list: _list,
    Due: _due,
    set: _data,
    tuple: lambda value, memo: tuple(_copied(held, memo) for held in value),
    deque: lambda value, memo: deque(_copied(held, memo) for held in value),
}

_BY_NAME: dict[str, Copier] = {"values": _names, "names": _names}

_BY_ANNOTATION: dict[str, Copier] = dict.fromkeys(
    (
        "dict[str, Any]",
        "dict[str, Any] | None",
        "list[Any]",
        "list[str]",
        "list[dict[str, Any]]",
        "list[Descriptor]",
        "set[str]",
        "set[int]",
        "dict[str, None]",
        "dict[str, str]",
        "dict[str, int]",
        "dict[int, int]",
        "dict[int, str]",
    ),
    _data,
)

_PLAIN = frozenset(("str", "int", "bool", "Any", "Index", "Site", "BlockKind", "Stage"))
"""Annotations of what is never changed."""


def _fields(kind: type) -> tuple[tuple[str, Copier | None], ...]:
    return tuple(
        (name, _BY_NAME.get(name) or _BY_ANNOTATION.get(said))
        for name, said in kind.__annotations__.items()
        if said not in _PLAIN and not said.startswith(("tuple[int", "OneOf["))
    )


_FIELDS = {kind: _fields(kind) for kind in (*_PARTS, *_SHARED)}
