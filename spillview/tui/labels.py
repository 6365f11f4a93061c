"""What the filter matches of the queue's artifacts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock

from spillview import fuzzy
from spillview.endings import has_failed
from spillview.model import Artifact, Session

Cancelled = Callable[[], bool] | None


class Labels:
    """What the filter matches, made ready once and kept while the rows are the same.

    Command and label; tool and whether it failed; name; what a session's artifacts
    share: project, title, harness, session.
    """

    def __init__(self) -> None:
        self._forms: dict[str, str] = {}
        """What an index makes of a text, for the next one."""
        self._rows: list[Artifact] = []
        self._about: list[tuple[str | None, str | None]] = []
        self._index = fuzzy.Index([])
        self._lock = Lock()

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
            forms = self._forms
            texts = {text for column in columns for text in column}
            self._forms = {text: forms[text] for text in texts & forms.keys()}
            self._index = fuzzy.Index(columns, self._forms)
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
