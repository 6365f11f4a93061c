"""Which bytes of its file a text envelope shows, from its own words.

Every line it shows carries its number, in front or by its block's heading, and says
how many bytes of it are left out. Each is compared with the file: nothing that does
not read so is called seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from spillview.alignment import merge
from spillview.content import text_content
from spillview.envelopes.excerpts import Spot, placed
from spillview.filelines import Lines
from spillview.model import Counts, Range, Seen

if TYPE_CHECKING:
    from spillview.content import Content

_NUMBERED = re.compile(
    r"--- (?:signal lines: (?P<rows>\d{1,15}) here, .{1,80}|conclusion: .{1,80})\Z"
)
_BLOCK = re.compile(
    r"--- (?:tail|head): lines (?P<first>\d{1,15}) to (?P<last>\d{1,15})\Z"
)
_ROW = re.compile(r"(?P<number>\d{1,15}): (?P<text>.*)\Z", re.DOTALL)
_BETWEEN = re.compile(
    r"\[(?:\d{1,15} signal lines not shown|then \d{1,15} blank lines)\]\Z"
)
END = "[end of the envelope]"

Row = tuple[int, str]


def seen_in(text: str, content: Content, counts: Counts) -> Seen:
    """The bytes of `content` that the text envelope in `text` shows.

    Not certain where it is not all there, or a line of it is not the file's.
    """
    inner = text_content(content, counts.encoding)
    try:
        sizes = counts if inner is content else replace(counts, encoding="utf-8")
        lines = Lines(inner, sizes)
        ranges: list[Range] = []
        certain = True
        for row in rows_of(text):
            found = None if row is None else _place(row, inner, lines)
            if found is None:
                certain = False
            else:
                ranges.append(found)
        merged = merge(ranges)
        if inner is not content:
            merged = on_disk(merged, content, inner, counts.encoding)
        return Seen(merged, certain)
    finally:
        if inner is not content:
            inner.close()


def shown_text(text: str) -> str:
    """The lines that a text envelope shows, without their numbers and headings."""
    return "\n".join(row[1] for row in rows_of(text) if row is not None)


def rows_of(text: str) -> Iterator[Row | None]:
    """Each line that is shown, with its number; None where something is missing."""
    lines = iter(text.split("\n"))
    for line in lines:
        if line.startswith("--- "):
            break
        if line == END:
            return
    else:
        yield None
        return
    heading: str | None = line
    while heading is not None and heading != END:
        numbered, block = _NUMBERED.match(heading), _BLOCK.match(heading)
        if numbered is not None:
            left = int(numbered["rows"] or 1)
            while left:
                row = next(lines, None)
                match = _ROW.match(row or "")
                if match is not None:
                    yield int(match["number"]), match["text"]
                    left -= 1
                elif row is None or not _BETWEEN.match(row):
                    yield None
                    break
        elif block is not None:
            for number in range(int(block["first"]), int(block["last"]) + 1):
                row = next(lines, None)
                if row is None:
                    yield None
                    break
                yield number, row
        elif not _BETWEEN.match(heading):
            yield None
        heading = next(lines, None)
    if heading is None:
        yield None


def on_disk(
    ranges: tuple[Range, ...], content: Content, text: Content, encoding: str
) -> tuple[Range, ...]:
    """Ranges of UTF-16 on disk for those of its transcription."""
    from spillview.transcoding import searched

    places = searched(content, encoding)

    def disk(offset: int) -> int:
        return places.disk(offset) if offset < text.size else content.size

    return merge([(disk(start), disk(end)) for start, end in ranges])


def _place(row: Row, content: Content, lines: Lines) -> Range | None:
    number, text = row
    start = lines.start(number)
    if start is None:
        return None
    after = lines.start(number + 1)
    end = content.size if after is None else after
    if end > start and content.pread(end - 1, 1) == b"\n":
        end -= 1
    found = placed(content, Spot(number, start, end), text)
    return found
