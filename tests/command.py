"""Runs the command line: in this process, or as a process of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spillview.cli import main

Row = dict[str, Any]


@dataclass(frozen=True)
class Ran:
    """What one run gave."""

    code: int
    data: bytes
    """Everything on stdout."""
    err: str

    @property
    def out(self) -> str:
        """Stdout as text."""
        return self.data.decode()

    @property
    def lines(self) -> list[str]:
        """Stdout's lines."""
        return self.out.splitlines()

    @property
    def rows(self) -> list[Row]:
        """Stdout's JSON lines."""
        return [json.loads(line) for line in self.data.split(b"\n") if line]

    @property
    def row(self) -> Row:
        """The one JSON line of stdout."""
        [row] = self.rows
        return row


class _Stream(io.TextIOWrapper):
    """A text stream over memory that may claim to be a terminal."""

    def __init__(self, terminal: bool) -> None:
        self.memory = io.BytesIO()
        self._terminal = terminal
        super().__init__(self.memory, "utf-8", errors="backslashreplace", newline="")

    def isatty(self) -> bool:
        return self._terminal


@contextmanager
def _replaced(**streams: io.TextIOBase) -> Iterator[None]:
    before = {name: getattr(sys, name) for name in streams}
    for name, stream in streams.items():
        setattr(sys, name, stream)
    try:
        yield
    finally:
        for name, stream in before.items():
            setattr(sys, name, stream)


def run(*arguments: str | Path, terminal: bool = False, width: int = 120) -> Ran:
    """Run `main` in this process; with `terminal` it sees one of `width` columns."""
    out, err = _Stream(terminal), _Stream(terminal)
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(width)
    try:
        with _replaced(stdout=out, stderr=err, stdin=_Stream(False)):
            code = main([str(argument) for argument in arguments])
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
    out.flush()
    err.flush()
    return Ran(code, out.memory.getvalue(), err.memory.getvalue().decode())


COMMAND = (sys.executable, "-m", "spillview")


def process(*arguments: str | bytes | Path, **more: Any) -> Ran:
    """Run it as a process of its own."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        **more,
    )
    return Ran(done.returncode, done.stdout, done.stderr.decode())


SLOW = r"\b(?:\w{1,30}\s?){1,30}\b\pN"
"""A pattern that no shortcut helps with, in text that is not ASCII."""


def busy(folder: Path) -> Path:
    """A file in which a search for `SLOW` takes minutes and finds nothing."""
    path = folder / "busy"
    path.write_bytes(("é b" * 1300 + "\n").encode() * 6_000)
    return path
