"""When clean-ups in the trash expire, and what an undo can say of those that did."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass

from spillview.cleanup.batches import PREFIX, Batch
from spillview.disk import Disk
from spillview.text import human_age, human_bytes, plural

NAME = "freed"
_DRAFT = "freed.new"
_MOST = 1 << 20
_REMEMBERED = 1000
"""So many are remembered, the last ones."""


def expires(batch: Batch, keep: float | None) -> float | None:
    """From when on the next clean-up deletes a batch for good; None for never."""
    if keep is None or batch.problem is not None or not batch.when:
        return None
    return batch.when + keep


def is_expired(batch: Batch, keep: float, now: float) -> bool:
    """Whether the next clean-up deletes a batch for good."""
    until = expires(batch, keep)
    return until is not None and until < now and not batch.open and not batch.away


def expiry(batch: Batch, keep: float, now: float) -> str:
    """When a batch goes for good, in few words: `in 3d`, `at the next clean-up`."""
    until = expires(batch, keep)
    if until is None or batch.open or batch.away:
        return ""
    return human_age(now - until) if until >= now + 1 else "at the next clean-up"


@dataclass(frozen=True, slots=True)
class Freed:
    """One clean-up whose files were deleted for good."""

    batch: str
    at: float
    """When they were; seconds since the epoch."""
    items: int
    bytes: int
    kept: str | None = None
    """The `trash_keep` that it had outlived; None where a person emptied the trash."""

    @property
    def sentence(self) -> str:
        """What became of it, as a sentence without its full stop."""
        day = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.at))
        why = f" because trash_keep is {self.kept}" if self.kept is not None else ""
        return (
            f"the clean-up {self.batch} was deleted for good on {day}{why}: its"
            f" {plural(self.items, 'artifact')} ({human_bytes(self.bytes)}) cannot be"
            " put back"
        )


def freed_in(disk: Disk, room: int) -> list[Freed]:
    """Those of a trash folder, in time order; empty where that cannot be read."""
    try:
        lines = disk.read(room, NAME, _MOST).splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        with suppress(ValueError, TypeError):
            found.append(Freed(**json.loads(line)))
    return found


def freed_batch(freed: Sequence[Freed], reference: str) -> Freed | None:
    """The one that a name, or its beginning, means: of several the last."""
    for each in reversed(freed):
        if len(reference) >= PREFIX and each.batch.startswith(reference):
            return each
    return None


def remember(disk: Disk, room: int, freed: Sequence[Freed]) -> None:
    """Add some; where that cannot be written, an undo will say less, and no more."""
    if not freed:
        return
    known = [*freed_in(disk, room), *freed][-_REMEMBERED:]
    data = b"".join(json.dumps(asdict(each)).encode() + b"\n" for each in known)
    with suppress(OSError):
        disk.discard(room, _DRAFT)
        disk.write(room, _DRAFT, data)
        disk.replace(room, _DRAFT, NAME)
        disk.sync(room)
