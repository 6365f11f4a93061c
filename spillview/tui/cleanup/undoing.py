"""Undo of a clean-up: offered in a toast, done in a worker, told in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from textual.app import App
from textual.message import Message

from spillview.errors import SpillError
from spillview.text import path_text, printable
from spillview.tui.queue.bars import plural

if TYPE_CHECKING:
    from spillview.cleanup.trash import Undone

SECONDS = 12.0
"""How long a toast offers to undo."""


@dataclass
class TrashChanged(Message):
    """A clean-up was undone, or could not be; the words say which."""

    words: str
    well: bool = True


@runtime_checkable
class Undoing(Protocol):
    """A screen that can undo a clean-up of the stores it shows."""

    def undo_cleanup(self, batch: str | None) -> None:
        """Put it back, in a worker."""


def offer(app: App[object], words: str, batch: str) -> None:
    """A toast that says what was done and takes it back.

    `words` are ours, and numbers; a batch's name is digits, letters and dashes.
    """
    link = f"[@click=app.undo_cleanup('{batch}')]Undo[/]"
    app.notify(f"{words} {link} or u", timeout=SECONDS)


def offer_mark(app: App[object], words: str) -> None:
    """A toast that says what was marked and takes it back; `words` are ours."""
    app.notify(f"{words} [@click=screen.undo]Undo[/] or u", timeout=SECONDS)


def told(done: Undone) -> TrashChanged:
    """What an undo did, in words."""
    if done.batch is None:
        gone = (
            f" {done.freed.sentence[:1].upper()}{done.freed.sentence[1:]}."
            if done.freed
            else ""
        )
        return TrashChanged(f"There is nothing to undo: the trash is empty.{gone}")
    words = f"{plural(len(done.restored), 'file')} back in place."
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
