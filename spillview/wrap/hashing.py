"""The digest of a spill in the making, taken beside the reading and writing of it."""

from __future__ import annotations

import errno
import os
import threading
from contextlib import suppress

from spillview.store.tally import Tally

PIECE = 1 << 20
"""Bytes hashed at a time."""

BEHIND = 1 << 29
"""Bytes that hashing may be behind, which are still in the system's cache; then the
writing waits."""


class Digest(Tally):
    """As `Tally`, but it only hashes, in a thread of its own, what is in the file.

    So the writing never waits for it, and what comes after the writing is done beside
    it. Chars and lines are not counted on the way: whoever commits the spill counts
    them anyway and says so by `recount`, or the writer counts once more.
    """

    def __init__(self) -> None:
        super().__init__()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._file = -1
        self._hashed = 0
        self._over = False
        self._failure: OSError | None = None

    def follow(self, descriptor: int) -> None:
        """Hash what is written to this open file, from its beginning."""
        self._file = os.dup(descriptor)
        self._thread = threading.Thread(target=self._work, name="sha256", daemon=True)
        self._thread.start()

    def add(self, data: memoryview) -> None:
        """Take `data`, which is in the file already."""
        with self._changed:
            self.bytes += len(data)
            self._changed.notify_all()
            while self.bytes - self._hashed > BEHIND and self._failure is None:
                self._changed.wait()

    def _work(self) -> None:
        piece = memoryview(bytearray(PIECE))
        try:
            while True:
                with self._changed:
                    while self._hashed == self.bytes and not self._over:
                        self._changed.wait()
                    length = min(PIECE, self.bytes - self._hashed)
                if not length:
                    return
                data = _read(self._file, piece[:length], self._hashed)
                self._digest.update(data)
                with self._changed:
                    self._hashed += len(data)
                    self._changed.notify_all()
        except OSError as error:
            with self._changed:
                self._failure = error
                self._changed.notify_all()

    def stop(self, *, hashed: bool = False) -> None:
        """End the thread, now or when all is `hashed`; nobody follows any more."""
        thread, self._thread = self._thread, None
        if thread is not None:
            with self._changed:
                self._over = True
                if not hashed:
                    self.bytes = self._hashed
                self._changed.notify_all()
            thread.join()
            with suppress(OSError):
                os.close(self._file)

    @property
    def wide(self) -> bool:
        """Whether the writer has to count: chars and lines were not said yet."""
        return self._recounted is None

    @property
    def sha256(self) -> str:
        """64 hex digits. Raises OSError when the file could not be read."""
        self.stop(hashed=True)
        if self._failure is not None:
            raise self._failure
        return super().sha256


def _read(file: int, piece: memoryview, offset: int) -> memoryview:
    """Bytes at `offset`, as many as one call gives; some must be there."""
    if hasattr(os, "preadv"):
        got = os.preadv(file, [piece], offset)
    else:
        data = os.pread(file, len(piece), offset)
        got = len(data)
        piece[:got] = data
    if not got:
        raise OSError(errno.EIO, "it was truncated while it was written")
    return piece[:got]
