"""Ctrl+C as a wish: long work ends between two artifacts, and tells how far it came."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Stop:
    """Says whether the person wants the work to end; at the second Ctrl+C it ends.

    Inside a `with`, and in the main thread alone.
    """

    def __init__(self) -> None:
        self.wished = False
        self._at_once = False
        self._before: Any = None

    def __enter__(self) -> Stop:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.getsignal(signal.SIGINT)
            if self._before is signal.default_int_handler:
                signal.signal(signal.SIGINT, self._wish)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._before)

    def __call__(self) -> bool:
        """Whether to end before the next artifact."""
        return self.wished

    @contextmanager
    def asking(self) -> Iterator[None]:
        """While a person is asked, one Ctrl+C ends it all."""
        self._at_once = True
        try:
            yield
        finally:
            self._at_once = False

    def _wish(self, _number: int, _frame: FrameType | None) -> None:
        if self.wished or self._at_once:
            raise KeyboardInterrupt
        self.wished = True
