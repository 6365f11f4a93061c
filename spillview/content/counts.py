"""Exact sizes, encoding, kind and verdict of a content, in one pass over its bytes."""

from __future__ import annotations

import codecs
from collections.abc import Callable

from spillview.content.codepoints import chars, line_feeds, whole
from spillview.content.content import BytesContent, Content
from spillview.content.kinds import HEAD, WHOLE, is_image, json_kind, utf16_of
from spillview.errors import Cancelled
from spillview.model import Counts, Kind, Line, Range
from spillview.regexes import late

BLOCK = 1 << 18
"""Bytes read at a time."""

LAST = 1 << 12
"""Bytes at the end in which the last line is looked for at first."""

FIRST = 2
"""So many last lines are looked at before a whole block is."""

TEXT_LIMIT = 2_000
"""Chars of a line's text that are kept."""


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
        if cancelled is not None and cancelled():
            raise Cancelled("Counting was stopped.")
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
    elif _may_be_json(head, size):
        whole_of_it = size <= len(first)
        kind, partial = json_kind(
            first if whole_of_it else content.pread(0, WHOLE),
            first[-HEAD:] if whole_of_it else content.pread(size - HEAD, HEAD),
            size,
        )
    form = None
    if _may_hold_another(head, kind):
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


def _may_hold_another(head: bytes, kind: Kind) -> bool:
    """Whether it is worth a look what the content holds."""
    if kind == "json":
        return head[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b'"', b"[", b"{")
    if kind == "binary":
        return head[:1] == b"\x1f"
    return kind == "text" and len(head) > 60 and not _APART.search(head, 0, 200)


_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""Without a NUL or one of these at its beginning no content is UTF-16 or a picture."""

_APART = late(rb"[^A-Za-z0-9+/=_:;,.\r\n-]")
_SCALARS = tuple(b"%c" % byte for byte in b"-0123456789tfn")


def _may_be_json(head: bytes, size: int) -> bool:
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    return start in (b"[", b"{", b'"') or (size <= HEAD and start in _SCALARS)


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
        if cancelled is not None and cancelled():
            raise Cancelled("Counting was stopped.")
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
    if _may_be_json(beginning, len(beginning)):
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


_ESCAPES = late(r"\x1b\[[0-?]*[ -/]*[@-~]")


def _blank(text: str) -> bool:
    if "\0" in text:
        text = text.replace("\0", "")
    return not text.strip() or ("\x1b" in text and not _ESCAPES.sub("", text).strip())


def last_line(
    content: Content,
    encoding: str = "utf-8",
    begin: int = 0,
    *,
    feeds: int,
    without: Range = (0, 0),
    cancelled: Callable[[], bool] | None = None,
    block: int = BLOCK,
) -> Line | None:
    """The last line with something to see in it; None when there is none.

    Blank is a line of white space (Unicode's), of NULs (what a crash leaves at the end
    of a log) and of escape sequences such as colour resets. LF alone ends a line; CRs
    before it are not part of the range or the text. Of a line over 2,000 chars the
    beginning is kept as `text`; whoever needs its end reads it by the range, which is
    that of the bytes as they are on disk. `feeds` is the number of LFs in all,
    `without` a range that is known to hold none, `begin` the length of a byte order
    mark.

    Works from the end in blocks, whatever the length of the last line and the number
    of blank lines behind it.
    """
    return _Backward(content, encoding, begin, without, cancelled, block).find(feeds)


class _Backward:
    def __init__(
        self,
        content: Content,
        encoding: str,
        begin: int,
        without: Range,
        cancelled: Callable[[], bool] | None,
        block: int,
    ) -> None:
        self._content = content
        self._wide = encoding.startswith("utf-16")
        self._encoding = encoding if self._wide else "utf-8"
        self._feed = "\n".encode(self._encoding)
        self._return = "\r".encode(self._encoding)
        self._step = len(self._feed)
        self._begin = begin
        self._without = without
        self._cancelled = cancelled
        self._block = max(block & ~3, 8)

    def find(self, feeds: int) -> Line | None:
        end = self._content.size
        if self._wide:
            end -= (end - self._begin) % 2  # half a unit at the end is no line
        block = min(self._block, LAST)
        while end > self._begin:
            low = max(self._begin, end - block)
            block = min(self._block, 4 * block)
            data = self._read(low, end)
            cut = self._first_feed(data) if low > self._begin else 0
            if cut < 0:
                start, stop = self._line_start(low, end), self._without_feed(data, end)
                if self._visible(start, stop):
                    return self._line(start, stop, feeds - (stop < end) + 1)
                feeds -= stop < end
                end = start
                continue
            data = data[cut:]
            line = self._inside(data, low + cut, feeds, FIRST)
            if line is not None:
                return line
            text = data.decode(self._encoding, "replace")
            if not _blank(text):
                return self._inside(data, low + cut, feeds, len(data))
            feeds -= text.count("\n")
            end = low + cut
        return None

    def _read(self, start: int, end: int) -> bytes:
        if self._cancelled is not None and self._cancelled():
            raise Cancelled("Counting was stopped.")
        return self._content.pread(start, end - start)

    def _first_feed(self, data: bytes) -> int:
        """Where the first whole line of `data` begins, or -1."""
        place = data.find(self._feed)
        while place % self._step and place >= 0:
            place = data.find(self._feed, place + 1)
        place += self._step
        return place if self._step <= place < len(data) else -1

    def _last_feed(self, data: bytes, end: int) -> int:
        place = data.rfind(self._feed, 0, end)
        while place % self._step and place >= 0:
            place = data.rfind(self._feed, 0, place + self._step - 1)
        return place

    def _without_feed(self, data: bytes, end: int) -> int:
        return end - (self._step if data.endswith(self._feed) else 0)

    def _line_start(self, low: int, end: int) -> int:
        """The start of the line that reaches into the block `[low, end)` at its end."""
        while low > self._begin:
            if self._without[0] < low <= self._without[1]:
                low = max(self._without[0], self._begin)
                continue
            lower = max(self._begin, low - self._block)
            data = self._read(lower, low)
            place = self._last_feed(data, len(data))
            if place >= 0:
                return lower + place + self._step
            low = lower
        return self._begin

    def _visible(self, start: int, stop: int) -> bool:
        """Whether a line longer than a block has anything but white space in it."""
        decoder = codecs.getincrementaldecoder(self._encoding)("replace")
        while start < stop:
            data = self._read(start, min(stop, start + self._block))
            if not _blank(decoder.decode(data)):
                return True
            start += len(data)
        return not _blank(decoder.decode(b"", True))

    def _inside(self, data: bytes, base: int, feeds: int, most: int) -> Line | None:
        """The last of the last `most` lines of `data` (whole lines) that is not blank;
        None where they all are."""
        end = len(data)
        stop = self._without_feed(data, end)
        number = feeds + (stop == end)
        for _ in range(most):
            place = self._last_feed(data, stop)
            start = place + self._step if place >= 0 else 0
            if not _blank(data[start:stop].decode(self._encoding, "replace")):
                return self._line(base + start, base + stop, number)
            if place < 0:
                break
            stop = place
            number -= 1
        return None

    def _line(self, start: int, stop: int, number: int) -> Line:
        step = self._step
        while stop - start >= step and self._read(stop - step, stop) == self._return:
            stop -= step
        enough = (TEXT_LIMIT + 2) * 4
        data = self._content.pread(start, min(stop - start, enough))
        text = data.decode(self._encoding, "replace")
        return Line(number, start, stop, text[:TEXT_LIMIT], len(text) > TEXT_LIMIT)
