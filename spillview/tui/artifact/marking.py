"""What a person says of an artifact that is shown: reviewed, pinned, a note."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from spillview.tui.artifact.leaving import LeavingPanes
from spillview.tui.cleanup.undoing import offer_mark
from spillview.tui.live_keys import key_of
from spillview.tui.review.marks import unmarked
from spillview.tui.review.note import Noted
from spillview.tui.review.noting import Noting


@dataclass(frozen=True, slots=True)
class Said:
    """One thing that was said, and how it is taken back."""

    index: int
    """Of the artifact in the list."""
    back: Callable[[], None]
    undone: str
    """What taking it back does, as a sentence."""


class MarkingPanes(LeavingPanes, Noting):
    """Panes on artifacts that can be marked one after the other."""

    _said: tuple[Said, ...] = ()
    """What was said since the screen opened."""

    @property
    def is_undoable(self) -> bool:
        """Whether there is something to take back."""
        return bool(self._said)

    def action_step(self, step: int) -> None:
        """Another artifact of the queue."""
        self.keep_place()
        self.index += step
        self._open()

    def action_review(self) -> None:
        """Mark it reviewed and go on."""
        if self.artifact.reviewed is None:
            now = self.catalogue.now()
            self.catalogue.mark_reviewed([self.artifact.id], now)
            self.artifacts[self.index] = replace(self.artifact, reviewed=now)
            back = partial(self._open_again, self.index)
            self._offer_undo(back, "Marked reviewed.", unmarked(1))
        if self.index + 1 < len(self.artifacts):
            self.action_step(1)
            return
        self._show_lines()
        self.refresh_bindings()
        leave = key_of(self, "artifact.leave")
        self.full.say(f"reviewed: it was the last one, {leave} goes back")

    def action_note(self) -> None:
        """Write a note on it."""
        self.write_note(self.artifact, self._noted)

    def _noted(self, done: Noted) -> None:
        self._offer_undo(done.back, done.words, done.undone)
        self._show_lines()

    def action_pin(self) -> None:
        """Pin it, so that no clean-up takes it, or take the pin back."""
        from spillview.tui.review.pinning import turn_pin

        done = turn_pin(self.catalogue, self.artifact)
        if done.back is not None:
            self._offer_undo(done.back, done.words, done.undone)
            self.artifacts[self.index] = self.catalogue.with_pin(self.artifact)
        else:
            self.pager.say(done.words)
        self._show_lines()

    def _offer_undo(self, back: Callable[[], None], words: str, undone: str) -> None:
        """Keep what takes back that which was just done, and say how."""
        self._said = (*self._said, Said(self.index, back, undone))
        self.refresh_bindings()
        offer_mark(self, words, "artifact.undo")

    def action_undo(self) -> None:
        """Take the last mark, pin or note back, say so, and go to that artifact."""
        before, last = self.index, self._said[-1]
        self._said = self._said[:-1]
        self.index = last.index
        last.back()
        self.artifacts[self.index] = self.catalogue.with_pin(self.artifact)
        if self.index != before:
            self._open()
        self._show_lines()
        self.refresh_bindings()
        self.notify(last.undone, markup=False)

    def _open_again(self, index: int) -> None:
        artifact = self.artifacts[index]
        self.catalogue.mark_reviewed([artifact.id], None)
        self.artifacts[index] = replace(artifact, reviewed=None)
