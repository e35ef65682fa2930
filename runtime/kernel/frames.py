"""Frames: one body being run each, with its own values, its own paths and its own progress."""

from __future__ import annotations

from collections import ChainMap, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal as OneOf

from ..events import Fault
from .empty import new_dict, new_list, new_set
from .index import ROOT, BlockKind

Stage = OneOf["", "closing", "undoing", "held", "correcting", "after", "over"]
"""How far a boundary is rolled back.

`closing`: what is in flight settles; `held`: back at a checkpoint, people are asked; `after`: its
`on rollback` runs; `over`: what follows is for the frame around it.
"""


APART: tuple[BlockKind, ...] = ("rollback", "undo")
"""Frames that go on while what is around them goes back."""


@dataclass(slots=True)
class Progress:
    """How far a frame's statements have come, by number; `ready` gives the paths of their turns."""

    settled: set[int] = field(default_factory=new_set)
    settled_paths: set[str] = field(default_factory=new_set)
    skipped: set[int] = field(default_factory=new_set)
    left: dict[int, int] = field(default_factory=new_dict)
    missing: dict[int, int] = field(default_factory=new_dict)
    waiters: dict[str, list[int]] = field(default_factory=new_dict)
    ready: dict[int, str] = field(default_factory=new_dict)


@dataclass(slots=True, eq=False)
class Loop:
    """An `each`, `first` or `repeat` whose turn has come: its items, their keys, what they gave.

    `begun` items have been begun or passed over, `live` ones run, `over` ones are done with. Items
    that are rolled back alone wait in `queue` while as many as may are `undoing`.
    """

    path: str
    frame: Frame
    number: int
    items: list[Any]
    keys: list[str]
    returns: list[Any]
    undo_at_once: int = 1
    begun: int = 0
    live: int = 0
    over: int = 0
    failures: int = 0
    undoing: int = 0
    queue: deque[Frame] = field(default_factory=deque["Frame"])


@dataclass(slots=True, eq=False)
class Segment:
    """A stretch of an unwinding: lanes of paths to undo, each from its end, `width` at one time."""

    width: int
    waiting: list[list[str]]
    running: dict[str, list[str]] = field(default_factory=new_dict)


@dataclass(slots=True, eq=False)
class Frame:
    """One body being run.

    `path` names it, `prefix` begins the paths of its statements; `names` are its values, looked up
    outwards. `members` are its steps, gates and waits, `children` the frames begun in it. `busy`
    counts what is in flight and what is being rolled back in it and inside. `progress` is None
    before it begins and once it is done with. A `boundary` is rolled back alone: `failing` is the
    path whose failure reached it, `cause` why people or time take it back, `closed` that it is.
    In the `aftermath`, an `on rollback`, things count in neither status nor readiness. `undo_of` is
    the path of the step that is taken back in it, by a saga: nothing in it is ever rolled back.
    """

    path: str
    kind: BlockKind
    block: int
    owner: int = ROOT
    parent: Frame | None = None
    prefix: str = ""
    boundary: bool = True
    aftermath: bool = False
    undo_of: str = ""
    number: int = 0
    loop: Loop | None = None
    values: dict[str, Any] = field(default_factory=new_dict)
    names: Mapping[str, Any] = field(default_factory=new_dict)
    unavailable: dict[str, str] = field(default_factory=new_dict)
    members: list[str] = field(default_factory=new_list)
    children: list[Frame] = field(default_factory=new_list)
    order: tuple[int, ...] = ()
    progress: Progress | None = None
    ended: bool = False
    returned: Any = None
    following: Any = None
    busy: int = 0
    deadline_lapsed: bool = False
    failing: str = ""
    failing_n: int = 0
    cause: str = ""
    cause_n: int = 0
    error: Fault | None = None
    closed: str = ""
    closed_n: int = 0
    stage: Stage = ""
    queued: bool = False
    segments: list[Segment] | None = None
    correcting: list[tuple[str, int]] | None = None
    pivots: set[str] | None = None
    accept_pivots: bool = False

    def known(self, extra: Mapping[str, Any]) -> ChainMap[str, Any]:
        """Gives its names with others before them."""
        maps = self.names.maps if isinstance(self.names, ChainMap) else [self.values]
        return ChainMap[str, Any](dict(extra), *maps)

    def chain(self) -> Iterator[Frame]:
        """Gives the frame and those around it, inner before outer."""
        at: Frame | None = self
        while at is not None:
            yield at
            at = at.parent

    def subtree(self) -> Iterator[Frame]:
        """Gives the frame and those inside it, without what takes them back or runs after that."""
        todo: list[Frame] = [self]
        while todo:
            at = todo.pop()
            yield at
            todo.extend(child for child in at.children if child.kind not in APART)

    def around(self) -> Frame:
        """Gives the nearest boundary: the frame itself, or the first one outwards."""
        at = self
        while not at.boundary and at.parent is not None:
            at = at.parent
        return at

    def halted(self) -> bool:
        """True when it is inside a boundary that is closed: nothing in it goes forward."""
        at: Frame | None = self
        while at is not None and at.kind not in APART:
            if at.closed:
                return True
            at = at.parent
        return False

    def stopped(self) -> bool:
        """True when nothing new may begin in it: a boundary around it fails or is closed."""
        at: Frame | None = self
        while at is not None and at.kind not in APART:
            if at.closed or at.failing or at.cause:
                return True
            at = at.parent
        return False

    def hindered(self) -> OneOf["", "late", "stopped"]:
        """Why nothing new may begin in it, if so: both questions in one walk, before every call."""
        found: OneOf["", "late"] = ""
        at: Frame | None = self
        while at is not None and at.kind not in APART:
            if at.closed or at.failing or at.cause:
                return "stopped"
            if at.deadline_lapsed:
                found = "late"
            at = at.parent
        return found

    @property
    def given_up(self) -> bool:
        """True when people have said that it, or what is around it, goes back over its pivots."""
        return any(frame.accept_pivots for frame in self.chain())

    def late(self) -> bool:
        """True when the deadline of its saga, or of one around that, is over."""
        at: Frame | None = self
        while at is not None and at.kind not in APART:
            if at.deadline_lapsed:
                return True
            at = at.parent
        return False


def stir(frame: Frame | None, by: int, turning: list[Frame]) -> None:
    """Counts what begins (`by` 1) or is over (-1) in a frame and in those around it.

    Boundaries in which nothing is left that they wait for are added to `turning`.
    """
    while frame is not None:
        frame.busy += by
        if not frame.busy and frame.stage == "closing":
            turning.append(frame)
        frame = frame.parent
