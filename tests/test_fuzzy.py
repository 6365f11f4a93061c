"""What the filter finds, against hand-picked labels and a naive reading of the rule."""

from __future__ import annotations

import string

from hypothesis import given
from hypothesis import strategies as st

from spillview.fuzzy import matches

LABELS = [
    "cargo build --release toolbox Bash",
    "grep -rn TODO src Grep",
    "pytest -q tests api Bash",
    "make deploy infra Bash",
    "npm run lint web-client Bash",
]


def first(query: str) -> str:
    return LABELS[matches(query, LABELS)[0][0]]


def test_words_match_in_any_order() -> None:
    assert first("toolbox cargo") == LABELS[0]
    assert first("api pytest") == LABELS[2]


def test_a_subsequence_of_a_word_matches() -> None:
    assert first("dply") == LABELS[3]


def test_one_typo_still_finds_the_row() -> None:
    assert first("releese") == LABELS[0]
    assert first("pytset") == LABELS[2]


def test_a_word_that_stands_there_hides_looser_matches() -> None:
    labels = ["npx tsc --noEmit", "cat tests/src.c", "ts-node scripts/check"]
    assert [index for index, _ in matches("tsc", labels)] == [0]
    assert [index for index, _ in matches("tstssrcc", labels)] == [1]


def test_every_word_must_match() -> None:
    assert matches("cargo zzzz", LABELS) == []


def test_an_empty_query_keeps_all_in_order() -> None:
    assert [i for i, _ in matches("  ", LABELS)] == list(range(len(LABELS)))


def test_a_cancelled_filter_stops() -> None:
    assert matches("a", LABELS * 9000, cancelled=lambda: True) == []


WORDS = st.text(string.ascii_lowercase, min_size=1, max_size=6)


@given(st.lists(st.lists(WORDS, min_size=1, max_size=4), max_size=8), WORDS)
def test_a_label_that_holds_the_word_is_always_found(
    texts: list[list[str]], word: str
) -> None:
    labels = [" ".join(text) for text in texts]
    hits = {index for index, _ in matches(word, labels)}
    assert {i for i, label in enumerate(labels) if word in label} <= hits
