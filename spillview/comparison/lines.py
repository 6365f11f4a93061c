"""The lines of two artifacts: how many are new and gone, which, and in which order."""

from __future__ import annotations

import struct
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from spillview.comparison.cancelling import Bag, Flags, cancel
from spillview.comparison.noise import SAID, without_noise
from spillview.comparison.ordering import Hunk, Part, Progress, hunks
from spillview.errors import Cancelled, Unreadable
from spillview.model import Line, Seen

if TYPE_CHECKING:
    from spillview.content.content import Content

SHOWN = 200
"""Lines of each side that are kept with their text."""

JUMPS = 20_000
"""Hunks that are kept for going from one to the next."""

TEXT = 2_000
"""Chars of a line that are kept."""

LOOKED = 16 << 20
"""Bytes of the differing lines of a side in which noise is looked for."""

CHUNK = 1 << 20

_HUNK = struct.Struct("<8Q")


@dataclass(frozen=True, slots=True)
class Told:
    """One line that is new or gone."""

    line: Line
    seen: bool | None
    """Whether the model of its own session received it; None where unknown."""


@dataclass(frozen=True, slots=True)
class LineComparison:
    """What became of the lines."""

    same: int
    """Lines of the later one that the earlier one has too, at whatever place."""
    new: int
    gone: int
    moved: int
    """Of the same ones, those that stand in another order."""
    new_seen: int | None
    """New lines that the model received whole; None where that is not known."""
    noise: int | None
    """New lines that differ from one that is gone in noise alone; None where there
    were too many to look, or noise was left out from the beginning."""
    ignored: str | None
    """What was left out of every line; None where every byte counted."""
    trouble: tuple[Told, ...]
    """The first new lines that tell of errors and failures."""
    trouble_total: int | None
    """All of them; None where the new lines were too many to look at each."""
    first_new: tuple[Told, ...]
    first_gone: tuple[Told, ...]
    hunks: tuple[Hunk, ...]
    """The first of them, in order."""
    hunks_total: int
    """All of them; a stretch that only moved is one at either place."""


def compare_lines(
    before: Content,
    after: Content,
    *,
    seen_before: Seen | None = None,
    seen: Seen | None = None,
    plain: bool = False,
    cancelled: Callable[[], bool] | None = None,
    progress: Progress | None = None,
) -> LineComparison:
    """Compare two texts of any size; `seen` are ranges of these texts.

    With `plain` noise is left out. Raises `Cancelled`, and what reading raises;
    `Unreadable` where there is no room for temporary files.
    """
    gone, new = Bag(), Bag()
    kept: list[Hunk] = []
    total = 0
    try:
        with tempfile.SpooledTemporaryFile(max_size=4 << 20) as spool:
            for hunk, left, right in _merged(
                hunks(
                    before, after, plain=plain, cancelled=cancelled, progress=progress
                )
            ):
                gone.add(left)
                new.add(right)
                spool.write(_packed(hunk))
                total += 1
                if len(kept) < JUMPS:
                    kept.append(hunk)
            is_gone, is_new = cancel(gone, new)
            parts = _Parts(spool)
            first_new, new_seen = _told(after, parts.new(), is_new, seen)
            first_gone, _ = _told(before, parts.gone(), is_gone, seen_before)
            trouble, trouble_total = _trouble(after, parts.new(), is_new, seen)
            noise = None
            if not plain:
                noise = _noise(before, after, parts, is_gone, is_new)
    except OSError as error:
        reason = error.strerror or str(error)
        raise Unreadable(f"There is no room to compare: {reason}.") from error
    finally:
        gone.close()
        new.close()
    moved = new.size - is_new.count
    return LineComparison(
        _lines(after, kept, cancelled) - is_new.count,
        is_new.count,
        is_gone.count,
        moved,
        new_seen,
        noise,
        SAID if plain else None,
        trouble,
        trouble_total,
        first_new,
        first_gone,
        tuple(kept),
        total,
    )


def _lines(
    content: Content, kept: list[Hunk], cancelled: Callable[[], bool] | None
) -> int:
    """How many lines a text has; counted behind the last hunk that is known."""
    part = kept[-1].new if kept else Part(0, 0, 0, 0)
    lines, at, last = part.line + part.lines, part.end, b"\n"
    while data := content.pread(at, CHUNK):
        if cancelled is not None and cancelled():
            raise Cancelled("The comparison was stopped.")
        lines += data.count(b"\n")
        last = data[-1:]
        at += len(data)
    return lines + (last != b"\n")


def _merged(
    found: Iterator[tuple[Hunk, list[int], list[int]]],
) -> Iterator[tuple[Hunk, list[int], list[int]]]:
    """Hunks that touch as one; the hashes of a long one come in several pieces."""
    held: tuple[Hunk, list[int], list[int]] | None = None
    for hunk, left, right in found:
        if (
            held is not None
            and held[0].gone.end == hunk.gone.start
            and held[0].new.end == hunk.new.start
            and len(held[1]) + len(held[2]) < 1 << 16
        ):
            whole = Hunk(
                _joined(held[0].gone, hunk.gone), _joined(held[0].new, hunk.new)
            )
            held = (whole, held[1] + left, held[2] + right)
            continue
        if held is not None:
            yield held
        held = (hunk, left, right)
    if held is not None:
        yield held


def _joined(one: Part, two: Part) -> Part:
    return Part(one.line, one.lines + two.lines, one.start, two.end)


def _packed(hunk: Hunk) -> bytes:
    a, b = hunk.gone, hunk.new
    return _HUNK.pack(a.line, a.lines, a.start, a.end, b.line, b.lines, b.start, b.end)


class _Row(NamedTuple):
    """One line of a part."""

    number: int
    """0-based, in the part."""
    start: int
    end: int
    head: bytes
    """Its bytes; of a long line the first."""

    @property
    def whole(self) -> bool:
        """Whether `head` is all of it."""
        return len(self.head) == self.end - self.start


class _Parts:
    """Every hunk's parts, one after the other, from the file they were put into."""

    def __init__(self, spool: tempfile.SpooledTemporaryFile[bytes]) -> None:
        self._spool = spool

    def _each(self) -> Iterator[tuple[int, ...]]:
        at = 0
        while True:
            self._spool.seek(at)
            data = self._spool.read(_HUNK.size << 10)
            if not data:
                return
            yield from _HUNK.iter_unpack(data)
            at += len(data)

    def gone(self) -> Iterator[Part]:
        """The parts of the earlier text."""
        return (Part(*row[:4]) for row in self._each())

    def new(self) -> Iterator[Part]:
        """The parts of the later text."""
        return (Part(*row[4:]) for row in self._each())


def _told(
    content: Content, parts: Iterator[Part], flags: Flags, seen: Seen | None
) -> tuple[tuple[Told, ...], int | None]:
    """The first lines that are meant, and how many of all were received whole."""
    kept: list[Told] = []
    received = 0
    ordinal = 0
    for part in parts:
        touched = seen is not None and any(
            a < part.end and part.start < b for a, b in seen.ranges
        )
        if touched or len(kept) < SHOWN:
            for row in _rows(content, part):
                if not flags[ordinal + row.number]:
                    continue
                told = _one(part, row, seen)
                received += bool(told.seen)
                if len(kept) < SHOWN:
                    kept.append(told)
                elif not touched:
                    break
        ordinal += part.lines
    if seen is None or (not seen.certain and received < flags.count):
        return tuple(kept), None
    return tuple(kept), received


def _trouble(
    content: Content, parts: Iterator[Part], flags: Flags, seen: Seen | None
) -> tuple[tuple[Told, ...], int | None]:
    """The first lines meant that hold a signal word, and how many there are."""
    from spillview.content.signals import first_signal

    kept: list[Told] = []
    total = size = ordinal = 0
    for part in parts:
        size += part.end - part.start
        if size > LOOKED:
            return tuple(kept), None
        for row in _rows(content, part):
            if not flags[ordinal + row.number] or first_signal(row.head) is None:
                continue
            total += 1
            if len(kept) < SHOWN:
                kept.append(_one(part, row, seen))
        ordinal += part.lines
    return tuple(kept), total


def _one(part: Part, row: _Row, seen: Seen | None) -> Told:
    line = _line(part.line + row.number + 1, row)
    whole = None if seen is None else seen.covers(line.start, line.end)
    if whole is False and seen is not None and not seen.certain:
        whole = None
    return Told(line, whole)


def _line(number: int, row: _Row) -> Line:
    ends_in_cr = row.whole and row.head.endswith(b"\r")
    text = row.head[: 4 * TEXT].decode("utf-8", "replace")
    cut = len(text) > TEXT or len(row.head) > 4 * TEXT
    end = row.end - ends_in_cr
    return Line(number, row.start, end, text[:TEXT].removesuffix("\r"), cut)


def _rows(content: Content, part: Part) -> Iterator[_Row]:
    """The lines of a part, in order."""
    number, begin, at, head = 0, part.start, part.start, b""
    while at < part.end:
        data = content.pread(at, min(CHUNK, part.end - at))
        if not data:
            break
        pos = 0
        while (feed := data.find(b"\n", pos)) >= 0:
            end = at + feed
            yield _Row(number, begin, end, _grown(head, data[pos:feed]))
            number, begin, head, pos = number + 1, end + 1, b"", feed + 1
        head = _grown(head, data[pos:])
        at += len(data)
    if number < part.lines:
        yield _Row(number, begin, at, head)


def _grown(head: bytes, more: bytes) -> bytes:
    return (head + more)[:CHUNK] if len(head) < CHUNK else head


def _noise(
    before: Content, after: Content, parts: _Parts, is_gone: Flags, is_new: Flags
) -> int | None:
    """How many lines that are new are one that is gone but for its noise."""
    left = _without(before, parts.gone(), is_gone)
    if left is None:
        return None
    right = _without(after, parts.new(), is_new)
    return None if right is None else (left & right).total()


def _without(
    content: Content, parts: Iterator[Part], flags: Flags
) -> Counter[int] | None:
    found: Counter[int] = Counter()
    size = ordinal = 0
    for part in parts:
        size += part.end - part.start
        if size > LOOKED:
            return None
        for row in _rows(content, part):
            if row.whole and flags[ordinal + row.number]:
                found[hash(without_noise(row.head))] += 1
        ordinal += part.lines
    return found
