"""Folders that are as a search before found them: none of their files is looked up.

All files are looked at for each search. Where what was seen of those of a folder is the
same to the byte as when the same index answered for all of them, only those that may
have a match must be told apart, and these are few.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Sequence

from spillview.index.facts import FACTS

MOST = 10_000
"""So many folders are remembered."""

_Kept = tuple[object, bytes, int, int, int]
"""The index, the facts of all files, the least and the greatest inode, their bytes."""


class Unchanged:
    """What the searches of this process found; may be used by several threads."""

    def __init__(self) -> None:
        self._mark: Hashable = None
        self._kept: dict[str, _Kept] = {}

    def mark_of(self, index: Hashable) -> Hashable:
        """One and the same object for an index that is the same."""
        if index != self._mark:
            self._mark, self._kept = index, {}
        return self._mark

    def bytes_without(
        self, mark: Hashable, first: str, facts: bytes, maybe: Sequence[int]
    ) -> int | None:
        """Bytes of the files of these facts where all are known to have no match.

        `first` is the path of one of them; `maybe` are inodes, in order, of all files
        in the index that may have one. None where it is not known so.
        """
        kept = self._kept.get(first)
        if kept is None or kept[0] is not mark or kept[1] != facts:
            return None
        _, _, least, greatest, size = kept
        if bisect_left(maybe, least) < bisect_right(maybe, greatest):
            return None
        return size

    def keep(self, mark: Hashable, first: str, facts: bytes) -> None:
        """Remember files that the index answers for, all of them."""
        words = array("Q", facts)
        if sys.byteorder == "big":
            words.byteswap()
        inodes, sizes = (words[at :: FACTS // 8] for at in (1, 2))
        if len(self._kept) >= MOST:
            self._kept = {}
        self._kept[first] = mark, facts, min(inodes), max(inodes), sum(sizes)


unchanged = Unchanged()
"""Of this process."""
