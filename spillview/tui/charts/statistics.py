"""What became of the spilled outputs, as two tables that can be copied as rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any, ClassVar

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import ScrollableContainer
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static
from textual.worker import Worker, get_current_worker

from spillview.catalogue.catalogue import Catalogue
from spillview.model import Artifact
from spillview.review.statistics import Statistics, measure
from spillview.review.statistics_rows import rows
from spillview.text import human_bytes, printable, share_text
from spillview.tui import stylesheet
from spillview.tui.failing import Failing
from spillview.tui.footer import Footer
from spillview.tui.pacing import Pacing, partial_words
from spillview.tui.queue.columns import tool_name
from spillview.tui.runs import fit, short_count

TOOL_TITLES = (
    *("tool", "chars", "spilled", "read back", "calls later", "seen"),
    *("carried, tokens", "bytes"),
)
SWEEP_TITLES = ("boundary", "spills", "read back", "tokens kept out", "went in whole")

SHORT_TITLES = ("tool", "chars", "spilled", "back", "later", "seen", "carried", "bytes")
"""The same where it is narrow."""

TOOL_WIDTH, SHORT_WIDTH = 28, 18
"""Cells of the longest tool name; where it is narrow."""

NARROW = 100
"""Below this width the short forms are used."""


def tool_table(statistics: Statistics, *, short: bool = False) -> list[list[str]]:
    """The cells of the first table, its titles first."""
    table = [list(SHORT_TITLES if short else TOOL_TITLES)]
    most = SHORT_WIDTH if short else TOOL_WIDTH
    for row in statistics.tools:
        back = "–" if row.read_back is None else f"{row.read_back:,}"
        if 0 < row.linked < row.spilled:
            back += f"/{row.linked:,}" if short else f" of {row.linked:,}"
        later = "–" if row.calls_later is None else f"{row.calls_later:g}"
        tokens = row.carried_tokens
        carried = (
            "–" if tokens is None else f"~{short_count(tokens, 7 if short else 20)}"
        )
        band = str(row.band)
        table.append(
            [
                tool_name(row.tool or "tool not known", most),
                band.replace(" to ", "–").replace("under ", "<") if short else band,
                f"{row.spilled:,}",
                back,
                later,
                share_text(row.seen_share),
                carried,
                human_bytes(row.bytes),
            ]
        )
    return table


def sweep_table(statistics: Statistics) -> list[list[str]]:
    """The cells of the second table, its titles first."""
    table = [list(SWEEP_TITLES)]
    for row in statistics.sweep:
        least = "" if row.complete else "≥ "
        table.append(
            [
                str(row.boundary),
                f"{least}{row.spills:,}",
                "–" if row.read_backs is None else f"{least}{row.read_backs:,}",
                "–"
                if row.tokens_kept_out is None
                else f"{least}~{row.tokens_kept_out:,}",
                "–" if row.whole is None else f"{row.whole:,}",
            ]
        )
    return table


def drawn(
    table: Sequence[Sequence[str]], left: int, most: int = TOOL_WIDTH, gap: int = 2
) -> Content:
    """A table in aligned columns, the first `left` of them to the left.

    The first column is cut at `most` cells; `gap` cells are between columns.
    """
    from rich.cells import cell_len

    widths = [max(map(cell_len, column)) for column in zip(*table, strict=True)]
    widths[0] = min(widths[0], most)
    lines = []
    for number, row in enumerate(table):
        cells = [
            fit(text, width, right=place >= left)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        tone = "$foreground 60%" if number == 0 else ""
        # The space after it: a width that is made to fit the text would cut its end.
        lines.append(Content.styled((" " * gap).join(cells) + " ", tone))
    return Content("\n").join(lines)


class StatisticsScreen(ModalScreen[Any], Pacing, Failing):
    """Per tool and size, then per boundary: spilled, read back, seen, carried."""

    CSS_PATH = stylesheet("statistics.tcss")
    BINDING_GROUP_TITLE = "Statistics"
    HELP = """
## Statistics

What became of the outputs in the queue. *Read back* (*back*): how many of them the
model read again, `2/7` of those whose envelope is known; *calls later* is the median of
calls from the envelope to that; *seen* the share of bytes the model ever received;
*carried* the envelopes' tokens times the model's later turns, up to a compaction.

The sweep says for other boundaries how many of the same outputs would have been spilled
and how many tokens of them the model never received. *Went in whole* are the other
results above it in the sessions that spilled these: it received all of them. `≥`:
smaller outputs left no artifact. Tokens are estimated, one for every four bytes. `–` is
not known, as where a harness keeps no results or does not tell of compactions.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "j",
            "scroll(0, 1)",
            "Scroll",
            key_display="j k",
            id="statistics.down",
            tooltip="Down, and up again",
        ),
        Binding(
            "k",
            "scroll(0, -1)",
            "Up",
            show=False,
            id="statistics.up",
            tooltip="Scroll a line up",
        ),
        Binding(
            "l",
            "scroll(8, 0)",
            "Sideways",
            key_display="h l",
            id="statistics.right",
            tooltip="To the right, and to the left again",
        ),
        Binding(
            "h",
            "scroll(-8, 0)",
            "Left",
            show=False,
            id="statistics.left",
            tooltip="Scroll to the left",
        ),
        Binding(
            "g,home",
            "edge(0)",
            "Top",
            show=False,
            id="statistics.top",
            tooltip="Go to the first line",
        ),
        Binding(
            "G,end",
            "edge(1)",
            "End",
            show=False,
            id="statistics.end",
            tooltip="Go to the last line",
        ),
        Binding(
            "c",
            "copy",
            "Copy",
            id="statistics.copy",
            tooltip="Copy as JSON Lines the rows of `spillview review --stats --json`",
        ),
        Binding(
            "escape",
            "app.close_help",
            "Close help",
            show=False,
            id="statistics.close_help",
            tooltip="Hide the help",
        ),
        Binding(
            "q,escape,percent_sign",
            "leave",
            "Back",
            key_display="q",
            id="statistics.back",
            tooltip="Go back to the queue",
        ),
        Binding(
            "question_mark",
            "app.toggle_help",
            "Help",
            key_display="?",
            id="statistics.help",
            tooltip="Show what the columns mean; once more turns its page",
        ),
    ]

    tables = getters.query_one("#statistics", ScrollableContainer)

    @dataclass
    class Measured(Message):
        """The statistics are there."""

        statistics: Statistics

    def __init__(
        self, catalogue: Catalogue, artifacts: Sequence[Artifact], window: str
    ) -> None:
        super().__init__()
        self.catalogue, self.artifacts, self.window = catalogue, artifacts, window
        self.statistics: Statistics | None = None

    @property
    def _title(self) -> str:
        return f"What became of spilled outputs, {self.window}"

    def action_leave(self) -> None:
        """Stop measuring, and show what there is by then; else back."""
        if not self.stop_work():
            self.dismiss(None)

    def compose(self) -> ComposeResult:
        """The tables, scrollable."""
        with ScrollableContainer(id="statistics", classes="box"):
            title = Content(printable(self._title))
            yield Static(title, id="statistics-title")
            yield Static("reading the transcripts …", id="by-tool", markup=False)
            yield Static("", id="sweep", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Start measuring."""
        self._measure(self.begin_work())

    def say_pace(self, words: str) -> None:
        """In the place of the first table."""
        self.query_one("#by-tool", Static).update(words)

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="statistics",
        description="Measure what became of the outputs",
    )
    def _measure(self, work: Event) -> None:
        worker = get_current_worker()
        try:
            found = measure(
                self.catalogue,
                self.artifacts,
                progress=self.paced("measured", work),
                cancelled=lambda: worker.is_cancelled or work.is_set(),
            )
        finally:
            self.app.call_from_thread(self.end_work, work)
        if not worker.is_cancelled:
            self.post_message(self.Measured(found))

    @on(Measured)
    def _show(self, message: Measured) -> None:
        self.statistics = message.statistics
        if left := message.statistics.unmeasured:
            total = len(self.artifacts)
            words = f"{self._title}; {partial_words(total - left, total)}"
            title = Content(printable(words))
            self.query_one("#statistics-title", Static).update(title)
        by_tool = self.query_one("#by-tool", Static)
        if not message.statistics.tools:
            by_tool.update("Nothing that was counted so far was spilled.")
            return
        self._draw()
        self.query_one("#sweep", Static).update(
            drawn(sweep_table(message.statistics), 0)
        )
        self.call_after_refresh(self.refresh_bindings)

    def _draw(self) -> None:
        """The first table, in few words where it is narrow."""
        if self.statistics is None or not self.statistics.tools:
            return
        short = self.size.width < NARROW
        table = tool_table(self.statistics, short=short)
        most, gap = (SHORT_WIDTH, 1) if short else (TOOL_WIDTH, 2)
        self.query_one("#by-tool", Static).update(drawn(table, 2, most, gap))

    def failed(self, worker: Worker[Any], reason: str) -> None:
        """Say so in the place of the first table."""
        words = Content(f"Measuring failed. {reason}")
        self.query_one("#by-tool", Static).update(words)

    def action_scroll(self, columns: int, lines: int) -> None:
        """Scroll by columns and lines."""
        self.tables.scroll_relative(x=columns, y=lines, animate=False)

    def action_edge(self, end: int) -> None:
        """To the top or to the end."""
        y = self.tables.max_scroll_y if end else 0
        self.tables.scroll_to(y=y, animate=False)

    def on_resize(self) -> None:
        """More or less of the tables has room."""
        self._draw()
        self.call_after_refresh(self.refresh_bindings)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to scroll only where there is more to see."""
        if action not in ("scroll", "edge") or not self.is_mounted:
            return True
        sideways = action == "scroll" and bool(parameters and parameters[0])
        tables = self.tables
        return (tables.max_scroll_x if sideways else tables.max_scroll_y) > 0

    def action_copy(self) -> None:
        """Copy the rows."""
        import orjson

        if self.statistics is None:
            return
        lines = [orjson.dumps(row).decode() for row in rows(self.statistics)]
        self.app.copy_to_clipboard("\n".join(lines) + "\n")
        words = f"{len(lines):,} rows copied as JSON Lines"
        self.notify(words, markup=False)
