"""Transcripts that are a folder of JSON files, one record each, in order of names."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from spillview.errors import SpillError, Unreadable
from spillview.text import path_text, printable
from spillview.transcripts import jsonl, logfile

if TYPE_CHECKING:
    from spillview.discovery.discovery import TranscriptFound
    from spillview.transcripts.draft import Draft
    from spillview.transcripts.facts import TranscriptFacts


def names_in(path: str) -> list[str]:
    """The names of a folder's records, in order. Raises `Unreadable`."""
    try:
        with os.scandir(path) as entries:
            return sorted(
                entry.name
                for entry in entries
                if entry.name.endswith(".json") and entry.is_file(follow_symlinks=False)
            )
    except OSError as error:
        name = printable(path_text(path))
        reason = (error.strerror or "unknown error").lower()
        raise Unreadable(f"{name} cannot be listed: {reason}.") from error


def resume(
    found: TranscriptFound, names: Sequence[str], previous: TranscriptFacts | None
) -> Draft:
    """A draft that goes on from `previous` where its files are the first ones still."""
    if previous is not None:
        done = previous.size_read
        same = (previous.dev, previous.ino) == (found.dev, found.ino)
        if (
            same
            and done <= len(names)
            and _tail(found.path, names, done) == (previous.tail)
        ):
            return logfile.draft_of(found, previous)
    return logfile.draft_of(found, None)


def finish(draft: Draft, found: TranscriptFound, names: Sequence[str]) -> None:
    """Note what the facts were read from."""
    draft.dev, draft.ino = found.dev, found.ino
    draft.size, draft.mtime_ns = found.size, found.mtime_ns
    draft.tail = _tail(found.path, names, draft.size_read)


def records(
    path: str,
    names: Sequence[str],
    start: int,
    cancelled: Callable[[], bool] | None = None,
) -> Iterator[jsonl.Record | None]:
    """The records from file `start` on; None for one that cannot be read."""
    for number, name in enumerate(names[start:], start + 1):
        if cancelled is not None and cancelled():
            return
        value, size = _value(os.path.join(path, name))
        yield jsonl.Record(number, 0, size, 0, value) if value is not None else None


def record_at(path: str, number: int, length: int) -> dict[str, Any] | None:
    """The record of that number; None where it is not what it was."""
    try:
        names = names_in(path)
    except Unreadable:
        return None
    if not 0 < number <= len(names):
        return None
    value, size = _value(os.path.join(path, names[number - 1]))
    return value if size == length else None


def _value(path: str) -> tuple[dict[str, Any] | None, int]:
    from spillview.content.content import open_content

    try:
        content = open_content(path)
    except SpillError:
        return None, 0
    try:
        if content.size > jsonl.LIMIT:
            return None, content.size
        return logfile.value_at(content, 0, content.size), content.size
    finally:
        content.close()


def _tail(path: str, names: Sequence[str], done: int) -> str:
    """Hex digest of what was read: the names, and how the last one stands there."""
    digest = hashlib.sha256("\n".join(names[:done]).encode("utf-8", "surrogateescape"))
    if done:
        try:
            facts = os.lstat(os.path.join(path, names[done - 1]))
            digest.update(f"\n{facts.st_size} {facts.st_mtime_ns}".encode())
        except OSError:
            digest.update(b"\ngone")
    return digest.hexdigest()[:32]
