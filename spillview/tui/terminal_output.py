"""What goes to the terminal, in fewer bytes: styles are said where they change.

Textual ends the style of each piece of text and begins the next one's from nothing, so
that styles are two thirds of what a key writes. Over a slow line that is what one waits
for.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Protocol, cast

_STYLE = re.compile(r"(\x1b\[[0-9;]*m)")
_RESET = "\x1b[0m"

Look = tuple[frozenset[str], str, str]
"""The attributes, the foreground and the background, as their codes."""


@lru_cache(maxsize=4096)
def look_of(style: str) -> Look | None:
    """What a sequence that begins from nothing asks for; None where that is not known.

    `style` is a whole SGR sequence.
    """
    codes = iter(style[2:-1].split(";"))
    attributes, fore, back = set(), "", ""
    for code in codes:
        if code in ("38", "48"):
            kind = next(codes, "")
            rest = [next(codes, "") for _ in range({"2": 3, "5": 1}.get(kind, 0))]
            if not rest or not all(rest):
                return None
            colour = ";".join((code, kind, *rest))
        elif re.fullmatch(r"3[0-79]|4[0-79]|9[0-7]|10[0-7]", code):
            colour = code
        elif re.fullmatch(r"[1-9]", code):
            attributes.add(code)
            continue
        else:
            return None
        if colour.startswith(("3", "9")):
            fore = colour
        else:
            back = colour
    return frozenset(attributes), fore, back


@lru_cache(maxsize=4096)
def change(old: str, new: str) -> str:
    """The shortest sequence known that leads from one style to another."""
    if old == new:
        return ""
    whole = _RESET + new
    before, after = look_of(old), look_of(new)
    if before is None or after is None or not before[0] <= after[0]:
        return whole
    codes = sorted(after[0] - before[0])
    for was, now in zip(before[1:], after[1:], strict=True):
        if was and not now:
            return whole
        if was != now:
            codes.append(now)
    return f"\x1b[{';'.join(codes)}m" if codes else ""


def slim(text: str) -> str:
    """Output that looks the same, with no style said twice.

    Every style of `text` has to begin from nothing, as Textual's do.
    """
    parts = _STYLE.split(text)
    if len(parts) < 5:
        return text
    written: list[str] = []
    style = ""
    over = False  # whether the style has ended, which is not said yet
    for at, part in enumerate(parts):
        if at % 2 == 0:
            if part:
                if over:
                    written.append(_RESET)
                    style, over = "", False
                written.append(part)
        elif part == _RESET:
            over = bool(style)
            if not style:
                written.append(part)
        elif over:
            written.append(change(style, part))
            style, over = part, False
        else:
            written.append(part)
            style = part if not style else f"{style[:-1]};{part[2:]}"
    if over:
        written.append(_RESET)
    return "".join(written)


class _Writing(Protocol):
    def write(self, data: str) -> None: ...


class Slim:
    """A driver that says no style twice."""

    def write(self, data: str) -> None:
        """Write to the terminal."""
        cast("_Writing", super()).write(slim(data))
