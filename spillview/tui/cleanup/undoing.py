"""Undo of a clean-up: offered in a toast, done in a worker, told in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from textual import on, work
from textual.markup import escape
from textual.screen import Screen

from spillview.errors import SpillError
from spillview.text import path_text, printable
from spillview.tui.live_keys import key_of
from spillview.tui.queue.bars import plural
from spillview.tui.told import Told

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.cleanup.trash import Undone

SECONDS = 12.0
"""How long a toast offers to undo a clean-up or a whole review."""

BRIEF = 5.0
"""How long one offers to undo what was done to one row."""


class TrashChanged(Told):
    """A clean-up was undone, or could not be; the words say which."""

    words: str
    well: bool = True


@runtime_checkable
class Undoing(Protocol):
    """A screen that can undo a clean-up of the stores it shows."""

    def undo_cleanup(self, batch: str | None) -> None:
        """Put it back, in a worker."""


class PutsBack(Screen[Any]):
    """What undoing a clean-up does; the screen says when, and what to show then."""

    catalogue: Catalogue

    def put_back(self) -> None:
        """A clean-up was put back, or part of it: show what is there now."""
        raise NotImplementedError

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="clean",
        description="Put a clean-up back",
    )
    def begin_undo(self, batch: str | None) -> None:
        """Put a clean-up back; the last one where none is named."""
        from spillview.cleanup.trash import Trash

        try:
            trash = Trash(self.catalogue.places, now=self.catalogue.now)
            message = told(trash.undo(batch))
        except (SpillError, OSError) as error:
            message = TrashChanged(sentence(error), well=False)
        self.post_message(message)

    @on(TrashChanged)
    def _trash_changed(self, message: TrashChanged) -> None:
        self.app.clear_notifications()  # what they offered is done
        severity = "information" if message.well else "warning"
        self.notify(message.words, severity=severity, markup=False)  # type: ignore[arg-type] # one of the two
        self.put_back()


def offer(screen: Screen[Any], words: str, batch: str, key: str) -> None:
    """A toast that says what was done, names the key that undoes it, and does so too.

    `words` are ours, and numbers; a batch's name is digits, letters and dashes. `key`
    is the name by which `[keys]` knows the key.
    """
    link = f"[@click=app.undo_cleanup('{batch}')]Undo[/]"
    screen.notify(f"{words} {link} or {_shown(screen, key)}", timeout=SECONDS)


def offer_mark(
    screen: Screen[Any], words: str, key: str, seconds: float = BRIEF
) -> None:
    """The same of a mark, a pin or a note, which the screen's own undo takes back."""
    link = "[@click=screen.undo]Undo[/]"
    screen.notify(f"{words} {link} or {_shown(screen, key)}", timeout=seconds)


def _shown(screen: Screen[Any], key: str) -> str:
    return escape(key_of(screen, key))


def told(done: Undone) -> TrashChanged:
    """What an undo did, in words."""
    if done.batch is None:
        gone = (
            f" {done.freed.sentence[:1].upper()}{done.freed.sentence[1:]}."
            if done.freed
            else ""
        )
        return TrashChanged(f"There is nothing to undo: the trash is empty.{gone}")
    words = f"{plural(len(done.restored), 'artifact')} back in place."
    if not done.failed:
        return TrashChanged(words)
    path, why = done.failed[0]
    name = printable(path_text(path.rpartition("/")[2]))
    more = f" and {len(done.failed) - 1:,} more" if len(done.failed) > 1 else ""
    words = f"{words} {name}{more} stayed in the trash: {printable(why)}."
    return TrashChanged(words, well=False)


def sentence(error: Exception) -> str:
    """An error as a person is told it."""
    if isinstance(error, SpillError):
        return printable(path_text(str(error)))
    return printable(getattr(error, "strerror", None) or str(error))
