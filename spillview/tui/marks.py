"""The person's reviewed marks of this run: applied at once, undone in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from spillview.catalogue import Catalogue
from spillview.model import Artifact, Session


class Marks:
    """What was marked since the screen opened, on top of what the catalogue gives."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._now: dict[str, float | None] = {}
        self._before: list[list[str]] = []

    @property
    def undoable(self) -> int:
        """How many marks the next undo takes back; 0 when there is none."""
        return len(self._before[-1]) if self._before else 0

    def mark(
        self, artifacts: Iterable[Artifact], when: float, also: Sequence[str] = ()
    ) -> int:
        """Mark those not reviewed yet; returns how many.

        `also` are the marks of other things: a session, a call without a file.
        """
        fresh = [a for a in map(self.apply, artifacts) if a.reviewed is None]
        ids = [artifact.id for artifact in fresh]
        if also:
            known = self._catalogue.reviewed()
            ids += [each for each in also if each not in known]
        if ids:
            self._before.append(ids)
            self._set(ids, when)
        return len(fresh)

    def undo(self) -> list[str]:
        """Take the last mark back; returns the ids that are open again."""
        if not self._before:
            return []
        ids = self._before.pop()
        self._set(ids, None)
        return ids

    def _set(self, ids: Sequence[str], when: float | None) -> None:
        self._now.update(dict.fromkeys(ids, when))
        self._catalogue.mark_reviewed(ids, when)

    def reload(self, artifacts: Iterable[Artifact]) -> None:
        """Take over what another screen marked; one undo takes it back."""
        state = self._catalogue.state
        if state is None:
            return
        stored = state.reviewed()
        fresh = [
            artifact.id
            for artifact in map(self.apply, artifacts)
            if artifact.reviewed is None and artifact.id in stored
        ]
        if fresh:
            self._before.append(fresh)
            self._now.update({key: stored[key] for key in fresh})

    def apply(self, artifact: Artifact) -> Artifact:
        """The artifact with the mark it has now."""
        when = self._now.get(artifact.id, artifact.reviewed)
        if when == artifact.reviewed:
            return artifact
        return replace(artifact, reviewed=when)

    def apply_all(self, sessions: Iterable[Session]) -> list[Session]:
        """The sessions with the marks their artifacts have now."""
        if not self._now:
            return list(sessions)
        marked: list[Session] = []
        for session in sessions:
            artifacts = tuple(map(self.apply, session.artifacts))
            same = all(
                a is b for a, b in zip(artifacts, session.artifacts, strict=True)
            )
            marked.append(session if same else replace(session, artifacts=artifacts))
        return marked
