"""Facts that can be had again by reading the files: counts, transcripts, links.

One SQLite file in the cache folder. It is never needed: a broken one is set aside, a
locked or unwritable one is bypassed, and every fact carries the device, inode, size
and mtime it holds for.
"""

from __future__ import annotations

import os
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from sys import intern

from spillview.catalogue.cache_file import CacheFile
from spillview.compression import zstd
from spillview.hints import TYPE_CHECKING, Any, cast
from spillview.model import Counts, Found, Kind, Line

if TYPE_CHECKING:
    from spillview.links.sheets import Sheet
    from spillview.secrets.kept import Known

RULES_VERSION = "2"
"""Raised whenever the rules for credentials find something else."""

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

Key = tuple[int, int, int, int]


def as_stored(key: Key) -> Key:
    """The key as signed 64-bit numbers: some filesystems have larger inodes."""
    if max(key) < 1 << 63:
        return key
    dev, ino, size, mtime_ns = (
        part - (1 << 64) if part >= 1 << 63 else part for part in key
    )
    return dev, ino, size, mtime_ns


class Cache(CacheFile):
    """What is kept of artifacts, transcripts and sessions, each fact with its key."""

    def counts(self, found: Sequence[Found]) -> dict[str, Counts]:
        """Cached counts by artifact id, where the file is unchanged since."""
        return {
            item.id: _counts(row[5:])
            for row, item in self.rows("counts", found)
            if row[1:5] == as_stored(item.key)
            and tuple(map(type, row[5:])) in _TYPES  # a damaged row is counted anew
        }

    def store_counts(self, items: Iterable[tuple[Found, Counts]]) -> bool:
        """Keep the counts of these artifacts; whether they are kept."""
        return self.insert(
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
        row = self.run(
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
        return self.insert(
            "facts", [(os.fsencode(path), rules, *as_stored(key), _sealed(data))]
        )

    def facts_keys(self) -> dict[str, tuple[str, Key]]:
        """Rules and key (`as_stored`) of each transcript's facts, by path."""
        statement = "select path, rules, dev, ino, size, mtime_ns from facts"
        rows = self.run(lambda db: db.execute(statement).fetchall(), write=False)
        return {os.fsdecode(row[0]): (row[1], row[2:]) for row in rows or ()}

    def sheets(
        self,
    ) -> Iterator[tuple[tuple[str, str], str, Callable[[], Sheet | None]]]:
        """Every stored sheet: its session, its token, and what gives it."""
        from spillview.links.sheets import unpack

        statement = "select harness, session, token, data from sheets"
        rows = self.run(lambda db: db.execute(statement).fetchall(), write=False)
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
        self.insert("sheets", rows)

    def line_tokens(self) -> dict[tuple[str, str], str]:
        """What the kept lines of each session hold for."""
        statement = "select harness, session, token from lines"
        rows = self.run(lambda db: db.execute(statement).fetchall(), write=False)
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
        row = self.run(lambda db: db.execute(statement, name).fetchone(), write=False)
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
        self.insert("lines", rows)

    def gists(
        self,
    ) -> Iterator[tuple[tuple[str, str], str, Callable[[], bytes | None]]]:
        """The kept gists of each session: their token, and what gives them."""
        statement = "select harness, session, token, data from gists"
        rows = self.run(lambda db: db.execute(statement).fetchall(), write=False)
        for harness, session, token, sealed in rows or ():
            group = (intern(harness), session.decode("utf-8", "surrogatepass"))
            yield group, token, partial(_whole, sealed)

    def gist_texts(self, group: tuple[str, str]) -> bytes | None:
        """The texts that are kept beside a session's gists; None if damaged."""
        statement = "select said from gists where harness = ? and session = ?"
        name = (group[0], group[1].encode("utf-8", "surrogatepass"))
        row = self.run(lambda db: db.execute(statement, name).fetchone(), write=False)
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
        self.insert("gists", rows)

    def has_counts(self) -> bool:
        """Whether anything was ever counted."""
        return self._has_any("counts")

    def has_looks(self) -> bool:
        """Whether anything was ever looked at."""
        return self._has_any("looks")

    def _has_any(self, table: str) -> bool:
        statement = f"select 1 from {table} limit 1"
        row = self.run(lambda db: db.execute(statement).fetchone(), write=False)
        return row is not None

    def looks(self, found: Sequence[Found]) -> dict[str, tuple[str, bytes]]:
        """Stored results of looking at an artifact's envelope: id → (token, data)."""
        return {
            item.id: (row[1], data)
            for row, item in self.rows("looks", found)
            if (data := _whole(row[2])) is not None
        }

    def store_looks(self, items: Iterable[tuple[Found, str, bytes]]) -> bool:
        """Keep the results of looking at these artifacts; whether they are kept."""
        return self.insert(
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
            for row, item in self.rows("secrets", found)
            if row[1:5] == as_stored(item.key) and row[5] == RULES_VERSION
        }

    def holding_secrets(self) -> Known | None:
        """Every artifact that was found to hold credentials; None if there is none."""
        statement = "select * from secrets where number > 0 and version = ?"
        rows = self.run(
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
        self.insert(
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
