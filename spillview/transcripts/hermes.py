"""Reads hermes-agent's state.db: a message a row, calls and results of all sessions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from spillview.errors import Unreadable
from spillview.transcripts.calls import parse_time, texts_of
from spillview.transcripts.events import (
    About,
    Called,
    Event,
    Prompted,
    Returned,
    Said,
)
from spillview.transcripts.facts import load
from spillview.transcripts.tables import Key

if TYPE_CHECKING:
    from spillview.databases import Database, State

PARTS = ("\x00json:", "\x01json:")
"""What stands before content that is a list of parts and no text."""

COMPACTS = True  # a compacted session ends; another one goes on from it

LONGEST = 4 << 20
"""Chars of a result that are looked into for its exit code."""

_MESSAGE = ("role", "content", "tool_calls", "tool_call_id", "tool_name", "timestamp")
_SESSION = ("title", "started_at", "ended_at", "parent_session_id", "cwd", "user_id")
_FOLDERS = ("cwd", "working_dir", "workdir", "project_dir")


def state_of(path: str) -> State:
    """The database's state."""
    from spillview.databases import state

    return state(path)


@contextmanager
def open_source(
    path: str, cancelled: Callable[[], bool] | None = None
) -> Iterator[_Sessions]:
    """The sessions in the database at `path`. Raises `Unreadable`."""
    from spillview.databases import open_database

    with open_database(path, cancelled=cancelled) as database:
        yield _Sessions(database)


class _Sessions:
    """The sessions of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._readable = database.has("messages", "id", "session_id", "role", "content")
        columns = database.tables.get("messages", ())
        self._message = [name for name in _MESSAGE if name in columns]
        self._time = "timestamp" if "timestamp" in columns else "NULL"
        columns = database.tables.get("sessions", ())
        self._session = [name for name in (*_SESSION, *_FOLDERS[1:]) if name in columns]
        self._known = "id" in columns and bool(self._session)

    def sessions(self) -> Iterable[tuple[str, str]]:
        """Every session with messages, and what changes when they do."""
        if not self._readable:
            return
        rows = self._database.query(
            "SELECT session_id, count(*), max(rowid), total(rowid) FROM messages"
            " WHERE typeof(session_id) = 'text' GROUP BY session_id ORDER BY session_id"
        )
        for session, *stamp in list(rows):
            yield (
                str(session),
                json.dumps([stamp, self._row(str(session))], default=repr),
            )

    def about(self, session: str) -> dict[str, Any] | None:
        """The session's own row."""
        row = self._row(session)
        if row is None:
            return None
        return {"session": dict(zip(self._session, row, strict=True))}

    def keys(self, session: str) -> Sequence[Key]:
        """The messages in the order in which they were added."""
        rows = self._database.query(
            f"SELECT rowid, {self._time} FROM messages"
            " WHERE session_id = ? ORDER BY rowid",
            (session,),
        )
        return [Key(0, int(row), _plain(time)) for row, time in rows]  # type: ignore[arg-type]  # a rowid is a whole number

    def record(self, table: int, rowid: int) -> dict[str, Any] | None:
        """One message."""
        if table or not self._readable:
            return None
        sql = f"SELECT {', '.join(self._message)} FROM messages WHERE rowid = ?"
        try:
            rows = list(self._database.query(sql, (rowid,)))
        except Unreadable:
            self._database.verify()
            return None  # this row alone cannot be read
        return dict(zip(self._message, rows[0], strict=True)) if rows else None

    def final(self, record: dict[str, Any]) -> bool:
        """Messages are added whole."""
        return True

    def _row(self, session: str) -> tuple[Any, ...] | None:
        if not self._known:
            return None
        sql = f"SELECT {', '.join(self._session)} FROM sessions WHERE id = ?"
        rows = list(self._database.query(sql, (session,)))
        return tuple(map(_plain, rows[0])) if rows else None


def events(record: dict[str, Any], state: dict[str, Any]) -> Iterable[Event]:
    """What a message tells, or the row of a session."""
    session = record.get("session")
    if isinstance(session, dict):
        yield _about(session)
        return
    time = parse_time(record.get("timestamp"))
    texts = _texts(record.get("content"))
    role = record.get("role")
    if role == "user":
        for text in texts:
            yield Prompted(text=text, time=time)
    elif role == "assistant":
        # A row is an answer; it has no id that its calls could share.
        message = str(time) if time is not None else None
        for text in texts:
            yield Said(text=text, time=time, message=message)
        yield from _calls(record.get("tool_calls"), time, message)
    elif role == "tool":
        failed, code = _outcome(texts)
        yield Returned(
            call_id=_text(record.get("tool_call_id")),
            texts=tuple(texts),
            tool=_text(record.get("tool_name")),
            failed=failed,
            exit_code=code,
            time=time,
        )


def _about(row: dict[str, Any]) -> About:
    folder = next((f for name in _FOLDERS if (f := _text(row.get(name)))), None)
    parent = _text(row.get("parent_session_id"))
    return About(
        project=folder,
        title=_text(row.get("title")),
        title_rank=3,
        time=parse_time(row.get("started_at")),
        parents=(parent,) if parent else (),
    )


def _calls(value: Any, time: float | None, message: str | None) -> Iterator[Event]:
    """The calls of an answer, which the row holds as JSON text."""
    calls = _json(value) if isinstance(value, str) else value
    for call in calls if isinstance(calls, list) else []:
        if not isinstance(call, dict):
            continue
        function = call.get("function")
        function = function if isinstance(function, dict) else call
        name = _text(function.get("name"))
        ident = _text(call.get("id")) or _text(call.get("call_id"))
        if name and ident:
            arguments = function.get("arguments")
            inner = _json(arguments) if isinstance(arguments, str) else arguments
            yield Called(
                id=ident,
                tool=name,
                arguments=inner if inner is not None else arguments,
                time=time,
                message=message,
            )


def _texts(content: Any) -> list[str]:
    if not isinstance(content, str):
        return []
    if content.startswith(PARTS):
        parts = _json(content[len(PARTS[0]) :])
        return texts_of(parts)
    return [content] if content else []


def _outcome(texts: list[str]) -> tuple[bool | None, int | None]:
    """Failure and exit code by the JSON that most tools return; None where none is."""
    if not texts or not texts[0].startswith("{") or len(texts[0]) > LONGEST:
        return None, None
    value = _json(texts[0])
    if not isinstance(value, dict):
        return None, None
    code = value.get("exit_code")
    if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 1 << 31:
        return code != 0, code
    if value.get("error") or value.get("success") is False:
        return True, None
    return False if "success" in value or "error" in value else None, None


def _json(text: str) -> Any:
    try:
        return load(text.encode("utf-8", "surrogatepass"))
    except ValueError:
        return None


def _plain(value: Any) -> str | int | float | None:
    return value if isinstance(value, str | int | float) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
