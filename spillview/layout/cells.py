"""How many terminal cells a character takes, and what belongs to one cluster.

Never narrower than what the drawing side measures, so that no row overflows.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

VS16 = "\ufe0f"
"""Asks for the wide, coloured form of the character before it."""

_ZERO_RANGES = (
    (0x1160, 0x11FF),  # Hangul vowels and finals, drawn over the initial
    (0x3164, 0x3164),
    (0xD7B0, 0xD7FF),
    (0xFFA0, 0xFFA0),
    (0x1F3FB, 0x1F3FF),  # skin tones
)
_WIDE_RANGES = (
    # Wide by newer versions of Unicode than the oldest Python's tables know.
    (0x2630, 0x2637),
    (0x268A, 0x268F),
    (0x4DC0, 0x4DFF),
    (0x1D300, 0x1D376),
)
_WIDE_UNASSIGNED = (
    (0x2E80, 0xA4CF),
    (0xFA6E, 0xFAFF),
    (0x16FE0, 0x18DFF),
    (0x1AFF0, 0x1B2FF),
    (0x1F000, 0x1FAFF),
    (0x20000, 0x3FFFF),
)


def _inside(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)


@lru_cache(maxsize=16384)
def char_width(char: str) -> int:
    """Cells of one visible character: 0, 1 or 2."""
    code = ord(char)
    if code < 0x300:
        return 1
    category = unicodedata.category(char)
    if category in ("Mn", "Me", "Mc", "Cf") or _inside(code, _ZERO_RANGES):
        # The number signs of Arabic, Syriac and Kaithi enclose what follows.
        prepended = category == "Cf" and unicodedata.bidirectional(char) in ("AN", "L")
        return 1 if prepended or char == "\u070f" else 0
    if category == "Cn":
        return 2 if _inside(code, _WIDE_UNASSIGNED) else 1
    if unicodedata.east_asian_width(char) in "WF" or _inside(code, _WIDE_RANGES):
        return 2
    return 1


def text_width(text: str) -> int:
    """Cells of a visible text (nothing in it that `text.printable` would replace)."""
    if text.isascii():
        return len(text)
    total = 0
    last = 0
    for char in text:
        if char == VS16:
            if last == 1:
                total += 1
            last = 0
            continue
        width = char_width(char)
        if width:
            last = width
            total += width
    return total


def fold(text: str, width: int, most: int | None = None) -> list[str]:
    """`text` in lines of at most `width` cells, broken at spaces where it can be.

    Of more than `most` lines the first ones, with an ellipsis.
    """
    lines: list[str] = []
    line, room, rest = "", max(2, width), text.split(" ")
    while rest:
        word = rest.pop(0)
        joined = f"{line} {word}" if line else word
        if text_width(joined) <= room:
            line = joined
            continue
        if line:
            lines.append(line)
            line = ""
            rest.insert(0, word)
        else:  # no line holds it whole
            taken = place = 0
            while taken <= room:
                taken += 2 if word[place] == VS16 else char_width(word[place])
                place += 1
            place = max(1, place - 1)
            lines.append(word[:place])
            rest.insert(0, word[place:])
        if most is not None and len(lines) >= most:
            last = lines[most - 1]
            while last and text_width(last) > room - 1:
                last = last[:-1]
            return [*lines[: most - 1], f"{last.rstrip()}…"]
    return [*lines, line] if line or not lines else lines


def extends(char: str) -> bool:
    """Whether the character is drawn over the one before it (never starts a row)."""
    code = ord(char)
    if code < 0x300:
        return False
    return char == VS16 or char_width(char) == 0
