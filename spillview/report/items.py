"""How many items of a JSON artifact the model received, in bounded work."""

from __future__ import annotations

from dataclasses import dataclass

from spillview.errors import SpillError
from spillview.model import Artifact

LARGEST = 32 << 20
"""Bytes of an artifact whose items are looked at; a larger one is said to be not."""

TOGETHER = 256 << 20
"""Bytes of all artifacts of one report whose items are looked at."""


@dataclass(frozen=True, slots=True)
class Items:
    """What the model received of the items of one document."""

    total: int
    seen: int
    certain: bool
    """False when it may have received more than could be located."""
    path: str | None = None
    """The jq path of the records, where the document itself is no list."""

    @property
    def missed(self) -> int:
        """Items that it did not receive whole (at most, when not certain)."""
        return self.total - self.seen


def has_items(artifact: Artifact) -> bool:
    """Whether items of it may have been missed: JSON that was not seen whole."""
    counts, link = artifact.counts, artifact.link
    if counts is None or link is None or link.seen is None or link.state != "linked":
        return False
    if link.seen.is_unknown:
        return False
    if counts.kind not in ("json", "jsonl"):
        return False
    return not (link.seen.certain and link.seen.bytes >= counts.bytes)


class ItemCounter:
    """Counts items until the report's share of reading is used up."""

    def __init__(self, *, unbounded: bool = False) -> None:
        self._left: int | None = None if unbounded else TOGETHER
        self.unread: dict[str, str] = {}
        """Why an artifact's items were not looked at, by its id."""

    def items(self, artifact: Artifact) -> Items | None:
        """What was seen of its items; None where it has none, or was not looked at."""
        if not has_items(artifact):
            return None
        size = artifact.counts.bytes if artifact.counts is not None else 0
        if self._left is not None and (size > LARGEST or size > self._left):
            self.unread[artifact.id] = "too large for a report"
            return None
        if self._left is not None:
            self._left -= size
        try:
            return _count(artifact)
        except (SpillError, OSError) as error:
            self.unread[artifact.id] = str(error)
            return None


def _count(artifact: Artifact) -> Items | None:
    from spillview.shape.source import Source
    from spillview.stored.stored import open_artifact

    found = artifact.found
    seen = artifact.link.seen if artifact.link is not None else None
    content = open_artifact(found, root=found.root)
    try:
        with Source(content) as source:
            outline = source.outline(seen)
    finally:
        content.close()
    if outline.items is not None and outline.items_seen is not None:
        return Items(outline.items, outline.items_seen, outline.seen_certain)
    records = outline.records
    if records is not None and records.seen is not None:
        return Items(records.count, records.seen, outline.seen_certain, records.path)
    return None
