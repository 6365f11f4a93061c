"""Which bytes of its file an envelope shows, from its own words.

A text's says the number of every line, in front or in its block's heading, and how many
bytes of it are left out; a JSON text's says the place of every item. Each is compared
with the file: nothing that does not read so is called seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from spillview.content.content import text_content
from spillview.envelopes.excerpts import Spot, placed
from spillview.envelopes.shrinking import LARGEST, written
from spillview.model import Counts, Range, Seen
from spillview.seen.alignment import merge
from spillview.seen.filelines import Lines

if TYPE_CHECKING:
    from spillview.content.content import Content

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
_ITEM = re.compile(
    r'^(?:"document":)?\{"bytes":\[(?P<start>\d{1,15}),(?P<end>\d{1,15})\],'
    r'(?P<marks>(?:"(?:shrunk|altered)":true,)*)"value":(?P<rest>.*)$',
    re.MULTILINE,
)
END = "[end of the envelope]"
JSON = '{"spillview":"json envelope","chars":'
TABLE = "[spillview table envelope, "

Row = tuple[int, str]


def seen_in(text: str, content: Content, counts: Counts) -> Seen:
    """The bytes of `content` that the envelope in `text` shows.

    Not certain where it is not all there, where a line or item of it is not the file's,
    or where it does not say which part it shows (shrunk items, the rows of a table).
    """
    if text.startswith(JSON):
        return _items_seen(text, content)
    if text.startswith(TABLE):
        return Seen((), certain=False)
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
    """What an envelope shows of its file, without numbers, headings and counts."""
    if text.startswith(JSON):
        return "\n".join(match["rest"] for match in _ITEM.finditer(text))
    if text.startswith(TABLE):
        return text
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
    from spillview.content.transcoding import searched

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


def _items_seen(text: str, content: Content) -> Seen:
    """The items of a JSON envelope that stand in the file where it says."""
    ranges: list[Range] = []
    certain = text.endswith("}")
    for match in _ITEM.finditer(text):
        start, end = int(match["start"]), int(match["end"])
        if match["marks"] or end - start > 2 * LARGEST or end > content.size:
            certain = False
            continue
        shown = match["rest"].rstrip("\n")
        item, altered = written(content.pread(start, end - start))
        rest = shown.removeprefix(item)
        if altered or rest == shown or not re.fullmatch(r"\}[\]},]{0,3}", rest):
            certain = False
            continue
        ranges.append((start, end))
    return Seen(merge(ranges), certain)
