"""An artifact's bytes as the text a harness shows, with the way back to the bytes.

Between a file and an envelope a harness may decode with replacement characters, turn
CRLF into LF, strip colours and keep only the last frame of a progress bar. `render`
does the same to a window of the file and remembers which bytes each char came from.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from spillview.model import Range

_COLOUR = r"(?P<colour>\x1b\[[0-9;:]{0,64}[mK])"
_CRLF = r"(?P<crlf>\r\n)"
_FRAMES = r"(?P<frames>^(?:[^\r\n]*\r(?!\n))+)"
# Level 0 as decoded; 1 with CRLF as LF; 2 colours stripped too; 3 with nothing but the
# last CR frame of a line.
_EDITS = (
    None,
    re.compile(_CRLF),
    re.compile(f"{_CRLF}|{_COLOUR}"),
    re.compile(f"{_FRAMES}|{_CRLF}|{_COLOUR}", re.MULTILINE),
)


@dataclass(slots=True)
class Run:
    """Chars that stand for consecutive bytes."""

    char: int
    """Where the run begins in the text."""
    start: int
    end: int
    """Byte range in the file."""
    single: bool = False
    """True for one char that stands for all of these bytes: a CRLF, a bad sequence."""
    hole: Range | None = None
    """Bytes before the run that the text leaves out: overwritten frames."""


@dataclass(slots=True, eq=False)
class Rendered:
    """A window of a file as text.

    Bytes between two runs that are no hole are stripped colours; they go with the
    chars beside them.
    """

    text: str
    runs: list[Run] = field(default_factory=list)
    begin: int = 0
    stop: int = 0
    """Byte range of the window's whole chars."""
    encoding: str = "utf-8"
    _starts: list[int] = field(default_factory=list)

    def ranges(self, first: int, last: int) -> list[Range]:
        """The bytes that chars `[first, last)` stand for."""
        if first >= last:
            return []
        low, high = self._run_of(first), self._run_of(last - 1)
        found: list[Range] = []
        start = self._first_byte(low, first)
        for index in range(low + 1, high + 1):
            hole = self.runs[index].hole
            if hole is not None:
                if start < hole[0]:
                    found.append((start, hole[0]))
                start = hole[1]
        end = self._last_byte(high, last)
        if start < end:
            found.append((start, end))
        return found

    def pieces(self, first: int, last: int) -> Iterator[Run]:
        """The runs of chars `[first, last)`, cut to them; without holes."""
        if first >= last:
            return
        for index in range(self._run_of(first), self._run_of(last - 1) + 1):
            run = self.runs[index]
            if run.single:
                yield Run(run.char, run.start, run.end, True)
                continue
            stop = self._stop_of(index)
            a, b = max(first, run.char), min(last, stop)
            start = run.start + self._size(run.char, a)
            end = run.end if b == stop else start + self._size(a, b)
            yield Run(a, start, end)

    def _run_of(self, char: int) -> int:
        if len(self._starts) != len(self.runs):
            self._starts = [run.char for run in self.runs]
        return bisect_right(self._starts, char) - 1

    def _stop_of(self, index: int) -> int:
        """Where the run's chars end."""
        last = index + 1 == len(self.runs)
        return len(self.text) if last else self.runs[index + 1].char

    def _first_byte(self, index: int, char: int) -> int:
        run = self.runs[index]
        if char > run.char:
            return run.start + self._size(run.char, char)
        if run.hole is not None:
            return run.hole[1]
        return self.runs[index - 1].end if index else self.begin

    def _last_byte(self, index: int, char: int) -> int:
        run = self.runs[index]
        if char < self._stop_of(index):
            return run.start + self._size(run.char, char)
        if index + 1 == len(self.runs):
            return self.stop
        after = self.runs[index + 1]
        return after.hole[0] if after.hole is not None else after.start

    def _size(self, first: int, last: int) -> int:
        part = self.text[first:last]
        if self.encoding.startswith("utf-16"):
            return 2 * len(part) + 2 * sum(char > "\uffff" for char in part)
        return len(part.encode("utf-8"))


def render(
    data: bytes, offset: int, level: int, *, final: bool, encoding: str = "utf-8"
) -> Rendered:
    """`data`, which stands at `offset` in the file, as text at one of four levels.

    Without `final` an incomplete char at the end is left out. At the start of a window
    up to three bytes of a char that began before it are left out.
    """
    source = _decoded(data, offset, final, encoding)
    edit = _EDITS[level]
    if edit is None:
        return source
    result = Rendered("", [], source.begin, source.stop, source.encoding)
    out: list[str] = []
    length = at = 0
    hole: Range | None = None

    def add(run: Run, text: str) -> None:
        nonlocal length, hole
        result.runs.append(Run(length, run.start, run.end, run.single, hole))
        out.append(text)
        length += len(text)
        hole = None

    for found in edit.finditer(source.text):
        for run in source.pieces(at, found.start()):
            stop = 1 if run.single else None
            add(run, _text_of(source, run, found.start(), stop))
        at = found.end()
        kind = found.lastgroup
        if kind == "colour":
            continue
        inner = source.ranges(found.start(), found.end())
        begin, end = inner[0][0], inner[-1][1]
        if kind == "crlf":
            add(Run(0, begin, end, True), "\n")
        else:
            hole = (begin, end)
    for run in source.pieces(at, len(source.text)):
        stop = 1 if run.single else None
        add(run, _text_of(source, run, len(source.text), stop))
    result.text = "".join(out)
    if hole is not None:
        result.stop = hole[0]
    return result


def _text_of(source: Rendered, run: Run, limit: int, size: int | None) -> str:
    """The chars of a piece that ends by `limit`."""
    if size is not None:
        return source.text[run.char : run.char + size]
    index = source._run_of(run.char)
    return source.text[run.char : min(limit, source._stop_of(index))]


def _decoded(data: bytes, offset: int, final: bool, encoding: str) -> Rendered:
    """The data as text, each bad sequence a U+FFFD of its own run."""
    skipped = 0
    if encoding.startswith("utf-16"):
        name = "utf-16-be" if encoding.endswith("be") else "utf-16-le"
        bom = codecs.BOM_UTF16_BE if name.endswith("be") else codecs.BOM_UTF16_LE
        if offset == 0 and data.startswith(bom):
            skipped = 2
        try:
            text = codecs.getincrementaldecoder(name)("strict").decode(data[skipped:])
        except UnicodeDecodeError:
            return Rendered("", [], offset, offset)
        whole = Rendered(text, [], offset + skipped, 0, name)
        whole.stop = whole.begin + whole._size(0, len(text))
        if text:
            whole.runs = [Run(0, whole.begin, whole.stop)]
        return whole
    if offset > 0:
        while skipped < min(3, len(data)) and data[skipped] & 0xC0 == 0x80:
            skipped += 1
    bad: list[Range] = []

    def note(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        bad.append((error.start, error.end))
        return "\ufffd", error.end

    codecs.register_error("spillview.note", note)
    raw = data[skipped:]
    text, used = codecs.utf_8_decode(raw, "spillview.note", final)
    base = offset + skipped
    result = Rendered(text, [], base, base + used)
    char = at = 0
    for first, last in (*bad, (used, used)):
        if at < first:
            result.runs.append(Run(char, base + at, base + first))
            char += len(raw[at:first].decode("utf-8"))
        if first < last:
            result.runs.append(Run(char, base + first, base + last, True))
            char += 1
        at = last
    return result
