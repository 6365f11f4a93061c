"""The line of column titles above the queue."""

from __future__ import annotations

from rich.segment import Segment
from textual import events
from textual.reactive import var
from textual.strip import Strip

from spillview.tui.parts import Parts
from spillview.tui.queue.arrangement import WORST
from spillview.tui.queue.columns import GUTTER
from spillview.tui.queue.queue import Queue
from spillview.tui.runs import fit
from spillview.tui.told import Told


class Titles(Parts):
    """The line of column titles above a queue; a click sorts."""

    sort: var[str] = var(WORST)
    reverse: var[bool] = var(False)

    class Clicked(Told):
        """A column's title was clicked."""

        titles: Titles
        key: str

        @property
        def control(self) -> Titles:
            """The line of titles that sent it."""
            return self.titles

    def __init__(self, queue: Queue) -> None:
        super().__init__(id="titles")
        self.queue = queue
        self.tooltip = "Click a title to sort by it, again to reverse it"

    def show(self, sort: str, reverse: bool) -> None:
        """Mark the column that the rows are sorted by."""
        self.sort, self.reverse = sort, reverse
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Sort by the column under the mouse."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        for column in self.queue.columns:
            if column.x <= offset.x <= column.x + column.width:
                self.post_message(self.Clicked(self, column.key))
                return

    def render_line(self, y: int) -> Strip:
        """The titles, each over its column."""
        base = self.rich_style
        lit = self.get_component_rich_style("titles--sorted")
        segments = [Segment(" " * GUTTER, base)]
        for column in self.queue.columns:
            title, arrow, style = column.title, "", base
            if column.key == self.sort:
                arrow, style = "↑" if self.reverse else "↓", lit
                title = title[: column.width - 1] + arrow
            if column.key == "ratio":
                title = f"   ratio{arrow or ' '}unit"
            fitted = fit(title, column.width, right=column.right)
            segments += [Segment(fitted, style), Segment(" ", base)]
        return Strip(segments).adjust_cell_length(self.size.width, base)
