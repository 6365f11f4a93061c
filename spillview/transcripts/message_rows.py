"""Sessions whose messages are rows of one table: those of goose and hermes-agent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from spillview.errors import Unreadable
from spillview.transcripts.tables import Key
from spillview.transcripts.values import plain_in

if TYPE_CHECKING:
    from spillview.stored.databases import Database


class MessageRows:
    """The sessions of one database; a reader's class names its columns.

    `needs` are columns that `messages` must have beside the session, `time` the one
    with a message's time, `tells` those of a row of `sessions` that tell anything.
    """

    needs: tuple[str, ...]
    time: str
    tells: tuple[str, ...]

    def __init__(self, database: Database) -> None:
        self.database = database
        self.readable = database.has("messages", "session_id", *self.needs)
        self.columns = database.tables.get("messages", ())
        known = database.tables.get("sessions", ())
        self._tells = [name for name in self.tells if name in known]
        self._named = "id" in known and bool(self._tells)

    def sessions(self) -> Iterable[tuple[str, str]]:
        """Every session with messages, and what changes when they do."""
        if not self.readable:
            return
        rows = self.database.query(
            "SELECT session_id, count(*), max(rowid), total(rowid) FROM messages"
            " WHERE typeof(session_id) = 'text' GROUP BY session_id ORDER BY session_id"
        )
        for session, *stamp in list(rows):
            own = self._row(str(session))
            yield str(session), json.dumps([stamp, own], default=repr)

    def about(self, session: str) -> dict[str, Any] | None:
        """The session's own row."""
        row = self._row(session)
        if row is None:
            return None
        return {"session": dict(zip(self._tells, row, strict=True))}

    def keys(self, session: str) -> Sequence[Key]:
        """The messages in the order in which they were added."""
        time = self.time if self.time in self.columns else "NULL"
        rows = self.database.query(
            f"SELECT rowid, {time} FROM messages WHERE session_id = ? ORDER BY rowid",
            (session,),
        )
        return [Key(0, row, plain_in(time)) for row, time in rows if type(row) is int]

    def record(self, table: int, rowid: int) -> dict[str, Any] | None:
        """One message."""
        if table or not self.readable:
            return None
        wanted = self.wanted()
        sql = f"SELECT {', '.join(wanted)} FROM messages WHERE rowid = ?"
        try:
            rows = list(self.database.query(sql, (rowid,)))
        except Unreadable:
            self.database.verify()
            return None  # this row alone cannot be read
        return self.told(dict(zip(wanted, rows[0], strict=True))) if rows else None

    def wanted(self) -> list[str]:
        """The columns of a message that are read, of those there are."""
        raise NotImplementedError

    def told(self, row: dict[str, Any]) -> dict[str, Any] | None:
        """The record that a message's row is; None where it is none."""
        return row

    def final(self, record: dict[str, Any]) -> bool:
        """Messages are added whole."""
        return True

    def _row(self, session: str) -> tuple[str | int | float | None, ...] | None:
        if not self._named:
            return None
        sql = f"SELECT {', '.join(self._tells)} FROM sessions WHERE id = ?"
        rows = list(self.database.query(sql, (session,)))
        return tuple(map(plain_in, rows[0])) if rows else None
