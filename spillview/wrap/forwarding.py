"""Signals that reach a wrapper, and which of them the command must be given.

A key such as Ctrl-C makes the terminal send a signal to every process in the
foreground: the command has it already and must not get it twice. One that somebody
sent to the wrapper alone is passed on.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any


def _signals(*names: str) -> tuple[signal.Signals, ...]:
    """Those that this system has."""
    return tuple(
        signal.Signals[name] for name in names if name in signal.Signals.__members__
    )


ENDING = _signals("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
"""What asks a process to end."""

_KEYS = _signals("SIGINT", "SIGQUIT")
"""What a terminal sends for a key that ends things."""

STOP = _signals("SIGTSTP")
"""Passed on where it can be told from a key; a key stops the command anyway."""
CONTINUE = _signals("SIGCONT")
OTHERS = _signals("SIGUSR1", "SIGUSR2", "SIGWINCH")

AGAIN = 1.0
"""Seconds in which one more signal to end is the same wish: who ends a process often
sends to it, then to its group."""

_DEFAULT = signal.SIG_DFL

_TELLS = hasattr(signal, "sigwaitinfo") and hasattr(signal, "pthread_sigmask")
"""Whether a signal can be asked where it came from."""

_END = _signals("SIGURG")
"""Ends our own waiting for signals; by default it does nothing."""


class Forwarding:
    """Takes the process's signals from `start` until `close`.

    For the main thread; elsewhere signals stay whatever they are. A signal that was
    ignored before stays ignored, as `nohup` wants.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        """`wake` is called from anywhere when a signal that ends things has come."""
        self._wake = wake
        self._process: subprocess.Popen[bytes] | None = None
        self._early: list[int] = []
        self._before: dict[signal.Signals, Any] = {}
        self._mask: set[Any] | None = None
        self._thread: threading.Thread | None = None
        self._over = False
        self._detached = self._ends = False
        self._asked = 0.0
        self.came: list[int] = []
        """Signals that ask to end, in order."""

    @property
    def active(self) -> bool:
        """Whether signals are taken."""
        return bool(self._before)

    def start(self) -> None:
        """Take signals from now on. What comes before `attach` is passed on then."""
        if threading.current_thread() is not threading.main_thread():
            return
        for each in (*ENDING, *CONTINUE, *OTHERS):
            before = signal.getsignal(each)
            ignored = before is signal.SIG_IGN
            if not ignored and before is not None:
                self._before[each] = before
                signal.signal(each, self._handle)

    def attach(self, process: subprocess.Popen[bytes] | None) -> None:
        """Pass signals on to this process, or to none where no command was started."""
        self._process = process
        early, self._early = self._early, []
        if process is not None:
            for number in early:
                _send(process, number)
        if self._before and _TELLS:
            # Only now: a process that is started inherits what is blocked.
            wanted = {*self._before, *_END}
            wanted |= {each for each in STOP if signal.getsignal(each) == _DEFAULT}
            self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
            self._thread = threading.Thread(
                target=self._wait, args=(wanted,), name="signals", daemon=True
            )
            self._thread.start()

    def detach(self) -> None:
        """The command has ended: what comes from now on is for us alone.

        What asked the command to end may reach us late, or a second time: for a moment
        it asks nothing new.
        """
        self._process = None
        self._asked = time.monotonic()
        self._detached = True
        self.came.clear()

    def end_at_once(self) -> None:
        """All is kept, and only to be told: who wants us to end now need not wait."""
        self._ends = True
        self.came.clear()

    def close(self) -> None:
        """Give all signals back to whoever had them."""
        if self._thread is not None and self._mask is not None:
            self._over = True
            signal.pthread_kill(self._thread.ident or 0, _END[0])
            self._thread.join()
            signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
            self._thread = None
        for each, before in self._before.items():
            signal.signal(each, before)
        self._before = {}

    def _wait(self, wanted: set[signal.Signals]) -> None:
        while True:
            info = signal.sigwaitinfo(wanted)
            if self._over:
                return
            # Above zero: the kernel itself, for a key, to everybody in front.
            self._take(info.si_signo, everybody=info.si_code > 0)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._process is None and number in ENDING:
            self._early.append(number)
        self._take(number, everybody=number in _KEYS and _in_front())

    def _take(self, number: int, *, everybody: bool) -> None:
        process = self._process
        if number in ENDING:
            now = time.monotonic()
            again, self._asked = now - self._asked < AGAIN, now
            if again and self._detached:
                return
            if self._ends:  # our own thread may be waiting for a reader for ever
                os._exit(128 + number)
            self.came.append(number)
        if process is not None and not everybody:
            _send(process, number)
        if number in STOP:
            # As it would have stopped us, were it not for our waiting for it.
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
            signal.pthread_kill(threading.get_ident(), number)
            signal.pthread_sigmask(signal.SIG_BLOCK, [number])
        if number in ENDING:
            self._wake()


def _send(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(OSError):  # it has ended, or belongs to somebody else by now
        process.send_signal(number)


def _in_front() -> bool:
    """Whether a key's signal would reach us: our group is the terminal's foreground."""
    try:
        with open("/dev/tty", "rb", buffering=0) as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except (OSError, AttributeError):
        return False
