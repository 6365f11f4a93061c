"""The artifacts that one can be compared with; the runs of its command first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from spillview.comparison.pairing import runs_of
from spillview.model import Artifact
from spillview.text import human_age, human_bytes, printable
from spillview.tui import stylesheet
from spillview.tui.live_keys import key_of
from spillview.tui.queue.columns import state_mark, subject
from spillview.tui.runs import clean, fit

MOST = 200
"""So many are offered."""

SUBJECT = 70
"""Cells of a command."""


def candidates(artifact: Artifact, among: Sequence[Artifact]) -> list[Artifact]:
    """The other runs of its command, then the rest of its project, newest first."""
    runs = runs_of(artifact, among)
    known = {artifact.id, *(a.id for a in runs)}
    others = [
        a
        for a in among
        if a.id not in known
        and a.found.type == "file"
        and a.project == artifact.project
        and a.found.harness == artifact.found.harness
    ]
    others.sort(key=lambda a: (-a.created, a.id))
    return [*runs, *others]


class CompareWithScreen(ModalScreen[Artifact | None]):
    """Gives the artifact that was chosen."""

    CSS_PATH = stylesheet("artifact.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "move(1)", "Down", show=False, id="compare_with.down"),
        Binding("k", "move(-1)", "Up", show=False, id="compare_with.up"),
        Binding("q,escape", "dismiss", "Back", id="compare_with.back"),
    ]

    def __init__(
        self, artifact: Artifact, among: Sequence[Artifact], now: float
    ) -> None:
        super().__init__()
        found = candidates(artifact, among)
        self.runs = len(runs_of(artifact, among))
        self.offered = found[:MOST]
        self.left_out = len(found) - len(self.offered)
        self.now = now

    def compose(self) -> ComposeResult:
        """A title and the list."""
        runs = "run" if self.runs == 1 else "runs"
        title = (
            f"Compare with: {self.runs:,} other {runs} of its command, then the rest"
        )
        if self.left_out:
            title += f" of its project ({MOST:,} of {MOST + self.left_out:,})"
        else:
            title += " of its project"
        back = key_of(self, "compare_with.back")
        with Vertical(id="compare-with"):
            title += f" (Enter chooses, {back} back)"
            yield Static(Content(title), id="reads-title")
            yield OptionList(
                *(
                    Option(self._text(a, run=number < self.runs))
                    for number, a in enumerate(self.offered)
                )
            )

    def _text(self, artifact: Artifact, *, run: bool) -> Content:
        mark, _ = state_mark(artifact)
        age = f"{human_age(max(0.0, self.now - artifact.created))} ago"
        size = human_bytes(artifact.found.size)
        words = fit(clean(subject(artifact), SUBJECT), SUBJECT)
        row = printable(f"{mark} {words}  {age:>8}  {size:>9}")
        return Content.styled(row, "bold" if run else "")

    def action_move(self, step: int) -> None:
        """Another line."""
        chooser = self.query_one(OptionList)
        if step > 0:
            chooser.action_cursor_down()
        else:
            chooser.action_cursor_up()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Compare with it."""
        self.dismiss(self.offered[event.option_index])
