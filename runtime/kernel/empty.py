"""Empty containers to begin with, for the records that a run has most of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# `dict[str, int]()` takes many times as long: it tries to note its types in what it makes.
new_dict: Callable[[], dict[Any, Any]] = dict
new_list: Callable[[], list[Any]] = list
new_set: Callable[[], set[Any]] = set
