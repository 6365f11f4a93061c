"""What ripgrep found: where it is on disk, whether it was seen, what of it is kept."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator

from spillview.errors import Unreadable
from spillview.hints import TYPE_CHECKING, Any
from spillview.model import Artifact, Problem
from spillview.search.excerpts import EXCERPT, LongMessage, as_bytes
from spillview.search.found_place import FoundPlace
from spillview.search.long_lines import HeldLine, Line, LineOnDisk, LongLine
from spillview.search.selection import Message, Options, Report, Selection

if TYPE_CHECKING:
    from spillview.search.handles import Batch

FEW = 1000
"""Messages that `json` reads sooner than `orjson` is imported."""


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
        self._place: FoundPlace | None = None
        self._long: tuple[LongLine, LineOnDisk] | None = None
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
            # As if ripgrep had been given the path, and had printed it each time.
            more = self._place.longer_than(given) * self._place.told
            data["stats"]["bytes_printed"] += more
            self._unprinted += more
            self._end()
        return True

    def _excerpts(self, message: Message) -> Iterator[Message]:
        """A long line that came whole."""
        data = message["data"]
        hits = [(hit["start"], hit["end"]) for hit in data["submatches"]]
        try:
            long = self._long_of(message, HeldLine(as_bytes(data["lines"])))
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
        artifact = self._batch.artifact(exact)
        if self._facts is not None:
            artifact = self._facts(artifact)
        content = self._batch.contents.get(exact)
        if content is not None:
            content.refresh()  # it may have grown while others were searched
        plain = exact in self._batch.plain
        self._place = FoundPlace(artifact, self._batch.encoding, content, plain)
        self._place.told = 1
        self._reread = False

    def _end(self) -> None:
        assert self._place is not None
        change = self._place.spoilt() if self._reread else None
        if change is not None:
            self._tell(f"it was {change} during the search; excerpts may be wrong")
        self.close()

    def _long_of(self, message: Message, line: Line) -> LongLine:
        assert self._place is not None
        return LongLine(self._place, message, line, self._options.only_matching)

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
                line = LineOnDisk(self._place.searched, piece.absolute_offset)
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
