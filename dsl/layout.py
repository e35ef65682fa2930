"""Text that knows where it may be broken, and the renderer that breaks what does not fit.

After P. Wadler, *A prettier printer* (2003): a group is set on one line if it fits, else all its
own lines are broken. Rendering is a loop, so that depth costs no stack.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

WIDTH = 100
INDENT = 2


class Line(Struct, frozen=True):
    """A place for a line end; on one line it is `flat`. A hard one is always a line end."""

    flat: str = " "
    hard: bool = False


class Broken(Struct, frozen=True):
    """Text that only stands where the group around it is broken, such as a last comma."""

    text: str


class Nest(Struct, frozen=True):
    """A layout whose lines are indented one step more."""

    inner: Layout


class Group(Struct, frozen=True):
    """A layout that is set on one line when it fits."""

    inner: Layout


class Choice(Struct, frozen=True):
    """One layout for one line, if it fits, and quite another one for several."""

    short: Layout
    long: Layout


class Margin(Struct, frozen=True):
    """Text behind the end of a line, which nothing is broken for."""

    text: str


Layout = str | Line | Broken | Nest | Group | Choice | Margin | tuple["Layout", ...]

SPACE = Line()
SOFT = Line("")
HARD = Line(hard=True)


def joined(parts: Iterable[Layout], between: Layout) -> Layout:
    """Return layouts with another one between each two."""
    out: list[Layout] = []
    for part in parts:
        if out:
            out.append(between)
        out.append(part)
    return tuple(out)


def listed(opening: str, parts: Sequence[Layout], closing: str, *, padded: bool = False) -> Layout:
    """Return a list with commas: on one line, or each item on its own with a comma after it."""
    if not parts:
        return opening + closing
    edge = SPACE if padded else SOFT
    inside = (edge, joined(parts, (",", SPACE)), Broken(","))
    return Group((opening, Nest(inside), edge, closing))


def render(layout: Layout) -> str:
    """Return the text of a layout, no line of which is wider than it has to be."""
    out: list[str] = []
    column = 0
    waiting: list[tuple[int, bool, Layout]] = [(0, True, layout)]
    while waiting:
        indent, broken, item = waiting.pop()
        if isinstance(item, str):
            out.append(item)
            column += len(item)
        elif isinstance(item, tuple):
            waiting.extend((indent, broken, part) for part in reversed(item))
        elif isinstance(item, Nest):
            waiting.append((indent + INDENT, broken, item.inner))
        elif isinstance(item, Group):
            fits = _fits(item.inner, WIDTH - column, waiting)
            waiting.append((indent, not fits, item.inner))
        elif isinstance(item, Choice):
            fits = _fits(item.short, WIDTH - column, waiting)
            waiting.append((indent, not fits, item.short if fits else item.long))
        elif isinstance(item, Margin):
            out.append(f"  {item.text}")
        elif isinstance(item, Broken):
            if broken:
                out.append(item.text)
                column += len(item.text)
        elif item.hard or broken:
            out.append("\n" + " " * indent)
            column = indent
        else:
            out.append(item.flat)
            column += len(item.flat)
    return _without_trailing_blanks("".join(out))


def flat(layout: Layout) -> str:
    """Return the text of a layout on one line."""
    out: list[str] = []
    waiting: list[Layout] = [layout]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            out.append(item)
        elif isinstance(item, tuple):
            waiting.extend(reversed(item))
        elif isinstance(item, Nest | Group):
            waiting.append(item.inner)
        elif isinstance(item, Choice):
            waiting.append(item.short)
        elif isinstance(item, Line):
            out.append(item.flat)
    return "".join(out)


def _fits(layout: Layout, room: int, after: Sequence[tuple[int, bool, Layout]]) -> bool:
    """Return whether a layout fits on the line with what follows it up to the next line end."""
    behind = len(after)
    waiting: list[tuple[bool, Layout]] = [(False, layout)]
    while room >= 0:
        if not waiting:
            if behind == 0:
                return True
            behind -= 1
            waiting.append(after[behind][1:])
            continue
        broken, item = waiting.pop()
        if isinstance(item, str):
            room -= len(item)
        elif isinstance(item, tuple):
            waiting.extend((broken, part) for part in reversed(item))
        elif isinstance(item, Nest):
            waiting.append((broken, item.inner))
        elif isinstance(item, Group):
            # What follows may still be broken: only its beginning has to fit.
            waiting.append((broken and behind < len(after), item.inner))
        elif isinstance(item, Choice):
            waiting.append((broken, item.long if broken else item.short))
        elif isinstance(item, Line):
            if item.hard:
                # A group with a hard line inside it can never stand on one line.
                return behind < len(after)
            if broken:
                return True
            room -= len(item.flat)
    return False


def _without_trailing_blanks(text: str) -> str:
    return "\n".join(line.rstrip(" ") for line in text.split("\n"))
