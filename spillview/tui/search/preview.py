"""A look at one hit where it stands in its artifact."""

from __future__ import annotations

from textual import getters
from textual.app import ComposeResult
from textual.containers import Vertical

from spillview.errors import SpillError
from spillview.model import Artifact, Range
from spillview.text import path_text, printable
from spillview.tui.artifact.lines import PaneTitle
from spillview.tui.pager.document import open_document
from spillview.tui.pager.pager import Pager

PREVIEWED = 4 << 20
"""UTF-16 above this size has no preview: it would have to be transcribed first."""


class Preview(Vertical):
    """The text around a hit; not there while there is no hit."""

    pager = getters.query_one("#preview", Pager)
    title = getters.query_one("#preview-title", PaneTitle)

    def __init__(self) -> None:
        super().__init__(id="preview-pane")
        self._artifact: Artifact | None = None

    def compose(self) -> ComposeResult:
        """What it is of, and its text."""
        yield PaneTitle("IN PLACE", id="preview-title")
        yield Pager(id="preview")

    def on_mount(self) -> None:
        """It is looked at, never gone to."""
        self.display = False
        self.pager.can_focus = False

    def show(self, artifact: Artifact, at: Range) -> None:
        """Show a hit of an artifact."""
        appears, self.display = not self.display, True
        if self._artifact is None or self._artifact.id != artifact.id:
            self._open(artifact)
        if appears:
            # Its height is known only after the layout.
            self.call_after_refresh(self._aim, artifact, at)
        else:
            self._aim(artifact, at)

    def clear(self) -> None:
        """Show nothing."""
        self.display = False
        self._close()

    def _aim(self, artifact: Artifact, at: Range) -> None:
        """The hit in the middle."""
        document, shown = self.pager.document, self._artifact
        if document is not None and shown is not None and shown.id == artifact.id:
            start, end = map(document.to_text, at)
            self.pager.goto(start, line=self.pager.height // 2)
            self.pager.select((start, end) if start < end else None)

    def _open(self, artifact: Artifact) -> None:
        self._close()
        self._artifact = artifact
        counts = artifact.counts
        wide = counts is None or counts.encoding.startswith("utf-16")
        if wide and artifact.found.size > PREVIEWED:
            return
        try:
            document = open_document(
                artifact.found,
                root=artifact.found.root,
                encoding=counts.encoding if counts is not None else None,
            )
        except SpillError as error:
            self.pager.failure = str(error)
            return
        document.tell(artifact)
        self.pager.open(document, lines=counts.lines if counts is not None else 0)

    def _close(self) -> None:
        document, self._artifact = self.pager.document, None
        self.pager.open(None)
        if document is not None:
            document.close()

    def tell_place(self) -> None:
        """Say above it of what it is, and which line is shown."""
        if self._artifact is not None:
            name = printable(path_text(self._artifact.found.name))
            self.title.show(note=name, status=self.pager.status(), lit=False)
