"""Connections to SQLite files of other programs, which trust nothing that these say."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from spillview.errors import Unreadable
from spillview.stored.snapshots import shown
from spillview.text import printable

if TYPE_CHECKING:
    import sqlite3

LONGEST = 64 << 20
"""A text or blob that is longer ends the query that wants it: ask for its `length()`
first, or read it with `Database.blob`."""


def connect(path: str, file: str, how: str, first: str = "") -> sqlite3.Connection:
    """A connection to `file` that trusts nothing of what it says.

    `how` are the parameters of SQLite's URI, `first` is a statement that comes before
    any other. Raises `Unreadable`, which names `path`.
    """
    import sqlite3
    from urllib.parse import quote

    try:
        connection = sqlite3.connect(
            f"file://{quote(os.fsencode(os.path.abspath(file)))}?{how}",
            uri=True,
            timeout=0,
            isolation_level=None,
            check_same_thread=False,
        )
    except sqlite3.Error as error:
        raise refusal(path, error) from error
    try:
        for limit, most in (
            (sqlite3.SQLITE_LIMIT_LENGTH, LONGEST),
            (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
            (sqlite3.SQLITE_LIMIT_COLUMN, 500),
            (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 200),
            (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 10),
            (sqlite3.SQLITE_LIMIT_VDBE_OP, 25_000),
            (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
            (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200),
            (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
            (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
        ):
            connection.setlimit(limit, most)
        connection.text_factory = _text
        if first:
            connection.execute(first)
        for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0"):
            connection.execute(f"PRAGMA {pragma}")
        # The first read: log or journal are recovered, and every file is open.
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        connection.execute("PRAGMA query_only=ON")
    except (sqlite3.Error, UnicodeDecodeError) as error:
        connection.close()
        raise refusal(path, error) from error
    except BaseException:  # a Ctrl+C: it is not left open
        connection.close()
        raise
    return connection


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def refusal(path: str, error: sqlite3.Error | UnicodeDecodeError) -> Unreadable:
    """The reason as a sentence; SQLite's own may quote bytes that are no text."""
    name = getattr(error, "sqlite_errorname", "") or ""
    if isinstance(error, UnicodeDecodeError):
        name = "SQLITE_CORRUPT"
    if name.startswith("SQLITE_INTERRUPT"):
        reason = "asks for endless work"
    elif name.startswith("SQLITE_NOTADB"):
        reason = "is no SQLite database, or it is encrypted"
    elif name.startswith("SQLITE_CORRUPT"):
        reason = "is a damaged database"
    elif name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        reason = "is locked by its owner"
    elif name.startswith("SQLITE_TOOBIG"):
        reason = f"has a value of more than {LONGEST:,} bytes where it was read"
    else:
        reason = f"could not be read: {printable(str(error))}"
    return Unreadable(f"{shown(path)} {reason}.")
