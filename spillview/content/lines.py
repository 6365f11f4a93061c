"""Where lines and characters begin in a content of any size, from a sparse index."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable

from spillview.content.codepoints import chars, first_char, is_ascii, line_feeds, whole
from spillview.content.content import Content
from spillview.errors import ArtifactGone, Cancelled
from spillview.frozen import Frozen

BLOCK = 1 << 16
"""Bytes between two entries of the index; 17 bytes of memory each."""

_CHUNK = 8
"""Blocks read at a time."""

_NEAR = 256
"""Bytes in which stepping is quicker than halving."""


class _End(Frozen):
    """What is known up to the place that is indexed."""

    offset: int = 0
    feeds: int = 0
    chars: int = 0
    ended: bool = True
    """Whether the last byte is an LF, or there is none."""


class LineIndex:
    """Line and character offsets of UTF-8 text (`text_content`), found as they grow.

    `extend` reads on from where it stopped; everything already indexed is answered
    from one block of the content. One thread may extend while another asks. After the
    content was refreshed and has grown, extend again; after it was truncated or
    written anew, make another index.

    Lines count from 1 and end with LF alone; chars count from 0 and are those of
    `bytes.decode("utf-8", "replace")`; bytes count from 0.
    """

    __slots__ = ("_block", "_chars", "_content", "_end", "_feeds", "_short")

    def __init__(self, content: Content, *, block: int = BLOCK) -> None:
        """An empty index of `content`; `block` (at least 8) is for tests."""
        self._content = content
        self._block = block
        # Entry k is for the last character boundary at or before byte k * block:
        # LFs and chars before it, and how far before k * block it is.
        self._short = array("B", [0])
        self._chars = array("Q", [0])
        self._feeds = array("Q", [0])
        self._end = _End()

    @property
    def indexed(self) -> int:
        """Bytes indexed so far."""
        return self._end.offset

    @property
    def complete(self) -> bool:
        """Whether all of the content, by its present size, is indexed."""
        return self._end.offset == self._content.size

    @property
    def lines(self) -> int:
        """Lines that begin in the part that is indexed."""
        end = self._end
        return end.feeds + (not end.ended)

    @property
    def chars(self) -> int:
        """Chars in the part that is indexed."""
        return self._end.chars

    def extend(
        self,
        max_bytes: int | None = None,
        *,
        cancelled: Callable[[], bool] | None = None,
    ) -> bool:
        """Index up to `max_bytes` more (at least a block), or all; tell `complete`.

        Raises `ArtifactGone` when the content is shorter than what was indexed or
        than it says, `Cancelled` when `cancelled` (asked once a block) says so; what
        was indexed until then stays good.
        """
        size = self._content.size
        if size < self._end.offset:
            raise ArtifactGone(
                f"It was truncated: {size:,} of {self._end.offset:,} bytes are left."
            )
        stop = size if max_bytes is None else self._end.offset + max(max_bytes, 1)
        stop = min(stop, size)
        while self._end.offset < stop:
            if cancelled is not None and cancelled():
                raise Cancelled("Indexing was stopped.")
            self._extend(stop)
        return self.complete

    def _extend(self, stop: int) -> None:
        """Read one chunk of a few blocks, and publish what is in it at its end."""
        block = self._block
        entry = len(self._feeds)
        start = (entry - 1) * block - self._short[-1]
        feeds, points = self._feeds[-1], self._chars[-1]
        most = entry - 1 + min(_CHUNK, -(-(stop - (entry - 1) * block) // block))
        data = self._content.pread(start, most * block - start)
        view, plain, place = memoryview(data), is_ascii(data), 0
        while (until := entry * block - start) <= len(data):
            part = view[place:until]
            feeds += line_feeds(part)
            end = len(part) if plain else whole(part)
            points += end if plain else chars(part, end)[0]
            place += end
            # A reader goes by the length of the last of the three.
            self._short.append(len(part) - end)
            self._chars.append(points)
            self._feeds.append(feeds)
            entry += 1
        rest = data[place:]
        if rest:
            feeds += line_feeds(rest)
            points += chars(rest)[0]
        self._end = _End(start + len(data), feeds, points, data.endswith(b"\n"))

    def line_start(self, number: int) -> int | None:
        """The byte where line `number` begins; None if none does or it is not known."""
        if number < 1 or self._content.size == 0:
            return None
        before = number - 1
        if before == 0:
            return 0
        if before > self._end.feeds:
            return None
        block = bisect_left(self._feeds, before) - 1
        start, data = self._read(block)
        place = start + _nth_feed(data, before - self._feeds[block]) + 1
        return place if place < self._content.size else None

    def line_at(self, offset: int) -> int | None:
        """The number of the line that byte `offset` is in; None if not indexed.

        The content's end is in its last line.
        """
        end = self._end
        if not 0 <= offset <= end.offset or end.offset == 0:
            return None
        if offset == end.offset:
            return end.feeds + (not end.ended)
        block = self._block_of(offset)
        start, data = self._read(block, offset)
        return int(self._feeds[block]) + line_feeds(data[: offset - start]) + 1

    def char_start(self, number: int) -> int | None:
        """The byte where char `number` begins; None if there is none or not yet known.

        For the number of all chars it is the place after the last one.
        """
        end = self._end
        if not 0 <= number <= end.chars:
            return None
        if number == end.chars:
            return end.offset
        block = bisect_right(self._chars, number) - 1
        start = self._start(block)
        inside = number - self._chars[block]
        if block + 1 < len(self._feeds):
            following = self._start(block + 1)
            if self._chars[block + 1] - self._chars[block] == following - start:
                return start + inside
        return start + _nth_char(self._read(block)[1], inside)

    def char_at(self, offset: int) -> int | None:
        """The number of the char that byte `offset` is part of; None if not indexed.

        For the end of what is indexed it is the number of all chars.
        """
        end = self._end
        if not 0 <= offset <= end.offset:
            return None
        if offset == end.offset:
            return end.chars
        block = self._block_of(offset)
        start, data = self._read(block, offset + 1)
        # A character that is cut short still decodes to one.
        return int(self._chars[block]) + chars(data[: offset + 1 - start])[0] - 1

    def _start(self, block: int) -> int:
        return block * self._block - self._short[block]

    def _block_of(self, offset: int) -> int:
        block = min(offset // self._block + 1, len(self._feeds) - 1)
        return block if self._start(block) <= offset else block - 1

    def _read(self, block: int, stop: int | None = None) -> tuple[int, bytes]:
        start = self._start(block)
        if stop is None:
            following = block + 1
            known = following < len(self._feeds)
            stop = self._start(following) if known else self._end.offset
        return start, self._content.pread(start, stop - start)


def _nth_feed(data: bytes, number: int) -> int:
    """Where the LF `number`, counted from 1, is in `data`."""
    base = 0
    while len(data) > _NEAR:
        half = len(data) // 2
        feeds = line_feeds(data[:half])
        if number <= feeds:
            data = data[:half]
        else:
            number -= feeds
            base += half
            data = data[half:]
    place = -1
    for _ in range(number):
        place = data.find(b"\n", place + 1)
    return base + place


def _nth_char(data: bytes, number: int) -> int:
    """Where the char `number`, counted from 0, begins in `data`."""
    base = 0
    while len(data) > _NEAR:
        half = whole(data[: len(data) // 2])
        points = chars(data[:half])[0]
        if number < points:
            data = data[:half]
        else:
            number -= points
            base += half
            data = data[half:]
    if data.isascii():
        return base + number
    place = 0
    for _ in range(number):
        place += first_char(data[place : place + 4])
    return base + place
