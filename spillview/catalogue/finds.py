"""The artifacts of one discovery in the order in which they were found."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from spillview.catalogue.find_columns import Facts, FindColumns, Key, told
from spillview.digests import blake2b
from spillview.hints import TYPE_CHECKING, overload
from spillview.model import Found
from spillview.space import BLOCK, ROUNDING, Space, taken

if TYPE_CHECKING:
    from spillview.discovery.entries import Common

__all__ = ["Facts", "Finds", "Key"]


class Finds(FindColumns, Sequence[Found]):
    """The artifacts of one discovery; each is made from its columns when asked for."""

    __slots__ = ()

    # As a sequence

    @overload
    def __getitem__(self, place: int) -> Found: ...
    @overload
    def __getitem__(self, place: slice) -> list[Found]: ...
    def __getitem__(self, place: int | slice) -> Found | list[Found]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        if place < 0:
            place += len(self)
        of = self._of[place]
        if of < 0:
            return self._whole[place]
        return self._shared[of].found_of(
            self._names[place],
            (
                self.sizes[place],
                self.mtimes[place],
                self._inos[place],
                self._devs[place],
                self._modes[place],
                self._uids[place],
                self._nlinks[place],
                told(self._blocks[place]),
            ),
        )

    def __iter__(self) -> Iterator[Found]:
        return (self[place] for place in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(
            mine == theirs for mine, theirs in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]  # it grows

    # All of them

    def sessions(self) -> list[str]:
        """The session that the layout gives, of each."""
        return list(self._sessions)

    def stores(self) -> dict[tuple[str, str], tuple[int, Space]]:
        """How many artifacts each root of a harness holds, and their space."""
        held: dict[tuple[str, str], list[int]] = {}
        for common, (start, end) in zip(self._shared, self._spans, strict=True):
            held.setdefault((common.harness, common.root), []).extend(range(start, end))
        for place, found in self._whole.items():
            held.setdefault((found.harness, found.root), []).append(place)
        return {
            key: (len(mine), self.space(mine)) for key, mine in held.items() if mine
        }

    def held(self, places: Sequence[int]) -> int:
        """Bytes that these files hold, each counted once."""
        return sum(map(self.sizes.__getitem__, self._distinct(places)))

    def space(self, places: Sequence[int]) -> Space:
        """What these files hold and take together, each counted once."""
        places = self._distinct(places)
        sizes, blocks = (
            [column[place] for place in places] for column in (self.sizes, self._blocks)
        )
        disk = held = sum(sizes)
        for size, of in zip(sizes, blocks, strict=True):
            if not size <= of * BLOCK < size + ROUNDING:
                disk += taken(size, told(of)) - size
        return Space(len(places), held, disk)

    def _distinct(self, places: Sequence[int]) -> Sequence[int]:
        """The first place of each file; a row of a database is a file of its own."""
        inodes = list(map(self._inos.__getitem__, places))
        if len(set(inodes)) == len(inodes):
            return places
        met: set[tuple[int, int, str | None]] = set()
        kept = []
        for place, inode in zip(places, inodes, strict=True):
            if inode:
                item = self._whole.get(place)
                row = item.row if item is not None else None
                key = (self._devs[place], inode, row)
                if key in met:
                    continue
                met.add(key)
            kept.append(place)
        return kept

    def whole(self) -> Mapping[int, Found]:
        """What is more than a plain file in a folder, by place."""
        return self._whole

    def real_folders(self) -> set[str]:
        """The real paths of the folders that the others lie in."""
        return {common.real for common in self._shared}

    def idents_in(self, real: str, name: str) -> list[str]:
        """The ids of the plain files of that name in a folder, by its real path."""
        shared = {i for i, common in enumerate(self._shared) if common.real == real}
        return [
            self.ident(place)
            for place, of in enumerate(self._of)
            if of in shared and self._names[place] == name
        ]

    def harnesses(self) -> set[str]:
        """Whose artifacts these are."""
        return {
            *(common.harness for common in self._shared),
            *(item.harness for item in self._whole.values()),
        }

    def groups(self) -> dict[tuple[str, str], Sequence[int]]:
        """The places of each session's artifacts, by harness and session."""
        groups: dict[tuple[str, str], range | array[int]] = {}
        for harness, session, start, end in self._runs:
            run = range(start, end)
            before = groups.setdefault((harness, session), run)
            if isinstance(before, array):
                before.extend(run)
            elif before is not run:
                groups[harness, session] = array("i", (*before, *run))
        return dict(groups)

    def mode(self, place: int) -> int:
        """The file's mode."""
        return self._modes[place]

    def modes(self, places: Iterable[int]) -> bytes:
        """The modes of these, for a digest."""
        if isinstance(places, range):
            return self._modes[places.start : places.stop].tobytes()
        return array("I", [self._modes[place] for place in places]).tobytes()

    def folder_of(self, places: Sequence[int]) -> Common | None:
        """The folder that all of these are plain files of, if there is one."""
        if isinstance(places, range):
            folders = set(self._of[places.start : places.stop])
        else:
            folders = {self._of[place] for place in places}
        of = folders.pop() if len(folders) == 1 else -1
        return self._shared[of] if of >= 0 else None

    def a_path_of_each(self, places: Iterable[int]) -> list[str]:
        """One path in each of the folders of these, and of what is no plain file."""
        if isinstance(places, range) and self.folder_of(places) is not None:
            return [self.address(places[0])]
        firsts = {self._of[p] if self._of[p] >= 0 else ~p: p for p in places}
        return [self.address(place).partition("\0")[0] for place in firsts.values()]

    def any_named(self, places: Sequence[int], names: Set[str]) -> bool:
        """Whether one of these artifacts has one of these names."""
        return any(self._names[place] in names for place in places)

    def sign(self, places: Sequence[int], update: Callable[[bytes], object]) -> None:
        """Hand over what tells whether one of these artifacts changed."""
        first, last = (places[0], places[-1] + 1) if places else (0, 0)
        columns = (self.sizes, self.mtimes, self._inos, self._devs)
        if last - first == len(places):
            names = "\0".join(self._names[first:last])
            parts = [column[first:last].tobytes() for column in columns]
        else:
            names = "\0".join([self._names[place] for place in places])
            parts = [
                array(column.typecode, [column[place] for place in places]).tobytes()
                for column in columns
            ]
        update(names.encode("utf-8", "surrogateescape"))
        for part in parts:
            update(part)

    def signature(self) -> str:
        """What changes when one comes, goes or changes."""
        digest = blake2b(digest_size=16)
        self.sign(range(len(self)), digest.update)
        folders = "\0".join(common.below for common in self._shared)
        digest.update(folders.encode("utf-8", "surrogateescape"))
        digest.update(self._of.tobytes())
        for item in self._whole.values():
            digest.update(repr((item.address, item.key)).encode("utf-8", "replace"))
        return digest.hexdigest()
