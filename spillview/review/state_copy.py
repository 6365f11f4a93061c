"""A copy of what must last, made once a day, and what a broken file still tells."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress

from spillview.own_files import is_stranger, open_own, set_aside
from spillview.sqlite import sqlite3

NAME = "state.copy"
EVERY = 86_400
"""Seconds between two copies."""
_PAGES = 1024
"""Pages that are copied before others may write."""


def keep(db: sqlite3.Connection, path: str) -> None:
    """Copy a sound database to `path`, unless that was done within the day.

    Raises nothing: without a copy everything goes on.
    """
    with suppress(OSError, sqlite3.Error):
        if is_stranger(path):
            set_aside(path)
        elif _looks_whole(path):
            age = time.time() - os.stat(path).st_mtime
            if 0 <= age < EVERY:
                return
        if db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            return
        draft = f"{path}.new"
        with suppress(FileNotFoundError):
            if time.time() - os.lstat(draft).st_mtime > EVERY:
                os.unlink(draft)  # of one that was killed
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        os.close(os.open(draft, flags, 0o600))
        try:
            with closing(sqlite3.connect(draft)) as copy:
                db.backup(copy, pages=_PAGES)
            os.replace(draft, path)
        except BaseException:  # a Ctrl+C leaves nothing behind either
            os.unlink(draft)
            raise


def _looks_whole(path: str) -> bool:
    """Whether a file is there that is as long as the database in it says."""
    try:
        with open_own(path) as file:
            head, size = file.read(32), os.fstat(file.fileno()).st_size
    except OSError:
        return False
    page, pages = int.from_bytes(head[16:18], "big"), int.from_bytes(head[28:], "big")
    return head.startswith(b"SQLite format 3\0") and page * pages == size


def take_over(
    db: sqlite3.Connection, paths: Sequence[str], tables: Mapping[str, int]
) -> int:
    """Add what can be read of these tables (with so many columns), the first first.

    Rows that are there already stay. Gives how many came; files may be anything.
    """
    saved = 0
    for path in paths:
        if is_stranger(path) or not os.path.isfile(path):
            continue
        with (
            suppress(sqlite3.Error, ValueError),
            closing(sqlite3.connect(_uri(path), uri=True)) as old,
        ):
            for table, columns in tables.items():
                saved += _table(db, old, table, columns)
    return saved


def _table(
    db: sqlite3.Connection, old: sqlite3.Connection, table: str, columns: int
) -> int:
    """What can be read of one table, up to where it is broken."""
    saved = 0
    marks = ", ".join("?" * columns)
    with suppress(sqlite3.Error), db:
        for row in old.execute(f"SELECT * FROM {table}"):
            with suppress(sqlite3.IntegrityError):
                statement = f"INSERT OR IGNORE INTO {table} VALUES ({marks})"
                saved += db.execute(statement, row).rowcount
    return saved


def _uri(path: str) -> str:
    """Only to look: nothing beside the file is read or made."""
    from urllib.parse import quote

    return f"file:{quote(os.fsencode(path))}?mode=ro&immutable=1"
