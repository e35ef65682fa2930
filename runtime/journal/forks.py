"""Forked children: they get copies of lock descriptors, and must let go of them at once."""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class Forkable(Protocol):
    """Something that must be told, in the child, that its process was forked."""

    def forked(self) -> None:
        """Lets go of what the child may not keep."""


_watched: weakref.WeakSet[Forkable] = weakref.WeakSet()


def watch(thing: Forkable) -> None:
    """Remembers what is to be told after a fork; it is not kept alive by this."""
    _watched.add(thing)


def _in_child() -> None:
    for thing in list(_watched):
        thing.forked()
    _watched.clear()


os.register_at_fork(after_in_child=_in_child)
