"""Rows of text of any size as they are drawn: gutter, numbers, text, the map."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.strip import Strip

from spillview.errors import SpillError
from spillview.layout.folding import Fold, Folding, Row
from spillview.model import Range
from spillview.text import printable
from spillview.tui.pager import paint
from spillview.tui.pager.document import Document
from spillview.tui.parts import Parts


class Canvas(Parts, can_focus=True):
    """Rows of a document from `top` on, one of them under the cursor.

    Both are byte offsets where a row begins; rows are computed from there, so no key
    costs more in a large file than in a small one.
    """

    ALLOW_SELECT = False

    def __init__(self, *, of_file: bool = True, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.of_file = of_file
        self.document: Document | None = None
        self.folding: Folding | None = None
        self.top = 0
        self.cursor = 0
        self.column = 0
        """Cells scrolled out at the left; 0 while lines wrap."""
        self.lines_hint = 0
        self.failure: str | None = None
        self._rows: list[Row] | None = None
        self._edge: list[Segment] = []
        """The map beside the rows; none until the first of them is drawn."""
        self._base: Style | None = None
        self._strips: LRUCache[tuple[int, int, bool], Strip] = LRUCache(2048)
        self._styles: dict[str, Style] = {}

    # -- what is shown -----------------------------------------------------------

    @property
    def height(self) -> int:
        """Rows on the screen."""
        return max(1, self.size.height)

    @property
    def digits(self) -> int:
        """Cells of a line number; 0 when there are none."""
        document = self.document
        if not self.of_file or document is None:
            return 0
        known = document.index.lines
        if not document.index.complete:
            known = max(known, self.lines_hint, document.size // 64)
        return max(3, len(str(known)))

    @property
    def text_width(self) -> int:
        """Cells for the text between gutter and map."""
        digits = self.digits
        return max(1, self.size.width - 2 - (digits + 1 if digits else 0))

    def rows(self) -> list[Row]:
        """The rows on the screen."""
        if self._rows is None:
            rows: list[Row] = []
            self._edge = []
            if self.folding is not None and self.document is not None:
                with self.told():
                    rows = self.folding.forward(self.top, self.height)
                    rows = self.folding.numbered(rows, self.document.index)
                    self.failure = None
            self._rows = rows
        return self._rows

    @contextmanager
    def told(self) -> Iterator[None]:
        """What cannot be read any more is told instead of raised."""
        try:
            yield
        except SpillError as error:
            self.failure = str(error)
            self._rows = None

    def redraw(self) -> None:
        """Draw every row anew: a hit, the selection or what was seen changed."""
        self._rows = None
        self._strips.clear()
        self.refresh()

    def notify_style_update(self) -> None:
        """Colours changed."""
        super().notify_style_update()
        self._base = None
        self._edge = []
        self._styles.clear()
        self._strips.clear()

    # -- drawing -------------------------------------------------------------------

    def style_of(self, name: str) -> Style:
        """The style of a component class, to be laid over the row's own."""
        style = self._styles.get(name)
        if style is None:
            style = self._styles[name] = self._look_up(f"pager--{name}")
        return style

    def _look_up(self, name: str) -> Style:
        rules = self.get_component_styles(name)
        full = self.get_component_rich_style(name)
        own = rules.has_rule("color") or rules.has_rule("auto_color")
        return Style(
            color=full.color if own else None,
            bgcolor=full.bgcolor if rules.has_rule("background") else None,
            bold=full.bold,
            italic=full.italic,
            underline=full.underline,
            reverse=full.reverse,
        )

    def overlays(self, start: int, end: int) -> list[tuple[Range, Style]]:
        """Byte ranges that touch `[start, end)` and have a style of their own."""
        return []

    def fold_words(self, fold: Fold, width: int) -> str:
        """What a fold is drawn as."""
        assert self.document is not None
        return paint.fold_words(fold, self.document, width)

    def render_line(self, y: int) -> Strip:
        """One row, from the gutter to the map at the right edge."""
        # Both stay the same for a frame, and Textual looks them up at length.
        base = self._base
        if base is None:
            base = self._base = self.rich_style
        width = self.size.width
        rows = self.rows()
        if self.failure is not None and y == 0:
            return self._failure_strip(base, width)
        if y >= len(rows) or self.document is None:
            body = Strip.blank(width - 1, base)
        else:
            row = rows[y]
            lit = self.has_focus and row.holds(self.cursor)
            key = (row.start, row.number or 0, lit)
            drawn = self._strips.get(key)
            if drawn is None:
                with self.told():
                    drawn = self._strips[key] = self._draw(row, lit, base)
            body = drawn or self._failure_strip(base, width - 1)
        edge = self._edge or self._map(base)
        return Strip([*body, edge[min(y, len(edge) - 1)]], width)

    def _failure_strip(self, base: Style, width: int) -> Strip:
        text = printable(self.failure or "")
        segment = Segment(text, base + self.style_of("failure"))
        return Strip([segment]).adjust_cell_length(width, base)

    def _draw(self, row: Row, lit: bool, base: Style) -> Strip:
        assert self.document is not None
        assert self.folding is not None
        look = paint.Look(self.text_width, self.digits, self.column)
        style = self.style_of
        data = b""
        if row.fold is None:
            data = self.folding.segments.read(row.start, row.end)
        left = paint.gutter(row, data, self.document, look, style)
        if row.fold is not None:
            words = self.fold_words(row.fold, look.width)
            text = [Segment(words, style("fold"))]
        else:
            text = paint.text_segments(row, look, style, self.overlays)
        if lit:
            base += style("cursor")
        return paint.assemble(left, text, look, base)

    def _map(self, base: Style) -> list[Segment]:
        """The map, a segment beside each line of the screen."""
        document, rows = self.document, self.rows()
        if document is None or not rows:
            self._edge = [Segment(" ", base)]
        else:
            shown = (rows[0].start, rows[-1].end)
            of = document if self.of_file else None
            self._edge = paint.edge(
                shown,
                0 if document.beginning else document.size,
                of,
                self.height,
                base,
                self.style_of,
            )
        return self._edge
