"""What must last: printed ids, review marks, notes, the time of the last review.

It lives in SQLite in the state folder. Where that is broken, locked or not writable
the program goes on without it: nothing here raises for the disk's sake.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from contextlib import closing

from spillview.digests import sha256
from spillview.hints import TYPE_CHECKING, Any
from spillview.model import Problem
from spillview.own_files import is_stranger, mended, set_aside
from spillview.places import private_dir
from spillview.review import state_copy
from spillview.review.notes import About, Note
from spillview.text import plural

if TYPE_CHECKING:
    from spillview.places import Places

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS printed (id TEXT PRIMARY KEY, path BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS reviewed (id TEXT PRIMARY KEY, at REAL)",
    "CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value REAL NOT NULL)",
)
_NOTES = (
    "CREATE TABLE IF NOT EXISTS notes (id TEXT PRIMARY KEY, about TEXT NOT NULL, "
    "place BLOB NOT NULL, text TEXT, at REAL NOT NULL)"
)
"""Made with the first note: an older program keeps working on the same file."""
_TABLES = {"printed": 2, "reviewed": 2, "facts": 2, "notes": 5}
"""The columns of each."""
VERSION = 1
_WAIT = 0.5
"""Seconds to wait for another process before going on without."""
_ID = frozenset("0123456789abcdef")

_SESSION = "session "
"""Before the printed ids of sessions; no artifact's id begins so."""

NEVER = -1.0
"""What is kept of a moment that was taken back; no clock shows it.

As the time of a mark it says that a person asked for the thing again by its name.
"""

LATEST = 1e11
"""Seconds since the epoch; no clock shows more."""


class State:
    """The state of one user, opened when it is first asked for something.

    What cannot be written is remembered until the process ends. Methods may be called
    from any thread.
    """

    def __init__(self, places: Places) -> None:
        self.path = os.path.join(places.state_dir, "state.sqlite3")
        self.copy = os.path.join(places.state_dir, state_copy.NAME)
        self.problems: list[Problem] = []
        """Why it is not used, or that a broken one was set aside."""
        self.mended: list[Problem] = []
        """Those of them after which all goes on as before."""
        self._lock = threading.Lock()
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

    # Printed sessions, each with the ground in which it was found

    def remember_sessions(self, sessions: Iterable[str], paths: Sequence[str]) -> None:
        """Keep the paths that were read where these session ids were printed."""
        ground = os.fsencode("\0".join(map(os.path.abspath, paths)))
        self._write(
            "INSERT INTO printed VALUES (?, ?) "
            "ON CONFLICT (id) DO UPDATE SET path = excluded.path "
            "WHERE path <> excluded.path",
            [
                (f"{_SESSION}{each}", ground)
                for each in sessions
                if each.isprintable()  # what else there is cannot be typed
            ],
        )

    def grounds_of(self, prefix: str) -> list[tuple[str, ...]]:
        """Every ground in which a printed session's id begins with `prefix`."""
        if not prefix.isprintable():
            return []
        start = f"{_SESSION}{prefix}"
        rows = self._read(
            "SELECT id, path FROM printed WHERE id >= ? AND id < ? ORDER BY id",
            (start, start + "\U0010ffff"),
        )
        grounds = [path for _, path in rows if isinstance(path, bytes)]
        return [tuple(os.fsdecode(g).split("\0")) for g in dict.fromkeys(grounds)]

    # Review

    def mark_reviewed(self, ids: Iterable[str], when: float | None) -> None:
        """Mark artifacts reviewed at `when` (seconds since the epoch); None unmarks."""
        # A mark taken back stays as a row without time: it outweighs an older one.
        self._write(
            "INSERT INTO reviewed VALUES (?, ?) "
            "ON CONFLICT (id) DO UPDATE SET at = excluded.at",
            [(ident, when) for ident in ids],
        )

    def reopen(self, ids: Iterable[str]) -> None:
        """Take marks back, so that the next report has these whatever its period."""
        self.mark_reviewed(ids, NEVER)

    def reopened(self) -> set[str]:
        """What was opened again by its name and not marked since."""
        marks = dict(self._read("SELECT id, at FROM reviewed"))
        return {ident for ident, at in marks.items() if at == NEVER}

    def reviewed(self) -> dict[str, float]:
        """Every mark: artifact id to the time it was made."""
        marks = dict(self._read("SELECT id, at FROM reviewed"))
        moments = {i: _moment(at) for i, at in marks.items()}
        return {i: at for i, at in moments.items() if at is not None}

    def set_note(self, note: Note) -> None:
        """Keep a note instead of an earlier one; an empty text takes it back."""
        place = note.place.encode("utf-8", "surrogateescape")
        text = note.text.encode("utf-8", "replace").decode() or None
        self._write(
            "INSERT INTO notes VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
            " about = excluded.about, place = excluded.place, text = excluded.text,"
            " at = excluded.at",
            [(note.id, note.about, place, text, note.when)],
            needs=_NOTES,
        )

    def notes(self) -> dict[str, Note]:
        """Every note by what it is about, in the order of their times."""
        kept: dict[str, Note] = {}
        for ident, about, place, text, at in self._read(
            "SELECT id, about, place, text, at FROM notes ORDER BY at", optional=True
        ):
            kept.pop(ident, None)
            if isinstance(text, str) and isinstance(place, bytes):
                where = place.decode("utf-8", "surrogateescape")
                when = _moment(at) or 0.0
                kept[ident] = Note(ident, _about(about), where, text, when)
        return kept

    def last_review(self, paths: Sequence[str] = ()) -> float | None:
        """The time up to which these paths were reviewed; None before the first.

        No paths are the user's own stores; either has a period of its own.
        """
        return self._fact(_of_ground("last_review", paths))

    def set_last_review(self, when: float | None, paths: Sequence[str] = ()) -> None:
        """Remember that everything of these paths up to `when` was reviewed.

        None takes that back.
        """
        moment = when if when is not None else NEVER
        self._set_fact(_of_ground("last_review", paths), moment)

    def last_report(self, paths: Sequence[str] = ()) -> float | None:
        """The moment of their last report that was given; None before the first."""
        return self._fact(_of_ground("last_report", paths))

    def set_last_report(self, when: float, paths: Sequence[str] = ()) -> None:
        """Remember that a report of everything of them up to `when` was given."""
        self._set_fact(_of_ground("last_report", paths), when)

    def last_done(self, paths: Sequence[str] = ()) -> tuple[float, float | None] | None:
        """The last review of these paths that can be taken back; None where none can.

        Up to which moment it was done, and where the period had begun before it.
        """
        done = self._fact(_of_ground("last_done", paths))
        if done is None:
            return None
        return done, self._fact(_of_ground("before_done", paths))

    def set_last_done(
        self, when: float | None, before: float | None, paths: Sequence[str] = ()
    ) -> None:
        """Remember a review that was done, so that it can be taken back; None: none."""
        for name, moment in (("before_done", before), ("last_done", when)):
            value = moment if moment is not None else NEVER
            self._set_fact(_of_ground(name, paths), value)

    def _fact(self, name: str) -> float | None:
        rows = self._read("SELECT value FROM facts WHERE name = ?", (name,))
        return _moment(rows[-1][0]) if rows else None

    def _set_fact(self, name: str, value: float) -> None:
        self._write(
            "INSERT INTO facts VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [(name, value)],
        )

    # The database

    def _read(
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

    def _write(
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
            self._tell(
                f"cannot be written ({error}): marks last only until the program ends"
            )
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
        text = getattr(why, "strerror", None) or str(why)
        self._tell(f"cannot be used ({text}): marks last only until the program ends")

    def _mended(self, sentence: str) -> None:
        self.mended.append(mended(self.path, sentence))
        self._tell(sentence)

    def _tell(self, sentence: str) -> None:
        if all(problem.sentence != sentence for problem in self.problems):
            self.problems.append(Problem(self.path, sentence))


def _about(word: object) -> About:
    return "session" if word == "session" else "artifact"


def _of_ground(fact: str, paths: Sequence[str]) -> str:
    """The name of a fact of some paths, whatever their order and their links."""
    if not paths:
        return fact
    real = sorted({os.path.realpath(path) for path in paths})
    ground = sha256(os.fsencode("\0".join(real))).hexdigest()[:16]
    return f"{fact} {ground}"


def _moment(value: object) -> float | None:
    """A moment that a clock can show; None for whatever else a file may hold."""
    if not isinstance(value, int | float) or not 0 <= value < LATEST:
        return None
    return float(value)


def _prepare(db: sqlite3.Connection) -> None:
    with db:
        for statement in (*_SCHEMA, _NOTES):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {VERSION}")
