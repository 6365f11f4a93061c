"""Facts that can be had again by reading the files: counts, transcripts, links.

One SQLite file in the cache folder. It is never needed: a broken one is set aside, a
locked or unwritable one is bypassed, and every fact carries the device, inode, size
and mtime it holds for.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from sys import intern
from typing import TYPE_CHECKING, Any, TypeVar, cast

from spillview.compression import zstd
from spillview.model import Counts, Found, Kind, Line, Problem
from spillview.own_files import is_stranger, mended, set_aside
from spillview.places import private_dir

if TYPE_CHECKING:
    from spillview.links.sheets import Sheet
    from spillview.secrets.kept import Known

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

RULES_VERSION = "1"
"""Raised whenever the rules for credentials find something else."""

_SECRETS = """
create table if not exists secrets (
    path blob primary key, dev integer, ino integer, size integer, mtime_ns integer,
    version text, harness text, session blob, number integer, data blob
) without rowid
"""

BATCH = 64
"""So many sessions are written at once."""

MANY = 512
"""So many results of artifacts are written at once."""

MUCH = 64 << 20
"""Or those of so many bytes of artifacts, which would take a while to have again."""

LARGE = 1 << 18
"""Facts of more bytes are packed: the database takes several copies of each."""

_PACKED = b"\x28\xb5\x2f\xfd"
"""What packed facts begin with, and JSON never."""

FEW = 400
"""Up to so many artifacts are looked up by name instead of reading the table."""

Key = tuple[int, int, int, int]
T = TypeVar("T")


def as_stored(key: Key) -> Key:
    """The key as signed 64-bit numbers: some filesystems have larger inodes."""
    if max(key) < 1 << 63:
        return key
    dev, ino, size, mtime_ns = (
        part - (1 << 64) if part >= 1 << 63 else part for part in key
    )
    return dev, ino, size, mtime_ns


class Cache:
    """The cache file, or a stand-in that remembers nothing when it cannot be used.

    Methods may be called from any thread.
    """

    def __init__(self, path: str | None) -> None:
        """Open `path`, making it if needed; None gives a cache that stores nothing."""
        self._lock = threading.RLock()
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
                self.problem = f"The cache {path} cannot be used ({error})."
                return
            except (sqlite3.DatabaseError, ValueError):
                if attempt == 1 and self._set_aside(path):
                    continue
                self.problem = f"The cache {path} is broken and cannot be made anew."
            except OSError as error:
                self.problem = f"The cache {path} cannot be used ({error.strerror})."
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

    def _run(self, work: Callable[[sqlite3.Connection], T], write: bool) -> T | None:
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

    def _rows(self, table: str, found: Sequence[Found]) -> Iterator[tuple[Any, Found]]:
        """The table's rows of these artifacts, each with its artifact."""
        if not found:
            return
        by_path = {os.fsencode(item.address): item for item in found}

        def select(db: sqlite3.Connection) -> list[tuple[Any, ...]]:
            if len(by_path) > FEW:
                return db.execute(f"select * from {table}").fetchall()
            marks = ",".join("?" * len(by_path))
            statement = f"select * from {table} where path in ({marks})"
            return db.execute(statement, list(by_path)).fetchall()

        for row in self._run(select, write=False) or ():
            item = by_path.get(row[0])
            if item is not None:
                yield row, item

    def _insert(self, table: str, rows: list[tuple[Any, ...]]) -> bool:
        """Write these rows; whether they are there now."""
        if not rows:
            return True
        marks = ",".join("?" * len(rows[0]))
        statement = f"insert or replace into {table} values ({marks})"
        done = self._run(lambda db: db.executemany(statement, rows), write=True)
        return done is not None

    def counts(self, found: Sequence[Found]) -> dict[str, Counts]:
        """Cached counts by artifact id, where the file is unchanged since."""
        return {
            item.id: _counts(row[5:])
            for row, item in self._rows("counts", found)
            if row[1:5] == as_stored(item.key)
            and tuple(map(type, row[5:])) in _TYPES  # a damaged row is counted anew
        }

    def store_counts(self, items: Iterable[tuple[Found, Counts]]) -> bool:
        """Keep the counts of these artifacts; whether they are kept."""
        return self._insert(
            "counts",
            [
                (
                    os.fsencode(found.address),
                    *as_stored(found.key),
                    *_counts_row(counts),
                )
                for found, counts in items
            ],
        )

    def facts(self, path: str, rules: str, key: Key) -> tuple[bool, bytes] | None:
        """A transcript's stored facts, and whether they hold for `key` as they are.

        `rules` names the version of the notice rules they were read with.
        """
        row = self._run(
            lambda db: db.execute(
                "select dev, ino, size, mtime_ns, data from facts"
                " where path = ? and rules = ?",
                (os.fsencode(path), rules),
            ).fetchone(),
            write=False,
        )
        if row is None or (data := _whole(row[4])) is None:
            return None
        if data.startswith(_PACKED):
            data = zstd().decompress(data)
        return row[:4] == as_stored(key), data

    def store_facts(self, path: str, rules: str, key: Key, data: bytes) -> bool:
        """Keep a transcript's facts; whether they are kept."""
        if len(data) > LARGE:
            data = zstd().compress(data, 1)
        return self._insert(
            "facts", [(os.fsencode(path), rules, *as_stored(key), _sealed(data))]
        )

    def facts_keys(self) -> dict[str, tuple[str, Key]]:
        """Rules and key (`as_stored`) of each transcript's facts, by path."""
        statement = "select path, rules, dev, ino, size, mtime_ns from facts"
        rows = self._run(lambda db: db.execute(statement).fetchall(), write=False)
        return {os.fsdecode(row[0]): (row[1], row[2:]) for row in rows or ()}

    def sheets(
        self,
    ) -> Iterator[tuple[tuple[str, str], str, Callable[[], Sheet | None]]]:
        """Every stored sheet: its session, its token, and what gives it."""
        from spillview.links.sheets import unpack

        statement = "select harness, session, token, data from sheets"
        rows = self._run(lambda db: db.execute(statement).fetchall(), write=False)
        for harness, session, token, data in rows or ():
            group = (intern(harness), session.decode("utf-8", "surrogatepass"))
            yield group, token, partial(unpack, token, data)

    def store_sheets(self, sheets: Mapping[tuple[str, str], Sheet]) -> None:
        """Keep these sheets."""
        from spillview.links.sheets import pack

        rows: list[tuple[Any, ...]] = []
        for (harness, session), sheet in sheets.items():
            data = pack(sheet)
            if data is not None:
                name = session.encode("utf-8", "surrogatepass")
                rows.append((harness, name, sheet.token, data))
        self._insert("sheets", rows)

    def line_tokens(self) -> dict[tuple[str, str], str]:
        """What the kept lines of each session hold for."""
        statement = "select harness, session, token from lines"
        rows = self._run(lambda db: db.execute(statement).fetchall(), write=False)
        return {
            (harness, session.decode("utf-8", "surrogatepass")): token
            for harness, session, token in rows or ()
        }

    def lines(
        self, group: tuple[str, str], token: str
    ) -> tuple[array[int], bytes] | None:
        """The kept lines of a session, and the order in which they are.

        None where they are damaged, or others by now.
        """
        statement = (
            "select data from lines where harness = ? and session = ? and token = ?"
        )
        name = (group[0], group[1].encode("utf-8", "surrogatepass"), token)
        row = self._run(lambda db: db.execute(statement, name).fetchone(), write=False)
        kept = _whole(row[0]) if row else None
        if kept is None:
            return None
        data: bytes = zstd().decompress(kept)
        head = 4 + 4 * int.from_bytes(data[:4], "little")
        order = array("i")
        order.frombytes(data[4:head])
        return order, data[head:]

    def store_lines(
        self, lines: Mapping[tuple[str, str], tuple[str, array[int], bytes]]
    ) -> None:
        """Keep the lines of these sessions, each with its token and their order."""
        rows: list[tuple[Any, ...]] = []
        for (harness, session), (token, order, text) in lines.items():
            name = session.encode("utf-8", "surrogatepass")
            data = len(order).to_bytes(4, "little") + order.tobytes() + text
            rows.append((harness, name, token, _sealed(zstd().compress(data, 1))))
        self._insert("lines", rows)

    def gists(
        self,
    ) -> Iterator[tuple[tuple[str, str], str, Callable[[], bytes | None]]]:
        """The kept gists of each session: their token, and what gives them."""
        statement = "select harness, session, token, data from gists"
        rows = self._run(lambda db: db.execute(statement).fetchall(), write=False)
        for harness, session, token, sealed in rows or ():
            group = (intern(harness), session.decode("utf-8", "surrogatepass"))
            yield group, token, partial(_whole, sealed)

    def gist_texts(self, group: tuple[str, str]) -> bytes | None:
        """The texts that are kept beside a session's gists; None if damaged."""
        statement = "select said from gists where harness = ? and session = ?"
        name = (group[0], group[1].encode("utf-8", "surrogatepass"))
        row = self._run(lambda db: db.execute(statement, name).fetchone(), write=False)
        data = _whole(row[0]) if row else None
        return None if data is None else bytes(zstd().decompress(data))

    def store_gists(
        self, gists: Mapping[tuple[str, str], tuple[str, bytes, bytes]]
    ) -> None:
        """Keep the gists of these sessions, each with its token and its texts."""
        rows: list[tuple[Any, ...]] = []
        for (harness, session), (token, data, texts) in gists.items():
            name = session.encode("utf-8", "surrogatepass")
            said = _sealed(zstd().compress(texts, 1))
            rows.append((harness, name, token, _sealed(data), said))
        self._insert("gists", rows)

    def has_counts(self) -> bool:
        """Whether anything was ever counted."""
        return self._has_any("counts")

    def has_looks(self) -> bool:
        """Whether anything was ever looked at."""
        return self._has_any("looks")

    def _has_any(self, table: str) -> bool:
        statement = f"select 1 from {table} limit 1"
        row = self._run(lambda db: db.execute(statement).fetchone(), write=False)
        return row is not None

    def looks(self, found: Sequence[Found]) -> dict[str, tuple[str, bytes]]:
        """Stored results of looking at an artifact's envelope: id → (token, data)."""
        return {
            item.id: (row[1], data)
            for row, item in self._rows("looks", found)
            if (data := _whole(row[2])) is not None
        }

    def store_looks(self, items: Iterable[tuple[Found, str, bytes]]) -> bool:
        """Keep the results of looking at these artifacts; whether they are kept."""
        return self._insert(
            "looks",
            [
                (os.fsencode(found.address), token, _sealed(data))
                for found, token, data in items
            ],
        )

    def looked_for_secrets(self, found: Sequence[Found]) -> set[str]:
        """Ids of those that were looked through for credentials as they are."""
        return {
            item.id
            for row, item in self._rows("secrets", found)
            if row[1:5] == as_stored(item.key) and row[5] == RULES_VERSION
        }

    def holding_secrets(self) -> Known | None:
        """Every artifact that was found to hold credentials; None if there is none."""
        statement = "select * from secrets where number > 0 and version = ?"
        rows = self._run(
            lambda db: db.execute(statement, (RULES_VERSION,)).fetchall(), write=False
        )
        if not rows:
            return None
        from spillview.secrets.kept import Holding, Known

        return Known(
            {
                row[0]: Holding(
                    row[1:5],
                    (str(row[6]), bytes(row[7]).decode("utf-8", "replace")),
                    data,
                )
                for row in rows
                if (data := _whole(row[9])) is not None
            }
        )

    def store_secrets(self, items: Iterable[tuple[Found, int, bytes]]) -> None:
        """Keep where credentials were found: how many, and the places."""
        self._insert(
            "secrets",
            [
                (
                    os.fsencode(found.address),
                    *as_stored(found.key),
                    RULES_VERSION,
                    found.harness,
                    found.session.encode("utf-8", "surrogatepass"),
                    number,
                    _sealed(data),
                )
                for found, number, data in items
            ],
        )


class Pending:
    """Results on their way to the cache, written a batch at a time."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self.counts: list[tuple[Found, Counts]] = []
        self.looks: list[tuple[Found, str, bytes]] = []
        self.bytes = 0
        """What was read for these; added to by who adds them."""

    @property
    def is_full(self) -> bool:
        """Whether a batch is together, or what it took much work to find out."""
        return len(self.counts) + len(self.looks) >= MANY or self.bytes >= MUCH

    def write(self) -> list[str]:
        """Write everything now; the ids of what the cache has then."""
        kept: list[str] = []
        if self._cache.store_counts(self.counts):
            kept += [found.id for found, _ in self.counts]
        if self._cache.store_looks(self.looks):
            kept += [found.id for found, _, _ in self.looks]
        self.counts, self.looks, self.bytes = [], [], 0
        return kept


def _sealed(data: bytes) -> bytes:
    """The data behind its checksum: nothing else tells a page of it that went stale."""
    return zlib.crc32(data).to_bytes(4, "little") + data


def _whole(stored: object) -> bytes | None:
    """The data that was sealed; None when it is not what it was."""
    if not isinstance(stored, bytes):
        return None
    data = stored[4:]
    return data if stored == _sealed(data) else None


def _counts_row(counts: Counts) -> tuple[object, ...]:
    verdict = counts.verdict
    line: tuple[object, ...] = (None,) * 5
    if verdict is not None:
        line = (
            verdict.number,
            verdict.start,
            verdict.end,
            verdict.text.encode("utf-8", "replace").decode("utf-8"),
            verdict.truncated,
        )
    return (
        counts.bytes,
        counts.chars,
        counts.utf16,
        counts.lines,
        counts.encoding,
        counts.kind,
        counts.partial,
        *line,
        counts.form,
    )


_SIZES = (int, int, int, int, str, str, int)
_TYPES = frozenset(
    (*_SIZES, *verdict, form)
    for verdict in ((int, int, int, str, int), (type(None),) * 5)
    for form in (str, type(None))
)
"""The types of a row of counts, with a verdict and without."""


def _counts(row: tuple[Any, ...]) -> Counts:
    number = row[7]
    verdict = None
    if number is not None:
        verdict = Line(number, row[8], row[9], row[10], bool(row[11]))
    size, chars, utf16, lines, encoding, kind = row[:6]
    kind = cast(Kind, intern(kind))
    partial = bool(row[6])
    encoding = intern(encoding)
    return Counts(size, chars, utf16, lines, encoding, kind, partial, verdict, row[12])
