"""The SQLite file of what must last, in the state folder, and what is done without it.

A broken one is set aside, and what can be read of it and of its copy lives on in a new
one. Where it cannot be used at all, what is written stays in memory.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from collections.abc import Sequence
from contextlib import closing

from spillview.hints import TYPE_CHECKING, Any
from spillview.model import Problem
from spillview.own_files import is_stranger, mended, set_aside, unwritable
from spillview.places import private_dir
from spillview.review import state_copy
from spillview.sqlite import sqlite3
from spillview.text import plural

if TYPE_CHECKING:
    from spillview.places import Places

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS printed (id TEXT PRIMARY KEY, path BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS reviewed (id TEXT PRIMARY KEY, at REAL)",
    "CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value REAL NOT NULL)",
)
NOTES = (
    "CREATE TABLE IF NOT EXISTS notes (id TEXT PRIMARY KEY, about TEXT NOT NULL, "
    "place BLOB NOT NULL, text TEXT, at REAL NOT NULL)"
)
"""Made with the first note: an older program keeps working on the same file."""
_TABLES = {"printed": 2, "reviewed": 2, "facts": 2, "notes": 5}
"""The columns of each."""
VERSION = 1
ENDS = ": marks last only until the program ends"
"""The end of what is told where the file takes none, for a program that goes on."""
_WAIT = 0.5
"""Seconds to wait for another process before going on without."""


class StateFile:
    """The file, opened when it is first asked for something.

    What cannot be written is remembered until the process ends; nothing raises for the
    disk's sake. Methods may be called from any thread.
    """

    def __init__(self, places: Places) -> None:
        self.path = os.path.join(places.state_dir, "state.sqlite3")
        self.copy = os.path.join(places.state_dir, state_copy.NAME)
        self.problems: list[Problem] = []
        """Why it is not used, or that a broken one was set aside."""
        self.mended: list[Problem] = []
        """Those of them after which all goes on as before."""
        self._lock = allocate_lock()
        self._disk: sqlite3.Connection | None = None
        self._spare: sqlite3.Connection | None = None
        self._bypassed = False
        self._copied = False
        """Whether it was seen to that there is a copy of today."""

    def close(self) -> None:
        """Close it; it opens again when it is used again."""
        with self._lock:
            for db in (self._disk, self._spare):
                if db is not None:
                    db.close()
            self._disk = self._spare = None

    @property
    def lasts(self) -> bool:
        """Whether everything that was written so far is on the disk."""
        with self._lock:
            return self._spare is None

    @property
    def is_read(self) -> bool:
        """Whether all that was kept before is known."""
        with self._lock:
            return not (self._bypassed and os.path.lexists(self.path))

    def read(
        self, query: str, values: Sequence[object] = (), *, optional: bool = False
    ) -> list[tuple[Any, ...]]:
        """Rows of the file, then those that could not be written to it.

        `optional` says that the table is made with its first row.
        """
        with self._lock:
            rows: list[tuple[Any, ...]] = []
            db = self._open(create=False)
            if db is not None:
                try:
                    rows = db.execute(query, values).fetchall()
                except sqlite3.Error as error:
                    if not (optional and "no such table" in str(error)):
                        self._failed(error)
            if self._spare is not None:
                rows += self._spare.execute(query, values).fetchall()
            return rows

    def write(
        self, query: str, rows: Sequence[Sequence[object]], *, needs: str = ""
    ) -> None:
        """Write rows, to memory where the file takes none; `needs` makes the table."""
        if not rows:
            return
        with self._lock:
            for _ in range(2):  # once more after a broken file was set aside
                db = self._open(create=True)
                if db is None:
                    break
                if not self._copied:
                    self._copied = True
                    state_copy.keep(db, self.copy)
                try:
                    with db:
                        db.execute(needs)
                        db.executemany(query, rows)
                    return
                except sqlite3.Error as error:
                    if not self._failed(error, writing=True):
                        break
            if self._spare is None:
                self._spare = sqlite3.connect(":memory:", check_same_thread=False)
                _prepare(self._spare)
            with self._spare as spare:
                spare.executemany(query, rows)

    def _open(self, *, create: bool) -> sqlite3.Connection | None:
        """The database on disk; None when there is none or it cannot be used."""
        if self._disk is not None or self._bypassed:
            return self._disk
        for _ in range(2):
            try:
                if not self._file(create):
                    return None
                db = sqlite3.connect(self.path, timeout=_WAIT, check_same_thread=False)
            except (OSError, sqlite3.Error) as error:
                self._bypass(error)
                return None
            try:
                version = db.execute("PRAGMA user_version").fetchone()[0]
                if version > VERSION:
                    db.close()
                    self._bypass("a newer spillview wrote it")
                    return None
                if version < VERSION:
                    _prepare(db)
                    self._recover(db)
                db.execute("SELECT 1 FROM printed, reviewed, facts LIMIT 0")
            except sqlite3.Error as error:
                db.close()
                if not self._failed(error):
                    return None
                continue
            self._disk = db
            return db
        return None

    def _recover(self, db: sqlite3.Connection) -> None:
        """Fill a new file, or one that was emptied, from the copy of an earlier one."""
        saved = state_copy.take_over(db, (self.copy,), _TABLES)
        if saved:
            self._mended(f"it was empty; {plural(saved, 'row')} of its copy live on")

    def _file(self, create: bool) -> bool:
        """Whether the file is there, made private if `create`. Raises OSError."""
        if is_stranger(self.path):
            self._mended(f"it was no file of ours; {self._set_aside()}")
        if not os.path.lexists(self.path):
            if not create:
                return False
            private_dir(os.path.dirname(self.path))
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            os.close(os.open(self.path, flags, 0o600))
        return True

    def _failed(self, error: sqlite3.Error, *, writing: bool = False) -> bool:
        """Handle a database error; True when a new file may be tried."""
        missing = "no such table" in str(error) or "no such column" in str(error)
        locked = "locked" in str(error)
        operational = isinstance(error, sqlite3.OperationalError)
        if writing and operational and not missing and not locked:
            # Read-only, or the disk is full: what was kept can still be read from it.
            self._tell(f"{unwritable(self.path, error)}{ENDS}")
            return False
        if self._disk is not None:
            self._disk.close()
            self._disk = None
        if operational and not missing:
            if locked:
                self._tell(
                    "another process holds it: what changed is kept till the end"
                )
            else:
                self._bypass(error)
            return False
        try:
            self._mended(f"it was broken; {self._set_aside()}")
        except OSError as failure:
            self._bypass(failure)
            return False
        return True

    def _set_aside(self) -> str:
        """Make room for a new file, and take over what the old ones tell.

        Gives what was done, as the end of a sentence. Raises OSError.
        """
        aside = set_aside(self.path)
        done = f"it was set aside as {os.path.basename(aside)}"
        private_dir(os.path.dirname(self.path))
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        os.close(os.open(self.path, flags, 0o600))
        try:
            with closing(sqlite3.connect(self.path, timeout=_WAIT)) as db:
                _prepare(db)
                saved = state_copy.take_over(db, (aside, self.copy), _TABLES)
        except sqlite3.Error:
            return done
        if not saved:
            return f"{done}, and nothing of it could be read"
        return f"{done}, and {plural(saved, 'row')} of it and its copy live on"

    def _bypass(self, why: Exception | str) -> None:
        """Go on without the file."""
        self._bypassed = True
        if isinstance(why, OSError) or "unable to open" in str(why):
            assert isinstance(why, Exception)
            self._tell(f"{unwritable(self.path, why)}{ENDS}")
        else:
            self._tell(f"cannot be used ({why}){ENDS}")

    def _mended(self, sentence: str) -> None:
        self.mended.append(mended(self.path, sentence))
        self._tell(sentence)

    def _tell(self, sentence: str) -> None:
        if all(problem.sentence != sentence for problem in self.problems):
            self.problems.append(Problem(self.path, sentence))


def _prepare(db: sqlite3.Connection) -> None:
    with db:
        for statement in (*_SCHEMA, NOTES):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {VERSION}")
