"""Which files a search need not read, from all segments of the index."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from spillview.index.facts import size_of
from spillview.index.segments import Damaged, Outdated, Segment
from spillview.own_files import set_aside

if TYPE_CHECKING:
    from spillview.index.needs import Need

SUFFIX = ".segment"


class Lookup:
    """The segments in a folder, open for reading; close it again.

    A segment that is damaged answers nothing: its files are searched. It is set aside,
    and the next update makes it anew.
    """

    def __init__(self, folder: str) -> None:
        self.damaged = 0
        """Segments that turned out to be damaged and were set aside."""
        self.segments: list[Segment] = []
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            return
        for name in names:
            if name.endswith(SUFFIX):
                self._open(os.path.join(folder, name))

    def _open(self, path: str) -> None:
        try:
            self.segments.append(Segment(path))
        except Outdated:
            _remove(path)
        except Damaged:
            self.damaged += 1
            _set_aside(path)
        except OSError:  # merged meanwhile, or it cannot be read: it answers nothing
            return

    def close(self) -> None:
        """Give all files back."""
        for segment in self.segments:
            segment.close()
        self.segments = []

    def __enter__(self) -> Lookup:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def token(self) -> tuple[tuple[str, int, int], ...]:
        """What changes with any of the segments."""
        return tuple((each.path, *each.mark) for each in self.segments)

    def answer(self, need: Need) -> tuple[set[bytes], set[bytes], set[bytes]]:
        """The files without a line that has what is needed, and the others here.

        Third, those of which only parts are here that leave something out; any other
        file is not known.
        """
        without: set[bytes] = set()
        others: set[bytes] = set()
        doubtful: set[bytes] = set()
        parts: list[tuple[bytes, tuple[int, int]]] = []
        for segment in list(self.segments):
            try:
                candidates = segment.candidates(need)
            except (Damaged, OSError) as error:
                self.segments.remove(segment)
                segment.close()
                if isinstance(error, Damaged):
                    self.damaged += 1
                    _set_aside(segment.path)
                continue
            keys = segment.facts()
            whole = without if candidates is not None else others
            whole.update(keys)
            for number in segment.partial:  # said below, or nowhere
                whole.discard(keys[number])
                doubtful.add(keys[number])
            if candidates is None:
                continue
            for number in candidates.difference(segment.partial):
                others.add(keys[number])
                without.discard(keys[number])
            parts += (
                (keys[number], segment.part(number))
                for number in segment.partial
                if number not in candidates
            )
        if parts:
            without |= whole_files(parts)
        return without, others, doubtful - without - others


def whole_files(parts: Iterable[tuple[bytes, tuple[int, int]]]) -> set[bytes]:
    """The files of which these parts leave nothing out; they may overlap."""
    files: dict[bytes, list[tuple[int, int]]] = {}
    for key, part in parts:
        files.setdefault(key, []).append(part)
    whole = set()
    for key, known in files.items():
        reached = 0
        for start, end in sorted(known):
            if start > reached:
                break
            reached = max(reached, end)
        if reached == size_of(key):
            whole.add(key)
    return whole


def _set_aside(path: str) -> None:
    with contextlib.suppress(OSError):
        set_aside(path, "segment")


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
