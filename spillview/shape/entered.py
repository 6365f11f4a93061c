"""Where in the text the pass is, and the containers it has entered there."""

from __future__ import annotations

import re
from collections.abc import Callable

from spillview.content.content import Content
from spillview.shape.batches import Batches
from spillview.shape.frames import Frame
from spillview.shape.keys import Keys
from spillview.shape.tokens import Broken
from spillview.shape.tree import Node, Origin

MOST_OPEN = 100_000
"""Containers that can be entered one inside the other."""

_SPACE = re.compile(rb"[ \t\r\n]*+")


class Entered:
    """The containers entered at the moment, outermost first, and the current byte."""

    def __init__(
        self,
        content: Content,
        batches: Batches,
        *,
        batch: int,
        whole: int,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self.content = content
        self.size = content.size
        self.batches = batches
        self.tree = batches.tree
        self.cancelled = cancelled
        self.batch = batch
        self.whole = whole
        self.at = 0
        """The byte at which the pass goes on."""
        self.frames: list[Frame] = []
        self.twice = 0
        """Duplicate keys of objects that were entered: all their values count."""
        self.closed: Frame | None = None
        """The frame that was left last."""

    # -- the text --------------------------------------------------------------------

    def read(self, length: int) -> bytes:
        """The next bytes."""
        return self.content.pread(self.at, length)

    def skip(self) -> int:
        """Step over white space; gives the byte that follows, -1 at the end."""
        length = 64
        while data := self.read(length):
            end = space(data)
            self.at += end
            if end < len(data):
                return data[end]
            length = self.batch
        return -1

    # -- entering and leaving --------------------------------------------------------

    def enter(self, node: Node, bracket: int, start: int) -> Frame:
        """Enter the container whose bracket is at byte `start`."""
        if len(self.frames) >= MOST_OPEN:
            raise Broken(
                start,
                f"arrays and objects nested more than {MOST_OPEN:,} deep are not"
                " followed",
                ended=False,
            )
        depth = len(self.frames)
        node = node.current()
        if bracket == 0x5B:
            frame = Frame("array", node, start, depth)
            node.arrays += 1
        else:
            frame = Frame("object", node, start, depth, keys=Keys())
            node.objects += 1
        self.tree.depth = max(self.tree.depth, depth + 1)
        self.frames.append(frame)
        self.tree.note(Origin(start, start + 1, frame.inside, node, exact=True))
        self.at = start + 1
        return frame

    def leave(self) -> Frame:
        """Leave the innermost container; its bracket is at the current byte."""
        frame = self.frames.pop()
        self.at += 1
        node = frame.node.current()
        if frame.keys is not None:
            frame.count = frame.keys.distinct()
            self.twice += frame.keys.added - frame.count
            self.tree.duplicates += frame.keys.added - frame.count
            frame.keys.close()
        node.measure(frame.count, frame.count)
        if self.batches.shown.covers(frame.start, self.at):
            node.seen += 1
        if self.frames:
            self.ended(self.frames[-1], frame.start)
        return frame

    def ended(self, frame: Frame, start: int) -> None:
        """A member of `frame` that was not parsed whole ends at the current byte."""
        self.tree.note(Origin(self.at, self.at, frame.inside, frame.node, exact=True))
        if frame.inside == "array":
            frame.count += 1
        frame.after, frame.comma = True, False
        if frame.sample is not None:
            frame.sample.add_range(self.content, start, self.at)

    def abandon(self) -> None:
        """Leave everything because the text breaks: it stays open."""
        for frame in self.frames:
            frame.node.current().open += 1
        self.close()

    def close(self) -> None:
        """Give back what frames hold."""
        for frame in self.frames:
            if frame.keys is not None:
                frame.keys.close()
        self.frames.clear()


def space(data: bytes, at: int = 0) -> int:
    """How many bytes of white space follow at `at`."""
    match = _SPACE.match(data, at)
    assert match is not None
    return match.end() - at
