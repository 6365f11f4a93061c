"""Error-like words that the model never saw, from a place onwards or back."""

from __future__ import annotations

from collections.abc import Callable

from spillview.content.signals import SIGNAL
from spillview.model import Range
from spillview.search import hits
from spillview.search.hits import Hit, Pattern
from spillview.tui.pager.document import Document

CANDIDATES = Pattern("error|fail|fatal|panic|exception|traceback", "-i")
"""Every signal word holds one of these; what they hold besides is left out below."""

NEAR = 64 << 10
"""How far a line's ends are looked for; of a longer line the word alone counts."""

WORD = 80
"""Bytes around a candidate in which the whole word stands."""

Cancelled = Callable[[], bool]


def next_signal(document: Document, byte: int, cancelled: Cancelled) -> Hit | None:
    """The first such word at or after `byte` in a line that was not seen whole."""
    for batch, _ in hits.after(document.text, byte, CANDIDATES, cancelled):
        for hit in batch:
            if unseen_signal(document, hit):
                return hit
    return None


def previous_signal(document: Document, byte: int, cancelled: Cancelled) -> Hit | None:
    """The last such word before `byte` in a line that was not seen whole."""
    for stretch, _ in hits.before(document.text, byte, CANDIDATES, cancelled):
        for hit in reversed(stretch):
            if unseen_signal(document, hit):
                return hit
    return None


def unseen_signal(document: Document, hit: Hit) -> bool:
    """Whether the word is a signal and its line was not received whole."""
    start, end = hit
    if document.state(start, end) == "all":
        line = line_around(document, start, end)
        if document.state(*line) == "all":
            return False
    base = max(0, start - WORD)
    data = document.text.pread(base, end + WORD - base)
    at = 0
    while (match := SIGNAL.search(data, at)) is not None:
        if match.start() <= start - base < match.end():
            return True
        at = match.end()
    return False


def line_around(document: Document, start: int, end: int) -> Range:
    """The line of `[start, end)` without its end; the range itself in a long line."""
    text = document.text
    base = max(0, start - NEAR)
    before = text.pread(base, start - base).rfind(b"\n")
    data = text.pread(end, NEAR)
    after = data.find(b"\n")
    if (before < 0 and base > 0) or (after < 0 and end + len(data) < text.size):
        return start, end
    stop = end + (after if after >= 0 else len(data))
    if after > 0 and data[after - 1 : after] == b"\r":
        stop -= 1
    return base + before + 1, stop
