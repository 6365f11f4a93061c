"""The sidecars of our own store: one JSON object beside each artifact.

    {"session": "s-1", "tool": "bash", "call_id": "c-1", "label": "build",
     "command": "make", "created": "2026-03-05T02:00:00Z", "cwd": "/srv/app",
     "exit_code": 2, "failed": true,
     "name": "0123456789ab-bash.txt", "partial": "why the file is not the whole output",
     "boundaries": [[50000, "bytes"]],
     "bytes": 120340, "chars": 120340, "lines": 2210, "sha256": "…64 hex digits…",
     "envelope": {"text": "what the model received",
                  "parts": [[0, 300, 0, 300], [300, 500, 120140, 120340]]}}

`session` alone is required; what a writer did not know is left out. A part says which
chars of the envelope's text are which bytes of the artifact. `boundaries` are the sizes
it was spilled at; where they are missing, an envelope's `max_inline` and `unit` are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from spillview.errors import Unreadable
from spillview.hints import TYPE_CHECKING, Any, get_args
from spillview.model import Boundary, Claim, Counts, Mention, Range, Seen, Unit
from spillview.profiles.claims import LARGEST as LARGEST_NUMBER
from spillview.seen.alignment import merge
from spillview.text import path_text, printable
from spillview.transcripts import logfile
from spillview.transcripts.calls import parse_time
from spillview.transcripts.notices import Block, find
from spillview.transcripts.values import text_in

if TYPE_CHECKING:
    from spillview.content.content import Content
    from spillview.discovery.discovery import TranscriptFound
    from spillview.profiles.profile import Profile
    from spillview.transcripts.facts import TranscriptFacts

LARGEST = 4 << 20
"""A sidecar over so many bytes is none of ours."""

GATES = 8
"""Sizes at which one artifact may have been spilled; more are none of ours."""

NOTICE = "spillview.stored"
UNKNOWN = "spillview.envelope"

_UNITS = get_args(Unit)
_LEAF = re.compile(r"[0-9a-f]{12}-[A-Za-z0-9._~-]+")


def read(
    found: TranscriptFound,
    profile: Profile,
    previous: TranscriptFacts | None,
    cancelled: Callable[[], bool] | None = None,
) -> TranscriptFacts:
    """The one call that a sidecar tells of.

    Raises `Unreadable` when it cannot be read or is no sidecar.
    """
    with logfile.reading(found, None) as (content, draft):
        value = None
        if content.size <= LARGEST:
            value = logfile.value_at(content, 0, content.size)
        if value is None or not text_in(value.get("session")):
            name = printable(path_text(found.path))
            raise Unreadable(f"{name} is no sidecar: it names no session.")
        draft.session = str(value["session"])
        draft.project = text_in(value.get("cwd"))
        draft.records = draft.lines = 1
        draft.size_read = draft.text_read = content.size
        draft.saw(parse_time(value.get("created")))
        draft.mentions.append(_mention(found.path, content.size, value, profile))
        draft.mention_ids.append(None)
    return draft.facts()


def record_at(content: Content, offset: int, length: int) -> dict[str, Any] | None:
    """The sidecar's object."""
    return logfile.value_at(content, offset, length)


def blocks(record: dict[str, Any]) -> list[Block]:
    """The envelope's text, where the writer kept it."""
    text = _envelope(record)
    if text is None:
        return []
    return [Block("result", text, text_in(record.get("call_id")), _failed(record))]


def stated(
    mention: Mention, text: str, content: Content, counts: Counts
) -> Seen | None:
    """The parts of an envelope's text that its writer says are the artifact's own.

    None where it says nothing of them, where one is not what stands in the file, and
    for a mention that no sidecar makes.
    """
    if not _is_sidecar(mention.transcript):
        return None
    value = _record_of(mention)
    envelope = value.get("envelope") if value is not None else None
    parts = envelope.get("parts") if isinstance(envelope, dict) else None
    if not isinstance(parts, list):
        return None
    encodings = ["utf-8"]
    if counts.encoding.startswith("utf-16"):
        encodings.append(counts.encoding)  # or what only looks like it
    ranges: list[Range] = []
    for part in parts:
        found = _range_of(part, text, content, encodings)
        if found is None:
            return None
        ranges.append(found)
    return Seen(merge(ranges))


def _range_of(
    part: Any, text: str, content: Content, encodings: list[str]
) -> Range | None:
    """The bytes of a part, when they are what it says."""
    if not isinstance(part, list) or len(part) != 4:
        return None
    numbers = [_number(each) for each in part]
    start, end, first, last = (-1 if each is None else each for each in numbers)
    shown = text[start:end]
    if not (0 <= start <= end <= len(text) and 0 <= first <= last <= content.size):
        return None
    if last - first > 4 * len(shown):
        return None
    data = content.pread(first, last - first)
    fits = any(data.decode(each, "replace") == shown for each in encodings)
    return (first, last) if fits else None


def _record_of(mention: Mention) -> dict[str, Any] | None:
    from spillview.content.content import open_content

    try:
        content = open_content(mention.transcript)
    except Unreadable:
        return None
    try:
        return logfile.value_at(content, mention.offset, mention.length)
    finally:
        content.close()


def _is_sidecar(path: str) -> bool:
    name = os.path.basename(path)
    return name.startswith(".") and name.endswith(".json")


def _artifact_of(path: str, value: dict[str, Any]) -> str:
    """The path of the file that a sidecar lies beside.

    It is the sidecar's own name, but that of a file whose name leaves no room for it.
    """
    folder, name = os.path.split(path)
    named = text_in(value.get("name"))
    own = name[1 : -len(".json")]
    if named is not None and named[:13] == own[:13] and _LEAF.fullmatch(named):
        own = named
    return os.path.join(folder, own)


def _notice_in(text: str | None, profile: Profile) -> str:
    """Which of our notices an envelope's text holds; one that no profile knows where
    it is an envelope of another make."""
    if text is None:
        return NOTICE
    for notice in profile.notices:
        if find(text, notice) is not None:
            return notice.id
    return UNKNOWN


def _mention(path: str, size: int, value: dict[str, Any], profile: Profile) -> Mention:
    text = _envelope(value)
    partial = text_in(value.get("partial"))
    return Mention(
        transcript=path,
        session=str(value["session"]),
        record=1,
        offset=0,
        length=size,
        place="result",
        notice=_notice_in(text, profile),
        path=_artifact_of(path, value),
        end=len(text or ""),
        claims=_claims(value),
        call_id=text_in(value.get("call_id")),
        tool=text_in(value.get("tool")),
        command=text_in(value.get("command")),
        failed=_failed(value),
        exit_code=_number(value.get("exit_code")),
        time=parse_time(value.get("created")),
        given=text is not None,
        label=text_in(value.get("label")),
        partial=printable(partial) if partial is not None else None,
        boundaries=_boundaries(value),
    )


def _boundaries(value: dict[str, Any]) -> tuple[Boundary, ...]:
    """The sizes it was spilled at; what is none is passed over."""
    pairs = value.get("boundaries")
    if not isinstance(pairs, list) or not pairs:
        envelope = value.get("envelope")
        if not isinstance(envelope, dict):
            return ()
        pairs = [[envelope.get("max_inline"), envelope.get("unit")]]
    found: list[Boundary] = []
    for pair in pairs[:GATES]:
        if not isinstance(pair, list) or len(pair) != 2 or pair[1] not in _UNITS:
            continue
        size = _number(pair[0])
        if size is not None and size > 0:
            found.append(Boundary(size, pair[1]))
    return tuple(dict.fromkeys(found))


def _claims(value: dict[str, Any]) -> tuple[Claim, ...]:
    claims = []
    for unit in ("bytes", "chars", "lines"):
        number = _number(value.get(unit))
        if number is not None:
            claims.append(Claim(unit, number))
    digest = text_in(value.get("sha256"))
    if digest is not None:
        claims.append(Claim("sha256", digest))
    return tuple(claims)


def _envelope(value: dict[str, Any]) -> str | None:
    envelope = value.get("envelope")
    return text_in(envelope.get("text")) if isinstance(envelope, dict) else None


def _failed(value: dict[str, Any]) -> bool | None:
    failed, code = value.get("failed"), _number(value.get("exit_code"))
    if isinstance(failed, bool):
        return failed
    return None if code is None else code != 0


def _number(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if abs(value) <= LARGEST_NUMBER else None
