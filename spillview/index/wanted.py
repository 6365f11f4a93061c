"""Which artifacts belong into the index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from spillview.catalogue.listing import Listing

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
        others: list[int] = []
        for index, place in enumerate(artifacts.order):
            path = finds.file_path(place)
            if path is not None and finds.are_plain(range(place, place + 1)):
                yield Wanted(finds.root(place), path)
            else:
                others.append(index)
        artifacts = artifacts.pick(others)
    for artifact in artifacts:
        found = artifact.found
        if found.type == "file" and found.stored is None:
            yield Wanted(found.root, found.path)
