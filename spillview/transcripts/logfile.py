"""One transcript file: going on where it was read to, and looking into it again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from spillview.errors import SpillError
from spillview.transcripts.draft import Draft
from spillview.transcripts.facts import TranscriptFacts, load

if TYPE_CHECKING:
    from spillview.content.content import Content, FileContent
    from spillview.discovery.discovery import TranscriptFound
    from spillview.transcripts.jsonl import Scanner

TAIL = 4096
"""Bytes before `size_read` that must be unchanged for reading to go on."""

BACK = 64 << 20
"""How far back a call is looked for from its result."""

STEP = 1 << 15
"""Bytes read at first when looking back; eight times as many after each failure."""


@contextmanager
def reading(
    found: TranscriptFound, previous: TranscriptFacts | None
) -> Iterator[tuple[FileContent, Draft]]:
    """The open file, and a draft that goes on from `previous` where that still holds.

    At the end the draft notes what it was read from. Raises `Unreadable` when the file
    cannot be opened or read.
    """
    from spillview.content.content import open_content

    content = open_content(found.path)
    try:
        holds = previous is not None and _holds(content, previous)
        draft = draft_of(found, previous if holds else None)
        yield content, draft
        draft.dev, draft.ino = content.dev, content.ino
        draft.size, draft.mtime_ns = content.size, content.mtime_ns
        draft.tail = tail_digest(content, draft.size_read)
    finally:
        content.close()


def passed(draft: Draft, scanner: Scanner) -> None:
    """Note what a scanner has passed, and how far it came in the text."""
    draft.records += scanner.records
    draft.skipped += scanner.skipped
    draft.lines = scanner.number
    draft.unfinished = scanner.unfinished
    draft.text_read = scanner.consumed


def draft_of(found: TranscriptFound, previous: TranscriptFacts | None) -> Draft:
    """A draft that goes on from `previous`, or an empty one of that transcript."""
    if previous is not None:
        return Draft.of(previous)
    return Draft(
        found.path,
        found.harness,
        found.parent_session or found.session,
        parent_session=found.parent_session,
        agent=found.agent,
        project=found.project,
    )


def tail_digest(content: Content, end: int) -> str:
    """Hex digest of the bytes just before `end`."""
    start = max(0, end - TAIL)
    return hashlib.sha256(content.pread(start, end - start)).hexdigest()[:32]


def joint(draft: Draft, content: Content) -> bool:
    """Whether the last line taken in had no LF yet."""
    end = draft.size_read
    return end > 0 and content.pread(end - 1, 1) != b"\n"


def _holds(content: FileContent, previous: TranscriptFacts) -> bool:
    if (content.dev, content.ino) != (previous.dev, previous.ino):
        return False
    if content.size < previous.size_read:
        return False
    return tail_digest(content, previous.size_read) == previous.tail


def lines_back(
    content: Content, needle: bytes, before: int, after: int = 0
) -> Iterator[bytes]:
    """Lines between offsets `after` and `before` that hold `needle`, the last first.

    Looks `BACK` bytes far; lines longer than that are left out.
    """
    end = before
    stop = max(after, before - BACK)
    step = STEP
    while end > stop:
        start = max(stop, end - step)
        window = content.pread(start, end - start)
        at = window.rfind(needle)
        if at < 0:
            # The needle may lie across the window's start.
            end = start + len(needle) - 1 if start > stop else stop
            step = min(8 * step, 1 << 20)
            continue
        step = STEP
        first, last = _line_around(content, start + at, stop)
        yield content.pread(first, last - first)
        end = first


def _line_around(content: Content, at: int, stop: int) -> tuple[int, int]:
    """Byte range of the line that holds offset `at`, without its LF."""
    first = at
    while first > stop:
        start = max(stop, first - 65536)
        step = content.pread(start, first - start).rfind(b"\n")
        if step >= 0:
            first = start + step + 1
            break
        first = start
    last = at
    while last < content.size:
        piece = content.pread(last, 65536)
        step = piece.find(b"\n")
        if step >= 0:
            last += step
            break
        last += len(piece)
        if last - first > BACK:
            break
    return first, last


def value_of(data: bytes) -> dict[str, Any] | None:
    """The object in a line; None when there is none."""
    try:
        value = load(data.strip(b"\0 \t\r\n"))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def value_at(content: Content, offset: int, length: int) -> dict[str, Any] | None:
    """The object in that byte range; None when it cannot be read any more."""
    try:
        return value_of(content.pread(offset, length))
    except SpillError:
        return None
