"""Starts a command and reads what it prints, or reads what is piped to us.

What is promised of the order: each stream's bytes stay in theirs, and what a command
writes to one stream after something else was read from the other comes after it. Bytes
that lie in both pipes when we look have no order that could be known. With one pipe
for both (`merge`) the order is the command's own.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, Protocol

from spillview.wrap.forwarding import ENDING, Forwarding
from spillview.wrap.starting import (
    Streams,
    drained,
    fill_standard,
    shut,
    started,
    widen,
)

READ = 1 << 20
"""Bytes read at a time, and of a pipe where the system lets us have so many."""

SILENCE = 1.0
"""Seconds without output after which a pipe that outlived its command is left."""

LINGER = 10.0
"""Seconds that are read on at most after the command has ended."""

LATE = 0.02
"""Seconds for a signal that ended the command to reach us too, sent to both at once."""

Stream = Literal[1, 2]


class Sink(Protocol):
    """Whatever takes an output as it comes."""

    def take(self, stream: Stream, data: bytes, contended: bool) -> None:
        """Take a piece; `contended` when the other stream had one at the same time."""

    def idle(self) -> float | None:
        """Nothing more is there at the moment; seconds until to ask again, if ever."""

    @property
    def closed(self) -> bool:
        """Whether it takes no more: the command should be told by a broken pipe."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command, or the output piped to us, came to its end."""

    code: int
    """As a shell gives it: 128 + N for a command that signal N ended."""
    seconds: float
    signal: int | None = None
    """The signal that ended the command."""
    sent: bool = False
    """Whether we were sent that signal too, and should end by it as well."""
    left_open: bool = False
    """Whether something that the command left behind may still print."""
    cut_off: int | None = None
    """The signal that made us stop before the end of what was piped to us."""


def run(
    command: Sequence[str],
    sink: Sink,
    forwarding: Callable[[Callable[[], None]], Forwarding] = Forwarding,
    *,
    streams: Streams = "apart",
    stdin: int | None = None,
    after: Callable[[Ended, Forwarding], None] | None = None,
) -> Ended:
    """Run `command` with our stdin (or `stdin`), and give `sink` what it prints.

    `merged`: one pipe for both streams, everything counts as stdout. `stdout`: stderr
    goes where ours goes. `after` is called while signals are still taken, once the
    output is complete. Raises `CannotRun`, and what `sink` raises.
    """
    began = time.monotonic()
    fill_standard()
    with _Waker() as waker:
        signals = forwarding(waker.wake)
        signals.start()
        try:
            process = started(command, streams, stdin)
            try:
                signals.attach(process)
                pump = _Pump(sink, waker)
                pump.add(process.stdout, 1)
                pump.add(process.stderr, 2)
                waiter = threading.Thread(
                    target=_await, args=(process, waker), name="command", daemon=True
                )
                waiter.start()
                left_open = pump.until_over(lambda: process.returncode is not None)
                waiter.join()
            except BaseException:
                shut(process)
                raise
            code = process.returncode
            by = -code if code < 0 else None
            if by in ENDING and by not in signals.came:
                time.sleep(LATE)
            asked = list(signals.came)
            signals.detach()
            ended = Ended(
                128 + by if by is not None else code,
                time.monotonic() - began,
                signal=by,
                sent=by is not None and by in asked,
                left_open=left_open,
            )
            if after is not None:
                after(ended, signals)
            return ended
        finally:
            signals.close()


def read(
    descriptor: int,
    sink: Sink,
    forwarding: Callable[[Callable[[], None]], Forwarding] = Forwarding,
    *,
    after: Callable[[Ended, Forwarding], None] | None = None,
) -> Ended:
    """Give `sink` everything that comes from an open descriptor, until its end.

    Asked to end by a signal, it goes on for a second in which the other end of the
    pipe may end too. Raises what `sink` raises.
    """
    began = time.monotonic()
    fill_standard()
    with _Waker() as waker:
        signals = forwarding(waker.wake)
        signals.start()
        try:
            signals.attach(None)
            pump = _Pump(sink, waker)
            pump.add_descriptor(descriptor, 1)
            open_still = pump.until_over(lambda: bool(signals.came))
            cut_off = signals.came[0] if open_still and signals.came else None
            signals.detach()
            ended = Ended(
                128 + cut_off if cut_off else 0,
                time.monotonic() - began,
                sent=cut_off is not None,
                signal=cut_off,
                cut_off=cut_off,
            )
            if after is not None:
                after(ended, signals)
            return ended
        finally:
            signals.close()


def end_by(number: int) -> None:
    """End this process by a signal, as the command was; returns where that fails."""
    if number not in ENDING:
        return
    with suppress(ImportError, ValueError, OSError):
        import resource

        # Only the command's own core dump is of interest.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


class _Waker:
    """A pipe to ourselves, by which other threads end a wait for output."""

    def __init__(self) -> None:
        self.source, self._target = os.pipe()
        os.set_blocking(self.source, False)
        os.set_blocking(self._target, False)

    def wake(self) -> None:
        with suppress(OSError):  # full: it wakes up anyway
            os.write(self._target, b"!")

    def calm(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self.source, 64):
                pass

    def __enter__(self) -> _Waker:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.source)
        os.close(self._target)


class _Pump:
    """Reads from one or two descriptors whatever comes first."""

    def __init__(self, sink: Sink, waker: _Waker) -> None:
        self._sink = sink
        self._waker = waker
        self._poll = select.poll()
        self._poll.register(waker.source, select.POLLIN)
        self._open: dict[int, Stream] = {}
        self._files: list[object] = []
        self._last: Stream = 1

    def add(self, file: object, stream: Stream) -> None:
        if file is not None:
            self._files.append(file)
            self.add_descriptor(file.fileno(), stream)  # type: ignore[attr-defined]  # a pipe of Popen

    def add_descriptor(self, descriptor: int, stream: Stream) -> None:
        widen(descriptor, READ)
        self._open[descriptor] = stream
        self._poll.register(descriptor, select.POLLIN)

    def until_over(self, over: Callable[[], bool]) -> bool:
        """Read until every descriptor is at its end; whether some were left open.

        Once `over` says so, only for `LINGER` seconds more, `SILENCE` without output.
        """
        stop = heard = 0.0
        while self._open:
            if self._sink.closed:
                return self._abandon(heard_out=False)
            now = time.monotonic()
            if over():
                stop = stop or now + LINGER
                heard = heard or now
                if now >= stop or now - heard >= SILENCE:
                    break
            ready = self._ready(0)
            if not ready:
                again = self._sink.idle()
                waits = [again] if again is not None else []
                if stop:
                    waits += [stop - now, heard + SILENCE - now]
                ready = self._ready(min(waits) if waits else None)
            if ready and stop:
                heard = time.monotonic()
            self._take(ready)
        return self._abandon()

    def _ready(self, seconds: float | None) -> list[int]:
        wait = None if seconds is None else max(0, int(seconds * 1000) + (seconds > 0))
        found = [each for each, _ in self._poll.poll(wait)]
        if self._waker.source in found:
            self._waker.calm()
            found.remove(self._waker.source)
        return found

    def _take(self, ready: list[int]) -> None:
        if len(ready) > 1:
            # The stream that spoke last first: it may be in the middle of a line.
            ready.sort(key=lambda each: self._open[each] != self._last)
        for each in ready:
            stream = self._open[each]
            try:
                data = os.read(each, READ)
            except OSError as error:
                if error.errno != errno.EIO:  # what a terminal that is gone gives
                    raise
                data = b""
            if data:
                self._last = stream
                self._sink.take(stream, data, len(ready) > 1)
            else:
                self._poll.unregister(each)
                del self._open[each]

    def _abandon(self, *, heard_out: bool = True) -> bool:
        """Leave what is still open to somebody who reads it to its end."""
        left = [each for each in self._open if heard_out]
        if self._files:
            for each in left:
                drained(each)
        for file in self._files:
            file.close()  # type: ignore[attr-defined]  # a pipe of Popen
        return bool(left)


def _await(process: subprocess.Popen[bytes], waker: _Waker) -> None:
    process.wait()
    waker.wake()
