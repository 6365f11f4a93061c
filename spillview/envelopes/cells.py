"""Rows as TSV or Markdown: every cell on one line, nothing in it that ends it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from spillview.shape.table import cell
from spillview.text import path_text

Form = Literal["tsv", "markdown"]

_ESCAPED = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\|"}
_HIDDEN = "\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069"
_ESCAPES = {
    "tsv": re.compile(rf"[\\{_HIDDEN}]"),
    "markdown": re.compile(rf"[\\|{_HIDDEN}]"),
}


def shown(value: Any, form: Form, most: int | None = None) -> str:
    """A value as the text of a cell, cut to `most` chars before it is escaped.

    Backslashes, TABs, line ends and other control characters are written as escapes
    (`\\t`, `\\x1b`, `\\u2028`), pipes too in Markdown. None is an empty cell.
    """
    text = path_text(text_of(value))
    if most is not None and len(text) > most:
        text = f"{text[:most]}… {len(text) - most} more chars"
    return _ESCAPES[form].sub(_escaped, text)


def text_of(value: Any) -> str:
    """A value as text: strings bare, None empty, the rest as JSON or Python has it."""
    if value is None:
        return ""
    try:
        return cell(value)
    except (TypeError, ValueError):
        pass
    try:
        return str(value)
    except ValueError:  # an integer of more digits than Python turns into text
        return f"a number of {value.bit_length():,} bits"


def _escaped(match: re.Match[str]) -> str:
    char = match[0]
    code = f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}"
    return _ESCAPED.get(char, code)


def line(cells: Sequence[str], form: Form) -> str:
    """One row."""
    if form == "tsv":
        return "\t".join(cells)
    return f"| {' | '.join(cells)} |"


def lines(
    names: Sequence[str],
    rows: Sequence[dict[str, Any]],
    form: Form,
    most: int | None = None,
) -> list[str]:
    """A header and the rows, each one line."""
    found = [line([shown(name, form, most) for name in names], form)]
    if form == "markdown":
        found.append(line(["---"] * len(names), form))
    for row in rows:
        found.append(line([shown(row.get(name), form, most) for name in names], form))
    return found


def size(rows: Sequence[str]) -> int:
    """Chars of lines, an LF counted behind each."""
    return sum(map(len, rows)) + len(rows)
