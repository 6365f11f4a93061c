"""Records of Gemini CLI's chats: a message, a change of the facts, or a step back.

A message is written again with the same id whenever it changes, and `$set` may hold
all of them: what was told of before is told again as text alone, not as something said.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spillview.transcripts.calls import parse_time
from spillview.transcripts.events import About, Called, Event, Prompted, Returned, Said
from spillview.transcripts.parts import (
    exit_code_of,
    parts_of,
    response_texts,
    responses_of,
    text_or_none,
    texts_of,
)

RECORDS = ("messages[]",)
"""Where the messages of an older chat stand, which is one document."""

REMEMBERED = 4096
"""So many ids of messages and calls are known again."""


def events(record: dict[str, Any], state: dict[str, Any]) -> Iterable[Event]:
    """What one record of a chat tells."""
    whole = record.get("")
    change = record.get("$set")
    if isinstance(whole, dict):
        yield from _facts(whole)
    elif isinstance(change, dict):
        yield from _facts(change)
        messages = change.get("messages")
        for message in messages if isinstance(messages, list) else []:
            if isinstance(message, dict):
                yield from _message(message, state)
    elif "sessionId" in record and "type" not in record:
        yield from _facts(record)
    elif "id" in record:
        yield from _message(record, state)


def _facts(facts: dict[str, Any]) -> Iterable[Event]:
    """What is said of the session as a whole."""
    session = text_or_none(facts.get("sessionId"))
    folders = facts.get("directories")
    first = folders[0] if isinstance(folders, list) and folders else None
    if facts.get("kind") == "subagent":
        session = None  # its spills' session, not the conversation's
    yield About(session=session, time=parse_time(facts.get("startTime")))
    yield About(
        project=text_or_none(first),
        title=text_or_none(facts.get("summary")),
        time=parse_time(facts.get("lastUpdated")),
    )


def _message(message: dict[str, Any], state: dict[str, Any]) -> Iterable[Event]:
    ident = text_or_none(message.get("id"))
    time = parse_time(message.get("timestamp"))
    yield About(record_id=ident, time=time)
    kind = message.get("type")
    parts = parts_of(message.get("content"))
    if kind == "user":
        again = not _new(state, "m", ident)
        for response in responses_of(parts):
            yield _returned(response, None, None, time)
        for text in texts_of(parts):
            place: Any = "attachment" if again else "prompt"
            yield Prompted(text=text, time=time, place=place)
    elif kind == "gemini":
        texts = [text for text in texts_of(parts) if text.strip()]
        if texts and _new(state, "m", ident):
            for text in texts:
                yield Said(text=text, time=time, message=ident)
        calls = message.get("toolCalls")
        for call in calls if isinstance(calls, list) else []:
            if isinstance(call, dict):
                yield from _call(call, ident, time, state)


def _call(
    call: dict[str, Any],
    message: str | None,
    time: float | None,
    state: dict[str, Any],
) -> Iterable[Event]:
    call_id = text_or_none(call.get("id"))
    tool = text_or_none(call.get("name"))
    made = parse_time(call.get("timestamp")) or time
    if call_id is not None and _new(state, "c", call_id):
        yield Called(
            id=call_id,
            tool=tool or "unknown",
            arguments=call.get("args"),
            time=made,
            message=message,
        )
    for part in responses_of(parts_of(call.get("result"))):
        # One turn's responses may all stand with each of its calls.
        other = text_or_none(part.get("id"))
        if other is None or other == call_id or call_id is None:
            yield _returned(part, call, call_id, made)


def _returned(
    response: dict[str, Any],
    call: dict[str, Any] | None,
    call_id: str | None,
    time: float | None,
) -> Returned:
    texts = response_texts(response)
    status = text_or_none(call.get("status")) if call is not None else None
    code = exit_code_of(texts)
    failed = {"error": True, "success": False}.get(status or "")
    if code is not None and code != 0:
        failed = True
    return Returned(
        call_id=call_id or text_or_none(response.get("id")),
        texts=texts,
        tool=text_or_none((call or response).get("name")),
        arguments=call.get("args") if call is not None else None,
        failed=failed,
        exit_code=code,
        time=time,
    )


def _new(state: dict[str, Any], kind: str, ident: str | None) -> bool:
    """Whether `ident` is met for the first time, as far as is remembered."""
    if ident is None:
        return True
    known = state.setdefault(kind, {})
    if not isinstance(known, dict):
        known = state[kind] = {}
    key = ident[:128]
    if key in known:
        return False
    known[key] = 1
    if len(known) > REMEMBERED:
        del known[next(iter(known))]
    return True
