"""An update of the index in a process of its own, so that no key waits for it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import spillview

if TYPE_CHECKING:
    from spillview.index.wanted import Wanted

LEAST = 4 << 20
"""Bytes of new text that are worth an update."""
POLL = 0.1

_PROGRAM = (
    "import sys; sys.path.append(sys.argv.pop(1));"
    " from spillview.index.__main__ import main; sys.exit(main())"
)


def update_apart(
    folder: str, wanted: Iterable[Wanted], cancelled: Callable[[], bool]
) -> bool:
    """Update the index in `folder` and wait for it; whether that was done.

    The process is killed once `cancelled` says so, which does the index no harm.
    """
    names = (
        os.fsencode(name) + b"\0" for each in wanted for name in (each.root, each.path)
    )
    home = os.path.dirname(os.path.dirname(os.path.abspath(spillview.__file__)))
    # Not from the working folder, where anybody's modules may lie.
    command = [sys.executable, "-P", "-c", _PROGRAM, home, folder, str(LEAST)]
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return False
    try:
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError), process.stdin:
            process.stdin.writelines(names)
        while True:
            try:
                return process.wait(POLL) == 0
            except subprocess.TimeoutExpired:
                if cancelled():
                    return False
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
