"""A small terminal for tests: a real pty, what came out of it, what stands on it."""

from __future__ import annotations

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x1b[\]PX^_].*?(?:\x07|\x1b\\)"  # OSC, DCS, SOS, PM, APC with their ends
    r"|\x1b[ -/]*[0-~]"  # the rest
    r"|[\x00-\x1f\x7f-\x9f]",  # C0, DEL, C1
    re.DOTALL,
)


def sequences(text: str) -> list[str]:
    """Every control sequence and control character in what a program wrote."""
    return _SEQUENCE.findall(text)


class Screen:
    """The characters that stand on a terminal; looks and wide cells are ignored."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self._cells = [[" "] * columns for _ in range(rows)]
        self._row = self._column = 0

    @property
    def text(self) -> str:
        """The rows, top to bottom."""
        return "\n".join("".join(row) for row in self._cells)

    def feed(self, text: str) -> None:
        """Take what a program wrote; text must not end inside a sequence."""
        at = 0
        for match in _SEQUENCE.finditer(text):
            self._put(text[at : match.start()])
            self._obey(match.group())
            at = match.end()
        self._put(text[at:])

    def _put(self, text: str) -> None:
        for char in text:
            if self._row < self.rows and self._column < self.columns:
                self._cells[self._row][self._column] = char
            self._column += 1

    def _obey(self, sequence: str) -> None:
        if sequence == "\r":
            self._column = 0
        elif sequence == "\n":
            self._row += 1
        elif sequence.startswith("\x1b[") and sequence[-1] in "Hf":
            numbers = [int(n or 1) for n in (sequence[2:-1] or "1").split(";")]
            self._row = numbers[0] - 1
            self._column = (numbers[1] if len(numbers) > 1 else 1) - 1
        elif sequence == "\x1b[2J":
            self._cells = [[" "] * self.columns for _ in range(self.rows)]


class Terminal:
    """A program on a pty of its own; everything it writes is kept in `output`."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        columns: int = 120,
        rows: int = 40,
    ) -> None:
        self.screen = Screen(columns, rows)
        self.output = b""
        self._shown = 0
        self._master, slave = os.openpty()
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
        self._process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=dict(env),
            start_new_session=True,
        )
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._master >= 0:
            os.close(self._master)

    @property
    def text(self) -> str:
        """Everything written so far."""
        return self.output.decode("utf-8", "surrogateescape")

    def press(self, keys: str) -> None:
        """Type keys as their bytes."""
        self.send(keys.encode())

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        os.write(self._master, data)

    def read(self, seconds: float) -> bool:
        """Take what comes within `seconds`; False when nothing did."""
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the other end was closed: the program is over
            return False
        self.output += data
        return bool(data)

    def settle(self, quiet: float = 0.25, seconds: float = 30.0) -> str:
        """Wait until the program writes nothing for `quiet` seconds; the screen."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.read(quiet):
            pass
        fresh = self.output[self._shown :].decode("utf-8", "replace")
        self._shown = len(self.output)
        self.screen.feed(fresh)
        return self.screen.text

    def until(self, pattern: str, seconds: float = 60.0) -> str:
        """Wait until the screen shows the pattern; raises with the screen if not."""
        deadline = time.monotonic() + seconds
        while True:
            shown = self.settle()
            if self._process.poll() is not None:
                raise AssertionError(f"ended before {pattern!r} came:\n{shown}")
            if re.search(pattern, shown, re.DOTALL):
                return shown
            if time.monotonic() > deadline:
                raise AssertionError(f"never shown, {pattern!r}:\n{shown}")

    def ends(self, seconds: float = 30.0) -> int:
        """Wait for the program's end; its exit code."""
        deadline = time.monotonic() + seconds
        while self._process.poll() is None:
            self.read(0.1)
            if time.monotonic() > deadline:
                raise AssertionError(f"still running:\n{self.settle()}")
        while self.read(0):
            pass
        return self._process.wait()

    def hangs_up(self, seconds: float = 30.0) -> int:
        """Take the terminal away; the exit code of the program, which has to end."""
        os.close(self._master)
        self._master = -1
        return self._process.wait(seconds)
