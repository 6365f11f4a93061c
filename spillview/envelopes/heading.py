"""What a text envelope says before the first line of the text itself."""

from __future__ import annotations

from dataclasses import dataclass

from spillview.envelopes.parts import as_word, one_line
from spillview.model import Boundary, Counts, Line
from spillview.text import human_ratio, path_text, plural, printable

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
    head: int = _MOST
    onward: int = _MOST
    """The first line after the head."""
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
        f"Size: {plural(sizes.chars, 'char')}, {plural(sizes.bytes, 'byte')},"
        f" {plural(sizes.lines, 'line')}; {ratio} the boundary of {gate}",
        *(one_line(each) for each in about.extra),
    ]
    if about.verdict is None:
        empty = "an image" if sizes.kind == "image" else "nothing but blanks"
        rows.append(f"Nothing of it can be shown: it is {empty}.")
    else:
        rows.append(_shown(told))
    rows += _notes(sizes, told)
    rows.append(_reading(about, told))
    return "\n".join(rows)


def _shown(told: Told) -> str:
    """What follows, block by block."""
    parts = []
    if told.signals:
        parts.append(f"{told.shown} of {plural(told.signals, 'signal line')}")
    if told.head:
        parts.append(_many("first", told.head))
    parts.append(_many("last", told.tail))
    if told.dropped:
        parts[-1] += f" ({told.dropped} more did not fit)"
    none = "" if told.signals else "; there are no signal lines"
    return f"Shown: {', '.join(parts)}{none}"


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


def _reading(about: About, told: Told) -> str:
    """How the whole can be read, as commands that can be given so."""
    file = as_word(about.path)
    if about.sizes.lines <= 1:
        page = f"spillview show {file} --unit char --offset 0 --limit 5000"
    else:
        onward = min(told.onward, max(about.sizes.lines, 1))
        page = f"spillview show {file} --offset {onward} --limit 100"
    return f"To read on: {page}; to search: spillview grep PATTERN {file}"


def _lines(count: int) -> str:
    return f"{count} line{'' if count == 1 else 's'}"


def _many(which: str, count: int) -> str:
    return f"the {which} line" if count == 1 else f"the {which} {count} lines"
