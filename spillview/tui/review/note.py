"""A line in which a person writes a note about an artifact or a session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from spillview.frozen import Frozen, replace
from spillview.model import Artifact, Missing, Session
from spillview.review.notes import LONGEST_NOTE, Note
from spillview.review.reviewed import session_mark
from spillview.text import path_text
from spillview.tui import stylesheet
from spillview.tui.footer import Footer
from spillview.tui.queue.columns import subject
from spillview.tui.runs import clean

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue

NAMED = 200
"""Cells of what the note is about."""


class NoteLine(Input):
    """The line itself: the footer names the key that ends it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Keep", id="note.keep", tooltip="Keep the note"),
    ]


class NoteScreen(ModalScreen[str | None]):
    """Gives the note's text; an empty one takes the note back, None changes nothing."""

    CSS_PATH = stylesheet("note.tcss")
    BINDING_GROUP_TITLE = "Note"
    HELP = "Enter keeps the note, an empty one takes it back. Escape changes nothing."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape",
            "dismiss",
            "Cancel",
            priority=True,
            id="note.cancel",
            tooltip="Leave the note as it was",
        ),
    ]

    def __init__(self, about: str, text: str) -> None:
        """`about` says what the note is about, `text` is the note so far."""
        super().__init__()
        self.about, self.text = about, text

    def compose(self) -> ComposeResult:
        """What it is about, and the line."""
        with Vertical(id="note", classes="box"):
            yield Static(Content(clean(self.about, NAMED)), id="note-about")
            yield NoteLine(
                self.text,
                id="note-line",
                placeholder="a note; Enter keeps it, Escape goes back",
                max_length=LONGEST_NOTE,
                compact=True,
            )
        yield Footer()

    @on(Input.Submitted)
    def _keep(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value.strip())


def note_about(row: Artifact | Session | Missing, text: str, when: float) -> Note:
    """The note on a row; on a call without a file it is its session's."""
    if isinstance(row, Artifact):
        return Note(row.id, "artifact", row.found.address, text, when)
    harness, session = row.harness, row.id if isinstance(row, Session) else row.session
    mark = session_mark(harness, session)
    return Note(mark, "session", f"{harness}\0{session}", text, when)


def words_about(row: Artifact | Session | Missing) -> str:
    """What a note is about, in words."""
    if isinstance(row, Artifact):
        return f"Note on {row.tool or 'artifact'}  {subject(row)}"
    if isinstance(row, Session):
        return f"Note on the session  {row.title or path_text(row.id)}"
    return f"Note on the session  {path_text(row.session)}"


class Noted(Frozen):
    """What became of a note, in words, and how to take that back."""

    id: str
    """Of the artifact, or the mark of the session."""
    words: str
    back: Callable[[], None]
    undone: str
    """What taking it back does, as a sentence."""


class Notes:
    """The notes by what they are about, as they are while a screen is open."""

    def __init__(
        self, catalogue: Catalogue, known: Mapping[str, Note] | None = None
    ) -> None:
        """`known` are those that there are; None has them looked up."""
        self._catalogue = catalogue
        self._kept = known if known is not None else catalogue.notes()

    def of(self, row: Artifact | Session | Missing | None) -> str | None:
        """The note on a row; None where there is none."""
        if row is None:
            return None
        note = self._kept.get(note_about(row, "", 0.0).id)
        return note.text if note is not None else None

    def keep(self, row: Artifact | Session | Missing, text: str | None) -> Noted | None:
        """Keep a note, or remove it with an empty text.

        Gives what was done; None where nothing was changed, as by no text.
        """
        if text is None:
            return None
        note = note_about(row, text, self._catalogue.now())
        before = self._kept.get(note.id, replace(note, text=""))
        if before.text == text:
            return None
        self._catalogue.set_note(note)
        self.reload()

        def back() -> None:
            self._catalogue.set_note(before)
            self.reload()

        words = "Note kept." if text else "Note removed."
        undone = "The note is gone again." if text else "The note is back."
        if text and before.text:
            words, undone = "Note changed.", "The note is as it was before."
        ident = row.id if isinstance(row, Artifact) else note.id
        return Noted(ident, words, back, undone)

    def reload(self) -> None:
        """Take over what another screen wrote."""
        self._kept = self._catalogue.notes()
