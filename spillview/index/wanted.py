"""Which artifacts belong into the index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from spillview.listing import Listing

if TYPE_CHECKING:
    from spillview.model import Artifact


class Wanted(NamedTuple):
    """A file that should be in the index."""

    root: str
    """The folder that nothing is followed out of on the way to it; may be empty."""
    path: str


def wanted(artifacts: Iterable[Artifact]) -> Iterator[Wanted]:
    """Those that are files of their own; rows of databases are always searched.

    Of a `Listing` no others are made.
    """
    if isinstance(artifacts, Listing):
        finds = artifacts.table.finds
        for place, path in zip(artifacts.order, artifacts.plain_paths(), strict=True):
            if path is not None:
                yield Wanted(finds.root(place), path)
        plain = [path is not None for path in artifacts.plain_paths()]
        artifacts = artifacts.pick(i for i, each in enumerate(plain) if not each)
    for artifact in artifacts:
        found = artifact.found
        if found.type == "file" and found.stored is None:
            yield Wanted(found.root, found.path)
