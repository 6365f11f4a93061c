"""Memory that was let go of, back to the system."""

from __future__ import annotations

LARGE = 1 << 17
"""Bytes from which on a block is one of its own, which goes back when it is let go."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""The numbers that glibc gives these settings."""


def give_back() -> None:
    """Have large blocks go back to the system, and threads share what is kept.

    By itself glibc keeps blocks of up to 32 MB once one was let go, and a heap for each
    thread: with 100,000 artifacts a fifth of all memory. Does nothing elsewhere.
    """
    try:
        import ctypes

        set_option = ctypes.CDLL(None).mallopt
    except (ImportError, OSError, AttributeError, TypeError):
        return
    for option in (_TRIM_THRESHOLD, _MMAP_THRESHOLD):
        set_option(option, LARGE)
    set_option(_ARENA_MAX, 1)
