"""The one owner of stdout, stderr, colour and width.

Data goes to stdout and nothing else does; everything said to a person goes to stderr,
after stdout was flushed, so that a terminal and a pipe show the same order.
"""

from __future__ import annotations

import os
import sys
import time

from spillview.hints import IO, TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spillview.pace import Pace

Style = Literal[
    "bold",
    "dim",
    "over",
    "close",
    "below",
    "unseen",
    "seen",
    "hit",
    "name",
    "title",
]
"""What a colour may mean; there is no other, and None is no colour."""

SGR: dict[Style, str] = {
    "bold": "1",
    "dim": "2",
    "over": "1;31",
    "close": "33",
    "below": "32",
    "unseen": "31",
    "seen": "32",
    "hit": "1;31",
    "name": "36",
    "title": "1",
}
"""Colours by what they mean."""

EVERY = 0.1
"""Seconds between two updates of the progress line."""


PATIENCE = 0.5
"""Seconds before the first one."""


class Streams:
    """Where this run's output goes, and how it may look."""

    def __init__(self) -> None:
        self.quiet = False
        """Whether notes and progress are kept back."""
        self.terminal = is_terminal(sys.stdout)
        """Whether a person reads stdout directly."""
        self.colour = self.terminal and _colour_wanted(os.environ)
        self._progress = is_terminal(sys.stderr)
        self._shown = False
        self._last = 0.0
        self._began = 0.0
        self._asked = 0.0
        self._gone = False
        self._told: set[str] = set()
        self._narrow: dict[str, None] = {}
        self._pace: Pace | None = None

    @property
    def width(self) -> int:
        """Columns of the terminal; 80 where that is not known."""
        import shutil

        return max(20, shutil.get_terminal_size((80, 24)).columns)

    # Data

    def write(self, data: bytes) -> None:
        """Bytes for stdout, exactly."""
        if self._shown:
            self._clear()
        out = sys.stdout
        if out is None:  # closed before we were started
            return
        binary: IO[bytes] | None = getattr(out, "buffer", None)
        if binary is None:
            out.write(data.decode("utf-8", "replace"))
        else:
            binary.write(data)

    def line(self, text: str = "") -> None:
        """A line of text for a person or a pipe; `text` is printable already."""
        self.write(f"{text}\n".encode("utf-8", "replace"))

    def write_error(self, data: bytes) -> None:
        """Bytes for stderr, exactly: what a command printed there."""
        self.flush()
        if sys.stderr is None:
            return
        binary: IO[bytes] | None = getattr(sys.stderr, "buffer", None)
        if binary is None:
            sys.stderr.write(data.decode("utf-8", "replace"))
            return
        sys.stderr.flush()
        binary.write(data)
        binary.flush()

    def json(self, row: dict[str, Any]) -> None:
        """One object, on a line of its own."""
        import orjson

        self.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))

    def flush(self) -> None:
        """Hand everything on; raises BrokenPipeError when nobody reads any more."""
        if self._shown:
            self._clear()
        if sys.stdout is not None:
            sys.stdout.flush()

    def closed(self) -> bool:
        """Whether the reader of stdout has gone; asks at most twenty times a second."""
        now = time.monotonic()
        if self._gone or now - self._asked < EVERY / 2:
            return self._gone
        self._asked = now
        self._gone = _reader_gone()
        return self._gone

    def abandon(self) -> None:
        """Let whatever is still written to stdout go nowhere."""
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, sys.stdout.fileno())
            os.close(null)
        except (OSError, ValueError, AttributeError):
            sys.stdout = None

    # Words for a person

    def note(self, text: str) -> None:
        """Something worth knowing; not with `-q`."""
        if not self.quiet:
            self._say(text)

    def deletion(self, text: str) -> None:
        """What was deleted for good: said in any case, also with `-q`."""
        self._say(text)

    def error(self, text: str) -> None:
        """What went wrong and what to do about it."""
        self._say(f"spillview: {text}")

    def progress(self, verb: str, done: int, total: int) -> None:
        """`verb` so many of so many and the time left, on one line of a terminal that
        comes and goes."""
        now = time.monotonic()
        if self.quiet or not self._progress or now - self._last < EVERY:
            return
        if not self._last:
            self._began = now
        self._last = now
        if now - self._began < PATIENCE:  # nothing is shown of what is quick
            return
        if self._pace is None:
            from spillview.pace import Pace

            self._pace = Pace()
        words = self._pace.words(verb, done, total)
        room = self._room()
        self._raw(f"\r\x1b[K{words if room is None else words[: room - 1]}")
        self._shown = True

    def left_out(self, names: Iterable[str]) -> None:
        """Keep which columns the terminal had no room for, to be told at the end."""
        self._narrow.update(dict.fromkeys(name for name in names if name))

    def tell_left_out(self) -> None:
        """Say which columns there was no room for, once."""
        if self._narrow:
            names = ", ".join(self._narrow)
            self._narrow.clear()
            self.note(
                f"no room in {self.width} columns for {names}: a wider terminal or"
                " --json has them"
            )

    def styled(self, text: str, style: Style | None) -> str:
        """`text` in the colour of `style`, on a terminal that wants colour."""
        if not self.colour or style is None or not text:
            return text
        return f"\x1b[{SGR[style]}m{text}\x1b[0m"

    def _say(self, text: str) -> None:
        from spillview.text import printable

        try:
            self.flush()
        except (OSError, ValueError):  # what is said still matters
            self.abandon()
        said = printable(text)
        room = self._room()
        if room is not None:  # a terminal alone breaks inside words
            from spillview.layout.cells import fold

            said = "\n".join(fold(said, room))
        self._raw(f"{said}\n")
        self._told.add(text)

    def told(self, text: str) -> bool:
        """Whether that was said already."""
        return text in self._told

    def _room(self) -> int | None:
        """Columns of the terminal that stderr is; None where it is none."""
        if not self._progress:
            return None
        try:
            columns = os.get_terminal_size(sys.stderr.fileno()).columns
            # A terminal that nobody told its size says 0.
            return max(20, columns) if columns else self.width
        except (OSError, ValueError, AttributeError):
            return None

    def _clear(self) -> None:
        self._shown = False
        self._raw("\r\x1b[K")

    @staticmethod
    def _raw(text: str) -> None:
        if sys.stderr is None:
            return
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError):
            pass  # nobody is left to be told


def is_terminal(stream: object) -> bool:
    """Whether a person sits at the other end of a stream; None is a closed one."""
    try:
        return bool(stream is not None and stream.isatty())  # type: ignore[attr-defined]  # any stream, or a stand-in of tests
    except (AttributeError, ValueError, OSError):
        return False


def _colour_wanted(env: os._Environ[str]) -> bool:
    return not env.get("NO_COLOR") and env.get("TERM") != "dumb"


def _reader_gone() -> bool:
    try:
        import select

        descriptor = sys.stdout.fileno()
        poll = select.poll()
    except (ImportError, AttributeError, OSError, ValueError):
        return False  # it shows at the next write
    poll.register(descriptor, 0)
    return any(what & (select.POLLERR | select.POLLHUP) for _, what in poll.poll(0))
