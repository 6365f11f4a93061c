"""Very many rows under headings: each row is made when it is drawn."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from spillview.tui.row_list import Row


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, and how the rows below it are made."""

    heading: Row
    count: int
    row: Callable[[int], Row]
    """Makes one of them, by its number below the heading."""
    find: Callable[[str], int | None]
    """Which of them has that key; None where none has."""


class Sections(Sequence[Row]):
    """The rows of some sections, headings among them."""

    def __init__(self, sections: Iterable[Section]) -> None:
        self.sections = [each for each in sections if each.count]
        self.heads: list[int] = []
        """Where the headings are."""
        number = 0
        for section in self.sections:
            self.heads.append(number)
            number += section.count + 1
        self._number = number

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[Row]:
        return map(self._row, range(self._number))

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        if isinstance(index, slice):
            return list(map(self._row, range(*index.indices(self._number))))
        return self._row(range(self._number)[index])

    def _row(self, index: int) -> Row:
        at = bisect_right(self.heads, index) - 1
        section = self.sections[at]
        below = index - self.heads[at] - 1
        return section.row(below) if below >= 0 else section.heading

    def index_of(self, key: str) -> int | None:
        """Where the row of that key is, a heading or another."""
        for start, section in zip(self.heads, self.sections, strict=True):
            if section.heading.key == key:
                return start
            below = section.find(key)
            if below is not None:
                return start + 1 + below
        return None
