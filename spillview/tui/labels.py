"""What the filter matches of the queue's artifacts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from stat import S_ISREG
from sys import intern
from threading import Lock
from typing import TYPE_CHECKING

from spillview.exposure.permissions import world_readable
from spillview.tui.queue.members import Ledger, Members
from spillview.tui.queue.sessions import Run

if TYPE_CHECKING:
    from spillview.fuzzy import Index

Cancelled = Callable[[], bool] | None

Texts = tuple[int, str, str, str, str]
"""An artifact's version, command and label, tool and failure, name, and project."""


class Labels:
    """What the filter matches, made ready once and kept while the rows are the same.

    Command and label; tool, whether it failed, and flags; name; what a session's
    artifacts share: project, title, harness, session.
    """

    def __init__(self) -> None:
        self._rows: tuple[object, ...] = ()
        self._index: Index | None = None
        self._lock = Lock()
        self._ledger: Ledger | None = None
        self._texts: dict[int, Texts] = {}

    def find(
        self, query: str, runs: Sequence[Run], cancelled: Cancelled = None
    ) -> list[int]:
        """Places of the artifacts that match, best first, through all sessions."""
        with self._lock:
            return self._of(runs).find(query, cancelled)

    def prepare(self, runs: Sequence[Run]) -> None:
        """Make ready what the first keys need."""
        with self._lock:
            index = self._of(runs)
        index.prepare()

    def forget(self) -> None:
        """Let go of what was made ready, which takes much room for very many."""
        with self._lock:
            self._rows, self._texts, self._index = (), {}, None

    def _of(self, runs: Sequence[Run]) -> Index:
        from spillview.fuzzy import Index  # nobody filters the first frame

        if not runs:
            return Index([])
        ledger = runs[0].artifacts.table
        if ledger is not self._ledger:
            self._ledger, self._texts, self._rows = ledger, {}, ()
        rows = (
            ledger.gists.version,
            [(run.project, run.title) for run in runs],
            [run.artifacts.order for run in runs],
            ledger.gists.bits.tobytes(),  # of pins and credentials no version tells
        )
        if self._index is None or rows != self._rows:
            columns: list[list[str]] = [[] for _ in range(4)]
            for run in runs:
                self._learn(run.artifacts)
                for place in run.artifacts.order:
                    texts = self._texts[place]
                    command, tool, name, of = texts[1:]
                    columns[0].append(command)
                    columns[1].append(joined(tool, _flags(ledger, place)))
                    columns[2].append(name)
                    project = run.project or of
                    session = ledger.gists.sessions[place]
                    shared = joined(project, run.title, run.harness, session)
                    columns[3].append(intern(shared))
            self._index = Index(columns, self._index)
            self._rows = rows
        return self._index

    def _learn(self, members: Members) -> None:
        """Take the texts of those that are new or have newer facts."""
        versions, known = members.gists.versions, self._texts
        lacking = [
            place
            for place in members.order
            if place not in known or known[place][0] != versions[place]
        ]
        members = members.of(lacking)
        names = members.table.finds.name
        for place, said in zip(lacking, members.said(), strict=True):
            known[place] = (
                versions[place],
                intern(joined(said.command, said.label)),
                intern(joined(said.tool, "failed" if said.failed else None)),
                names(place),
                intern(said.project or said.slug or ""),
            )


def _flags(ledger: Ledger, place: int) -> str:
    """The flags by which an artifact is found, with blanks between them."""
    words = ledger.gists.flags(place)
    mode = ledger.finds.mode(place)
    if mode & 0o004 and S_ISREG(mode):
        path = ledger.finds.file_path(place)
        if path is not None and world_readable(path, mode):
            words = joined(words, "world-readable")
    return words


def joined(*words: str | None) -> str:
    """The words that there are, with blanks between them."""
    return " ".join(word for word in words if word)
