"""What the model did not see of an artifact, folded, and where its envelope lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spillview.content.content import Content
from spillview.layout.folding import Fold
from spillview.model import Range
from spillview.tui.pager.document import Document

KEPT_LINES = 20
"""So many lines of a gap's end stay unfolded: the verdict and what led to it."""

KEPT_BYTES = 2 << 10
"""So much of a gap's end stays unfolded inside a long line."""

SEARCHED = 16 << 10
"""How far those lines are looked for."""

WORTH_BYTES = 2 << 10
WORTH_LINES = 8
"""A gap of less is not folded."""

SAMPLE = 256
"""Bytes by which a seen range is recognised in the envelope."""


def gap_folds(document: Document) -> list[Fold]:
    """A fold for each unseen gap but its end; none where what was seen is not sure."""
    if document.seen is None or not document.seen.certain:
        return []
    return [
        fold
        for start, end in document.unseen()
        if (fold := _fold(document.text, start, end)) is not None
    ]


def _fold(text: Content, start: int, end: int) -> Fold | None:
    if start > 0 and text.pread(start - 1, 1) != b"\n":
        rest = text.pread(start, min(2 * KEPT_BYTES, end - start)).find(b"\n")
        start = start + rest + 1 if rest >= 0 else start
    stop = _kept_from(text, start, end)
    if stop - start >= WORTH_BYTES:
        return Fold(start, stop)
    lines = text.pread(start, max(0, stop - start)).count(b"\n")
    return Fold(start, stop) if lines >= WORTH_LINES else None


def _kept_from(text: Content, start: int, end: int) -> int:
    """Where the last lines of `[start, end)` begin."""
    base = max(start, end - SEARCHED)
    data = text.pread(base, end - base)
    at = len(data) - 1 if data.endswith(b"\n") else len(data)
    for _ in range(KEPT_LINES):
        found = data.rfind(b"\n", 0, at)
        if found < 0:
            break
        at = found
    else:
        return base + at + 1
    if base == start:
        return start
    if data.count(b"\n") > 1:
        return base + at + 1
    at = max(0, len(data) - KEPT_BYTES)
    while at < len(data) and data[at] & 0xC0 == 0x80:
        at += 1
    return base + at


@dataclass(frozen=True, slots=True)
class Counterparts:
    """Pieces of an envelope that are pieces of the file, byte for byte."""

    pieces: tuple[tuple[int, int, int], ...] = ()
    """`(in the envelope, in the file, bytes)`, in the envelope's order."""

    @property
    def ranges(self) -> tuple[Range, ...]:
        """The pieces in the envelope."""
        return tuple((start, start + size) for start, _, size in self.pieces)

    def in_file(self, byte: int) -> int | None:
        """The byte of the file for a byte of the envelope's preview."""
        for envelope, file, size in self.pieces:
            if envelope <= byte < envelope + size:
                return file + byte - envelope
        return None

    def in_envelope(self, byte: int) -> int | None:
        """The byte of the envelope that shows a byte of the file."""
        for envelope, file, size in self.pieces:
            if file <= byte < file + size:
                return envelope + byte - file
        return None


def counterparts(
    envelope: bytes, document: Document, shown: Sequence[Range]
) -> Counterparts:
    """Where the ranges of a document that its envelope shows stand in its text.

    A range that was altered on its way (line ends, replaced characters) has none.
    """
    pieces: list[tuple[int, int, int]] = []
    after = 0
    for start, end in shown:
        head = document.text.pread(start, min(SAMPLE, end - start))
        at = envelope.find(head, after) if head.strip() else -1
        if at < 0:
            continue
        size = min(end - start, len(envelope) - at)
        if document.text.pread(start, size) != envelope[at : at + size]:
            size = len(head)
        pieces.append((at, start, size))
        after = at + size
    return Counterparts(tuple(pieces))
