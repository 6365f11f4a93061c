"""What a pager shows: content as text, its line index, and what of it was seen."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from spillview.content.content import (
    BytesContent,
    Change,
    Content,
    FileContent,
    open_content,
    text_content,
)
from spillview.content.lines import LineIndex
from spillview.model import Artifact, Found, Range, Seen
from spillview.secrets.masking import MaskedContent, concealed_bytes
from spillview.stored.stored import StoredContent, open_artifact

SeenState = Literal["all", "part", "none", "unknown"]


class _Mapping(Protocol):
    def disk(self, offset: int) -> int: ...


@dataclass(slots=True, eq=False)
class Document:
    """Text that can be read at any offset, and how it relates to the file on disk.

    Offsets are those of the text; they are the file's own unless it is UTF-16.
    """

    content: Content
    """The file itself, or bytes in memory."""
    text: Content
    """Its text as UTF-8; the same object unless the file is UTF-16."""
    encoding: str = "utf-8"
    index: LineIndex = field(init=False)
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Held by the thread that extends the index."""
    seen: Seen | None = None
    """What the model received, in offsets of the text; None where nothing is known."""
    modelless: bool = False
    """Whether nothing but its envelope is known to have shown it."""
    beginning: bool = False
    """Whether it is the first lines alone, shown while the rest is transcribed."""
    masked: Content | None = None
    """The text with its credentials as stars; made of it unless it is given."""
    _mapping: _Mapping | None = None

    def __post_init__(self) -> None:
        self.index = LineIndex(self.text)
        if self.masked is None:
            self.masked = MaskedContent(self.text)

    def shown(self, *, bare: bool) -> Content:
        """The text as it is drawn: all of it, or without its credentials."""
        return self.text if bare or self.masked is None else self.masked

    @property
    def size(self) -> int:
        """Bytes of the text."""
        return self.text.size

    def close(self) -> None:
        """Give back what it holds."""
        self.text.close()
        if self.content is not self.text:
            self.content.close()

    def to_disk(self, offset: int) -> int:
        """The byte on disk at which byte `offset` of the text begins."""
        return offset if self._mapping is None else self._mapping.disk(offset)

    def to_text(self, offset: int) -> int:
        """The byte of the text that byte `offset` on disk became."""
        if self._mapping is None:
            return min(offset, self.size)
        low, high = 0, self.size
        while low < high:
            middle = (low + high) // 2
            if self._mapping.disk(middle) < offset:
                low = middle + 1
            else:
                high = middle
        return low

    def tell(self, artifact: Artifact) -> None:
        """State what of the artifact was received, and whether by a model."""
        self.modelless = artifact.modelless
        self.set_seen(artifact.link.seen if artifact.link is not None else None)

    def set_seen(self, seen: Seen | None) -> None:
        """State what the model received, in byte ranges of the file on disk."""
        if seen is not None and self._mapping is not None:
            ranges = tuple((self.to_text(a), self.to_text(b)) for a, b in seen.ranges)
            seen = Seen(ranges, seen.certain)
        self.seen = seen

    def state(self, start: int, end: int) -> SeenState:
        """Whether the model received `[start, end)`: all of it, a part or nothing."""
        seen = self.seen
        if seen is None:
            return "unknown"
        if seen.covers(start, end):
            return "all"
        if any(a < end and start < b for a, b in seen.ranges):
            return "part"
        return "none" if seen.certain else "unknown"

    def unseen(self) -> list[Range]:
        """What the model did not receive; everything where nothing is known."""
        gaps: list[Range] = []
        at = 0
        for start, end in self.seen.ranges if self.seen is not None else ():
            if at < start:
                gaps.append((at, start))
            at = max(at, end)
        if at < self.size:
            gaps.append((at, self.size))
        return gaps

    def change(self) -> Change | None:
        """What happened to the file since it was opened or refreshed."""
        if isinstance(self.content, FileContent | StoredContent):
            return self.content.changed()
        return None

    def grow(self) -> bool:
        """Take in what was appended; False when the text must be opened anew."""
        if self.content is not self.text or not isinstance(self.content, FileContent):
            return False
        return self.content.refresh() in (None, "grown")


def from_text(
    text: str, seen: Sequence[Range] = (), pieces: Sequence[bytes] = ()
) -> Document:
    """A document of a text in memory, such as an envelope.

    `pieces` are of credentials that its ends cut in two: see `edge_pieces`.
    """
    data = text.encode("utf-8", "surrogatepass")
    content = BytesContent(data)
    masked = BytesContent(concealed_bytes(data, pieces))
    return Document(content, content, seen=Seen(tuple(seen)), masked=masked)


BEGINNING = 1 << 18
"""Bytes of a UTF-16 file that are shown while the rest of it is transcribed."""


def open_beginning(found: Found, *, encoding: str | None) -> Document | None:
    """The first lines of a UTF-16 artifact; None where it is not one, or too short.

    `encoding` as in `open_document`. Raises what opening and reading raise.
    """
    from spillview.content.kinds import HEAD, utf16_of

    with open_artifact(found, root=found.root) as content:
        head = content.pread(0, BEGINNING)
        whole = content.size
    if encoding is None:
        wide = utf16_of(head[:HEAD])
        encoding = wide[0] if wide is not None else "utf-8"
    if not encoding.startswith("utf-16") or whole <= len(head):
        return None
    text = text_content(BytesContent(head), encoding)
    lines = text.pread(0, text.size).rpartition(b"\n")
    text.close()
    return Document(*(BytesContent(b"".join(lines[:2])),) * 2, encoding, beginning=True)


def open_document(
    source: str | Found, *, root: str | None, encoding: str | None
) -> Document:
    """An artifact, or a file, as text; `encoding` as counted, None to look at its head.

    UTF-16 is transcribed into a temporary file, which takes time for a large one.
    Raises what opening and reading raise.
    """
    from spillview.content.kinds import HEAD, utf16_of
    from spillview.content.transcoding import searched

    content: FileContent | StoredContent
    if isinstance(source, str):
        content = open_content(source, root=root)
    else:
        content = open_artifact(source, root=root)
    try:
        if encoding is None:
            wide = utf16_of(content.pread(0, HEAD))
            encoding = wide[0] if wide is not None else "utf-8"
        text = text_content(content, encoding)
        mapping = searched(content, encoding) if text is not content else None
        return Document(content, text, encoding, _mapping=mapping)
    except BaseException:
        content.close()
        raise
