"""Counting what goes by, as readers count it: bytes, chars, lines and the digest."""

from __future__ import annotations

from hashlib import sha256

from spillview.content.codepoints import chars, line_feeds, whole
from spillview.content.kinds import HEAD, utf16_of

LONG = 1 << 16
"""Bytes without a line end above which paging by lines is of no use."""


class Tally:
    """The exact figures of all bytes added so far."""

    def __init__(self) -> None:
        self.bytes = 0
        self.longest = 0
        """A lower bound for the longest line, exact where that is above `LONG`."""
        self._chars = self._feeds = self._since = 0
        self._held = b""
        self._last = 0x0A
        self._head = bytearray()
        self._digest = sha256()
        self._recounted: tuple[int, int] | None = None

    def add(self, data: memoryview) -> None:
        """Count `data` too."""
        for at in range(0, len(data), LONG):
            self._add(data[at : at + LONG])

    def _add(self, data: memoryview) -> None:
        self._digest.update(data)
        if len(self._head) < HEAD:
            self._head += data[: HEAD - len(self._head)]
        self.bytes += len(data)
        self._last = data[-1]
        feeds = line_feeds(data)
        self._feeds += feeds
        if feeds:
            text = bytes(data)
            self._since += text.find(b"\n") + 1
            self.longest = max(self.longest, self._since)
            self._since = len(text) - text.rfind(b"\n") - 1
        else:
            self._since += len(data)
        rest: memoryview | bytes = data
        if self._held:
            rest = self._held + bytes(data)
            self._held = b""
        end = whole(rest)
        if end < len(rest):
            self._held = bytes(rest[end:])
        self._chars += chars(rest[:end])[0]

    def recount(self, chars: int, lines: int) -> None:
        """Take these figures in place of what the bytes gave."""
        self._recounted = (chars, lines)

    @property
    def chars(self) -> int:
        """What `len()` of the bytes gives, decoded as UTF-8 with errors replaced."""
        if self._recounted is not None:
            return self._recounted[0]
        return self._chars + chars(self._held)[0]

    @property
    def lines(self) -> int:
        """LF bytes, plus one if the last byte is not LF."""
        if self._recounted is not None:
            return self._recounted[1]
        return self._feeds + (self.bytes > 0 and self._last != 0x0A)

    @property
    def sha256(self) -> str:
        """64 hex digits."""
        return self._digest.hexdigest()

    @property
    def wide(self) -> bool:
        """Whether it is UTF-16, whose chars and lines are counted once decoded."""
        return utf16_of(bytes(self._head)) is not None

    @property
    def pages_by_line(self) -> bool:
        """Whether a reader that pages by lines gets at everything."""
        return self.lines > 1 and max(self.longest, self._since) <= LONG
