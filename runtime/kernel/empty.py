"""Empty containers, for the records that a run has most of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Never, Self

# `dict[str, int]()` takes many times as long: it tries to note its types in what it makes.
new_dict: Callable[[], dict[Any, Any]] = dict
new_list: Callable[[], list[Any]] = list
new_set: Callable[[], set[Any]] = set


class Nothing(dict[Any, Any]):
    """A dict in which nothing ever stands: who has something to keep puts another in its place.

    One for all: of seven dicts of their own, most steps of a run never used any.
    """

    __slots__ = ()

    def __setitem__(self, key: Any, value: Any, /) -> Never:
        """Refuses."""
        raise TypeError("nothing can be put here: it is shared")

    def setdefault(self, key: Any, default: Any = None, /) -> Never:
        """Refuses."""
        raise TypeError("nothing can be put here: it is shared")

    def update(self, *args: Any, **more: Any) -> Never:
        """Refuses."""
        raise TypeError("nothing can be put here: it is shared")

    def __ior__(self, other: Any, /) -> Never:  # type: ignore[misc]
        raise TypeError("nothing can be put here: it is shared")

    def copy(self) -> Self:
        """Gives itself."""
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self


NOTHING = Nothing()
