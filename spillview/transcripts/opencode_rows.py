"""The sessions of opencode's database: parts with their messages, messages of v2."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from spillview.errors import Unreadable
from spillview.transcripts import opencode
from spillview.transcripts.facts import load
from spillview.transcripts.tables import Key

if TYPE_CHECKING:
    from spillview.stored.databases import Database

PART, MESSAGE = 0, 1
"""The tables rows are in: `part` with `message`, or `session_message`."""

_SESSION = (
    "directory",
    "title",
    "version",
    "parent_id",
    "fork_session_id",
    "time_created",
)
_STAMP = "count(*), total(rowid), max(time_updated), total(time_updated)"


class Rows:
    """The sessions of one database, in either form or in both."""

    def __init__(self, database: Database) -> None:
        self._database = database
        own = ("id", "session_id", "time_created", "time_updated", "data")
        self._old = database.has("message", *own) and database.has(
            "part", "message_id", *own
        )
        self._new = database.has("session_message", "type", *own)
        columns = database.tables.get("session", ())
        self._session = [name for name in _SESSION if name in columns]
        self._named = "id" in columns and bool(self._session)

    def sessions(self) -> Iterable[tuple[str, str]]:
        """Every session that has rows, and what changes when they do."""
        stamps: dict[str, list[Any]] = {}
        for table, there in (
            ("message", self._old),
            ("part", self._old),
            ("session_message", self._new),
        ):
            if there:
                rows = self._database.query(
                    f"SELECT session_id, {_STAMP} FROM {table}"
                    " WHERE typeof(session_id) = 'text' GROUP BY session_id"
                )
                for session, *stamp in rows:
                    stamps.setdefault(str(session), []).append((table, stamp))
        for session in sorted(stamps):
            yield (
                session,
                json.dumps([stamps[session], self._row(session)], default=repr),
            )

    def about(self, session: str) -> dict[str, Any] | None:
        """The session's own row."""
        row = self._row(session)
        if row is None:
            return None
        return {"session": dict(zip(self._session, row, strict=True))}

    def keys(self, session: str) -> Sequence[Key]:
        """Parts by their message's time, then as they were added.

        Ids tell no order: they began anew. What v2 holds counts behind the last message
        of the first form, of which it may hold copies.
        """
        keys: list[Key] = []
        last = -1
        if self._old:
            rows = self._database.query(
                "SELECT p.rowid, p.time_updated, m.time_updated, m.time_created"
                " FROM part p JOIN message m ON m.id = p.message_id"
                " WHERE p.session_id = ? ORDER BY m.time_created, m.rowid, p.rowid",
                (session,),
            )
            for row, mine, its, created in rows:
                keys.append(Key(PART, _whole(row), f"{mine!r} {its!r}"))
                last = max(last, _whole(created))
        if self._new:
            columns = self._database.tables["session_message"]
            order = "seq" if "seq" in columns else "time_created, rowid"
            rows = self._database.query(
                "SELECT rowid, time_updated FROM session_message"
                " WHERE session_id = ? AND time_created > ?"
                f" ORDER BY {order}",
                (session, last),
            )
            keys += [Key(MESSAGE, _whole(row), f"{mine!r}") for row, mine in rows]
        return keys

    def record(self, table: int, rowid: int) -> dict[str, Any] | None:
        """One part with its message, or one message of v2."""
        if table == PART and self._old:
            row = self._one(
                "SELECT p.id, p.message_id, p.data, m.data FROM part p"
                " JOIN message m ON m.id = p.message_id WHERE p.rowid = ?",
                rowid,
            )
            part, message = (_object(row[2]), _object(row[3])) if row else (None, None)
            if row is None or part is None or message is None:
                return None
            return {
                "id": row[0],
                "message_id": row[1],
                "part": part,
                "message": message,
            }
        if table == MESSAGE and self._new:
            row = self._one(
                "SELECT id, type, data FROM session_message WHERE rowid = ?", rowid
            )
            data = _object(row[2]) if row else None
            if row is None or data is None:
                return None
            return {**data, "id": row[0], "type": row[1]}
        return None

    def final(self, record: dict[str, Any]) -> bool:
        """Whether the answer it is part of is complete."""
        return opencode.final(record)

    def _one(self, sql: str, rowid: int) -> tuple[Any, ...] | None:
        try:
            rows = list(self._database.query(sql, (rowid,)))
        except Unreadable:
            self._database.verify()
            return None  # this row alone cannot be read
        return rows[0] if rows else None

    def _row(self, session: str) -> tuple[Any, ...] | None:
        if not self._named:
            return None
        sql = f"SELECT {', '.join(self._session)} FROM session WHERE id = ?"
        rows = list(self._database.query(sql, (session,)))
        values = (
            (v if isinstance(v, str | int | float) else None for v in rows[0])
            if rows
            else ()
        )
        return tuple(values) if rows else None


def _object(data: Any) -> dict[str, Any] | None:
    if not isinstance(data, str):
        return None
    try:
        value = load(data.encode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0
