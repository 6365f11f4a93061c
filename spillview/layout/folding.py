"""Visual rows over content of any size, computed from where the reader is.

No row count exists and none is needed: a row is found from a byte offset, forwards
or backwards, by looking at a bounded piece of the file around it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from spillview.hints import Literal, Protocol
from spillview.layout.layout import (
    Escapes,
    Laid,
    Piece,
    Sgr,
    Span,
    lay_out,
    lone_return,
)
from spillview.layout.segments import GRID, Segments

__all__ = [
    "MIN_WIDTH",
    "Escapes",
    "Fold",
    "Folding",
    "Piece",
    "Returns",
    "Row",
    "Sgr",
    "Source",
    "Span",
]

Returns = Literal["final", "raw"]
"""`final` shows the last frame of a progress bar, `raw` every carriage return."""

MIN_WIDTH = 8
"""Rows are never laid out narrower than this many cells."""

CHAIN = 32 << 20
"""Frames of one progress bar are collapsed into one row up to these multiples."""

CHAINS = 8
"""Progress bars whose extent is remembered."""

CACHE_BYTES = 4 << 20
"""Content whose laid-out rows are kept."""


class Source(Protocol):
    """What rows are made of: bytes that can be read at any offset."""

    @property
    def size(self) -> int:
        """Bytes in all, as far as known."""
        ...

    def pread(self, offset: int, length: int) -> bytes:
        """Up to `length` bytes from `offset`; fewer only at the end."""
        ...


class Lines(Protocol):
    """What a line index answers."""

    def line_at(self, byte: int) -> int | None:
        """The 1-based line that holds the byte; None while not known."""
        ...


@dataclass(frozen=True, slots=True)
class Fold:
    """A byte range that is drawn as one row until it is unfolded."""

    start: int
    end: int

    @property
    def bytes(self) -> int:
        """Bytes inside the fold."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Row:
    """One visual row: which bytes it stands for, and what is drawn for them."""

    start: int
    end: int
    """Bytes `[start, end)`; the rows of a file cover it once, without gaps."""
    number: int | None
    """The 1-based line that begins here; None inside a line or while not known."""
    continuation: bool
    """True when the row begins inside a line."""
    text: str
    spans: tuple[Span, ...] = ()
    pieces: tuple[Piece, ...] = ()
    frames: int = 0
    """Frames of a progress bar that this row leaves out."""
    fold: Fold | None = None

    def holds(self, byte: int) -> bool:
        """Whether the row stands for `byte`."""
        return self.start <= byte < self.end

    def byte_at(self, index: int) -> int:
        """The byte that the character at `index` of the text stands for."""
        if not self.pieces or index < 0:
            return self.start
        if index >= len(self.text):
            return self.end
        at = bisect_right(self.pieces, index, key=lambda piece: piece.at) - 1
        piece = self.pieces[max(at, 0)]
        return piece.byte + (index - piece.at) * piece.step

    def index_at(self, byte: int) -> int:
        """The first index of the text that stands for `byte` or what follows it."""
        if not self.pieces or byte <= self.start:
            return 0
        if byte >= self.end:
            return len(self.text)
        at = bisect_right(self.pieces, byte, key=lambda piece: piece.byte) - 1
        if at < 0:
            return 0
        piece = self.pieces[at]
        limit = self.pieces[at + 1].at if at + 1 < len(self.pieces) else len(self.text)
        if not piece.step:
            return piece.at if byte == piece.byte else limit
        return min(limit, piece.at + -(-(byte - piece.byte) // piece.step))


class Folding:
    """The rows of one content at one width, with its folds or its filter."""

    def __init__(
        self,
        source: Source,
        *,
        width: int = 80,
        wrap: bool = True,
        escapes: Escapes = "shown",
        returns: Returns = "final",
        folds: Sequence[Fold] = (),
        only: Sequence[int] | None = None,
        shown: Source | None = None,
    ) -> None:
        """`folds` are sorted and do not touch; `only` are sorted offsets of hits:
        when given, nothing but the lines (or pieces of long lines) around them is
        shown, and folds are left out. `shown` is what is drawn, where it is other
        bytes (as many) than those that make the rows.
        """
        self.source = source
        self.width = max(MIN_WIDTH, width)
        self.wrap = wrap
        self.escapes: Escapes = escapes
        self.returns: Returns = returns
        self.folds = tuple(folds) if only is None else ()
        self.only = only
        self.segments = Segments(source)
        self._shown = shown
        self._starts = [fold.start for fold in self.folds]
        self._rows: OrderedDict[int, tuple[Row, ...]] = OrderedDict()
        self._cached = 0
        self._computed_for = source.size
        self._chains: OrderedDict[int, tuple[int, int, int]] = OrderedDict()

    @property
    def size(self) -> int:
        """Bytes of the content."""
        return self.source.size

    def fold_at(self, byte: int) -> Fold | None:
        """The fold that holds `byte`, if one does."""
        at = bisect_right(self._starts, byte) - 1
        if at >= 0 and byte < self.folds[at].end:
            return self.folds[at]
        return None

    # Units: what is laid out together

    def _start_of(self, byte: int) -> int:
        """Where the segment (or fold) that holds `byte` begins."""
        fold = self.fold_at(byte)
        if fold is not None:
            return fold.start
        start = self.segments.start_of(byte)
        at = bisect_right(self._starts, byte)
        return max(start, self.folds[at - 1].end) if at > 0 else start

    def _end_of(self, byte: int) -> int:
        """Where the segment (or fold) that holds `byte` ends."""
        fold = self.fold_at(byte)
        if fold is not None:
            return fold.end
        end = self.segments.end_of(byte)
        at = bisect_right(self._starts, byte)
        return min(end, self.folds[at].start) if at < len(self.folds) else end

    def _overwritten(self, start: int, end: int) -> bool:
        """Whether the segment, cut inside its line, is overwritten by the next."""
        if end >= self.size or end // CHAIN != start // CHAIN:
            return False
        if self.fold_at(start) is not None or self.fold_at(end) is not None:
            return False
        last = self.segments.read(end - 1, end)
        if last in (b"\n", b"\r"):
            return last == b"\r"
        return lone_return(self.segments.read(end, self._end_of(end)))

    def _unit(self, byte: int) -> tuple[int, int, int]:
        """Start, end and first visible byte of what is laid out as one around byte."""
        for chain in self._chains.values():
            if chain[0] <= byte < chain[1]:
                return chain
        start, end = self._start_of(byte), self._end_of(byte)
        if self.returns == "raw":
            return start, end, start
        visible = start
        while self._overwritten(visible, end):
            visible, end = end, self._end_of(end)
        while start > 0 and self.segments.read(start - 1, start) != b"\n":
            before = self._start_of(start - 1)
            if not self._overwritten(before, start):
                break
            start = before
        if visible != start:
            # Walking through a long progress bar again would take its time.
            self._chains[start] = (start, end, visible)
            if len(self._chains) > CHAINS:
                self._chains.popitem(last=False)
        return start, end, visible

    def _laid(self, byte: int) -> tuple[Row, ...]:
        """The rows of the unit that holds `byte`."""
        if self._computed_for != self.source.size:
            self.forget()
        rows = self._rows.get(byte)
        if rows is None:
            start, end, visible = self._unit(byte)
            rows = self._rows.get(start)
        else:
            start = byte
        if rows is not None:
            self._rows.move_to_end(start)
            return rows
        rows = self._lay(start, end, visible)
        self._rows[start] = rows
        self._cached += self._cost(rows)
        while self._cached > CACHE_BYTES and len(self._rows) > 1:
            self._cached -= self._cost(self._rows.popitem(last=False)[1])
        return rows

    @staticmethod
    def _cost(rows: tuple[Row, ...]) -> int:
        return 1024 + sum(len(row.text) for row in rows)

    def _lay(self, start: int, end: int, visible: int) -> tuple[Row, ...]:
        inside = start > 0 and self.segments.read(start - 1, start) != b"\n"
        fold = self.fold_at(start)
        if fold is not None:
            return (Row(start, end, None, inside, "", fold=fold),)
        if self._shown is None:
            data = self.segments.read(visible, end)
        else:
            data = self._shown.pread(visible, end - visible)
        laid = lay_out(
            data,
            visible,
            end,
            self.width if self.wrap else None,
            self.escapes,
            collapse=self.returns == "final",
            hidden=self._frames(start, visible),
        )
        return tuple(
            self._row(piece, start if i == 0 else piece.start, inside or i > 0)
            for i, piece in enumerate(laid)
        )

    @staticmethod
    def _row(laid: Laid, start: int, continuation: bool) -> Row:
        return Row(
            start,
            laid.end,
            None,
            continuation,
            laid.text,
            laid.spans,
            laid.pieces,
            laid.frames,
        )

    def _frames(self, start: int, end: int) -> int:
        """Carriage returns in an overwritten stretch of a progress bar."""
        total = 0
        while start < end:
            stop = min(end, start + GRID)
            total += self.segments.read(start, stop).count(b"\r")
            start = stop
        return total

    # Rows

    def row_at(self, byte: int) -> Row | None:
        """The row that stands for `byte`; under a filter the first at or after it.

        None when there is none: past the end, or nothing left by the filter.
        """
        rows = self.forward(byte, 1)
        return rows[0] if rows else None

    def forward(self, byte: int, count: int) -> list[Row]:
        """Up to `count` rows from the one that stands for `byte`, in file order."""
        found: list[Row] = []
        at = self._shown_from(max(0, byte))
        while at is not None and len(found) < count:
            rows = self._laid(at)
            found.extend(row for row in rows if row.end > byte)
            at = self._shown_from(rows[-1].end)
        return found[:count]

    def backward(self, byte: int, count: int) -> list[Row]:
        """Up to `count` rows before the one that stands for `byte`, in file order."""
        here = self.row_at(byte) if byte < self.size else None
        stop = here.start if here is not None and here.start <= byte else byte
        found: list[Row] = []
        at = self._shown_before(min(stop, self.size))
        while at is not None and len(found) < count:
            rows = self._laid(at)
            found.extend(row for row in reversed(rows) if row.end <= stop)
            at = self._shown_before(rows[0].start)
        found = found[:count]
        found.reverse()
        return found

    def _shown_from(self, byte: int) -> int | None:
        """The first byte at or after `byte` whose unit is shown."""
        if byte >= self.size:
            return None
        if self.only is None:
            return byte
        start = self._unit(byte)[0]
        at = bisect_left(self.only, start)
        if at == len(self.only) or self.only[at] >= self.size:
            return None
        return max(byte, self.only[at])

    def _shown_before(self, byte: int) -> int | None:
        """The last byte before `byte` whose unit is shown."""
        if byte <= 0:
            return None
        if self.only is None:
            return byte - 1
        end = self._unit(byte - 1)[1]
        at = bisect_left(self.only, end) - 1
        return self.only[at] if at >= 0 else None

    def numbered(self, rows: Sequence[Row], index: Lines) -> list[Row]:
        """`rows`, which follow one another, with the line numbers that are known."""
        found: list[Row] = []
        number: int | None = None
        after = -1
        for row in rows:
            if row.start != after or row.fold is not None:
                number = None
            if not row.continuation:
                number = number + 1 if number is not None else index.line_at(row.start)
                found.append(replace(row, number=number) if number else row)
            else:
                found.append(row)
            if row.fold is not None:
                number = None
            after = row.end
        return found

    def forget(self) -> None:
        """Drop everything computed: the content changed."""
        self._rows.clear()
        self._chains.clear()
        self._cached = 0
        self._computed_for = self.source.size
        self.segments.forget()
