"""What must last: ids that were printed, review marks, the time of the last review.

It lives in SQLite in the state folder. Where that is broken, locked or not writable
the program goes on without it: nothing here raises for the disk's sake.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from spillview.model import Problem
from spillview.places import private_dir

if TYPE_CHECKING:
    from spillview.places import Places

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS printed (id TEXT PRIMARY KEY, path BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS reviewed (id TEXT PRIMARY KEY, at REAL)",
    "CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value REAL NOT NULL)",
)
_VERSION = 1
_WAIT = 0.5
"""Seconds to wait for another process before going on without."""
_ID = frozenset("0123456789abcdef")


class State:
    """The state of one user, opened when it is first asked for something.

    What cannot be written is remembered until the process ends. Methods may be called
    from any thread.
    """

    def __init__(self, places: Places) -> None:
        self.path = os.path.join(places.state_dir, "state.sqlite3")
        self.problems: list[Problem] = []
        """Why it is not used, or that a broken one was set aside."""
        self._lock = threading.Lock()
        self._disk: sqlite3.Connection | None = None
        self._spare: sqlite3.Connection | None = None
        self._bypassed = False

    def close(self) -> None:
        """Close it; it opens again when it is used again."""
        with self._lock:
            for db in (self._disk, self._spare):
                if db is not None:
                    db.close()
            self._disk = self._spare = None

    # Printed ids

    def remember_ids(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Keep (id, path) pairs, so that an id can be used after it was printed."""
        self._write(
            "INSERT INTO printed VALUES (?, ?) "
            "ON CONFLICT (id) DO UPDATE SET path = excluded.path "
            "WHERE path <> excluded.path",
            [(ident, os.fsencode(path)) for ident, path in pairs],
        )

    def path_of(self, prefix: str) -> list[str]:
        """The paths whose remembered id begins with `prefix`, in the order of ids."""
        if not prefix or not _ID.issuperset(prefix):
            return []
        rows = self._read(
            "SELECT id, path FROM printed WHERE id >= ? AND id < ?",
            (prefix, prefix + "g"),
        )
        paths = {ident: path for ident, path in rows if isinstance(path, bytes)}
        return [os.fsdecode(paths[ident]) for ident in sorted(paths)]

    # Review

    def mark_reviewed(self, ids: Iterable[str], when: float | None) -> None:
        """Mark artifacts reviewed at `when` (seconds since the epoch); None unmarks."""
        # A mark taken back stays as a row without time: it outweighs an older one.
        self._write(
            "INSERT INTO reviewed VALUES (?, ?) "
            "ON CONFLICT (id) DO UPDATE SET at = excluded.at",
            [(ident, when) for ident in ids],
        )

    def reviewed(self) -> dict[str, float]:
        """Every mark: artifact id to the time it was made."""
        marks = dict(self._read("SELECT id, at FROM reviewed"))
        return {i: float(at) for i, at in marks.items() if isinstance(at, int | float)}

    def last_review(self) -> float | None:
        """The time up to which everything was reviewed; None before the first."""
        rows = self._read("SELECT value FROM facts WHERE name = 'last_review'")
        return float(rows[-1][0]) if rows else None

    def set_last_review(self, when: float) -> None:
        """Remember that everything up to `when` was reviewed."""
        self._write(
            "INSERT INTO facts VALUES ('last_review', ?) "
            "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [(when,)],
        )

    # The database

    def _read(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Rows of the file, then those that could not be written to it."""
        with self._lock:
            rows: list[tuple[Any, ...]] = []
            db = self._open(create=False)
            if db is not None:
                try:
                    rows = db.execute(query, values).fetchall()
                except sqlite3.Error as error:
                    self._failed(error)
            if self._spare is not None:
                rows += self._spare.execute(query, values).fetchall()
            return rows

    def _write(self, query: str, rows: Sequence[Sequence[object]]) -> None:
        if not rows:
            return
        with self._lock:
            for _ in range(2):  # once more after a broken file was set aside
                db = self._open(create=True)
                if db is None:
                    break
                try:
                    with db:
                        db.executemany(query, rows)
                    return
                except sqlite3.Error as error:
                    if not self._failed(error):
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
                if version > _VERSION:
                    db.close()
                    self._bypass("a newer spillview wrote it")
                    return None
                if version < _VERSION:
                    _prepare(db)
                db.execute("SELECT 1 FROM printed, reviewed, facts LIMIT 0")
            except sqlite3.Error as error:
                db.close()
                if not self._failed(error):
                    return None
                continue
            self._disk = db
            return db
        return None

    def _file(self, create: bool) -> bool:
        """Whether the file is there, made private if `create`. Raises OSError."""
        try:
            mode = os.lstat(self.path).st_mode
        except FileNotFoundError:
            if not create:
                return False
            private_dir(os.path.dirname(self.path))
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            os.close(os.open(self.path, flags, 0o600))
            return True
        if not stat.S_ISREG(mode):
            raise OSError(0, "it is not a regular file")
        return True

    def _failed(self, error: sqlite3.Error) -> bool:
        """Handle a database error; True when a new file may be tried."""
        if self._disk is not None:
            self._disk.close()
            self._disk = None
        missing = "no such table" in str(error) or "no such column" in str(error)
        if isinstance(error, sqlite3.OperationalError) and not missing:
            if "locked" in str(error):
                self._tell(
                    "another process holds it: what changed is kept till the end"
                )
            else:
                self._bypass(error)
            return False
        try:
            aside = _free_name(self.path + ".broken")
            os.rename(self.path, aside)
        except OSError as failure:
            self._bypass(failure)
            return False
        self._tell(f"it was broken; it was set aside as {os.path.basename(aside)}")
        return True

    def _bypass(self, why: Exception | str) -> None:
        """Go on without the file."""
        self._bypassed = True
        text = getattr(why, "strerror", None) or str(why)
        self._tell(f"cannot be used ({text}): marks last only until the program ends")

    def _tell(self, sentence: str) -> None:
        if all(problem.sentence != sentence for problem in self.problems):
            self.problems.append(Problem(self.path, sentence))


def _prepare(db: sqlite3.Connection) -> None:
    with db:
        for statement in _SCHEMA:
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {_VERSION}")


def _free_name(path: str) -> str:
    for number in range(1, 1000):
        candidate = f"{path}-{number}"
        if not os.path.lexists(candidate):
            return candidate
    return f"{path}-{os.getpid()}"
