"""Processes that do what they are sent, and end with the one that sent it."""

from __future__ import annotations

import gc
import os
import pickle
import select
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from queue import SimpleQueue

from spillview.hints import TYPE_CHECKING, Any
from spillview.processes import give_up

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

YOUNG = 50_000
"""So many new objects before a look for cycles among them: there are none."""


class Pool(Executor):
    """Processes that are talked to through a pipe each, by one thread.

    `ProcessPoolExecutor` has two threads of its own for that, which wait for the
    interpreter while this one works, and the others wait for them.
    """

    def __init__(self, workers: int, nice: int = 0) -> None:
        """They start with the first work that is given to them."""
        self._workers, self._nice = workers, nice
        self._helpers: dict[Connection, _Helper] = {}
        self._over = False
        self._poll = select.poll() if hasattr(select, "poll") else None

    def submit(
        self, work: Callable[..., Any], /, *given: Any, **named: Any
    ) -> Future[Any]:
        """See `Executor.submit`. Raises what pickling raises, and `BrokenExecutor`
        where no process is left."""
        if not self._helpers and not self._over:
            self._start()
        answer = _Answer(self)
        packed = pickle.dumps((work, given, named), -1)
        for helper in sorted(self._helpers.values(), key=lambda h: len(h.asked)):
            try:
                helper.pipe.send_bytes(packed)
            except OSError:
                self._lost(helper)
                continue
            helper.asked.append(answer)
            return answer
        raise BrokenExecutor("No process that helps is left.")

    def look(self, timeout: float | None) -> None:
        """Take what was answered; waits so many seconds for a first answer."""
        if timeout == 0 and self._poll is not None and not self._poll.poll(0):
            return  # a tenth of the time that waiting for nothing takes
        for pipe in wait_for(list(self._helpers), timeout):
            helper = self._helpers[pipe]  # type: ignore[index]  # these are Connections
            try:
                packed = helper.pipe.recv_bytes()
            except (EOFError, OSError):
                self._lost(helper)
                continue
            helper.asked.popleft().take(packed)

    def _start(self) -> None:
        # A fork would take the threads' locks along as they are.
        context = get_context("spawn")
        with _interrupts_held():
            for _ in range(self._workers):
                ours, theirs = context.Pipe()
                process = context.Process(
                    target=_help, args=(theirs, self._nice), daemon=True
                )
                process.start()
                theirs.close()
                self._helpers[ours] = _Helper(process, ours)
                if self._poll is not None:
                    self._poll.register(ours, select.POLLIN)

    def _lost(self, helper: _Helper) -> None:
        """A process has ended: what it was at fails."""
        if self._poll is not None:
            self._poll.unregister(helper.pipe)
        helper.pipe.close()
        del self._helpers[helper.pipe]
        self._over = not self._helpers
        for answer in helper.asked:
            answer.fail(BrokenExecutor("A process that helped has ended."))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the processes go; `wait` until they have ended."""
        self._over = True
        helpers, self._helpers = list(self._helpers.values()), {}
        for helper in helpers:
            helper.pipe.close()
            for answer in helper.asked:
                answer.cancel()
        for helper in helpers if wait else ():
            helper.process.join()


class _Helper:
    """One process, and what it was asked, the first of it first."""

    def __init__(self, process: SpawnProcess, pipe: Connection) -> None:
        self.process = process
        self.pipe = pipe
        self.asked: deque[_Answer] = deque()


class _Answer(Future[Any]):
    """A future that looks for itself when it is asked."""

    def __init__(self, pool: Pool) -> None:
        super().__init__()
        self._pool = pool

    def take(self, packed: bytes) -> None:
        """What a process answered."""
        if self.cancelled():
            return
        try:
            done, result = pickle.loads(packed)
        except Exception as error:
            done, result = False, error
        if done:
            self.set_result(result)
        else:
            self.set_exception(result)

    def fail(self, error: Exception) -> None:
        """It is not answered any more."""
        if not self.cancelled():
            self.set_exception(error)

    def done(self) -> bool:
        if not super().done():
            self._pool.look(0)
        return super().done()

    def result(self, timeout: float | None = None) -> Any:
        self._wait(timeout)
        return super().result(0)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        self._wait(timeout)
        return super().exception(0)

    def _wait(self, timeout: float | None) -> None:
        """Until it is answered, or so many seconds for any answer."""
        while not super().done():
            self._pool.look(timeout)
            if timeout is not None:
                break


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl+C waits meanwhile in this thread, and in what it starts until `_begin`."""
    if not hasattr(signal, "pthread_sigmask"):  # not on this platform
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# In each process


def _help(pipe: Connection, nice: int) -> None:
    """Do what comes through the pipe until nothing comes any more."""
    _begin(nice)
    # Taken in by a thread, so that who asks never waits for who answers.
    asked: SimpleQueue[bytes | None] = SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, asked), daemon=True).start()
    while (packed := asked.get()) is not None:
        try:
            work, given, named = pickle.loads(packed)
            answer = pickle.dumps((True, work(*given, **named)), -1)
        except Exception as error:
            answer = pickle.dumps((False, _plain(error)), -1)
        with suppress(OSError):  # nobody listens: the other thread ends this
            pipe.send_bytes(answer)


def _plain(error: Exception) -> Exception:
    """The error, or its words where it cannot be sent."""
    try:
        pickle.loads(pickle.dumps(error, -1))
    except Exception:
        return RuntimeError(repr(error))
    return error


def _begin(nice: int) -> None:
    """Leave Ctrl+C to the first process, and work in the background."""
    gc.set_threshold(YOUNG)
    if nice and hasattr(os, "nice"):
        os.nice(nice)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _listen(pipe: Connection, asked: SimpleQueue[bytes | None]) -> None:
    """Hand on what comes through the pipe, and do not outlive who sent it."""
    with suppress(EOFError, OSError):
        while True:
            asked.put(pipe.recv_bytes())
    give_up()
    while not asked.empty():  # what it was still to do is not waited for
        asked.get()
    asked.put(None)
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
