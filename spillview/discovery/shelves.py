"""One folder of a store: which of its entries are artifacts and transcripts.

Entries are `stat`ed, no file is opened.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import compress
from operator import attrgetter

from spillview.digests import sha256
from spillview.discovery.entries import (
    Common,
    facts_of,
    log_of,
    no_access,
    other_of,
    says_of,
)
from spillview.discovery.routes import ALL, At, Captures, Narrow, Route, advance, filled
from spillview.errors import Unreadable
from spillview.frozen import replace
from spillview.hints import TYPE_CHECKING
from spillview.named import NamedTuple
from spillview.profiles.profile import Glob, Profile

if TYPE_CHECKING:
    from spillview.discovery.entries import Entry
    from spillview.discovery.walk import Walker


_MODE: Callable[[os.stat_result], int] = attrgetter("st_mode")


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
        self._all = narrow == ALL
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

    def take_plain(self, walker: Walker, folder: int) -> bool:
        """All files of an open folder that has no other; whether that was done.

        For where one pattern takes any name: a third less than entry by entry.
        """
        common = self._common(self._ends[0])
        if os.stat not in os.supports_dir_fd or not self._takes_any(walker, common):
            return False
        try:
            names = os.listdir(folder)
            if not names or not all(
                common.profile.admitted(names, named=common.glob.named)
            ):
                return False
            look = os.stat
            facts = [look(n, dir_fd=folder, follow_symlinks=False) for n in names]
        except OSError:
            return False
        return self._took(walker, common, names, facts)

    def take_alike(self, walker: Walker, entries: Sequence[Entry]) -> None:
        """All entries that are no folders, where one pattern takes any name."""
        common = self._common(self._ends[0])
        if self._takes_any(walker, common):
            names = [entry.name for entry in entries]
            fits = common.profile.admitted(names, named=common.glob.named)
            chosen = entries
            if not all(fits):
                chosen = list(compress(entries, fits))
                names = list(compress(names, fits))
            with suppress(OSError):  # then one by one, to tell which
                facts = [entry.stat(follow_symlinks=False) for entry in chosen]
                if self._took(walker, common, names, facts):
                    return
        for entry in entries:
            self.take(walker, entry)

    @staticmethod
    def _takes_any(walker: Walker, common: Common) -> bool:
        """Whether files of a pattern are artifacts by their being there."""
        glob = common.glob
        told = common.profile.session_in_names
        return walker.artifacts and glob.artifact and glob.reader is None and not told

    def _took(
        self,
        walker: Walker,
        common: Common,
        names: list[str],
        facts: list[os.stat_result],
    ) -> bool:
        """Take these where all are regular files, and none was taken before."""
        plain = all(map(stat.S_ISREG, set(map(_MODE, facts))))
        if not plain or not walker.fresh_all(self._real, names):
            return False
        session = self._ends[0].captures.get("session") or self._folder
        walker.result.found.take(common, names, session, facts)
        return True

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
        from spillview.stored.stored import MOST_ROWS, rows

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
                    blocks=None,
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
            from spillview.stored.stored import stored_of  # not for mere files

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
