"""A window onto text of any size: where it stands, what it shows, how it is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from spillview.errors import SpillError
from spillview.folding import Escapes, Fold, Folding, Returns, Row
from spillview.model import Range
from spillview.text import printable
from spillview.tui import paint
from spillview.tui.document import Document
from spillview.tui.parts import Parts

ESCAPES: tuple[Escapes, ...] = ("shown", "hidden", "colour")
STEP = 8
"""Cells of one step sideways."""


class Viewport(Parts, can_focus=True):
    """Rows of a document from `top` on, one of them under the cursor.

    Both are byte offsets where a row begins; rows are computed from there, so no key
    costs more in a large file than in a small one.
    """

    ALLOW_SELECT = False

    @dataclass
    class Moved(Message):
        """Another part is shown, or more is known of it."""

        viewport: Viewport

        @property
        def control(self) -> Viewport:
            """The viewport that sent it."""
            return self.viewport

        def can_replace(self, message: Message) -> bool:
            """Only the newest place of the same viewport counts."""
            if not isinstance(message, Viewport.Moved):
                return False
            return message.viewport is self.viewport

    def __init__(self, *, of_file: bool = True, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.of_file = of_file
        self.document: Document | None = None
        self.folding: Folding | None = None
        self._laid_out_for: int | None = None
        """The width that the rows were broken for; None without a document."""
        self.top = 0
        self.cursor = 0
        self.wrap = True
        self.escapes: Escapes = "shown"
        self.returns: Returns = "final"
        self.bare = False
        """Whether credentials are shown as they are."""
        self.column = 0
        """Cells scrolled out at the left; 0 while lines wrap."""
        self.folds: list[Fold] = []
        """Every fold that there is, closed or open."""
        self.opened: set[Fold] = set()
        self.only: Sequence[int] | None = None
        """Offsets of the filter's hits; None while nothing is filtered."""
        self.lines_hint = 0
        self.failure: str | None = None
        self._rows: list[Row] | None = None
        self._edge: list[Segment] = []
        """The map beside the rows; none until the first of them is drawn."""
        self._base: Style | None = None
        self._strips: LRUCache[tuple[int, int, bool], Strip] = LRUCache(2048)
        self._styles: dict[str, Style] = {}

    # -- what is shown -----------------------------------------------------------

    def show(
        self,
        document: Document | None,
        *,
        at: int = 0,
        folds: Sequence[Fold] = (),
        lines: int = 0,
    ) -> None:
        """Show a document at byte `at`; `lines` is how many it has, if known."""
        self.document = document
        self.folds, self.opened, self.only = list(folds), set(), None
        self.lines_hint = lines
        self.column = 0
        self.top = self.cursor = 0
        self.failure = self.folding = self._rows = None
        self.refold()
        if document is not None and at:
            self.goto(at)

    def refold(self) -> None:
        """Lay the rows out anew: the width, a mode, a fold or the filter changed."""
        document, place = self.document, min(self.cursor_line, self.height - 1)
        self._laid_out_for = self.text_width if document is not None else None
        if document is None:
            self.folding = None
        else:
            self.folding = Folding(
                document.text,
                shown=None if self.bare else document.masked,
                width=self.text_width,
                wrap=self.wrap,
                escapes=self.escapes,
                returns=self.returns,
                folds=[fold for fold in self.folds if fold not in self.opened],
                only=self.only,
            )
        self.redraw()
        if self.folding is not None and self.size.height:
            with self.told():
                self.cursor = self._row_start(self.cursor)
                self._put(self.cursor, place)
        self.changed()

    def redraw(self) -> None:
        """Draw every row anew: a hit, the selection or what was seen changed."""
        self._rows = None
        self._strips.clear()
        self.refresh()

    def changed(self) -> None:
        """The place changed: draw and tell."""
        self.refresh()
        self.tell()

    def tell(self) -> None:
        """Tell the screen, at once: what it draws then is of the same frame."""
        if self.is_attached:
            self.screen.post_message(self.Moved(self))

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

    @property
    def cursor_line(self) -> int:
        """Which line of the screen the cursor is on."""
        for y, row in enumerate(self.rows()):
            if row.holds(self.cursor):
                return y
        return 0

    @property
    def cursor_row(self) -> Row | None:
        """The row under the cursor."""
        for row in self.rows():
            if row.holds(self.cursor):
                return row
        return None

    # -- moving --------------------------------------------------------------------

    def _row_start(self, byte: int) -> int:
        """Where the row that shows `byte` begins; the last row's past the end."""
        assert self.folding is not None
        row = self.folding.row_at(byte)
        if row is None:
            before = self.folding.backward(self.folding.size, 1)
            row = before[0] if before else None
        return row.start if row is not None else 0

    def _shift(self, byte: int, rows: int) -> int:
        """Where the row `rows` below (or above) that of `byte` begins, or the last."""
        assert self.folding is not None
        if rows >= 0:
            found = self.folding.forward(byte, rows + 1)
            return found[-1].start if found else self._row_start(byte)
        before = self.folding.backward(byte, -rows)
        return before[0].start if before else self._row_start(byte)

    def _set_top(self, byte: int) -> None:
        """Begin the screen with the row of `byte`, as far as it stays filled."""
        assert self.folding is not None
        top = self._row_start(byte)
        missing = self.height - len(self.folding.forward(top, self.height))
        if missing > 0:
            above = self.folding.backward(top, missing)
            top = above[0].start if above else top
        self.top = top
        self._rows = None

    def _put(self, byte: int, line: int) -> None:
        """Show the row of `byte` on line `line` of the screen, as far as possible."""
        above = self._shift(byte, -line) if line > 0 else byte
        self._set_top(above)

    @contextmanager
    def told(self) -> Iterator[None]:
        """What cannot be read any more is told instead of raised."""
        try:
            yield
        except SpillError as error:
            self.failure = str(error)
            self._rows = None

    def move(self, rows: int) -> None:
        """Move by rows: the text scrolls under the cursor; at the ends it moves."""
        if self.folding is None or not self.folding.size:
            return
        with self.told():
            self.cursor = self._shift(self.cursor, rows)
            self._set_top(self._shift(self.top, rows))
        self._keep_cursor()
        self.changed()

    def walk(self, rows: int) -> None:
        """Move the cursor by rows; the text scrolls only where it must."""
        if self.folding is None or not self.folding.size:
            return
        with self.told():
            self.cursor = self._shift(self.cursor, rows)
            if not any(row.start == self.cursor for row in self.rows()):
                self._put(self.cursor, 0 if rows < 0 else self.height - 1)
        self.changed()

    def scroll(self, rows: int) -> None:
        """Scroll by rows; the cursor stays where it is while it is on the screen."""
        if self.folding is None or not self.folding.size:
            return
        with self.told():
            self._set_top(self._shift(self.top, rows))
        self._keep_cursor()
        self.changed()

    def _keep_cursor(self) -> None:
        rows = self.rows()
        if rows and self.cursor < rows[0].start:
            self.cursor = rows[0].start
        elif rows and self.cursor > rows[-1].start:
            self.cursor = rows[-1].start

    def goto(self, byte: int, *, line: int | None = None, unfold: bool = True) -> None:
        """Put the cursor on the row that shows `byte`, unfolding it if need be.

        The screen scrolls only when the row is not on it; then the row comes to
        `line`, or to a third of the screen's height.
        """
        if self.folding is None or not self.folding.size:
            return
        byte = max(0, min(byte, self.folding.size - 1))
        fold = self.folding.fold_at(byte)
        if fold is not None and unfold:
            self.opened.add(fold)
            self.refold()
        assert self.folding is not None
        with self.told():
            self.cursor = self._row_start(byte)
            shown = self.rows()
            visible = any(row.start == self.cursor for row in shown)
            if not visible or line is not None:
                self._put(self.cursor, self.height // 3 if line is None else line)
        self.changed()

    def to_end(self) -> None:
        """Show the end; the cursor stands on the last row."""
        if self.folding is not None:
            with self.told():
                self.cursor = self._shift(self.folding.size, -1)
                self._put(self.cursor, self.height - 1)
            self.changed()

    def toggle_fold(self, fold: Fold) -> None:
        """Open a fold, or close it again."""
        self.opened ^= {fold}
        self.refold()

    def on_resize(self) -> None:
        """Rows break elsewhere."""
        self.refold()

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

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows of a frame."""
        if self._laid_out_for not in (None, self.text_width):
            self.refold()  # not every frame waits for the resize event
        return super().render_lines(crop)

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
