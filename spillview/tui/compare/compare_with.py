"""The artifacts that one can be compared with; the runs of its command first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from spillview.comparison.pairing import beside, earlier_run, runs_of
from spillview.model import Artifact
from spillview.text import human_age, human_bytes, printable
from spillview.tui.choosing import Choosing, choosing_keys
from spillview.tui.footer import Footer
from spillview.tui.queue.bars import plural
from spillview.tui.queue.columns import state_mark, subject
from spillview.tui.queue.members import Members
from spillview.tui.runs import clean

MOST = 200
"""So many are offered."""

SUBJECT = 120
"""Cells of a command, which ends where the box does."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What an artifact can be compared with: the newest of it, and how many it is."""

    offered: tuple[Artifact, ...]
    """The other runs of its command, then the rest of its project, newest first."""
    runs: int
    """How many other runs there are."""
    total: int
    before: Artifact | None = None
    """The run before it."""


def offer(
    artifact: Artifact,
    among: Sequence[Artifact],
    cancelled: Callable[[], bool] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Offer:
    """What it can be compared with of these. Raises `Cancelled`."""
    if isinstance(among, Members):
        found = beside(
            artifact, among, among.said(), cancelled=cancelled, progress=progress
        )
        runs, others = found.runs, found.others
        shown = (*runs[:MOST], *others[: max(0, MOST - len(runs))])
        total = len(runs) + len(others)
        return Offer(shown, len(runs), total, earlier_run(artifact, runs))
    own = runs_of(artifact, among)
    known = {artifact.id, *(a.id for a in own)}
    rest = [
        a
        for a in among
        if a.id not in known
        and a.found.type == "file"
        and a.project == artifact.project
        and a.found.harness == artifact.found.harness
    ]
    rest.sort(key=lambda a: (-a.created, a.id))
    every = [*own, *rest]
    before = earlier_run(artifact, own)
    return Offer(tuple(every[:MOST]), len(own), len(every), before)


class CompareWithScreen(Choosing):
    """Gives the artifact that was chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *choosing_keys("compare_with"),
        Binding(
            "enter",
            "choose",
            "Compare",
            priority=True,
            id="compare_with.choose",
            tooltip="Show it side by side with this one",
        ),
        Binding(
            "q,escape",
            "dismiss",
            "Back",
            id="compare_with.back",
            tooltip="Choose none and go back",
        ),
    ]

    def __init__(self, offer: Offer, now: float) -> None:
        super().__init__()
        self.runs, self.offered = offer.runs, offer.offered
        self.left_out = offer.total - len(offer.offered)
        self.now = now

    def compose(self) -> ComposeResult:
        """A title and the list."""
        with Vertical(id="compare-with", classes="box"):
            yield Static(Content(self.title_words), id="reads-title")
            yield OptionList(
                *(
                    Option(self._text(a, run=number < self.runs))
                    for number, a in enumerate(self.offered)
                )
            )
        yield Footer()

    @property
    def title_words(self) -> str:
        """How many runs of the command are offered, and what else."""
        title = "Compare with: no other run of it; the rest of its project"
        if self.runs:
            runs = f"{plural(self.runs, 'other run')} of it"
            title = f"Compare with: {runs}, then the rest of its project"
        if self.left_out:
            title += f" ({MOST:,} of {MOST + self.left_out:,})"
        return title

    def _text(self, artifact: Artifact, *, run: bool) -> Content:
        mark, _ = state_mark(artifact)
        age = f"{human_age(max(0.0, self.now - artifact.created))} ago"
        size = human_bytes(artifact.found.size)
        words = clean(subject(artifact), SUBJECT)
        row = printable(f"{mark} {age:>8}  {size:>9}  {words}")
        return Content.styled(row, "bold" if run else "")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Compare with it."""
        self.dismiss(self.offered[event.option_index])
