"""A stretch of a large text between two places where batches end, taken on its own.

One pass over the whole text comes by every such place in the same state, so that what
it finds is what passes over the stretches find together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spillview.content.content import open_content
from spillview.model import Range
from spillview.shape import joining
from spillview.shape.entered import space
from spillview.shape.frames import Frame
from spillview.shape.joining import Packed, Trail
from spillview.shape.stream import Stream
from spillview.shape.tokens import Broken
from spillview.shape.trace import Shown
from spillview.shape.tree import Tree

Key = tuple[int, int, int, int]
"""Device, inode, size, mtime."""


@dataclass(frozen=True, slots=True)
class Habit:
    """What the pass has learnt of the array that it is in."""

    separator: bytes
    comma: int
    failed: int
    ambiguous: bool
    reader: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """What a process needs to take a part of a file; it can be sent anywhere."""

    path: str
    key: Key
    """Of the file: another one at this path is not read."""
    start: int
    end: int
    array: Trail | None
    """The path of the array whose elements these are; None for documents in lines."""
    depth: int
    """Arrays and objects around that array."""
    habit: Habit | None
    maps: tuple[Trail, ...]
    """Paths whose objects are maps."""
    most_keys: int
    most_paths: int
    batch: int
    whole: int
    seen: tuple[Range, ...] | None


@dataclass(frozen=True, slots=True)
class Taken:
    """What a stretch holds."""

    end: int
    """Where the last batch ended; the pass goes on from there."""
    habit: Habit | None
    count: int
    """Elements of the array, or documents."""
    tree: Packed
    invalid: int | None
    twice: int
    broken: tuple[int, str, bool] | None
    broken_lines: int


class Part(Stream):
    """A pass that begins and ends inside the text."""

    def take(self, stretch: Stretch) -> Taken | None:
        """Take the stretch; None when it cannot be taken apart from what is around."""
        at = self.entered
        at.at = stretch.start
        for trail in stretch.maps:
            joining.node_at(self.tree, trail).mapped = True
        frame = None
        if stretch.array is not None and stretch.habit is not None:
            node = joining.node_at(self.tree, stretch.array)
            around = Frame("array", self.tree.root, 0, 0)
            frame = Frame("array", node, 0, stretch.depth, comma=True)
            resume(frame, stretch.habit)
            at.frames = [*[around] * stretch.depth, frame]
        base = len(at.frames)
        while at.at < stretch.end or not _rests(at.frames, base):
            if not self.next() or len(at.frames) < base:
                return None
        if set(joining.mapped(self.tree)) != set(stretch.maps):
            return None
        broken = self.broken
        return Taken(
            at.at,
            None if frame is None else habit(frame),
            self.documents if frame is None else frame.count,
            joining.packed(self.tree),
            self.invalid,
            self.twice,
            None if broken is None else (broken.offset, broken.message, broken.ended),
            self.broken_lines,
        )


def _rests(frames: list[Frame], base: int) -> bool:
    """Whether the next step takes members of the same array, or further lines."""
    return len(frames) == base and (not frames or frames[-1].comma)


def habit(frame: Frame) -> Habit:
    """What was learnt of an array."""
    return Habit(*frame.learnt.facts, frame.reader)


def resume(frame: Frame, known: Habit) -> None:
    """Go on with what was learnt."""
    frame.learnt.facts = (known.separator, known.comma, known.failed, known.ambiguous)
    frame.reader = known.reader


def take(stretch: Stretch) -> Taken | None:
    """What a stretch of a file holds: a plain function, to be mapped over an executor.

    None when it cannot be told without what comes before, or the file has changed.
    Raises what reading raises.
    """
    with open_content(stretch.path) as content:
        if content.key != stretch.key:
            return None
        part = Part(
            content,
            lines=stretch.array is None,
            shown=Shown(stretch.seen),
            batch=stretch.batch,
            whole=stretch.whole,
            tree=Tree(most_keys=stretch.most_keys, most_paths=stretch.most_paths),
        )
        try:
            return part.take(stretch)
        finally:
            part.entered.close()


def ends(stream: Stream) -> Iterator[int]:
    """Where the stream's next batches will end, if all is as it was before."""
    at = stream.entered
    content, batch = at.content, at.batch
    frame = at.frames[-1] if at.frames else None
    place = at.at
    while place + batch < at.size:
        data = content.pread(place, batch)
        blank = space(data)
        if blank:
            place += blank
            continue
        cut = frame.learnt.guess(data) if frame is not None else data.rfind(b"\n")
        if cut < 0:
            return
        place += cut + 1
        yield place


def join(stream: Stream, taken: Taken) -> bool:
    """Add what follows at the stream's place; False when that cannot be done."""
    if not joining.join(stream.tree, taken.tree):
        return False
    at = stream.entered
    at.at = taken.end
    at.twice += taken.twice
    if taken.habit is None:
        stream.documents += taken.count
    else:
        at.frames[-1].count += taken.count
        resume(at.frames[-1], taken.habit)
    if taken.invalid is not None and stream.invalid is None:
        at.batches.invalid = taken.invalid
    if taken.broken is not None and stream.broken is None:
        offset, message, ended = taken.broken
        stream.broken = Broken(offset, message, ended=ended)
    stream.broken_lines += taken.broken_lines
    return True
