"""How many processors there are, and other processes that help with much work."""

from __future__ import annotations

import os

from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Executor

_ended = False
"""In a process that helps: whether nobody waits for what it is at."""


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def pool(workers: int, nice: int = 0) -> Executor:
    """So many processes, this much nicer; each imports the program's main module.

    They leave Ctrl+C to this process and do not outlive it. What they are at when the
    executor is shut down is told so by `unwanted`. For one thread at a time.
    """
    from spillview.pools import Pool

    return Pool(workers, nice)


def unwanted() -> bool:
    """Whether nobody waits any more for what this process is at."""
    return _ended


def give_up() -> None:
    """In a process that helps: nobody waits any more."""
    global _ended
    _ended = True
