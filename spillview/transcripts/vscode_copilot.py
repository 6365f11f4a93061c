"""What VS Code's chat sessions tell: requests of one document, or its log of changes.

A session keeps each result whole. What the model was given instead of a large one, a
pointer without any preview, is made anew for every request and kept nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from spillview.transcripts.calls import parse_time
from spillview.transcripts.events import (
    About,
    Called,
    Event,
    Prompted,
    Returned,
    Said,
    call_in,
)
from spillview.transcripts.values import text_in

RECORDS = ("requests[]",)

POINTER = "Large tool result ("
"""How the pointer begins, where a session holds it after all."""
THRESHOLD = 8192
"""UTF-16 units above which a result goes to disk, unless it is set otherwise."""
REQUESTS = 4096
"""So many requests' times are remembered."""
DEPTH = 64
"""Nodes of a rendered result are looked into so deep."""

_INLINE = frozenset(
    (
        "execution_subagent",
        "explore_subagent",
        "memory",
        "search_subagent",
    )
)
"""Tools whose results are never put on disk."""

_ID = re.compile(r"[^A-Za-z0-9_.-]")


def events(record: dict[str, Any], state: dict[str, Any]) -> Iterable[Event]:
    """The events of a request, of the document's top, or of a change to it."""
    top = record.get("")
    if isinstance(top, dict):
        return [_about(top)]
    if isinstance(record.get("kind"), int) and ("v" in record or "k" in record):
        return _changed(record, state)
    return _request(record)


def _changed(record: dict[str, Any], state: dict[str, Any]) -> list[Event]:
    """A line of the log: 0 the whole, 1 a value set, 2 values added to a list.

    `state` keeps the times of the requests, whose results come in lines of their own.
    """
    value, keys = record.get("v"), record.get("k")
    if record["kind"] == 0:
        whole = value if isinstance(value, dict) else {}
        requests = whole.get("requests")
        state["times"] = []
        _note_times(requests, state)
        return [_about(whole), *_requests(requests)]
    if not isinstance(keys, list):
        return []
    if keys == ["customTitle"]:
        title = text_in(value)
        return [About(title=title, title_rank=3)] if title else []
    if keys[:1] != ["requests"]:
        return []
    if len(keys) == 1:
        if record["kind"] == 1:
            state["times"] = []
        _note_times(value, state)
        return _requests(value)
    if len(keys) == 2:
        return _requests([value])
    if len(keys) == 3 and keys[2] == "result":
        return list(_results(value, _time_at(keys[1], state)))
    return []


def _note_times(requests: Any, state: dict[str, Any]) -> None:
    """Remember when requests were made."""
    times = state.setdefault("times", [])
    for request in requests if isinstance(requests, list) else []:
        if isinstance(times, list) and len(times) < REQUESTS:
            made = request.get("timestamp") if isinstance(request, dict) else None
            times.append(parse_time(made))


def _time_at(place: Any, state: dict[str, Any]) -> float | None:
    """When the request at that place was made."""
    times = state.get("times")
    if not isinstance(times, list) or not isinstance(place, int):
        return None
    time = times[place] if 0 <= place < len(times) else None
    return time if isinstance(time, float) else None


def _about(top: dict[str, Any]) -> Event:
    return About(
        session=text_in(top.get("sessionId")),
        title=text_in(top.get("customTitle")),
        title_rank=3,
        time=parse_time(top.get("creationDate")),
    )


def _requests(value: Any) -> list[Event]:
    found: list[Event] = []
    for request in value if isinstance(value, list) else []:
        if isinstance(request, dict):
            found += _request(request)
    return found


def _request(request: dict[str, Any]) -> list[Event]:
    """A prompt, what the agent did, and what it got."""
    time = parse_time(request.get("timestamp"))
    found: list[Event] = [About(time=time, record_id=text_in(request.get("requestId")))]
    message = request.get("message")
    text = message.get("text") if isinstance(message, dict) else message
    if isinstance(text, str) and text:
        found.append(Prompted(text=text, time=time))
    found += _results(request.get("result"), time)
    return found


def _results(result: Any, time: float | None) -> Iterator[Event]:
    """The rounds of a request: words and calls, then what the calls gave."""
    metadata = result.get("metadata") if isinstance(result, dict) else None
    if not isinstance(metadata, dict):
        return
    given = metadata.get("toolCallResults")
    given = given if isinstance(given, dict) else {}
    rounds = metadata.get("toolCallRounds")
    told: set[str] = set()
    for index, each in enumerate(rounds if isinstance(rounds, list) else []):
        if not isinstance(each, dict):
            continue
        message = text_in(each.get("id")) or str(index)
        when = parse_time(each.get("timestamp")) or time
        words = text_in(each.get("response"))
        if words is not None and words.strip():
            yield Said(text=words.strip(), time=when, message=message)
        calls = each.get("toolCalls")
        made: list[Called] = []
        for call in calls if isinstance(calls, list) else []:
            made += call_in(call, "arguments", time=when, message=message)
        yield from made
        for called in made:
            if called.id in given and called.id not in told:
                told.add(called.id)
                yield _returned(called.id, given[called.id], called.tool, when)
    for call_id, value in given.items():
        if call_id not in told:
            yield _returned(call_id, value, None, time)


def _returned(call_id: str, value: Any, tool: str | None, time: float | None) -> Event:
    """A result; of a large one the model received none of the text kept here."""
    content = value.get("content") if isinstance(value, dict) else None
    texts: list[str] = []
    kept = 0
    for part in content if isinstance(content, list) else []:
        inner = part.get("value") if isinstance(part, dict) else None
        if isinstance(inner, str):
            if _is_large(inner) and tool not in _INLINE:
                kept = max(kept, len(inner))
            elif inner:
                texts.append(inner)
        elif isinstance(inner, dict):
            text = "".join(_rendered(inner.get("node", inner), 0))
            if text:
                texts.append(text)
    failed = any(t.startswith("ERROR while calling tool: ") for t in texts)
    return Returned(
        call_id=call_id,
        texts=tuple(texts),
        tool=tool,
        failed=failed,
        time=time,
        ident=_ID.sub("_", call_id) if kept else None,
        copy_chars=kept,
    )


def _is_large(text: str) -> bool:
    """Whether a pointer went to the model in the text's place."""
    if text.startswith(POINTER) or 2 * len(text) <= THRESHOLD:
        return False
    if len(text) > THRESHOLD:
        return True
    return len(text.encode("utf-16-le", "surrogatepass")) > 2 * THRESHOLD


def _rendered(node: Any, depth: int) -> Iterator[str]:
    """The texts of a result that was kept as the tree of its parts."""
    if not isinstance(node, dict) or depth > DEPTH:
        return
    text = node.get("text")
    if isinstance(text, str):
        if node.get("lineBreakBefore") in (True, 1):
            yield "\n"
        yield text
    children = node.get("children")
    for child in children if isinstance(children, list) else []:
        yield from _rendered(child, depth + 1)
