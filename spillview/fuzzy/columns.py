"""One part of every label, each distinct text once, and which texts hold a word."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, groupby, repeat
from operator import contains, mul

import stringzilla  # type: ignore[import-not-found]  # it has no types

INSIDE = 1
"""The word stands somewhere in the text."""

START = 3
"""A word of the text begins with it."""

WHOLE = 7
"""It is a word of the text."""

FEW = 4096
"""A word that stands in a text so often, or in one text of `COMMON`, is looked at
closer wherever it stands; a commoner one ranks no text before another."""

COMMON = 6

_MARK = [bytes([mark]) for mark in range(WHOLE + 1)]
_SPACE = ord(" ")
_SEPARATOR = re.compile(r"[!-/:-@\[-`{-~]")


def spaced(text: str) -> str:
    """The text without case, a space around each separator and at both ends.

    A word stands in a text exactly when its own form does, stripped; what lies between
    two separators begins and ends with a space.
    """
    plain = text.casefold().replace("\n", " ").replace("\t", " ")
    for found in set(_SEPARATOR.findall(plain)):
        plain = plain.replace(found, f" {found} ")
    return f" {plain} "


class Column:
    """The same part of every label, in the order of the labels."""

    def __init__(self, texts: Sequence[str], before: Column | None = None) -> None:
        """What was made of a text for the column `before` is used again."""
        distinct = dict.fromkeys(texts)
        self.texts = list(texts)
        self._places: bytes | None = None
        """Which distinct text each label has, where these are few."""
        self._runs: array[int] | None = None
        """The same for runs of labels, where they are not; else each has its own."""
        self._lengths = array("I")
        if len(distinct) <= len(texts) // 2:
            self.texts = list(distinct)
            place_of = {text: place for place, text in enumerate(distinct)}
            if len(distinct) <= 256:
                self._places = bytes(map(place_of.__getitem__, texts))
            else:
                self._runs = array("I")
                for text, run in groupby(texts):
                    self._runs.append(place_of[text])
                    self._lengths.append(sum(1 for _ in run))
        known: dict[str, str] = {}
        if before is not None:
            known = dict(zip(before.texts, before._forms, strict=True))
        self._forms: list[str] = [
            known.get(text) or spaced(text) for text in self.texts
        ]
        coded = [form.encode("utf-8", "surrogatepass") for form in self._forms]
        self._ends = array("Q", accumulate(map(len, coded)))
        self._joined = b"".join(coded)

    def holding(self, word: str) -> bytes:
        """How well each distinct text holds the word, in `spaced` form; 0 is not."""
        coded = word.encode("utf-8", "surrogatepass")
        joined = stringzilla.Str(self._joined)
        if joined.count(coded) > max(FEW, len(self.texts) // COMMON):
            return bytes(map(contains, self._forms, repeat(word)))
        marks = bytearray(len(self.texts))
        at = joined.find(coded)
        while at >= 0:
            place = bisect_right(self._ends, at)
            mark = INSIDE
            if self._joined[at - 1] == _SPACE:
                ends = self._joined[at + len(coded)] == _SPACE
                mark = WHOLE if ends else START
            if mark > marks[place]:
                marks[place] = mark
            at = joined.find(coded, self._ends[place] if mark == WHOLE else at + 1)
        return bytes(marks)

    def by_row(self, marks: bytes) -> bytes:
        """The marks of the distinct texts, for each label."""
        if self._places is not None:
            return self._places.translate(marks.ljust(256, b"\0"))
        if self._runs is not None:
            found = map(marks.__getitem__, self._runs)
            return b"".join(map(mul, map(_MARK.__getitem__, found), self._lengths))
        return marks

    def rows_by_text(self) -> list[Sequence[int]]:
        """The labels that have each distinct text."""
        places: Iterable[int] | None = self._places
        if self._runs is not None:
            places = chain.from_iterable(map(repeat, self._runs, self._lengths))
        if places is None:
            return [range(row, row + 1) for row in range(len(self.texts))]
        rows: list[array[int]] = [array("I") for _ in self.texts]
        for row, place in enumerate(places):
            rows[place].append(row)
        return list(rows)
