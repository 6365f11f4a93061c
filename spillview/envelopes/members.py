"""The items of a JSON text that an envelope shows: the first ones, or all as one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spillview.envelopes.items import items_from
from spillview.envelopes.shrinking import LARGEST
from spillview.model import Range
from spillview.shape.locating import first_places
from spillview.shape.outline import Outline

if TYPE_CHECKING:
    from spillview.content.content import Content


@dataclass(slots=True)
class Member:
    """An item of the envelope: where it is, and what it may cost."""

    place: Range
    raw: bytes
    complete: bool
    """Whether `raw` is all of it."""


class Members:
    """Looks for the items of what was outlined."""

    def __init__(self, inner: Content, outline: Outline, stop: int) -> None:
        """`stop` is the byte up to which the text is JSON."""
        self.inner = inner
        self.outline = outline
        self.stop = stop

    def document(self) -> list[Member]:
        """The document itself."""
        begin = self.outline.begin
        at = items_from(self.inner, begin, 1, stop=self.inner.size, documents=True)
        if at:
            return [self._sample(at[0])]
        size = self.inner.size
        return [Member((begin, size), self.inner.pread(begin, LARGEST), False)]

    def first(self, most: int) -> list[Member]:
        """The first items: elements, documents, or records of an object."""
        begin = self._first_item()
        if begin is None or not most:
            return []
        found: list[Member] = []
        stop, documents = self.stop, self.outline.kind == "jsonl"
        while len(found) < most:
            places = items_from(
                self.inner,
                begin,
                1 if documents else most,
                stop=stop,
                documents=documents,
            )
            for place in places:
                each = self._sample(place)
                good = not each.complete or _is_json(each.raw)
                if place[1] >= stop and self.outline.error is not None:
                    good = good and each.raw[:1] in (b"{", b"[", b'"')
                if good:
                    found.append(each)
                begin = place[1] if good else self._next_line(place[0])
            if not documents:
                break
            if not places:
                after = self._next_line(begin)
                if after >= stop:
                    break
                begin = after
        return found

    def _first_item(self) -> int | None:
        outline = self.outline
        if outline.kind == "jsonl":
            return outline.begin
        if outline.kind == "array":
            return self._past_bracket(outline.begin)
        if outline.records is None:
            return None
        trail = outline.records.trail
        place = first_places(outline, self.inner, [trail]).get(trail)
        return place[0] if place is not None else None

    def _past_bracket(self, at: int) -> int:
        while self.inner.pread(at, 1) in (b" ", b"\t", b"\r", b"\n"):
            at += 1
        return at + 1

    def _next_line(self, at: int) -> int:
        while data := self.inner.pread(at, 1 << 16):
            feed = data.find(b"\n")
            if feed >= 0:
                return at + feed + 1
            at += len(data)
        return at

    def _sample(self, place: Range) -> Member:
        start, end = place
        raw = self.inner.pread(start, min(end - start, LARGEST))
        return Member(place, raw, len(raw) == end - start)


def _is_json(raw: bytes) -> bool:
    try:
        json.loads(raw)
    except (ValueError, RecursionError):
        return False
    return True
