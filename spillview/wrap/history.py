"""Every run of a command: what it printed, how much of it, and how it ended.

One JSON object a line in `history.jsonl` of the state folder, appended in one write, so
that any number of processes may do so at once; one that looks while another writes may
take it for a torn line and leave an empty one, which tells of no run. When the file has
grown to `LARGEST` bytes it becomes `history.1.jsonl` and takes the place of the one
before: so the newest runs are kept, twice `LARGEST` bytes of them at most, and older
ones are forgotten.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from spillview.model import BYTES_PER_TOKEN, Boundary, Counts, Unit
from spillview.own_files import is_stranger, open_own, set_aside, unwritable
from spillview.places import Places, private_dir
from spillview.text import path_text

NAME = "history.jsonl"
OLDER = "history.1.jsonl"

LARGEST = 16 << 20
"""Bytes at which a file is put aside; some 30,000 runs."""

TEXT = 2_000
"""Chars of a command that are kept, as everywhere; of a folder and a label, too."""

_LONGEST = 1 << 16
"""Bytes of a line; a longer one is none of ours."""

_APPEND = (
    os.O_RDWR
    | os.O_CREAT
    | os.O_APPEND
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


@dataclass(frozen=True, slots=True)
class Run:
    """One run. What could not be counted is None."""

    command: str | None
    """As it was typed; None for what was piped."""
    cwd: str
    label: str | None
    started: float
    """Seconds since the epoch (UTC)."""
    seconds: float
    exit_code: int | None
    bytes: int
    chars: int | None
    utf16: int | None
    lines: int | None
    boundary: int
    boundary_unit: Unit
    ratio: float | None
    """Size in the boundary's unit / the boundary."""
    spilled: str | None = None
    """The artifact's id; None where the output was given on whole."""
    source: str = "wrap"
    """`wrap` or `measure`."""
    truncated: bool = False
    """Whether the command, folder or label was cut at `TEXT` chars."""

    @property
    def tokens(self) -> int:
        """Estimated tokens: bytes / 4, rounded up."""
        return -(-self.bytes // BYTES_PER_TOKEN)


def run_of(
    counts: Counts,
    boundary: Boundary,
    *,
    command: str | None,
    cwd: str,
    label: str | None,
    started: float,
    seconds: float,
    exit_code: int | None,
    spilled: str | None = None,
    source: str = "wrap",
) -> Run:
    """The run whose output has these counts."""
    return Run(
        command=command,
        cwd=cwd,
        label=label,
        started=started,
        seconds=seconds,
        exit_code=exit_code,
        bytes=counts.bytes,
        chars=counts.chars,
        utf16=counts.utf16,
        lines=counts.lines,
        boundary=boundary.size,
        boundary_unit=boundary.unit,
        ratio=counts.size_in(boundary.unit) / boundary.size,
        spilled=spilled,
        source=source,
    )


def why_not(error: Exception, places: Places | None = None) -> str:
    """Why a run could not be noted, naming what is in the way."""
    if not isinstance(error, OSError):
        return str(error)
    folder = (places or Places.here()).state_dir
    return unwritable(os.path.join(folder, NAME), error)


def append(run: Run, places: Places | None = None) -> None:
    """Note a run. Raises OSError; a caller whose work matters more goes on."""
    folder = private_dir((places or Places.here()).state_dir)
    path = os.path.join(folder, NAME)
    line = _line(run)
    if is_stranger(path):
        set_aside(path)
    for last in (False, False, True):
        handle = os.open(path, _APPEND, 0o600)
        try:
            facts = os.fstat(handle)
            full = facts.st_size >= LARGEST
            if full and not last and _put_aside(folder, handle):
                continue
            # One that was ended while it wrote leaves half a line.
            torn = facts.st_size and _last_byte(handle, facts.st_size) != b"\n"
            data = b"\n" + line if torn else line
            wrote = os.write(handle, data)
            if wrote < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
            return
        finally:
            os.close(handle)


def runs(places: Places | None = None, *, since: float | None = None) -> Iterator[Run]:
    """Every run that is known, oldest first; lines that tell of none are passed over.

    `since` leaves out what was started earlier. A folder without a history has none.
    Memory is bounded by one line. Raises OSError when a file cannot be read.
    """
    folder = (places or Places.here()).state_dir
    for name in (OLDER, NAME):
        try:
            file = open_own(os.path.join(folder, name))
        except FileNotFoundError:
            continue
        with file:
            while line := file.readline(_LONGEST):
                run = _run(line)
                if run is not None and (since is None or run.started >= since):
                    yield run


def _line(run: Run) -> bytes:
    row = asdict(run) | {"tokens": run.tokens, "started": round(run.started, 3)}
    row["seconds"] = round(run.seconds, 3)
    for name in ("command", "cwd", "label"):
        text = row[name]
        if text is not None:
            row[name] = path_text(text)[:TEXT]
            row["truncated"] = row["truncated"] or len(text) > TEXT
    row = {"v": 1} | {key: value for key, value in row.items() if value is not None}
    return json.dumps(row, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"


_TEXTS = ("command", "cwd", "label", "boundary_unit", "spilled", "source")
_NUMBERS = ("started", "seconds", "ratio")
_WHOLE = ("exit_code", "bytes", "chars", "utf16", "lines", "boundary")
_NEEDED = ("cwd", "started", "seconds", "bytes", "boundary", "boundary_unit")
_UNITS = ("chars", "utf16", "bytes", "lines", "tokens")


def _run(line: bytes) -> Run | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict) or any(row.get(name) is None for name in _NEEDED):
        return None
    if row["boundary_unit"] not in _UNITS:
        return None
    values: dict[str, Any] = dict.fromkeys(Run.__dataclass_fields__)
    values |= {"source": "wrap", "truncated": row.get("truncated") is True}
    for names, kinds in ((_TEXTS, str), (_NUMBERS, int | float), (_WHOLE, int)):
        for name in names:
            value = row.get(name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, kinds):
                return None
            values[name] = value
    return Run(**values)


def _last_byte(handle: int, size: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(handle, 1, size - 1)
    return b"\n"


def _put_aside(folder: str, handle: int) -> bool:
    """Make the full file the older one; whether the name is free for a new one.

    One process does it; for all others the file stays open a moment longer.
    """
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    path = os.path.join(folder, NAME)
    with suppress(OSError):
        now, mine = os.stat(path, follow_symlinks=False), os.fstat(handle)
        if (now.st_dev, now.st_ino) == (mine.st_dev, mine.st_ino):
            os.replace(path, os.path.join(folder, OLDER))
        return True
    return False
