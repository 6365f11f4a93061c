"""Records of pi and of what was made from it: mom, oh-my-pi, OpenClaw.

A line is the session's header, or an entry of its tree with a message in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from spillview.transcripts.calls import one_line, parse_time, texts_of
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

_EXIT = re.compile(r"(?:^|\n)Command exited with code (-?\d{1,10})\s{0,8}\Z")
_PARENT = re.compile(r"_(?P<id>[A-Za-z0-9-]{8,64})\.jsonl\Z")
_PASSED = 0

COMPACTS = True


def events(record: dict[str, Any], state: dict[str, Any]) -> Iterable[Event]:
    """What one record tells."""
    kind = record.get("type")
    if kind == "session":
        yield _session(record)
    elif kind in ("session_info", "title", "title_change"):
        title = text_in(record.get("name")) or text_in(record.get("title"))
        if title is not None:
            by_hand = kind == "session_info" or record.get("source") == "user"
            yield About(title=one_line(title), title_rank=3 if by_hand else 2)
    elif kind == "custom_message":
        yield from _added(record)
    elif kind == "compaction":
        yield Compacted()
    elif kind == "message":
        message = record.get("message")
        if isinstance(message, dict):
            yield from _message(record, message)


def _session(record: dict[str, Any]) -> Event:
    cwd, title = text_in(record.get("cwd")), text_in(record.get("title"))
    parent = text_in(record.get("parentSession"))
    found = _PARENT.search(parent) if parent is not None else None
    return About(
        session=text_in(record.get("id")),
        project=cwd if cwd and (cwd[0] == "/" or cwd[1:3] in (":\\", ":/")) else None,
        title=one_line(title) if title else None,
        title_rank=3 if record.get("titleSource") == "user" else 2,
        time=parse_time(record.get("timestamp")),
        parents=(found["id"],) if found is not None else (),
    )


def _message(record: dict[str, Any], message: dict[str, Any]) -> Iterator[Event]:
    ident = text_in(record.get("id"))
    time = parse_time(message.get("timestamp"))
    if time is None:
        time = parse_time(record.get("timestamp"))
    if ident is not None or time is not None:
        yield About(record_id=ident, time=time)
    role = message.get("role")
    if role == "user":
        for text in texts_of(message.get("content")):
            yield About(title=one_line(text), title_rank=1)
            yield Prompted(text=text, time=time)
    elif role == "assistant":
        yield from _answer(message, ident, time)
    elif role == "toolResult":
        yield _result(message, time)
    elif role == "bashExecution":
        yield _bang(message, time)
    elif role in ("custom", "hookMessage"):
        for text in texts_of(message.get("content")):
            yield Prompted(text=text, time=time, place="attachment")


def _answer(
    message: dict[str, Any], ident: str | None, time: float | None
) -> Iterator[Event]:
    content = message.get("content")
    for block in content if isinstance(content, list) else []:
        if not isinstance(block, dict):
            continue
        kind, text = block.get("type"), text_in(block.get("text"))
        if kind == "text" and text is not None:
            yield Said(text=text, time=time, message=ident)
        elif kind == "toolCall":
            yield from call_in(block, "arguments", time=time, message=ident)


def _result(message: dict[str, Any], time: float | None) -> Event:
    texts = tuple(texts_of(message.get("content")))
    details = message.get("details")
    known = details if isinstance(details, dict) else {}
    spill = known.get("spill")
    path = text_in(known.get("fullOutputPath"))
    partial = known.get("spillTruncated") is True
    if isinstance(spill, dict):
        path = text_in(spill.get("path")) or path
        partial = partial or spill.get("truncated") is True
    failed = message.get("isError")
    code = _exit_code(texts)
    return Returned(
        call_id=text_in(message.get("toolCallId")),
        texts=texts,
        tool=text_in(message.get("toolName")),
        failed=failed if isinstance(failed, bool) else None,
        exit_code=code,
        time=time,
        path=path,
        ident=_ident(known),
        partial=partial,
    )


def _bang(message: dict[str, Any], time: float | None) -> Event:
    """A command that the person ran with `!`, as the model was told of it."""
    command = text_in(message.get("command"))
    code = message.get("exitCode")
    code = code if isinstance(code, int) and not isinstance(code, bool) else None
    path = text_in(message.get("fullOutputPath"))
    cancelled = message.get("cancelled") is True
    hidden = message.get("excludeFromContext") is True
    return Returned(
        call_id=None,
        texts=() if hidden else (_told(message, command or "", code, path),),
        tool="bash",
        arguments=command,
        failed=True if cancelled else code != _PASSED if code is not None else None,
        exit_code=code,
        time=time,
        path=path,
    )


def _told(
    message: dict[str, Any], command: str, code: int | None, path: str | None
) -> str:
    output = text_in(message.get("output"))
    told = f"Ran `{command}`\n"
    told += f"```\n{output}\n```" if output else "(no output)"
    if message.get("cancelled") is True:
        told += "\n\n(command cancelled)"
    elif code:
        told += f"\n\nCommand exited with code {code}"
    if message.get("truncated") is True and path is not None:
        told += f"\n\n[Output truncated. Full output: {path}]"
    return told


def _added(record: dict[str, Any]) -> Iterator[Event]:
    time = parse_time(record.get("timestamp"))
    for text in texts_of(record.get("content")):
        yield Prompted(text=text, time=time, place="attachment")


def _ident(details: dict[str, Any]) -> str | None:
    """The number of an artifact, as oh-my-pi keeps it."""
    meta = details.get("meta")
    truncation = meta.get("truncation") if isinstance(meta, dict) else None
    ident = truncation.get("artifactId") if isinstance(truncation, dict) else None
    if isinstance(ident, int) and not isinstance(ident, bool):
        return str(ident)
    return text_in(ident)


def _exit_code(texts: tuple[str, ...]) -> int | None:
    found = _EXIT.search(texts[-1][-64:]) if texts else None
    return int(found[1]) if found is not None else None
