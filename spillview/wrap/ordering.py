"""The order of two streams: whole characters, whole lines, and who spoke when."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING

from spillview.content.codepoints import whole

if TYPE_CHECKING:
    from spillview.wrap.running import Stream

LONGEST = 1 << 16
"""Bytes of an unfinished line that are kept back for the rest of it."""

TURNS = 1 << 20
"""Changes from one stream to the other that are remembered: 8 bytes each."""

Piece = tuple["Stream", bytes]


class Weaving:
    """Puts the pieces of two streams one behind the other, and breaks little.

    A character that a piece ends in the middle of waits for its rest. While both
    streams speak at once, so does an unfinished line: which of the two came first is
    not known anyway. Each stream's own bytes keep their order, and none is lost.
    """

    def __init__(self) -> None:
        self._held: dict[Stream, bytes] = {}

    def add(self, stream: Stream, data: bytes, contended: bool) -> Iterator[Piece]:
        """The pieces that can be passed on now that `data` has come."""
        held = self._held.pop(stream, b"")
        if held:
            data = held + data
        end = whole(data)
        if contended:
            feed = data.rfind(b"\n") + 1
            if len(data) - feed <= LONGEST:
                end = feed
        if end < len(data):
            self._held[stream] = data[end:]
            data = data[:end]
        if data:
            yield stream, data

    def idle(self) -> Iterator[Piece]:
        """Nothing else is there: unfinished lines go on, up to a whole character."""
        for stream, data in list(self._held.items()):
            end = whole(data)
            if end:
                del self._held[stream]
                if end < len(data):
                    self._held[stream] = data[end:]
                yield stream, data[:end]

    def rest(self) -> Iterator[Piece]:
        """The streams are at their ends: everything that waited."""
        held, self._held = self._held, {}
        yield from held.items()


class Turns:
    """Which bytes of what was written belong to which stream, in bounded memory."""

    def __init__(self) -> None:
        self._lengths = array("Q", [0])
        """Of stdout, stderr, stdout, … in turn."""
        self.complete = True
        """False once there were too many changes to remember."""
        self.totals: dict[Stream, int] = {1: 0, 2: 0}

    def add(self, stream: Stream, length: int) -> None:
        """The next `length` bytes are this stream's."""
        if not length:
            return
        self.totals[stream] += length
        if not self.complete:
            return
        if (len(self._lengths) % 2 == 1) != (stream == 1):
            if len(self._lengths) >= TURNS:
                self.complete = False
                self._lengths = array("Q")
                return
            self._lengths.append(0)
        self._lengths[-1] += length

    def pieces(self, total: int) -> Iterator[tuple[Stream, int, int]]:
        """Each stretch of one stream among the first `total` bytes: start and end.

        Where the changes are forgotten, all of it is stdout's.
        """
        if not self.complete:
            yield 1, 0, total
            return
        at = 0
        for place, length in enumerate(self._lengths):
            end = min(at + length, total)
            if end > at:
                yield (2 if place % 2 else 1), at, end
            at = end
