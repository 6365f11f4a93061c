"""A block of an envelope: lines of the text under a heading, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.envelopes.excerpts import Excerpt


@dataclass(slots=True)
class Block:
    """Lines of an envelope under one heading."""

    heading: str
    rows: list[str] = field(default_factory=list)
    excerpts: list[Excerpt] = field(default_factory=list)
    size: int = 0
    """Chars of the rows, an LF counted behind each."""

    def add(self, row: str, shown: Excerpt | None = None) -> None:
        """Add a line; `shown` is what of the text it shows."""
        self.rows.append(row)
        self.size += len(row) + 1
        if shown is not None:
            self.excerpts.append(shown)

    @property
    def cost(self) -> int:
        """Chars of the block in the envelope, the LF before it counted."""
        return len(self.heading) + 1 + self.size

    def text(self) -> str:
        """The block as it stands in the envelope."""
        return "\n".join((self.heading, *self.rows))
