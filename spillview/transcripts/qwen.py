"""Records of Qwen Code's chats: a message of parts a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spillview.transcripts.calls import parse_time
from spillview.transcripts.events import (
    About,
    Called,
    Compacted,
    Event,
    Prompted,
    Returned,
    Said,
)
from spillview.transcripts.parts import (
    calls_of,
    exit_code_of,
    parts_of,
    response_texts,
    responses_of,
    text_or_none,
    texts_of,
)

COMPACTS = True


def events(record: dict[str, Any], state: dict[str, Any]) -> Iterable[Event]:
    """What one line of a chat tells."""
    del state
    time = parse_time(record.get("timestamp"))
    agent = record.get("isSidechain") is True
    yield About(
        session=None if agent else text_or_none(record.get("sessionId")),
        project=text_or_none(record.get("cwd")),
        version=text_or_none(record.get("version")),
        record_id=text_or_none(record.get("uuid")),
        time=time,
    )
    kind, message = record.get("type"), record.get("message")
    if kind == "system":
        yield from _system(record)
        return
    if not isinstance(message, dict):
        return
    parts = parts_of(message.get("parts"))
    if kind == "assistant" or message.get("role") == "model":
        ident = text_or_none(record.get("uuid"))
        for text in texts_of(parts):
            yield Said(text=text, time=time, message=ident)
        for call in calls_of(parts):
            call_id, tool = text_or_none(call.get("id")), call.get("name")
            if call_id is not None:
                yield Called(
                    id=call_id,
                    tool=text_or_none(tool) or "unknown",
                    arguments=call.get("args"),
                    time=time,
                    message=ident,
                )
        return
    failed = _failed(record.get("toolCallResult"))
    for response in responses_of(parts):
        texts = response_texts(response)
        code = exit_code_of(texts)
        value = response.get("response")
        bad = isinstance(value, dict) and "error" in value and "output" not in value
        yield Returned(
            call_id=text_or_none(response.get("id")),
            texts=texts,
            tool=text_or_none(response.get("name")),
            failed=True if bad or (code is not None and code != 0) else failed,
            exit_code=code,
            time=time,
        )
    for text in texts_of(parts):
        person = kind == "user" and record.get("subtype") is None
        yield Prompted(text=text, time=time, place="prompt" if person else "attachment")


def _system(record: dict[str, Any]) -> Iterable[Event]:
    payload = record.get("systemPayload")
    if record.get("subtype") == "custom_title" and isinstance(payload, dict):
        title = text_or_none(payload.get("customTitle"))
        yield About(title=title, title_rank=3)
    elif record.get("subtype") == "chat_compression":
        yield Compacted()


def _failed(result: Any) -> bool | None:
    """Whether the record's own word on the call is that it failed."""
    status = result.get("status") if isinstance(result, dict) else None
    return {"success": False, "error": True}.get(text_or_none(status) or "")
