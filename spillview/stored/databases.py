"""Reading SQLite databases of other programs: never writing, never in their way.

No lock is ever taken that a writer could meet. A database that nobody is changing is
read where it lies, as immutable, and checked again afterwards. One whose newest rows
are still in its `-wal`, one with a `-journal`, and one that was written a moment ago is
copied into a private folder (`snapshots`), and SQLite recovers the copy. Only a large
one in WAL mode, where readers and writers never wait for each other, is read with
SQLite's own locks. What comes out is one committed state, or `Unreadable`.

Nothing but tables is read: a view, a virtual table or a generated column could be made
to compute for ever.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import TYPE_CHECKING

from spillview.errors import Cancelled, Unreadable
from spillview.named import NamedTuple
from spillview.stored import snapshots
from spillview.stored.connections import connect, refusal
from spillview.stored.snapshots import Marks, shown

if TYPE_CHECKING:
    import sqlite3

    from spillview.content.content import FileContent

_SMALL = 64 << 20
"""Databases up to this size are copied rather than read with locks."""
_STEPS = 100_000
_MOST_STEPS = 10_000
"""A query ends after so many times `_STEPS` instructions of SQLite's machine."""
_MOST_TABLES = 2_000
_CHECK_EVERY = 1_000
_WAIT = 2.0
_SHARED = (510, 0x40000002)
"""Length and start of the bytes on which a reader of a database has a shared lock."""

Value = int | float | str | bytes | None


class State(NamedTuple):
    """What tells that a database changed, its write-ahead log included."""

    dev: int
    ino: int
    size: int
    """Bytes of the database and of its `-wal`."""
    mtime_ns: int
    """The later one of both."""


def state(path: str, facts: os.stat_result | None = None) -> State:
    """The state of the database at `path`, from entries alone. Raises OSError."""
    if facts is None:
        facts = os.lstat(path)
    size, mtime_ns = facts.st_size, facts.st_mtime_ns
    try:
        wal = os.lstat(path + "-wal")
    except OSError:
        pass
    else:
        if stat.S_ISREG(wal.st_mode):
            size, mtime_ns = size + wal.st_size, max(mtime_ns, wal.st_mtime_ns)
    return State(facts.st_dev, facts.st_ino, size, mtime_ns)


def open_database(
    path: str,
    *,
    cancelled: Callable[[], bool] | None = None,
    room: str | None = None,
) -> Database:
    """Open the database at `path` for reading; its owner notices nothing of it.

    `room` is the folder for a private copy, the temporary folder by default. Raises
    `NotRegular` (a link, a FIFO), `ArtifactGone`, `Cancelled`, or `Unreadable`: no
    database, encrypted, corrupt, or too large to copy while it changes.
    """
    deadline = time.monotonic() + _WAIT
    while True:
        found = snapshots.look(path)
        try:
            if not found.hot and not found.wal.size:
                if found.settled:
                    return _direct(path, found, cancelled)
            elif found.wal.size and not found.hot and found.size > _SMALL:
                database = _with_locks(path, found, cancelled)
                if database is not None:
                    return database
            return _copied(
                path, snapshots.take(path, found, room, cancelled), cancelled
            )
        except snapshots.Moved as moved:
            if time.monotonic() > deadline:
                raise Unreadable(str(moved)) from None
        except snapshots.TooLarge:
            if found.settled or time.monotonic() > deadline:
                raise
        if cancelled is not None and cancelled():
            raise Cancelled("Nobody waits for this database any more.")
        time.sleep(0.002)


class Database:
    """One committed state of a database; close it soon. Made by `open_database`."""

    def __init__(
        self,
        path: str,
        connection: sqlite3.Connection,
        cancelled: Callable[[], bool] | None = None,
        *,
        marks: Marks | None = None,
        guard: FileContent | None = None,
    ) -> None:
        self.path = path
        self._connection = connection
        self._cancelled = cancelled
        self._marks = marks
        """What must still be so when everything was read."""
        self._guard = guard
        self._steps = 0
        self._tables: dict[str, tuple[str, ...]] = {}
        connection.set_progress_handler(self._progress, _STEPS)
        with self._translated():
            self._tables = self._read_tables()
            connection.set_authorizer(self._allowed)

    @property
    def tables(self) -> Mapping[str, tuple[str, ...]]:
        """The ordinary tables and their stored columns."""
        return MappingProxyType(self._tables)

    def has(self, table: str, *columns: str) -> bool:
        """Whether there is such a table, and it has all these columns."""
        return set(columns) <= set(self._tables.get(table, ())) and (
            table in self._tables
        )

    def query(
        self, sql: str, params: Sequence[Value] = ()
    ) -> Iterator[tuple[Value, ...]]:
        """The rows, one by one; the whole answer is of one state.

        Where the database was changed while it was read, `Unreadable` comes at the end
        or between, and what came before it is to be thrown away. Raises `Cancelled`.
        """
        import sqlite3

        self._steps = 0
        number = 0
        with self._translated():
            cursor = self._connection.execute(sql, params)
            try:
                for row in cursor:
                    yield row
                    number += 1
                    if not number % _CHECK_EVERY:
                        self.verify()
            finally:
                with suppress(sqlite3.Error):  # closed with the database by now
                    cursor.close()
        self.verify()

    def blob(
        self, table: str, column: str, rowid: int, length: int
    ) -> Generator[bytes]:
        """A text or blob in parts of at most `length` bytes, whatever its size."""
        import sqlite3

        self._steps = 0
        if not self.has(table, column):
            raise Unreadable(f"{shown(self.path)} has no {table}.{column}.")
        with self._translated():
            blob = self._connection.blobopen(table, column, rowid, readonly=True)
            try:
                while data := blob.read(length):
                    if self._cancelled is not None and self._cancelled():
                        raise Cancelled("Nobody waits for this row any more.")
                    yield data
            finally:
                with suppress(sqlite3.Error):  # closed with the database by now
                    blob.close()
        self.verify()

    def verify(self) -> None:
        """Raises `Unreadable` when the database changed since it was opened."""
        if self._marks is None:
            return
        try:
            same = snapshots.unchanged(self.path, self._marks)
        except snapshots.Moved as moved:
            raise Unreadable(str(moved)) from None
        if not same:
            raise Unreadable(f"{shown(self.path)} was written while it was read.")

    def close(self) -> None:
        """Give everything back; closing twice is fine."""
        self._connection.close()
        guard, self._guard = self._guard, None
        if guard is not None:
            _let_go(guard)

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read_tables(self) -> dict[str, tuple[str, ...]]:
        names = self._connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
            f" AND typeof(name) = 'text' AND length(name) < 200 LIMIT {_MOST_TABLES}"
        ).fetchall()
        tables = {}
        for (name,) in names:
            columns = self._connection.execute(
                "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", (name,)
            )
            tables[name] = tuple(column for (column,) in columns)
        return tables

    def _allowed(
        self,
        action: int,
        first: str | None,
        second: str | None,
        _database: str | None,
        within: str | None,
    ) -> int:
        """Reading stored columns of ordinary tables, and nothing else."""
        import sqlite3

        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, _RECURSIVE):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and first is not None:
            columns = self._tables.get(first)
            if columns is not None and (not second or second in (*columns, "ROWID")):
                return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    def _progress(self) -> int:
        self._steps += 1
        if self._cancelled is not None and self._cancelled():
            return 1
        return int(self._steps > _MOST_STEPS)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        import sqlite3

        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if self._cancelled is not None and self._cancelled():
                raise Cancelled("Nobody waits for this database any more.") from None
            self.verify()  # damaged, or changed meanwhile
            raise refusal(self.path, error) from error


_RECURSIVE = 33
"""SQLITE_RECURSIVE; the module does not always name it."""


def _direct(path: str, found: Marks, cancelled: Callable[[], bool] | None) -> Database:
    """The database where it lies: SQLite looks for no lock, journal or log."""
    try:
        connection = connect(path, path, "mode=ro&immutable=1")
        return _database(path, connection, cancelled, marks=found)
    except Unreadable:
        if snapshots.unchanged(path, found):
            raise
        raise snapshots.Moved(f"{shown(path)} was written while it was read.") from None


def _copied(path: str, folder: str, cancelled: Callable[[], bool] | None) -> Database:
    """The private copy, recovered by SQLite; its names are gone at once."""
    import shutil

    try:
        copy = os.path.join(folder, "copy")
        connection = connect(path, copy, "mode=rw", "PRAGMA locking_mode=EXCLUSIVE")
        return _database(path, connection, cancelled)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _with_locks(
    path: str, found: Marks, cancelled: Callable[[], bool] | None
) -> Database | None:
    """A large database in WAL mode as one of its readers; None where that is not sure.

    With a shared lock held first, its owner cannot take log and index away in between,
    so that SQLite never comes to make them.
    """
    try:
        import fcntl
    except ImportError:  # not on this platform
        return None
    snapshots.hold((found.dev, found.ino))
    guard: FileContent | None = None
    try:
        guard = snapshots.opened(path)
        now = snapshots.look(path)
        fcntl.lockf(guard.fileno(), fcntl.LOCK_SH | fcntl.LOCK_NB, *_SHARED)
        index = snapshots.side(path + "-shm")
        log = snapshots.side(path + "-wal")
        if guard.key[:2] == (found.dev, found.ino) == (now.dev, now.ino) and (
            now.in_wal_mode and index.size and log.size
        ):
            how = "mode=ro&readonly_shm=1"
            connection = connect(path, path, how, "BEGIN")
            database = _database(path, connection, cancelled, guard=guard)
            guard = None
            return database
    except (OSError, Unreadable):
        pass
    finally:
        if guard is not None:
            _let_go(guard)
    return None


def _let_go(guard: FileContent) -> None:
    key = (guard.dev, guard.ino)
    snapshots.close(guard)
    snapshots.release(key)


def _database(
    path: str,
    connection: sqlite3.Connection,
    cancelled: Callable[[], bool] | None,
    *,
    marks: Marks | None = None,
    guard: FileContent | None = None,
) -> Database:
    try:
        return Database(path, connection, cancelled, marks=marks, guard=guard)
    except BaseException:  # whatever it was: it is not left open
        connection.close()
        raise
