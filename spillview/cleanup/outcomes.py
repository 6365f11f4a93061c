"""What came of a change to the trash: a clean-up, an undo, an emptying."""

from __future__ import annotations

from dataclasses import dataclass, field

from spillview.cleanup.batches import Batch
from spillview.cleanup.expiry import Freed
from spillview.cleanup.moving import Failure
from spillview.model import Found
from spillview.text import human_bytes, plural


@dataclass(frozen=True, slots=True)
class Applied:
    """What a clean-up did."""

    batch: str | None
    """None when nothing lies in the trash for it."""
    moved: tuple[Found, ...]
    failed: tuple[Failure, ...]
    freed_now: int = 0
    """Bytes the disk gained at least; 0 while the trash is on the same filesystem."""
    deleted: tuple[Found, ...] = ()
    """Those of `moved` that no trash could take and that were deleted for good."""


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo put back."""

    batch: str | None
    """None when there was nothing to undo."""
    restored: tuple[str, ...] = ()
    """Paths."""
    failed: tuple[tuple[str, str], ...] = ()
    """Paths and why: their files are still in the trash, or gone from it."""
    freed: Freed | None = None
    """Where there was nothing to undo: the last one that was deleted for good."""


@dataclass(slots=True)
class Emptied:
    """What emptying freed."""

    batches: list[Batch] = field(default_factory=list)
    """As they were before."""
    items: int = 0
    bytes: int = 0
    freed_now: int = 0
    """Bytes the disk gained at least."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    """Paths and why they are still in the trash."""

    @property
    def sentence(self) -> str:
        """What expired, in words."""
        batches = plural(len(self.batches), "older clean-up")
        return (
            f"{batches} in the trash had expired (trash_keep):"
            f" {plural(self.items, 'artifact')} ({human_bytes(self.bytes)}) deleted for"
            f" good, {human_bytes(self.freed_now)} freed"
        )
