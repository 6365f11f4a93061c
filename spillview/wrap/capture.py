"""An output as it comes: in memory, above the boundary in the store, never lost.

Whatever the store does, the output can still be given on whole: what is in memory or on
disk already is given first, then everything as it comes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, Protocol

from spillview.content.content import BytesContent, FileContent, open_content
from spillview.errors import SpillError
from spillview.store.tally import Tally
from spillview.wrap.following import Following
from spillview.wrap.hashing import Digest
from spillview.wrap.ordering import Turns, Weaving

if TYPE_CHECKING:
    from spillview.content.content import Content
    from spillview.model import Boundary
    from spillview.store import SpillWriter
    from spillview.wrap.running import Stream

MOST_HELD = 4 << 20
"""Bytes that stay in memory at most, whatever the boundary."""

HELD = 1.0
"""Seconds that bytes stay in memory alone while more may come; then they are stored
too, so that whoever ends us leaves them behind."""

GATHERED = 1 << 18
"""Bytes of small pieces that are written together while more of them come at once."""

BLOCK = 1 << 20
"""Bytes given on at a time."""

Begin = Callable[[Tally], "SpillWriter"]
"""Opens the spill; raises `SpillError` or OSError when that fails."""


class Outlet(Protocol):
    """Where an output goes on to when it is not folded."""

    def give(self, stream: Stream, data: bytes) -> None:
        """Write all of `data`. Raises BrokenPipeError when nobody reads it."""

    def warn(self, sentence: str) -> None:
        """Tell a person."""


class Capture:
    """A sink for `running`: `take`, `idle`, then `finish` and what became of it."""

    def __init__(
        self,
        boundary: Boundary,
        begin: Begin,
        outlet: Outlet,
        *,
        woven: bool,
        looks_for: int | None = None,
    ) -> None:
        """`woven`: there are two streams, whose lines and characters stay whole.

        `looks_for`: so many signal lines are kept on the way; None looks for none.
        """
        self._limit = _certain(boundary)
        self._begin = begin
        self._outlet = outlet
        self._weaving = Weaving() if woven else None
        self._held: list[bytes] = []
        self._held_bytes = 0
        self._since = 0.0
        self._early = True
        self._gathered: list[bytes] = []
        self._gathered_bytes = 0
        self._digest = Digest()
        self._looks_for = looks_for
        self._following: Following | None = None
        self._file: FileContent | None = None
        self._loose = Tally()
        self._closed = False
        self.writer: SpillWriter | None = None
        """The open spill; None while all is in memory, and after a failure."""
        self.state: Literal["held", "stored", "loose"] = "held"
        """In memory; in the store; given on as it comes, because storing failed."""
        self.turns = Turns()

    @property
    def closed(self) -> bool:
        """Whether nobody reads what is given on any more."""
        return self._closed

    @property
    def loose(self) -> Tally:
        """The figures of an output that could not be stored."""
        return self._loose

    # As it comes

    def take(self, stream: Stream, data: bytes, contended: bool) -> None:
        """See `running.Sink`."""
        if self._weaving is None:
            self._put(stream, data)
            return
        for each, piece in self._weaving.add(stream, data, contended):
            self._put(each, piece)

    def idle(self) -> float | None:
        """See `running.Sink`."""
        if self._weaving is not None:
            for each, piece in self._weaving.idle():
                self._put(each, piece)
        self._write_gathered()
        if self.state != "held" or not self._held or not self._early:
            return None
        left = self._since + HELD - time.monotonic()
        if left > 0:
            return left
        self._early = False  # whether or not it succeeds now
        self._store(needed=False)
        return None

    def finish(self) -> None:
        """There is no more of it."""
        if self._weaving is not None:
            for each, piece in self._weaving.rest():
                self._put(each, piece)
        self._write_gathered()
        if self._following is not None:
            self._following.stop()

    def _put(self, stream: Stream, data: bytes) -> None:
        if self.state == "loose":
            self._give(stream, data)
            return
        self.turns.add(stream, len(data))
        if self.state == "stored":
            self._gathered.append(data)
            self._gathered_bytes += len(data)
            if self._gathered_bytes >= GATHERED:
                self._write_gathered()
            return
        if not self._held:
            self._since = time.monotonic()
        self._held.append(data)
        self._held_bytes += len(data)
        if self._held_bytes > self._limit:
            self._store(needed=True)

    def _write_gathered(self) -> None:
        if self._gathered:
            data = b"".join(self._gathered)
            self._gathered, self._gathered_bytes = [], 0
            self._write(data)

    # The store

    def store(self) -> None:
        """Store what is in memory: it is to be folded although it is small.

        Where that fails everything is given on, and `state` is `loose`.
        """
        self._store(needed=True)

    def _store(self, *, needed: bool) -> None:
        """Begin the spill with what is in memory."""
        data = b"".join(self._held)
        try:
            self.writer = self._begin(self._digest)
            self._file = open_content(self.writer.locator)
            self._digest.follow(self._file.fileno())
            self._following = Following(self.writer.locator, self._looks_for)
        except (SpillError, OSError) as error:
            self.drop()
            if needed:
                self._let_go(str(error), data)
            return
        self.state, self._held, self._held_bytes = "stored", [], 0
        self._write(data)

    def _write(self, data: bytes) -> None:
        assert self.writer is not None
        before = self.writer.bytes
        try:
            self.writer.write(data)
        except (SpillError, OSError) as error:
            self._let_go(str(error), data[self.writer.bytes - before :])
            return
        if self._following is not None:
            self._following.grow(self.writer.bytes)

    def _let_go(self, reason: str, rest: bytes) -> None:
        """Storing failed: give on all there is, then whatever comes, as it comes."""
        self._outlet.warn(f"{reason} So the output is not folded, and given on whole.")
        self.give_on(rest)
        self.state = "loose"
        self._held, self._held_bytes = [], 0
        self.drop()

    # What becomes of it

    def content(self) -> Content:
        """All of it, once finished and not loose."""
        if self._file is not None:
            self._file.refresh()
            return self._file
        return BytesContent(b"".join(self._held))

    @property
    def begun(self) -> Following | None:
        """What was counted and found on the way, once finished."""
        return self._following

    def digest_counted(self, chars: int, lines: int) -> None:
        """Say what was counted, so that the writer need not."""
        self._digest.recount(chars, lines)

    def give_on(self, rest: bytes = b"") -> None:
        """Give on what was stored and `rest`, each stream to its own.

        Bytes in memory count as `rest` while nothing is stored.
        """
        stored = self.writer.bytes if self.writer is not None else 0
        if self.writer is None and not rest:
            rest = b"".join(self._held)
        if not self.turns.complete:
            self._outlet.warn(
                "The two streams changed too often to be told apart again: all of it"
                " goes to stdout."
            )
        file = self._file
        if file is not None:
            file.refresh()
        for stream, start, end in self.turns.pieces(stored + len(rest)):
            while start < end and not self._closed:
                if start < stored and file is not None:
                    data = file.pread(start, min(BLOCK, end - start, stored - start))
                else:
                    data = rest[start - stored : min(end, start + BLOCK) - stored]
                self._give(stream, data)
                start += len(data)

    def _give(self, stream: Stream, data: bytes) -> None:
        self._loose.add(memoryview(data))
        if self._closed:
            return
        try:
            self._outlet.give(stream, data)
        except BrokenPipeError:
            self._closed = True

    def drop(self) -> None:
        """Take the spill out of the store again. Raises nothing."""
        writer, self.writer = self.writer, None
        if writer is not None:
            with suppress(SpillError, OSError):
                writer.abort()
        self.close()

    def close(self) -> None:
        """Give back what is open; a spill that was not committed stays as partial."""
        if self.writer is not None:
            self.writer.close()
        self._digest.stop()
        if self._following is not None:
            self._following.stop()
            self._following = None
        if self._file is not None:
            self._file.close()
            self._file = None


def _certain(boundary: Boundary) -> int:
    """Bytes that stay in memory: up to the boundary, were all of it ASCII."""
    size = boundary.size
    if boundary.unit == "lines":
        size = MOST_HELD // 4
    elif boundary.unit == "tokens":
        size *= 4
    return min(size, MOST_HELD)
