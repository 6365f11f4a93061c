"""One part of every label, each distinct text once, and which texts hold a word."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence, Sized
from itertools import accumulate, chain, count, groupby, repeat
from operator import contains, mul, rshift

import stringzilla

from spillview.hints import Any

INSIDE = 1
"""The word stands somewhere in the text."""

START = 3
"""A word of the text begins with it."""

WHOLE = 7
"""It is a word of the text."""

FEW = 4096
"""How a word stands in a text is looked at when it stands so often, or in one text of
`COMMON`; a commoner one ranks no text before another."""

COMMON = 6

LETTER, WORD = 1 / 4, 2 / 3
"""What stands more often in a text on average is looked for in each of them: that takes
less than to find out in which texts all the places are."""

PART = 1 << 18
"""Bytes in which a word is counted at once."""

GRAIN = 5
"""Texts begin at multiples of 32 bytes, a power of two: whose a byte is stands in a
table with one number for so many."""

BATCH = 4096
"""So many texts are made ready at once."""

_MARK = [bytes([mark]) for mark in range(WHOLE + 1)]
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


def _exceeds(joined: Any, coded: bytes, most: float) -> bool:
    """Whether it is plain that a word stands more often than that.

    Counted in parts, of which the first tells whether it is worth the others: to find
    each place of a common letter takes half of the time of a key.
    """
    often = 0
    for start in range(0, len(joined), PART):
        often += joined[start : start + PART].count(coded)
        if often > most:
            return True
        if often * len(joined) < most * (start + PART):
            return False
    return False


class Column:
    """The same part of every label, in the order of the labels."""

    def __init__(self, texts: Sequence[str], before: Column | None = None) -> None:
        """What was made of a text for the column `before` is used again."""
        distinct = dict.fromkeys(texts)
        self.texts: Sequence[str] = texts
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
        del distinct
        self._forms: list[str] = []
        self._owners = array("I")
        """Which text each piece of `_joined` is of."""
        self._joined = b""
        if before is not None and before.texts == self.texts:
            self._forms, self._owners = before._forms, before._owners
            self._joined = before._joined
        else:
            self._make(before)

    def _make(self, before: Column | None) -> None:
        known: dict[str, str] = {}
        if before is not None:
            known = dict(zip(before.texts, before._forms, strict=True))
        joined: list[bytes] = []
        for start in range(
            0, len(self.texts), BATCH
        ):  # what is made on the way is much
            some = self.texts[start : start + BATCH]
            forms = [known.get(text) or spaced(text) for text in some]
            coded = [form.encode("utf-8", "surrogatepass") for form in forms]
            sizes = [(len(each) - 1 >> GRAIN) + 1 for each in coded]
            pieces = map(repeat, count(start), sizes)
            self._owners.extend(chain.from_iterable(pieces))
            padded = zip(coded, sizes, strict=True)
            joined.append(
                b"".join([each.ljust(size << GRAIN) for each, size in padded])
            )
            self._forms += forms
        self._joined = b"".join(joined)

    def holding(self, word: str) -> bytes:
        """How well each distinct text holds the word, in `spaced` form; 0 is not."""
        coded = word.encode("utf-8", "surrogatepass")
        joined = stringzilla.Str(self._joined)
        share = LETTER if len(coded) == 1 else WORD
        most = max(FEW, len(self.texts) * share)
        between = joined.split(coded) if not _exceeds(joined, coded, most) else None
        if between is None or len(between) - 1 > most:
            return bytes(map(contains, self._forms, repeat(word)))
        often = len(between) - 1
        if not often:
            return bytes(len(self.texts))
        marks = bytearray(len(self.texts))
        stands = [(coded, between)]
        if often <= max(FEW, len(self.texts) // COMMON):
            for form in (b" " + coded, b" " + coded + b" "):
                stands.append((form, joined.split(form)))
        for mark, (form, between), closer in zip(
            (INSIDE, START, WHOLE), stands, [*stands[1:], None], strict=False
        ):
            # Where it stands no otherwise, the next mark takes this one's place.
            if closer is None or len(closer[1]) < len(between):
                for place in self._places_after(between, len(form)):
                    marks[place] = mark
        return bytes(marks)

    def _places_after(self, between: Iterable[Sized], length: int) -> Iterable[int]:
        """The texts in which each part of a `length` stands, given what is between."""
        lengths = list(map(len, between))
        lengths.pop()
        ends = accumulate(map(length.__add__, lengths), initial=-1)
        next(ends)
        return map(self._owners.__getitem__, map(rshift, ends, repeat(GRAIN)))

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
