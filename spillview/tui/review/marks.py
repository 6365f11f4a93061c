"""The person's marks and pins of this run: applied at once, undone in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from spillview.catalogue.catalogue import Catalogue
from spillview.catalogue.listing import Listing
from spillview.frozen import Frozen
from spillview.model import Artifact, Session
from spillview.review.reviewed import holds, is_reviewed
from spillview.tui.queue.members import Ledger, Members
from spillview.tui.review.pinning import Pinning, turn_pin


class Batch(Frozen):
    """Marks that one key set, and how they are taken back if not one by one."""

    ids: list[str]
    words: str
    """What taking them back does, as a sentence."""
    reopen: Callable[[], None] | None = None


def unmarked(number: int) -> str:
    """That so many artifacts are no longer marked."""
    if number <= 1:
        return "No longer marked reviewed."
    return f"{number:,} artifacts are no longer marked reviewed."


class Marks:
    """What was marked since the screen opened, on top of what the catalogue gives."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._now: dict[str, float | None] = {}
        self._before: list[Batch] = []
        self.version = 0
        """Grows with every change, so that a screen can tell whether it shows it."""

    @property
    def undoable(self) -> int:
        """How many marks the next undo takes back; 0 when there is none."""
        return len(self._before[-1].ids) if self._before else 0

    def is_set(self, mark: str, since: float) -> bool:
        """Whether something was marked here at `since` or later."""
        when = self._now.get(mark)
        return when is not None and when >= since

    def mark(
        self,
        artifacts: Members | Iterable[Artifact],
        when: float,
        also: Sequence[str] = (),
    ) -> int:
        """Mark those not reviewed as they are now; returns how many.

        `also` are the marks of other things: a session, a call without a file.
        """
        if isinstance(artifacts, Members):
            ids = [
                artifacts.gists.ident(place)
                for place in artifacts.order
                if not holds(
                    artifacts.gists.reviewed[place],
                    artifacts.gists.changed[place],
                    when,
                )
            ]
        else:
            marked = map(self.apply, artifacts)
            ids = [a.id for a in marked if not is_reviewed(a, when)]
        number = len(ids)
        if also:
            known = self._catalogue.reviewed()
            ids += [each for each in also if each not in known]
        if ids:
            self._before.append(Batch(ids, unmarked(number)))
            self._now.update(dict.fromkeys(ids, when))
            self._catalogue.mark_reviewed(ids, when)
            self.version += 1
        return number

    def finish(
        self, ids: Sequence[str], when: float, reopen: Callable[[], None]
    ) -> None:
        """Take over marks of a finished review; an undo calls `reopen`."""
        number = len(ids)
        marks = "its mark is" if number == 1 else f"its {number:,} marks are"
        words = f"The review is open again: {marks} taken back."
        self._before.append(Batch(list(ids), words, reopen))
        self._now.update(dict.fromkeys(ids, when))
        self.version += 1

    def turn_pin(self, row: Artifact | Session) -> Pinning:
        """Pin a row, or take its pin back; an undo turns it again."""
        done = turn_pin(self._catalogue, row)
        if done.back is not None:
            self.remember(row.id, done.back, done.undone)
        return done

    def remember(self, mark: str, back: Callable[[], None], words: str) -> None:
        """Have the next undo call `back`, for what was done to what `mark` names.

        `words` say what that does.
        """
        self._before.append(Batch([mark], words, back))
        self.version += 1

    def pop(self) -> Batch | None:
        """What the next undo takes back, which is not to be taken back again.

        `take_back` and `settle` do it.
        """
        return self._before.pop() if self._before else None

    def take_back(self, batch: Batch) -> dict[str, float | None]:
        """Take marks, a pin or a note back; gives what is marked now.

        For any thread.
        """
        if batch.reopen is None:
            self._catalogue.mark_reviewed(batch.ids, None)
            return dict.fromkeys(batch.ids, None)
        batch.reopen()
        kept = self._catalogue.reviewed()
        return {each: kept.get(each) for each in batch.ids}

    def settle(self, marks: Mapping[str, float | None]) -> None:
        """Take over what is marked now."""
        self._now.update(marks)
        self.version += 1

    def reload(self, artifacts: Members | Iterable[Artifact]) -> None:
        """Take over what another screen marked; one undo takes it back."""
        state = self._catalogue.state
        if state is None:
            return
        stored, now = state.reviewed(), self._catalogue.now()
        if isinstance(artifacts, Members):
            gists = artifacts.gists
            places = {ident: gists.place_of(ident) for ident in stored}
            fresh = [
                ident
                for ident, place in places.items()
                if place is not None
                and not gists.is_reviewed(place)
                and holds(stored[ident], gists.changed[place], now)
            ]
        else:
            fresh = [
                artifact.id
                for artifact in map(self.apply, artifacts)
                if artifact.reviewed is None
                and artifact.id in stored
                and holds(stored[artifact.id], artifact.changed, now)
            ]
        if fresh:
            self._before.append(Batch(fresh, unmarked(len(fresh))))
            self._now.update({key: stored[key] for key in fresh})
            self.version += 1

    def reload_since(self, since: float, artifacts: Listing) -> None:
        """Take over what another screen marked of these from a moment on."""
        if self._catalogue.state is None:
            return
        stored = self._catalogue.state.reviewed()
        fresh = [
            ident
            for ident, when in stored.items()
            if when >= since
            and self._now.get(ident) != when
            and artifacts.index_of(ident) is not None
        ]
        if fresh:
            self._before.append(Batch(fresh, unmarked(len(fresh))))
            self._now.update({key: stored[key] for key in fresh})
            self.version += 1

    def apply(self, artifact: Artifact) -> Artifact:
        """The artifact with the mark it has now, if that holds of it as it is now."""
        if self._catalogue.repinned:
            artifact = self._catalogue.with_pin(artifact)
        when = self._now.get(artifact.id, artifact.reviewed)
        if when == artifact.reviewed:
            return artifact
        marked = replace(artifact, reviewed=when)
        if when is None or is_reviewed(marked, self._catalogue.now()):
            return marked
        return artifact if artifact.reviewed is None else replace(marked, reviewed=None)

    def apply_to(self, ledger: Ledger) -> set[int]:
        """Set marks and pins as they are now; the places where a mark changed."""
        changed: set[int] = set()
        gists, now = ledger.gists, self._catalogue.now()
        if self._catalogue.repinned:
            gists.set_pins(ledger.finds, self._catalogue.pinned)
        for ident, when in self._now.items():
            place = gists.place_of(ident)
            if place is None:
                continue
            before = gists.reviewed[place]
            gists.review(place, when, now)
            if gists.reviewed[place] != before:
                changed.add(place)
        return changed
