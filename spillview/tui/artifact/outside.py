"""Other programs on (a part of) a text: $EDITOR, $PAGER, any command through a pipe."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from textual.app import App, SuspendNotSupported

from spillview.content.content import Content
from spillview.errors import SpillError
from spillview.model import Range
from spillview.text import printable

CHUNK = 1 << 18

LINE_OPTIONS = {
    "vi": "+{}",
    "vim": "+{}",
    "nvim": "+{}",
    "nano": "+{}",
    "emacs": "+{}",
    "kak": "+{}",
    "less": "+{}g",
}
"""How a program is told where to begin."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a program ended, as a sentence; empty when there is nothing to say."""

    sentence: str = ""


def arguments(
    kind: str, path: str, line: int | None, env: Mapping[str, str]
) -> list[str]:
    """The command for `editor` or `pager` on a file; raises `SpillError` for none."""
    names = ("VISUAL", "EDITOR") if kind == "editor" else ("PAGER",)
    chosen = next((env[name] for name in names if env.get(name, "").strip()), None)
    if chosen is None:
        fallback = ("vim", "vi", "nano") if kind == "editor" else ("less", "more")
        chosen = next((name for name in fallback if shutil.which(name)), None)
    if chosen is None:
        raise SpillError(f"No program for it: set ${names[-1]}.")
    try:
        command = shlex.split(chosen)
    except ValueError as error:
        raise SpillError(f"${names[-1]} cannot be read: {error}.") from error
    option = LINE_OPTIONS.get(os.path.basename(command[0]))
    if option is not None and line is not None:
        command.append(option.format(line))
    return [*command, path]


@contextlib.contextmanager
def file_of(content: Content) -> Iterator[str]:
    """A path at which a program finds the content; a temporary file if it has none."""
    if content.path is not None:
        yield content.path
        return
    with tempfile.TemporaryDirectory(prefix="spillview-") as folder:
        path = os.path.join(folder, "envelope.txt")
        with open(path, "wb") as file:
            for chunk in chunks(content, (0, content.size)):
                file.write(chunk)
        yield path


def chunks(content: Content, part: Range) -> Iterator[bytes]:
    """The bytes of a part, piece by piece."""
    at, end = part
    while at < end:
        data = content.pread(at, min(CHUNK, end - at))
        if not data:
            return
        at += len(data)
        yield data


def open_with(
    app: App[object], kind: str, content: Content, line: int | None
) -> Outcome:
    """Open the content in $EDITOR or $PAGER; the app comes back when it ends."""
    try:
        with file_of(content) as path:
            command = arguments(kind, path, line, os.environ)
            with app.suspend():
                return _ended(subprocess.run(command, check=False).returncode)
    except SuspendNotSupported:
        return Outcome("Other programs cannot be opened here.")
    except (OSError, SpillError) as error:
        return Outcome(_sentence(error))


def pipe(app: App[object], content: Content, part: Range, command: str) -> Outcome:
    """Give a part of the content to a shell command and show what it prints."""
    try:
        with app.suspend():
            sys.stdout.write(f"$ {printable(command)}\n")
            sys.stdout.flush()
            code = feed(content, part, command)
            with contextlib.suppress(EOFError, KeyboardInterrupt):
                input("\nEnter goes back to spillview. ")
            return _ended(code)
    except SuspendNotSupported:
        return Outcome("Commands cannot be run here.")
    except (OSError, SpillError) as error:
        return Outcome(_sentence(error))


def feed(content: Content, part: Range, command: str) -> int:
    """Run a shell command with a part of the content as its input; its exit code."""
    process = subprocess.Popen(command, shell=True, stdin=subprocess.PIPE)
    assert process.stdin is not None
    stdin = process.stdin

    def write() -> None:
        with contextlib.suppress(OSError, SpillError), stdin:
            for chunk in chunks(content, part):
                stdin.write(chunk)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.kill()
        return process.wait()
    finally:
        writer.join(timeout=1)


def _ended(code: int) -> Outcome:
    return Outcome(f"It ended with exit code {code}." if code else "")


def _sentence(error: OSError | SpillError) -> str:
    if isinstance(error, OSError):
        return f"It could not be started: {error.strerror or error}."
    return str(error)
