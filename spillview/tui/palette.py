"""The command palette's own entries: open an artifact or go to a session by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from spillview import fuzzy
from spillview.model import Artifact, Session
from spillview.text import human_bytes, path_text, printable
from spillview.tui.arrangement import session_key
from spillview.tui.columns import project_name, state_mark, subject
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
    """Two lines: what it is, and where. The palette would parse a help text of its
    own as markup, so the second line stands in here."""
    target: Artifact | Session


def two_lines(name: str, below: str) -> Content:
    """A palette entry; neither line is parsed as markup."""
    return Content.assemble(name, "\n", (f"  {below}", "$text-muted"))


def entry(row: Artifact | Session, title: str = "") -> Entry:
    """The palette's entry for an artifact or a session; nothing in it is markup."""
    if isinstance(row, Session):
        name = clean(row.title or row.id, CELLS)
        label = f"session {row.harness} {row.project or ''} {row.title or ''} {row.id}"
        below = clean(f"{row.harness}  {project_name(row.project)}", CELLS)
        return Entry(printable(label), two_lines(f"Session  {name}", below), row)
    mark, _ = state_mark(row)
    what = clean(subject(row), CELLS)
    tool = clean(row.tool, 20)
    label = " ".join(
        word
        for word in (
            row.tool,
            row.command,
            row.found.name,
            title,
            row.project,
            row.found.harness,
        )
        if word
    )
    name = f"{mark} {tool}  {what}" if tool else f"{mark} {what}"
    size = human_bytes(row.found.size)
    below = clean(f"{size}  {title}  {path_text(row.found.path)}", CELLS)
    return Entry(printable(label), two_lines(name, below), row)


class QueueCommands(Provider):
    """Opens any artifact of the queue, and goes to any of its sessions."""

    _entries: list[Entry] | None = None

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
            yield entry(session)
            for artifact in session.artifacts:
                yield entry(artifact, session.title or "")

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
        hits = fuzzy.matches(query, [item.label for item in entries])
        for index, score in hits[:SHOWN]:
            item = entries[index]
            yield Hit(
                score / 100,
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
