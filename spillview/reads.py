"""Which bytes of an artifact a later call showed, from what came back of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spillview.alignment import merge
from spillview.errors import Unreadable
from spillview.model import Counts, Found, Range, Read, Seen

if TYPE_CHECKING:
    from spillview.content import Content
    from spillview.profile import Profile

_NUMBERED = re.compile(r"^[ \t]{0,12}(\d{1,12})(?:→|\t)", re.MULTILINE)


class Reader:
    """Places the results of later calls in one artifact."""

    def __init__(
        self, found: Found, content: Content, counts: Counts, profile: Profile
    ) -> None:
        self.found = found
        self.content = content
        self.counts = counts
        self.profile = profile

    def close(self) -> None:
        """Give back what the search holds."""

    def ranges(self, read: Read) -> tuple[tuple[Range, ...] | None, bool]:
        """The bytes a read showed, None when unknown; and whether that is all."""
        from spillview.transcripts import record_text

        try:
            text = record_text(read, self.profile)
        except Unreadable:
            return None, False
        if read.failed:
            return (), True
        seen = numbered(text, self.content, self.counts)
        if seen.ranges:
            return seen.ranges, seen.certain
        return None, False


def numbered(text: str, content: Content, counts: Counts) -> Seen:
    """The lines that `text` shows with their numbers, each compared with the file."""
    from spillview.lines import LineIndex

    rows = list(_NUMBERED.finditer(text))
    if not rows:
        return Seen((), certain=False)
    index = LineIndex(content)
    index.extend()
    found: list[Range] = []
    certain = True
    for row, after in zip(rows, [*rows[1:], None], strict=False):
        stop = after.start() - 1 if after is not None else len(text)
        shown = text[row.end() : stop].split("\n", 1)[0]
        start = index.line_start(int(row[1]))
        if start is None:
            certain = False
            continue
        line = content.pread(start, 4 * len(shown) + 8)
        raw = shown.encode("utf-8", "surrogatepass")
        if line.startswith(raw):
            end = start + len(raw)
            rest = line[len(raw) : len(raw) + 2]
            if rest[:1] == b"\n":
                end += 1
            elif rest == b"\r\n":
                end += 2
            found.append((start, end))
        else:
            certain = False
    return Seen(merge(found), certain)
