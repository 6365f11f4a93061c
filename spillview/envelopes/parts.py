"""What every envelope has: a budget that holds, facts, and a file that exists."""

from __future__ import annotations

import os
import shlex
import stat
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from spillview.errors import BadInput
from spillview.model import Boundary, Range
from spillview.text import path_text, printable

BUDGET = 14_000
"""Chars of an envelope, everything in it counted."""

BOUNDARY = 100_000
"""Chars at which an output is folded, unless another boundary is given."""

LABEL = 200
"""Chars of a label that are shown."""

LONGEST = 240
"""Chars of a path that is written again in a command."""

Kept = Literal["whole", "end", "none"]


@dataclass(frozen=True, slots=True)
class Facts:
    """What an envelope says and shows, for the sidecar and for reports."""

    kind: Literal["text", "json", "table"]
    chars: int
    """Of the envelope itself."""
    budget: int
    bytes: int | None = None
    """Of the output, as are `lines` and `total_chars`; None where there is no text."""
    total_chars: int | None = None
    lines: int | None = None
    ratio: float | None = None
    """The output's size / the boundary."""
    signals: int = 0
    signals_shown: int = 0
    tail_lines: int = 0
    tail_dropped: int = 0
    """Of the last lines that were asked for, those without room."""
    head_lines: int = 0
    verdict_line: int | None = None
    verdict_kept: Kept = "none"
    seen: tuple[Range, ...] = field(default=(), repr=False)
    """Byte ranges of the output that the envelope shows."""
    items: int | None = None
    """Of a document or table: items or rows."""
    shown: int = 0
    """Of those, how many are shown whole (of a table's rows: at all)."""
    tsv_chars: int | None = None
    """What a table's rows cost as TSV, and as Markdown."""
    markdown_chars: int | None = None

    def row(self) -> dict[str, Any]:
        """The facts as JSON carries them."""
        row = asdict(self)
        row["seen"] = [list(each) for each in self.seen]
        return row


@dataclass(frozen=True, slots=True)
class Envelope:
    """An envelope's text and the facts of it."""

    text: str
    facts: Facts


def existing(path: str | os.PathLike[str]) -> str:
    """The absolute path of the file that an envelope points at.

    Raises `BadInput` unless it is a regular file: a summary without what it sums up
    is not made.
    """
    name = os.path.abspath(os.fsdecode(path))
    try:
        mode = os.stat(name).st_mode
    except (OSError, ValueError):
        raise BadInput(
            f"{printable(path_text(name))} does not exist: save the full output there"
            " first, then make its envelope."
        ) from None
    if not stat.S_ISREG(mode):
        raise BadInput(
            f"{printable(path_text(name))} is no regular file: an envelope points at"
            " the file that holds the full output."
        )
    return name


def as_word(path: str) -> str:
    """A path as a shell takes it; FILE for one too long or strange to stand there."""
    name = path_text(path)
    word = shlex.quote(name)
    return word if len(word) <= LONGEST and printable(name) == name else "FILE"


def one_line(text: str, most: int = LABEL) -> str:
    """A text of others for one line of a header, cut to `most` chars."""
    shown = printable(path_text(" ".join(text.split())))
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def as_boundary(boundary: int | Boundary) -> Boundary:
    """A boundary as given: chars where it is a bare number. Raises `BadInput`."""
    if isinstance(boundary, int):
        boundary = Boundary(boundary, "chars")
    if boundary.size <= 0:
        raise BadInput(f"A boundary must be more than zero, not {boundary.size}.")
    return boundary


def with_size(template: str) -> str:
    """`template` with its one `{size}` filled in by the length of the result."""
    bare = len(template) - len("{size}")
    size = bare + 1
    while bare + len(str(size)) != size:
        size = bare + len(str(size))
    return template.replace("{size}", str(size), 1)


def too_small(budget: int, needed: int) -> BadInput:
    """The refusal of a budget that cannot hold the least there must be."""
    return BadInput(
        f"A budget of {budget:,} chars is too small for this envelope: give it at"
        f" least {needed:,}."
    )
