"""What directory entries say of very many artifacts, as columns.

A file costs about 170 bytes here and a third of the time of a `Found`, which is made
when one is asked for. What is more than a plain file in a folder (a link, a row of a
database, what may not be looked at) is kept as it is.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from operator import attrgetter, itemgetter

from spillview.digests import sha256
from spillview.hints import TYPE_CHECKING, Any
from spillview.model import Found

if TYPE_CHECKING:
    from spillview.discovery.entries import Common

Facts = tuple[int, int, int, int, int, int, int, int | None]
"""Size, mtime in ns, inode, device, mode, uid, number of names, 512-byte blocks."""

Key = tuple[int, int, int, int]


_MTIME = attrgetter("st_mtime_ns")
_CTIME = attrgetter("st_ctime_ns")
_BLOCKS: Callable[[os.stat_result], int] = (
    attrgetter("st_blocks")
    if hasattr(os.stat_result, "st_blocks")
    else lambda facts: UNTOLD
)

UNTOLD = -1
"""Blocks of a file whose system does not tell them."""


def told(blocks: int) -> int | None:
    """Blocks of a file; None where they are not told."""
    return None if blocks == UNTOLD else blocks


def _extend(column: array[int], values: Sequence[int]) -> None:
    """Add values that are mostly all the same."""
    if values.count(values[0]) == len(values):
        column.extend(array(column.typecode, values[:1]) * len(values))
    else:
        column.fromlist(list(values))


_FIRST: Callable[[tuple[str, str, int, int]], int] = itemgetter(2)


class FindColumns:
    """The entries of one discovery, and single facts of each by its place."""

    __slots__ = (
        "_blocks",
        "_ctimes",
        "_devs",
        "_inos",
        "_modes",
        "_names",
        "_nlinks",
        "_of",
        "_runs",
        "_sessions",
        "_shared",
        "_spans",
        "_uids",
        "_whole",
        "mtimes",
        "sizes",
    )

    def __init__(self, found: Iterable[Found] = ()) -> None:
        self._shared: list[Common] = []
        self._spans: list[tuple[int, int]] = []
        """First place and end of the files of each of these."""
        self._of = array("i")
        """Which of these each has; -1 for what is whole."""
        self._runs: list[tuple[str, str, int, int]] = []
        """Harness, session, first place and end of what stands together."""
        self._names: list[str] = []
        self._sessions: list[str] = []
        self.sizes = array("q")
        """Bytes by `stat`."""
        self.mtimes = array("q")
        """Nanoseconds since the epoch; a link's is that of what it points at."""
        self._ctimes = array("q")
        """When anything of it changed, as `mtimes`; of plain files only."""
        self._inos = array("Q")
        self._devs = array("Q")
        self._modes = array("I")
        self._uids = array("I")
        self._nlinks = array("Q")
        self._blocks = array("q")
        self._whole: dict[int, Found] = {}
        for item in found:
            self.append(item)

    # Filling

    def take(
        self,
        common: Common,
        names: Sequence[str],
        sessions: str | Sequence[str],
        facts: Sequence[os.stat_result],
    ) -> None:
        """Take regular files of one folder; of one session, or each of its own."""
        harness, start = common.harness, len(self)
        self._of.extend([len(self._shared)] * len(names))
        self._shared.append(common)
        self._spans.append((start, start + len(names)))
        self._names += names
        if isinstance(sessions, str):
            self._runs.append((harness, sessions, start, len(self)))
            self._sessions += [sessions] * len(names)
        else:
            for place, session in enumerate(sessions, start):
                self._run(harness, session, place)
            self._sessions += sessions
        if not facts:
            return
        # As tuples: by the names of their fields it takes twice the time. And a list
        # is taken into an array in half the time of anything else.
        modes, inos, devs, nlinks, uids, _, sizes, *_ = zip(*facts, strict=True)
        self.sizes.fromlist(list(sizes))
        self.mtimes.fromlist(list(map(_MTIME, facts)))
        self._ctimes.fromlist(list(map(_CTIME, facts)))
        self._inos.fromlist(list(inos))
        _extend(self._devs, devs)
        _extend(self._modes, modes)
        _extend(self._uids, uids)
        _extend(self._nlinks, nlinks)
        self._blocks.fromlist(list(map(_BLOCKS, facts)))

    def _run(self, harness: str, session: str, place: int) -> None:
        if self._runs:
            before, its, start, end = self._runs[-1]
            if (before, its, end) == (harness, session, place):
                self._runs[-1] = (harness, session, start, place + 1)
                return
        self._runs.append((harness, session, place, place + 1))

    def append(self, found: Found) -> None:
        """Take one that is made already."""
        self._run(found.harness, found.session, len(self))
        self._whole[len(self._of)] = found
        behind = found.target_mtime_ns
        self._of.append(-1)
        self._names.append(found.name)
        self._sessions.append(found.session)
        self.sizes.append(found.size)
        self.mtimes.append(behind if behind is not None else found.mtime_ns)
        self._ctimes.append(0)
        self._inos.append(found.ino)
        self._devs.append(found.dev)
        self._modes.append(found.mode)
        self._uids.append(found.uid)
        self._nlinks.append(found.nlink)
        self._blocks.append(UNTOLD if found.blocks is None else found.blocks)

    # Single facts, without making anything

    def __len__(self) -> int:
        return len(self._of)

    def harness(self, place: int) -> str:
        """The harness of the artifact at a place."""
        of = self._of[place]
        return self._shared[of].harness if of >= 0 else self._whole[place].harness

    def root(self, place: int) -> str:
        """The store's root folder."""
        of = self._of[place]
        return self._shared[of].root if of >= 0 else self._whole[place].root

    def session(self, place: int) -> str:
        """The session id the layout gives."""
        return self._sessions[place]

    def name(self, place: int) -> str:
        """The file's name, or the row's key."""
        return self._names[place]

    def ident(self, place: int) -> str:
        """The artifact's id."""
        of = self._of[place]
        if of < 0:
            return self._whole[place].id
        return self._shared[of].ident_of(self._names[place])

    def are_plain(self, places: range) -> bool:
        """Whether all of these are plain files whose text is the file."""
        return all(
            of >= 0 and self._shared[of].stored is None
            for of in set(self._of[places.start : places.stop])
        )

    def numbers(self, places: range) -> Iterator[int]:
        """The ids of plain files as numbers."""
        begun: dict[int, Any] = {}
        for place in places:
            of = self._of[place]
            if of not in begun:
                begun[of] = sha256(os.fsencode(os.path.join(self._shared[of].real, "")))
            ident = begun[of].copy()
            ident.update(os.fsencode(self._names[place]))
            yield int.from_bytes(ident.digest()[:8], "big")

    def address(self, place: int) -> str:
        """The path, and behind a NUL the row."""
        of = self._of[place]
        if of < 0:
            return self._whole[place].address
        return self._shared[of].path_of(self._names[place])

    def plain_folders(self, places: Iterable[int]) -> list[str | None]:
        """The folder (a separator at its end) of each file that is the text itself.

        None for anything else.
        """
        folders = [c.below if c.stored is None else None for c in self._shared]
        folders.append(None)  # of what is whole, which is at -1
        return [folders[self._of[place]] for place in places]

    def names(self, places: Iterable[int]) -> list[str]:
        """The name of each file, or the row's key."""
        return list(map(self._names.__getitem__, places))

    def facts(self) -> tuple[array[int], ...]:
        """Device, inode, size, ns of the last write and of the last change, by place.

        Of plain files: what is behind a link, or a row, is not told of.
        """
        return self._devs, self._inos, self.sizes, self.mtimes, self._ctimes

    def within_others(self) -> set[int]:
        """The places of what is no file of its own: a link, a row, a part of a file."""
        places = set(self._whole)
        for common, (start, end) in zip(self._shared, self._spans, strict=True):
            if common.stored is not None:
                places.update(range(start, end))
        return places

    def file_path(self, place: int) -> str | None:
        """The path of a regular file; None for a link, a row, what is not readable."""
        of = self._of[place]
        if of >= 0:
            return self._shared[of].below + self._names[place]
        found = self._whole[place]
        return found.path if found.type == "file" and found.row is None else None

    def by_address(self, places: Iterable[int]) -> list[int]:
        """These places in the order of their addresses."""
        names, of = self._names, self._of
        folders: dict[int, list[int]] = {}
        for each, together in groupby(places, of.__getitem__):
            folders.setdefault(each, []).extend(together)
        others = folders.pop(-1, [])
        below = {each: self._shared[each].below for each in folders}
        ordered = sorted(folders, key=below.__getitem__)
        inside = (
            below[inner].startswith(below[outer]) for outer, inner in pairwise(ordered)
        )
        if not others and not any(inside):
            by_name = names.__getitem__
            return [p for each in ordered for p in sorted(folders[each], key=by_name)]
        pairs = [(below[each] + names[p], p) for each in ordered for p in folders[each]]
        pairs += [(self._whole[place].address, place) for place in others]
        pairs.sort()
        return [place for _, place in pairs]

    def key(self, place: int) -> Key:
        """Device, inode, size, mtime: unchanged means unchanged."""
        of = self._of[place]
        if of < 0:
            return self._whole[place].key
        return (
            self._devs[place],
            self._inos[place],
            self.sizes[place],
            self.mtimes[place],
        )

    def group(self, place: int) -> tuple[str, str]:
        """What the artifacts of one session share: its harness and its id."""
        return self.harness(place), self._sessions[place]

    def run(self, place: int) -> range:
        """The places around one that stand together and are of one session."""
        at = bisect_right(self._runs, place, key=_FIRST) - 1
        _, _, start, end = self._runs[at]
        return range(start, end)
