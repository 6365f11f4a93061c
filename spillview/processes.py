"""Other processes of this machine that help with much work, and end with this one."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from spillview.hints import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future
    from multiprocessing.connection import Connection

_ended = False
"""In a process that helps: whether nobody waits for what it is at."""

YOUNG = 50_000
"""So many new objects before a look for cycles among them: there are none."""


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def pool(workers: int, nice: int = 0) -> Executor:
    """So many processes, this much nicer; each imports the program's main module.

    They leave Ctrl+C to this process and do not outlive it. What they are at when the
    executor is shut down is told so by `unwanted`.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # A fork would take the threads' locks along as they are.
    context = get_context("spawn")
    if os.name == "posix":
        _silence_tracker()
    # Not an event: its name would be gone for processes that are still starting.
    told, telling = context.Pipe(duplex=False)

    class Pool(ProcessPoolExecutor):
        def submit(
            self, work: Callable[..., Any], /, *given: Any, **named: Any
        ) -> Future[Any]:
            with _interrupts_held():  # the first call starts the processes
                return super().submit(work, *given, **named)

        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            telling.close()
            super().shutdown(wait, cancel_futures=cancel_futures)

    return Pool(workers, mp_context=context, initializer=_begin, initargs=(told, nice))


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl+C waits meanwhile in this thread, and in what it starts until `_begin`."""
    import signal

    if not hasattr(signal, "pthread_sigmask"):  # not on this platform
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _silence_tracker() -> None:
    """Start what cleans up behind this process, without its word to the terminal.

    When this one is killed it warns of semaphores, which it removes all the same.
    """
    from multiprocessing import resource_tracker

    option = "ignore:resource_tracker:UserWarning"
    sys.warnoptions.append(option)
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.remove(option)


def unwanted() -> bool:
    """Whether nobody waits any more for what this process is at."""
    return _ended


def _begin(told: Connection, nice: int) -> None:
    """In each process: leave Ctrl+C to the first one, and do not outlive it."""
    import gc
    import signal
    import threading
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    gc.set_threshold(YOUNG)
    if nice and hasattr(os, "nice"):
        os.nice(nice)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    parent = parent_process()

    def follow() -> None:
        global _ended
        wait([told] if parent is None else [told, parent.sentinel])
        _ended = True
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
