"""Pins and settings: every system call fails in turn, or the process dies at it.

Run as a program: `python -m tests.own_faults FOLDER WORK WAY`, WAY being fail or kill,
prints a line of JSON. It is a process of its own because it forks.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from spillview.errors import SpillError
from tests.crashes import CASES
from tests.faults import ERRORS

CALLS = (
    "open", "write", "read", "fsync", "rename", "replace", "link", "unlink", "mkdir",
    "rmdir", "fchmod", "chmod", "stat", "lstat", "fstat", "close",
)  # fmt: skip


@contextmanager
def counted(step: Callable[[int], None]) -> Iterator[list[str]]:
    """`step` is told the number of each system call before it is made."""
    names: list[str] = []

    def before(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            names.append(name)
            if name == "close":  # it lets go, whatever it says
                real(*args, **more)
                return step(len(names) - 1)
            step(len(names) - 1)
            return real(*args, **more)

        return call

    with ExitStack() as patched:
        for name in CALLS:
            fake = before(name, getattr(os, name))
            patched.enter_context(mock.patch.object(os, name, fake))
        yield names


def run(top: Path, work: str, way: str) -> tuple[int, list[str]]:
    """How many runs there were, and what was wrong after them."""
    wrong: list[str] = []
    case = fresh(top, work)
    with counted(lambda _: None) as names:
        case.do()
    total, runs = len(names), 0
    for at in range(total):
        for number in ERRORS if way == "fail" else (0,):
            case = fresh(top, work)
            done = False
            if way == "fail":

                def fail(n: int, at: int = at, number: int = number) -> None:
                    if n == at:
                        raise OSError(number, os.strerror(number))

                try:
                    with counted(fail):
                        case.do()
                    done = True
                except (SpillError, OSError):
                    pass
            else:
                child = os.fork()
                if not child:
                    with counted(lambda n, at=at: dies(n == at)):  # type: ignore[misc]
                        case.do()
                    os._exit(0)
                os.waitpid(child, 0)
            runs += 1
            word = errno.errorcode.get(number, "killed")
            wrong += [f"{names[at]} {at}, {word}: {each}" for each in case.look(done)]
    return runs, wrong


def dies(now: bool) -> None:
    """End this process at once."""
    if now:
        os.kill(os.getpid(), signal.SIGKILL)


def fresh(top: Path, work: str) -> Any:
    """The work in a home that is new."""
    shutil.rmtree(top, ignore_errors=True)
    return CASES[work](top, work)


def main() -> None:
    """Run what the arguments say."""
    folder, work, way = sys.argv[1:]
    runs, wrong = run(Path(folder), work, way)
    print(json.dumps({"runs": runs, "wrong": wrong[:20]}))  # noqa: T201  # its result


if __name__ == "__main__":
    main()
