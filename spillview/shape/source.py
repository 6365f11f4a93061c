"""An artifact's content as the text that is outlined, and the way back to its bytes.

Between the file and the text may lie UTF-16, and wrappings into JSON strings.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from spillview.content.content import Content, text_content
from spillview.content.kinds import HEAD, WHOLE, is_image, json_kind, utf16_of
from spillview.content.transcoding import Searched, searched
from spillview.model import Kind, Range, Seen
from spillview.shape.exact import read
from spillview.shape.locating import first_places, path_at
from spillview.shape.numbers import Constant
from spillview.shape.outline import Break, Outline, Trail, nothing, outline
from spillview.shape.stream import Progress
from spillview.shape.table import TOP, Table, table
from spillview.shape.tree import MOST_KEYS
from spillview.shape.wrapping import DEEPEST, Unwrapped, unwrap

if TYPE_CHECKING:
    from spillview.shape.teams import Team

Cancelled = Callable[[], bool]

_BLANK = b" \t\r\n"


class Source:
    """The text of one content to be outlined. A context manager: it makes temporary
    files for UTF-16 and for wrapped documents, but the content itself stays open."""

    def __init__(
        self,
        content: Content,
        *,
        cancelled: Cancelled | None = None,
        team: Team | None = None,
    ) -> None:
        """A `team` helps with the outline of a large file.

        Raises what reading raises, and `Unreadable` when there is no room.
        """
        self.content = content
        self._team = team
        self._cancelled = cancelled
        self._wrappings: list[Unwrapped] = []
        self._map: Searched | None = None
        head = content.pread(0, HEAD)
        self.image = is_image(head)
        wide = None if self.image else utf16_of(head)
        self.encoding = wide[0] if wide is not None else "utf-8"
        self.text: Content = text_content(content, self.encoding)
        """The content as UTF-8."""
        if self.text is not content:
            self._map = searched(content, self.encoding)
        try:
            self.kind = self._kind(self.text)
            if self.kind != "text":
                self._unwrap()
        except BaseException:  # whatever it was: no copy is left behind
            self.close()
            raise

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Free what was made for this."""
        while self._wrappings:
            self._wrappings.pop().close()
        if self.text is not self.content:
            self.text.close()

    @property
    def inner(self) -> Content:
        """The document that is outlined."""
        return self._wrappings[-1] if self._wrappings else self.text

    @property
    def unwrapped(self) -> str | None:
        """The jq path to the string that holds the document; None when it is bare."""
        if not self._wrappings:
            return None
        return " | fromjson | ".join(wrapping.jq for wrapping in self._wrappings)

    # -- what it is ------------------------------------------------------------------

    def _kind(self, text: Content) -> Kind:
        if self.image:
            return "text"
        head = text.pread(0, WHOLE)
        tail = text.pread(max(0, text.size - HEAD), HEAD)
        kind, _ = json_kind(head, tail, text.size)
        if kind == "text" and text.size <= HEAD and _is_scalar(head):
            return "json"
        return kind

    def _unwrap(self) -> None:
        kinds = [self.kind]
        while len(self._wrappings) < DEEPEST:
            wrapping = unwrap(self.inner, cancelled=self._cancelled)
            if wrapping is None:
                break
            self._wrappings.append(wrapping)
            kinds.append(self._kind(wrapping))
        while self._wrappings and not self._holds_document():
            self._rewrap()
            kinds.pop()
        self.kind = kinds[-1]

    def _holds_document(self) -> bool:
        head = self.inner.pread(0, 256).removeprefix(codecs.BOM_UTF8).lstrip(_BLANK)
        return head[:1] in (b"[", b"{")

    def _rewrap(self) -> None:
        self._wrappings.pop().close()

    # -- the outline -----------------------------------------------------------------

    def outline(
        self,
        seen: Seen | None = None,
        *,
        progress: Progress | None = None,
        most_keys: int = MOST_KEYS,
    ) -> Outline:
        """The outline; its error's byte is one of the content.

        `seen` are ranges of the content. Raises `Cancelled`, and what reading raises.
        """
        if self.kind not in ("json", "jsonl"):
            empty = not self.content.size
            return nothing(
                self.content.size,
                "it is empty" if empty else "it is no JSON",
            )
        found = self._outline(seen, progress, most_keys)
        if found.error is not None and self._wrappings and self._wrappings[-1].joints:
            # Not every block is a document: the blocks themselves are.
            self._rewrap()
            self.kind = self._kind(self.inner)
            found = self._outline(seen, progress, most_keys)
        if found.error is not None:
            byte = self.to_disk(found.error.byte)
            found = replace(found, error=Break(byte, found.error.message))
        return replace(
            found,
            size=self.content.size,
            unwrapped=self.unwrapped,
            seen_certain=seen is None or seen.certain,
        )

    def _outline(
        self, seen: Seen | None, progress: Progress | None, most_keys: int
    ) -> Outline:
        ranges = None
        if seen is not None:
            ranges = [self.from_disk(start, end) for start, end in seen.ranges]
        return outline(
            self.inner,
            begin=self.begin,
            lines=self.kind == "jsonl",
            seen=ranges,
            cancelled=self._cancelled,
            progress=progress,
            most_keys=most_keys,
            team=self._team,
        )

    def table(
        self,
        outline: Outline,
        *,
        by: str | None = None,
        top: int | None = None,
        smallest: bool = False,
        progress: Progress | None = None,
    ) -> Table:
        """Records of what was outlined; see `table.table`."""
        return table(
            outline,
            self.inner,
            by=by,
            top=TOP if top is None else top,
            smallest=smallest,
            lines=self.kind == "jsonl",
            cancelled=self._cancelled,
            progress=progress,
        )

    def first_places(
        self, outline: Outline, trails: Iterable[Trail] | None = None
    ) -> dict[Trail, Range]:
        """Where in the content the first values at these paths are; see `locating`."""
        found = first_places(outline, self.inner, trails, cancelled=self._cancelled)
        if not self._wrappings and self._map is None:
            return found
        return {
            trail: (self.to_disk(start), self.to_disk(end))
            for trail, (start, end) in sorted(found.items(), key=lambda one: one[1])
        }

    def path_at(self, outline: Outline, byte: int) -> Trail | None:
        """The path of the value around byte `byte` of the content; see `locating`."""
        return path_at(outline, self.inner, self.from_disk(byte, byte)[0])

    def line_at(self, byte: int) -> int:
        """The line of the text that holds byte `byte` of the content."""
        from spillview.content.lines import LineIndex

        offset = byte if self._map is None else self._find(byte)
        index = LineIndex(self.text)
        while (line := index.line_at(offset)) is None and not index.complete:
            index.extend(1 << 23)
        return line or 1

    @property
    def begin(self) -> int:
        """The byte of the document after its byte order mark."""
        return 3 if self.inner.pread(0, 3) == codecs.BOM_UTF8 else 0

    # -- there and back --------------------------------------------------------------

    def to_text(self, offset: int) -> int:
        """The byte of the text at which byte `offset` of the document begins."""
        for wrapping in reversed(self._wrappings):
            offset = wrapping.outer(offset)
        return offset

    def to_disk(self, offset: int) -> int:
        """The byte of the content at which byte `offset` of the document begins."""
        offset = self.to_text(offset)
        if self._map is None:
            return offset
        return self._map.disk(offset) if offset < self.text.size else self.content.size

    def from_disk(self, start: int, end: int) -> Range:
        """The range of the document that a range of the content became."""
        if self._map is not None:
            start, end = self._find(start), self._find(end)
        for wrapping in self._wrappings:
            start, end = wrapping.inner(start), wrapping.inner(end)
        return start, end

    def _find(self, offset: int) -> int:
        """The byte of the text that byte `offset` of UTF-16 on disk became."""
        assert self._map is not None
        low, high = 0, self.text.size
        while low < high:
            middle = (low + high) // 2
            if self._map.disk(middle) < offset:
                low = middle + 1
            else:
                high = middle
        while self.text.pread(low, 1) >= b"\x80" and self.text.pread(low, 1) < b"\xc0":
            low += 1  # what precedes a character whole, and not a part of it
        return low


def _is_scalar(data: bytes) -> bool:
    """Whether `data` is one number or word, of any length."""
    exact = read(data.removeprefix(codecs.BOM_UTF8), "documents")
    if exact.broken is not None or len(exact.values) != 1:
        return False
    [value] = exact.values
    return not isinstance(value, Constant | list | dict | str)


def outline_of(
    content: Content,
    seen: Seen | None = None,
    *,
    cancelled: Cancelled | None = None,
    progress: Progress | None = None,
    team: Team | None = None,
) -> Outline:
    """The outline of any content: UTF-16 and wrapped documents are recognised.

    Raises `Cancelled`, what reading raises, and `Unreadable` when there is no room for
    a text in between.
    """
    with Source(content, cancelled=cancelled, team=team) as source:
        return source.outline(seen, progress=progress)
