"""Every signal line of a content of any size, numbered, with the place of its hit."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spillview.content.codepoints import line_feeds
from spillview.content.signals import (
    BEFORE,
    BLOCK,
    LONGEST,
    WORD,
    first_signal,
    signal_spans,
)
from spillview.envelopes.excerpts import Spot
from spillview.errors import BadInput, Cancelled
from spillview.profiles.regexes import UnsafeRegex, check_regex
from spillview.text import printable

if TYPE_CHECKING:
    from spillview.content.content import Content

OVERLAP = 1 << 10
"""Bytes that two parts of a line of over `LONGEST` bytes have in common: a hit of an
own pattern that is longer than that may be missed there."""

Find = Callable[[bytes], tuple[int, int] | None]
"""Where in a line, or in a part of one, the first hit stands."""


@dataclass(slots=True)
class Found:
    """Signal lines: all of them counted, the first and the last ones kept."""

    most: int
    total: int = 0
    first: list[Spot] = field(default_factory=list)
    last: deque[Spot] = field(default_factory=deque)
    """The last ones that are not among the first."""

    def add(self, spot: Spot) -> None:
        """Take the next line."""
        self.total += 1
        if len(self.first) < self.most:
            self.first.append(spot)
            return
        self.last.append(spot)
        if len(self.last) > self.most:
            self.last.popleft()

    def keep(self, most: int) -> None:
        """Keep fewer: the first and the last `most`."""
        if most < self.most:
            late = [*self.first[most:], *self.last]
            self.most, self.first = most, self.first[:most]
            self.last = deque(late, most)


def signals_of(
    content: Content,
    most: int,
    pattern: str | None = None,
    cancelled: Callable[[], bool] | None = None,
    begun: Scan | None = None,
) -> Found:
    """The signal lines of a UTF-8 content; the first and last `most` are kept.

    `pattern` is a regex that takes the place of the built-in words. One pass; memory
    is bounded whatever a line's length. `begun` has looked at the content's beginning
    for the built-in words.

    Raises `BadInput` for a pattern that is none or could take very long, `Cancelled`
    when `cancelled` says so, and what reading raises.
    """
    find = _words if pattern is None else _own(pattern)
    scan = Scan(content, most, find) if begun is None else begun
    return scan.finish(content, most, cancelled)


def _words(data: bytes) -> tuple[int, int] | None:
    return first_signal(data)


def _own(pattern: str) -> Find:
    """The finder of an own pattern, on text; it must be quick whatever the text."""
    bare = pattern
    while bare.startswith((".*", "^.*")):  # a search begins anywhere
        bare = bare.removeprefix("^").removeprefix(".*").removeprefix("?")
    try:
        check_regex(bare)
    except UnsafeRegex as error:
        raise BadInput(
            f"The signal pattern `{printable(pattern[:60])}` {error}."
        ) from None
    compiled = re.compile(bare)

    def find(data: bytes) -> tuple[int, int] | None:
        text = data.decode("utf-8", "replace")
        match = compiled.search(text)
        if match is None:
            return None
        if len(text) == len(data):
            return match.span()
        return _bytes_before(data, text, match.start()), _bytes_before(
            data, text, match.end()
        )

    return find


def _bytes_before(data: bytes, text: str, chars: int) -> int:
    """Bytes of the first `chars` chars; at an undecodable byte, near enough."""
    return min(len(data), len(text[:chars].encode("utf-8")))


class Scan:
    """A search for signal lines that follows a content while it is still written."""

    def __init__(self, content: Content, most: int, find: Find = _words) -> None:
        """`most`: what `finish` will ask for, or more."""
        self._content = content
        self._find = find
        self._cancelled: Callable[[], bool] | None = None
        self._found = Found(most)
        self._number = 1
        """Of the line that begins at, or reaches into, the window."""
        self._at = 0
        """Where the first line begins that was not looked at."""

    def follow(self) -> bool:
        """Look at a block more of whole lines, by the built-in words.

        False when there is none yet: too little was written, or the next line is very
        long and is left to `finish`. Raises what reading raises.
        """
        if self._content.size - self._at < BLOCK:
            return False
        data = self._content.pread(self._at, BLOCK)
        cut = data.rfind(b"\n") + 1
        for spot in self._quick(data, self._at, cut) if cut else ():
            self._found.add(spot)
        self._at += cut
        return cut > 0

    def finish(
        self, content: Content, most: int, cancelled: Callable[[], bool] | None
    ) -> Found:
        """Look at the rest; the first and last `most` lines are kept.

        `content` is complete, and begins with what was followed.
        """
        self._content, self._cancelled = content, cancelled
        for spot in self._spots(quick=self._find is _words):
            self._found.add(spot)
        self._found.keep(most)
        return self._found

    def _spots(self, *, quick: bool) -> Iterator[Spot]:
        content, size = self._content, self._content.size
        lines = self._quick if quick else self._slow
        at, carry = self._at, b""
        while at < size:
            if self._cancelled is not None and self._cancelled():
                raise Cancelled("Looking for signal lines was stopped.")
            data = content.pread(at, min(BLOCK, size - at))
            window, base = carry + data, at - len(carry)
            at += len(data)
            cut = window.rfind(b"\n") + 1
            if cut:
                yield from lines(window, base, cut)
                carry = window[cut:]
            elif len(window) < LONGEST:
                carry = window
            else:
                spot, at = self._long(base)
                if spot is not None:
                    yield spot
                carry = b""
        if carry:
            if len(carry) >= LONGEST:
                spot, _ = self._long(size - len(carry))
                if spot is not None:
                    yield spot
            else:
                yield from self._slow(carry, size - len(carry), len(carry))

    def _quick(self, window: bytes, base: int, cut: int) -> Iterator[Spot]:
        """The signal lines of `[0, cut)`, which ends with an LF, by the words."""
        at = 0
        for start, end in signal_spans(window, 0, cut):
            self._number += line_feeds(memoryview(window)[at:start])
            at = start
            hit = first_signal(window, start, end)
            if hit is not None:
                stop = window.find(b"\n", end)
                yield self._spot(base, start, stop, hit)
        self._number += line_feeds(memoryview(window)[at:cut])

    def _slow(self, window: bytes, base: int, cut: int) -> Iterator[Spot]:
        """The same line by line; the last one may lack its LF."""
        at = 0
        while at < cut:
            stop = window.find(b"\n", at, cut)
            end = stop if stop >= 0 else cut
            hit = self._find(window[at:end].rstrip(b"\r"))
            if hit is not None:
                yield self._spot(base, at, end, (at + hit[0], at + hit[1]))
            self._number += stop >= 0
            at = end + 1

    def _spot(self, base: int, start: int, end: int, hit: tuple[int, int]) -> Spot:
        return Spot(
            self._number, base + start, base + end, (base + hit[0], base + hit[1])
        )

    def _long(self, start: int) -> tuple[Spot | None, int]:
        """The long line that begins at `start`, and the byte after its LF."""
        content, size = self._content, self._content.size
        hit: tuple[int, int] | None = None
        at, end, carry = start, size, b""
        overlap = WORD if self._find is _words else OVERLAP
        while at < size:
            if self._cancelled is not None and self._cancelled():
                raise Cancelled("Looking for signal lines was stopped.")
            data = content.pread(at, min(BLOCK, size - at))
            feed = data.find(b"\n")
            part = carry + (data if feed < 0 else data[:feed])
            base = at - len(carry)
            last = feed >= 0 or at + len(data) >= size
            if hit is None:
                hit = self._in_part(part, base, first=at == start, last=last)
            if feed >= 0:
                end = at + feed
                break
            at += len(data)
            carry = part[-overlap:]
        spot = None
        if hit is not None:
            spot = Spot(self._number, start, end, hit)
        if end < size:
            self._number += 1
        return spot, min(end + 1, size)

    def _in_part(
        self, part: bytes, base: int, *, first: bool, last: bool
    ) -> tuple[int, int] | None:
        """The hit in a part of a long line; what may go on behind it is left to the
        next part."""
        skip = 0 if first else BEFORE
        found: tuple[int, int] | None = None
        if self._find is _words:
            found = first_signal(part, skip)
        else:
            found = self._find_in_pieces(part)
        if found is None or (found[1] >= len(part) and not last):
            return None
        return base + found[0], base + found[1]

    def _find_in_pieces(self, part: bytes) -> tuple[int, int] | None:
        at = 0
        while at < len(part):
            found = self._find(part[at : at + LONGEST])
            if found is not None:
                return at + found[0], at + found[1]
            at += LONGEST - OVERLAP
        return None
