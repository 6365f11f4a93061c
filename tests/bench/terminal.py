"""A program on a terminal of its own: what it drew, and how long after a key."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Sequence
from contextlib import suppress

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATIENCE = 30.0
"""Seconds after which a program is given up: `less` needs minutes in a long line."""

_STYLES = re.compile(rb"\x1b\[[0-9;]*m")


class Program:
    """A program on a terminal of 120×40."""

    def __init__(self, command: Sequence[str], home: str | None = None) -> None:
        """Start it; with `home` it has that home folder and no other settings."""
        self.begun = time.perf_counter()
        self.written = b""
        """What it wrote since the last key, without colours."""
        self._tail = b""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            self._size(0)
            os.execvpe(command[0], list(command), environment(home))
        self._size(self.terminal)

    @staticmethod
    def _size(terminal: int) -> None:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))

    def read(self, patience: float) -> bool:
        """Take in what it wrote; False when there was nothing for so many seconds."""
        if not select.select([self.terminal], [], [], patience)[0]:
            return False
        raw = self._tail + os.read(self.terminal, 1 << 16)
        # A colour may come in two parts.
        cut = raw.rfind(b"\x1b")
        cut = cut if cut >= 0 and len(raw) - cut < 32 else len(raw)
        self._tail = raw[cut:]
        self.written += _STYLES.sub(b"", raw[:cut])
        if self._tail and not select.select([self.terminal], [], [], 0)[0]:
            self.written += _STYLES.sub(b"", self._tail)
            self._tail = b""
        return True

    def until(self, *wanted: bytes, patience: float = PATIENCE) -> float:
        """Seconds until it wrote one of `wanted`, or anything at all without one.

        Raises TimeoutError.
        """
        begun = time.perf_counter()
        while (left := begun + patience - time.perf_counter()) > 0:
            if self.read(min(left, 0.2)) and not wanted:
                return time.perf_counter() - begun
            if any(each in self.written for each in wanted):
                return time.perf_counter() - begun
        raise TimeoutError(f"{wanted!r} never came: {self.written[-800:]!r}")

    def calm(self, pause: float = 0.25) -> None:
        """Read what it still writes, until it is silent for so many seconds."""
        while self.read(pause):
            pass

    def press(self, keys: bytes, *wanted: bytes, patience: float = PATIENCE) -> float:
        """Seconds from typing `keys` until it wrote one of `wanted`, or anything."""
        self.written = b""
        os.write(self.terminal, keys)
        return self.until(*wanted, patience=patience)

    def memory(self) -> float:
        """Its largest resident MB until now; nan where the system does not say."""
        with suppress(OSError), open(f"/proc/{self.pid}/status") as lines:
            for line in lines:
                if line.startswith("VmHWM"):
                    return int(line.split()[1]) * 1024 / 1e6
        return float("nan")

    def end(self) -> None:
        """Kill it."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def environment(home: str | None = None) -> dict[str, str]:
    """A plain terminal, this checkout's package, and perhaps another home folder."""
    ours = {
        "TERM": "xterm-256color",
        "PYTHONPATH": ROOT,
        "LESS": "",
        "LESSOPEN": "",
        "PYTHONDONTWRITEBYTECODE": "",
    }
    if home is None:
        return os.environ | ours
    kept = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
    return kept | ours | {"HOME": home, "TMPDIR": home}
