"""Lines of text in tones: fitted to cells, safe to draw, coloured by the stylesheet.

A line is a list of runs, `(text, tone)`. A tone names a component class, `tone--NAME`,
so that colours stay in the stylesheet; the empty tone is the widget's own colour.
"""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from spillview.secrets.masking import masked_text
from spillview.text import printable
from spillview.tui.parts import Parts

Run = tuple[str, str]
Runs = list[Run]

ELLIPSIS = "…"

LONGEST = 4000
"""Chars of a message that are wrapped at most; a strip is a few lines high."""


REACH = 4_096
"""Chars behind what is drawn that tell whether a credential begins in it."""


def clean(text: str | None, cells: int) -> str:
    """The start of `text`, safe to draw, long enough to fill `cells`."""
    room = cells * 4 + 64
    return printable(masked_text((text or "")[: room + REACH])[:room])


def fit(text: str, cells: int, *, right: bool = False) -> str:
    """`text` in exactly `cells` cells; what is cut off leaves an ellipsis."""
    if cells <= 0:
        return ""
    length = len(text) if text.isascii() else cell_len(text)
    if length > cells:
        if cells == 1:
            return ELLIPSIS
        return set_cell_size(text, cells - 1) + ELLIPSIS
    padding = " " * (cells - length)
    return padding + text if right else text + padding


def fit_runs(runs: Runs, cells: int, *, right: bool = False) -> Runs:
    """The runs in exactly `cells` cells together."""
    total = sum(cell_len(text) for text, _ in runs)
    if total <= cells:
        pad = (" " * (cells - total), "")
        return [pad, *runs] if right else [*runs, pad]
    fitted: Runs = []
    left = cells
    for text, tone in runs:
        length = cell_len(text)
        if length < left:
            fitted.append((text, tone))
            left -= length
            continue
        fitted.append((fit(text + " ", left), tone))
        break
    return fitted


def short_count(number: int, cells: int) -> str:
    """`number` with thousands separators; in k, M, G or T where that does not fit."""
    text = f"{number:,}"
    for size, suffix in ((1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T")):
        if len(text) <= cells:
            break
        text = f"{number / size:,.1f}{suffix}"
    return text


def middle(text: str, cells: int) -> str:
    """`text` cut in its middle: paths differ at their ends."""
    if cell_len(text) <= cells:
        return text
    end = cells // 2
    tail = text[-end:]
    while cell_len(tail) > end:
        tail = tail[1:]
    return f"{set_cell_size(text, max(0, cells - cell_len(tail) - 1))}…{tail}"


def wrap(text: str, cells: int, lines: int) -> list[str]:
    """`text` in at most `lines` lines of `cells`; an ellipsis ends what is cut."""
    words = text.split(" ")
    wrapped: list[str] = []
    line = ""
    for position, word in enumerate(words):
        joined = f"{line} {word}" if line else word
        if cell_len(joined) <= cells:
            line = joined
            continue
        if line and cell_len(word) > cells:
            line = joined  # no line holds it whole: it begins where there is room
        else:
            if line:
                wrapped.append(line)
            line = word
        while cell_len(line) > cells:
            head = set_cell_size(line, cells).rstrip(" ") or line[:1]
            wrapped.append(head)
            line = line[len(head) :].lstrip(" ")
            if len(wrapped) > lines:
                break
        if len(wrapped) >= lines:
            rest = [line, *words[position + 1 :]]
            if any(rest):
                wrapped = wrapped[:lines]
                wrapped[-1] = fit(wrapped[-1] + " " * cells + ".", cells)
                wrapped[-1] = wrapped[-1][:-1].rstrip(" ") + ELLIPSIS
            return wrapped[:lines]
    if line or not wrapped:
        wrapped.append(line)
    return wrapped


def plain(text: str) -> str:
    """`text` on one line: safe to draw, blank runs and line ends as one space."""
    return printable(" ".join(masked_text(text[:LONGEST]).split()))


class Palette:
    """The tones' foregrounds on one widget, looked up once until colours change."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._tones: dict[str, Style] = {}

    def forget(self) -> None:
        """Colours changed."""
        self._tones.clear()

    def __getitem__(self, tone: str) -> Style:
        style = self._tones.get(tone)
        if style is None:
            style = self._tones[tone] = self._look_up(tone)
        return style

    def _look_up(self, tone: str) -> Style:
        if not tone:
            return Style()
        full = self._widget.get_component_rich_style(f"tone--{tone}")
        return Style(color=full.color, bold=full.bold, italic=full.italic)

    def strip(self, runs: Runs, base: Style, width: int) -> Strip:
        """The runs over `base`, in exactly `width` cells."""
        segments = [Segment(text, base + self[tone]) for text, tone in runs]
        return Strip(segments).adjust_cell_length(width, base)


class Lines(Parts):
    """A few lines of runs, made again when the size or the facts change."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._palette = Palette(self)
        self._made: list[Runs] | None = None
        self._made_for = Size()

    def make(self, width: int, height: int) -> list[Runs]:
        """What to draw, from the top."""
        raise NotImplementedError

    def remake(self) -> None:
        """Draw it anew: a fact changed."""
        self._made = None
        self.refresh()
        self._check_refresh()  # at its own next turn the frame would be drawn already

    def notify_style_update(self) -> None:
        """Colours changed."""
        super().notify_style_update()
        self._palette.forget()

    def render_line(self, y: int) -> Strip:
        """One line."""
        width, height = self.size
        if self._made is None or self._made_for != self.size:
            self._made = self.make(width, height)
            self._made_for = self.size
        base = self.rich_style
        if y >= len(self._made):
            return Strip.blank(width, base)
        line = self._made[y]
        if sum(cell_len(text) for text, _ in line) > width:
            line = fit_runs(line, width)
        return self._palette.strip(line, base, width)
