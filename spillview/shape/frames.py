"""An array or object too large to be parsed whole, while the pass is inside it."""

from __future__ import annotations

from dataclasses import dataclass, field

from spillview.shape.cuts import Learnt
from spillview.shape.keys import Keys
from spillview.shape.parsing import FAST
from spillview.shape.samples import Sample
from spillview.shape.tokens import Inside
from spillview.shape.tree import Node


@dataclass(slots=True)
class Frame:
    """An array or object that was entered."""

    inside: Inside
    node: Node
    start: int
    depth: int
    """Arrays and objects around it."""
    count: int = 0
    after: bool = False
    """Whether a member has just ended, so that a comma or the end follows."""
    comma: bool = False
    """Whether a comma has passed, so that a member follows."""
    reader: int = FAST
    """The fastest reader that could take the last batch."""
    learnt: Learnt = field(default_factory=Learnt)
    keys: Keys | None = None
    sample: Sample | None = None

    @property
    def closer(self) -> int:
        """The bracket that closes it."""
        return 0x5D if self.inside == "array" else 0x7D

    @property
    def name(self) -> str:
        """What it is, for a sentence."""
        return "an array" if self.inside == "array" else "an object"
