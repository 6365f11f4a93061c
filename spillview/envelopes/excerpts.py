"""One line of a file as an envelope shows it, and the way back to its bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from spillview.model import Range

if TYPE_CHECKING:
    from spillview.content.content import Content

WINDOW = 1 << 16
"""Bytes of a line that are looked at."""

MARK = 34
"""Chars that one mark of left-out bytes takes at the most."""

_ESCAPE = re.compile(r"\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]")
_ESCAPE_BYTES = re.compile(_ESCAPE.pattern.encode())
_LONGEST_ESCAPE = 80
"""Bytes; none is as long."""
_ATOM = re.compile(
    rb"\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]|[\xc2-\xdf][\x80-\xbf]"
    rb"|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|.",
    re.DOTALL,
)
_BEFORE = re.compile(r"\[(\d{1,20}) bytes (?:before|overwritten)\]…")
_AFTER = re.compile(r"…\[(\d{1,20}) bytes after\]\Z")


def _harmless() -> dict[int, str]:
    table = {code: chr(0x2400 + code) for code in range(0x20) if code != 0x09}
    table[0x7F] = "\N{SYMBOL FOR DELETE}"
    hidden = (*range(0x80, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A))
    table |= dict.fromkeys(hidden, "\N{REPLACEMENT CHARACTER}")
    return table


_HARMLESS = _harmless()


def visible(data: bytes) -> str:
    """A part of a line as it is shown: harmless, everything else as it is.

    Escape sequences (colours, cursor moves) are left out; other control characters
    but TAB become their pictures; line separators, direction overrides and what is no
    UTF-8 become U+FFFD.
    """
    text = data.decode("utf-8", "replace")
    if text.isprintable():
        return text
    return _ESCAPE.sub("", text).translate(_HARMLESS)


@dataclass(frozen=True, slots=True)
class Spot:
    """A line of a content: number, and bytes without its LF."""

    number: int
    start: int
    end: int
    hit: Range | None = None
    """Where the signal in it stands."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A line as it is shown."""

    spot: Spot
    text: str
    """With the marks of what is left out of it."""
    seen: Range
    """The bytes that are shown; a whole line's with its LF."""
    cut_short: bool
    """Whether it is not all of the line, or of its last frame."""
    overwritten: bool
    """Whether frames before it were left out, which a CR has overwritten."""
    escapes: bool
    """Whether escape sequences were left out of what is shown."""
    controls: bool
    """Whether control characters were replaced."""

    def holds(self, part: Range) -> bool:
        """Whether those bytes are shown."""
        return self.seen[0] <= part[0] and part[1] <= self.seen[1]


def excerpt(
    content: Content, spot: Spot, limit: int, keep: Literal["start", "end", "hit"]
) -> Excerpt:
    """The line at `spot` in at most `limit` chars, marks counted.

    Of a line that CRs overwrite the last frame with anything in it is shown (the one
    of the hit for `hit`). One that is too long keeps its start, its end or what is
    around its hit; the bytes left out on either side are said.
    """
    start, end = spot.start, _without_cr(content, spot.start, spot.end)
    base, data = _window(content, spot, end, keep)
    low, high = 0, len(data)
    if b"\r" in data:
        low, high = _frame(data, spot, base, keep)
    overwritten = low > 0
    short = not overwritten and (base > start or base + len(data) < end)
    shown = visible(data[low:high])
    before, after = base + low - start, end - base - high
    if len(_marked(shown, before, after, overwritten)) > limit:
        first, last = _part(data[low:high], spot, base + low, limit, keep)
        overwritten, short = overwritten and not first, True
        low, high = low + first, low + last
        shown = visible(data[low:high])
        before, after = base + low - start, end - base - high
    raw = data[low:high]
    stop = end - after if after else min(spot.end + 1, content.size)
    return Excerpt(
        spot,
        _marked(shown, before, after, overwritten),
        (start + before, stop),
        cut_short=short,
        overwritten=overwritten,
        escapes=b"\x1b[" in raw and _has_escapes(raw),
        controls=_has_controls(raw),
    )


def _part(data: bytes, spot: Spot, base: int, limit: int, keep: str) -> Range:
    """The part of a frame that begins at byte `base` to be shown in `limit` chars."""
    room = max(1, limit - 2 * MARK)
    if keep == "start":
        return 0, _from_start(data, room)
    if keep == "end" or spot.hit is None:
        return _from_end(data, room), len(data)
    return _around(data, (spot.hit[0] - base, spot.hit[1] - base), room)


def placed(content: Content, spot: Spot, text: str) -> Range | None:
    """The bytes of the line at `spot` that `text`, an excerpt of it, shows.

    None when the line does not read so.
    """
    start, end = spot.start, _without_cr(content, spot.start, spot.end)
    for before, after, shown in _readings(text):
        low, high = start + before, end - after
        if low > high or high - low > 72 * len(shown) + WINDOW:
            continue
        if visible(content.pread(low, high - low)) == shown:
            return low, high if after else min(spot.end + 1, content.size)
    return None


def _readings(text: str) -> list[tuple[int, int, str]]:
    """Bytes before and after, and the text between: with and without its marks."""
    found = [(0, 0, text)]
    first, last = _BEFORE.match(text), _AFTER.search(text)
    if last is not None:
        found.append((0, int(last[1]), text[: last.start()]))
    if first is not None:
        found.append((int(first[1]), 0, text[first.end() :]))
        if last is not None and last.start() >= first.end():
            between = text[first.end() : last.start()]
            found.append((int(first[1]), int(last[1]), between))
    return found


def _marked(shown: str, before: int, after: int, overwritten: bool) -> str:
    word = "overwritten" if overwritten else "before"
    first = f"[{before} bytes {word}]…" if before else ""
    last = f"…[{after} bytes after]" if after else ""
    return f"{first}{shown}{last}"


def _without_cr(content: Content, start: int, end: int) -> int:
    """The line's end before the CRs that stand directly at it."""
    while end > start:
        low = max(start, end - 4096)
        data = content.pread(low, end - low)
        kept = len(data.rstrip(b"\r"))
        end = low + kept
        if kept:
            break
    return end


def _window(content: Content, spot: Spot, end: int, keep: str) -> tuple[int, bytes]:
    """The part of a line that is looked at, and where it begins."""
    start = spot.start
    if end - start <= WINDOW:
        return start, content.pread(start, end - start)
    if keep == "start":
        data = content.pread(start, WINDOW)
        if b"\r" not in data:
            return start, data
        keep = "end"
    if keep == "hit" and spot.hit is not None:
        base = max(start, min(spot.hit[0] - WINDOW // 2, end - WINDOW))
    else:
        base = end - WINDOW
    base = _behind_escape(content, start, base, end)
    data = content.pread(base, min(WINDOW, end - base))
    skip = 0
    while base > start and skip < min(3, len(data)) and data[skip] & 0xC0 == 0x80:
        skip += 1
    return base + skip, data[skip:]


def _behind_escape(content: Content, start: int, base: int, end: int) -> int:
    """`base`, or the end of the escape sequence that it would tear."""
    low = max(start, base - _LONGEST_ESCAPE)
    data = content.pread(low, min(2 * _LONGEST_ESCAPE, end - low))
    for match in _ESCAPE_BYTES.finditer(data):
        if low + match.start() < base < low + match.end():
            return low + match.end()
    return base


def _frame(data: bytes, spot: Spot, base: int, keep: str) -> Range:
    """The frame of a line with CRs that is shown."""
    if keep == "hit" and spot.hit is not None:
        first, last = spot.hit[0] - base, spot.hit[1] - base
        last_frame = data.rfind(b"\r") + 1
        if first < last_frame:
            low = data.rfind(b"\r", 0, first) + 1
            high = data.find(b"\r", last)
            return low, high if high >= 0 else len(data)
    high = len(data)
    while high > 0:
        low = data.rfind(b"\r", 0, high) + 1
        if not is_blank(data[low:high]):
            return low, high
        high = low - 1
    return 0, len(data)


def is_blank(data: bytes) -> bool:
    """Whether nothing of it can be seen: white space, NULs, escape sequences."""
    text = data.decode("utf-8", "replace").replace("\0", "")
    return not _ESCAPE.sub("", text).strip()


def _has_escapes(data: bytes) -> bool:
    return _ESCAPE.search(data.decode("utf-8", "replace")) is not None


def _has_controls(data: bytes) -> bool:
    text = _ESCAPE.sub("", data.decode("utf-8", "replace"))
    return not text.isprintable() and text.translate(_HARMLESS) != text


def _width(atom: bytes) -> int:
    if len(atom) == 1:
        return 1
    if atom[:1] == b"\x1b":
        return 0
    return len(atom.decode("utf-8", "replace"))


def _from_start(data: bytes, most: int) -> int:
    """How many bytes from the start on show at most `most` chars."""
    at = 0
    for match in _ATOM.finditer(data):
        most -= _width(match[0])
        if most < 0:
            break
        at = match.end()
    return at


def _from_end(data: bytes, most: int) -> int:
    """The byte from which on at most `most` chars are shown."""
    at = len(data)
    # Every atom has a byte at least for each char, and 80 bytes at most for none.
    first = max(0, len(data) - 80 * most - 80)
    for match in reversed(list(_ATOM.finditer(data, first))):
        most -= _width(match[0])
        if most < 0:
            break
        at = match.start()
    return at


def _around(data: bytes, hit: Range, most: int) -> Range:
    """A part that shows the hit, or its beginning, in at most `most` chars."""
    lead = max(0, (most - (hit[1] - hit[0])) // 3)
    low = _from_end(data[: hit[0]], lead)
    high = low + _from_start(data[low:], most)
    if high == len(data):
        spare = most - sum(_width(m[0]) for m in _ATOM.finditer(data[low:high]))
        low = _from_end(data[:low], spare)
    return low, high
