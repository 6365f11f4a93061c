"""The last line of a content with something to see in it, looked for from the end."""

from __future__ import annotations

import codecs
from collections.abc import Callable

from spillview.content.content import Content
from spillview.errors import Cancelled
from spillview.model import Line, Range
from spillview.regexes import late

BLOCK = 1 << 18
"""Bytes read at a time."""

LAST = 1 << 12
"""Bytes at the end in which the last line is looked for at first."""

FIRST = 2
"""So many last lines are looked at before a whole block is."""

TEXT_LIMIT = 2_000
"""Chars of a line's text that are kept."""

_ESCAPES = late(r"\x1b\[[0-?]*[ -/]*[@-~]")


def _blank(text: str) -> bool:
    if "\0" in text:
        text = text.replace("\0", "")
    return not text.strip() or ("\x1b" in text and not _ESCAPES.sub("", text).strip())


def short_last_line(data: bytes, feeds: int) -> Line | None:
    """`last_line` of a text that is all in memory, where its very last line is it.

    None where that takes a closer look: it is blank, or long.
    """
    end = len(data)
    stop = end - data.endswith(b"\n")
    start = data.rfind(b"\n", 0, stop) + 1
    if stop - start > TEXT_LIMIT:
        return None
    row = data[start:stop].rstrip(b"\r")
    text = row.decode("utf-8", "replace")
    if _blank(text):
        return None
    return Line(feeds + (stop == end), start, start + len(row), text, False)


def last_line(
    content: Content,
    encoding: str = "utf-8",
    begin: int = 0,
    *,
    feeds: int,
    without: Range = (0, 0),
    cancelled: Callable[[], bool] | None = None,
    block: int = BLOCK,
) -> Line | None:
    """The last line with something to see in it; None when there is none.

    Blank is a line of white space (Unicode's), of NULs (what a crash leaves at the end
    of a log) and of escape sequences such as colour resets. LF alone ends a line; CRs
    before it are not part of the range or the text. Of a line over 2,000 chars the
    beginning is kept as `text`; whoever needs its end reads it by the range, which is
    that of the bytes as they are on disk. `feeds` is the number of LFs in all,
    `without` a range that is known to hold none, `begin` the length of a byte order
    mark.

    Works from the end in blocks, whatever the length of the last line and the number
    of blank lines behind it.
    """
    return _Backward(content, encoding, begin, without, cancelled, block).find(feeds)


class _Backward:
    def __init__(
        self,
        content: Content,
        encoding: str,
        begin: int,
        without: Range,
        cancelled: Callable[[], bool] | None,
        block: int,
    ) -> None:
        self._content = content
        self._wide = encoding.startswith("utf-16")
        self._encoding = encoding if self._wide else "utf-8"
        self._feed = "\n".encode(self._encoding)
        self._return = "\r".encode(self._encoding)
        self._step = len(self._feed)
        self._begin = begin
        self._without = without
        self._cancelled = cancelled
        self._block = max(block & ~3, 8)

    def find(self, feeds: int) -> Line | None:
        end = self._content.size
        if self._wide:
            end -= (end - self._begin) % 2  # half a unit at the end is no line
        block = min(self._block, LAST)
        while end > self._begin:
            low = max(self._begin, end - block)
            block = min(self._block, 4 * block)
            data = self._read(low, end)
            cut = self._first_feed(data) if low > self._begin else 0
            if cut < 0:
                start, stop = self._line_start(low, end), self._without_feed(data, end)
                if self._visible(start, stop):
                    return self._line(start, stop, feeds - (stop < end) + 1)
                feeds -= stop < end
                end = start
                continue
            data = data[cut:]
            line = self._inside(data, low + cut, feeds, FIRST)
            if line is not None:
                return line
            text = data.decode(self._encoding, "replace")
            if not _blank(text):
                return self._inside(data, low + cut, feeds, len(data))
            feeds -= text.count("\n")
            end = low + cut
        return None

    def _read(self, start: int, end: int) -> bytes:
        if self._cancelled is not None and self._cancelled():
            raise Cancelled("Counting was stopped.")
        return self._content.pread(start, end - start)

    def _first_feed(self, data: bytes) -> int:
        """Where the first whole line of `data` begins, or -1."""
        place = data.find(self._feed)
        while place % self._step and place >= 0:
            place = data.find(self._feed, place + 1)
        place += self._step
        return place if self._step <= place < len(data) else -1

    def _last_feed(self, data: bytes, end: int) -> int:
        place = data.rfind(self._feed, 0, end)
        while place % self._step and place >= 0:
            place = data.rfind(self._feed, 0, place + self._step - 1)
        return place

    def _without_feed(self, data: bytes, end: int) -> int:
        return end - (self._step if data.endswith(self._feed) else 0)

    def _line_start(self, low: int, end: int) -> int:
        """The start of the line that reaches into the block `[low, end)` at its end."""
        while low > self._begin:
            if self._without[0] < low <= self._without[1]:
                low = max(self._without[0], self._begin)
                continue
            lower = max(self._begin, low - self._block)
            data = self._read(lower, low)
            place = self._last_feed(data, len(data))
            if place >= 0:
                return lower + place + self._step
            low = lower
        return self._begin

    def _visible(self, start: int, stop: int) -> bool:
        """Whether a line longer than a block has anything but white space in it."""
        decoder = codecs.getincrementaldecoder(self._encoding)("replace")
        while start < stop:
            data = self._read(start, min(stop, start + self._block))
            if not _blank(decoder.decode(data)):
                return True
            start += len(data)
        return not _blank(decoder.decode(b"", True))

    def _inside(self, data: bytes, base: int, feeds: int, most: int) -> Line | None:
        """The last of the last `most` lines of `data` (whole lines) that is not blank;
        None where they all are."""
        end = len(data)
        stop = self._without_feed(data, end)
        number = feeds + (stop == end)
        for _ in range(most):
            place = self._last_feed(data, stop)
            start = place + self._step if place >= 0 else 0
            if not _blank(data[start:stop].decode(self._encoding, "replace")):
                return self._line(base + start, base + stop, number)
            if place < 0:
                break
            stop = place
            number -= 1
        return None

    def _line(self, start: int, stop: int, number: int) -> Line:
        step = self._step
        while stop - start >= step and self._read(stop - step, stop) == self._return:
            stop -= step
        enough = (TEXT_LIMIT + 2) * 4
        data = self._content.pread(start, min(stop - start, enough))
        text = data.decode(self._encoding, "replace")
        return Line(number, start, stop, text[:TEXT_LIMIT], len(text) > TEXT_LIMIT)
