"""What the filter finds, against hand-picked labels and a naive reading of the rule."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.fuzzy import Index, matches

LABELS = [
    "cargo build --release toolbox Bash",
    "grep -rn TODO src Grep",
    "pytest -q tests api Bash",
    "make deploy infra Bash",
    "npm run lint web-client Bash",
]


def first(query: str) -> str:
    return LABELS[matches(query, LABELS)[0]]


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
    assert matches("tsc", labels) == [0]
    assert matches("tstssrcc", labels) == [1]


def test_every_word_must_match() -> None:
    assert matches("cargo zzzz", LABELS) == []


def test_an_empty_query_keeps_all_in_order() -> None:
    assert matches("  ", LABELS) == list(range(len(LABELS)))


def test_a_cancelled_filter_stops() -> None:
    assert Index([LABELS]).find("a", cancelled=lambda: True) == []


def test_a_whole_word_comes_before_a_beginning_and_that_before_an_inside() -> None:
    labels = ["cargo build", "goose eggs", "run go vet", "go-test"]
    assert matches("go", labels) == [2, 3, 1, 0]


def test_separators_are_part_of_what_is_typed() -> None:
    labels = ["cat a-b", "cat a/b", "cat a b", "run x.py", "run xpy"]
    assert matches("a/b", labels) == [1]
    assert matches(".py", labels) == [3]


def test_a_compound_with_a_typo_on_one_side_is_found() -> None:
    labels = ["pytest tests/test_fuzzy.py", "pytest tests/test_forms.py"]
    assert matches("tests/test_fuzy.py", labels)[:1] == [0]


def test_letters_of_a_random_id_are_no_abbreviation() -> None:
    labels = ["make deploy", "cat toolu_01dXpXlXyXdXpXlXy2345"]
    assert matches("dply", labels) == [0]


def test_a_word_that_was_meant_beats_what_is_literally_there_elsewhere() -> None:
    labels = ["cargo status listing", "charge setting listing", "charge x y"]
    assert matches("carg setng", labels)[0] == 1


def test_many_words_rank_without_running_into_the_next_label() -> None:
    words = [f"w{number}" for number in range(60)]
    labels = ["other", " ".join(words), "other", " ".join(reversed(words)), "w1"]
    assert matches(" ".join(words), labels) == [1, 3]


def test_hostile_texts_are_labels_like_any() -> None:
    labels = ["\udce9 caf\u00e9", "a\0b\nc", "\x1b[31m RED", "STRASSE \u1e9e", ""]
    assert matches("caf\u00c9", labels) == [0]
    assert matches("\udce9", labels) == [0]
    assert matches("red", labels) == [2]
    assert matches("strasse", labels) == [3]
    assert matches("c", ["abc", labels[1]]) == [1, 0]
    assert matches("x", []) == []


def test_letters_that_could_stand_in_very_many_ways_are_looked_for_once() -> None:
    labels = ["a" * 100, "a" * 1_000_000, "a" * 50 + "b-" + "a" * 50 + "/c"]
    assert matches("a" * 40 + "bbbc", labels) == []
    assert matches("a" * 9 + "b/c", labels) == [2]
    assert matches("a" * 101, labels) == [1]


LETTERS = "aAbcdé日/._- "
TEXTS = st.text(LETTERS, max_size=8)


def plain_marks(word: str, label: str) -> int:
    """2 for a word of the label, 1 for the beginning of one, 0 for less."""
    best = 0
    for at in range(len(label)):
        if not label.startswith(word, at):
            continue
        end = at + len(word)
        splits = at == 0 or apart(label[at - 1]) or apart(word[0])
        ends = end == len(label) or apart(label[end]) or apart(word[-1])
        best = max(best, splits + (splits and ends))
    return best


def apart(letter: str) -> bool:
    return letter in "/._- "


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=12), st.text(LETTERS, max_size=7))
def test_labels_that_hold_every_word_are_exactly_those_found(
    parts: list[tuple[str, str]], query: str
) -> None:
    labels = [" ".join(pair).casefold() for pair in parts]
    words = list(dict.fromkeys(query.casefold().split()))
    there = [
        row for row, label in enumerate(labels) if all(word in label for word in words)
    ]
    found = Index([[a for a, _ in parts], [b for _, b in parts]]).find(query)
    if there:
        score = {row: sum(plain_marks(w, labels[row]) for w in words) for row in there}
        if len(words) == 1:
            assert found == sorted(there, key=lambda row: -score[row])
        assert sorted(found) == there


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=12), st.text(LETTERS, max_size=7))
def test_typing_and_taking_back_find_what_a_fresh_look_finds(
    parts: list[tuple[str, str]], query: str
) -> None:
    columns = [[a for a, _ in parts], [b for _, b in parts]]
    index = Index(columns)
    lengths = [*range(len(query) + 1), *range(len(query), -1, -1)]
    for length in lengths:
        assert index.find(query[:length]) == Index(columns).find(query[:length])


@given(st.lists(TEXTS, max_size=40), st.text(LETTERS, max_size=3))
def test_a_word_in_very_many_labels_finds_them_all(
    labels: list[str], query: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spillview.fuzzy.columns.FEW", 0)
        found = matches(query, labels)
    assert set(matches(query, labels)) == set(found)


def test_parts_shared_by_many_labels_count_for_each() -> None:
    rows = 2000
    own = [f"make target-{row}" for row in range(rows)]
    few = [("Bash", "Grep", "Read")[row % 3] for row in range(rows)]
    shared = [f"title{row // 5} claude" for row in range(rows)]
    index = Index([own, few, shared])
    assert index.find("title7") == [row for row in range(rows) if row // 5 == 7] + [
        row for row in range(rows) if str(row // 5).startswith("7") and row // 5 != 7
    ]
    assert index.find("grep target-4 title0") == [4]
    assert index.find("grp target-4 title0")[0] == 4


WORDS = st.text(string.ascii_lowercase, min_size=1, max_size=6)


@given(st.lists(st.lists(WORDS, min_size=1, max_size=4), max_size=8), WORDS)
def test_a_label_that_holds_the_word_is_always_found(
    texts: list[list[str]], word: str
) -> None:
    labels = [" ".join(text) for text in texts]
    hits = set(matches(word, labels))
    assert {i for i, label in enumerate(labels) if word in label} <= hits
