"""Writing a note on a row, and saying when nothing that is written lasts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from spillview.model import Artifact, Missing, Session
from spillview.text import path_text, printable
from spillview.tui.review.note import Noted, Notes, NoteScreen, words_about

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue


class Noting(Screen[Any]):
    """Asks for notes; the screen says on what, and shows them."""

    catalogue: Catalogue
    notes: Notes

    _forgetting: str | None = None
    """What was said last of what does not last."""

    def write_note(
        self, row: Artifact | Session | Missing, then: Callable[[Noted], None]
    ) -> None:
        """Ask for a note on a row; `then` takes what became of it, if anything did."""

        def keep(text: str | None) -> None:
            done = self.notes.keep(row, text)
            if done is not None:
                then(done)
                self.tell_forgetting()

        screen = NoteScreen(words_about(row), self.notes.of(row) or "")
        self.app.push_screen(screen, keep)

    def tell_forgetting(self) -> None:
        """Say once that what is marked and noted does not last."""
        sentence = self.catalogue.forgetting()
        if sentence is not None and sentence != self._forgetting:
            self._forgetting = sentence
            words = printable(path_text(sentence))
            self.notify(words, severity="error", timeout=20, markup=False)
