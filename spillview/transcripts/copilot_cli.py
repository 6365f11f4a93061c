"""What records of GitHub Copilot CLI tell: one event a line, with its `data`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from spillview.transcripts.calls import parse_time
from spillview.transcripts.events import (
    About,
    Compacted,
    Event,
    Prompted,
    Returned,
    Said,
    call_in,
)
from spillview.transcripts.values import text_in

_EXIT = re.compile(
    r"<(?:exited|shellId: [^\s<>]{1,64} completed) with exit code "
    r"(-?\d{1,10})>\s{0,4}\Z"
)

COMPACTS = True


def events(record: dict[str, Any], state: dict[str, Any]) -> Iterable[Event]:
    """The events of one record; `state` is not needed."""
    data = record.get("data")
    if not isinstance(data, dict):
        return ()
    maker = _MAKERS.get(text_in(record.get("type")) or "")
    time = parse_time(record.get("timestamp"))
    found: list[Event] = [About(time=time, record_id=text_in(record.get("id")))]
    if maker is not None:
        found += maker(data, time, text_in(data.get("parentToolCallId")))
    return found


def _started(
    data: dict[str, Any], time: float | None, agent: str | None
) -> Iterator[Event]:
    context = data.get("context")
    yield About(
        session=text_in(data.get("sessionId")),
        project=text_in(context.get("cwd")) if isinstance(context, dict) else None,
        version=text_in(data.get("copilotVersion")),
        time=parse_time(data.get("startTime")) or time,
    )


def _named(
    data: dict[str, Any], time: float | None, agent: str | None
) -> Iterator[Event]:
    title = text_in(data.get("title"))
    if title is not None:
        yield About(title=title)


def _prompted(
    data: dict[str, Any], time: float | None, agent: str | None
) -> Iterator[Event]:
    text = text_in(data.get("content"))
    if text is not None:
        yield Prompted(text=text, time=time, agent=agent)


def _answered(
    data: dict[str, Any], time: float | None, agent: str | None
) -> Iterator[Event]:
    message = text_in(data.get("messageId"))
    text = text_in(data.get("content"))
    if text is not None and text.strip():
        yield Said(text=text.strip(), time=time, message=message, agent=agent)
    requests = data.get("toolRequests")
    for request in requests if isinstance(requests, list) else []:
        yield from _call(request, "name", time, message, agent)


def _called(
    data: dict[str, Any], time: float | None, agent: str | None
) -> Iterator[Event]:
    return _call(data, "toolName", time, None, agent)


def _call(
    part: Any, tool: str, time: float | None, message: str | None, agent: str | None
) -> Iterator[Event]:
    return call_in(
        part,
        "arguments",
        ident="toolCallId",
        tool=tool,
        time=time,
        message=message,
        agent=agent,
    )


def _returned(
    data: dict[str, Any], time: float | None, agent: str | None
) -> Iterator[Event]:
    result = data.get("result")
    content, detail = result, None
    if isinstance(result, dict):
        content, detail = result.get("content"), result.get("detailedContent")
    error = data.get("error")
    if not isinstance(content, str) and isinstance(error, dict):
        content = error.get("message")
    text = content if isinstance(content, str) else ""
    telemetry = data.get("toolTelemetry")
    told = telemetry.get("properties") if isinstance(telemetry, dict) else None
    path = text_in(told.get("large_output_file")) if isinstance(told, dict) else None
    match = _EXIT.search(text[-160:])
    code = int(match[1]) if match is not None else None
    success = data.get("success")
    failed = None if not isinstance(success, bool) else not success or bool(code)
    copy = len(detail) if isinstance(detail, str) else 0
    yield Returned(
        call_id=text_in(data.get("toolCallId")),
        texts=(text,) if text else (),
        tool=text_in(data.get("toolName")),
        failed=failed,
        exit_code=code,
        time=time,
        agent=agent,
        path=path,
        copy_chars=copy if path is not None and copy > len(text) else 0,
    )


def _compacted(
    data: dict[str, Any], time: float | None, agent: str | None
) -> Iterator[Event]:
    if data.get("success") is not False:
        yield Compacted(agent=agent)


_MAKERS = {
    "session.start": _started,
    "session.resume": _started,
    "session.title_changed": _named,
    "session.compaction_complete": _compacted,
    "user.message": _prompted,
    "assistant.message": _answered,
    "tool.execution_start": _called,
    "tool.execution_complete": _returned,
}
