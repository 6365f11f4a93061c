"""Acting on an artifact: copy a prompt or a command, show the pane. Nothing is sent."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from textual import on, work
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.worker import get_current_worker

from spillview.errors import Cancelled
from spillview.model import Artifact, Missing
from spillview.secrets.masking import masked_text
from spillview.text import path_text, printable
from spillview.tui.told import Told

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.review.tmux_panes import Search

ACTING_BINDINGS: list[BindingType] = [
    Binding(
        "p",
        "copy_prompt",
        "Prompt",
        id="acting.prompt",
        show=False,
        tooltip="Copy a prompt that tells the agent what it never saw; nothing is sent",
    ),
    Binding(
        "Y",
        "copy_resume",
        "Resume",
        id="acting.resume",
        show=False,
        tooltip="Copy the harness's own command that resumes the session",
    ),
    Binding(
        "t",
        "open_pane",
        "Pane",
        id="acting.pane",
        show=False,
        tooltip="Show the tmux pane that the session runs in; nothing is typed there",
    ),
]

KINDS = {
    "verdict": "the conclusion that it never saw",
    "signals": "the errors that it never saw",
    "items": "the JSON items that it never saw",
    "part": "the part that it never saw",
    "nothing": "what it saw: there is nothing to correct",
    "unknown": "what is known: what it saw is not",
    "dangling": "the result that is gone",
    "cut": "the result that was cut",
}
"""What a prompt of each kind is about."""


class Acting(Screen[Any]):
    """What the keys for acting do; the screen says on what."""

    catalogue: Catalogue

    class Prompted(Told):
        """A prompt was made."""

        kind: str
        text: str

    class Looked(Told):
        """Panes were looked for."""

        search: Search

    def acted_on(self) -> Artifact | Missing | None:
        """The artifact, or the call without one, that is meant."""
        return None

    def action_copy_prompt(self) -> None:
        """Copy a correction prompt."""
        row = self.acted_on()
        if row is not None:
            self._prompt(row)

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="prompt",
        description="Look for what the model never saw",
    )
    def _prompt(self, row: Artifact | Missing) -> None:
        from spillview.review.corrections import correct_missing, correction

        worker = get_current_worker()
        if isinstance(row, Missing):
            made = correct_missing(row)
        else:
            try:
                if row.counts is None or row.link is None:
                    for known in self.catalogue.complete([row]):
                        row = known
                made = correction(
                    row,
                    self.catalogue.profile(row.found.harness),
                    cancelled=lambda: worker.is_cancelled,
                )
            except Cancelled:
                return
            if self.catalogue.state is not None:  # the prompt names its id
                self.catalogue.state.remember_ids([(row.id, row.found.address)])
        if not worker.is_cancelled:
            # It goes into a model's context: nothing that the model did not have yet.
            self.post_message(self.Prompted(made.kind, masked_text(made.text)))

    @on(Prompted)
    def _copy_prompt(self, message: Prompted) -> None:
        self.app.copy_to_clipboard(message.text)
        lines = message.text.count("\n")
        words = f"Copied a prompt of {lines:,} lines about {KINDS[message.kind]}."
        self.notify(f"{words} Paste it into the session.", markup=False)

    def action_copy_resume(self) -> None:
        """Copy the command that resumes the session."""
        from spillview.review.acting import resumed

        row = self.acted_on()
        if row is None:
            return
        known = resumed(self.catalogue, row)
        sentence = printable(path_text(known.sentence))
        if known.command is None:
            self.notify(sentence, severity="warning", markup=False)
            return
        self.app.copy_to_clipboard(known.command)
        command = printable(path_text(known.command))
        self.notify(f"Copied: {command}\n{sentence}", markup=False)

    def action_open_pane(self) -> None:
        """Look for the session's tmux pane and show it."""
        row = self.acted_on()
        if row is not None:
            self._look_for_pane(row)

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="pane",
        description="Look for the session's tmux pane",
    )
    def _look_for_pane(self, row: Artifact | Missing) -> None:
        from spillview.review.acting import pane_of

        found = pane_of(self.catalogue, row)
        if not get_current_worker().is_cancelled:
            self.post_message(self.Looked(found))

    @on(Looked)
    def _show_pane(self, message: Looked) -> None:
        from spillview.review.tmux_panes import open_pane, outside

        found = message.search
        if found.pane is None:
            self.notify(printable(found.sentence), severity="warning", markup=False)
            return
        if os.environ.get("TMUX"):
            words = f"{found.sentence} {open_pane(found.pane, os.environ)}"
        else:
            command = outside(found.pane)
            self.app.copy_to_clipboard(command)
            words = (
                f"{found.sentence} This terminal is not in tmux. Copied, to be run in a"
                f" shell: {command}"
            )
        self.notify(printable(words), markup=False)
