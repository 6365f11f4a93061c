"""Text without its credentials: masked byte for byte, or named in their place.

A mask has as many bytes as what it hides, and lines stay lines: offsets, line numbers,
widths and what was seen hold for masked text as they do for the file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from spillview.digests import blake2b
from spillview.hints import TYPE_CHECKING
from spillview.regexes import late
from spillview.secrets.spans import BACK, REACH, Span, distinct, found, merged

if TYPE_CHECKING:
    from spillview.content.content import Content
    from spillview.model import Range

BLOCK = 16 << 10
"""Bytes whose credentials are looked for at once."""

BLOCKS = 256
"""Blocks whose credentials are remembered."""

MARK = b"*"

_HIDDEN = late(rb"[^\r\n]")


def hide(data: bytes) -> bytes:
    """As many bytes that tell nothing; the ends of lines stay."""
    return _HIDDEN.sub(MARK, data)


def mask(data: bytes, base: int, ranges: Iterable[Range]) -> bytes:
    """`data`, which begins at byte `base`, with these ranges hidden."""
    parts: list[bytes] = []
    at = 0
    for start, end in ranges:
        low, high = max(start - base, at), min(end - base, len(data))
        if low < high:
            parts += data[at:low], hide(data[low:high])
            at = high
    return b"".join((*parts, data[at:])) if parts else data


def masked(data: bytes) -> bytes:
    """A whole text with its credentials hidden."""
    spans = found(data)
    return mask(data, 0, merged(spans)) if spans else data


_SUSPECT = re.compile(
    r"[A-Za-z0-9_-]{16}|passw|passphrase|pwd|://|secret|token|credential|authoriz"
    r"|[_-]?key|sig=|curl ",
    re.IGNORECASE | re.ASCII,
)
"""What is in every text with a credential, and not in most others."""


@lru_cache(maxsize=2048)
def masked_text(text: str) -> str:
    """A whole text with its credentials hidden; undecodable bytes stay as they are."""
    if _SUSPECT.search(text) is None:
        return text
    data = text.encode("utf-8", "surrogateescape" if _escaped(text) else "replace")
    spans = found(data)
    if not spans:
        return text
    return mask(data, 0, merged(spans)).decode("utf-8", "surrogateescape")


def _escaped(text: str) -> bool:
    """Whether every half surrogate of it stands for a byte."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def masked_value(name: str, text: str) -> str:
    """The value of a member, which its name may tell to be a credential."""
    head = f"{name}: "
    return masked_text(f'{head}"{text}"')[len(head) + 1 : -1]


class Masks:
    """Where the credentials of a content are, looked for where somebody reads.

    Reads `REACH` bytes on either side of a place at most. May be used by one thread
    at a time.
    """

    def __init__(self, content: Content) -> None:
        self._content = content
        self._size = content.size
        self._blocks: OrderedDict[int, list[Span]] = OrderedDict()
        self._asked = False
        """Whether anything was asked yet."""

    def spans(self, start: int, end: int) -> list[Span]:
        """Those that reach into `[start, end)`, by place; they may overlap."""
        if self._content.size != self._size:  # what ended with the file may go on
            self._size = self._content.size
            self._blocks.clear()
        end = min(end, self._size)
        if start >= end:
            return []
        low, high = max(0, start - REACH), min(end + BACK, self._size)
        if not self._asked and end - start < BLOCK:
            # Perhaps nothing else is asked of it, as of a file with one hit.
            self._asked = True
            near = self._found(low, high)
        else:
            numbers = range(low // BLOCK, (high - 1) // BLOCK + 1)
            near = [span for number in numbers for span in self._block(number)]
        spans = [span for span in near if span.start < end and start < span.end]
        spans.sort()
        return spans

    def ranges(self, start: int, end: int) -> list[Range]:
        """The bytes of `[start, end)` to hide, in order, none touching another."""
        spans = self.spans(start, end)
        return list(merged(spans)) if spans else []

    def _block(self, number: int) -> list[Span]:
        known = self._blocks.get(number)
        if known is not None:
            self._blocks.move_to_end(number)
            return known
        spans = self._found(number * BLOCK, (number + 1) * BLOCK)
        self._blocks[number] = spans
        while len(self._blocks) > BLOCKS:
            self._blocks.popitem(last=False)
        return spans

    def _found(self, low: int, high: int) -> list[Span]:
        """The credentials whose literal begins in `[low, high)`, by place."""
        base = max(0, low - BACK)
        data = self._content.pread(base, high + REACH - base)
        inside = found(data, low - base, min(high - base, len(data)))
        return [Span(s.start + base, s.end + base, s.rule) for s in inside]


class MaskedContent:
    """A content as it is shown: its credentials are hidden, its offsets are its own."""

    __slots__ = ("_content", "_masks", "path")

    def __init__(self, content: Content) -> None:
        self._content = content
        self._masks = Masks(content)
        self.path: str | None = None
        """No file holds these bytes."""

    @property
    def size(self) -> int:
        """Bytes, as many as the content has."""
        return self._content.size

    def pread(self, offset: int, length: int) -> bytes:
        """See `Content.pread`."""
        data = self._content.pread(offset, length)
        ranges = self._masks.ranges(offset, offset + len(data))
        return mask(data, offset, ranges) if ranges else data

    def ranges(self, start: int, end: int) -> list[Range]:
        """The bytes of `[start, end)` that are hidden."""
        return self._masks.ranges(start, end)

    def close(self) -> None:
        """The content belongs to whoever opened it."""


class Names:
    """What stands in a credential's place: its kind, and a number for each value."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}

    def of(self, span: Span, secret: bytes) -> bytes:
        """`[REDACTED:github-token#2]`; equal credentials have equal numbers."""
        digest = blake2b(secret, digest_size=16).digest()
        number = self._numbers.setdefault(digest, len(self._numbers) + 1)
        return f"[REDACTED:{span.rule.name}#{number}]".encode()


def redacted(
    content: Content, start: int, end: int, *, chunk: int = 1 << 18
) -> Iterator[bytes]:
    """The bytes `[start, end)` with a name in the place of each credential.

    One of which a part alone is in the range is named too, as is each of those that
    overlap by the most telling one. In bounded memory, but for 16 bytes a credential.
    """
    masks, names, at = Masks(content), Names(), start
    while at < end:
        stop = min(at + chunk, end)
        spans = masks.spans(at, stop)
        for low, high in merged(spans):
            if high >= stop:  # those behind it may touch it
                low, high = _grown(masks, low, high)
                spans = masks.spans(low, high)
            telling = distinct([s for s in spans if s.start < high and low < s.end])[0]
            yield content.pread(at, max(0, low - at))
            yield names.of(telling, content.pread(low, high - low))
            at = min(high, end)
        if at < stop:
            yield content.pread(at, stop - at)
            at = stop


def _grown(masks: Masks, low: int, high: int) -> Range:
    """The whole of a run of credentials that touch each other."""
    while True:
        ranges = masks.ranges(low, high + 1)
        if ranges[-1][1] == high:
            return ranges[0][0], high
        high = ranges[-1][1]


def concealed(text: str, pieces: Iterable[bytes]) -> str:
    """`text` with its credentials hidden, and these pieces of such wherever they stand.

    For a text that was cut within a credential, of which no rule knows the rest.
    """
    data = text.encode("utf-8", "surrogateescape" if _escaped(text) else "replace")
    return concealed_bytes(data, pieces).decode("utf-8", "surrogateescape")


def concealed_bytes(data: bytes, pieces: Iterable[bytes]) -> bytes:
    """As `concealed`, of bytes; as many as before."""
    for piece in pieces:
        if len(piece) >= LEAST:
            data = data.replace(piece, hide(piece))
    return masked(data)


LEAST = 4
"""Shorter pieces of a credential tell too little to be hidden."""


def cut_pieces(
    content: Content, seen: Iterable[Range], ranges: Callable[[int, int], list[Range]]
) -> list[bytes]:
    """The parts of credentials at the edges of what was seen of a content.

    `ranges` tells what of a stretch is to be hidden.
    """
    pieces: list[bytes] = []
    for start, end in seen:
        for edge in (start, end):
            for low, high in ranges(max(0, edge - 1), edge + 1):
                if low < edge < high:
                    part = (max(low, start), min(high, end))
                    data = content.pread(part[0], part[1] - part[0])
                    pieces += data.split(b"\n") if b"\n" in data else [data]
    return sorted({p.strip() for p in pieces}, key=len, reverse=True)


def seen_states(
    spans: Iterable[tuple[int, int]], seen: Iterable[Range]
) -> list[bool | None]:
    """Of each range whether all of it was seen, nothing of it, or (None) a part."""
    ranges = list(seen)
    ends = [end for _, end in ranges]
    states: list[bool | None] = []
    for start, end in spans:
        at = bisect_left(ends, start + 1)
        if at == len(ranges) or ranges[at][0] >= end:
            states.append(False)
        else:
            covers = ranges[at][0] <= start and end <= ranges[at][1]
            states.append(True if covers else None)
    return states
