"""Arrays and objects larger than a part of the text, taken in batches of members."""

from __future__ import annotations

import re
from typing import NoReturn

from spillview.model import Range
from spillview.shape import giants
from spillview.shape.batches import complete
from spillview.shape.columns import LongString
from spillview.shape.cuts import Boundary, boundary
from spillview.shape.entered import Entered, space
from spillview.shape.exact import read, string
from spillview.shape.frames import Frame
from spillview.shape.numbers import LONGEST, Endless
from spillview.shape.parsing import PLAIN, Values
from spillview.shape.tokens import (
    NUMBER,
    STRING_BODY,
    TOKEN,
    WORD,
    Broken,
    Inside,
    shown_at,
)
from spillview.shape.trace import spans
from spillview.shape.tree import Node, Origin

BATCH = 1 << 17
"""Bytes that are parsed together; more would leave the processor's cache."""

WHOLE = 1 << 20
"""Bytes up to which a member is parsed in one go."""

_KEY = re.compile(rb'[ \t\r\n]*+("' + STRING_BODY + rb'")[ \t\r\n]*+:[ \t\r\n]*+')


class Containers(Entered):
    """Takes members of the innermost container, and enters those that are large."""

    # -- a step ----------------------------------------------------------------------

    def step(self) -> None:
        """Take the next batch of the innermost container, or enter or leave one.

        Raises `Broken`.
        """
        frame = self.frames[-1]
        byte = self.skip()
        if byte < 0:
            raise self._ended_inside()
        if frame.after:
            if byte == 0x2C:
                self.at += 1
                frame.after, frame.comma = False, True
            elif byte == frame.closer:
                self.closed = self.leave()
            else:
                self._refuse("a comma or a closing bracket")
            return
        if byte == frame.closer and not frame.comma:
            self.closed = self.leave()
            return
        data = self.read(self.batch)
        if not self._guessed(frame, data):
            self._exactly(frame, data)

    def _refuse(self, expected: str) -> NoReturn:
        if self.at >= self.size:
            raise self._ended_inside()
        shown = shown_at(self.read(4), 0)
        raise Broken(self.at, f"{expected} is expected here, not {shown}", ended=False)

    def _ended_inside(self) -> Broken:
        name = self.frames[-1].name
        return Broken(self.size, f"the text ends inside {name}", ended=True)

    def _guessed(self, frame: Frame, data: bytes) -> bool:
        """Take a batch up to where such batches have ended before."""
        cut = frame.learnt.guess(data)
        if cut < 0:
            return False
        part = data[:cut]
        for reader in range(frame.reader + 1):
            values = self.batches.take(
                part, self.at, frame.inside, frame.node, frame.depth + 1, reader
            )
            if values is not None:
                frame.learnt.right()
                self._took(frame, part, values)
                self.at += cut + 1
                frame.comma = True
                return True
        frame.learnt.wrong()
        return False

    def _exactly(self, frame: Frame, data: bytes) -> None:
        """Take a batch up to where it certainly can end, or enter its first member."""
        found = boundary(data)
        ends = self.at + len(data) >= self.size
        if found.close < 0 and found.comma < 0 and not ends:
            data = self.read(self.whole)
            found = boundary(data)
            ends = self.at + len(data) >= self.size
        if found.close >= 0:
            if data[: found.close].strip(b" \t\r\n"):
                part = data[: found.close + 1]
                self._take(frame, part, self.at, closed=True)
            else:  # the right bracket would have been met before
                self.at += found.close
                self._refuse(
                    "a value" if frame.inside == "array" else "a key in quotes"
                )
            self.at += found.close
            self.closed = self.leave()
        elif found.comma >= 0:
            self._take(frame, data[: found.comma], self.at)
            self.at += found.comma + 1
            frame.comma = True
            frame.learnt.learn(data, found.comma)
        elif ends:
            self._take(frame, data, self.at, whole=False)
            raise self._ended_inside()
        else:
            self._descend(frame, data, found)

    def _take(
        self,
        frame: Frame,
        data: bytes,
        base: int,
        *,
        whole: bool = True,
        closed: bool = False,
    ) -> None:
        """Take members of `frame`; with `closed` its bracket is the last byte.

        Raises `Broken`, with everything before the break taken.
        """
        members = data[:-1] if closed and data[-1] == frame.closer else data
        values, reader, broken = self.batches.take_any(
            members, base, frame.inside, frame.node, frame.depth + 1, whole=whole
        )
        self._took(frame, members, values, whole=whole)
        if broken is None:
            frame.reader = min(reader, PLAIN)
            return
        if broken.ended and broken.offset < self.size:  # what follows is wrong there
            more = self.content.pread(base, len(members) + 64)
            further = read(more, frame.inside, whole=False).broken
            assert further is not None
            broken = Broken(base + further.offset, further.message, ended=False)
        raise broken

    def _took(
        self, frame: Frame, part: bytes, values: Values, *, whole: bool = True
    ) -> None:
        """Count the members of a batch."""
        if frame.keys is not None:
            frame.keys.add(values)
        else:
            frame.count += complete(values)
        sample = frame.sample
        if sample is not None and sample.wanted:
            for start, end in spans(part, frame.inside, sample.wanted, whole=whole):
                sample.add(part[start:end])

    # -- members larger than a part --------------------------------------------------

    def _descend(self, frame: Frame, data: bytes, found: Boundary) -> None:
        """Enter the member that `data` begins with, which does not end in it."""
        base = self.at
        at = 0
        entered = False
        for opened, comma in zip(found.opens, found.commas, strict=True):
            if entered and (len(data) - opened) * 2 < len(data):
                break  # small enough to be met again from its beginning
            node = self._header(frame, data, at, opened, base)
            frame = self.enter(node, data[opened], base + opened)
            entered = True
            at = opened + 1
            if comma >= 0:
                self._take(frame, data[at:comma], base + at)
                frame.comma = True
                at = comma + 1
        if entered:
            self.at = base + at
        else:
            self._giant(frame)

    def _header(
        self, frame: Frame, data: bytes, at: int, opened: int, base: int
    ) -> Node:
        """The node of the member at `at`, a container whose bracket is at `opened`."""
        start = at + space(data, at)
        if frame.inside == "array":
            if start == opened:
                return self._node(frame, None, base + start)
        else:
            match = _KEY.match(data, at)
            if match is not None and match.end() == opened:
                key = (base + match.start(1), base + match.end(1))
                return self._node(frame, string(match[1]), base + start, key)
        self._take(frame, data[at : opened + 1], base + at, whole=False)
        raise AssertionError("what is no header is no JSON")

    def _node(
        self, frame: Frame, key: str | None, start: int, place: Range | None = None
    ) -> Node:
        """The node of a member of `frame` that begins (with its key) at `start`."""
        above = frame.node.current()
        self.tree.origin = Origin(start, start, frame.inside, above, exact=True)
        if key is None:
            node = above.elements()
        else:
            assert frame.keys is not None
            frame.keys.add((key,))
            node = above.child(key)
            self.batches.show_key(node, place)
        self.tree.note(Origin(start, start, frame.inside, node, exact=True))
        return node

    def _giant(self, frame: Frame) -> None:
        """Take the member at the current byte, a long string or number perhaps."""
        start = self.at
        key = place = None
        if frame.inside == "object":
            if self.skip() != 0x22:
                self._refuse("a key in quotes")
            named = self._string()
            key, place = named.head, (named.start, named.end)
            if named.chars > len(key):
                key = f"{key[:200]}…({named.chars:,} characters)"
                self.tree.long_keys += 1
            self.at = named.end
            if self.skip() != 0x3A:
                self._refuse("a colon")
            self.at += 1
        byte = self.skip()
        node = self._node(frame, key, start, place)
        self.value(node, byte, frame.depth + 1)
        if frame is self.frames[-1]:
            self.ended(frame, start)

    def value(self, node: Node, byte: int, depth: int) -> None:
        """Take or enter the value at the current byte, which is `byte`."""
        start = self.at
        if byte in (0x5B, 0x7B):
            self.enter(node, byte, start)
            return
        if byte == 0x22:
            found = self._string()
            value = LongString(found.chars, found.head)
            self.batches.take_value(value, node, depth, start, found.end)
            self.at = found.end
        else:
            self._plain(node, depth)

    def _string(self) -> giants.Giant:
        found = giants.string_at(self.content, self.at, cancelled=self.cancelled)
        if self.batches.invalid is None:
            self.batches.invalid = found.invalid
        return found

    def _plain(self, node: Node, depth: int) -> None:
        """Take the number or word at the current byte."""
        start = self.at
        token = self.read(LONGEST + 2)
        if not token and self.frames:
            raise self._ended_inside()
        match = TOKEN.match(token)
        kind = match.lastindex if match is not None else None
        if match is None or kind not in (NUMBER, WORD):
            raise self._broken(token)
        follows = token[match.end() : match.end() + 1]
        alone = not self.frames and follows not in (b"", b" ", b"\t", b"\r", b"\n")
        if alone or (kind == NUMBER and follows in (b".", b"e", b"E")):
            raise self._broken(token)
        value: object
        end = start + match.end()
        if kind == NUMBER and match.end() > LONGEST:
            found = giants.number_at(self.content, start, cancelled=self.cancelled)
            value, end = Endless(found.chars), found.end
        else:
            [value] = read(match[0], "array").values
        if kind == NUMBER and self.frames and end >= self.size:
            raise Broken(self.size, "the text ends inside a number", ended=True)
        self.batches.take_value(value, node, depth, start, end)
        self.at = end

    def _broken(self, token: bytes) -> Broken:
        """Why the text at the current byte, which begins with `token`, is no value."""
        inside: Inside = "array" if self.frames else "documents"
        broken = read(token, inside, whole=False).broken
        assert broken is not None
        return Broken(self.at + broken.offset, broken.message, ended=broken.ended)
