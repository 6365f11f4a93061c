"""A file's lines by number, compared with the texts that a tool showed of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spillview.model import Counts, Range, Seen
from spillview.seen.alignment import merge

if TYPE_CHECKING:
    from spillview.content.content import Content
    from spillview.content.lines import LineIndex

ROW = re.compile(
    r"^[ \t]{0,12}(?P<n>\d{1,12})(?:→|\t|: |:$|\. |\.$| \| ?)(?P<text>.*)$"
)
"""A line with its number before it, as read tools print them."""

SHORTEST_CUT = 400
"""A shown line that is only the start of the file's line must be this long, or end in
a mark, to be taken for a line that the tool cut."""

_CUT_LINE = re.compile(
    r"(?:(?:\.\.\.|…) ?(?:\[truncated\]|\(line truncated to \d{1,9} chars\))|…"
    r"|\[\.\.\. omitted end of long line\])$"
)
_COLOUR = re.compile(r"\x1b\[[0-9;:]{0,64}[mK]")


class Lines:
    """The file's lines by number, with their texts as a tool shows them."""

    def __init__(self, content: Content, counts: Counts) -> None:
        self.content = content
        self.counts = counts
        self._index: LineIndex | None = None
        self._wide: list[int] | None = None

    def start(self, number: int) -> int | None:
        """The byte at which line `number` begins; None if there is none."""
        if number < 1 or number > self.counts.lines:
            return None
        if self.counts.encoding.startswith("utf-16"):
            return self._wide_start(number)
        if self._index is None:
            from spillview.content.lines import LineIndex

            self._index = LineIndex(self.content)
            self._index.extend()
        return self._index.line_start(number)

    def _wide_start(self, number: int) -> int | None:
        if self._wide is None:
            self._wide = []
            feed = "\n".encode(self.counts.encoding)
            data = self.content.pread(0, min(self.content.size, 16 << 20))
            at = 2 if data[:2] in (b"\xff\xfe", b"\xfe\xff") else 0
            while at < len(data):
                self._wide.append(at)
                step = data.find(feed, at)
                while step >= 0 and step % 2:
                    step = data.find(feed, step + 1)
                if step < 0:
                    break
                at = step + 2
        starts = self._wide
        return starts[number - 1] if number <= len(starts) else None

    def shown(self, number: int, text: str, *, cut: bool = False) -> Range | None:
        """The bytes of line `number` that `text` shows; None when it is not that.

        `cut` says that the tool may have shown the line's start only.
        """
        start = self.start(number)
        if start is None:
            return None
        following = self.start(number + 1)
        after = self.content.size if following is None else following
        text = text.removesuffix("\r")
        line = self.content.pread(start, min(after - start, 8 * len(text) + 64))
        whole = start + len(line) >= after
        wide = self.counts.encoding.startswith("utf-16")
        coding = self.counts.encoding if wide else "utf-8"
        row = line.decode(coding, "replace")
        if whole and text == row.rstrip("\n").removesuffix("\r"):
            return (start, after)
        plain = _COLOUR.sub("", row)
        if whole and plain != row and text == plain.rstrip("\n").removesuffix("\r"):
            return (start, after)
        mark = _CUT_LINE.search(text)
        kept = text[: mark.start()] if mark is not None else text
        cut = cut or mark is not None or len(kept) >= SHORTEST_CUT
        if cut and row.startswith(kept):
            return (start, start + len(kept.encode(coding, "surrogatepass")))
        return None


class Rest:
    """A content from some byte on."""

    path = None

    def __init__(self, content: Content, start: int) -> None:
        self._content = content
        self._start = start

    @property
    def size(self) -> int:
        return self._content.size - self._start

    def pread(self, offset: int, length: int) -> bytes:
        return self._content.pread(self._start + offset, length)

    def close(self) -> None:
        """The content belongs to somebody else."""


def numbered(text: str, content: Content, counts: Counts) -> Seen:
    """The lines that `text` shows with their numbers, each compared with the file."""
    lines = Lines(content, counts)
    found: list[Range] = []
    certain = True
    for row in text.split("\n"):
        match = ROW.match(row)
        span = lines.shown(int(match["n"]), match["text"]) if match else None
        if span is not None:
            found.append(span)
        elif row.strip():
            certain = False
    return Seen(merge(found), certain and bool(found))
