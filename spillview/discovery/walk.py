"""Walking a store: folders are listed, and what is in them handed to `shelves`."""

from __future__ import annotations

import os
from collections.abc import Iterable

from spillview.discovery.entries import Discovery, TranscriptFound, no_access
from spillview.discovery.routes import ALL, At, Narrow, advance, begin
from spillview.discovery.shelves import Ground, Shelf
from spillview.model import Problem

_FOLDER = (
    os.O_RDONLY
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
)
TRASH = ".spillview-trash-"
"""How our own trash near a store is named: what lies there was removed."""
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class Walker:
    """Collects what is found over several grounds; each file once."""

    def __init__(self, *, artifacts: bool = True) -> None:
        self.result = Discovery()
        self.artifacts = artifacts
        self._names: dict[str, set[str]] = {}
        """Names taken so far, by their real folder; of rows, names and keys."""
        self._lists: dict[str, list[str]] = {}
        """The same, of folders that were visited once."""
        self._logs: set[str] = set()
        self._folders: dict[tuple[str, int, int], list[tuple[list[At], Narrow]]] = {}
        """Where on its routes, and for what, each folder of a harness was listed."""
        self._seen: dict[tuple[int, int], frozenset[str]] = {}
        """Names in folders that several users share."""
        self._told: set[str] = set()

    def tell(self, path: str, sentence: str, harness: str | None) -> None:
        """Note a problem, once for each path."""
        if path not in self._told:
            self._told.add(path)
            self.result.problems.append(Problem(path, sentence, harness))

    def walk(
        self,
        ground: Ground,
        narrow: Narrow = ALL,
        *,
        start: str | None = None,
        places: Iterable[At] | None = None,
        top: str | None = None,
    ) -> tuple[int, int]:
        """List `ground` (or from `start` at `places`); artifacts and logs found.

        `top` replaces the root that found files are said to be in.
        """
        at = list(places) if places is not None else begin(ground.routes)
        path = start if start is not None else ground.path
        before = len(self.result.found), len(self.result.transcripts)
        stack = [(path, os.path.realpath(path), at, True)]
        while stack:
            folder, real, here, first = stack.pop()
            stack += self._list(ground, narrow, folder, real, here, first, top)
        found = len(self.result.found) - before[0]
        logs = len(self.result.transcripts) - before[1]
        return found, logs

    def _list(
        self,
        ground: Ground,
        narrow: Narrow,
        folder: str,
        real: str,
        here: list[At],
        first: bool,
        top: str | None,
    ) -> list[tuple[str, str, list[At], bool]]:
        """One folder: take its files, return the folders to go on with."""
        harness = ground.profile.harness
        try:
            handle = _open_folder(folder, follow=first)
        except FileNotFoundError:
            return []  # gone since it was listed
        except OSError as error:
            self.tell(folder, no_access(error), harness)
            return []
        try:
            facts = os.stat(handle) if isinstance(handle, int) else os.stat(folder)
            # The same folder by another name (a bind mount, a letter's case).
            key = (harness, facts.st_dev, facts.st_ino)
            visits = self._folders.setdefault(key, [])
            if visits and _seen_alike(visits, here, narrow):
                return []
            visits.append((here, narrow))
            self.result.folders[folder] = facts.st_mtime_ns
            if ground.uid != -1 and not self._has_any(handle, facts, here):
                return []
            deeper = []
            beneath = os.path.join(real, "")
            shelf = Shelf(ground, folder, real, here, narrow, top)
            if (
                shelf.alike
                and isinstance(handle, int)
                and shelf.take_plain(self, handle)
            ):
                return []
            try:
                with os.scandir(handle) as listed:
                    entries: Iterable[os.DirEntry[str]] = listed
                    if shelf.alike:
                        every = list(listed)
                        entries = [e for e in every if e.is_dir(follow_symlinks=False)]
                        if entries:
                            inner = frozenset(map(id, entries))
                            every = [e for e in every if id(e) not in inner]
                        if every:
                            shelf.take_alike(self, every)
                    for entry in entries:
                        if not entry.is_dir(follow_symlinks=False):
                            shelf.take(self, entry)
                        elif not entry.name.startswith(TRASH):
                            if shelf.folders:
                                shelf.take_folder(self, entry)
                            ahead = advance(here, entry.name, narrow)
                            if ahead:
                                inside = shelf.below + entry.name
                                below = beneath + entry.name
                                deeper.append((inside, below, ahead, False))
            except OSError as error:
                self.tell(folder, no_access(error), harness)
            shelf.put_down(self)
            return deeper
        finally:
            if isinstance(handle, int):
                os.close(handle)

    def _has_any(
        self, handle: int | str, facts: os.stat_result, here: list[At]
    ) -> bool:
        """Whether a name in a shared temp folder leads on or ends here: few do.

        Many harnesses look into it; it is listed once for that.
        """
        key = (facts.st_dev, facts.st_ino)
        names = self._seen.get(key)
        if names is None:
            try:
                names = self._seen[key] = frozenset(os.listdir(handle))
            except OSError:
                return True  # who goes on to list it tells why not
        return any(place.next.fits_any(names) for place in here)

    def fresh(self, real: str, name: str) -> bool:
        """Whether this file (or row) of a folder was not taken before; now it is."""
        names = self._names.get(real)
        if names is None:
            names = self._names[real] = set(self._lists.pop(real, ()))
        if name in names:
            return False
        names.add(name)
        return True

    def fresh_all(self, real: str, names: list[str]) -> bool:
        """Whether no file of a folder was taken before; now these are."""
        if real in self._names or real in self._lists:
            return False
        self._lists[real] = names
        return True

    def add_transcript(self, log: TranscriptFound, real: str) -> None:
        """Take a transcript unless it was found before."""
        if real not in self._logs:
            self._logs.add(real)
            self.result.transcripts.append(log)


def _open_folder(path: str, *, follow: bool) -> int | str:
    """A handle that `os.scandir` takes; a link is followed only with `follow`."""
    if os.scandir not in os.supports_fd:
        if not follow and os.path.islink(path):
            raise FileNotFoundError(path)
        return path
    return os.open(path, _FOLDER if follow else _FOLDER | _NO_LINK)


def _seen_alike(
    visits: Iterable[tuple[list[At], Narrow]], here: list[At], narrow: Narrow
) -> bool:
    """Whether a folder was visited for the same before."""
    mine = _signature(here)
    return any(narrow == how and mine == _signature(then) for then, how in visits)


def _signature(here: Iterable[At]) -> frozenset[object]:
    """What distinguishes one visit of a folder from another."""
    return frozenset(
        (id(at.route), at.part, frozenset(at.captures.items())) for at in here
    )
