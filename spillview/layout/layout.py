"""One segment of text laid out as rows of cells, with what each character stands for.

Control bytes never pass: they are drawn as pictures, left out, or (SGR) as colours.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise

from spillview.hints import Literal
from spillview.layout.cells import VS16, char_width, text_width
from spillview.named import NamedTuple
from spillview.text import printable

Escapes = Literal["shown", "hidden", "colour"]
"""What becomes of escape sequences: pictures, nothing, or SGR as colours."""

TAB = 8

Kind = Literal["control", "note"]


@dataclass(frozen=True, slots=True)
class Sgr:
    """The look that SGR sequences asked for; colours as names, numbers or `#rrggbb`."""

    foreground: str | int | None = None
    background: str | int | None = None
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    reverse: bool = False
    strike: bool = False


class Span(NamedTuple):
    """Characters `[start, end)` of a row's text that are drawn in their own way."""

    start: int
    end: int
    kind: Kind | Sgr


class Piece(NamedTuple):
    """From `index` on, each character stands for `step` bytes, counted from `byte`.

    With step 0 all of the piece stands for one thing: a tab, a cluster, a picture.
    """

    at: int
    byte: int
    step: int


@dataclass(slots=True)
class Laid:
    """One row as it is laid out; `[start, end)` are bytes."""

    start: int
    end: int = 0
    text: str = ""
    spans: tuple[Span, ...] = ()
    pieces: tuple[Piece, ...] = ()
    frames: int = 0


_ESCAPE = (
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
RUNS: dict[str, tuple[str, int, int]] = {
    "ascii": (" -~", 1, 1),
    "letters": ("\u00a1-\u00ac\u00ae-\u02ff\u0391-\u03a1\u0400-\u0482", 1, 2),
    "boxes": ("\u2018-\u201f\u2026\u2500-\u259f", 1, 3),
    "wide": ("\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60", 2, 3),
}
"""Characters that are laid out many at a time: a class, their cells, their bytes."""

_CONTROLS = "\x00-\x08\x0a-\x1a\x1c-\x1f\x7f"
_TOKEN = "|".join(
    [
        *(f"(?P<{name}>[{chars}]+(?!{VS16}))" for name, (chars, _, _) in RUNS.items()),
        f"(?P<controls>[{_CONTROLS}]+)",
        f"(?P<pair>.{VS16})",
        "(?P<any>.)",
    ]
)
_PLAIN = re.compile(_TOKEN, re.DOTALL)
_STRIP = re.compile(rf"(?P<esc>{_ESCAPE})|{_TOKEN}", re.DOTALL)
_SGR = re.compile(r"(?:\x1b\[|\x9b)([0-9;:]*)m\Z")
_BLANK = re.compile(rf"(?:{_ESCAPE}|[ \t\r\0])*\Z")
_SIMPLE = re.compile(rb"[ -~]*(\r?\n)?\Z")
_NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


def lone_return(data: bytes) -> bool:
    """Whether a carriage return in `data` is followed by anything but the line end."""
    return b"\r" in data and b"\r" in data.removesuffix(b"\n").rstrip(b"\r")


def lay_out(
    data: bytes,
    base: int,
    end: int,
    width: int | None,
    escapes: Escapes,
    *,
    collapse: bool,
    hidden: int = 0,
) -> list[Laid]:
    """The rows of a segment whose bytes `data` begin at `base`; at least one.

    `width` None lays all out as one row. The last row ends at `end`, the others
    where the next begins. `collapse` keeps the last frame of a progress bar, and
    `hidden` frames were left out before this segment.
    """
    if not hidden and _SIMPLE.match(data):
        rows = _lay_simple(data, base, width, collapse)
    else:
        rows = _lay_any(data, base, width, escapes, collapse, hidden)
    for before, after in pairwise(rows):
        before.end = after.start
    rows[-1].end = end
    return rows


def _lay_simple(
    data: bytes, base: int, width: int | None, collapse: bool
) -> list[Laid]:
    """Printable ASCII: a character is a byte and a cell."""
    text = data.decode("ascii").removesuffix("\n")
    if collapse:
        text = text.removesuffix("\r")
    elif text.endswith("\r"):
        return _lay_any(data, base, width, "shown", collapse, 0)
    step = width or max(1, len(text))
    return [
        Laid(base + at, text=text[at : at + step], pieces=(Piece(0, base + at, 1),))
        for at in range(0, max(1, len(text)), step)
    ]


def _lay_any(
    data: bytes,
    base: int,
    width: int | None,
    escapes: Escapes,
    collapse: bool,
    hidden: int,
) -> list[Laid]:
    body = data.removesuffix(b"\n")
    frames = hidden
    offset = 0
    if collapse:
        body = body.rstrip(b"\r")
        if b"\r" in body:
            offset, stop, left_out = _last_frame(body)
            body = body[offset:stop]
            frames += left_out
    text = body.decode("utf-8", "surrogateescape")
    rows = _Rows(base, width)
    if frames:
        rows.frames = frames
        rows.put_note(f"↻{frames:,} ", base)
    pattern = _PLAIN if escapes == "shown" else _STRIP
    at = base + offset
    for match in pattern.finditer(text):
        kind = match.lastgroup
        part = match.group()
        size = len(part.encode("utf-8", "surrogateescape"))
        if kind in RUNS:
            _, cells, step = RUNS[kind]
            rows.put_run(part, at, cells, step)
        elif kind == "controls":
            rows.put_run(printable(part), at, 1, 1, "control")
        elif kind == "esc":
            if escapes == "colour":
                rows.look = _styled(rows.look, part)
        elif part == "\t":
            rows.put_tab(at)
        elif kind == "pair" and _drawn_as_is(part[0]):
            rows.put(part, 2, at, False)
        else:
            for char in part:
                shown, wide, control = _visible(char)
                rows.put(shown, wide, at, control)
                at += len(char.encode("utf-8", "surrogateescape"))
            continue
        at += size
    return rows.finished()


def _last_frame(body: bytes) -> tuple[int, int, int]:
    """Start and end of the last frame that shows something, and the number before."""
    stop = len(body)
    total = body.count(b"\r")
    at = total
    while True:
        start = body.rfind(b"\r", 0, stop) + 1
        text = body[start:stop].decode("utf-8", "surrogateescape")
        if start == 0 or not _BLANK.match(text):
            break
        stop = start - 1
        at -= 1
    if start == 0 and _BLANK.match(text):
        start = body.rfind(b"\r") + 1
        return start, len(body), total
    return start, stop, at


@lru_cache(maxsize=8192)
def _visible(char: str) -> tuple[str, int, bool]:
    """A character as it is drawn, its cells, and whether a picture replaces it."""
    shown = "\ufffd" if char == VS16 else printable(char)
    if shown == char:
        return char, char_width(char), False
    return shown, text_width(shown), True


def _drawn_as_is(char: str) -> bool:
    _, cells, control = _visible(char)
    return cells > 0 and not control


@dataclass(slots=True)
class _Rows:
    """The rows so far and the one being filled."""

    base: int
    width: int | None
    frames: int = 0
    look: Sgr | None = None
    rows: list[Laid] = field(default_factory=list)
    _start: int = -1
    _text: list[str] = field(default_factory=list)
    _length: int = 0
    _cells: int = 0
    _pieces: list[Piece] = field(default_factory=list)
    _spans: list[Span] = field(default_factory=list)

    def _close(self, byte: int) -> None:
        start = self.base if not self.rows else self._start
        self.rows.append(
            Laid(
                start,
                text="".join(self._text),
                spans=tuple(self._spans),
                pieces=tuple(self._pieces),
                frames=self.frames if not self.rows else 0,
            )
        )
        self._start = byte
        self._text, self._pieces, self._spans = [], [], []
        self._length = self._cells = 0

    def finished(self) -> list[Laid]:
        if self._text or not self.rows:
            self._close(-1)
        return self.rows

    def _append(
        self, text: str, cells: int, piece: Piece, kind: Kind | Sgr | None
    ) -> None:
        if kind is not None:
            start, end = self._length, self._length + len(text)
            if self._spans and self._spans[-1][1:] == (start, kind):
                self._spans[-1] = Span(self._spans[-1].start, end, kind)
            else:
                self._spans.append(Span(start, end, kind))
        last = self._pieces[-1] if self._pieces else None
        linear = last is not None and last.step == piece.step and piece.step > 0
        if (
            last is None
            or not linear
            or last.byte + (piece.at - last.at) * last.step != piece.byte
        ):
            self._pieces.append(piece)
        self._text.append(text)
        self._length += len(text)
        self._cells += cells

    def put_note(self, text: str, byte: int) -> None:
        """Text of ours at the row's start; it stands for bytes that are left out."""
        self._append(text, text_width(text), Piece(0, byte, 0), "note")

    def put(self, text: str, cells: int, byte: int, control: bool) -> None:
        """One drawn character with its cells."""
        if self.width is not None and cells and self._cells + cells > self.width:
            self._close(byte)
        self._append(
            text,
            cells,
            Piece(self._length, byte, 0),
            "control" if control else self.look,
        )

    def put_run(
        self, text: str, byte: int, cells: int, step: int, kind: Kind | None = None
    ) -> None:
        """Characters of the same width and size; a row is filled at a time."""
        at = 0
        while at < len(text):
            room = len(text) - at
            if self.width is not None:
                room = (self.width - self._cells) // cells
                if room <= 0:
                    self._close(byte + at * step)
                    continue
            part = text[at : at + room]
            self._append(
                part,
                len(part) * cells,
                Piece(self._length, byte + at * step, step),
                kind or self.look,
            )
            at += len(part)

    def put_tab(self, byte: int) -> None:
        """A tab, drawn as the spaces it takes."""
        if self.width is not None and self._cells >= self.width:
            self._close(byte)
        cells = TAB - self._cells % TAB
        if self.width is not None:
            cells = min(cells, self.width - self._cells)
        self._append(" " * cells, cells, Piece(self._length, byte, 0), self.look)


def _styled(look: Sgr | None, escape: str) -> Sgr | None:
    """The look after one more escape sequence; unchanged unless it is SGR."""
    match = _SGR.match(escape)
    if match is None:
        return look
    codes = [int(code or 0) for code in re.split("[;:]", match.group(1))[:32]]
    now = look or Sgr()
    at = 0
    while at < len(codes):
        code = codes[at]
        at += 1
        if code == 0:
            now = Sgr()
        elif code in _SWITCHES:
            now = _SWITCHES[code](now)
        elif 30 <= code <= 37 or 90 <= code <= 97:
            now = replace(now, foreground=_name(code - 30))
        elif 40 <= code <= 47 or 100 <= code <= 107:
            now = replace(now, background=_name(code - 40))
        elif code in (38, 48):
            colour, used = _colour(codes[at:])
            at += used
            if colour is not None and code == 38:
                now = replace(now, foreground=colour)
            elif colour is not None:
                now = replace(now, background=colour)
    return now if now != Sgr() else None


def _name(code: int) -> str:
    return _NAMES[code] if code < 8 else f"bright_{_NAMES[code - 60]}"


_SWITCHES: dict[int, Callable[[Sgr], Sgr]] = {
    1: lambda look: replace(look, bold=True),
    2: lambda look: replace(look, dim=True),
    3: lambda look: replace(look, italic=True),
    4: lambda look: replace(look, underline=True),
    7: lambda look: replace(look, reverse=True),
    9: lambda look: replace(look, strike=True),
    22: lambda look: replace(look, bold=False, dim=False),
    23: lambda look: replace(look, italic=False),
    24: lambda look: replace(look, underline=False),
    27: lambda look: replace(look, reverse=False),
    29: lambda look: replace(look, strike=False),
    39: lambda look: replace(look, foreground=None),
    49: lambda look: replace(look, background=None),
}


def _colour(codes: list[int]) -> tuple[str | int | None, int]:
    """The colour after 38 or 48, and how many codes it took."""
    if codes[:1] == [5] and len(codes) >= 2:
        return (codes[1] if codes[1] < 256 else None), 2
    if codes[:1] == [2] and len(codes) >= 4:
        red, green, blue = codes[1:4]
        if max(red, green, blue) < 256:
            return f"#{red:02x}{green:02x}{blue:02x}", 4
        return None, 4
    return None, len(codes)
