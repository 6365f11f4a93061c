"""The command palette's own entries: open an artifact or go to a session by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from spillview import fuzzy
from spillview.model import Artifact, Session
from spillview.text import human_bytes, path_text, printable
from spillview.tui.arrangement import session_key
from spillview.tui.columns import state_mark, subject
from spillview.tui.home import HomeScreen
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
    display: Content
    """Two lines, what it is and where: a help text would be parsed as markup."""
    target: Artifact | Session


def two_lines(name: str, below: str) -> Content:
    """A palette entry; neither line is parsed as markup."""
    return Content.assemble(name, "\n", (f"  {below}", "$text-muted"))


def session_entry(session: Session) -> Entry:
    """The entry that goes to a session."""
    name = clean(session.title or session.id, CELLS)
    words = ("session", session.harness, session.project, session.title, session.id)
    below = clean(f"{session.harness}  {session.project or ''}", CELLS)
    return Entry(_label(words), two_lines(f"Session  {name}", below), session)


def artifact_entry(artifact: Artifact, session: Session) -> Entry:
    """The entry that opens an artifact of a session."""
    found = artifact.found
    words = (
        artifact.tool,
        artifact.command,
        found.name,
        session.title,
        session.project or artifact.project,
        found.harness,
    )
    mark, _ = state_mark(artifact)
    name = f"{mark} {clean(artifact.tool or 'file', 20)}  "
    name += clean(subject(artifact), CELLS)
    place = path_text(found.place)
    below = f"{human_bytes(found.size)}  {session.title or ''}  {place}"
    return Entry(_label(words), two_lines(name, clean(below, CELLS)), artifact)


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
        self._entries = list(self._make())

    def _make(self) -> Iterator[Entry]:
        if self.home is None:
            return
        for session in self.home.material.sessions:
            yield session_entry(session)
            for artifact in session.artifacts:
                yield artifact_entry(artifact, session)

    def _choose(self, home: HomeScreen, target: Artifact | Session) -> None:
        if isinstance(target, Artifact):
            home.open_artifact(target.id)
        else:
            home.go_to(session_key(target))

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
                partial(self._choose, home, item.target),
                text=item.label,
            )

    async def discover(self) -> Hits:
        """The worst artifacts, as the queue shows them."""
        home, entries = self.home, self._entries
        if home is None or not entries:
            return
        found = [item for item in entries if isinstance(item.target, Artifact)]
        for item in found[:AT_FIRST]:
            yield DiscoveryHit(
                item.display,
                partial(self._choose, home, item.target),
                text=item.label,
            )
