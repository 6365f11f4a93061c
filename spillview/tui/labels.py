"""What the filter matches of the queue's artifacts."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from stat import S_ISREG
from threading import Lock
from typing import TYPE_CHECKING

from spillview.exposure.permissions import world_readable
from spillview.tui.queue.members import Ledger, Members
from spillview.tui.queue.sessions import Run

if TYPE_CHECKING:
    from spillview.fuzzy import Index

UNKNOWN = -1
"""The version of an artifact of which nothing was taken."""

Cancelled = Callable[[], bool] | None


class Texts:
    """What is said of artifacts, by their places: a few words of room for each."""

    def __init__(self, number: int) -> None:
        """Nothing is known yet of so many."""
        self.versions = array("q", [UNKNOWN]) * number
        """Of which facts it is."""
        self.commands = [""] * number
        """Command and label."""
        self.tools = [""] * number
        """Tool, and whether it failed."""
        self.projects = [""] * number

    def learn(self, members: Members, shared: dict[str, str]) -> None:
        """Take those that are new or have newer facts; equal ones are one text."""
        newest = members.gists.versions
        lacking = [p for p in members.order if self.versions[p] != newest[p]]
        said_of = members.of(lacking).said()
        for place, said in zip(lacking, said_of, strict=True):
            command = joined(said.command, said.label)
            tool = joined(said.tool, "failed" if said.failed else None)
            project = said.project or said.slug or ""
            self.versions[place] = newest[place]
            self.commands[place] = shared.setdefault(command, command)
            self.tools[place] = shared.setdefault(tool, tool)
            self.projects[place] = shared.setdefault(project, project)


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
        self._texts: Texts | None = None

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
            self._rows, self._texts, self._index = (), None, None

    def _of(self, runs: Sequence[Run]) -> Index:
        from spillview.fuzzy import Index  # nobody filters the first frame

        if not runs:
            return Index([])
        ledger = runs[0].artifacts.table
        if ledger is not self._ledger:
            self._ledger, self._texts, self._rows = ledger, None, ()
        rows = (
            ledger.gists.version,
            [(run.project, run.title) for run in runs],
            [run.artifacts.order for run in runs],
            ledger.gists.bits.tobytes(),  # of pins and credentials no version tells
        )
        if self._index is None or rows != self._rows:
            self._index = Index(self._columns(runs, ledger), self._index)
            self._rows = rows
        return self._index

    def _columns(self, runs: Sequence[Run], ledger: Ledger) -> list[list[str]]:
        """What is matched of each artifact, in four parts; equal ones are one text."""
        if self._texts is None:
            self._texts = Texts(len(ledger.finds))
        texts, name = self._texts, ledger.finds.name
        shared: dict[str, str] = {}
        columns: list[list[str]] = [[] for _ in range(4)]
        for run in runs:
            texts.learn(run.artifacts, shared)
            for place in run.artifacts.order:
                tool = joined(texts.tools[place], _flags(ledger, place))
                project = run.project or texts.projects[place]
                session = ledger.gists.sessions[place]
                of = joined(project, run.title, run.harness, session)
                columns[0].append(texts.commands[place])
                columns[1].append(shared.setdefault(tool, tool))
                columns[2].append(name(place))
                columns[3].append(shared.setdefault(of, of))
        return columns


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
