"""What a step of a run keeps: nothing at first, and then its own."""

from __future__ import annotations

import copy

import pytest

from sagalang.runtime.kernel.empty import NOTHING


def test_nothing_is_ever_put_where_all_steps_look() -> None:
    with pytest.raises(TypeError, match="shared"):
        NOTHING["a"] = 1
    with pytest.raises(TypeError, match="shared"):
        NOTHING.setdefault("a", 1)
    with pytest.raises(TypeError, match="shared"):
        NOTHING.update(a=1)
    with pytest.raises(TypeError, match="shared"):
        NOTHING.__ior__({"a": 1})
    assert not NOTHING


def test_a_copy_of_a_run_shares_only_nothing() -> None:
    assert copy.deepcopy(NOTHING) is NOTHING
    assert NOTHING.copy() is NOTHING
