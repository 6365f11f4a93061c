"""What a person said of artifacts and sessions: marks, notes, pins, reviews."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from spillview.catalogue.footing import Footing
from spillview.errors import Unreadable
from spillview.hints import TYPE_CHECKING
from spillview.model import Artifact, Problem

if TYPE_CHECKING:
    from spillview.cleanup.pins import Pin, Pinned
    from spillview.review.notes import Note
    from spillview.secrets.kept import Known


class Remembered(Footing):
    """The side of a catalogue that is the person's; it lasts in the state."""

    if TYPE_CHECKING:
        _problems: list[Problem]

    repinned = 0
    """How many pins were set or taken back through this catalogue."""

    def is_noted(self, ident: str, sessions: Iterable[tuple[str, str]]) -> bool:
        """Whether a mark or a pin makes an artifact's row another one."""
        marked = ident in self._assembly.marks
        return marked or self.why_pinned(ident, sessions) is not None

    @property
    def has_notes(self) -> bool:
        """Whether there are marks or pins at all."""
        return bool(self._assembly.marks) or self._assembly.pinned is not None

    @property
    def marks(self) -> Mapping[str, float]:
        """When the person marked artifacts reviewed, as the last scan found it."""
        return self._assembly.marks

    @property
    def pinned(self) -> Pinned | None:
        """What is pinned; None where nothing is."""
        return self._assembly.pinned

    # Pins

    def _pins(self) -> Pinned | None:
        """What is pinned; None where nothing is."""
        path = os.path.join(self.places.state_dir, "pins")
        if not (os.path.lexists(path) or os.path.lexists(f"{path}.copy")):
            return None  # and nothing is loaded for it
        from spillview.cleanup.pins import Pins

        try:
            return Pins(self.places).pinned() or None
        except Unreadable as error:
            self._problems.append(Problem(path, str(error)))
            return None

    def why_pinned(
        self, ident: str, sessions: Iterable[tuple[str, str]] = ()
    ) -> str | None:
        """Why an artifact of these harnesses and sessions is pinned, if it is."""
        pinned = self._assembly.pinned
        return pinned.why(ident, sessions) if pinned is not None else None

    def set_pin(self, pin: Pin, *, pinned: bool) -> None:
        """Pin something, or take its pin back. Raises `Unreadable`."""
        from spillview.cleanup.pins import Pins

        pins = Pins(self.places)
        if pinned:
            pins.add([pin])
        else:
            pins.remove([pin.id])
        self._assembly.pinned = pins.pinned() or None
        self.repinned += 1

    def with_pin(self, artifact: Artifact) -> Artifact:
        """The artifact with the flag of a pin that it has by now, or without it."""
        return self._assembly.with_pin(artifact)

    # Credentials

    @property
    def holding(self) -> Known | None:
        """The artifacts that are known to hold credentials; None if there is none."""
        return self._assembly.holding

    def with_secrets(self, artifact: Artifact) -> Artifact:
        """The artifact with the credentials that are known to be in it."""
        return self._assembly.with_secrets(artifact)

    def learn_secrets(self) -> None:
        """Take in what looks for credentials found since the last scan."""
        self._assembly.holding = self.cache.holding_secrets()

    # The person's own marks

    def mark_reviewed(self, ids: Iterable[str], when: float | None) -> None:
        """Remember that these were reviewed at `when`; None takes the mark back."""
        if self.state is not None:
            self.state.mark_reviewed(ids, when)

    def reviewed(self) -> dict[str, float]:
        """Every reviewed mark: of artifacts, sessions and calls, with its time."""
        return self.state.reviewed() if self.state is not None else {}

    def notes(self) -> dict[str, Note]:
        """Every note by the id or mark of what it is about."""
        return self.state.notes() if self.state is not None else {}

    def set_note(self, note: Note) -> None:
        """Keep a note; an empty text takes it back."""
        if self.state is not None:
            self.state.set_note(note)

    def forgetting(self) -> str | None:
        """Why marks and notes do not last, as a sentence; None where they do."""
        if self.state is None or self.state.lasts or not self.state.problems:
            return None
        problem = self.state.problems[-1]
        return f"{problem.path}: {problem.sentence}"

    def last_review(self, paths: Sequence[str] = ()) -> float | None:
        """When the person last finished a review of these paths (none: of their own
        stores), seconds since the epoch."""
        return self.state.last_review(paths) if self.state is not None else None

    def set_last_review(self, when: float, paths: Sequence[str] = ()) -> None:
        """Remember that everything of these paths up to `when` was reviewed."""
        if self.state is not None:
            self.state.set_last_review(when, paths)
