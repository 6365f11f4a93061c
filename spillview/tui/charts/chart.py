"""The sizes of one command over time as a chart of dots, with the boundary in it."""

from __future__ import annotations

from datetime import date

from spillview.forecast.crossing import Forecast, day_of
from spillview.forecast.runs import points
from spillview.tui.runs import Runs, fit

AXIS = 9
"""Cells of the sizes at the left."""

AHEAD = 0.5
"""What is to come takes this share of the chart at most."""

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a braille cell, by row and column."""


class Canvas:
    """Cells of two times four dots each, in tones; a later tone wins its cell."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._bits = [[0] * width for _ in range(height)]
        self._tones = [[""] * width for _ in range(height)]
        self._lines: dict[int, tuple[str, str]] = {}

    def dot(self, x: int, y: int, tone: str) -> None:
        """Set a dot; 0, 0 is at the bottom left. What lies outside is left out."""
        column, row = x // 2, self.height - 1 - y // 4
        if 0 <= column < self.width and 0 <= row < self.height:
            self._bits[row][column] |= _DOTS[3 - y % 4][x % 2]
            self._tones[row][column] = tone

    def line(self, y: int, char: str, tone: str) -> None:
        """A line over the whole width, behind the dots."""
        self._lines[self.height - 1 - y // 4] = (char, tone)

    def runs(self, row: int) -> Runs:
        """One line of cells."""
        char, tone = self._lines.get(row, (" ", ""))
        found: Runs = []
        for bits, own in zip(self._bits[row], self._tones[row], strict=True):
            text, shade = (chr(0x2800 + bits), own) if bits else (char, tone)
            if found and found[-1][1] == shade:
                found[-1] = (found[-1][0] + text, shade)
            else:
                found.append((text, shade))
        return found


def chart(found: Forecast, width: int, height: int) -> list[Runs]:
    """The chart in `height` lines of `width` cells; empty where nothing fits."""
    room, rows = width - AXIS - 1, height - 1
    if not found.sample or room < 8 or rows < 2:
        return []
    unit = found.boundary.unit if found.boundary is not None else "chars"
    gate = float(found.boundary.size) if found.boundary is not None else 0.0
    series = points(found.sample, unit)
    sizes = [size for _, size in series]
    top = max(gate, *sizes, 1.0) * 1.06
    base = _base(min(sizes), top)
    first, last = series[0][0], series[-1][0]
    end = _end(found, first, last)
    span = max(end - first, 1 / 24)
    canvas = Canvas(room, rows)

    def place(day: float, size: float) -> tuple[int, int]:
        x = round((day - first) / span * (room * 2 - 1))
        return x, round((size - base) / (top - base) * (rows * 4 - 1))

    if gate:
        canvas.line(place(first, gate)[1], "─", "over")
    if found.crosses_on is not None:
        start, stop = place(found.trend.day, 0)[0], place(end, 0)[0]
        for x in range(start, stop + 1, 3):  # dotted: it has not come yet
            day = first + x / (room * 2 - 1) * span
            size = found.trend.level + found.expected_per_day * (day - found.trend.day)
            canvas.dot(x, place(day, size)[1], "close")
    for day, size in series:
        canvas.dot(*place(day, size), "over" if gate and size > gate else "head")
    lines = []
    marks = {rows - 1: (_short(base), "dim"), 0: (_short(top), "dim")}
    if gate:
        at = rows - 1 - place(first, gate)[1] // 4
        if at <= 1:
            del marks[0]
        marks[at] = (_short(gate), "over")
    for row in range(rows):
        label, tone = marks.get(row, ("", "dim"))
        axis = (fit(label, AXIS, right=True), tone)
        lines.append([axis, ("│", "dim"), *canvas.runs(row)])
    lines.append(
        _days(day_of(first), day_of(last), day_of(end), room, last, first, end)
    )
    return lines


def _end(found: Forecast, first: float, last: float) -> float:
    """Where the chart ends: behind the crossing, where that is not too far."""
    if found.crosses_on is None:
        return last
    span = max(last - first, 1.0)
    crosses = found.crosses_on.toordinal() - date(1970, 1, 1).toordinal() + 1.0
    return min(crosses + span * 0.03, last + span * AHEAD / (1 - AHEAD))


def _base(least: float, top: float) -> float:
    """The size at the bottom: nothing, or more where all of them lie far above."""
    return 0.0 if least < top / 2 else least - 0.15 * (top - least)


def _days(
    first: date,
    last: date,
    end: date,
    room: int,
    last_day: float,
    first_day: float,
    end_day: float,
) -> Runs:
    """The first day, that of the last run, and the last one, below their places."""
    line = [" "] * room

    def put(text: str, at: int) -> None:
        at = max(0, min(at, room - len(text)))
        if all(char == " " for char in line[max(0, at - 1) : at + len(text) + 1]):
            line[at : at + len(text)] = text

    span = max(end_day - first_day, 1 / 24)
    put(f"{first}", 0)
    if end != first:
        put(f"{end}", room - 10)
    at = round((last_day - first_day) / span * room)
    if last not in (first, end):
        put(f"{last}", at - 5)
    return [(" " * (AXIS + 1), ""), ("".join(line), "dim")]


def _short(size: float) -> str:
    return f"{size:,.0f}" if size < 1e7 else f"{size / 1e6:,.1f}M"
