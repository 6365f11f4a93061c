"""Reads goose's sessions: rows of sessions.db, older ones a JSON Lines file each."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from spillview.errors import Unreadable
from spillview.transcripts.calls import parse_time
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

_EXIT = re.compile(r"\n\nCommand exited with code (-?\d{1,10})\s{0,4}\Z")
_TIMEOUT = re.compile(r"\n\nCommand timed out(?: after \d{1,12} seconds)?\s{0,4}\Z")
_BARE = re.compile(r"\[Output exceeded \d{1,12} (?:line|byte) limit \(")
_SESSION = (
    "id",
    "name",
    "description",
    "working_dir",
    "created_at",
    "updated_at",
    "parent_session_id",
    "user_set_name",
)


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
        self._readable = database.has("messages", "id", "session_id", "content_json")
        columns = database.tables.get("sessions", ())
        self._columns = [name for name in _SESSION if name in columns]
        times = database.has("messages", "created_timestamp")
        self._time = "created_timestamp" if times else "NULL"

    def sessions(self) -> Iterable[tuple[str, str]]:
        """Every session with messages, and what changes when they do."""
        if not self._readable:
            return
        rows = self._database.query(
            "SELECT session_id, count(*), max(rowid), total(rowid) FROM messages"
            " WHERE typeof(session_id) = 'text' GROUP BY session_id ORDER BY session_id"
        )
        for session, *stamp in list(rows):
            about = self._row(str(session)) if "id" in self._columns else None
            yield str(session), json.dumps([stamp, about], default=repr)

    def about(self, session: str) -> dict[str, Any] | None:
        """The session's own row."""
        row = self._row(session) if "id" in self._columns else None
        if row is None:
            return None
        return {"session": dict(zip(self._columns, row, strict=True))}

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
        columns = self._database.tables["messages"]
        wanted = [n for n in ("role", "message_id", self._time) if n in columns]
        sql = f"SELECT {', '.join([*wanted, 'content_json'])} FROM messages"
        try:
            rows = list(self._database.query(f"{sql} WHERE rowid = ?", (rowid,)))
        except Unreadable:
            self._database.verify()
            return None  # this row alone cannot be read
        if not rows or not isinstance(rows[0][-1], str):
            return None
        try:
            content = load(rows[0][-1].encode("utf-8", "surrogatepass"))
        except ValueError:
            return None
        record: dict[str, Any] = dict(zip(wanted, rows[0], strict=False))
        return {
            "id": record.get("message_id"),
            "role": record.get("role"),
            "created": record.get("created_timestamp"),
            "content": content,
        }

    def final(self, record: dict[str, Any]) -> bool:
        """Messages are added whole."""
        return True

    def _row(self, session: str) -> tuple[Any, ...] | None:
        sql = f"SELECT {', '.join(self._columns)} FROM sessions WHERE id = ?"
        return next(iter(list(self._database.query(sql, (session,)))), None)


def events(record: dict[str, Any], state: dict[str, Any]) -> Iterable[Event]:
    """What a message tells, or what stands at the start of a session."""
    session = record.get("session")
    if isinstance(session, dict):
        yield _about(session)
        return
    if "working_dir" in record and "role" not in record:
        yield _about(record)
        return
    time = parse_time(record.get("created"))
    message = _text(record.get("id"))
    yield About(time=time, record_id=message)
    content = record.get("content")
    human = record.get("role") == "user"
    for block in content if isinstance(content, list) else []:
        if not isinstance(block, dict):
            continue
        kind, text = block.get("type"), block.get("text")
        if kind == "text" and isinstance(text, str):
            if human:
                yield Prompted(text=text, time=time)
            else:
                yield Said(text=text, time=time, message=message)
        elif kind in ("toolRequest", "frontendToolRequest"):
            call = _value(block.get("toolCall"))
            name, ident = _text(call.get("name")), _text(block.get("id"))
            if name and ident:
                yield Called(
                    id=ident,
                    tool=name,
                    arguments=call.get("arguments"),
                    time=time,
                    message=message,
                )
        elif kind == "toolResponse":
            yield _returned(block, time)


def _about(row: dict[str, Any]) -> About:
    times = [parse_time(_iso(row.get(name))) for name in ("created_at", "updated_at")]
    named = bool(row.get("user_set_name"))
    title = _text(row.get("name")) or _text(row.get("description"))
    parent = _text(row.get("parent_session_id"))
    return About(
        project=_text(row.get("working_dir")),
        title=title,
        title_rank=3 if named else 2,
        time=next((time for time in times if time is not None), None),
        parents=(parent,) if parent else (),
    )


def _returned(block: dict[str, Any], time: float | None) -> Returned:
    result = block.get("toolResult")
    status = result.get("status") if isinstance(result, dict) else None
    value = _value(result)
    texts = _texts(value.get("content") if "content" in value else result)
    if status == "error" and isinstance(result, dict) and not texts:
        texts = [e] if isinstance(e := result.get("error"), str) else []
    last = texts[-1] if texts else ""
    found = _EXIT.search(last[-200:])
    code = int(found[1]) if found else None
    failed = status == "error" or value.get("isError") is True or code not in (None, 0)
    failed = failed or _TIMEOUT.search(last[-200:]) is not None
    return Returned(
        call_id=_text(block.get("id")),
        texts=tuple(texts),
        failed=failed,
        exit_code=code,
        time=time,
    )


def _texts(content: Any) -> list[str]:
    """The texts for the model; a notice in a block of its own with its preview."""
    if isinstance(content, dict):
        content = content.get("value")
    texts: list[str] = []
    for block in content if isinstance(content, list) else []:
        text = block.get("text") if isinstance(block, dict) else None
        if not isinstance(text, str) or not _for_model(block):
            continue
        if texts and _BARE.match(text):
            texts[-1] = f"{texts[-1]}\n{text}"  # as they are joined for the model
        else:
            texts.append(text)
    return texts


def _for_model(block: dict[str, Any]) -> bool:
    """Whether a block is not for the person alone."""
    notes = block.get("annotations")
    audience = notes.get("audience") if isinstance(notes, dict) else None
    if not isinstance(audience, list) or not audience:
        return True
    return "assistant" in audience


def _value(result: Any) -> dict[str, Any]:
    value = result.get("value") if isinstance(result, dict) else None
    return value if isinstance(value, dict) else {}


def _iso(value: Any) -> Any:
    """SQLite's own times are UTC and do not say so."""
    return value.replace(" ", "T", 1) if isinstance(value, str) else value


def _plain(value: Any) -> str | int | float | None:
    return value if isinstance(value, str | int | float) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
