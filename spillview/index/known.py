"""What the index knows of the files of one search, and what is left to be searched."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence

from spillview.catalogue.listing import BATCH, Listing
from spillview.hints import TYPE_CHECKING
from spillview.index.facts import facts_from

if TYPE_CHECKING:
    from spillview.model import Artifact, Found
    from spillview.search.selection import Options


_FOLDER = (
    getattr(os, "O_PATH", os.O_RDONLY)
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


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

    def is_plain(self, look: os.stat_result) -> bool:
        """Whether a file is known to be searched as it is."""
        return (
            bool(self.plain)
            and facts_from(
                look.st_dev,
                look.st_ino,
                look.st_size,
                look.st_mtime_ns,
                look.st_ctime_ns,
            )
            in self.plain
        )


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
    artifacts: Sequence[Artifact], known: Known
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
        once = {_address(each.found): each for each in artifacts}
        each_once = list(once.values())
        entries = (_entry(each.found) for each in each_once)
        for index, facts in _kept(entries, known):
            yield each_once[index], facts


def _address(found: Found) -> str:
    return found.path if found.row is None else found.address


def _entry(found: Found) -> tuple[str, str] | None:
    """Folder and name of a file that is the text itself."""
    if found.stored is not None:
        return None
    folder, separator, name = found.path.rpartition(os.sep)
    return folder + separator, name


def _listed(
    listing: Listing, known: Known
) -> Iterator[tuple[Artifact, os.stat_result | None]]:
    chosen: list[int] = []
    looks: list[os.stat_result | None] = []
    for index, facts in _kept(listing.plain_entries(), known):
        chosen.append(index)
        looks.append(facts)
        if len(chosen) == BATCH:
            yield from zip(listing.pick(chosen), looks, strict=True)
            chosen, looks = [], []
    yield from zip(listing.pick(chosen), looks, strict=True)


def _kept(
    entries: Iterable[tuple[str, str] | None], known: Known
) -> Iterator[tuple[int, os.stat_result | None]]:
    """Which files (by folder and name) have to be searched, with their facts.

    There may be very many, and a look at each takes most of the time of a search; so
    it is done from its folder, and without a call more than that takes.
    """
    without, look_at, pack = known.without, os.stat, facts_from
    folder: str | None = None
    handle: int | None = None
    try:
        for index, entry in enumerate(entries):
            if entry is None:
                yield index, None
                continue
            below, name = entry
            if below != folder:
                if handle is not None:
                    os.close(handle)
                folder, handle = below, _opened(below)
            try:
                if handle is None:
                    name = os.path.join(below, name)
                look = look_at(name, dir_fd=handle, follow_symlinks=False)
            except (OSError, ValueError):  # the search tells why
                yield index, None
                continue
            if (
                pack(
                    look.st_dev,
                    look.st_ino,
                    look.st_size,
                    look.st_mtime_ns,
                    look.st_ctime_ns,
                )
                not in without
            ):
                yield index, look
            else:
                known.files += 1
                known.size += look.st_size
    finally:
        if handle is not None:
            os.close(handle)


def _opened(folder: str) -> int | None:
    """A folder to look from; None where that is not to be had."""
    if os.stat not in os.supports_dir_fd:
        return None
    try:
        return os.open(folder or os.curdir, _FOLDER)
    except (OSError, ValueError):
        return None
