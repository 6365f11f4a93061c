"""Which artifacts a transcript names anywhere in its text, whoever wrote it there.

Links know the notices and the calls; a live session may also refer to an artifact in a
prompt, in an answer, or across harnesses. Here every path in the text counts.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from spillview.errors import Unreadable
from spillview.model import Found

if TYPE_CHECKING:
    from spillview.content import Content, FileContent
    from spillview.discovery import TranscriptFound

Cancelled = Callable[[], bool]

_AFTER_SLASH = re.compile(rb"/([0-9A-Za-z_.~-]+)")
_LEAD = re.compile(rb"[0-9A-Za-z_.~-]*")
_ENDS = b".~-"
"""What may stand behind a path in a sentence and is no part of it."""
_STEP = 1 << 20
_LONGEST = 4096
"""Bytes that a folder's name and a file's name have together at most, escaped."""


class Names:
    """Artifacts by what a transcript would write of their paths."""

    def __init__(self, found: Iterable[Found]) -> None:
        self._by_lead: dict[bytes, list[tuple[bytes, bytes, str]]] = {}
        self._rare: list[tuple[bytes, str]] = []
        for item in found:
            folder = os.path.basename(os.path.dirname(item.path))
            for parent, name in zip(_written(folder), _written(item.name), strict=True):
                match = _LEAD.match(name)
                lead = match[0].rstrip(_ENDS) if match else b""
                if lead:
                    entry = (parent, name, item.id)
                    self._by_lead.setdefault(lead, []).append(entry)
                else:
                    self._rare.append((parent + b"/" + name, item.id))

    def __bool__(self) -> bool:
        return bool(self._by_lead or self._rare)

    def in_text(self, chunks: Iterable[bytes]) -> set[str]:
        """Ids of the artifacts whose folder and name stand in the text."""
        cited: set[str] = set()
        rest = b""
        for chunk in chunks:
            text = rest + chunk
            for match in _AFTER_SLASH.finditer(text):
                said = match[1]
                for lead in {said, said.rstrip(_ENDS)}:
                    for parent, name, ident in self._by_lead.get(lead, ()):
                        at = match.start()
                        if text.startswith(name, at + 1) and text.endswith(
                            parent, 0, at
                        ):
                            cited.add(ident)
            cited.update(ident for needle, ident in self._rare if needle in text)
            rest = text[-_LONGEST:]
        return cited


def _written(name: str) -> tuple[bytes, bytes]:
    """A name as JSON writes it: in UTF-8, and in ASCII."""
    text = os.fsencode(name).decode("utf-8", "replace")
    plain = json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "replace")
    return plain, json.dumps(text)[1:-1].encode("ascii")


def cited_in(
    logs: Sequence[TranscriptFound],
    found: Iterable[Found],
    cancelled: Cancelled | None = None,
) -> dict[str, TranscriptFound]:
    """The artifacts among `found` that these transcripts name, and where."""
    names = Names(found)
    cited: dict[str, TranscriptFound] = {}
    if not names:
        return cited
    for log in logs:
        for ident in names.in_text(_text_of(log.path, cancelled)):
            cited.setdefault(ident, log)
    return cited


def _text_of(path: str, cancelled: Cancelled | None) -> Iterator[bytes]:
    """The text of a transcript, decompressed; nothing when it cannot be read."""
    from spillview.content import open_content
    from spillview.transcripts.frames import Frames, Mark, is_compressed

    try:
        content = open_content(path)
    except Unreadable:
        return
    try:
        if is_compressed(content):
            yield from Frames(content, Mark(0, 0), cancelled)
        else:
            yield from _plain(content, cancelled)
    except Unreadable:
        return
    finally:
        content.close()


def _plain(
    content: Content | FileContent, cancelled: Cancelled | None
) -> Iterator[bytes]:
    at = 0
    while not (cancelled is not None and cancelled()):
        data = content.pread(at, _STEP)
        if not data:
            return
        yield data
        at += len(data)
