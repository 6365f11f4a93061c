"""Transcripts that are one JSON document: the elements of some arrays are records.

The document is walked by its brackets, commas and strings alone, a window at a time,
so that only one element is ever held in memory; each is read again by its byte range.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spillview.possessive import repeated
from spillview.transcripts import jsonl, logfile
from spillview.transcripts.facts import load

if TYPE_CHECKING:
    from spillview.content.content import Content

WINDOW = 1 << 20
"""Bytes looked at in one go."""

DEEPEST = 100_000
"""Containers inside each other; a document with more is broken."""

LARGEST_TOP = 1 << 20
"""Bytes of members beside the arrays of records that are kept for the first record."""

_INSIDE = repeated(rb'[^"\\]++|\\.')
_STRING = re.compile(_INSIDE, re.DOTALL)
_OUTSIDE = re.compile(rb'"' + _INSIDE + rb'"|["\[\]{},:]', re.DOTALL)

Path = tuple[str, ...]


@dataclass(slots=True)
class Outline:
    """Where the records of a document are."""

    elements: list[tuple[int, int]] = field(default_factory=list)
    """Byte ranges of the elements of the arrays, in the document's order."""
    members: list[tuple[Path, int, int]] = field(default_factory=list)
    """Every other member at the top: its path, and the byte range of its value."""
    complete: bool = False
    """False where the text ends (or breaks) before the document does."""


@dataclass(slots=True)
class _Open:
    """A container above the records that is being walked."""

    path: Path
    is_array: bool
    is_target: bool
    """Its elements are records."""
    key: str | None = None
    begun: int = -1
    """Where the current value begins; -1 between values."""


def outline(
    content: Content,
    arrays: tuple[str, ...],
    cancelled: Callable[[], bool] | None = None,
) -> Outline:
    """Walk a document whose records are the elements of `arrays`.

    An array is named by its keys from the top: `requests[]`, `a.b[]`; `[]` is the
    document itself.
    """
    targets = {
        tuple(filter(None, name.removesuffix("[]").split("."))) for name in arrays
    }
    walk = _Walk(content, targets)
    walk.run(cancelled)
    return walk.outline


class _Walk:
    """One pass over a document."""

    def __init__(self, content: Content, targets: set[Path]) -> None:
        self.content = content
        self.targets = targets
        self.above = {path[:end] for path in targets for end in range(len(path))}
        self.outline = Outline()
        self.stack: list[_Open] = []
        self.deep = 0
        """Containers open inside the current value."""
        self.done = False

    def run(self, cancelled: Callable[[], bool] | None) -> None:
        """Walk to the document's end."""
        at = 3 if self.content.pread(0, 3) == b"\xef\xbb\xbf" else 0
        string_at = -1
        """Where the string opens that goes on in the next window."""
        while not self.done and at < self.content.size:
            if cancelled is not None and cancelled():
                return
            window = self.content.pread(at, WINDOW)
            start = 0
            if string_at >= 0:
                match = _STRING.match(window)
                start = match.end() if match is not None else 0
                if window[start : start + 1] != b'"':
                    if not start:
                        return
                    at += start
                    continue
                start += 1
                self.string(string_at, at + start)
                string_at = -1
            for token in _OUTSIDE.finditer(window, start):
                first, end = token.span()
                byte = window[first]
                if byte != 0x22:
                    if not self.structure(byte, at + first) or self.done:
                        return
                elif end - first == 1:
                    string_at = at + first
                    break
                elif not self.deep:
                    self.string(at + first, at + end)
            at = at + len(window) if string_at < 0 else string_at + 1

    def string(self, start: int, end: int) -> None:
        """A string of the document, quotes included."""
        top = self.stack[-1] if self.stack else None
        if top is not None and not self.deep and top.begun < 0 and top.key is None:
            top.key = self.key(start, end)

    def key(self, start: int, end: int) -> str:
        """The name that stands at a byte range; none of ours is long."""
        if end - start > 1024:
            return ""
        try:
            name = load(self.content.pread(start, end - start))
        except ValueError:
            return ""
        return name if isinstance(name, str) else ""

    def structure(self, byte: int, at: int) -> bool:
        """A bracket, comma or colon; False where the document breaks."""
        if byte in b"[{":
            return self.opens(byte, at)
        if byte in b"]}":
            return self.closes(byte, at)
        if self.deep or not self.stack:
            return bool(self.stack)
        top = self.stack[-1]
        if byte == 0x3A:
            if top.is_array or top.key is None:
                return False
            top.begun = at + 1
        else:
            self.ended(top, at)
            if top.is_array:
                top.begun = at + 1
        return True

    def opens(self, byte: int, at: int) -> bool:
        """A container begins."""
        if self.deep:
            self.deep += 1
            return self.deep < DEEPEST
        path: Path = ()
        if self.stack:
            top = self.stack[-1]
            if top.is_array:
                self.deep = 1
                return True
            if top.key is None:
                return False
            path = (*top.path, top.key)
        is_array = byte == 0x5B
        is_target = is_array and path in self.targets
        if not is_target and (is_array or path not in self.above):
            if not self.stack:
                return False  # nothing of ours
            self.deep = 1
            return True
        begun = at + 1 if is_array else -1
        self.stack.append(_Open(path, is_array, is_target, begun=begun))
        return True

    def closes(self, byte: int, at: int) -> bool:
        """A container ends."""
        if self.deep:
            self.deep -= 1
            return True
        if not self.stack:
            return False
        top = self.stack[-1]
        if top.is_array != (byte == 0x5D):
            return False
        self.ended(top, at)
        self.stack.pop()
        if not self.stack:
            self.outline.complete = self.done = True
            return True
        above = self.stack[-1]
        above.begun, above.key = -1, None
        return True

    def ended(self, top: _Open, at: int) -> None:
        """A member of the container `top` ends before `at`."""
        start, key = top.begun, top.key
        top.begun, top.key = -1, None
        if start < 0 or start >= at:
            return
        if top.is_target:
            self.outline.elements.append((start, at))
        elif key is not None and len(self.outline.members) < 4096:
            self.outline.members.append(((*top.path, key), start, at))


def first_record(content: Content, found: Outline) -> dict[str, Any]:
    """Everything beside the arrays of records, as one small record."""
    top: dict[str, Any] = {}
    size = 0
    for path, start, end in found.members:
        size += end - start
        if end - start > LARGEST_TOP or size > 4 * LARGEST_TOP:
            continue
        try:
            value = load(content.pread(start, end - start).strip())
        except ValueError:
            continue
        place = top
        for key in path[:-1]:
            inner = place.setdefault(key, {})
            place = inner if isinstance(inner, dict) else {}
        place[path[-1]] = value
    return {"": top}


def records(content: Content, found: Outline) -> Iterator[jsonl.Record | None]:
    """The elements as records, counted from 1; None for one that cannot be read."""
    for number, (start, end) in enumerate(found.elements, 1):
        length = end - start
        if length > jsonl.LIMIT:
            yield None
            continue
        data = content.pread(start, length)
        if not data.strip():
            continue
        value = logfile.value_of(data)
        if value is None:
            yield None
        else:
            yield jsonl.Record(number, start, length, 0, value)


def record_at(
    content: Content, offset: int, length: int, arrays: tuple[str, ...]
) -> dict[str, Any] | None:
    """The element at that byte range; the first record where the length is 0."""
    if length == 0:
        return first_record(content, outline(content, arrays))
    return logfile.value_at(content, offset, length)
