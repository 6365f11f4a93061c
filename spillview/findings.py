"""What ripgrep found: where it is on disk, whether it was seen, what of it is kept."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from spillview.errors import Unreadable
from spillview.excerpts import (
    EXCERPT,
    Hit,
    LongMessage,
    Window,
    Windows,
    as_bytes,
    as_text,
    excerpt,
    line_end,
)
from spillview.model import Artifact, Problem, Seen
from spillview.selection import Message, Options, Report, Selection
from spillview.stored import open_artifact
from spillview.transcoding import Searched, Shifted, searched

if TYPE_CHECKING:
    from spillview.content import FileContent
    from spillview.handles import Batch
    from spillview.stored import StoredContent

_PLAIN = re.compile(r"[ !#-\[\]-~]*")
"""What stands in JSON as it is, a byte for each character."""

FEW = 1000
"""Messages that `json` reads sooner than `orjson` is imported."""


class _Place:
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
        self.plain_path = _PLAIN.fullmatch(path) is not None
        self.path = {"text": path} if self.plain_path else as_text(os.fsencode(path))
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
                hits = [_without_end(length, as_bytes(data["lines"])[-2:])]
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

    def close(self) -> None:
        """Give the file back, unless it was given open."""
        if self._content is not None and not self._given:
            self._content.close()


class _Line(Protocol):
    """A long line's bytes, wherever they are."""

    @property
    def length(self) -> int:
        """With its LF."""
        ...

    def read(self, start: int, end: int) -> bytes:
        """Bytes of the line."""
        ...


class _HeldLine:
    """A line that ripgrep's message carried whole."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.length = len(data)

    def read(self, start: int, end: int) -> bytes:
        return self._data[start:end]


class _LineOnDisk:
    """A line that is read from the file again; its end is looked for when needed."""

    def __init__(self, source: Searched, offset: int) -> None:
        self._source = source
        self._offset = offset
        self._length: int | None = None
        self.reached = 0
        """A byte known to be in the line: its end is looked for from here."""

    @property
    def length(self) -> int:
        if self._length is None:
            self._length = line_end(self.read, self.reached)
        return self._length

    def read(self, start: int, end: int) -> bytes:
        return self._source.read(self._offset + start, self._offset + end)


class _LongLine:
    """Makes the excerpts of one long line while its hits come in."""

    def __init__(
        self, place: _Place, message: Message, line: _Line, every: bool
    ) -> None:
        self._place = place
        self._message = message
        self._line = line
        self._every = every
        self._windows = Windows()
        self._first: Window | None = None
        self._received: bool | None = True

    def more(self, hits: Sequence[Hit]) -> Iterator[Message]:
        """Excerpts that are complete with these hits (none but with `every`)."""
        if self._message["type"] == "match" and not self._every:
            offset = self._message["data"]["absolute_offset"]
            if hits and self._received:
                self._received = self._place.received(offset, hits)
        for window in self._windows.add(hits):
            if self._every:
                yield self._told(window)
            self._first = self._first or window

    def last(self) -> Iterator[Message]:
        """The excerpt that closes the line."""
        if self._every or self._first is None:
            yield self._told(self._windows.last())
        else:
            yield self._told(self._first)

    def _told(self, window: Window) -> Message:
        length = self._line.length
        given = excerpt(window, length, self._line.read)
        data = {**self._message["data"], **given}
        if not self._every and self._windows.total > len(given["submatches"]):
            data["submatches_total"] = self._windows.total
        self._place.span(data, length)
        if self._message["type"] == "match":
            data["seen"] = self._seen(window, length)
        return {"type": self._message["type"], "data": data}

    def _seen(self, window: Window, length: int) -> bool | None:
        """Whether all hits were received: of the line, or of one excerpt of many."""
        if window.hits and not self._every:
            return self._received
        hits: Sequence[Hit] = window.hits
        if not hits:  # an inverted match
            end = self._line.read(max(0, length - 2), length)
            hits = [_without_end(length, end)]
        return self._place.received(self._message["data"]["absolute_offset"], hits)


def _written(path: dict[str, str]) -> int:
    """Bytes of a path as ripgrep writes it in a message."""
    return len(json.dumps(path, ensure_ascii=False, separators=(",", ":")).encode())


def _without_end(length: int, end: bytes) -> Hit:
    """The range of a line of `length` bytes without the CR/LF in its last two."""
    text = end.removesuffix(b"\n").removesuffix(b"\r") if end.endswith(b"\n") else end
    return (0, length - len(end) + len(text))


class Reader:
    """Turns the frames of one ripgrep process into messages."""

    def __init__(
        self,
        batch: Batch,
        options: Options,
        facts: Callable[[Artifact], Artifact] | None,
        report: Report,
    ) -> None:
        self._batch = batch
        self._options = options
        self._facts = facts
        self._report = report
        self._place: _Place | None = None
        self._long: tuple[_LongLine, _LineOnDisk] | None = None
        self._dropped = False
        self._unprinted = 0
        """Bytes that ripgrep would have printed more with the paths in its messages."""
        self._reread = False
        self._selection = (
            None if options.seen is None else Selection(options.seen, options, report)
        )
        self.stats: dict[str, Any] = {}
        """ripgrep's own totals, without what the selection left out."""
        self.ended = False
        """Whether ripgrep said that it came to its end."""
        self._left_out: dict[str, int] = {}
        self.doubtful: list[str] = []
        """Names that came to mean another file: what was found there is left out."""

    def close(self) -> None:
        """Give back the file that is still open."""
        if self._place is not None:
            self._place.close()
            self._place = None

    def taken(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The chunks of ripgrep's output, each noted as it comes."""
        ground = self._batch.ground
        for chunk in chunks:
            if ground is not None:
                ground.renew()
            yield chunk

    def messages(self, frames: Iterable[bytes | LongMessage]) -> Iterator[Message]:
        """The messages that the frames hold, in their order."""
        if self._selection is None:
            yield from self._all(frames)
            return
        for message in self._all(frames):
            yield from self._selection.messages(message)

    def _all(self, frames: Iterable[bytes | LongMessage]) -> Iterator[Message]:
        """Every message with its place, long lines as excerpts.

        There may be millions of them, so the usual one takes the shortest way.
        """
        whole_lines = self._options.full_lines
        loads: Callable[[bytes], Any] = json.loads
        known = "orjson" in sys.modules
        for number, frame in enumerate(frames, FEW if known else 0):
            if number == FEW:
                import orjson

                loads = orjson.loads
            if not isinstance(frame, bytes):
                yield from self._long_line(frame)
                continue
            message: Message = loads(frame)
            kind, data = message["type"], message["data"]
            if kind != "match" and kind != "context":
                if self._frame(kind, message):
                    yield message
                continue
            place = self._place
            if place is None:
                continue  # in a file that took the place of another
            place.told += 1
            data["artifact"] = place.ident
            data["path"] = place.path
            text = data["lines"].get("text")
            if text is None:
                length = len(as_bytes(data["lines"]))
            else:
                length = len(text) if text.isascii() else len(text.encode())
            if length > EXCERPT and not whole_lines:
                yield from self._excerpts(message)
                continue
            try:
                place.locate(kind, data, length)
            except Unreadable as error:
                self._lost(data, error)
            yield message

    def _frame(self, kind: str, message: Message) -> bool:
        """Where an artifact's messages begin and end; whether that is told."""
        data = message["data"]
        if kind == "summary":
            self.ended = True
            kept = self._selection.stats if self._selection is not None else {}
            self.stats = {**data["stats"], **kept}
            self.stats["bytes_printed"] += self._unprinted
            for name, value in self._left_out.items():
                if name not in kept:
                    self.stats[name] -= value
            return False
        given = data["path"]
        if kind == "begin":
            self._begin(given)
        if self._place is None:
            for name, value in data.get("stats", {}).items():
                if isinstance(value, int):
                    self._left_out[name] = self._left_out.get(name, 0) + value
            return False
        data["artifact"] = self._place.ident
        data["path"] = self._place.path
        if kind == "end":
            self._correct(data["stats"], given)
            self._end()
        return True

    def _correct(self, stats: dict[str, Any], given: dict[str, str]) -> None:
        """Count what ripgrep prints where it writes the path, not `given`."""
        place = self._place
        assert place is not None
        if place.plain_path and "text" in given:  # of which it is a part, or ours
            longer = len(place.path["text"]) - len(given["text"])
        else:
            longer = _written(place.path) - _written(given)
        stats["bytes_printed"] += longer * place.told
        self._unprinted += longer * place.told

    def _excerpts(self, message: Message) -> Iterator[Message]:
        """A long line that came whole."""
        data = message["data"]
        hits = [(hit["start"], hit["end"]) for hit in data["submatches"]]
        try:
            long = self._long_of(message, _HeldLine(as_bytes(data["lines"])))
            yield from long.more(hits)
            yield from long.last()
        except Unreadable as error:
            self._lost(data, error)
            data["lines"], data["submatches"] = {"text": ""}, []
            yield message

    def _begin(self, path: dict[str, str]) -> None:
        text = path.get("text")
        exact = text if text is not None else os.fsdecode(as_bytes(path))
        ground = self._batch.ground
        if ground is not None and exact in ground and not ground.stays(exact):
            self.doubtful.append(exact)
            return
        artifact = self._batch.artifacts[exact]
        if self._facts is not None:
            artifact = self._facts(artifact)
        content = self._batch.contents.get(exact)
        if content is not None:
            content.refresh()  # it may have grown while others were searched
        plain = exact in self._batch.plain
        self._place = _Place(artifact, self._batch.encoding, content, plain)
        self._place.told = 1
        self._reread = False

    def _end(self) -> None:
        assert self._place is not None
        change = self._place.spoilt() if self._reread else None
        if change is not None:
            self._tell(f"it was {change} during the search; excerpts may be wrong")
        self.close()

    def _long_of(self, message: Message, line: _Line) -> _LongLine:
        assert self._place is not None
        return _LongLine(self._place, message, line, self._options.only_matching)

    def _long_line(self, piece: LongMessage) -> Iterator[Message]:
        """A piece of a message that is too long to be held."""
        if self._place is None:
            return
        if piece.complete:
            self._place.told += 1
        if not piece.located:
            return
        if self._dropped:  # its file went away before the line was read
            self._dropped = not piece.complete
            return
        try:
            if self._long is None:
                message: Message = json.loads(piece.head)
                data = message["data"]
                data["lines"] = {"text": ""}
                data["line_number"] = piece.line_number
                data["absolute_offset"] = piece.absolute_offset
                data["submatches"] = []
                data["artifact"] = self._place.ident
                data["path"] = self._place.path
                line = _LineOnDisk(self._place.searched, piece.absolute_offset)
                self._long = self._long_of(message, line), line
                self._reread = True
            long, line = self._long
            hits = piece.take()
            if hits:
                line.reached = max(line.reached, hits[-1][1] - 1, 0)
            yield from long.more(hits)
            if piece.complete:
                self._long = None
                yield from long.last()
        except Unreadable as error:
            self._long = None
            self._dropped = not piece.complete
            self._tell(str(error))

    def _lost(self, data: Message, error: Unreadable) -> None:
        """A line whose place on disk can no longer be told."""
        data["byte_range"] = None
        data["seen"] = None
        self._tell(str(error))

    def _tell(self, text: str) -> None:
        assert self._place is not None
        found = self._place.artifact.found
        problem = Problem(found.place, text, found.harness)
        if problem not in self._report.problems:
            self._report.problems.append(problem)
