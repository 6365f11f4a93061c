"""Excerpts of lines that are too long to be given whole, made as their hits come in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spillview.content.transcoding import Searched
from spillview.hints import Protocol
from spillview.search.excerpts import Hit, Window, Windows, excerpt, line_end
from spillview.search.found_place import FoundPlace, without_end
from spillview.search.selection import Message


class Line(Protocol):
    """A long line's bytes, wherever they are."""

    @property
    def length(self) -> int:
        """With its LF."""
        ...

    def read(self, start: int, end: int) -> bytes:
        """Bytes of the line."""
        ...


class HeldLine:
    """A line that ripgrep's message carried whole."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.length = len(data)

    def read(self, start: int, end: int) -> bytes:
        return self._data[start:end]


class LineOnDisk:
    """A line that is read from the file again; its end is looked for when needed."""

    def __init__(self, source: Searched, offset: int) -> None:
        self._source = source
        self._offset = offset
        self._length: int | None = None
        self.reached = 0
        """A byte known to be in the line: its end is looked for from here."""

    @property
    def length(self) -> int:
        if self._length is None:
            self._length = line_end(self.read, self.reached)
        return self._length

    def read(self, start: int, end: int) -> bytes:
        return self._source.read(self._offset + start, self._offset + end)


class LongLine:
    """Makes the excerpts of one long line while its hits come in."""

    def __init__(
        self, place: FoundPlace, message: Message, line: Line, every: bool
    ) -> None:
        self._place = place
        self._message = message
        self._line = line
        self._every = every
        self._windows = Windows()
        self._first: Window | None = None
        self._received: bool | None = True

    def more(self, hits: Sequence[Hit]) -> Iterator[Message]:
        """Excerpts that are complete with these hits (none but with `every`)."""
        if self._message["type"] == "match" and not self._every:
            offset = self._message["data"]["absolute_offset"]
            if hits and self._received:
                self._received = self._place.received(offset, hits)
        for window in self._windows.add(hits):
            if self._every:
                yield self._told(window)
            self._first = self._first or window

    def last(self) -> Iterator[Message]:
        """The excerpt that closes the line."""
        if self._every or self._first is None:
            yield self._told(self._windows.last())
        else:
            yield self._told(self._first)

    def _told(self, window: Window) -> Message:
        length = self._line.length
        given = excerpt(window, length, self._line.read)
        data = {**self._message["data"], **given}
        if not self._every and self._windows.total > len(given["submatches"]):
            data["submatches_total"] = self._windows.total
        self._place.span(data, length)
        if self._message["type"] == "match":
            data["seen"] = self._seen(window, length)
        return {"type": self._message["type"], "data": data}

    def _seen(self, window: Window, length: int) -> bool | None:
        """Whether all hits were received: of the line, or of one excerpt of many."""
        if window.hits and not self._every:
            return self._received
        hits: Sequence[Hit] = window.hits
        if not hits:  # an inverted match
            end = self._line.read(max(0, length - 2), length)
            hits = [without_end(length, end)]
        return self._place.received(self._message["data"]["absolute_offset"], hits)
