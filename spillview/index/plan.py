"""What an update of the index has to read, and which segments can go after that."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field

from spillview.index.drafts import LARGEST
from spillview.index.facts import facts_of, size_of
from spillview.index.lookup import Lookup, whole_files
from spillview.index.segments import Damaged, Segment
from spillview.index.signature import BLOCK
from spillview.index.wanted import Wanted

LIGHT = LARGEST // 2
"""Segments of fewer blocks are brought together from time to time."""
MOST_LIGHT = 16
"""So many of them may lie side by side."""


@dataclass(slots=True)
class Work:
    """What is to be read, and which segments can go after that."""

    files: dict[bytes, Wanted] = field(default_factory=dict)
    old: list[Segment] = field(default_factory=list)

    @property
    def bytes(self) -> int:
        """Of all files that are to be read."""
        return sum(map(size_of, self.files))


def present(wanted: Iterable[Wanted]) -> dict[bytes, Wanted]:
    """The regular files among these by their present facts, each once."""
    given: dict[bytes, Wanted] = {}
    for each in wanted:
        facts = look(each.path)
        if facts is not None:
            given.setdefault(facts, each)
    return given


def look(path: str) -> bytes | None:
    try:
        facts = os.lstat(path)
    except (OSError, ValueError):
        return None
    return facts_of(facts) if stat.S_ISREG(facts.st_mode) else None


def plan(index: Lookup, given: dict[bytes, Wanted]) -> Work:
    """What is new or was lost, and what is brought together or left out by the way."""
    work = Work()
    live: dict[Segment, dict[bytes, Wanted]] = {}
    seen: set[tuple[bytes, int]] = set()
    for segment in sorted(index.segments, key=lambda each: -each.columns):
        try:
            paths = segment.paths()
        except (Damaged, OSError):
            index.damaged += 1
            work.old.append(segment)
            continue
        alive: dict[bytes, Wanted] = {}
        dead = 0
        for number, (key, path) in enumerate(zip(segment.facts(), paths, strict=True)):
            start, end = segment.part(number)
            if (key, start) in seen or not (key in given or look(path) == key):
                dead += max(1, end - start)
                continue
            seen.add((key, start))
            alive[key] = given.get(key) or Wanted("", path)
        live[segment] = alive
        if 2 * dead > segment.columns * BLOCK or not alive:
            work.old.append(segment)
    light = [s for s in live if s.columns < LIGHT and s not in work.old]
    if len(light) > MOST_LIGHT:
        work.old += light
    known: set[bytes] = set()
    for segment, alive in live.items():
        if segment in work.old:
            work.files |= alive
        else:
            known |= alive.keys()
    # A file in parts of which one is lost is read again as a whole.
    parted: set[bytes] = set()
    for segment in live:
        if segment.partial:
            keys = segment.facts()
            parted.update(keys[n] for n in segment.partial if segment.part(n)[1])
    known -= parted - complete(each for each in live if each not in work.old)
    work.files |= {key: each for key, each in given.items() if key not in known}
    return work


def complete(segments: Iterable[Segment]) -> set[bytes]:
    """The files that the segments answer for."""
    return whole_files(
        (key, segment.part(number))
        for segment in segments
        for number, key in enumerate(segment.facts())
    )
