"""Walking a store: folders are listed, entries are `stat`ed, no file is opened."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from spillview.digests import sha256
from spillview.entries import (
    Common,
    Discovery,
    TranscriptFound,
    facts_of,
    log_of,
    no_access,
    other_of,
    says_of,
)
from spillview.errors import Unreadable
from spillview.frozen import replace
from spillview.model import Problem
from spillview.profile import Glob, Profile
from spillview.routes import At, Captures, Narrow, Route, advance, begin, filled

if TYPE_CHECKING:
    from spillview.entries import Entry

_FOLDER = (
    os.O_RDONLY
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
)
TRASH = ".spillview-trash-"
"""How our own trash near a store is named: what lies there was removed."""
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class Ground(NamedTuple):
    """A root folder with the routes that begin there."""

    profile: Profile
    routes: tuple[Route, ...]
    path: str
    roots: Mapping[str, str]
    """The folders of the profile's roots by id, for paths that templates name."""
    confidence: str
    uid: int = -1
    """Whose files alone count, in a folder that several users share; -1: anyone's."""


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
        self._folders: set[object] = set()
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
        narrow: Narrow = Narrow(),  # noqa: B008  # frozen
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
            once = (
                harness,
                facts.st_dev,
                facts.st_ino,
                _signature(here),
                narrow,
                self.artifacts,
            )
            if once in self._folders:
                return []
            self._folders.add(once)
            self.result.folders[folder] = facts.st_mtime_ns
            if ground.uid != -1 and not self._has_any(handle, facts, here):
                return []
            deeper = []
            shelf = Shelf(ground, folder, real, here, narrow, top)
            try:
                with os.scandir(handle) as listed:
                    entries: Iterable[os.DirEntry[str]] = listed
                    if shelf.alike:
                        every = list(listed)
                        entries = [e for e in every if e.is_dir(follow_symlinks=False)]
                        if len(entries) < len(every):
                            inner = frozenset(map(id, entries))
                            files = [e for e in every if id(e) not in inner]
                            shelf.take_alike(self, files if entries else every)
                    for entry in entries:
                        if not entry.is_dir(follow_symlinks=False):
                            shelf.take(self, entry)
                        elif not entry.name.startswith(TRASH):
                            if shelf.folders:
                                shelf.take_folder(self, entry)
                            ahead = advance(here, entry.name, narrow)
                            if ahead:
                                inside = shelf.below + entry.name
                                below = os.path.join(real, entry.name)
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


class Files:
    """Regular files of one folder on their way to the columns."""

    __slots__ = ("common", "facts", "names", "sessions")

    def __init__(self, common: Common) -> None:
        self.common = common
        self.names: list[str] = []
        self.sessions: list[str] = []
        self.facts: list[os.stat_result] = []


class Shelf:
    """One folder of a store: what all of its files have in common."""

    def __init__(
        self,
        ground: Ground,
        folder: str,
        real: str,
        here: list[At],
        narrow: Narrow,
        top: str | None = None,
    ) -> None:
        self._ground = ground
        self._folder = folder
        self._real = real
        self.below = os.path.join(folder, "")
        last = [place for place in here if place.last]
        self._ends = [place for place in last if not place.route.is_folder]
        self.folders = [place for place in last if place.route.is_folder]
        """Where a folder is itself a transcript (`json-dir`)."""
        self._inner = [place for place in here if not place.last]
        self._narrow = narrow
        self._all = narrow == Narrow()
        self._root = top if top is not None else ground.path
        self._files: dict[int, Files] = {}
        self.alike = (
            len(self._ends) == 1
            and self._ends[0].next.anything == ""
            and not self._ends[0].route.is_transcript
            and ground.uid == -1
            and (self._all or narrow.settled(self._ends[0].captures))
        )
        """Whether any file here is an artifact by the same pattern."""

    def take_alike(self, walker: Walker, entries: Sequence[Entry]) -> None:
        """All entries that are no folders, where one pattern takes any name."""
        place = self._ends[0]
        common = self._common(place)
        told = common.profile.session_in_names
        glob = common.glob
        if walker.artifacts and glob.artifact and glob.reader is None and not told:
            names = [entry.name for entry in entries]
            fits = common.profile.admitted(names, named=glob.named)
            chosen = list(compress(entries, fits))
            names = list(compress(names, fits))
            with suppress(OSError):  # then one by one, to tell which
                facts = [entry.stat(follow_symlinks=False) for entry in chosen]
                plain = all(map(stat.S_ISREG, {each.st_mode for each in facts}))
                if plain and walker.fresh_all(self._real, names):
                    session = place.captures.get("session") or self._folder
                    walker.result.found.take(common, names, session, facts)
                    return
        for entry in entries:
            self.take(walker, entry)

    def take_folder(self, walker: Walker, entry: Entry) -> None:
        """A folder, where folders are transcripts."""
        for place in self.folders:
            captures = self._captures(place, entry.name)
            if captures is not None:
                self._add_log(walker, entry, place.route, captures)

    def take(self, walker: Walker, entry: Entry) -> None:
        """One entry that is no folder: an artifact, a transcript, or neither."""
        name = entry.name
        for place in self._ends:
            route = place.route
            captures = self._captures(place, name)
            if captures is None:
                continue
            if not route.is_transcript:
                self._add_file(walker, entry, place, captures)
                return
            if entry.is_file(follow_symlinks=False):
                self._add_log(walker, entry, route, captures)
                return
        if self._inner and entry.is_symlink():
            self._tell_link(walker, entry)

    def _captures(self, place: At, name: str) -> Captures | None:
        """All that is captured when `name` ends the route; None when it does not."""
        said = place.next.match(name)
        if said is None:
            return None
        captures = {**place.captures, **said} if said else place.captures
        if self._all or self._narrow.settled(captures):
            return captures
        return None

    def _add_file(
        self,
        walker: Walker,
        entry: Entry,
        place: At,
        captures: Captures,
    ) -> None:
        if not walker.artifacts:
            return
        name = entry.name
        files = self._files.get(id(place))
        if files is None:
            files = self._files[id(place)] = Files(self._common(place))
        common = files.common
        says = says_of(common.glob, common.profile, name, captures)
        if says is None:
            return
        error = None
        facts: os.stat_result | None = None
        try:
            facts = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return  # gone since it was listed
        except OSError as failure:
            error = no_access(failure)
        if facts is not None and self._ground.uid not in (-1, facts.st_uid):
            return
        regular = facts is not None and stat.S_ISREG(facts.st_mode)
        if common.glob.reader == "table" and facts is not None:
            path = common.path_of(name)
            if regular:
                self._add_rows(walker, path, name, common, facts)
                return
            walker.tell(path, "is no regular file: it is not opened", common.harness)
        elif not walker.fresh(self._real, name):
            return
        elif facts is None or not regular:
            walker.result.found.append(other_of(common, name, facts, error))
        else:
            files.names.append(name)
            files.sessions.append(says.get("session") or self._folder)
            files.facts.append(facts)

    def put_down(self, walker: Walker) -> None:
        """Hand over the files that were taken."""
        for files in self._files.values():
            if files.names:
                walker.result.found.take(
                    files.common, files.names, files.sessions, files.facts
                )

    def _add_rows(
        self,
        walker: Walker,
        path: str,
        name: str,
        common: Common,
        facts: os.stat_result,
    ) -> None:
        """The rows of a database; one that cannot be read is a problem, no error."""
        from spillview.stored import MOST_ROWS, rows

        try:
            listed, whole = rows(path, common.glob)
        except Unreadable as error:
            walker.tell(path, str(error), common.harness)
            return
        if not whole:
            sentence = f"has more than {MOST_ROWS:,} rows: the newest are listed"
            walker.tell(path, sentence, common.harness)
        prefix = os.fsencode(os.path.join(self._real, name)) + b"\0"
        file = common.found_of(name, facts_of(facts))
        for row in listed:
            if not walker.fresh(f"{self._real}/{name}", row.key):
                continue
            key = row.key.encode("utf-8", "surrogateescape")
            time = row.time if row.time is not None else facts.st_mtime
            walker.result.found.append(
                replace(
                    file,
                    id=sha256(prefix + key).hexdigest()[:16],
                    name=row.key,
                    size=row.size,
                    mtime_ns=int(time * 1e9),
                    nlink=1,
                    row=row.key,
                    command=row.command,
                    project=row.cwd,
                    exit_code=row.exit_code,
                )
            )

    def _common(self, place: At) -> Common:
        glob = place.route.rule
        assert isinstance(glob, Glob)
        captures = place.captures
        transcript = stored = None
        if glob.reader is not None:
            from spillview.stored import stored_of  # not for mere files

            stored = stored_of(glob)
        if glob.transcript is not None:
            roots = {**self._ground.roots, place.route.root_id: self._ground.path}
            transcript = filled(glob.transcript, roots, captures)
        return Common(
            glob,
            place.route.profile,
            self._folder,
            self._root,
            captures,
            place.next,
            self.below,
            self._real,
            transcript,
            stored,
        )

    def _add_log(
        self,
        walker: Walker,
        entry: Entry,
        route: Route,
        captures: Captures,
    ) -> None:
        path = self.below + entry.name
        try:
            facts = entry.stat(follow_symlinks=False)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                walker.tell(path, no_access(error), route.profile.harness)
            return
        log = log_of(route, path, captures, facts, self._root)
        walker.add_transcript(log, os.path.join(self._real, entry.name))

    def _tell_link(self, walker: Walker, entry: Entry) -> None:
        """A link that stands where the route goes on is not followed: say so."""
        if not advance(self._inner, entry.name, self._narrow):
            return
        with suppress(OSError):
            if stat.S_ISDIR(os.stat(self.below + entry.name).st_mode):
                walker.tell(
                    self.below + entry.name,
                    "is a link to a folder and was not followed: "
                    "add the folder it names to roots in config.toml",
                    self._ground.profile.harness,
                )


def _open_folder(path: str, *, follow: bool) -> int | str:
    """A handle that `os.scandir` takes; a link is followed only with `follow`."""
    if os.scandir not in os.supports_fd:
        if not follow and os.path.islink(path):
            raise FileNotFoundError(path)
        return path
    return os.open(path, _FOLDER if follow else _FOLDER | _NO_LINK)


def _signature(here: Iterable[At]) -> frozenset[object]:
    """What distinguishes one visit of a folder from another."""
    return frozenset(
        (id(at.route), at.part, frozenset(at.captures.items())) for at in here
    )
