"""Rows of the copy that Letta Code keeps of a conversation for its memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spillview.transcripts.calls import parse_time
from spillview.transcripts.events import About, Called, Event, Prompted, Returned, Said
from spillview.transcripts.values import text_in


def events(record: dict[str, Any], state: dict[str, Any]) -> Iterable[Event]:
    """What one row tells: a call stands with its result."""
    kind = record.get("kind")
    time = parse_time(record.get("captured_at"))
    row = text_in(record.get("source_line_id"))
    yield About(time=time, record_id=row)
    text = text_in(record.get("text"))
    if kind == "user" and text:
        yield Prompted(text=text, time=time)
    elif kind == "assistant" and text:
        yield Said(text=text, time=time, message=row)
    elif kind == "tool_call":
        tool, result = text_in(record.get("name")), text_in(record.get("resultText"))
        arguments, ok = record.get("argsText"), record.get("resultOk")
        if row is not None:
            yield Called(
                id=row,
                tool=tool or "unknown",
                arguments=arguments,
                time=time,
                message=row,
            )
        if result is not None:
            yield Returned(
                call_id=row,
                texts=(result,),
                tool=tool,
                arguments=arguments,
                failed=not ok if isinstance(ok, bool) else None,
                time=time,
            )
