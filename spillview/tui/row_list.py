"""A list of rows that give their own text, and keep the cursor when made anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from textual.geometry import Size
from textual.strip import Strip

from spillview.tui.cursor_list import CursorList, Placed
from spillview.tui.runs import Runs, fit_runs


class Row(Placed, Protocol):
    """What the list asks of a row."""

    @property
    def key(self) -> str:
        """What it is known by when the rows are made anew."""

    def runs(self, width: int) -> Runs:
        """Its text in tones."""


def _index_of(rows: Sequence[Row], key: str) -> int | None:
    """Where the row of that key is that is no heading."""
    find: Callable[[str], int | None] | None = getattr(rows, "index_of", None)
    if find is not None:
        return find(key)
    same = (n for n, row in enumerate(rows) if row.key == key)
    return next((n for n in same if not rows[n].heading), None)


class RowList(CursorList):
    """Rows that draw themselves."""

    rows: Sequence[Row] = ()

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        if self.cursor < len(self.rows) and not self.rows[self.cursor].heading:
            return self.rows[self.cursor]
        return None

    def heads(self) -> Sequence[int]:
        """Where the headings are."""
        known: Sequence[int] | None = getattr(self.rows, "heads", None)
        return known if known is not None else super().heads()

    def show(self, rows: Sequence[Row], *, anew: bool = False) -> None:
        """Show these; the cursor stays on its row, or near where that was.

        `anew` puts it on the first row.
        """
        here = None if anew else self.row
        self.rows = rows
        self.virtual_size = Size(0, len(rows))
        at = 0 if anew else self.cursor
        if here is not None:
            place = _index_of(rows, here.key)
            at = at if place is None else place
        at = max(0, min(at, len(rows) - 1))
        if not self.go(at) and not self.go(at, -1):
            self.cursor = 0
            self.post_message(self.Highlighted(self))
        self.refresh()

    def aim_at(self, key: str) -> bool:
        """Put the cursor on the row of that key; whether there is one."""
        at = _index_of(self.rows, key)
        return at is not None and self.go(at)

    def draw(self, index: int, width: int) -> Strip:
        """One row; that under the cursor is lit while the list has the focus."""
        row, base = self.rows[index], self.rich_style
        runs = fit_runs(row.runs(width), width)
        if row.heading:
            base = base + self.get_component_rich_style("rows--heading")
        elif index == self.cursor and self.has_focus:
            base = self.get_component_rich_style("rows--cursor")
            text, tone = runs[0] if runs else ("", "")
            if text[:1] == " ":  # seen without a colour, too
                runs = [("▌", "bar"), (text[1:], tone), *runs[1:]]
        return self._palette.strip(runs, base, width)
