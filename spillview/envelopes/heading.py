"""What a text envelope says before the first line of the text itself."""

from __future__ import annotations

from dataclasses import dataclass

from spillview.envelopes.parts import one_line
from spillview.model import Boundary, Counts, Line
from spillview.text import human_count, human_ratio, path_text, printable

DIGITS = 14
"""Of the largest line number or count there is room for."""

_MOST = 10**DIGITS - 1


@dataclass(frozen=True, slots=True)
class About:
    """What is told of the text, whatever is shown of it."""

    label: str
    path: str
    sizes: Counts
    """Those of the file."""
    gate: Boundary
    verdict: Line | None
    extra: tuple[str, ...]
    """Further lines of the writer's."""


@dataclass(slots=True)
class Told:
    """What the header says of the blocks; the numbers are as long as they can be."""

    signals: int = _MOST
    shown: int = _MOST
    tail: int = _MOST
    dropped: int = _MOST
    cut: int = _MOST
    overwritten: int = _MOST
    escapes: int = _MOST
    controls: int = _MOST


def header(about: About, told: Told) -> str:
    """Everything before the first block, with `{size}` for the envelope's own."""
    sizes, gate = about.sizes, about.gate
    ratio = human_ratio(sizes.size_in(gate.unit) / gate.size)
    path = printable(path_text(about.path))
    rows = [
        f"[spillview text envelope, {{size}} chars] {one_line(about.label)}",
        f"Full output: {path}",
        f"Size: {human_count(sizes.chars)} chars, {human_count(sizes.bytes)} bytes,"
        f" {human_count(sizes.lines)} lines; {ratio} the boundary of {gate}",
        f"Shown: {told.shown} of {told.signals} signal lines; the last {told.tail}"
        f" lines, {told.dropped} more of the tail dropped",
        *(one_line(each) for each in about.extra),
    ]
    if about.verdict is None:
        empty = "an image" if sizes.kind == "image" else "nothing but blanks"
        rows.append(f"Nothing of it can be shown: it is {empty}.")
    rows += _notes(sizes, told)
    rows.append(_reading(sizes))
    return "\n".join(rows)


def _notes(sizes: Counts, told: Told) -> list[str]:
    """What was done to the lines that are shown, each in a sentence."""
    notes = [
        (told.cut, "cut: the bytes left out are said in brackets"),
        (told.overwritten, "without the frames that a CR overwrote"),
        (told.escapes, "without escape sequences"),
        (told.controls, "with pictures for control characters"),
    ]
    said = [f"{_lines(count)} {what}" for count, what in notes if count]
    if sizes.encoding == "utf-8-invalid":
        said.append("bytes that are no UTF-8 read \N{REPLACEMENT CHARACTER}")
    return [f"Below: {'; '.join(said)}."] if said else []


def _reading(sizes: Counts) -> str:
    """How the whole can be read."""
    if sizes.lines <= 1:
        page = "spillview show FILE --unit char --offset N --limit 5000"
    else:
        page = "spillview show FILE --offset LINE --limit 100"
    return f"To read on: {page}; to search: spillview grep PATTERN FILE"


def _lines(count: int) -> str:
    return f"{count} line{'' if count == 1 else 's'}"
