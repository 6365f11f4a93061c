"""One pass over all of a text: its documents, one after the other.

Memory is bounded by a part of the text. What is smaller than a part is parsed in one
go; a larger container is entered, and its members are taken in batches.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from spillview.content.content import Content
from spillview.errors import Cancelled
from spillview.shape.batches import Batches, Collect, complete
from spillview.shape.containers import BATCH, WHOLE, Containers
from spillview.shape.cuts import boundary
from spillview.shape.entered import space
from spillview.shape.exact import read
from spillview.shape.parsing import FAST, PLAIN, Refused, collection_off, parse
from spillview.shape.samples import Sample
from spillview.shape.tokens import Broken, shown_at
from spillview.shape.trace import Shown, spans
from spillview.shape.tree import Node, Tree

Progress = Callable[[int, int], None]
"""Called with (bytes done, bytes in all)."""

_OPENERS = b"[{"
_BEGINS = b'[{"-0123456789tfnNI'
"""What a document can begin with."""

_LONG = b'[{"'
_SHORT = re.compile(rb"-?[0-9][0-9.eE+-]*+|true|false|null|NaN|-?Infinity")
_BLANK = b" \t\r\n"


class Stream:
    """A pass over `content`; after `run` the tree and these facts are complete."""

    def __init__(
        self,
        content: Content,
        *,
        begin: int = 0,
        lines: bool = False,
        shown: Shown | None = None,
        cancelled: Callable[[], bool] | None = None,
        progress: Progress | None = None,
        batch: int = BATCH,
        whole: int = WHOLE,
        tree: Tree | None = None,
    ) -> None:
        """`begin` is the byte after a byte order mark; with `lines` each line is
        expected to be a document, not only what follows after the first one."""
        self.tree = Tree() if tree is None else tree
        self._batches = Batches(self.tree, shown if shown is not None else Shown(None))
        self.entered = Containers(
            content, self._batches, batch=batch, whole=whole, cancelled=cancelled
        )
        """Where the pass is."""
        self.entered.at = self._begun = begin
        self._content = content
        self._size = content.size
        self._lines = lines
        self._cancelled = cancelled
        self._progress = progress
        self.documents = 0
        """Documents that the text holds to the end."""
        self.items: int | None = None
        """Elements of the first document; None when it is no array."""
        self.broken: Broken | None = None
        """The first place where the text is no JSON."""
        self.broken_lines = 0
        """Lines that are no JSON, among or after documents."""
        self.lines_follow = False
        """Whether the pass ended in the first of many lines, which breaks: all of them
        should be read as lines then."""
        self.sample = Sample()
        """The first elements of the first document, if it is an array."""
        self.documents_sample = Sample()

    @property
    def invalid(self) -> int | None:
        """The first byte that is no UTF-8."""
        return self._batches.invalid

    @property
    def lines(self) -> bool:
        """Whether each line is expected to be a document."""
        return self._lines

    @property
    def twice(self) -> int:
        """Duplicate keys of objects too large to be parsed whole: all values count."""
        return self.entered.twice

    def watch(self, path: Node, collect: Collect) -> None:
        """Give the objects at a path, known from an earlier pass, to `collect`."""
        above = []
        while path.parent is not None:
            above.append((path.parent.mapped, path.key))
            path = path.parent
        node = self.tree.root
        for mapped, key in reversed(above):
            if mapped:
                node.to_map()
            node = node.elements() if key is None else node.child(key)
        self._batches.target = node
        self._batches.collect = collect

    def run(self, before: Callable[[], None] = lambda: None) -> None:
        """Read all of the text; `before` each part something else may take some of it.

        Raises `Cancelled`, and what reading raises.
        """
        try:
            while True:
                before()
                if not self.next():
                    break
                if self._cancelled is not None and self._cancelled():
                    raise Cancelled("The outline was stopped.")
                if self._progress is not None:
                    self._progress(self.entered.at, self._size)
        finally:
            self.entered.close()

    def next(self) -> bool:
        """Take the next part of the text; False at its end, and where it breaks."""
        # Off until what was parsed is let go, too.
        with collection_off():
            return self._step()

    def _step(self) -> bool:
        at = self.entered
        if not at.frames:
            byte = at.skip()
            if byte < 0:
                return False
            if self.documents or self._lines:
                self._next_documents(byte)
                return True
        try:
            if at.frames:
                at.step()
                if not at.frames:
                    self._left()
            else:
                self._begin(byte)
        except Broken as error:
            self._note(error)
            array = at.frames[0] if at.frames else None
            if array is not None and self.documents == 0 and array.inside == "array":
                self.items = array.count
            at.abandon()
            if not self._lines:
                self.lines_follow = self._lines_follow(error.offset)
                return False
            self.broken_lines += 1
            at.at = self._next_line(error.offset)
        return True

    def _lines_follow(self, offset: int) -> bool:
        """Whether the text broke in its first line and the next one is a document."""
        line = self._next_line(self._begun)
        if self.documents or not offset < line < self._size:
            return False
        data = self._content.pread(line, self.entered.batch)
        following = data.partition(b"\n")[0].strip(_BLANK)
        return following[:1] in (b"[", b"{") and _is_document(following)

    def _note(self, error: Broken) -> None:
        if self.broken is None:
            self.broken = error

    # -- documents taken part by part ------------------------------------------------

    def _begin(self, byte: int) -> None:
        """Enter the document that begins at the current byte."""
        at = self.entered
        start = at.at
        if byte not in _OPENERS:
            at.value(self.tree.root, byte, 0)
            self.documents_sample.add_range(self._content, start, at.at)
            self.documents += 1
            return
        frame = at.enter(self.tree.root, byte, start)
        if self.documents == 0 and frame.inside == "array":
            frame.sample = self.sample

    def _left(self) -> None:
        """A document that was entered has ended."""
        frame = self.entered.closed
        assert frame is not None
        if self.documents == 0 and frame.inside == "array":
            self.items = frame.count
        self.documents += 1
        self.documents_sample.add_range(self._content, frame.start, self.entered.at)

    # -- documents in lines ----------------------------------------------------------

    def _next_documents(self, byte: int) -> None:
        """Take the documents of some lines; enter one that is larger."""
        self._lines = True
        at = self.entered
        data = at.read(at.batch)
        end = self._end_of_lines(data)
        if end < 0:
            data = at.read(at.whole)
            end = self._end_of_lines(data)
        if end < 0:
            if byte in _BEGINS:
                self._begin_or_skip(byte)
            else:
                self._skip_line(at.at)
            return
        part = data[:end]
        if self._take(part):
            at.at += end
            return
        spread = part.rfind(b"}\n{")
        if spread >= 0 and self._take(part[: spread + 1]):
            at.at += spread + 1
            return
        self._one_by_one(part)

    def _end_of_lines(self, data: bytes) -> int:
        if self.entered.at + len(data) >= self._size:
            return len(data)
        return data.rfind(b"\n") + 1 or -1

    def _begin_or_skip(self, byte: int) -> None:
        start = self.entered.at
        try:
            self._begin(byte)
        except Broken as error:
            self._note(error)
            self.entered.abandon()
            self.broken_lines += 1
            self.entered.at = self._next_line(max(start, error.offset))

    def _skip_line(self, start: int) -> None:
        """Pass over a line that does not begin as a document."""
        self._note(
            Broken(
                start,
                "a JSON document is expected here, not"
                f" {shown_at(self._content.pread(start, 4), 0)}",
                ended=False,
            )
        )
        self.broken_lines += 1
        self.entered.at = self._next_line(start)

    def _next_line(self, offset: int) -> int:
        while data := self._content.pread(offset, self.entered.batch):
            feed = data.find(b"\n")
            if feed >= 0:
                return offset + feed + 1
            offset += len(data)
        return self._size

    def _take(self, part: bytes) -> bool:
        """Take whole documents; False when the quick readers do not see them so."""
        base = self.entered.at
        for reader in (FAST, PLAIN):
            values = self._batches.take(part, base, "documents", None, 0, reader)
            if values is not None:
                self._took(part, len(values))
                return True
        return False

    def _took(self, part: bytes, count: int) -> None:
        self.documents += count
        if wanted := self.documents_sample.wanted:
            for start, end in spans(part, "documents", wanted):
                self.documents_sample.add(part[start:end])

    def _one_by_one(self, part: bytes) -> None:
        """Take runs of lines that are documents, and pass over the others."""
        base = self.entered.at
        run = at = 0
        while at < len(part):
            end = part.find(b"\n", at) + 1 or len(part)
            line = part[at:end].strip(_BLANK)
            if not line or _is_document(line):
                at = end
                continue
            self._take_run(part[run:at], base + run)
            self.entered.at = base + at + space(part, at)
            broken = read(part[at:end], "documents", whole=False).broken
            goes_on = broken is None or broken.ended
            if goes_on and line[0] in _OPENERS and self._over_lines():
                return
            self._broken_line(part[at:end], base + at, broken)
            run = at = end
        self._take_run(part[run:], base + run)
        self.entered.at = base + len(part)

    def _take_run(self, part: bytes, base: int) -> None:
        if part.strip(_BLANK):
            values, _, _ = self._batches.take_any(part, base, "documents", None, 0)
            self._took(part, len(values))

    def _over_lines(self) -> bool:
        """Take or enter a document of several lines; False when there is none."""
        at = self.entered
        data = at.read(at.whole)
        found = boundary(data[1:])
        if found.close < 0:
            if at.at + len(data) >= self._size or b"\n" not in data:
                return False
            broken = read(data, "documents", whole=False).broken
            if broken is not None and not broken.ended:
                return False
            at.enter(self.tree.root, data[0], at.at)
            return True
        document = data[: found.close + 2]
        if not _is_document(document):
            return False
        self._take_run(document, at.at)
        at.at += len(document)
        return True

    def _broken_line(self, line: bytes, base: int, broken: Broken | None) -> None:
        """Note a line that is no JSON; of the last one take what there is."""
        last = base + len(line) >= self._size
        if broken is None or (broken.ended and last):
            values, _, _ = self._batches.take_any(
                line, base, "documents", None, 0, whole=False
            )
            self.documents += complete(values)
        if broken is None:  # several documents in one line
            return
        self.broken_lines += 1
        self._note(Broken(base + broken.offset, broken.message, ended=broken.ended))


def _is_document(line: bytes) -> bool:
    """Whether `line`, which is not blank, is one JSON document."""
    if line[0] not in _LONG and not _SHORT.fullmatch(line):
        return False
    for reader in (FAST, PLAIN):
        try:
            return len(parse(line, "array", reader)) == 1
        except Refused:
            continue
    exact = read(line, "documents")
    return exact.broken is None and len(exact.values) == 1
