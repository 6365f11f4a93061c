"""Whether anything may have changed since a scan, by a few thousand `stat`s.

An entry that comes, goes or is renamed changes its folder's mtime. What grows where it
is does not: transcripts and the artifacts of sessions that are at work are looked at
one by one; of all others only a whole discovery tells, which is run now and then.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable
from operator import attrgetter

from spillview.catalogue.finds import Key
from spillview.discovery.entries import renewed
from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.discovery.entries import Discovery

WHOLE_LOOK = 10
"""Every so often everything is looked at for changes."""

AT_WORK = 3600
"""Seconds since the last change of a session whose files are looked at."""

TICK = 0.1
"""Seconds within which two changes of a folder may leave it one mtime."""


class Watched:
    """What one discovery found, for being compared with what is there now."""

    def __init__(self, seen: Discovery, began: float) -> None:
        """`began`: when the discovery did, seconds since the epoch."""
        self.seen = seen
        newest = max(seen.folders.values(), default=0)
        self.racy = newest / 1e9 > began - TICK
        """Whether a folder may have changed once more without another mtime."""
        since = (began - AT_WORK) * 1e9
        found = seen.found
        live = {
            (log.harness, log.spill_session)
            for log in seen.transcripts
            if log.mtime_ns >= since
        }
        places = [
            place
            for group, places in found.groups().items()
            if group in live or any(found.mtimes[p] >= since for p in places)
            for place in places
        ]
        whole = found.whole()
        self._files = [place for place in places if place not in whole]
        self._others = [item for item in whole.values() if item.row is None]
        rows = {item.path for item in whole.values() if item.row is not None}
        rows |= {log.path for log in seen.transcripts if log.form == "sqlite"}
        self._databases = {path: _state_of(path) for path in rows}
        logs = [log for log in seen.transcripts if log.form != "sqlite"]
        self._logs = {log.path: log.key for log in logs}

    def may_have_changed(self) -> bool:
        """Whether a folder, a transcript or a live session's file is another now."""
        found = self.seen.found
        if self.racy or any(renewed(item) != item for item in self._others):
            return True
        if any(_state_of(path) != was for path, was in self._databases.items()):
            return True
        try:
            folders = list(map(_MTIME, map(os.stat, self.seen.folders)))
            keys = list(map(_key, map(os.lstat, self._logs)))
            files = [_key(os.lstat(found.address(each))) for each in self._files]
        except OSError:
            return True
        return (
            folders != list(self.seen.folders.values())
            or keys != list(self._logs.values())
            or files != [found.key(each) for each in self._files]
        )


class Rescan:
    """Looks again and again whether a scan still holds."""

    def __init__(self) -> None:
        self._watched: Watched | None = None
        self._scanned: Discovery | None = None
        """The scan that is watched from the first look on."""
        self._roots: set[tuple[str, str]] = set()
        self._times = 0

    def begin(self, scanned: Discovery) -> None:
        """Start anew: there was a new scan.

        What it found is compared at the next look, but for databases: what stood in
        one when it was read is not known.
        """
        self._watched = self._scanned = None
        rows = any(item.row is not None for item in scanned.found.whole().values())
        rows = rows or any(log.form == "sqlite" for log in scanned.transcripts)
        elsewhere = scanned.roots is None or scanned.plain or scanned.projects
        if not rows and not elsewhere:
            self._scanned, self._roots = scanned, scanned.roots or set()

    def differs(
        self,
        scanned: Discovery,
        discover: Callable[[], Discovery],
        roots: Callable[[], set[tuple[str, str]]],
    ) -> bool:
        """Whether what is there now differs from what the scan found.

        `discover` looks at everything, `roots` only at which stores there are.
        """
        if self._scanned is not None:
            self._watched = Watched(self._scanned, self._scanned.began)
            self._scanned = None
        watched, self._times = self._watched, self._times + 1
        if (
            watched is not None
            and self._times % WHOLE_LOOK
            and roots() == self._roots
            and not watched.may_have_changed()
        ):
            return False
        began = time.time()
        seen = discover()
        if _signature(seen) != _signature(scanned):
            return True
        # Equal columns need no room of their own.
        seen.found, seen.stores = scanned.found, lambda: scanned.stores
        self._watched = None
        if not seen.plain and not seen.projects:  # else sessions elsewhere count too
            self._roots = roots()
            self._watched = Watched(seen, began)
        return False


def _signature(seen: Discovery) -> object:
    logs = {(log.path, log.size, log.mtime_ns) for log in seen.transcripts}
    return seen.found.signature(), logs


_MTIME = attrgetter("st_mtime_ns")


def _key(facts: os.stat_result) -> Key:
    size = facts.st_size if stat.S_ISREG(facts.st_mode) else 0
    return facts.st_dev, facts.st_ino, size, facts.st_mtime_ns


def _state_of(path: str) -> Key | None:
    from spillview.stored.databases import state  # only where there is a database

    try:
        return state(path)
    except OSError:
        return None
