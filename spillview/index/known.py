"""What the index knows of the files of one search, and what is left to be searched."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from spillview.index.facts import facts_of
from spillview.listing import BATCH, Listing

if TYPE_CHECKING:
    from spillview.model import Artifact
    from spillview.selection import Options


class Known:
    """Files by what `facts_of` gives."""

    def __init__(
        self,
        without: Collection[bytes] = (),
        plain: Collection[bytes] = (),
        damaged: int = 0,
    ) -> None:
        self.without = without
        """They have no match."""
        self.plain = plain
        """They are searched as they are, not decoded, and may have one."""
        self.damaged = damaged
        """Segments that were damaged."""
        self.files = 0
        """How many artifacts were left out for having no match."""
        self.size = 0
        """Bytes of them."""

    def has_no_match(self, look: os.stat_result) -> bool:
        """Whether a file needs no search; then it is counted."""
        if facts_of(look) not in self.without:
            return False
        self.files += 1
        self.size += look.st_size
        return True

    def is_plain(self, look: os.stat_result) -> bool:
        """Whether a file is known to be searched as it is."""
        return bool(self.plain) and facts_of(look) in self.plain


def ask(folder: str | None, patterns: Sequence[str], options: Options) -> Known:
    """What the index in `folder` knows for these patterns; nothing without one."""
    if folder is None or options.invert or not os.path.isdir(folder):
        return Known()
    # Imported no sooner: without an index a search should start at once.
    from spillview.index.lookup import Lookup

    with Lookup(folder) as index:
        if not index.segments:
            return Known(damaged=index.damaged)
        from spillview.index.literals import required

        need = required(patterns, options.case, options.fixed)
        without, plain = index.answer(need)
        return Known(without, plain, index.damaged)


def left(
    artifacts: Iterable[Artifact], known: Known
) -> Iterator[tuple[Artifact, os.stat_result | None]]:
    """The artifacts that have to be searched, in their order.

    With each come the facts of its file, where it was looked at. Of a `Listing` no
    others are made.
    """
    if not known.without:
        for artifact in artifacts:
            yield artifact, None
    elif isinstance(artifacts, Listing):
        yield from _listed(artifacts, known)
    else:
        skipped: set[str] = set()
        for artifact in artifacts:
            path = artifact.found.path
            if path in skipped:
                continue  # named twice
            facts = _look(path) if artifact.found.stored is None else None
            if facts is not None and known.has_no_match(facts):
                skipped.add(path)
            else:
                yield artifact, facts


def _listed(
    listing: Listing, known: Known
) -> Iterator[tuple[Artifact, os.stat_result | None]]:
    chosen: list[int] = []
    looks: list[os.stat_result | None] = []
    for index, path in enumerate(listing.plain_paths()):
        facts = _look(path) if path is not None else None
        if facts is None or not known.has_no_match(facts):
            chosen.append(index)
            looks.append(facts)
            if len(chosen) == BATCH:
                yield from zip(listing.pick(chosen), looks, strict=True)
                chosen, looks = [], []
    yield from zip(listing.pick(chosen), looks, strict=True)


def _look(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (OSError, ValueError):
        return None  # the search tells why
