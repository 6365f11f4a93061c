"""What Factory Droid's sessions tell: messages of blocks, a record each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from spillview.transcripts.calls import parse_time, texts_of
from spillview.transcripts.events import (
    About,
    Compacted,
    Event,
    Place,
    Prompted,
    Returned,
    Said,
    call_in,
)
from spillview.transcripts.facts import load
from spillview.transcripts.values import text_in

_EXIT = re.compile(r"\[Process exited with code (-?\d{1,10})\]\s{0,8}\Z")
_REMINDER = "<system-reminder>"
_SHELL_RESULT = '"bash_result"'

COMPACTS = True


def events(record: dict[str, Any], state: dict[str, Any]) -> Iterable[Event]:
    """The events of one record; `state` is not needed."""
    if record.get("type") == "session_start":
        return _start(record)
    if record.get("type") == "compaction_state":
        return (Compacted(),)
    message = record.get("message")
    if record.get("type") != "message" or not isinstance(message, dict):
        return ()
    time = parse_time(record.get("timestamp"))
    record_id = text_in(record.get("id"))
    found: list[Event] = [About(time=time, record_id=record_id)]
    content = message.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if isinstance(content, list):
        blocks = [block for block in content if isinstance(block, dict)]
        if message.get("role") == "assistant":
            found += _answered(blocks, time, record_id)
        elif message.get("role") == "user":
            found += _received(blocks, time)
    return found


def _start(record: dict[str, Any]) -> Iterator[Event]:
    title = text_in(record.get("title")) or text_in(record.get("sessionTitle"))
    parent = text_in(record.get("parent")) or text_in(record.get("parentSessionId"))
    yield About(
        session=text_in(record.get("id")),
        project=text_in(record.get("cwd")),
        title=title,
        parents=(parent,) if parent is not None else (),
    )


def _answered(
    blocks: list[dict[str, Any]], time: float | None, message: str | None
) -> Iterator[Event]:
    for block in blocks:
        kind = block.get("type")
        text = text_in(block.get("text"))
        if kind == "text" and text is not None and text.strip():
            yield Said(text=text.strip(), time=time, message=message)
        elif kind == "tool_use":
            yield from call_in(block, "input", time=time, message=message)


def _received(blocks: list[dict[str, Any]], time: float | None) -> Iterator[Event]:
    for block in blocks:
        kind = block.get("type")
        if kind == "tool_result":
            texts = tuple(text for text in texts_of(block.get("content")) if text)
            match = _EXIT.search(texts[-1][-80:]) if texts else None
            code = int(match[1]) if match is not None else None
            error = block.get("is_error") is True
            yield Returned(
                call_id=text_in(block.get("tool_use_id")),
                texts=texts,
                failed=error or bool(code),
                exit_code=code,
                time=time,
            )
        elif kind == "text" and (text := text_in(block.get("text"))) is not None:
            added = _is_shell_result(text) or text.lstrip().startswith(_REMINDER)
            place: Place = "attachment" if added else "prompt"
            yield Prompted(text=text, time=time, place=place)


def _is_shell_result(text: str) -> bool:
    """Whether a person's own command and its output stand in the text."""
    if not text.startswith("{") or _SHELL_RESULT not in text[:200]:
        return False
    try:
        value = load(text.encode("utf-8", "surrogatepass"))
    except ValueError:
        return False
    return isinstance(value, dict) and value.get("type") == "bash_result"
