"""How a magic is declared: its options, its help, and its line taken as it was typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeVar

import IPython.core.magic as magic_
import IPython.core.magic_arguments as arguments_

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)

# IPython's decorators have no types of their own.
_magic: Any = magic_
_arguments: Any = arguments_


class Option(NamedTuple):
    """An option or argument, as `argparse` takes it."""

    names: tuple[str, ...]
    settings: dict[str, Any]


def option(*names: str, **settings: Any) -> Option:
    """Gives an option by its names and what `argparse` is to do with it."""
    return Option(names, settings)


def magic(kind: Literal["line", "cell"], *options: Option) -> Callable[[F], F]:
    """Makes a magic of a method: its options are read, and shown by `?`.

    Nothing of the line is expanded: `$NAME` and `{...}` in it would put the values of variables,
    secrets among them, into what is read, shown and kept.
    """

    def mark(function: F) -> F:
        made: Any = function
        made = getattr(_magic, f"{kind}_magic")(function.__name__)(made)
        for one in reversed(options):
            made = _arguments.argument(*one.names, **one.settings)(made)
        return _magic.no_var_expand(_arguments.magic_arguments()(made))  # type: ignore[no-any-return]

    return mark


def magics(cls: C) -> C:
    """Collects the magics of a class."""
    return _magic.magics_class(cls)  # type: ignore[no-any-return]
