"""Results by what they cost: as many as there are, kept in a file and not in memory.

The file is SQLite's own temporary one: it has no name, and is gone with the process.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

from spillview.errors import Unreadable

PART = 1000
"""Rows that are read together."""
MEMORY_KIB = 8 << 10
"""Of the file, so much is held in memory."""


class Cost(NamedTuple):
    """What one result cost."""

    carried: int
    """Estimated tokens x turns."""
    tokens: int
    """Estimated, of what the model received."""
    turns: int
    """Later turns that carried it, those of forks included."""
    harness: str
    session: str
    project: str | None
    tool: str | None
    command: str | None
    time: float | None
    artifact: str | None
    """Its id, where the output was spilled and is on disk."""
    spilled: bool
    transcript: str
    record: int


_COLUMNS = ", ".join(Cost._fields)
_PUT = (
    f"INSERT INTO costs (call, {_COLUMNS})"
    f" VALUES (?{', ?' * len(Cost._fields)}) ON CONFLICT (call) DO UPDATE SET"
    " carried = carried + excluded.carried, turns = turns + excluded.turns,"
    " artifact = coalesce(artifact, excluded.artifact)"
)


class CostRows(Sequence[Cost]):
    """Every result, most first; may be read from any thread once it is `ranked`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._db = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        self._number = 0
        self.carried = 0
        """Estimated tokens x turns of all of them."""
        with self._lock:
            self._db.execute(f"PRAGMA cache_size = -{MEMORY_KIB}")
            self._db.execute("PRAGMA journal_mode = OFF")
            self._db.execute("BEGIN")  # nothing of it is ever committed
            self._db.execute(f"CREATE TABLE costs (call BLOB UNIQUE, {_COLUMNS})")

    def add(self, row: Cost, call: bytes | None) -> None:
        """Take a row; a fork's copy of a `call` adds its own turns to the one there is.

        Raises `Unreadable` where the temp folder has no room.
        """
        values: list[Any] = [
            value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
            for value in row
        ]
        self._do(_PUT, [call, *values])

    def rank(self) -> CostRows:
        """Put them in order; gives itself."""
        self._do("CREATE TABLE ranked (place INTEGER PRIMARY KEY, row INTEGER)")
        self._do(
            "INSERT INTO ranked (row) SELECT rowid FROM costs"
            " ORDER BY carried DESC, tokens DESC, coalesce(time, 0), rowid"
        )
        [(self._number, carried)] = self._do("SELECT count(*), sum(carried) FROM costs")
        self.carried = carried or 0
        return self

    def _do(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        try:
            with self._lock:
                return self._db.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise Unreadable(
                f"the results cannot be put in order: {error}; is there room in the"
                " temp folder?"
            ) from None

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[Cost]:
        for start in range(0, self._number, PART):
            yield from self._read(start, start + PART)

    @overload
    def __getitem__(self, index: int) -> Cost: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Cost]: ...
    def __getitem__(self, index: int | slice) -> Cost | Sequence[Cost]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._number)
            return self._read(start, stop)[::step]
        [row] = self._read(range(self._number)[index], range(self._number)[index] + 1)
        return row

    def _read(self, start: int, stop: int) -> list[Cost]:
        rows = self._do(
            f"SELECT {_COLUMNS} FROM ranked JOIN costs ON costs.rowid = ranked.row"
            " WHERE place > ? AND place <= ? ORDER BY place",
            (start, stop),
        )
        return [_cost(row) for row in rows]


def _cost(row: Sequence[Any]) -> Cost:
    values: list[Any] = [
        value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value
        for value in row
    ]
    return Cost(*values)._replace(spilled=bool(values[Cost._fields.index("spilled")]))
