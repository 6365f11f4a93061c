"""The windowed list of a search's results: only the visible rows are drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from spillview.layout.cells import text_width
from spillview.model import Artifact
from spillview.text import human_age, path_text, printable
from spillview.tui.pager.paint import MARKS
from spillview.tui.parts import Parts
from spillview.tui.queue.bars import plural
from spillview.tui.queue.columns import project_name, state_mark, subject
from spillview.tui.runs import Palette, Runs, clean, fit, fit_runs
from spillview.tui.search.rows import (
    SEEN_WORDS,
    ArtifactRow,
    LineRow,
    Row,
    SessionRow,
)

NUMBER = 8
"""Cells of the line numbers."""

TAG = 11
"""Cells of the word that says whether the model saw the hit."""

TAG_TONES = {True: "good", False: "unseen", None: "dim"}
TAG_MARKS = {True: MARKS["all"], False: " ", None: MARKS["unknown"]}


def _hidden(keys: str, action: str, what: str, name: str) -> Binding:
    return Binding(keys, action, what, show=False, id=f"hits.{name}")


class HitList(ScrollView, Parts, can_focus=True):
    """Sessions, artifacts and the lines that matched, in the order they were found."""

    HELP = """
## Results

Lines that match, by session and artifact, as ripgrep finds them. `▌ seen`: the model
received the whole hit; `never seen`: it did not; `┊ unknown`: no record tells.
`{search.unseen}` keeps only what was never seen. `{hits.open}` opens the artifact at
the hit.
"""
    BINDING_GROUP_TITLE = "Results"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "open",
            "Open",
            id="hits.open",
            tooltip="Open the artifact at this hit",
        ),
        _hidden("j,down,n", "move(1)", "Next line", "down"),
        _hidden("k,up,N", "move(-1)", "Previous line", "up"),
        _hidden("right_curly_bracket", "artifact(1)", "Next artifact", "next"),
        _hidden("left_curly_bracket", "artifact(-1)", "Previous artifact", "previous"),
        _hidden("f,ctrl+f,pagedown,space", "page(1)", "Page down", "page_down"),
        _hidden("b,ctrl+b,pageup", "page(-1)", "Page up", "page_up"),
        _hidden("d,ctrl+d", "page(0.5)", "Half a page down", "half_down"),
        _hidden("ctrl+u", "page(-0.5)", "Half a page up", "half_up"),
        _hidden("g,home", "edge(0)", "First", "first"),
        _hidden("G,end", "edge(-1)", "Last", "last"),
    ]

    cursor: var[int] = var(0)
    """Index of the row under the cursor."""

    @dataclass
    class Opened(Message):
        """A hit is to be opened."""

        hit_list: HitList
        row: LineRow

        @property
        def control(self) -> HitList:
            """The list that sent it."""
            return self.hit_list

    @dataclass
    class Highlighted(Message):
        """Another row is under the cursor."""

        hit_list: HitList
        row: LineRow | None

        @property
        def control(self) -> HitList:
            """The list that sent it."""
            return self.hit_list

    def __init__(
        self,
        artifacts: Sequence[Artifact],
        clock: Callable[[], float],
        titles: Mapping[str, str],
    ) -> None:
        """`titles` are those of sessions, by `harness/session`."""
        super().__init__(id="hits")
        self.artifacts = artifacts
        self.clock, self.titles = clock, titles
        self.rows: list[Row] = []
        self._palette = Palette(self)

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def clear(self) -> None:
        """Show nothing."""
        self.rows = []
        self.cursor = 0
        self.scroll_to(0, 0, animate=False)
        self._resized()
        self.post_message(self.Highlighted(self, None))

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows below; the cursor goes to the first line that matched."""
        first = not self.rows
        self.rows.extend(rows)
        self._resized()
        if first:
            self.action_edge(0)

    def _resized(self) -> None:
        self.virtual_size = Size(self.size.width, len(self.rows))
        self.refresh()

    def on_resize(self) -> None:
        """Rows are as wide as the list."""
        self._resized()

    def notify_style_update(self) -> None:
        """Colours changed."""
        super().notify_style_update()
        self._palette.forget()

    # -- moving --------------------------------------------------------------------

    def go(self, index: int, step: int = 1) -> None:
        """Put the cursor on the nearest line row from `index` in direction `step`."""
        at = index
        while 0 <= at < len(self.rows) and not isinstance(self.rows[at], LineRow):
            at += step
        if not 0 <= at < len(self.rows):
            return
        self.cursor = at
        top, height = self.scroll_offset.y, max(1, self.size.height)
        # The headings above a first line are worth seeing with it.
        lead = 0
        while at - lead > 0 and not isinstance(self.rows[at - lead - 1], LineRow):
            lead += 1
        if at - lead < top:
            self.scroll_to(y=at - lead, animate=False, force=True)
        elif at >= top + height:
            self.scroll_to(y=at - height + 1, animate=False, force=True)
        self.refresh()
        row = self.row
        line = row if isinstance(row, LineRow) else None
        self.post_message(self.Highlighted(self, line))

    def action_move(self, step: int) -> None:
        """To the next or previous line."""
        self.go(self.cursor + step, step)

    def action_page(self, pages: float) -> None:
        """A screen, or half of one."""
        rows = max(1, int((self.size.height - 1) * abs(pages)))
        step = 1 if pages > 0 else -1
        target = max(0, min(len(self.rows) - 1, self.cursor + step * rows))
        before = self.cursor
        self.go(target, step)
        if self.cursor == before:
            self.go(target, -step)

    def action_edge(self, index: int) -> None:
        """To the first or the last line."""
        if self.rows:
            self.go(0 if index == 0 else len(self.rows) - 1, 1 if index == 0 else -1)

    def action_artifact(self, step: int) -> None:
        """To the first hit of the next or previous artifact."""
        heads = [i for i, r in enumerate(self.rows) if isinstance(r, ArtifactRow)]
        if step > 0:
            target = next((i for i in heads if i > self.cursor), None)
        else:
            above = [i for i in heads if i < self.cursor]
            target = above[-2] if len(above) > 1 else (above[0] if above else None)
        if target is not None:
            self.go(target)

    def action_open(self) -> None:
        """Open the artifact at the hit."""
        if isinstance(self.row, LineRow):
            self.post_message(self.Opened(self, self.row))

    def on_click(self, event: events.Click) -> None:
        """A click places the cursor, a second one opens."""
        index = self.scroll_offset.y + event.y
        if 0 <= index < len(self.rows):
            again = index == self.cursor
            self.go(index)
            if again or event.chain > 1:
                self.action_open()

    # -- drawing -------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """One row."""
        index = self.scroll_offset.y + y
        width = self.scrollable_content_region.width  # the scrollbar covers the rest
        base = self.rich_style
        if index >= len(self.rows):
            return Strip.blank(width, base)
        row = self.rows[index]
        if isinstance(row, SessionRow):
            base = base + self.get_component_rich_style("hits--session")
            runs = self._session(row, width)
        elif isinstance(row, ArtifactRow):
            runs = self._artifact(row, width)
        else:
            if index == self.cursor:
                base = self.get_component_rich_style("hits--cursor")
            return self._line(row, width, base)
        return self._palette.strip(fit_runs(runs, width), base, width)

    def _session(self, row: SessionRow, width: int) -> Runs:
        title = self.titles.get(f"{row.harness}/{row.session}")
        name = project_name(row.project)
        runs: Runs = [(f" {clean(title or name or row.session, width)}", "project")]
        rest = [name if title else "", printable(row.harness)]
        if not title:
            rest.append(clean(row.session, 36))
        return [*runs, ("  " + "  ".join(clean(r, width) for r in rest if r), "dim")]

    def _artifact(self, row: ArtifactRow, width: int) -> Runs:
        artifact = self.artifacts[row.index]
        mark, tone = state_mark(artifact)
        runs: Runs = [(f" {mark} ", tone)]
        if artifact.tool:
            runs.append((f"{clean(artifact.tool, 20)}  ", "label"))
        room = max(10, width - 30)
        words = clean(subject(artifact), room)
        runs.append((fit(words, min(room, text_width(words))), "head"))
        age = human_age(max(0.0, self.clock() - artifact.created))
        runs.append((f"  {plural(row.lines, 'line')}  {age} ago", "dim"))
        if artifact.command:
            runs.append((f"  {printable(path_text(artifact.found.name))}", "dim"))
        return runs

    def _line(self, row: LineRow, width: int, base: Style) -> Strip:
        palette = self._palette
        number = "" if row.number is None else f"{row.number:,}"
        tone = TAG_TONES[row.seen]
        segments = [
            Segment(f"{TAG_MARKS[row.seen]}{number:>{NUMBER}} ", base + palette["dim"]),
            Segment(f"{SEEN_WORDS[row.seen]:<{TAG}}", base + palette[tone]),
        ]
        match = self.get_component_rich_style("hits--match", partial=True)
        at = _first_shown(row, width - NUMBER - TAG - 2)
        if at:
            segments.append(Segment("…", base))
        for start, end in row.hits:
            if end > at:
                segments.append(Segment(row.text[at : max(at, start)], base))
                segments.append(Segment(row.text[max(at, start) : end], base + match))
                at = end
        segments.append(Segment(row.text[at:], base))
        strip = Strip(segments)
        if strip.cell_length > width:
            strip = Strip([*strip.crop(0, width - 1), Segment("…", base)])
        return strip.adjust_cell_length(width, base)


def _first_shown(row: LineRow, room: int) -> int:
    """How much of the line's beginning is left out so that its first hit is shown."""
    if not row.hits or text_width(row.text[: row.hits[0][1]]) <= room:
        return 0
    return max(0, row.hits[0][0] - room // 2)
