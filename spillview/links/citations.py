"""Which artifacts a transcript names anywhere in its text, whoever wrote it there.

Links know the notices and the calls; a live session may also refer to an artifact in a
prompt, in an answer, or across harnesses. Here every path in the text counts.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator

from spillview.errors import Unreadable
from spillview.hints import TYPE_CHECKING
from spillview.model import Found
from spillview.named import NamedTuple

if TYPE_CHECKING:
    from spillview.content.content import Content, FileContent
    from spillview.discovery.discovery import TranscriptFound
    from spillview.profiles.profile import Profile

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
        folders: dict[str, tuple[bytes, bytes]] = {}
        for item in found:
            folder = os.path.basename(os.path.dirname(item.path))
            parents = folders.get(folder)
            if parents is None:
                parents = folders[folder] = _written(folder)
            pairs = zip(parents, _written(item.name), strict=True)
            for parent, name in dict.fromkeys(pairs):
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


class Citing(NamedTuple):
    """A session that may name artifacts, and the transcript it is in."""

    log: TranscriptFound
    profile: Profile
    """Of the harness that wrote it."""
    session: str


def cited_in(
    sessions: Iterable[Citing],
    found: Iterable[Found],
    cancelled: Cancelled | None = None,
) -> dict[str, Citing]:
    """The artifacts among `found` that these sessions name, and where."""
    names = Names(found)
    cited: dict[str, Citing] = {}
    if not names:
        return cited
    for citing in sessions:
        for ident in names.in_text(_text_of(citing, cancelled)):
            cited.setdefault(ident, citing)
    return cited


def _text_of(citing: Citing, cancelled: Cancelled | None) -> Iterator[bytes]:
    """The text of a session; nothing, or no more, when it cannot be read."""
    from spillview.transcripts import READERS, reader_of
    from spillview.transcripts.values import is_rows

    log = citing.log
    if log.form in ("jsonl", "json") or log.reader not in READERS:
        yield from _file_text(log.path, cancelled)
        return
    module = reader_of(log.reader, citing.profile)
    if is_rows(log.form, module):
        yield from _rows_text(module, log.path, citing.session, cancelled)
    else:
        yield from _folder_text(log.path, cancelled)


def _rows_text(
    module: object, path: str, session: str, cancelled: Cancelled | None
) -> Iterator[bytes]:
    """The rows of one session of a database: its pages may split any text."""
    from spillview.transcripts import tables

    try:
        for record in tables.records(module, path, session, cancelled):
            try:
                text = json.dumps(record.value, ensure_ascii=False, default=repr)
            except (ValueError, RecursionError):
                continue  # nested so deeply that it holds no path of ours
            yield text.encode("utf-8", "replace") + b"\n"
    except Unreadable:
        return


def _folder_text(path: str, cancelled: Cancelled | None) -> Iterator[bytes]:
    """The files of a folder of records."""
    from spillview.transcripts import folders

    try:
        names = folders.names_in(path)
    except Unreadable:
        return
    for name in names:
        yield from _file_text(os.path.join(path, name), cancelled)


def _file_text(path: str, cancelled: Cancelled | None) -> Iterator[bytes]:
    """The text of a file, decompressed."""
    from spillview.content.content import open_content
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
