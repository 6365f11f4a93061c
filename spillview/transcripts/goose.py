"""Reads goose's sessions: rows of sessions.db, older ones a JSON Lines file each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

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
from spillview.transcripts.message_rows import MessageRows
from spillview.transcripts.values import text_in

if TYPE_CHECKING:
    from spillview.stored.databases import Database

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


def rows_of(database: Database) -> _Sessions:
    """The sessions in a database."""
    return _Sessions(database)


class _Sessions(MessageRows):
    """The sessions of one database."""

    needs = ("id", "content_json")
    time = "created_timestamp"
    tells = _SESSION

    def wanted(self) -> list[str]:
        """What tells who spoke and what."""
        more = ("role", "message_id", self.time)
        return ["content_json", *(name for name in more if name in self.columns)]

    def told(self, row: dict[str, Any]) -> dict[str, Any] | None:
        """A message with its content, which the row holds as JSON text."""
        text = row["content_json"]
        if not isinstance(text, str):
            return None
        try:
            content = load(text.encode("utf-8", "surrogatepass"))
        except ValueError:
            return None
        return {
            "id": row.get("message_id"),
            "role": row.get("role"),
            "created": row.get(self.time),
            "content": content,
        }


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
    message = text_in(record.get("id"))
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
            name, ident = text_in(call.get("name")), text_in(block.get("id"))
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
    title = text_in(row.get("name")) or text_in(row.get("description"))
    parent = text_in(row.get("parent_session_id"))
    return About(
        project=text_in(row.get("working_dir")),
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
        call_id=text_in(block.get("id")),
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
