"""The digest of a spill in the making, taken beside the reading and writing of it."""

from __future__ import annotations

import threading
from queue import SimpleQueue

from spillview.store.tally import Tally

AHEAD = 16
"""Pieces that may wait to be hashed; then the reading waits too."""


class Digest(Tally):
    """As `Tally`, but it only hashes, in a thread of its own.

    Chars and lines are not counted on the way: whoever commits the spill counts them
    anyway and says so by `recount`, or the writer counts once more.
    """

    def __init__(self) -> None:
        super().__init__()
        self._pieces: SimpleQueue[bytes | memoryview | None] = SimpleQueue()
        self._room = threading.Semaphore(AHEAD)
        self._thread: threading.Thread | None = None

    def add(self, data: memoryview) -> None:
        """Take `data`, whose bytes must not change any more."""
        self.bytes += len(data)
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._work, name="sha256", daemon=True
            )
            self._thread.start()
        self._room.acquire()
        self._pieces.put(data)

    def _work(self) -> None:
        while (piece := self._pieces.get()) is not None:
            self._digest.update(piece)
            del piece
            self._room.release()

    def _finish(self) -> None:
        if self._thread is not None:
            self._pieces.put(None)
            self._thread.join()
            self._thread = None

    @property
    def wide(self) -> bool:
        """Whether the writer has to count: chars and lines were not said yet."""
        return self._recounted is None

    @property
    def sha256(self) -> str:
        """64 hex digits."""
        self._finish()
        return super().sha256
