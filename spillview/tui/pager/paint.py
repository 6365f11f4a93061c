"""A row of the pager as a strip: gutter, line number, text, map of what was seen."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from spillview.content.signals import SIGNAL
from spillview.layout.cells import VS16, char_width, text_width
from spillview.layout.folding import Fold, Row, Sgr
from spillview.model import Range
from spillview.text import human_count
from spillview.tui.pager.document import Document, SeenState

MARKS: dict[SeenState, str] = {"all": "▌", "part": "▖", "none": " ", "unknown": "┊"}
"""The gutter's characters: what the model received of a row, without colours."""

MAP_SEEN, MAP_REST = "▐", "│"

SIGNAL_BYTES = 1 << 10
"""So much of a row is looked at for a word that tells of trouble."""

StyleOf = Callable[[str], Style]
"""The style of a component class `pager--NAME`, over nothing."""


Overlays = Callable[[int, int], Iterable[tuple[Range, Style]]]
"""Byte ranges that touch `[start, end)`, each with the style it is drawn in."""


@dataclass(frozen=True, slots=True)
class Look:
    """What the rows of one screen have in common."""

    width: int
    """Cells of the text."""
    digits: int
    """Cells of the line numbers; 0 for none."""
    offset: int
    """Cells that are scrolled out at the left; 0 when lines are wrapped."""


def fold_words(fold: Fold, document: Document, width: int) -> str:
    """What a fold hides; lines are stated when the index knows them."""
    words = [f"{human_count(fold.bytes)} bytes"]
    first = document.index.line_at(fold.start)
    last = document.index.line_at(fold.end - 1)
    if first is not None and last is not None:
        lines = last - first + 1
        words.append(f"{human_count(lines)} line{'' if lines == 1 else 's'}")
    unseen = document.state(fold.start, fold.end) == "none"
    never = " not in the envelope" if document.modelless else " the model never saw"
    told = never if unseen else " folded"
    what = f"{' · '.join(words)}{told}"
    for line in (f"┄┄ {what} · Enter unfolds ┄┄", f"┄┄ {what} ┄┄", f"┄ {what}"):
        if len(line) <= width:
            return line
    return f"┄ {words[0]}"[:width]


def row_state(row: Row, data: bytes, document: Document) -> SeenState:
    """What the model received of a row; a line's end need not be among it."""
    end = row.end
    if data.endswith(b"\n"):
        end -= 2 if data.endswith(b"\r\n") else 1
    return document.state(row.start, max(row.start, end))


def gutter(
    row: Row, data: bytes, document: Document, look: Look, style: StyleOf
) -> list[Segment]:
    """The mark column and the line number; `data` is what the row stands for."""
    state = row_state(row, data, document)
    segments = [Segment(MARKS[state], style(f"mark-{state}"))]
    if look.digits:
        if row.continuation or row.fold is not None:
            number = ""
        else:
            number = str(row.number) if row.number is not None else "·"
        segments.append(Segment(f"{number:>{look.digits}}", style("number")))
        told = state != "all" and SIGNAL.search(data[:SIGNAL_BYTES]) is not None
        segments.append(Segment("!", style("signal")) if told else Segment(" "))
    return segments


def text_segments(
    row: Row,
    look: Look,
    style: StyleOf,
    overlays: Overlays,
) -> list[Segment]:
    """The row's text with its own styles; `overlays` are drawn over it."""
    start, end, before = crop(row.text, look.offset, look.width)
    cuts: list[tuple[int, int, Style]] = []
    first = bisect_left(row.spans, start, key=lambda span: span.end)
    for span in row.spans[first:]:
        if span.start >= end:
            break
        own = sgr_style(span.kind) if isinstance(span.kind, Sgr) else style(span.kind)
        cuts.append((span.start, span.end, own))
    for (low, high), over in overlays(row.byte_at(start), row.byte_at(end)):
        cuts.append((row.index_at(low), row.index_at(high), over))
    segments = [Segment(" " * before)] if before else []
    if not cuts:
        return [*segments, Segment(row.text[start:end])]
    edges = {start, end}
    for low, high, _ in cuts:
        edges.update(at for at in (low, high) if start < at < end)
    ordered = sorted(edges)
    for low, high in pairwise(ordered):
        look_of = Style()
        for begin, stop, over in cuts:
            if begin <= low < stop:
                look_of += over
        segments.append(Segment(row.text[low:high], look_of))
    return segments


def crop(text: str, offset: int, width: int) -> tuple[int, int, int]:
    """Start and end of what fills `width` cells from `offset`, and blanks before it."""
    if text.isascii():
        return min(offset, len(text)), min(len(text), offset + width), 0
    if not offset and text_width(text) <= width:
        return 0, len(text), 0
    cells = 0
    start: int | None = None
    before = 0
    at = 0
    while at < len(text):
        stop = at + 1
        wide = char_width(text[at])
        if stop < len(text) and text[stop] == VS16:
            stop, wide = stop + 1, 2
        while stop < len(text) and char_width(text[stop]) == 0:
            stop += 1
        if start is None and cells >= offset:
            start, before = at, cells - offset
        if cells + wide > offset + width:
            return (at if start is None else start), at, before
        cells += wide
        at = stop
    return (len(text) if start is None else start), len(text), before


def sgr_style(look: Sgr) -> Style:
    """The look that the artifact's own colours asked for."""
    return Style(
        color=_colour(look.foreground),
        bgcolor=_colour(look.background),
        bold=look.bold or None,
        dim=look.dim or None,
        italic=look.italic or None,
        underline=look.underline or None,
        reverse=look.reverse or None,
        strike=look.strike or None,
    )


def _colour(value: str | int | None) -> str | None:
    return f"color({value})" if isinstance(value, int) else value


def map_cell(y: int, height: int, size: int, document: Document) -> bool:
    """Whether the model received anything of the part of the file beside line `y`."""
    seen = document.seen
    if seen is None or not size:
        return False
    low, high = size * y // height, size * (y + 1) // height
    return any(a < max(high, low + 1) and low < b for a, b in seen.ranges)


def thumb(top: int, bottom: int, size: int, height: int) -> tuple[int, int]:
    """The lines `[first, last)` of the scrollbar's thumb, proportional to bytes."""
    if not size or (top == 0 and bottom >= size):
        return 0, height
    length = max(1, min(height, round(height * (bottom - top) / size)))
    if bottom >= size:
        return height - length, height
    first = min(height - length, height * top // size)
    return first, first + length


def edge(
    shown: Range,
    size: int,
    document: Document | None,
    height: int,
    base: Style,
    style_of: StyleOf,
) -> list[Segment]:
    """The map beside each line of the screen: the thumb, and what the model received.

    `document` is None where nothing is told of what was received.
    """
    first, last = thumb(*shown, size, height)
    looks: dict[tuple[bool, bool], Segment] = {}
    for seen, name in ((True, "map-seen"), (False, "map")):
        style, text = base + style_of(name), MAP_SEEN if seen else MAP_REST
        looks[seen, False] = Segment(text, style)
        looks[seen, True] = Segment(text, style + style_of("thumb"))
    return [
        looks[
            document is not None and map_cell(y, height, size, document),
            first <= y < last,
        ]
        for y in range(height)
    ]


def assemble(
    left: Sequence[Segment], text: Sequence[Segment], look: Look, base: Style
) -> Strip:
    """Gutter and text, padded to the text's width, everything over `base`."""
    body = text
    cells = sum(segment.cell_length for segment in text)
    if cells != look.width:
        body = list(Strip(text, cells).adjust_cell_length(look.width))
    # One strip for them all: each has caches of its own, and costs more than the text.
    return Strip(
        [
            Segment(part, base if own is None else base + own)
            for part, own, _ in (*left, *body)
        ],
        sum(segment.cell_length for segment in left) + look.width,
    )


def index_at(text: str, cell: int) -> int:
    """The character that is drawn at `cell` of a row; the text's length beyond it."""
    if text.isascii():
        return min(max(cell, 0), len(text))
    start, _, before = crop(text, max(cell, 0), 2)
    index = max(0, start - 1) if before else start
    while index and text_width(text[:index]) > max(cell, 0):
        index -= 1  # the second cell of the last character
    return index
