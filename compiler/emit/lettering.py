"""How wide texts are: nobody can measure a reader's fonts, so boxes fit the widest usual one."""

from __future__ import annotations

import unicodedata

# Advance widths of DejaVu Sans in thousandths of an em, from the blank to the tilde. It is the
# widest of the fonts that pictures name; with another there is more room around a text.
_WIDTHS = (
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
    636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
    1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
    603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
    500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
    635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
)  # fmt: skip
BOLD = 1.12
"""How much wider bold letters are, on the average of the alphabet and a little more."""
ELLIPSIS = "…"


def measure(text: str, size: float, *, bold: bool = False) -> float:
    """Gives the width of a text in pixels, for letters of some size."""
    return sum(map(_advance, text)) * size / 1000 * (BOLD if bold else 1)


def fit(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """Cuts a text to some width in its middle; what cannot be printed becomes a blank."""
    shown = "".join(char if char.isprintable() else " " for char in text)
    if len(shown) < room and measure(shown, size, bold=bold) <= room:
        return shown
    left = room - measure(ELLIPSIS, size, bold=bold)
    head, tail = 0, 0
    while head + tail < len(shown):
        # The end of a name tells it from others as often as its beginning.
        at_end = tail < head // 2
        left -= measure(shown[-1 - tail if at_end else head], size, bold=bold)
        if left < 0:
            break
        head, tail = (head, tail + 1) if at_end else (head + 1, tail)
    return shown[:head].rstrip() + ELLIPSIS + shown[len(shown) - tail :].lstrip()


def _advance(char: str) -> int:
    if " " <= char <= "~":
        return _WIDTHS[ord(char) - 32]
    return 1000 if unicodedata.east_asian_width(char) in "WFA" else 700
