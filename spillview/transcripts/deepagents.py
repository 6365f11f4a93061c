"""Reads the threads of deepagents' command line: LangGraph's checkpoints in SQLite.

Each message of a thread is a row of `writes`, packed with the name of its class. Only
what it was made from is taken; nothing is unpickled or made from a name in the data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from spillview.errors import Unreadable
from spillview.transcripts.calls import parse_time, texts_of
from spillview.transcripts.events import (
    About,
    Event,
    Prompted,
    Returned,
    Said,
    call_in,
)
from spillview.transcripts.facts import load
from spillview.transcripts.tables import Key
from spillview.transcripts.values import text_in

if TYPE_CHECKING:
    from spillview.stored.databases import Database

LARGEST = 32 << 20
"""Bytes of a packed row that is read."""

_EXIT = re.compile(
    r"\[Command (?:succeeded|failed) with exit code (-?\d{1,10})\]\s{0,4}\Z"
)
_GREGORIAN = 0x01B21DD213814000
"""100 ns between 1582, from which such ids count, and 1970."""
_KINDS = {
    "AIMessage": "ai",
    "AIMessageChunk": "ai",
    "HumanMessage": "human",
    "ToolMessage": "tool",
    "user": "human",
    "assistant": "ai",
}


def rows_of(database: Database) -> _Threads:
    """The threads in a database."""
    return _Threads(database)


class _Threads:
    """The threads of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._readable = database.has(
            "writes", "thread_id", "checkpoint_id", "channel", "type", "value"
        )
        self._placed = database.has("writes", "checkpoint_ns")
        self._told = database.has("checkpoints", "thread_id", "metadata")

    def sessions(self) -> Iterable[tuple[str, str]]:
        """Every thread with messages, and what changes when one comes."""
        if not self._readable:
            return
        rows = self._database.query(
            "SELECT thread_id, count(*), max(rowid) FROM writes"
            " WHERE channel = 'messages' AND typeof(thread_id) = 'text'"
            " GROUP BY thread_id ORDER BY thread_id"
        )
        for thread, *stamp in list(rows):
            yield str(thread), json.dumps(stamp)

    def about(self, session: str) -> dict[str, Any] | None:
        """What the thread's newest checkpoint says of where it ran."""
        if not self._told:
            return None
        rows = self._database.query(
            "SELECT metadata FROM checkpoints WHERE thread_id = ?"
            " AND length(metadata) < 1000000 ORDER BY rowid DESC LIMIT 1",
            (session,),
        )
        for (data,) in rows:
            if isinstance(data, str):
                data = data.encode("utf-8", "surrogatepass")
            if isinstance(data, bytes):
                try:
                    value = load(data)
                except ValueError:
                    return None
                return {"metadata": value}
        return None

    def keys(self, session: str) -> Sequence[Key]:
        """The rows that added messages, in the order in which they did."""
        rows = self._database.query(
            "SELECT rowid, length(value) FROM writes"
            " WHERE thread_id = ? AND channel = 'messages' ORDER BY rowid",
            (session,),
        )
        return [
            Key(0, row, size if isinstance(size, int) else None)
            for row, size in rows
            if isinstance(row, int)
        ]

    def record(self, table: int, rowid: int) -> dict[str, Any] | None:
        """One row; None where it is packed in a way that is not read."""
        if table or not self._readable:
            return None
        space = "checkpoint_ns" if self._placed else "''"
        try:
            rows = list(
                self._database.query(
                    f"SELECT type, value, checkpoint_id, {space} FROM writes"
                    " WHERE rowid = ? AND channel = 'messages' AND length(value) <= ?",
                    (rowid, LARGEST),
                )
            )
        except Unreadable:
            self._database.verify()
            return None  # this row alone cannot be read
        for kind, data, checkpoint, place in rows:
            messages = _unpacked(kind, data)
            if messages is not None:
                return {"messages": messages, "checkpoint": checkpoint, "ns": place}
        return None

    def final(self, record: dict[str, Any]) -> bool:
        """Rows are added whole."""
        return True


def events(record: dict[str, Any], state: dict[str, Any]) -> Iterable[Event]:
    """What a row tells: messages that were added to a thread."""
    metadata = record.get("metadata")
    if isinstance(metadata, dict):
        yield About(
            project=text_in(metadata.get("cwd")),
            time=parse_time(metadata.get("updated_at")),
        )
        return
    time = _time_of(record.get("checkpoint"))
    agent = text_in(record.get("ns"))
    messages = record.get("messages")
    if isinstance(messages, dict):
        messages = [messages]
    for message in messages if isinstance(messages, list) else []:
        if isinstance(message, dict):
            yield from _told(message, time, agent)


def _told(
    message: dict[str, Any], time: float | None, agent: str | None
) -> Iterator[Event]:
    kind = text_in(message.get("type")) or text_in(message.get("role")) or ""
    kind = _KINDS.get(kind, kind)
    name = text_in(message.get("id"))
    text = "\n".join(texts_of(message.get("content")))
    yield About(time=time, record_id=name)
    if kind == "human":
        if text.strip():
            yield Prompted(text=text, time=time, agent=agent)
    elif kind == "ai":
        if text.strip():
            yield Said(text=text.strip(), time=time, message=name, agent=agent)
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            yield from call_in(call, "args", time=time, message=name, agent=agent)
    elif kind == "tool":
        match = _EXIT.search(text[-120:])
        code = int(match[1]) if match is not None else None
        yield Returned(
            call_id=text_in(message.get("tool_call_id")),
            texts=tuple(texts_of(message.get("content"))),
            tool=text_in(message.get("name")),
            failed=message.get("status") == "error" or bool(code),
            exit_code=code,
            time=time,
            agent=agent,
        )


def _unpacked(kind: Any, data: Any) -> Any:
    """The messages that a row holds; None where it is packed in another way."""
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    if not isinstance(data, bytes):
        return None
    if kind == "msgpack":
        from spillview.stored.msgpack import Broken, unpack

        try:
            return unpack(data)
        except Broken:
            return None
    if kind == "json":
        try:
            return _constructed(load(data), 0)
        except ValueError:
            return None
    return None


def _constructed(value: Any, depth: int) -> Any:
    """What objects in JSON were made from."""
    if depth > 32:
        return None
    if isinstance(value, list):
        return [_constructed(item, depth + 1) for item in value]
    if isinstance(value, dict) and "lc" in value:
        made, name = value.get("kwargs"), value.get("id")
        if not isinstance(made, dict):
            return None
        kind = name[-1] if isinstance(name, list) and name else None
        return {"type": kind, **made} if isinstance(kind, str) else made
    return value


def _time_of(checkpoint: Any) -> float | None:
    """The time in a checkpoint's id, which is a time-ordered uuid."""
    digits = checkpoint.replace("-", "") if isinstance(checkpoint, str) else ""
    if len(digits) != 32 or digits[12:13] != "6":
        return None
    try:
        ticks = int(digits[:12] + digits[13:16], 16)
    except ValueError:
        return None
    return parse_time((ticks - _GREGORIAN) / 1e7)
