"""What the filter matches of the queue's artifacts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock

from spillview import fuzzy, triage
from spillview.endings import has_failed
from spillview.model import Artifact, Session

Cancelled = Callable[[], bool] | None


class Labels:
    """What the filter matches, made ready once and kept while the rows are the same.

    Command and label; tool and whether it failed; name; what a session's artifacts
    share: project, title, harness, session.
    """

    def __init__(self) -> None:
        self._rows: list[Artifact] = []
        self._about: list[tuple[str | None, str | None]] = []
        self._index = fuzzy.Index([])
        self._lock = Lock()
        self._ranks: dict[str, tuple[Artifact, int]] = {}

    def rank(self, artifact: Artifact) -> int:
        """Its rank, which stays while its facts do."""
        known = self._ranks.get(artifact.id)
        if known is None or known[0] is not artifact:
            known = artifact, int(triage.rank(artifact))
            self._ranks[artifact.id] = known
        return known[1]

    def find(
        self, query: str, sessions: Sequence[Session], cancelled: Cancelled = None
    ) -> list[int]:
        """Places of the artifacts that match, best first, through all sessions."""
        with self._lock:
            return self._of(sessions).find(query, cancelled)

    def prepare(self, sessions: Sequence[Session]) -> None:
        """Make ready what the first keys need."""
        with self._lock:
            index = self._of(sessions)
        index.prepare()

    def _of(self, sessions: Sequence[Session]) -> fuzzy.Index:
        rows = [artifact for session in sessions for artifact in session.artifacts]
        about = [(session.project, session.title) for session in sessions]
        if rows != self._rows or about != self._about:
            labels = [
                _label(artifact, session)
                for session in sessions
                for artifact in session.artifacts
            ]
            columns = [list(column) for column in zip(*labels, strict=True)]
            self._index = fuzzy.Index(columns, self._index)
            self._rows, self._about = rows, about
        return self._index


def _label(artifact: Artifact, session: Session) -> tuple[str, str, str, str]:
    found = artifact.found
    shared = (
        session.project or artifact.project or found.project_slug,
        session.title,
        found.harness,
        artifact.session,
    )
    failed = "failed" if has_failed(artifact) else None
    return (
        joined(artifact.command, artifact.label),
        joined(artifact.tool, failed),
        found.name,
        joined(*shared),
    )


def joined(*words: str | None) -> str:
    """The words that there are, with blanks between them."""
    return " ".join(word for word in words if word)
