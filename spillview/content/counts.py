"""Exact sizes, encoding, kind and verdict of a content, in one pass over its bytes."""

from __future__ import annotations

import codecs
from collections.abc import Callable

from spillview.content.codepoints import chars, line_feeds, whole
from spillview.content.content import BytesContent, Content
from spillview.content.kinds import (
    HEAD,
    WHOLE,
    is_image,
    json_kind,
    may_be_json,
    may_hold_another,
    utf16_of,
)
from spillview.content.last_line import last_line, short_last_line
from spillview.errors import Cancelled
from spillview.model import Counts, Kind, Range

BLOCK = 1 << 18
"""Bytes read at a time."""


def count(
    content: Content,
    *,
    cancelled: Callable[[], bool] | None = None,
    block: int = BLOCK,
    utf8: bool = False,
    begun: Total | None = None,
) -> Counts:
    """Count `content`: bytes, chars, utf16, lines, encoding, kind and verdict.

    One pass in bounded memory (a block, and what `json_kind` parses); then the verdict
    is looked for from the end. Chars are what `len(data.decode("utf-8", "replace"))`
    gives; UTF-16 is counted after decoding, its byte order mark left out. A content
    with NUL bytes that is no UTF-16 is `binary`, with chars and lines all the same.
    For what `json`, `jsonl` and partial claim see `json_kind`. `utf8` says that it is
    text in UTF-8 whatever it looks like. `begun` has counted the content's beginning,
    which is not read again unless it is UTF-16.

    Raises `Cancelled` when `cancelled` says so (asked once a block) and what reading
    raises: `ArtifactGone` when the content shrank meanwhile.
    """
    first = content.pread(0, HEAD if begun is not None else max(HEAD, block))
    if begun is None and len(first) == content.size <= block:
        _stop(cancelled)
        known = text_counts(first)
        if known is not None:
            return known
    head = first[:HEAD]
    told = not utf8 and (0 in head or head[:2] in _MARKS)
    image = told and is_image(head)
    wide = utf16_of(head) if told and not image else None
    if wide is not None:
        return _count_utf16(content, *wide, cancelled, block)
    total, size = begun if begun is not None else Total(), content.size
    if size <= min(block, len(first)):
        content = BytesContent(first)  # it is not read again, part by part
    while total.offset < size:
        _stop(cancelled)
        data = first[:block] if total.offset == 0 else b""
        data = data or content.pread(total.offset, block)
        total.add(data, last=total.offset + len(data) >= size)
    encoding = "utf-8" if total.valid else "utf-8-invalid"
    kind: Kind = "text"
    partial = False
    if image:
        kind, encoding = "image", "binary"
    elif total.binary:
        kind, encoding = "binary", "binary"
    elif may_be_json(head, size):
        whole_of_it = size <= len(first)
        kind, partial = json_kind(
            first if whole_of_it else content.pread(0, WHOLE),
            first[-HEAD:] if whole_of_it else content.pread(size - HEAD, HEAD),
            size,
        )
    form = None
    if may_hold_another(head, kind):
        from spillview.content.forms import form_of

        form = form_of(content, head, kind)
    return Counts(
        form=form,
        bytes=size,
        chars=total.chars,
        utf16=total.chars + total.astral,
        lines=total.feeds + (not total.ended and size > 0),
        encoding=encoding,
        kind=kind,
        partial=partial,
        verdict=None
        if image
        else last_line(
            content,
            feeds=total.feeds,
            without=total.without,
            cancelled=cancelled,
            block=block,
        ),
    )


_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""Without a NUL or one of these at its beginning no content is UTF-16 or a picture."""


def text_counts(data: bytes) -> Counts | None:
    """`count` of a text that is all in memory; None for what takes a closer look."""
    if not data or 0 in data or data[:2] in _MARKS:
        return None
    size = len(data)
    points, astral, valid = chars(data)
    feeds = line_feeds(data)
    kind: Kind = "text"
    partial, form = False, None
    if may_be_json(data, size):
        kind, partial = json_kind(data, data[-HEAD:], size)
    if may_hold_another(data, kind):
        from spillview.content.forms import form_of

        form = form_of(BytesContent(data), data[:HEAD], kind)
    verdict = short_last_line(data, feeds)
    if verdict is None:
        verdict = last_line(BytesContent(data), feeds=feeds)
    return Counts(
        size,
        points,
        points + astral,
        feeds + (data[-1] != 0x0A),
        "utf-8" if valid else "utf-8-invalid",
        kind,
        partial,
        verdict,
        form,
    )


class Total:
    """What the blocks so far add up to; `count` can go on from there."""

    __slots__ = (
        "_since",
        "astral",
        "binary",
        "chars",
        "ended",
        "feeds",
        "offset",
        "valid",
        "without",
    )

    def __init__(self) -> None:
        self._since = 0
        self.astral = self.chars = self.feeds = self.offset = 0
        self.binary = self.ended = False
        self.valid = True
        self.without: Range = (0, 0)
        """The longest run of blocks without an LF."""

    def add(self, data: bytes, *, last: bool) -> None:
        """Add the block at `offset`; a sequence it cuts is left to the next block."""
        end = len(data) if last else whole(data)
        feeds = line_feeds(data)
        points, astral, valid = chars(data) if last else chars(data, end)
        self.offset += end
        self.chars += points
        self.astral += astral
        self.valid = self.valid and valid
        if feeds:
            self.feeds += feeds
            self._since = self.offset
        elif self.offset - self._since > self.without[1] - self.without[0]:
            self.without = (self._since, self.offset)
        self.ended = data.endswith(b"\n")
        if not self.binary and 0 in data:
            self.binary = True


def _count_utf16(
    content: Content,
    encoding: str,
    mark: int,
    cancelled: Callable[[], bool] | None,
    block: int,
) -> Counts:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    size, offset = content.size, mark
    points = astral = feeds = 0
    last = ""
    head: list[str] = []
    kept = 0
    while True:
        _stop(cancelled)
        data = content.pread(offset, block)
        offset += len(data)
        text = decoder.decode(data, not data)
        points += len(text)
        feeds += text.count("\n")
        astral += len(text.encode("utf-16-le")) // 2 - len(text)
        if kept <= WHOLE:
            head.append(text)
            kept += len(text)
        last = text[-1:] or last
        if not data:
            break
    beginning = "".join(head).encode()
    ending = content.pread(max(mark, size - HEAD & ~1), HEAD).decode(encoding, "ignore")
    kind: Kind = "text"
    partial = False
    if may_be_json(beginning, len(beginning)):
        complete = kept == points and len(beginning) <= WHOLE
        kind, partial = json_kind(
            beginning[:WHOLE],
            ending.encode(),
            len(beginning) if complete else max(size, WHOLE + 1),
        )
    return Counts(
        bytes=size,
        chars=points,
        utf16=points + astral,
        lines=feeds + (last not in ("", "\n")),
        encoding=encoding,
        kind=kind,
        partial=partial,
        verdict=last_line(
            content, encoding, mark, feeds=feeds, cancelled=cancelled, block=block
        ),
    )


def _stop(cancelled: Callable[[], bool] | None) -> None:
    if cancelled is not None and cancelled():
        raise Cancelled("Counting was stopped.")
