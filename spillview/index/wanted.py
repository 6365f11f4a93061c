"""Which artifacts belong into the index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from spillview.index.building import Wanted

if TYPE_CHECKING:
    from spillview.model import Artifact


def wanted(artifacts: Iterable[Artifact]) -> Iterator[Wanted]:
    """Those that are files of their own; rows of databases are always searched."""
    for artifact in artifacts:
        found = artifact.found
        if found.type == "file" and found.stored is None:
            yield Wanted(found.root, found.path)
