"""An artifact opens where it was left, while its file is the same one."""

from __future__ import annotations

from spillview.review.remembered import (
    ArtifactLeft,
    Mode,
    recall_artifact,
    remember_artifact,
)
from spillview.review.screens import screens_of
from spillview.tui.artifact.panes import Panes
from spillview.tui.pager.document import Document


class LeavingPanes(Panes):
    """Panes of which is kept where the person was, in what, and whether lines wrap."""

    _left: ArtifactLeft | None = None
    """How the artifact was left before."""

    def _open(self) -> None:
        self._left = self._recalled() if self._at is None else None
        if self._left is not None:
            self.full.wrap = self._left.wrap
        super()._open()
        if self._left is not None:
            self.call_after_refresh(self.take_mode, self._left.mode)

    def _place(self, document: Document) -> int:
        """Where to open: at a hit, where it was left, or as at first."""
        if self._at is None and self._left is not None:
            return document.to_text(self._left.byte)
        return super()._place(document)

    def _recalled(self) -> ArtifactLeft | None:
        """How it was left; None, which is said, where the file is another by now."""
        screens, found = screens_of(self.catalogue), self.artifact.found
        left = recall_artifact(screens, found) if screens is not None else None
        if left is not None and left.key != found.key:
            words = "It changed since you left it, so it opens as at first."
            self.notify(words, markup=False)
            return None
        return left

    @property
    def mode(self) -> Mode:
        """What of it is looked at."""
        return "envelope" if self.has_class("-envelope") else "full"

    def take_mode(self, mode: Mode) -> None:
        """Look at that of it."""
        if mode == "envelope" and not self.has_class("-orphan"):
            self.envelope.focus()

    def keep_place(self) -> None:
        """Keep where the person is in it, unless that is where it opens."""
        screens, document = screens_of(self.catalogue), self.whole
        if screens is None or document is None or not document.size:
            return
        row = self.full.cursor_row
        opens = row is not None and row.holds(self._first_place(document))
        left = None
        if not opens or self.mode != "full" or not self.full.wrap:
            byte = document.to_disk(self.full.cursor)
            key = self.artifact.found.key
            left = ArtifactLeft(byte, key, self.mode, self.full.wrap)
        now = self.catalogue.now()
        remember_artifact(screens, self.artifact.found, left, now)
