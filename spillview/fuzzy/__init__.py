"""Filter-as-you-type: every word of the query must match somewhere in the label.

A word matches as a substring, and only where no label holds every word so, as a
subsequence of one of the label's words or with a typo: three letters are a
subsequence of nearly anything. Labels are compared without case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress, zip_longest

from spillview.fuzzy.columns import WHOLE, Column, spaced
from spillview.fuzzy.dictionary import CLOSEST, Dictionary, parts

LITERAL = 90
"""What a word that stands in a label scores there at least, where another does not."""

REMEMBERED = 48
"""So many words' answers are kept, for the key that takes a letter back."""

PASSES = 5
"""Labels with no more different scores than these are not sorted: those of one score
are taken after those of another."""

_ANY = bytes([0, *[1] * 255])
_ONLY = [bytes(value) + b"\1" + bytes(255 - value) for value in range(256)]


class Index:
    """Labels made ready to be filtered on each key, in parts that they share.

    Each column holds one part of every label. Each distinct text of it is searched
    once, so that what many labels share costs little. What is found of a word is kept
    as one number with a byte for each label: labels are narrowed all at once.
    """

    def __init__(
        self,
        columns: Sequence[Sequence[str]],
        before: Index | None = None,
        dictionary: Dictionary | None = None,
    ) -> None:
        """Columns of texts, all of them as long.

        What was made of a text for the index `before` is used again; `dictionary` is
        that of another index of the same columns.
        """
        self._size = len(columns[0]) if columns else 0
        self._ones = int.from_bytes(b"\1" * self._size, "little")
        self._rows = range(self._size)
        known: Sequence[Column | None] = before._columns if before is not None else ()
        self._columns: list[Column] = [
            Column(texts, column)
            for texts, column in zip_longest(columns, known)
            if texts is not None
        ]
        self._dictionary = dictionary
        self._answers: dict[str, int] = {}

    def find(
        self, query: str, cancelled: Callable[[], bool] | None = None
    ) -> list[int]:
        """The labels that match every word, best first; all for an empty query.

        Nothing once `cancelled` says so.
        """
        words = list(dict.fromkeys(query.casefold().split()))
        if not (words and self._size):
            return list(range(self._size))
        held: list[int] = []
        for word in words:
            if cancelled is not None and cancelled():
                return []
            held.append(self._held(word))
        rows = self._best(held, WHOLE)
        if rows or (cancelled is not None and cancelled()):
            return rows
        rows = self._loose(words)
        if rows or (cancelled is not None and cancelled()):
            return rows
        return self._best(list(map(self._spread, words)), CLOSEST)

    def prepare(self) -> Dictionary:
        """What only a word that stands nowhere needs, made before one is typed."""
        if self._dictionary is None:
            self._dictionary = Dictionary(self._columns)
        return self._dictionary

    def _held(self, word: str) -> int:
        """How well each label holds the word."""
        best = self._answers.pop(word, None)
        if best is None:
            best = 0
            form = spaced(word).strip()
            for column in self._columns:
                marks = column.holding(form)
                if marks.count(0) < len(marks):
                    best |= int.from_bytes(column.by_row(marks), "little")
            if len(self._answers) >= REMEMBERED:
                del self._answers[next(iter(self._answers))]
        self._answers[word] = best
        return best

    def _loose(self, words: Sequence[str]) -> list[int]:
        """The labels in which each word stands or has one that is like it."""
        dictionary = self.prepare()
        like: list[int] = []
        for word in words:
            # What has separators may have them elsewhere, or a typo on one side.
            for part in [word] if self._held(word) else parts(word):
                scores = int.from_bytes(dictionary.rows(part, self._size), "little")
                like.append(self._over(scores, self._held(part), LITERAL))
        return self._best(like, LITERAL + WHOLE)

    def _spread(self, word: str) -> int:
        """The labels that hold the word, or its letters across separators."""
        scores = self._held(word)
        if not scores:
            closest = self.prepare().compounds(word)
            for score, other in enumerate(reversed(closest), 1):
                scores = self._over(scores, self._held(other), score)
        return scores

    def _over(self, scores: int, held: int, score: int) -> int:
        """The scores, but `score` and how well it stands where a word does."""
        stands = held & self._ones
        return (scores & ~(stands * 255)) + stands * score + held

    def _best(self, found: Sequence[int], top: int) -> list[int]:
        """The labels that every word found with up to `top`, the best of them first."""
        planes = [each.to_bytes(self._size, "little") for each in found]
        # A sum must not run over into the next label's byte.
        coarse = -(-len(planes) * top // 255)
        every, total = self._ones, 0
        for plane in planes:
            every &= int.from_bytes(plane.translate(_ANY), "little")
            if coarse > 1:
                plane = plane.translate(bytes(-(-i // coarse) for i in range(256)))
            total += int.from_bytes(plane, "little")
        if not every:
            return []
        sums = (total & every * 255).to_bytes(self._size, "little")
        values = sorted(set(sums) - {0}, reverse=True)
        if len(values) <= PASSES:
            passes = [sums.translate(_ONLY[value]) for value in values]
            return [row for each in passes for row in compress(self._rows, each)]
        rows = list(compress(self._rows, sums))
        rows.sort(key=sums.__getitem__, reverse=True)
        return rows


def matches(query: str, labels: Sequence[str]) -> list[int]:
    """The labels that match, best first."""
    return Index([labels]).find(query)
