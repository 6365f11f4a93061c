"""Reads hermes-agent's state.db: a message a row, calls and results of all sessions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

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
from spillview.transcripts.message_rows import MessageRows
from spillview.transcripts.values import text_in

if TYPE_CHECKING:
    from spillview.stored.databases import Database

PARTS = ("\x00json:", "\x01json:")
"""What stands before content that is a list of parts and no text."""

COMPACTS = True  # a compacted session ends; another one goes on from it

LONGEST = 4 << 20
"""Chars of a result that are looked into for its exit code."""

_MESSAGE = ("role", "content", "tool_calls", "tool_call_id", "tool_name", "timestamp")
_SESSION = ("title", "started_at", "ended_at", "parent_session_id", "cwd", "user_id")
_FOLDERS = ("cwd", "working_dir", "workdir", "project_dir")


def rows_of(database: Database) -> _Sessions:
    """The sessions in a database."""
    return _Sessions(database)


class _Sessions(MessageRows):
    """The sessions of one database."""

    needs = ("id", "role", "content")
    time = "timestamp"
    tells = (*_SESSION, *_FOLDERS[1:])

    def wanted(self) -> list[str]:
        """What tells who spoke, called and answered."""
        return [name for name in _MESSAGE if name in self.columns]


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
            call_id=text_in(record.get("tool_call_id")),
            texts=tuple(texts),
            tool=text_in(record.get("tool_name")),
            failed=failed,
            exit_code=code,
            time=time,
        )


def _about(row: dict[str, Any]) -> About:
    folder = next((f for name in _FOLDERS if (f := text_in(row.get(name)))), None)
    parent = text_in(row.get("parent_session_id"))
    return About(
        project=folder,
        title=text_in(row.get("title")),
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
        name = text_in(function.get("name"))
        ident = text_in(call.get("id")) or text_in(call.get("call_id"))
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
