"""Tables of plain text: aligned by terminal cells, cut to the terminal's width.

In a pipe nothing is cut: every value is whole, two blanks or more stand between two of
them, and no column is padded to more than `PADDED` for the sake of one long value. The
heading goes into a pipe with the tables of a report, which stand in prose. It does not
with lists, whose every line is a row, for stdout carries data only (`spillview ls | wc
-l` counts artifacts); `--help` names the columns, and `--json` names them in each row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from spillview.frozen import Frozen
from spillview.hints import TYPE_CHECKING
from spillview.layout.cells import VS16, char_width, text_width

if TYPE_CHECKING:
    from spillview.cli.streams import Streams, Style

GAP = "  "
ELLIPSIS = "…"

NARROWEST = 4
"""Cells that a column keeps on a terminal too narrow for the table."""


PADDED = 36
"""Cells to which a column is padded in a pipe; a whole session id has as many."""


class Column(Frozen):
    """One column of a table."""

    name: str
    right: bool = False
    least: int | None = None
    """Cells it wants at least; None when it is never cut."""
    most: int | None = None
    """Cells it keeps where the table does not fit; None lets it share the rest."""
    drop: int = 0
    """The higher, the sooner it is left out on a narrow terminal; 0 is kept."""


class Cell(Frozen):
    """Printable text and the colour it has on a terminal."""

    text: str
    style: Style | None = None
    path: bool = False
    """Whether its end says more than its beginning, and is kept where it is cut."""


def clip_path(text: str, width: int) -> str:
    """The end of `text` in at most `width` cells, with an ellipsis before it."""
    if text_width(text) <= width:
        return text
    room = max(0, width - len(ELLIPSIS))
    low, high = 0, len(text)
    while low < high:
        middle = (low + high) // 2
        if text_width(text[middle:]) <= room:
            high = middle
        else:
            low = middle + 1
    while low < len(text) and char_width(text[low]) == 0:  # of a character cut off
        low += 1
    return ELLIPSIS[:width] + text[low:]


def clip(text: str, width: int) -> str:
    """`text` in at most `width` cells, with an ellipsis where something is left out."""
    if text_width(text) <= width:
        return text
    room, kept, last = max(0, width - len(ELLIPSIS)), 0, 0
    for place, char in enumerate(text):
        cells = char_width(char)
        if char == VS16:  # it widens the character before it
            cells = int(last == 1)
        if kept + cells > room:
            return text[:place] + ELLIPSIS[:width]
        kept += cells
        last = cells or last
    return text


def write_table(
    streams: Streams,
    columns: Sequence[Column],
    rows: Iterable[Sequence[Cell]],
    *,
    headed: bool = False,
) -> None:
    """Print `rows`: on a terminal with a heading and within its width, else in full.

    `headed` prints the heading into a pipe too: for tables of a report.
    """
    shown = list(range(len(columns)))
    same: dict[Cell, Cell] = {}
    rows = [tuple([same.setdefault(cell, cell) for cell in row]) for row in rows]
    widths = [max((text_width(row[n].text) for row in rows), default=0) for n in shown]
    if streams.terminal:
        widths = [
            max(w, len(c.name)) if w else 0
            for w, c in zip(widths, columns, strict=True)
        ]
        full = [n for n in shown if widths[n]]
        shown = list(full)
        _fit(columns, widths, shown, streams.width)
        streams.left_out(columns[n].name for n in full if n not in shown)
    else:
        names = [len(c.name) if headed else 0 for c in columns]
        both = zip(widths, names, strict=True)
        widths = [min(max(width, name), PADDED) for width, name in both]
    if rows and (streams.terminal or headed):
        heading = [Cell(c.name, "title") for c in columns]
        _write_row(streams, columns, widths, shown, heading)
    for row in rows:
        _write_row(streams, columns, widths, shown, row)


def _fit(
    columns: Sequence[Column], widths: list[int], shown: list[int], room: int
) -> None:
    """Leave out and narrow columns until they fit into `room` cells."""

    def least(number: int) -> int:
        smallest = columns[number].least
        return widths[number] if smallest is None else min(widths[number], smallest)

    def excess(sizes: Iterator[int]) -> int:
        return sum(sizes) + len(GAP) * (len(shown) - 1) - room

    def narrow(floor: Callable[[int], int]) -> None:
        """Take from the widest column, again and again, down to each one's floor."""
        too_much = excess(widths[n] for n in shown)
        while too_much > 0:
            flexible = [n for n in shown if widths[n] > floor(n)]
            if not flexible:
                return
            widest = max(flexible, key=lambda n: widths[n])
            others = [widths[n] for n in flexible if n != widest]
            target = max(floor(widest), max(others, default=0))
            step = max(1, min(too_much, widths[widest] - target))
            widths[widest] -= step
            too_much -= step

    while excess(least(n) for n in shown) > 0:
        candidates = [n for n in shown if columns[n].drop]
        if not candidates:
            break
        shown.remove(max(candidates, key=lambda n: columns[n].drop))
    for number in shown:
        if excess(widths[n] for n in shown) > 0:
            most = columns[number].most
            widths[number] = min(widths[number], most or widths[number])
    narrow(least)
    narrow(lambda n: widths[n] if columns[n].least is None else NARROWEST)


def _write_row(
    streams: Streams,
    columns: Sequence[Column],
    widths: Sequence[int],
    shown: Sequence[int],
    row: Sequence[Cell],
) -> None:
    parts = []
    for number in shown:
        cell, width = row[number], widths[number]
        text = cell.text
        if streams.terminal:
            text = clip_path(text, width) if cell.path else clip(text, width)
        pad = " " * (width - text_width(text))
        styled = streams.styled(text, cell.style)
        parts.append(pad + styled if columns[number].right else styled + pad)
    streams.line(GAP.join(parts).rstrip())
