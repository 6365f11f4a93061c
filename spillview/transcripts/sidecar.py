"""The sidecars of our own store: one JSON object beside each artifact.

    {"session": "s-1", "tool": "bash", "call_id": "c-1", "label": "build",
     "command": "make", "created": "2026-03-05T02:00:00Z", "cwd": "/srv/app",
     "exit_code": 2, "failed": true,
     "bytes": 120340, "chars": 120340, "lines": 2210, "sha256": "…64 hex digits…",
     "envelope": {"text": "what the model received"}}

`session` alone is required; what a writer did not know is left out.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spillview.claims import LARGEST as LARGEST_NUMBER
from spillview.errors import Unreadable
from spillview.model import Claim, Mention
from spillview.text import path_text, printable
from spillview.transcripts import logfile
from spillview.transcripts.notices import Block

if TYPE_CHECKING:
    from spillview.content import Content
    from spillview.discovery import TranscriptFound
    from spillview.profile import Profile
    from spillview.transcripts.facts import TranscriptFacts

LARGEST = 4 << 20
"""A sidecar over so many bytes is none of ours."""

NOTICE = "spillview.stored"


def read(
    found: TranscriptFound,
    profile: Profile,
    previous: TranscriptFacts | None,
    cancelled: Callable[[], bool] | None = None,
) -> TranscriptFacts:
    """The one call that a sidecar tells of.

    Raises `Unreadable` when it cannot be read or is no sidecar.
    """
    from spillview.content import open_content

    content = open_content(found.path)
    try:
        value = None
        if content.size <= LARGEST:
            value = logfile.value_at(content, 0, content.size)
        if value is None or not _text(value.get("session")):
            name = printable(path_text(found.path))
            raise Unreadable(f"{name} is no sidecar: it names no session.")
        draft = logfile.resume(found, content, None)
        draft.session = str(value["session"])
        draft.project = _text(value.get("cwd"))
        draft.records = draft.lines = 1
        draft.size_read = draft.text_read = content.size
        draft.saw(_time(value.get("created")))
        draft.mentions.append(_mention(found.path, content.size, value))
        draft.mention_ids.append(None)
        logfile.finish(draft, content)
        return draft.facts()
    finally:
        content.close()


def record_at(content: Content, offset: int, length: int) -> dict[str, Any] | None:
    """The sidecar's object."""
    return logfile.value_at(content, offset, length)


def blocks(record: dict[str, Any]) -> list[Block]:
    """The envelope's text, where the writer kept it."""
    text = _envelope(record)
    if text is None:
        return []
    return [Block("result", text, _text(record.get("call_id")), _failed(record))]


def _mention(path: str, size: int, value: dict[str, Any]) -> Mention:
    folder, name = os.path.split(path)
    text = _envelope(value)
    return Mention(
        transcript=path,
        session=str(value["session"]),
        record=1,
        offset=0,
        length=size,
        place="result",
        notice=NOTICE,
        path=os.path.join(folder, name[1 : -len(".json")]),
        end=len(text or ""),
        claims=_claims(value),
        call_id=_text(value.get("call_id")),
        tool=_text(value.get("tool")),
        command=_text(value.get("command")) or _text(value.get("label")),
        failed=_failed(value),
        exit_code=_number(value.get("exit_code")),
        time=_time(value.get("created")),
        given=text is not None,
    )


def _claims(value: dict[str, Any]) -> tuple[Claim, ...]:
    claims = []
    for unit in ("bytes", "chars", "lines"):
        number = _number(value.get(unit))
        if number is not None:
            claims.append(Claim(unit, number))
    digest = _text(value.get("sha256"))
    if digest is not None:
        claims.append(Claim("sha256", digest))
    return tuple(claims)


def _envelope(value: dict[str, Any]) -> str | None:
    envelope = value.get("envelope")
    return _text(envelope.get("text")) if isinstance(envelope, dict) else None


def _failed(value: dict[str, Any]) -> bool | None:
    failed, code = value.get("failed"), _number(value.get("exit_code"))
    if isinstance(failed, bool):
        return failed
    return None if code is None else code != 0


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _number(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if abs(value) <= LARGEST_NUMBER else None


def _time(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.timestamp()
