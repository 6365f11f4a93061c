"""A window onto text of any size: what it shows, where it stands, how it moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from spillview.layout.folding import Escapes, Fold, Folding, Returns, Row
from spillview.tui.pager.canvas import Canvas
from spillview.tui.pager.document import Document

ESCAPES: tuple[Escapes, ...] = ("shown", "hidden", "colour")
STEP = 8
"""Cells of one step sideways."""


class Viewport(Canvas):
    """Shows a document and moves in it: to a place, by rows, to what is folded."""

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
        super().__init__(of_file=of_file, id=id)
        self._laid_out_for: int | None = None
        """The width that the rows were broken for; None without a document."""
        self.wrap = True
        self.escapes: Escapes = "shown"
        self.returns: Returns = "final"
        self.bare = False
        """Whether credentials are shown as they are."""
        self.folds: list[Fold] = []
        """Every fold that there is, closed or open."""
        self.opened: set[Fold] = set()
        self.only: Sequence[int] | None = None
        """Offsets of the filter's hits; None while nothing is filtered."""

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

    def changed(self) -> None:
        """The place changed: draw and tell."""
        self.refresh()
        self.tell()

    def tell(self) -> None:
        """Tell the screen, at once: what it draws then is of the same frame."""
        if self.is_attached:
            self.screen.post_message(self.Moved(self))

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

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows of a frame."""
        if self._laid_out_for not in (None, self.text_width):
            self.refold()  # not every frame waits for the resize event
        return super().render_lines(crop)
