"""Text for people: safe display, sizes, ages, times."""

from __future__ import annotations

import math
import re
from functools import cache, lru_cache

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

# Invisible in most fonts although they are letters or symbols by category.
_FILLERS = (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0)

_FORMAT = (
    (0x00AD, 0x00AE),  # soft hyphen
    (0x061C, 0x061D),  # Arabic letter mark
    (0x180B, 0x1810),  # Mongolian selectors and vowel separator
    (0x200B, 0x2010),  # zero-width space, joiners, direction marks
    (0x2028, 0x202F),  # line and paragraph separators, bidi embeddings
    (0x2060, 0x2070),  # word joiner, invisible operators, bidi isolates
    (0xFEFF, 0xFF00),  # byte order mark
    (0xFFF9, 0xFFFC),  # interlinear annotation
    (0x13430, 0x13456),  # hieroglyph format controls
    (0x1BCA0, 0x1BCA4),  # shorthand format controls
    (0x1D173, 0x1D17B),  # musical format controls
    (0xFE00, 0xFE0E),  # variation selectors but those for emoji
    (0xE0000, 0xE01F0),  # tags (an invisible copy of ASCII), more selectors
)


@cache
def _visible(kept: str) -> dict[int, str]:
    """What each character becomes that is not to be shown, but those of `kept`."""
    table = {code: chr(0x2400 + code) for code in range(0x20)}
    table[0x7F] = "\N{SYMBOL FOR DELETE}"
    table |= dict.fromkeys(range(0x80, 0xA0), REPLACEMENT)
    for first, stop in _FORMAT:
        table |= dict.fromkeys(range(first, stop), REPLACEMENT)
    table |= dict.fromkeys(_FILLERS, REPLACEMENT)
    table |= dict.fromkeys(range(0xD800, 0xE000), REPLACEMENT)
    table |= {code: f"\\x{code - 0xDC00:02x}" for code in range(0xDC80, 0xDD00)}
    for char in kept:
        del table[ord(char)]
    return table


def printable(text: str, *, newlines: bool = False, tabs: bool = False) -> str:
    """`text` with nothing left in it that a terminal or a reader could be fooled by.

    Control characters (C0, DEL) become their pictures of the U+2400 block. C1 controls,
    bidi controls, line separators, zero-width and other invisible format characters
    and lone surrogates become U+FFFD. Surrogate escapes of undecodable bytes become
    `\\xNN`. All but the last keep one character for one. `newlines` and `tabs` keep
    LF and TAB.
    """
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_visible("\n" * newlines + "\t" * tabs))


_ESCAPE = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))"
"""Escape sequences that colour, move and name; they say nothing in a list."""


def legible(line: str) -> str:
    """A line of output as a terminal would leave it: no escapes, the last CR frame.

    Not yet safe to draw: what is no whole escape sequence is still in it.
    """
    frames = [frame for frame in line.split("\r") if frame.strip()]
    last = frames[-1] if frames else line
    return " ".join(re.sub(_ESCAPE, "", last).split())


def path_text(path: str) -> str:
    """A file name as valid Unicode: each undecodable byte as `\\xNN` text.

    Control characters stay as they are, so this suits JSON; for a screen pass the
    result through `printable`.
    """
    if path.isascii():
        return path
    return "".join(
        char
        if not 0xD800 <= (code := ord(char)) < 0xE000
        else f"\\x{code - 0xDC00:02x}"
        if 0xDC80 <= code < 0xDD00
        else REPLACEMENT
        for char in path
    )


def human_bytes(size: int) -> str:
    """`size` in powers of 1000 with one decimal: `999 B`, `978.7 kB`, `1.2 GB`."""
    if abs(size) < 1000:
        return f"{size} B"
    value, units = size / 1000, ["kB", "MB", "GB", "TB"]
    while abs(value) >= 999.95 and len(units) > 1:
        value /= 1000
        del units[0]
    return f"{value:,.1f} {units[0]}"


def human_count(count: int) -> str:
    """`count` with thousands separated by commas."""
    return f"{count:,}"


def human_age(seconds: float) -> str:
    """An age in its largest whole unit: `45s`, `12m`, `3h`, `2d`, `5w`, `3y`.

    A time in the future (a clock that was set back) reads `in 3h`.
    """
    if seconds <= -1:
        return f"in {human_age(-seconds)}"
    whole = int(max(seconds, 0))
    for unit, length, until in (
        ("s", 1, 60),
        ("m", 60, 3600),
        ("h", 3600, 86_400),
        ("d", 86_400, 14 * 86_400),
        ("w", 7 * 86_400, 2 * 365 * 86_400),
    ):
        if whole < until:
            return f"{whole // length}{unit}"
    return f"{whole // (365 * 86_400):,}y"


def exact_age(seconds: float) -> str:
    """An age as one would type it, nothing rounded: `30d`, `36h`, `90m`, `0.5s`."""
    for unit, length in (("d", 86_400), ("h", 3600), ("m", 60)):
        if seconds >= length and seconds % length == 0:
            return f"{int(seconds // length)}{unit}"
    return f"{seconds:.15g}s"


def exact_size(size: int) -> str:
    """A size as one would type it, nothing rounded: `5GB`, `1500kB`, `64KiB`, `7B`."""
    for scale, letters in ((1000, ("", "k", "M", "G", "T")), (1024, ("", *"KMGT"))):
        power = 0
        while size and size % scale ** (power + 1) == 0 and power < 4:
            power += 1
        if power:
            return f"{size // scale**power}{letters[power]}{'i' * (scale > 1000)}B"
    return f"{size}B"


def plural(number: int, word: str) -> str:
    """A count with its noun: `1 line`, `2,204 lines`."""
    return f"{human_count(number)} {word}{'' if number == 1 else 's'}"


def human_ratio(ratio: float) -> str:
    """A ratio to the boundary: `0.93×`, `27.4×`, `1,204×`.

    Digits are cut, not rounded, so that nothing below the boundary reads `1.00×`; what
    would read as nothing is `<0.01×`.
    """
    if 0 < ratio < 0.01:
        return "<0.01×"
    if not math.isfinite(ratio):
        return "?×"
    decimals = 2 if ratio < 10 else 1 if ratio < 100 else 0
    scale = 10**decimals
    # The nudge keeps 0.29 from reading 0.28 through binary fractions.
    return f"{math.floor(ratio * scale + 1e-9) / scale:,.{decimals}f}×"


def iso(epoch: float | None) -> str | None:
    """Seconds since the epoch as ISO 8601 in UTC: `2026-11-29T22:30:00Z`.

    None for None and for a time outside the years 1 to 9999 (a broken mtime).
    """
    if epoch is None or not math.isfinite(epoch):
        return None
    days, second = divmod(math.floor(epoch), 86_400)
    date = _date(days)
    if date is None:
        return None
    minute, second = divmod(second, 60)
    return f"{date}T{minute // 60:02}:{minute % 60:02}:{second:02}Z"


@lru_cache(maxsize=64)
def _date(days: int) -> str | None:
    """`2026-11-29`, so many days after the epoch."""
    from datetime import UTC, datetime

    try:
        return datetime.fromtimestamp(days * 86_400, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def when(moment: float, now: float) -> str:
    """A time in words: `18:00 today`, `08:14 yesterday`, `18:00 on Mon 12 Jan`."""
    from datetime import datetime, timedelta

    then = datetime.fromtimestamp(moment).astimezone()
    today = datetime.fromtimestamp(now).astimezone().date()
    clock = f"{then:%H:%M}"
    if then.date() == today:
        return f"{clock} today"
    if then.date() == today - timedelta(days=1):
        return f"{clock} yesterday"
    day = f"{then:%a} {then.day} {then:%b}"
    return f"{clock} on {day}" if then.year == today.year else f"{day} {then.year}"


def share_text(share: float | None) -> str:
    """A share in per cent: never 100 of less than all, never 0 of something."""
    if share is None:
        return "–"
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    return f"{min(99.9, max(0.1, share * 100)):.1f}%"
