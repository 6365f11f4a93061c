"""The one SQLite file of what can be had again by reading: opened, mended, bypassed.

It is never needed: a broken one is set aside, a locked or unwritable one is bypassed.
"""

from __future__ import annotations

import contextlib
import os
from _thread import RLock
from collections.abc import Callable, Iterator, Sequence

from spillview.hints import Any, TypeVar
from spillview.model import Found, Problem
from spillview.own_files import is_stranger, mended, set_aside, unwritable
from spillview.places import private_dir
from spillview.sqlite import sqlite3

SCHEMA = 6
"""Raised whenever a table or the meaning of a stored fact changes."""

_TABLES = """
create table counts (
    path blob primary key, dev integer, ino integer, size integer, mtime_ns integer,
    bytes integer, chars integer, utf16 integer, lines integer,
    encoding text, kind text, partial integer,
    verdict_number integer, verdict_start integer, verdict_end integer,
    verdict_text text, verdict_truncated integer, form text
) without rowid;
create table facts (
    path blob primary key, rules text, dev integer, ino integer, size integer,
    mtime_ns integer, data blob
) without rowid;
create table looks (
    path blob primary key, token text, data blob
) without rowid;
create table lines (
    harness text, session blob, token text, data blob, primary key (harness, session)
) without rowid;
create table gists (
    harness text, session blob, token text, data blob, said blob,
    primary key (harness, session)
) without rowid;
create table sheets (
    harness text, session blob, token text, data blob, primary key (harness, session)
) without rowid;
"""

_SECRETS = """
create table if not exists secrets (
    path blob primary key, dev integer, ino integer, size integer, mtime_ns integer,
    version text, harness text, session blob, number integer, data blob
) without rowid
"""

FEW = 400
"""Up to so many artifacts are looked up by name instead of reading the table."""

T = TypeVar("T")


class CacheFile:
    """The file, or a stand-in that remembers nothing when it cannot be used.

    Methods may be called from any thread.
    """

    def __init__(self, path: str | None) -> None:
        """Open `path`, making it if needed; None gives a cache that stores nothing."""
        self._lock = RLock()
        self._path = path
        self._db: sqlite3.Connection | None = None
        self.problem: str | None = None
        """Why the cache is bypassed, as a plain sentence; None when it works."""
        self.mended: list[Problem] = []
        """What became of a broken one."""
        if path is not None:
            self._open(path)

    def _open(self, path: str) -> None:
        for attempt in (1, 2):
            try:
                private_dir(os.path.dirname(path))
                if is_stranger(path):
                    self._set_aside(path)
                self._db = self._connect(path)
                return
            except sqlite3.OperationalError as error:
                # Locked by another process, or a folder that cannot be written.
                self.problem = f"There is no cache: {unwritable(path, error)}."
                return
            except (sqlite3.DatabaseError, ValueError):
                if attempt == 1 and self._set_aside(path):
                    continue
                self.problem = f"The cache {path} is broken and cannot be made anew."
            except OSError as error:
                self.problem = f"There is no cache: {unwritable(path, error)}."
                return

    def _set_aside(self, path: str) -> bool:
        try:
            aside = set_aside(path)
        except OSError:
            return False
        self.mended.append(
            mended(
                path,
                f"it was broken; it was set aside as {os.path.basename(aside)}, and"
                " what it held is read anew",
            )
        )
        return True

    @staticmethod
    def _connect(path: str) -> sqlite3.Connection:
        # Not through a planted link; private from the first byte.
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        os.close(os.open(path, flags, 0o600))
        db = sqlite3.connect(
            path, timeout=0.5, check_same_thread=False, isolation_level=None
        )
        try:
            db.execute("pragma journal_mode = wal")
            db.execute("pragma synchronous = off")
            (version,) = db.execute("pragma user_version").fetchone()
            if version != SCHEMA:
                tables = db.execute(
                    "select name from sqlite_master where type = 'table'"
                ).fetchall()
                db.execute("begin immediate")
                for (name,) in tables:
                    db.execute(f'drop table "{name}"')
                for statement in _TABLES.split(";"):
                    db.execute(statement)
                db.execute(f"pragma user_version = {SCHEMA}")
                db.execute("commit")
            db.execute(_SECRETS)
            db.execute("select count(*) from counts where path = x''").fetchone()
        except BaseException:
            db.close()
            raise
        return db

    @property
    def lasts(self) -> bool:
        """Whether what is kept here is there the next time."""
        return self._db is not None

    def close(self) -> None:
        """Close the file; the cache remembers nothing from then on."""
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    def run(self, work: Callable[[sqlite3.Connection], T], write: bool) -> T | None:
        """What `work` gives, under the lock; whatever fails bypasses the cache."""
        with self._lock:
            if self._db is None:
                return None
            try:
                if not write:
                    return work(self._db)
                self._db.execute("begin immediate")
                result = work(self._db)
                self._db.execute("commit")
                return result
            except sqlite3.Error as error:
                self.problem = f"The cache was bypassed ({error})."
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("rollback")
                if not isinstance(error, sqlite3.OperationalError):
                    # Damaged: the next start makes it anew.
                    self._db.close()
                    self._db = None
                    self._set_aside(self._path or "")
                return None

    def rows(self, table: str, found: Sequence[Found]) -> Iterator[tuple[Any, Found]]:
        """The table's rows of these artifacts, each with its artifact."""
        if not found or not self.lasts:
            return
        by_path = {os.fsencode(item.address): item for item in found}

        def select(db: sqlite3.Connection) -> list[tuple[Any, ...]]:
            if len(by_path) > FEW:
                return db.execute(f"select * from {table}").fetchall()
            marks = ",".join("?" * len(by_path))
            statement = f"select * from {table} where path in ({marks})"
            return db.execute(statement, list(by_path)).fetchall()

        for row in self.run(select, write=False) or ():
            item = by_path.get(row[0])
            if item is not None:
                yield row, item

    def insert(self, table: str, rows: list[tuple[Any, ...]]) -> bool:
        """Write these rows; whether they are there now."""
        if not rows:
            return True
        marks = ",".join("?" * len(rows[0]))
        statement = f"insert or replace into {table} values ({marks})"
        done = self.run(lambda db: db.executemany(statement, rows), write=True)
        return done is not None
