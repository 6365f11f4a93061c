"""The calls that came back to an artifact; choosing one goes to what it showed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from spillview.model import Artifact, Range
from spillview.seen.envelope import EnvelopeFacts
from spillview.text import path_text, printable
from spillview.tui.choosing import Choosing, choosing_keys
from spillview.tui.footer import Footer
from spillview.tui.queue.bars import plural
from spillview.tui.runs import clean, fit

COMMAND = 80
"""Cells of a call's command that are shown at most."""


class Place:
    """One line of the list: what received the artifact, and which bytes."""

    def __init__(
        self, head: str, what: str, ranges: tuple[Range, ...], *, own: bool = True
    ) -> None:
        self.head, self.what, self.ranges, self.own = head, what, ranges, own

    @property
    def text(self) -> Content:
        """Two lines: the call, and what it showed."""
        tone = "" if self.ranges else "$foreground 55%"
        return Content.assemble(
            (printable(self.head), "bold" if self.own else ""),
            "\n  ",
            (printable(self.what), tone),
        )


def places(artifact: Artifact, facts: EnvelopeFacts | None) -> Iterator[Place]:
    """Envelopes and later reads in the order of the link."""
    for shown in facts.shown if facts is not None else ():
        mention = shown.mention
        head = f"envelope  {clean(mention.tool, 40)}  record {mention.record:,}"
        ranges = shown.seen.ranges if shown.seen is not None else None
        yield Place(head, _showed(ranges), ranges or ())
    for read in artifact.link.reads if artifact.link is not None else ():
        command = (read.command or "").replace(artifact.found.path, artifact.found.name)
        command = fit(clean(" ".join(command.split()), COMMAND), COMMAND).rstrip()
        whose = "" if read.own else f"  another session, {path_text(read.session)}"
        head = f"{clean(read.tool or 'a call', 40)}  record {read.record:,}  {command}"
        what = "it failed; " if read.failed and read.ranges == () else ""
        yield Place(
            head + whose, what + _showed(read.ranges), read.ranges or (), own=read.own
        )


def _showed(ranges: tuple[Range, ...] | None) -> str:
    if ranges is None:
        return "what it showed is not known"
    if not ranges:
        return "showed nothing of it"
    size = sum(end - start for start, end in ranges)
    parts = "" if len(ranges) == 1 else f" in {len(ranges):,} places"
    return (
        f"showed {plural(size, 'byte')}{parts}, from byte {ranges[0][0]:,}"
        f" to {ranges[-1][1]:,}"
    )


class ReadsScreen(Choosing):
    """What received the artifact, and when; gives the byte range that was chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *choosing_keys("reads"),
        Binding(
            "enter",
            "choose",
            "Go there",
            priority=True,
            id="reads.choose",
            tooltip="Go to the first byte that it showed",
        ),
        Binding(
            "q,escape,R",
            "dismiss",
            "Back",
            id="reads.back",
            tooltip="Go back to the artifact",
        ),
    ]

    def __init__(self, artifact: Artifact, facts: EnvelopeFacts | None) -> None:
        super().__init__()
        self.places = list(places(artifact, facts))
        alone = artifact.modelless
        self._what = "What the envelope showed" if alone else "What the model received"

    def compose(self) -> ComposeResult:
        """A title and the list."""
        with Vertical(id="reads", classes="box"):
            yield Static(Content(f"{self._what} of it"), id="reads-title")
            yield OptionList(*(Option(place.text) for place in self.places))
        yield Footer()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go to the first byte that it showed."""
        ranges = self.places[event.option_index].ranges
        if ranges:
            self.dismiss(ranges[0])
        else:
            self.notify("It showed nothing that could be placed.", markup=False)
