"""Lines too long to hand over whole: ripgrep's messages read in bounded memory.

A message is one line of JSON that repeats the line it found, so a hit in one line of
200 MB comes as 200 MB. Such a message is never held: its text is skipped, its offsets
are kept, and an excerpt around the hit is read from the file again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from spillview.frozen import Frozen
from spillview.hints import Any
from spillview.regexes import late

EXCERPT = 1 << 16
"""Bytes of a line above which only an excerpt of this size is given."""

LONG = 1 << 20
"""Bytes of a message above which it is not held."""

KEEP = 64
"""Bytes kept between two pieces, so that what is looked for is never cut in two."""

Hit = tuple[int, int]
"""Byte range `[start, end)` of a match in its line, as ripgrep gives it."""

# None of these can stand inside a JSON string, where each quote follows a backslash.
_LINES = b',"lines":{"'
_AFTER_TEXT = late(
    rb'"\},"line_number":(\d+|null),"absolute_offset":(\d+),"submatches":\['
)
_HIT = late(rb'"\},"start":(\d+),"end":(\d+)\}')


def as_text(data: bytes) -> dict[str, str]:
    """`{"text": …}`, or `{"bytes": base64}` where it is not UTF-8: as ripgrep does."""
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        import base64  # seldom needed, and more than most to load

        return {"bytes": base64.b64encode(data).decode()}


def as_bytes(value: dict[str, str]) -> bytes:
    """The bytes that a `text`/`bytes` object of ripgrep stands for."""
    text = value.get("text")
    if text is not None:
        return text.encode()
    import base64

    return base64.b64decode(value["bytes"])


class LongMessage:
    """A `match` or `context` message that is fed in pieces and never held whole."""

    def __init__(self, head: bytes) -> None:
        self.head = head
        """Everything before the line's text: type and path."""
        self.line_number: int | None = None
        self.absolute_offset = 0
        self.hits: list[Hit] = []
        """Hits read since the last `take`."""
        self.complete = False
        self._rest = b""
        self._in_text = True

    @property
    def located(self) -> bool:
        """Whether its text has been passed, so that number and offset are known."""
        return not self._in_text

    def feed(self, piece: bytes) -> bytes:
        """Read on; gives back what follows the message once it is complete."""
        end = piece.find(b"\n")
        tail = b""
        if end >= 0:
            piece, tail = piece[:end], piece[end + 1 :]
            self.complete = True
        data = self._rest + piece
        at = 0
        if self._in_text:
            found = _AFTER_TEXT.search(data)
            if found is None:
                self._rest = data[-KEEP * 2 :]
                return tail
            self._in_text = False
            number = found.group(1)
            self.line_number = None if number == b"null" else int(number)
            self.absolute_offset = int(found.group(2))
            at = found.end()
        for hit in _HIT.finditer(data, at):
            self.hits.append((int(hit.group(1)), int(hit.group(2))))
            at = hit.end()
        self._rest = data[max(at, len(data) - KEEP * 2) :]
        return tail

    def take(self) -> list[Hit]:
        """The hits read since the last time."""
        hits, self.hits = self.hits, []
        return hits


def frames(
    chunks: Iterable[bytes], *, whole: bool = False
) -> Iterator[bytes | LongMessage]:
    """Messages from the output of `rg --json`, one at a time.

    With `whole` every message is held. Otherwise a long one is given again after each
    piece of it until it is `complete`.
    """
    held = b""
    long: LongMessage | None = None
    for chunk in chunks:
        if long is not None:
            chunk = long.feed(chunk)
            yield long
            if not long.complete:
                continue
            long = None
        end = chunk.rfind(b"\n")
        if end >= 0:
            yield from (held + chunk[:end]).split(b"\n")
            held = chunk[end + 1 :]
        else:
            held += chunk
        if not whole and len(held) > LONG and (cut := held.find(_LINES)) >= 0:
            long = LongMessage(held[:cut] + b"}}")
            long.feed(held[cut:])
            held = b""
            yield long


class Window(Frozen):
    """A part of a long line: where it begins and ends, and the hits inside it."""

    start: int
    end: int
    hits: tuple[Hit, ...]


class Windows:
    """Cuts the hits of one long line into windows of at most `EXCERPT` bytes."""

    def __init__(self) -> None:
        self._start = 0
        self._hits: list[Hit] = []
        self.total = 0
        """Hits so far, those outside the first window too."""

    def add(self, hits: Iterable[Hit]) -> Iterator[Window]:
        """Windows that are complete once `hits` are known too."""
        for start, end in hits:
            self.total += 1
            if self._hits and end > self._start + EXCERPT:
                yield self._window()
                self._hits = []
            if not self._hits:
                self._start = max(0, start - (EXCERPT - min(end - start, EXCERPT)) // 2)
            self._hits.append((start, end))

    def last(self) -> Window:
        """The window still open; the line's beginning when there was no hit."""
        return self._window()

    def _window(self) -> Window:
        return Window(self._start, self._start + EXCERPT, tuple(self._hits))


def excerpt(
    window: Window, length: int, read: Callable[[int, int], bytes]
) -> dict[str, Any]:
    """The fields of a message that gives `window` of a line of `length` bytes.

    `read` gives bytes of the line. No character is cut where the line is UTF-8.
    """
    # three bytes more on each side tell whether a cut would split a character
    left, right = max(0, window.start - 3), min(length, window.end + 3)
    data = read(left, right)
    start = min(window.start, length)
    end = min(window.end, length)
    first = window.hits[0][0] if window.hits else length
    while start < min(first, end) and start > 0 and _inside(data, start - left):
        start += 1
    while end < length and end > start and _inside(data, end - left):
        end -= 1
    text = data[start - left : end - left]
    submatches = [
        {
            "match": as_text(text[max(0, a - start) : max(0, min(b, end) - start)]),
            "start": max(0, a - start),
            "end": max(0, min(b, end) - start),
        }
        for a, b in window.hits
    ]
    return {
        "lines": as_text(text),
        "submatches": submatches,
        "lines_bytes": length,
        "excerpt_start": start,
    }


def _inside(data: bytes, at: int) -> bool:
    """Whether byte `at` continues a character."""
    return at < len(data) and data[at] & 0xC0 == 0x80


def line_end(read: Callable[[int, int], bytes], at: int) -> int:
    """The offset after the LF that ends the line around `at` (or of the text's end)."""
    step = 1 << 20
    while True:
        data = read(at, at + step)
        found = data.find(b"\n")
        if found >= 0:
            return at + found + 1
        if len(data) < step:
            return at + len(data)
        at += len(data)
