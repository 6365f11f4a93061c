"""When the agent of a transcript spoke and called: how much came after an envelope."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spillview.transcripts import frames, jsonl

if TYPE_CHECKING:
    from spillview.content import FileContent
    from spillview.discovery import TranscriptFound


def _offsets() -> array[int]:
    return array("q")


@dataclass(slots=True)
class Turns:
    """The model's turns and calls in one transcript, by the offsets of their records.

    A turn is one answer of the model, however many records it fills.
    """

    turns: array[int] = field(default_factory=_offsets)
    calls: array[int] = field(default_factory=_offsets)
    call_ids: dict[str, int] = field(default_factory=dict)
    """By call id: which call it is, counted from 0."""
    compacted: array[int] = field(default_factory=_offsets)
    """Where the context was compacted: what was said before is no longer carried."""

    def carried(self, offset: int) -> int:
        """Turns after the record at `offset`, up to the next compaction."""
        first = bisect_right(self.turns, offset)
        end = bisect_right(self.compacted, offset)
        last = len(self.turns)
        if end < len(self.compacted):
            last = bisect_right(self.turns, self.compacted[end])
        return last - first

    def calls_until(self, offset: int, call_id: str | None) -> int | None:
        """How many calls after `offset` a call is: 1 for the next one.

        None where the call is not known, or was made before.
        """
        index = self.call_ids.get(call_id or "")
        if index is None:
            return None
        later = index + 1 - bisect_right(self.calls, offset)
        return later if later > 0 else None


def read(found: TranscriptFound, cancelled: Callable[[], bool] | None = None) -> Turns:
    """The turns of one transcript; empty for a kind that has none.

    Reads all of it, in bounded memory. Raises `Unreadable` when it cannot be read.
    """
    from spillview.content import open_content

    taker = _TAKERS.get(found.reader)
    turns = Turns()
    if taker is None:
        return turns
    needles, take = taker
    content = open_content(found.path)
    try:
        scanner = jsonl.Scanner(
            _chunks(content, cancelled),
            needles,
            lambda hits, data: bool(hits),
            idle=lambda: True,
            exact=False,
        )
        last = ""
        for record in scanner:
            last = take(turns, record.value, record.offset, last)
    finally:
        content.close()
    return turns


def _chunks(
    content: FileContent, cancelled: Callable[[], bool] | None
) -> Iterator[bytes]:
    if frames.is_compressed(content):
        return iter(frames.Frames(content, frames.Mark(0, 0), cancelled))
    return jsonl.pieces(content.pread, 0, content.size, cancelled)


def _claude(turns: Turns, value: dict[str, Any], offset: int, last: str) -> str:
    """Take in a record of Claude Code; gives the id of the message it belongs to."""
    if value.get("subtype") == "compact_boundary":
        turns.compacted.append(offset)
        return last
    message = value.get("message")
    if value.get("type") != "assistant" or not isinstance(message, dict):
        return last
    made = str(message.get("id") or value.get("uuid") or offset)
    if made != last:
        turns.turns.append(offset)
    content = message.get("content")
    for block in content if isinstance(content, list) else []:
        if isinstance(block, dict) and block.get("type") == "tool_use":
            _called(turns, block.get("id"), offset)
    return made


def _dsh(turns: Turns, value: dict[str, Any], offset: int, last: str) -> str:
    """Take in an event of dsh."""
    data = value.get("data")
    if not isinstance(data, dict):
        return last
    if value.get("type") == "assistant/message":
        turns.turns.append(offset)
    elif value.get("type") == "tool/call":
        _called(turns, data.get("callId"), offset)
    return last


def _called(turns: Turns, call_id: object, offset: int) -> None:
    if isinstance(call_id, str):
        turns.call_ids.setdefault(call_id, len(turns.calls))
    turns.calls.append(offset)


Taker = Callable[[Turns, dict[str, Any], int, str], str]

_CLAUDE = ((b'"assistant"', b"compact_boundary"), _claude)
_DSH = ((b"assistant/message", b"tool/call"), _dsh)
_TAKERS: dict[str, tuple[tuple[bytes, ...], Taker]] = {
    "claude": _CLAUDE,
    "claude-code": _CLAUDE,
    "dsh": _DSH,
}
