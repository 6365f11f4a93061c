"""Starts a command as a shell would, and looks after the pipes it prints to."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

from spillview.errors import SpillError
from spillview.text import path_text, printable

Streams = Literal["apart", "merged", "stdout"]
"""A pipe for each; one pipe for both; stderr goes where ours goes."""


def fill_standard() -> None:
    """Open what is closed of the three standard streams, as the null device.

    Else a file or pipe of our own would get such a number, and be taken for it.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


class CannotRun(SpillError):
    """The command could not be started; the exit code is what a shell gives."""

    def __init__(self, sentence: str, exit_code: int) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code


def started(
    command: Sequence[str],
    streams: Streams,
    stdin: int | None,
) -> subprocess.Popen[bytes]:
    """Start a command whose output comes by pipes. Raises `CannotRun`."""
    stderr = {"apart": subprocess.PIPE, "merged": subprocess.STDOUT, "stdout": None}
    sys.stdout and sys.stdout.flush()

    def start(words: Sequence[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            words,
            env=_environment(),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr[streams],
            bufsize=0,
        )

    name = printable(path_text(command[0])) or "“”"
    try:
        try:
            return start(command)
        except OSError as error:
            program = shutil.which(command[0])
            if error.errno != errno.ENOEXEC or program is None:
                raise
            # A script without its first line, which shells run themselves.
            return start(["/bin/sh", program, *command[1:]])
    except FileNotFoundError:
        if os.sep in command[0]:
            raise CannotRun(f"{name} is not there, so it was not run.", 127) from None
        raise CannotRun(
            f"{name} is no command on the PATH; a shell's own words need a shell:"
            " -- sh -c '…'.",
            127,
        ) from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CannotRun(f"{name} could not be run: {reason}.", 126) from None
    except ValueError:
        raise CannotRun(f"{name} could not be run: a NUL is in it.", 126) from None


def _environment() -> dict[str, str] | None:
    """The environment as it was given to us; None where Python left it alone.

    In the C locale Python sets LC_CTYPE for itself, which the command must not see.
    """
    if "LC_CTYPE" not in os.environ:
        return None
    try:
        with open("/proc/self/environ", "rb") as file:
            given = file.read().split(b"\0")
    except OSError:
        return None
    before = [each for each in given if each.startswith(b"LC_CTYPE=")]
    if before and os.fsdecode(before[-1])[9:] == os.environ["LC_CTYPE"]:
        return None
    env = dict(os.environ)
    del env["LC_CTYPE"]
    if before:
        env["LC_CTYPE"] = os.fsdecode(before[-1])[9:]
    return env


def widen(descriptor: int, size: int) -> None:
    """Let a pipe hold more, which saves waiting; nothing happens to anything else."""
    try:
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, size)
    except (ImportError, AttributeError, OSError):
        pass


def drained(descriptor: int) -> None:
    """Have a pipe read to its end by a process of its own, for nobody.

    What the command left behind (a server, say) would be ended by its next line if
    nobody held the other end.
    """
    cat = shutil.which("cat")
    if cat is None:
        return
    with suppress(OSError):
        left = subprocess.Popen(
            [cat],
            stdin=descriptor,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={},
            start_new_session=True,
        )
        left.returncode = 0  # it is nobody's to wait for


def shut(process: subprocess.Popen[bytes]) -> None:
    """Close our ends, as a reader that ends by itself would."""
    for file in (process.stdout, process.stderr):
        if file is not None:
            with suppress(OSError):
                file.close()
