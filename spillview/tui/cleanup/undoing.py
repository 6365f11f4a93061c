"""Undo of a clean-up: offered in a toast, done in a worker, told in words."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from textual import on, work
from textual.markup import escape
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.worker import Worker

from spillview.cleanup.moving import STOPPED
from spillview.errors import SpillError
from spillview.text import path_text, printable
from spillview.tui.live_keys import key_of
from spillview.tui.pacing import Pacing
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
    left: str | None = None
    """The clean-up, where the undo was stopped and part of it is in the trash yet."""


@runtime_checkable
class Undoing(Protocol):
    """A screen that can undo a clean-up of the stores it shows."""

    def undo_cleanup(self, batch: str | None) -> None:
        """Put it back, in a worker."""


class PutsBack(Pacing):
    """What undoing a clean-up does; the screen says when, and what to show then."""

    catalogue: Catalogue

    def put_back(self, left: str | None) -> None:
        """A clean-up was put back, or part of it: show what is there now.

        `left` is that clean-up where it was stopped: another undo goes on with it.
        """
        raise NotImplementedError

    def start_undo(self, batch: str | None) -> Worker[None]:
        """Put a clean-up back, the last one where none is named, until stopped."""
        self.say_pace("putting back …")
        return self._undo(batch, self.begin_work())

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="clean",
        description="Put a clean-up back",
    )
    def _undo(self, batch: str | None, work: Event) -> None:
        from spillview.cleanup.trash import Trash

        try:
            trash = Trash(self.catalogue.places, now=self.catalogue.now)
            done = trash.undo(
                batch, progress=self.paced("put back", work), cancelled=work.is_set
            )
            message = told(done)
        except (SpillError, OSError) as error:
            message = TrashChanged(sentence(error), well=False)
        finally:
            self.app.call_from_thread(self.end_work, work)
        self.post_message(message)

    @on(TrashChanged)
    def _trash_changed(self, message: TrashChanged) -> None:
        self.app.clear_notifications()  # what they offered is done
        severity: SeverityLevel = "information" if message.well else "warning"
        self.notify(message.words, severity=severity, markup=False)
        self.put_back(message.left)


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
    stopped = sum(why == STOPPED for _, why in done.failed)
    left = done.batch if stopped else None
    if stopped:
        words = (
            f"Stopped. {words} {stopped:,} stayed in the trash, and another undo goes"
            " on with them."
        )
    failed = [(path, why) for path, why in done.failed if why != STOPPED]
    if failed:
        path, why = failed[0]
        name = printable(path_text(path.rpartition("/")[2]))
        more = f" and {len(failed) - 1:,} more" if len(failed) > 1 else ""
        words = f"{words} {name}{more} stayed in the trash: {printable(why)}."
    return TrashChanged(words, well=not failed, left=left)


def sentence(error: Exception) -> str:
    """An error as a person is told it."""
    if isinstance(error, SpillError):
        return printable(path_text(str(error)))
    return printable(getattr(error, "strerror", None) or str(error))
