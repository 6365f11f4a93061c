"""A look at the stores by a process of its own, while this one loads its screens."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress

from spillview.discovery.entries import Discovery
from spillview.hints import NoReturn

PIPE = 1 << 20
"""Bytes that the system keeps for us until we read, where it lets us choose."""


class Ahead:
    """A discovery that is under way in a child of this process."""

    def __init__(self, child: int, answer: int) -> None:
        """Its process id, and the pipe that its answer comes through."""
        self._child = child
        self._answer = answer

    def result(self) -> Discovery | None:
        """What it found, once it is done; None where it came to nothing.

        To be called once.
        """
        import pickle

        with suppress(OSError, EOFError, pickle.UnpicklingError):
            with open(self._answer, "rb") as pipe:
                data = pipe.read()
            if os.waitpid(self._child, 0)[1] == 0:
                seen = pickle.loads(data)
                return seen if isinstance(seen, Discovery) else None
        return None


def look_ahead(look: Callable[[], Discovery]) -> Ahead | None:
    """Start to look; None where that takes no time of another processor.

    Only for a process that has one thread still: a child has no other, but their locks.
    """
    if not hasattr(os, "fork") or _processors() < 2:
        return None
    try:
        answer, into = os.pipe()
    except OSError:
        return None
    try:
        child = os.fork()
    except OSError:
        os.close(answer)
        os.close(into)
        return None
    if child == 0:
        os.close(answer)  # else nobody would be missed who does not read
        _answer(look, into)
    os.close(into)
    return Ahead(child, answer)


def _answer(look: Callable[[], Discovery], into: int) -> NoReturn:
    """In the child: look, hand over what was found, and end without a word."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's first process
        import copyreg
        import pickle
        from types import MappingProxyType

        copyreg.pickle(MappingProxyType, lambda m: (MappingProxyType, (dict(m),)))
        with suppress(ImportError, AttributeError, OSError):
            import fcntl

            fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, PIPE)
        data = pickle.dumps(look(), -1)
        with open(into, "wb") as pipe:
            pipe.write(data)
        os._exit(0)
    finally:
        os._exit(1)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
