"""The command palette's own entries: what each key does, and what can be gone to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.screen import Screen

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
    name = f"{mark} {clean(artifact.tool or 'artifact', 20)}  "
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


@dataclass(frozen=True, slots=True)
class Act:
    """What a key does on a screen now."""

    name: str
    keys: str
    """As the footer shows them, with blanks between them."""
    words: str
    run: Callable[[], Awaitable[object]]
    first: bool
    """Whether the footer offers it too."""

    @property
    def display(self) -> Content:
        """Its name and its key, and below them what it does."""
        below = (f"  {self.words}", "$text-muted")
        return Content.assemble(
            self.name, "  ", (self.keys, "$text-accent bold"), "\n", below
        )


UNOFFERED = frozenset({"app.command_palette", "command_palette"})
"""What is open already."""


def acts_of(screen: Screen[Any]) -> list[Act]:
    """What the keys do that work on a screen now; those of its footer come first."""
    app = screen.app
    found: dict[tuple[int, str], Act] = {}
    for node, binding, enabled, tooltip in screen.active_bindings.values():
        # What has no name in `[keys]` is Textual's: moving a focus, editing a line.
        if not enabled or binding.id is None or binding.action in UNOFFERED:
            continue
        place = (id(node), binding.action)
        key = app.get_key_display(binding)
        known = found.get(place)
        if known is not None:
            keys = known.keys
            key = keys if key in keys.split() else f"{keys} {key}"
        found[place] = Act(
            binding.description or binding.action,
            key,
            tooltip,
            partial(app.run_action, binding.action, node),
            binding.show,
        )
    return sorted(found.values(), key=lambda act: not act.first)


class KeyCommands(Provider):
    """Does what any key of the screen below the palette does."""

    _acts: list[Act] | None = None
    _index: fuzzy.Index | None = None

    async def startup(self) -> None:
        """Take the keys that work now."""
        self._acts = acts_of(self.screen)

    async def search(self, query: str) -> Hits:
        """What matches every word by its name or what it does, best first."""
        acts = self._acts or []
        labels = [f"{act.name} {act.words}" for act in acts]
        index = self._index or fuzzy.Index([labels])
        self._index = index
        for place, found in enumerate(index.find(query)[:SHOWN]):
            act = acts[found]
            score = 1 - place / SHOWN
            yield Hit(score, act.display, act.run, text=labels[found])

    async def discover(self) -> Hits:
        """All of it."""
        for act in self._acts or []:
            yield DiscoveryHit(act.display, act.run, text=act.name)
