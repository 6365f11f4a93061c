"""A pager whose lines are new, gone, or the same in another text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Literal

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from spillview.layout.folding import Fold, Row
from spillview.model import Range
from spillview.text import human_count
from spillview.tui.pager.pager import Pager

SIGNS = {"gone": "-", "new": "+"}


class ComparedPager(Pager):
    """Marks the lines that the other text has not."""

    def __init__(self, kind: Literal["gone", "new"], *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.kind = kind
        self.parts: Sequence[Range] = ()
        """Byte ranges of the text that the other one has not, in order."""
        self._places: Sequence[int | None] = ()
        self._placed: list[Row] | None = None
        """The rows for which the places hold."""

    def stand(self, places: Sequence[int | None] | None) -> None:
        """Draw the rows of now on these lines; None: one after the other."""
        self._placed = self.rows() if places is not None else None
        self._places = places or ()
        self.refresh()

    def begin_with(self, byte: int) -> None:
        """Begin with the row of `byte`, whatever stays empty below."""
        if self.folding is not None and self.folding.size:
            with self.told():
                self.top = self._row_start(byte)
                self._rows = None
            self._keep_cursor()

    def _row_under(self, y: int) -> Row | None:
        """The row on a line of the screen, if one stands there."""
        at = self._index_at(y)
        return None if at is None else super()._row_under(at)

    def _index_at(self, y: int) -> int | None:
        if self._placed is None or self._placed is not self.rows():
            return y
        return self._places[y] if 0 <= y < len(self._places) else None

    def render_line(self, y: int) -> Strip:
        """The row that stands on this line beside that of the other text."""
        at = self._index_at(y)
        if at == y:
            return super().render_line(y)
        last = list(super().render_line(y))[-1:]  # the map is of the line
        if at is None:
            body = Strip.blank(self.size.width - 1, self.rich_style)
        else:
            body = super().render_line(at).crop(0, self.size.width - 1)
        return Strip([*body, *last], self.size.width)

    def differ(self, parts: Sequence[Range]) -> None:
        """Mark these."""
        self.parts = parts
        self.redraw()

    def part_at(self, start: int, end: int) -> Range | None:
        """The first marked range that touches `[start, end)`."""
        at = bisect_right(self.parts, start, key=lambda part: part[1])
        if at < len(self.parts) and self.parts[at][0] < max(end, start + 1):
            return self.parts[at]
        return None

    def is_part(self, row: Row) -> bool:
        """Whether the row is of a line that the other text has not."""
        return row.fold is None and self.part_at(row.start, row.end) is not None

    def overlays(self, start: int, end: int) -> list[tuple[Range, Style]]:
        """The lines that differ, below hits and selection."""
        found = list(super().overlays(start, end))
        part = self.part_at(start, end)
        if part is not None:
            found.insert(0, (part, self.style_of(self.kind)))
        return found

    def fold_words(self, fold: Fold, width: int) -> str:
        """What a fold hides: lines that are the same."""
        document = self.document
        words = f"{human_count(fold.bytes)} bytes"
        if document is not None:
            first = document.index.line_at(fold.start)
            last = document.index.line_at(fold.end - 1)
            if first is not None and last is not None:
                lines = last - first + 1
                words = f"{human_count(lines)} line{'' if lines == 1 else 's'}"
        for line in (f"┄┄ {words} the same in both · Enter unfolds ┄┄", f"┄ {words}"):
            if len(line) <= width:
                return line
        return "┄"[:width]

    def _draw(self, row: Row, lit: bool, base: Style) -> Strip:
        """The row with a sign where a line of trouble has its mark."""
        strip = super()._draw(row, lit, base)
        place = 1 + self.digits
        if not self.digits or row.fold is not None:
            return strip
        if self.part_at(row.start, row.end) is None:
            return strip
        sign = Segment(SIGNS[self.kind], base + self.style_of(self.kind))
        left, right = strip.crop(0, place), strip.crop(place + 1)
        return Strip([*left, sign, *right], strip.cell_length)
