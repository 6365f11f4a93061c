"""What the index knows of the files of one search, and what is left to be searched."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import compress, count, groupby, repeat
from operator import attrgetter, not_

from spillview.catalogue.listing import Listing
from spillview.collection import uncollected
from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.model import Artifact
    from spillview.search.selection import Options

_FOLDER = (
    getattr(os, "O_PATH", os.O_RDONLY)
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_CLOEXEC", 0)
)

MANY = 1000
"""From so many files on that may have a match, what the index answers for is asked
file by file."""

TOGETHER = 500
"""So many files are looked at before the search of them begins."""
_SIZE: Callable[[os.stat_result], int] = attrgetter("st_size")

FEW = 8
"""For fewer files of a folder it takes longer to open the folder."""

Left = tuple[int, str, str, os.stat_result | None, bool]
"""A file that has to be searched: the number of its artifact, its folder (a separator
at its end) and its name, its facts where it was looked at, and whether it is known to
be searched as it is. What is not the text itself has neither folder nor name."""


class Known:
    """Files by what `facts_of` gives."""

    def __init__(
        self,
        without: set[bytes] | frozenset[bytes] = frozenset(),
        plain: set[bytes] | frozenset[bytes] = frozenset(),
        damaged: int = 0,
        doubtful: set[bytes] | frozenset[bytes] = frozenset(),
        index: Hashable = None,
    ) -> None:
        self.without = without
        """They have no match."""
        self.plain = plain
        """They are searched as they are, not decoded, and may have one."""
        self.maybe = plain | doubtful
        """All of which the index knows, but not that they have no match."""
        self.index = None
        """What the index was when it told this, unless hardly a file is without."""
        self.inodes: list[int] = []
        """Those of `maybe`, in order."""
        if index is not None and len(self.maybe) < MANY:
            # Here as below: most searches are on a machine without an index.
            from spillview.index.facts import file_of
            from spillview.index.unchanged import unchanged

            self.index = unchanged.mark_of(index)
            self.inodes = sorted(file_of(each)[1] for each in self.maybe)
        self.damaged = damaged
        """Segments that were damaged."""
        self.files = 0
        """How many artifacts were left out for having no match."""
        self.size = 0
        """Bytes of them."""

    def size_without(self, first: str, facts: bytes) -> int | None:
        """Bytes of the files of these facts, where a search before has found that the
        index answers for all of them, and none may have a match."""
        if self.index is None:
            return None
        from spillview.index.unchanged import unchanged

        return unchanged.bytes_without(self.index, first, facts, self.inodes)

    def keep(self, first: str, facts: bytes, left: Iterable[bytes]) -> None:
        """Remember that, if it answers for those that are `left` of these facts."""
        if self.index is not None and self.maybe.issuperset(left):
            from spillview.index.unchanged import unchanged

            unchanged.keep(self.index, first, facts)


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
        without, plain, doubtful = index.answer(need)
        return Known(without, plain, index.damaged, doubtful, index.token)


def left(
    artifacts: Sequence[Artifact], known: Known, *, looked: bool = False
) -> Iterator[Left]:
    """The artifacts that have to be searched, in their order, each file once.

    `looked`: whether a `Listing` was made a moment ago, by the same command: where a
    file as it was then is known to have no match, it is not looked at again.
    """
    if isinstance(artifacts, Listing):
        finds, order = artifacts.table.finds, artifacts.order
        indices: Sequence[int] = range(len(order))
        places: Sequence[int] = order
        if looked and known.without:
            indices = _others(artifacts, known)
            places = [order[index] for index in indices]
        folders, names = finds.plain_folders(places), finds.names(places)
    else:
        folders, names, indices = _places(artifacts)
    for begin in range(0, len(indices), TOGETHER):
        some = slice(begin, begin + TOGETHER)
        files = indices[some], folders[some], names[some]
        if known.without or known.plain:
            with uncollected:
                chosen = _looked_at(*files, known)
            yield from chosen
        else:
            for index, folder, name in zip(*files, strict=True):
                yield index, folder or "", name, None, False


def _places(
    artifacts: Sequence[Artifact],
) -> tuple[list[str | None], list[str], list[int]]:
    """Folder and name of each file that is the text itself, and each file once."""
    folders: list[str | None] = []
    names: list[str] = []
    indices: list[int] = []
    met: set[str] = set()
    for index, artifact in enumerate(artifacts):
        found = artifact.found
        address = found.path if found.row is None else found.address
        if address in met:
            continue
        met.add(address)
        folder, separator, name = found.path.rpartition(os.sep)
        folders.append(folder + separator if found.stored is None else None)
        names.append(name)
        indices.append(index)
    return folders, names, indices


def _others(listing: Listing, known: Known) -> list[int]:
    """Those of which it is not known that they had no match when they were listed."""
    from spillview.index.facts import facts_in

    finds, order = listing.table.finds, listing.order
    has_none = map(known.without.__contains__, facts_in(finds.facts()))
    open_ones = finds.within_others()
    open_ones.update(compress(count(), map(not_, has_none)))
    others = list(compress(count(), map(open_ones.__contains__, order)))
    size = finds.sizes.__getitem__
    known.files += len(order) - len(others)
    known.size += sum(map(size, order)) - sum(size(order[each]) for each in others)
    return others


def _looked_at(
    indices: Sequence[int],
    folders: Sequence[str | None],
    names: Sequence[str],
    known: Known,
) -> list[Left]:
    """Those that have to be searched, in their order.

    There may be very many, and a look at each takes most of the time of a search; so
    it is done folder by folder, and without a call more than that takes.
    """
    from spillview.index.facts import facts_together, single

    inside: dict[str | None, tuple[list[int], list[str]]] = {}
    begin = 0
    for folder, together in groupby(folders):
        end = begin + sum(1 for _ in together)
        numbers, own = inside.setdefault(folder, ([], []))
        numbers += indices[begin:end]
        own += names[begin:end]
        begin = end
    left: list[Left] = []
    for folder, (some, own) in inside.items():
        if folder is None:
            left += zip(some, repeat(""), own, repeat(None), repeat(False))
            continue
        try:
            looks = _looks(folder, own)
        except (OSError, ValueError):  # the search tells why
            singly = [_look(folder + name) for name in own]
            gone = [look is None for look in singly]
            left += zip(
                compress(some, gone),
                repeat(folder),
                compress(own, gone),
                repeat(None),
                repeat(False),
            )
            there = list(map(not_, gone))
            some, own = list(compress(some, there)), list(compress(own, there))
            looks = [look for look in singly if look is not None]
        if not looks:
            continue
        packed, first = facts_together(looks), folder + own[0]
        size = known.size_without(first, packed)
        if size is not None:
            known.files += len(looks)
            known.size += size
            continue
        facts = single(packed)
        kept = [each not in known.without for each in facts]
        sizes = list(map(_SIZE, compress(looks, map(not_, kept))))
        if sizes:
            known.files += len(sizes)
            known.size += sum(sizes)
            some, own = list(compress(some, kept)), list(compress(own, kept))
            looks, facts = list(compress(looks, kept)), list(compress(facts, kept))
        known.keep(first, packed, facts)
        plain = map(known.plain.__contains__, facts)
        left += zip(some, repeat(folder), own, looks, plain)
    left.sort()
    return left


def _looks(folder: str, names: Sequence[str]) -> list[os.stat_result]:
    """The facts of files in one folder; raises OSError or ValueError."""
    handle = _opened(folder) if len(names) >= FEW else None
    look = os.stat
    try:
        if handle is None:
            return [look(folder + name, follow_symlinks=False) for name in names]
        return [look(name, dir_fd=handle, follow_symlinks=False) for name in names]
    finally:
        if handle is not None:
            os.close(handle)


def _look(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (OSError, ValueError):
        return None


def _opened(folder: str) -> int | None:
    """A folder to look from; None where that is not to be had."""
    if os.stat not in os.supports_dir_fd:
        return None
    try:
        return os.open(folder, _FOLDER)
    except (OSError, ValueError):
        return None
