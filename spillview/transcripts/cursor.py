"""What Cursor's agent transcripts tell: words and calls, and no result of any.

A call of which nothing came back to us is told as returned without a text, so that a
later read of an artifact is known, and what it showed is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from spillview.transcripts.events import Called, Event, Prompted, Returned, Said

_QUERY = re.compile(r"<user_query>\s{0,8}(.{1,8000}?)\s{0,8}</user_query>", re.DOTALL)


def events(record: dict[str, Any], state: dict[str, Any]) -> Iterable[Event]:
    """The events of one message; `state` counts the calls, which have no ids."""
    role, message = record.get("role"), record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if role not in ("user", "assistant") or not isinstance(content, list):
        return ()
    found: list[Event] = []
    made: list[Event] = []
    count = state.get("calls")
    count = count if isinstance(count, int) else 0
    for block in content:
        if not isinstance(block, dict):
            continue
        text, tool = block.get("text"), block.get("name")
        if block.get("type") == "text" and isinstance(text, str) and text.strip():
            if role == "assistant":
                found.append(Said(text=text.strip()))
            else:
                query = _QUERY.search(text)
                found.append(Prompted(text=query[1] if query else text))
        elif block.get("type") == "tool_use" and isinstance(tool, str) and tool:
            count += 1
            given = block.get("id")
            call_id = given if isinstance(given, str) and given else f"call-{count}"
            found.append(Called(id=call_id, tool=tool, arguments=block.get("input")))
            made.append(Returned(call_id=call_id, texts=(), tool=tool))
        elif block.get("type") == "tool_result":
            found.append(_returned(block))
    state["calls"] = count
    return [*found, *made]


def _returned(block: dict[str, Any]) -> Event:
    """A result after all: later versions may keep them."""
    content = block.get("content")
    texts: tuple[str, ...] = ()
    if isinstance(content, str):
        texts = (content,)
    elif isinstance(content, list):
        parts = (p.get("text") for p in content if isinstance(p, dict))
        texts = tuple(p for p in parts if isinstance(p, str))
    call_id, error = block.get("tool_use_id"), block.get("is_error")
    return Returned(
        call_id=call_id if isinstance(call_id, str) else None,
        texts=texts,
        failed=error if isinstance(error, bool) else None,
    )
