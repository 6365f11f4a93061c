"""Where a byte of the text that ripgrep searched lies in the file on disk.

ripgrep searches UTF-16 as UTF-8 and leaves a byte order mark out, so its offsets are
those of that text. Everything else it searches as it is.
"""

from __future__ import annotations

from bisect import bisect_right

from spillview.content.content import Content
from spillview.hints import Protocol

BLOCK = 1 << 14
"""Bytes of UTF-16 between two known positions; even."""

UTF8_MARK = b"\xef\xbb\xbf"
MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


class Searched(Protocol):
    """The text as ripgrep searched it, over the file as it is on disk."""

    def disk(self, offset: int) -> int:
        """The byte on disk at which byte `offset` of the searched text begins."""
        ...

    def read(self, start: int, end: int) -> bytes:
        """Bytes `[start, end)` of the searched text, read again from disk."""
        ...


def searched(content: Content, encoding: str | None) -> Searched:
    """How `content` was searched.

    `encoding` is the UTF-16 that ripgrep was told of; without it, ripgrep goes by the
    byte order mark.
    """
    head = content.pread(0, 3)
    mark = MARKS.get(head[:2])
    if mark is not None:
        return Utf16(content, mark, start=2)
    if encoding is not None:
        return Utf16(content, encoding, start=0)
    return Shifted(content, 3 if head == UTF8_MARK else 0)


class Shifted:
    """The bytes on disk after a mark of `shift` bytes."""

    def __init__(self, content: Content, shift: int = 0) -> None:
        self._content = content
        self.shift = shift

    def disk(self, offset: int) -> int:
        """The byte on disk."""
        return offset + self.shift

    def read(self, start: int, end: int) -> bytes:
        """Bytes of the searched text."""
        return self._content.pread(start + self.shift, end - start)


class Utf16:
    """UTF-16 on disk, searched as UTF-8; one position is known per block passed."""

    def __init__(self, content: Content, encoding: str, start: int) -> None:
        self._content = content
        self._encoding = encoding
        self._disk = [start]
        self._text = [0]
        """Block n begins at byte `_disk[n]` on disk and `_text[n]` of the text."""
        self._held: tuple[int, bytes] = (-1, b"")

    def _block(self, number: int) -> bytes:
        """The UTF-8 text of one block; a lone surrogate is U+FFFD, as for ripgrep."""
        if self._held[0] == number:
            return self._held[1]
        start = self._disk[number]
        raw = self._content.pread(start, BLOCK)
        if len(raw) == BLOCK:
            last = raw[-2:] if self._encoding == "utf-16-be" else raw[:-3:-1]
            if 0xD8 <= last[0] <= 0xDB:  # a pair stays together
                raw = raw[:-2]
        data = raw.decode(self._encoding, "replace").encode()
        if number + 1 == len(self._disk) and raw:
            self._disk.append(start + len(raw))
            self._text.append(self._text[number] + len(data))
        self._held = (number, data)
        return data

    def _locate(self, offset: int) -> int:
        """The number of the block that holds byte `offset` of the text."""
        while self._text[-1] <= offset:
            known = len(self._text)
            self._block(known - 1)
            if len(self._text) == known:
                return known - 1
        return bisect_right(self._text, offset) - 1

    def disk(self, offset: int) -> int:
        """The byte on disk at which byte `offset` of the text begins."""
        number = self._locate(offset)
        part = self._block(number)[: offset - self._text[number]]
        units = len(part.decode("utf-8", "replace").encode("utf-16-le")) // 2
        return min(self._disk[number] + 2 * units, self._content.size)

    def read(self, start: int, end: int) -> bytes:
        """Bytes of the searched text."""
        parts: list[bytes] = []
        number = self._locate(start)
        at = start
        while at < end:
            block = self._block(number)
            piece = block[at - self._text[number] : end - self._text[number]]
            if not piece:
                break
            parts.append(piece)
            at += len(piece)
            number += 1
        return b"".join(parts)
