"""Lines that tell of trouble: where they are, and how many the model received."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spillview.hints import TYPE_CHECKING
from spillview.model import Line, Range, Seen, Signals

if TYPE_CHECKING:
    from spillview.content.content import Content

BLOCK = 1 << 18
"""Bytes read at a time."""

LONGEST = 1 << 16
"""Of a longer line this many bytes at a time are looked at."""

TEXT_LIMIT = 2_000
"""Chars of a line's text that are kept, as everywhere a line is quoted."""

LOOKED = 256 << 20
"""Bytes of a content that are counted through for signals: of a larger one, its
beginning and, an eighth of them, its end."""

WORD = 96
"""Bytes of a long line's parts that overlap: the longest word and what is before it."""

STRETCH = 4096
"""Bytes of a long line that are searched from a likely place on."""

BEFORE = 16
"""Bytes of those that only tell whether a word begins there."""

_SHORT = 512
"""Bytes in which the pattern alone is quick enough."""

_HELD = (b"error", b"fail", b"fatal", b"panic", b"exception", b"traceback")
"""In small letters, what every signal word holds one of."""

_WORDS = (
    rb"(?i:errors?|failed|failures?|fatal|panic(?:ked)?|exceptions?|traceback)"
    rb"|[A-Za-z]{1,60}(?:Error|Exception)"
)
_BEGINS = (
    rb"(?:(?<![\w-])|(?<=\x1b\[[mK])|(?<=[\[;]\dm)|(?<=[\[;]\d\dm)|(?<=[\[;]\d\d\dm))"
)
"""No letter stands before a word but the last one of a colour."""

SIGNAL = re.compile(_BEGINS + rb"(?<!\b0 )(?<!\b[nN]o )(?:" + _WORDS + rb")(?![\w-])")
"""A word that tells of trouble; `0 errors` and `no errors` tell of none."""


def signal_lines(
    content: Content, start: int = 0, end: int | None = None
) -> Iterator[Line]:
    """Lines in `[start, end)` that hold a signal word, in order.

    A line that begins before `start` is looked at from `start` on. Memory is bounded
    whatever the length of a line.
    """
    stop = content.size if end is None else min(end, content.size)
    number = 1 + _feeds_before(content, start)
    begin = line_start(content, start)
    at = start
    carry = b""
    while at < stop:
        data = content.pread(at, min(BLOCK, stop - at))
        if not data:
            return
        window = carry + data
        base = at - len(carry)
        at += len(data)
        cut = window.rfind(b"\n") + 1
        if at >= stop:
            cut = len(window)
        elif cut == 0 and len(window) > LONGEST:
            # One long line: all but its end, where a word may go on.
            cut = len(window) - 64
        pos = 0
        likely = _Likely(window, 0, cut)
        while (found := likely.search(pos)) is not None:
            feeds = window.count(b"\n", pos, found.start())
            if feeds:
                number += feeds
                begin = base + window.rfind(b"\n", pos, found.start()) + 1
            line = _line(content, number, begin)
            yield line
            after = window.find(b"\n", found.start(), cut)
            if after < 0:
                pos = cut
                if cut < len(window) or at < stop:
                    # The rest of this line was told of; go on behind it.
                    skip = _next_line(content, line.end, stop)
                    if skip is None:
                        return
                    number, begin, at = number + 1, skip, skip
                    window, cut, pos = b"", 0, 0
                break
            number, begin, pos = number + 1, base + after + 1, after + 1
        feeds = window.count(b"\n", pos, cut)
        if feeds:
            number += feeds
            begin = base + window.rfind(b"\n", pos, cut) + 1
        carry = window[cut:]


def tally(content: Content, seen: Seen) -> Signals:
    """How many lines hold a signal word, and how many of them were received whole.

    A line's CR and LF do not count. Of a larger content than `LOOKED` the beginning
    and the end are looked at, and the answer says so; memory is bounded whatever a
    line's length.
    """
    from bisect import bisect_right

    total = received = 0
    starts = [start for start, _ in seen.ranges]
    for first, stop in looked_at(content):
        for start, end in _signal_ranges(content, first, stop):
            total += 1
            at = bisect_right(starts, start) - 1
            received += at >= 0 and end <= seen.ranges[at][1]
    return Signals(total, received, seen.certain, content.size <= LOOKED)


def looked_at(content: Content) -> list[Range]:
    """The byte ranges that `tally` looks at; the last of several begins a line."""
    if content.size <= LOOKED:
        return [(0, content.size)]
    end = LOOKED // 8
    at = content.size - end
    feed = content.pread(at, min(end, LONGEST)).find(b"\n")
    return [(0, LOOKED - end), (at + feed + 1, content.size)]


def _signal_ranges(
    content: Content, first: int, stop: int
) -> Iterator[tuple[int, int]]:
    """Start and end, without CR/LF, of every line that holds a signal word."""
    at = begin = first
    open_signal = False
    carry = b""
    while at < stop:
        data = content.pread(at, min(BLOCK, stop - at))
        if not data:
            break
        window, base = carry + data, at - len(carry)
        at += len(data)
        cut = window.rfind(b"\n") + 1
        if not cut:
            # A line longer than the window: its parts are looked at as they come.
            from_ = BEFORE if begin < base else 0
            # A word at the window's end may go on: it is looked at with the next one.
            open_signal = open_signal or (
                (found := first_signal(window, from_)) is not None
                and found[1] < len(window)
            )
            carry = window[-WORD:] if len(window) >= LONGEST else window
            continue
        if begin < base:
            first = window.find(b"\n")
            if open_signal or first_signal(window, BEFORE, first) is not None:
                yield begin, base + _without_cr(window, first)
            pos = first + 1
        else:
            pos = 0
        for start, end in signal_spans(window, pos, cut):
            yield base + start, base + end
        begin, open_signal = base + cut, False
        carry = window[cut:]
    from_ = BEFORE if begin < at - len(carry) else 0
    if open_signal or first_signal(carry, from_) is not None:
        yield begin, at - (1 if carry.endswith(b"\r") else 0)


def signal_spans(window: bytes, pos: int, cut: int) -> Iterator[tuple[int, int]]:
    """The signal lines of `[pos, cut)`, which ends with an LF; without CR and LF."""
    likely = _Likely(window, pos, cut)
    while (place := likely.after(pos)) < cut:
        start = window.rfind(b"\n", pos, place) + 1 or pos
        after = window.find(b"\n", place)
        if first_signal(window, start, after) is not None:
            yield start, _without_cr(window, after)
        pos = after + 1


def first_signal(data: bytes, pos: int = 0, end: int | None = None) -> Range | None:
    """Where in `[pos, end)` the first signal word stands; what is before `pos` tells
    whether a word begins there. Quick in a text that holds none."""
    stop = len(data) if end is None else end
    if stop - pos <= _SHORT:
        match = SIGNAL.search(data, pos, stop)
    else:
        match = _Likely(data, pos, stop).search(pos)
    return match.span() if match is not None else None


_LOWER = bytes(range(256)).lower()
"""The table by which ASCII letters become small ones."""


class _Likely:
    """Signal words of a window, searched where what all of them hold was found.

    The search itself is slow, and most parts of most contents hold none of it.
    """

    def __init__(self, window: bytes, start: int, stop: int) -> None:
        self._window = window
        from stringzilla import translate

        # Many times as fast as `lower`, which took as long as all other looking.
        self._lowered: bytes = translate(memoryview(window)[start:stop], _LOWER)
        self._start, self._stop = start, stop
        self._places = dict.fromkeys(_HELD, -1)

    def after(self, pos: int) -> int:
        """The first place from `pos` on that a word may hold; `stop` without one."""
        from stringzilla import find

        for word, place in self._places.items():
            if place < pos:
                step = find(self._lowered, word, pos - self._start)
                self._places[word] = self._start + step if step >= 0 else self._stop
        return min(self._places.values())

    def search(self, pos: int) -> re.Match[bytes] | None:
        """The first signal word from `pos` on."""
        while (place := self.after(pos)) < self._stop:
            end = min(place + STRETCH, self._stop)
            found = SIGNAL.search(self._window, max(pos, place - WORD), end)
            # One that the end of what was searched cuts off comes up again.
            if found is not None and (found.end() < end or end == self._stop):
                return found
            if end == self._stop:
                return None
            pos = max(pos, end - WORD)
        return None


def _without_cr(window: bytes, end: int) -> int:
    return end - 1 if end > 0 and window[end - 1 : end] == b"\r" else end


def _feeds_before(content: Content, offset: int) -> int:
    """LF bytes before `offset`."""
    total = at = 0
    while at < offset:
        data = content.pread(at, min(1 << 20, offset - at))
        if not data:
            break
        total += data.count(b"\n")
        at += len(data)
    return total


def line_start(content: Content, offset: int) -> int:
    """Where the line that holds byte `offset` begins."""
    while offset > 0:
        start = max(0, offset - LONGEST)
        step = content.pread(start, offset - start).rfind(b"\n")
        if step >= 0:
            return start + step + 1
        offset = start
    return 0


def _next_line(content: Content, offset: int, stop: int) -> int | None:
    """Where the line after the one at `offset` begins; None if none does by `stop`."""
    while offset < stop:
        data = content.pread(offset, min(BLOCK, stop - offset))
        if not data:
            return None
        step = data.find(b"\n")
        if step >= 0:
            return offset + step + 1
        offset += len(data)
    return None


def _line(content: Content, number: int, begin: int) -> Line:
    """The line that begins at byte `begin`."""
    end = begin
    head = b""
    while True:
        data = content.pread(end, LONGEST)
        step = data.find(b"\n")
        piece = data if step < 0 else data[:step]
        if len(head) < 4 * TEXT_LIMIT:
            head += piece[: 4 * TEXT_LIMIT]
        end += len(piece)
        if step >= 0 or not data:
            break
    if end > begin and content.pread(end - 1, 1) == b"\r":
        end -= 1
        head = head[: end - begin]
    text = head.decode("utf-8", "replace")
    truncated = len(text) > TEXT_LIMIT or end - begin > len(head)
    return Line(number, begin, end, text[:TEXT_LIMIT], truncated)
