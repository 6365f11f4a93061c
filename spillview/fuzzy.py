"""Filter-as-you-type: every word of the query must match somewhere in the label."""

from __future__ import annotations

from collections.abc import Callable, Sequence

MIN_TYPO_LENGTH = 4
"""Shorter words must match exactly or as a subsequence."""

LITERAL = 95.0
"""From this score on, every word stands in the label as it was typed."""

TYPO_CUTOFF = 75.0
"""Least rapidfuzz partial ratio (0–100) that counts as a typo of a word."""


def matches(
    query: str,
    labels: Sequence[str],
    *,
    cancelled: Callable[[], bool] | None = None,
) -> list[tuple[int, float]]:
    """Indices of the labels that match, best first, with a score from 0 to 100.

    A word matches as a substring, and only where no label holds every word so, as a
    subsequence of one of the label's words or with a typo: three letters are a
    subsequence of nearly anything. Labels are compared without case. An empty query
    keeps every label in its order.
    """
    words = query.casefold().split()
    if not words:
        return [(index, 100.0) for index in range(len(labels))]
    hits: list[tuple[int, float]] = []
    for index, label in enumerate(labels):
        if cancelled is not None and index % 4096 == 0 and cancelled():
            break
        score = _score(words, label.casefold())
        if score > 0:
            hits.append((index, score))
    hits.sort(key=lambda hit: (-hit[1], hit[0]))
    if hits and hits[0][1] >= LITERAL:
        return [hit for hit in hits if hit[1] >= LITERAL]
    return hits


def _score(words: list[str], label: str) -> float:
    total = 0.0
    for word in words:
        best = _word_score(word, label)
        if best == 0.0:
            return 0.0
        total += best
    return total / len(words)


def _word_score(word: str, label: str) -> float:
    at = label.find(word)
    if at >= 0:
        starts_word = at == 0 or not label[at - 1].isalnum()
        return 100.0 if starts_word else LITERAL
    tokens = label.split()
    if any(_is_subsequence(word, token) for token in tokens):
        return 80.0
    if len(word) >= MIN_TYPO_LENGTH:
        from rapidfuzz import fuzz, process

        best = process.extractOne(
            word, tokens, scorer=fuzz.ratio, score_cutoff=TYPO_CUTOFF
        )
        if best is not None:
            return float(best[1]) * 0.75
    return 0.0


def _is_subsequence(word: str, label: str) -> bool:
    """True when the letters of `word` stand in `label` in this order."""
    at = -1
    for letter in word:
        at = label.find(letter, at + 1)
        if at < 0:
            return False
    return True
