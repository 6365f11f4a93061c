"""The distinct words of many labels, found by some of their letters or with a typo."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Collection, Sequence
from itertools import accumulate

from spillview.fuzzy.columns import Column

MIN_TYPO = 4
"""Shorter words must match exactly or as a subsequence."""

MIN_TWO_TYPOS = 8
"""From so many letters on, a word may have two typos."""

LONGEST = 120
"""Longer words are found as they are written alone: nobody abbreviates one."""

CLOSEST = 32
"""So many words with separators inside are looked at when nothing else is like."""

REMEMBERED = 8
"""So many words' answers are kept, so that one more letter costs one word's search."""

_WORD = re.compile(r"[^\W_]+")
_OPAQUE = re.compile(r"(?=[^\W\d_]*\d)[^\W_]{16,}")
"""Random ids: nearly any letters are a subsequence of some, and none is typed."""


class Words:
    """Distinct words, searched in one go."""

    def __init__(self, words: Collection[str]) -> None:
        self._joined = "\n".join(words)
        self._ends = array("Q", accumulate(len(word) + 1 for word in words))

    def abbreviated(self, letters: str) -> dict[str, float]:
        """Those that hold these letters in their order, with scores up to 86."""
        # Each letter's first place is as good as any: nothing is tried twice.
        first, *others = map(re.escape, letters)
        pattern = re.compile(first + "".join(f"[^\n{x}]*{x}" for x in others))
        found: dict[str, float] = {}
        for match in pattern.finditer(self._joined):
            place = bisect_right(self._ends, match.start())
            begin = self._ends[place - 1] if place else 0
            word = self._joined[begin : self._ends[place] - 1]
            score = _closeness(letters, word, match.end() - begin)
            if score > found.get(word, 0.0):
                found[word] = score
        return found


def parts(word: str) -> list[str]:
    """What lies between the word's separators."""
    return _WORD.findall(word)


def _closeness(letters: str, word: str, end: int) -> float:
    """How well the letters stand in the word, the last of them right before `end`."""
    at = end
    for letter in reversed(letters):
        at = word.rfind(letter, 0, at)
    starts = at == 0 or not word[at - 1].isalnum()
    ends = end == len(word) or not word[end].isalnum()
    covered = len(letters) / len(word)
    tight = len(letters) / (end - at)
    return 36.0 + 20 * tight + 20 * covered + 16 * starts + 4 * ends


def _is_compound(word: str) -> bool:
    """Whether it has separators inside, and somebody may type it."""
    return not (word.isalnum() or len(word) > LONGEST or _OPAQUE.search(word))


class Dictionary:
    """Every word between separators, and the labels that have it."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._rows: dict[str, array[int]] = {}
        compounds: set[str] = set()
        for column in columns:
            for text, rows in zip(column.texts, column.rows_by_text(), strict=True):
                plain = text.casefold()
                compounds.update(filter(_is_compound, plain.split()))
                for word in set(_WORD.findall(plain)):
                    known = self._rows.get(word)
                    if known is None:
                        if len(word) > LONGEST or _OPAQUE.fullmatch(word):
                            continue
                        self._rows[word] = known = array("I")
                    known.extend(rows)
        self._every = list(self._rows)
        self._words = Words(self._every)
        self._compounds = Words(compounds)
        self._stems: dict[int, list[str]] = {}
        self._answers: dict[str, bytes] = {}

    def rows(self, word: str, size: int) -> bytes:
        """How like a word of each of `size` labels is to this one, 0 or up to 88.

        What holds it as it is says nothing here.
        """
        known = self._answers.pop(word, None)
        if known is None:
            scores = bytearray(size)
            like = self._like(word)
            for other in sorted(like, key=like.__getitem__):
                score = int(like[other])
                for row in self._rows[other]:
                    scores[row] = score
            known = bytes(scores)
            if len(self._answers) >= REMEMBERED:
                del self._answers[next(iter(self._answers))]
        self._answers[word] = known
        return known

    def compounds(self, word: str) -> list[str]:
        """What has separators inside and these letters in their order, closest first.

        Only the `CLOSEST` of them: the labels that have one must be searched for.
        """
        found = self._compounds.abbreviated(word)
        return sorted(found, key=found.__getitem__, reverse=True)[:CLOSEST]

    def _like(self, word: str) -> dict[str, float]:
        found = self._words.abbreviated(word)
        for other, score in self._mistyped(word).items():
            found[other] = max(score, found.get(other, 0.0))
        return {other: score for other, score in found.items() if word not in other}

    def _mistyped(self, word: str) -> dict[str, float]:
        """Words of which all, or the beginning, is this one but for a typo or two."""
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        found: dict[str, float] = {}
        if len(word) < MIN_TYPO:
            return found
        allowed = 1 if len(word) < MIN_TWO_TYPOS else 2
        every = self._every
        for length in (len(word), len(word) + 1, len(word) - 1):
            stems = self._stems_of(length)
            likely = process.extract(
                word, stems, scorer=OSA.distance, score_cutoff=allowed, limit=None
            )
            for stem, typos, place in likely:
                other = every[place]
                score = 100.0 - 100 * typos / len(word) - 8 * (other != stem)
                found[other] = max(score, found.get(other, 0.0))
        return found

    def _stems_of(self, length: int) -> list[str]:
        """The first letters of each word, as many as asked for."""
        stems = self._stems.get(length)
        if stems is None:
            if len(self._stems) >= REMEMBERED:
                del self._stems[next(iter(self._stems))]
            self._stems[length] = stems = [word[:length] for word in self._rows]
        return stems
