"""The command palette's own entries: open an artifact or go to a session by name."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from spillview import fuzzy
from spillview.model import Artifact
from spillview.text import human_bytes, path_text, printable
from spillview.tui.home import HomeScreen
from spillview.tui.queue.arrangement import session_key
from spillview.tui.queue.columns import state_mark, subject
from spillview.tui.queue.sessions import Run
from spillview.tui.runs import clean

SHOWN = 60
"""So many entries are offered at most for one query; typing on narrows them."""

AT_FIRST = 8
"""So many of the worst artifacts are offered before anything is typed."""

CELLS = 200
"""An entry is cut at about this width."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to go to: what it is found by, and how it looks."""

    label: str
    session: Run
    place: int | None = None
    """Where its artifact is among all; None for the session itself."""

    @property
    def display(self) -> Content:
        """Two lines, what it is and where: a help text would be parsed as markup."""
        if self.place is None:
            return session_lines(self.session)
        [artifact] = self.session.artifacts.made([self.place])
        return artifact_lines(artifact, self.session)


def two_lines(name: str, below: str) -> Content:
    """A palette entry; neither line is parsed as markup."""
    return Content.assemble(name, "\n", (f"  {below}", "$text-muted"))


def session_lines(session: Run) -> Content:
    """How going to a session is offered."""
    name = clean(session.title or session.id, CELLS)
    below = clean(f"{session.harness}  {session.project or ''}", CELLS)
    return two_lines(f"Session  {name}", below)


def artifact_lines(artifact: Artifact, session: Run) -> Content:
    """How opening an artifact is offered."""
    mark, _ = state_mark(artifact)
    name = f"{mark} {clean(artifact.tool or 'file', 20)}  "
    name += clean(subject(artifact), CELLS)
    place, size = path_text(artifact.found.place), human_bytes(artifact.found.size)
    below = f"{size}  {session.title or ''}  {place}"
    return two_lines(name, clean(below, CELLS))


def entries_of(sessions: Iterable[Run]) -> Iterator[Entry]:
    """What can be gone to, with the words by which it is found."""
    for run in sessions:
        words = ("session", run.harness, run.project, run.title, run.id)
        yield Entry(_label(words), run)
        for place, artifact in zip(run.artifacts.order, run.artifacts, strict=True):
            found = artifact.found
            known = (artifact.tool, artifact.command, found.name, run.title)
            project = run.project or artifact.project
            yield Entry(_label((*known, project, found.harness)), run, place)


def _label(words: Iterable[str | None]) -> str:
    return printable(" ".join(word for word in words if word))


class QueueCommands(Provider):
    """Opens any artifact of the queue, and goes to any of its sessions."""

    _entries: list[Entry] | None = None
    _index: fuzzy.Index | None = None

    @property
    def home(self) -> HomeScreen | None:
        """The home screen, when it is the one below the palette."""
        screen = self.screen
        return screen if isinstance(screen, HomeScreen) else None

    async def startup(self) -> None:
        """Make the entries once for each time the palette is opened."""
        if self.home is not None:
            sessions = self.home.material.sessions
            self._entries = await asyncio.to_thread(lambda: list(entries_of(sessions)))

    def _choose(self, home: HomeScreen, chosen: Entry) -> None:
        if chosen.place is None:
            home.go_to(session_key(chosen.session))
        else:
            home.open_artifact(chosen.session.artifacts.gists.ident(chosen.place))

    async def search(self, query: str) -> Hits:
        """The entries that match every word, best first."""
        home, entries = self.home, self._entries
        if home is None or not entries:
            return
        index = self._index or fuzzy.Index([[item.label for item in entries]])
        self._index = index
        for place, found in enumerate(index.find(query)[:SHOWN]):
            item = entries[found]
            yield Hit(
                1 - place / SHOWN,
                item.display,
                partial(self._choose, home, item),
                text=item.label,
            )

    async def discover(self) -> Hits:
        """The worst artifacts, as the queue shows them."""
        home, entries = self.home, self._entries
        if home is None or not entries:
            return
        found = [item for item in entries if item.place is not None]
        for item in found[:AT_FIRST]:
            yield DiscoveryHit(
                item.display,
                partial(self._choose, home, item),
                text=item.label,
            )
