"""The rows of the queue in order: a number for each artifact, and the others."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import overload

from spillview.model import Artifact, Missing, Session
from spillview.tui.queue.members import Ledger, Members
from spillview.tui.queue.sessions import Run

Row = Run | Artifact | Missing
Key = tuple[str, ...]
"""What a row is known by, whatever its place and its facts become."""


def session_key(session: Session) -> Key:
    """The key of a session's header row."""
    return ("session", session.harness, session.id)


def row_key(row: Row) -> Key:
    """The key of any row."""
    if isinstance(row, Artifact):
        return ("artifact", row.id)
    if isinstance(row, Session):
        return session_key(row)
    mention = row.mention
    return ("missing", mention.transcript, str(mention.record), str(mention.block))


class Rows(Sequence[Row]):
    """Headers, artifacts and calls without a file; an artifact's row is made anew."""

    def __init__(self, ledger: Ledger) -> None:
        self.members = Members(ledger, ())
        self._codes = array("i")
        """The place of an artifact, or `~index` of another row."""
        self._others: list[Run | Missing] = []
        self._headers = array("i")
        """Where the rows of sessions are, in order."""

    # Filling

    def add(self, row: Run | Missing) -> None:
        """One row that is no artifact."""
        if isinstance(row, Run):
            self._headers.append(len(self._codes))
        self._codes.append(~len(self._others))
        self._others.append(row)

    def extend(self, places: Iterable[int]) -> None:
        """The artifacts at these places."""
        self._codes.extend(places)

    # As a sequence

    def __len__(self) -> int:
        return len(self._codes)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        code = self._codes[index]
        if code < 0:
            return self._others[~code]
        return self.members.of((code,))[0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # it equals a list of the same

    # Single facts, without making an artifact

    def place(self, index: int) -> int | None:
        """Where an artifact is among all; None for another row."""
        code = self._codes[index]
        return code if code >= 0 else None

    def other(self, index: int) -> Run | Missing | None:
        """A row that is no artifact."""
        code = self._codes[index]
        return self._others[~code] if code < 0 else None

    def session(self, index: int) -> Run | None:
        """The session whose header the row is."""
        row = self.other(index)
        return row if isinstance(row, Run) else None

    def header(self, index: int) -> int:
        """Where the header of a row's session is, or it itself; -1 without one."""
        above = bisect_right(self._headers, index)
        return self._headers[above - 1] if above else -1

    def known(self, index: int) -> Row | None:
        """The row, unless its artifact has to be made first."""
        code = self._codes[index]
        return self._others[~code] if code < 0 else self.members.known(code)

    def older(self, index: int) -> Row | None:
        """The row as the scan before knew it."""
        code = self._codes[index]
        return self._others[~code] if code < 0 else self.members.older(code)

    def is_done(self, index: int) -> bool:
        """Whether it is an artifact that was reviewed."""
        code = self._codes[index]
        return code >= 0 and self.members.gists.is_reviewed(code)

    def key(self, index: int) -> Key:
        """The key of a row."""
        code = self._codes[index]
        if code < 0:
            return row_key(self._others[~code])
        return ("artifact", self.members.gists.ident(code))

    def index_of(self, key: Key) -> int:
        """Where the row of that key is; -1 where there is none."""
        if key[0] == "artifact":
            place = self.members.gists.place_of(key[1])
            return -1 if place is None else self.index_at(place)
        for number, row in enumerate(self._others):
            if row_key(row) == key:
                return self._codes.index(~number)
        return -1

    def index_at(self, place: int) -> int:
        """Where the artifact at a place has its row; -1 where it has none."""
        try:
            return self._codes.index(place)
        except ValueError:
            return -1

    def artifacts(self) -> Members:
        """Those of the artifacts that have a row, in this order."""
        return self.members.of(code for code in self._codes if code >= 0)

    def others(self) -> Sequence[Run | Missing]:
        """The rows that are none, in this order."""
        return self._others
