"""Where on disk a search found something, and whether the model saw it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable

from spillview.content.transcoding import Searched, Shifted, searched
from spillview.hints import TYPE_CHECKING
from spillview.model import Artifact, Seen
from spillview.regexes import late
from spillview.search.excerpts import Hit, as_bytes, as_text
from spillview.search.selection import Message
from spillview.stored.stored import open_artifact

if TYPE_CHECKING:
    from spillview.content.content import FileContent
    from spillview.stored.stored import StoredContent

_PLAIN = late(r"[ !#-\[\]-~]*")
"""What stands in JSON as it is, a byte for each character."""


class FoundPlace:
    """The artifact whose messages are being read: its file, and what was seen of it."""

    def __init__(
        self,
        artifact: Artifact,
        encoding: str | None,
        content: FileContent | StoredContent | None,
        plain: bool,
    ) -> None:
        self.artifact = artifact
        self.ident = artifact.id
        path = artifact.found.place
        self._plain = _PLAIN.fullmatch(path) is not None
        self.path = {"text": path} if self._plain else as_text(os.fsencode(path))
        """As ripgrep would write it; it was given another name perhaps."""
        self.told = 0
        """Messages of its own that ripgrep printed, the last one left out."""
        self.seen: Seen | None = artifact.link.seen if artifact.link else None
        self._encoding = encoding
        self._content = content
        self._given = content is not None
        self._searched: Searched | None = None
        self._shift: int | None = 0 if plain else None
        """Once known, by how much an offset on disk is larger; None in UTF-16."""

    @property
    def searched(self) -> Searched:
        """The text as it was searched; raises `Unreadable` when the file has gone."""
        if self._searched is None:
            if self._content is None:
                self._content = open_artifact(self.artifact.found)
            self._searched = searched(self._content, self._encoding)
        return self._searched

    def locate(self, kind: str, data: Message, length: int) -> None:
        """Add `byte_range` of a line of `length` bytes and, to a match, `seen`."""
        offset: int = data["absolute_offset"]
        shift = self._shift
        if shift is None:
            self.span(data, length)
        else:
            start = offset + shift
            data["byte_range"] = [start, start + length]
        if kind == "match":
            if self.seen is None:
                data["seen"] = None
                return
            hits = [(hit["start"], hit["end"]) for hit in data["submatches"]]
            if not hits:  # an inverted match
                hits = [without_end(length, as_bytes(data["lines"])[-2:])]
            data["seen"] = self.received(offset, hits)

    def span(self, data: Message, length: int) -> None:
        """Add `byte_range` of a line of `length` bytes."""
        disk = self.searched.disk
        offset: int = data["absolute_offset"]
        data["byte_range"] = [disk(offset), disk(offset + length)]
        if isinstance(self.searched, Shifted):
            self._shift = self.searched.shift

    def received(self, offset: int, hits: Iterable[Hit]) -> bool | None:
        """Whether the model received all `hits` of the line at `offset`."""
        seen = self.seen
        if seen is None:
            return None
        disk = self.searched.disk
        if all(seen.covers(disk(offset + a), disk(offset + b)) for a, b in hits):
            return True
        return False if seen.certain else None

    def spoilt(self) -> str | None:
        """How the file changed since an excerpt was read from it, if it did."""
        change = self._content.changed() if self._content is not None else None
        return None if change in (None, "grown", "touched") else change

    def longer_than(self, given: dict[str, str]) -> int:
        """Bytes that ripgrep would write more for the path than for a `given` one."""
        text = given.get("text")
        if self._plain and text is not None:
            path = self.path["text"]
            if path.endswith(text) or _PLAIN.fullmatch(text):
                return len(path) - len(text)
        return _written(self.path) - _written(given)

    def close(self) -> None:
        """Give the file back, unless it was given open."""
        if self._content is not None and not self._given:
            self._content.close()


def _written(path: dict[str, str]) -> int:
    return len(json.dumps(path, ensure_ascii=False, separators=(",", ":")).encode())


def without_end(length: int, end: bytes) -> Hit:
    """The range of a line of `length` bytes without the CR/LF in its last two."""
    text = end.removesuffix(b"\n").removesuffix(b"\r") if end.endswith(b"\n") else end
    return (0, length - len(end) + len(text))
