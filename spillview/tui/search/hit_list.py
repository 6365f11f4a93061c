"""The windowed list of a search's results: only the visible rows are drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.strip import Strip

from spillview.layout.cells import text_width
from spillview.model import Artifact
from spillview.text import human_age, path_text, printable
from spillview.tui.cursor_list import CursorList
from spillview.tui.pager.paint import MARKS
from spillview.tui.queue.bars import plural
from spillview.tui.queue.columns import project_name, state_mark, subject
from spillview.tui.runs import Runs, clean, fit, fit_runs
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


def _hidden(key: str, action: str, what: str, name: str, tooltip: str) -> Binding:
    """A key that does here besides what another does in every list."""
    return Binding(key, action, what, show=False, id=f"hits.{name}", tooltip=tooltip)


class HitList(CursorList):
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
        _hidden(
            "n", "move(1)", "Next line", "down", "Go to the next line that matches"
        ),
        _hidden(
            "N", "move(-1)", "Previous line", "up", "Go to the line before that matches"
        ),
        _hidden("space", "page(1)", "Page down", "page_down", "Go a screen down"),
        _hidden(
            "d", "page(0.5)", "Half a page down", "half_down", "Go half a screen down"
        ),
    ]

    rows: list[Row]

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
        self.rows = []

    @property
    def row(self) -> Row | None:
        """The row under the cursor: a line, or a heading while there is no line."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    @property
    def hit(self) -> LineRow | None:
        """The line under the cursor."""
        row = self.row
        return row if isinstance(row, LineRow) else None

    def heads(self) -> Sequence[int]:
        """Where the artifacts are."""
        return [n for n, row in enumerate(self.rows) if isinstance(row, ArtifactRow)]

    def clear(self) -> None:
        """Show nothing."""
        self.rows = []
        self.cursor = 0
        self.scroll_to(0, 0, animate=False)
        self._resized()
        self.post_message(self.Highlighted(self))

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

    def action_open(self) -> None:
        """Open the artifact at the hit."""
        if self.hit is not None:
            self.post_message(self.Opened(self))

    # -- drawing -------------------------------------------------------------------

    def draw(self, index: int, width: int) -> Strip:
        """One row; the line under the cursor is lit wherever the focus is."""
        row, base = self.rows[index], self.rich_style
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
