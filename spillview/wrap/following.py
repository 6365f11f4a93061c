"""Counting, and looking for signal lines, in a spill while it is still written."""

from __future__ import annotations

import threading

from spillview.content.content import FileContent, open_content
from spillview.content.counts import BLOCK, Total
from spillview.envelopes.scanning import Scan
from spillview.errors import SpillError

STEP = 1 << 20
"""Bytes that must have come since the last look."""


class Following:
    """A thread that counts what is in the file already, beside the writing of it.

    What it has not come to, or cannot tell before the end, is left to whoever goes on
    from `counted` and `looked`, once it was stopped.
    """

    def __init__(self, path: str, most: int | None) -> None:
        """`most` signal lines are kept; None looks for none. Raises `SpillError`."""
        self._content: FileContent = open_content(path)
        self.counted = Total()
        self.looked = Scan(self._content, most) if most is not None else None
        self._changed = threading.Condition()
        self._came = 0
        self._over = False
        self._thread = threading.Thread(target=self._work, name="figures", daemon=True)
        self._thread.start()

    def grow(self, size: int) -> None:
        """So many bytes are in the file."""
        with self._changed:
            self._came = size
            self._changed.notify()

    def stop(self) -> None:
        """End the thread. Nothing happens a second time."""
        with self._changed:
            self._over = True
            self._changed.notify()
        self._thread.join()
        self._content.close()

    def _work(self) -> None:
        try:
            while self._wait():
                self._content.refresh()
                self._take()
        except SpillError:
            return  # whoever goes on meets it too, and tells

    def _wait(self) -> bool:
        """Wait until there is enough that is new; False when it is over."""
        with self._changed:
            while self._came - self._content.size < STEP and not self._over:
                self._changed.wait()
            return not self._over

    def _take(self) -> None:
        content, total, looked = self._content, self.counted, self.looked
        more = True
        while more and not self._over:
            more = content.size - total.offset >= BLOCK
            if more:
                total.add(content.pread(total.offset, BLOCK), last=False)
            if looked is not None and looked.follow():
                more = True
