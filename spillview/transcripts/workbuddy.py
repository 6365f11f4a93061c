"""Records of WorkBuddy: messages, calls and results in the manner of Responses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from spillview.transcripts.calls import one_line, parse_time, texts_of
from spillview.transcripts.events import (
    About,
    Called,
    Event,
    Place,
    Prompted,
    Returned,
    Said,
)
from spillview.transcripts.values import text_in


def events(record: dict[str, Any], state: dict[str, Any]) -> Iterable[Event]:
    """What one record tells."""
    time = parse_time(record.get("timestamp"))
    cwd, ident = text_in(record.get("cwd")), text_in(record.get("id"))
    if cwd is not None or time is not None or ident is not None:
        whole = cwd is not None and (cwd[0] == "/" or cwd[1:3] in (":\\", ":/"))
        yield About(project=cwd if whole else None, time=time, record_id=ident)
    kind, call_id = record.get("type"), text_in(record.get("callId"))
    if kind == "message":
        yield from _message(record, ident, time)
    elif kind == "function_call":
        tool = text_in(record.get("name"))
        if tool is not None and call_id is not None:
            arguments = _arguments(record.get("arguments"))
            yield Called(
                id=call_id, tool=tool, arguments=arguments, time=time, message=ident
            )
    elif kind == "function_call_result" and call_id is not None:
        status = record.get("status")
        yield Returned(
            call_id=call_id,
            texts=tuple(_texts(record.get("output"))),
            tool=text_in(record.get("name")),
            failed=status != "completed" if isinstance(status, str) else None,
            time=time,
        )


def _message(
    record: dict[str, Any], ident: str | None, time: float | None
) -> Iterator[Event]:
    role = record.get("role")
    for text in _texts(record.get("content")):
        if role == "assistant":
            yield Said(text=text, time=time, message=ident)
        elif role == "user":
            asked = _between(text, "<user_query>", "</user_query>")
            added = asked is None and text.lstrip().startswith("<system-reminder>")
            if not added:
                yield About(title=one_line(asked or text), title_rank=1)
            place: Place = "attachment" if added else "prompt"
            yield Prompted(text=text, time=time, place=place)


def _texts(content: Any) -> list[str]:
    if isinstance(content, dict):
        content = [content]
    return [text for text in texts_of(content) if text]


def _arguments(value: Any) -> Any:
    """The arguments of a call, which are JSON in a text."""
    if not isinstance(value, str):
        return value
    import orjson

    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value


def _between(text: str, first: str, last: str) -> str | None:
    start = text.find(first)
    end = text.find(last, start)
    return text[start + len(first) : end].strip() if 0 <= start < end else None
