"""Where spills are kept: the seam, and the store on this disk."""

from spillview.store.local import LocalSpillStore
from spillview.store.seam import (
    Part,
    SaveTextSpill,
    SpillEnvelope,
    SpillFacts,
    SpillFailed,
    SpillFull,
    SpillOwner,
    SpillRef,
    SpillRequest,
    SpillSource,
    SpillStore,
)
from spillview.store.writer import SpillWriter

__all__ = [
    "LocalSpillStore",
    "Part",
    "SaveTextSpill",
    "SpillEnvelope",
    "SpillFacts",
    "SpillFailed",
    "SpillFull",
    "SpillOwner",
    "SpillRef",
    "SpillRequest",
    "SpillSource",
    "SpillStore",
    "SpillWriter",
]
