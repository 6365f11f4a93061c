"""What a model never received of one artifact: bytes, lines, signals, JSON items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spillview.model import Artifact, Line, Range

if TYPE_CHECKING:
    from spillview.content.content import Content

LOOKED = 256 << 20
"""Bytes of a larger artifact are not looked through: its lines stay unknown."""

OUTLINED = 64 << 20
"""Bytes of a larger JSON document are not counted through for its items."""

SIGNALS = 5
"""Lines of trouble that are quoted."""

Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Lines:
    """A part of the lines: both 1-based and inside."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Unseen:
    """What was not received; None where that is not known."""

    bytes: int | None = None
    certain: bool = True
    """False when the model may have received more than could be located."""
    gaps: tuple[Range, ...] = ()
    lines: tuple[Lines, ...] | None = None
    """The lines of the gaps, a line that was received in part among them."""
    signals: tuple[Line, ...] = ()
    """The first lines of trouble in the gaps."""
    items: int | None = None
    """Items of the JSON document; None where it is none or was not counted."""
    items_seen: int | None = None


def unseen(artifact: Artifact, *, cancelled: Cancelled | None = None) -> Unseen:
    """Look through the artifact for what its envelope and later reads left out.

    Raises `Unreadable` when it cannot be read, `Cancelled`.
    """
    seen = artifact.link.seen if artifact.link is not None else None
    counts = artifact.counts
    if seen is None or seen.is_unknown or counts is None:
        return Unseen()
    from spillview.stored.stored import open_artifact

    gaps = tuple(_gaps(seen.ranges, counts.bytes))
    content = open_artifact(artifact.found, root=artifact.found.root)
    try:
        lines: tuple[Lines, ...] | None = None
        signals: tuple[Line, ...] = ()
        plain = not counts.encoding.startswith("utf-16")
        if plain and content.size <= LOOKED:
            lines = tuple(_lines(content, gaps, cancelled))
            signals = tuple(_signals(content, gaps)) if seen.certain else ()
        items = items_seen = None
        if counts.kind in ("json", "jsonl") and content.size <= OUTLINED:
            from spillview.shape.source import Source

            with Source(content, cancelled=cancelled) as source:
                outline = source.outline(seen)
            records = outline.records
            items = records.count if records is not None else outline.items
            items_seen = records.seen if records is not None else outline.items_seen
        return Unseen(
            sum(end - start for start, end in gaps),
            seen.certain,
            gaps,
            lines,
            signals,
            items,
            items_seen,
        )
    finally:
        content.close()


def _gaps(ranges: Sequence[Range], size: int) -> Iterator[Range]:
    at = 0
    for start, end in ranges:
        if start > at:
            yield at, start
        at = max(at, end)
    if at < size:
        yield at, size


def _lines(
    content: Content, gaps: Sequence[Range], cancelled: Cancelled | None
) -> Iterator[Lines]:
    """The lines of the gaps, those with nothing in it but a line's end left out."""
    from spillview.content.lines import LineIndex

    index = LineIndex(content)
    if not gaps:
        return
    index.extend(gaps[-1][1], cancelled=cancelled)
    while index.indexed < gaps[-1][1]:
        index.extend(cancelled=cancelled)
    for start, end in gaps:
        if end - start <= 2 and not content.pread(start, end - start).strip(b"\r\n"):
            continue
        first, last = index.line_at(start), index.line_at(end - 1)
        if first is not None and last is not None:
            yield Lines(first, last)


def _signals(content: Content, gaps: Sequence[Range]) -> list[Line]:
    from spillview.content.signals import signal_lines

    found: list[Line] = []
    for start, end in gaps:
        for line in signal_lines(content, start, end):
            if line.start < start:
                continue  # its beginning was received
            found.append(line)
            if len(found) == SIGNALS:
                return found
    return found
