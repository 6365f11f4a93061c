"""Which artifacts belong into the index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spillview.model import Artifact


class Wanted(NamedTuple):
    """A file that should be in the index."""

    root: str
    """The folder that nothing is followed out of on the way to it; may be empty."""
    path: str


def wanted(artifacts: Iterable[Artifact]) -> Iterator[Wanted]:
    """Those that are files of their own; rows of databases are always searched."""
    for artifact in artifacts:
        found = artifact.found
        if found.type == "file" and found.stored is None:
            yield Wanted(found.root, found.path)
