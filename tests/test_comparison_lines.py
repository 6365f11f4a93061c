"""Lines compared: against `difflib`, bags of lines, and what the builder changed."""

from __future__ import annotations

import difflib
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.comparison import lines as lines_module
from spillview.comparison.cancelling import Bag, cancel
from spillview.comparison.lines import LineComparison, compare_lines
from spillview.comparison.matching import blocks
from spillview.comparison.noise import without_noise
from spillview.comparison.ordering import hunks
from spillview.content.content import BytesContent
from spillview.errors import Cancelled
from spillview.model import Seen

TEXTS = st.lists(
    st.sampled_from([b"a", b"b", b"c", b"", b"dd", b"e\r"]), max_size=30
).flatmap(
    lambda rows: st.sampled_from([b"", b"\n"]).map(lambda end: b"\n".join(rows) + end)
)
WINDOWS = st.sampled_from(
    [((1, 4), (2, 8)), ((2, 16), (4, 64)), ((64, 999), (64, 999))]
)


def split(data: bytes) -> list[bytes]:
    rows = data.split(b"\n")
    return rows[:-1] if not rows[-1] else rows


def compare(one: bytes, two: bytes, **more: object) -> LineComparison:
    return compare_lines(BytesContent(one), BytesContent(two), **more)  # type: ignore[arg-type] # the options of a test


@given(TEXTS, TEXTS, WINDOWS)
@settings(max_examples=100, deadline=None)
def test_hunks_turn_one_text_into_the_other(
    one: bytes, two: bytes, windows: tuple[tuple[int, int], tuple[int, int]]
) -> None:
    a, b = split(one), split(two)
    made: list[bytes] = []
    at = 0
    found = hunks(
        BytesContent(one), BytesContent(two), first=windows[0], last=windows[1]
    )
    for hunk, gone, new in found:
        made += a[at : hunk.gone.line]
        assert b[hunk.new.line : hunk.new.line + hunk.new.lines] == split(
            two[hunk.new.start : hunk.new.end]
        )
        assert (len(gone), len(new)) == (hunk.gone.lines, hunk.new.lines)
        made += split(two[hunk.new.start : hunk.new.end])
        at = hunk.gone.line + hunk.gone.lines
    assert made + a[at:] == b


@given(TEXTS, TEXTS)
@settings(max_examples=100, deadline=None)
def test_new_and_gone_lines_are_the_difference_of_the_bags(
    one: bytes, two: bytes
) -> None:
    a, b = Counter(split(one)), Counter(split(two))
    found = compare(one, two)
    assert found.new == (b - a).total()
    assert found.gone == (a - b).total()
    assert found.same == (a & b).total()
    assert Counter(t.line.text.encode() for t in found.first_new) == Counter(
        {x.removesuffix(b"\r"): n for x, n in (b - a).items()}
    )


@given(
    st.lists(st.integers(0, 6), max_size=30), st.lists(st.integers(0, 6), max_size=30)
)
@settings(max_examples=100, deadline=None)
def test_small_sequences_are_matched_at_least_as_well_as_by_difflib(
    a: list[int], b: list[int]
) -> None:
    found = blocks(a, b)
    for i, j, size in found:
        assert size
        assert a[i : i + size] == b[j : j + size]
    ordered = [(i + n, j + n) for i, j, size in found for n in range(size)]
    assert ordered == sorted(set(ordered))
    assert len({i for i, _ in ordered}) == len({j for _, j in ordered}) == len(ordered)
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    theirs = sum(block.size for block in matcher.get_matching_blocks())
    assert len(ordered) >= theirs


@given(st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_larger_sequences_are_matched_in_order(chance: random.Random) -> None:
    a = [chance.randrange(300) for _ in range(chance.randrange(400))]
    b = [x for x in a if chance.random() < 0.9]
    for _ in range(chance.randrange(20)):
        b.insert(chance.randrange(len(b) + 1), chance.randrange(300))
    at = (0, 0)
    for i, j, size in blocks(a, b):
        assert size > 0
        assert (i, j) >= at
        assert i >= at[0]
        assert j >= at[1]
        assert a[i : i + size] == b[j : j + size]
        at = (i + size, j + size)


def test_hunks_are_those_of_difflib_where_few_lines_change() -> None:
    chance = random.Random(7)
    a = [f"line {n}".encode() for n in range(6000)]
    b = list(a)
    for at in sorted(chance.sample(range(6000), 40), reverse=True):
        if chance.random() < 0.5:
            b[at] = b"changed " + b[at]
        else:
            b.insert(at, f"put in {at}".encode())
    one, two = b"\n".join(a), b"\n".join(b)
    theirs = [
        (i, i2 - i, j, j2 - j)
        for tag, i, i2, j, j2 in difflib.SequenceMatcher(
            None, a, b, autojunk=False
        ).get_opcodes()
        if tag != "equal"
    ]
    ours = [
        (h.gone.line, h.gone.lines, h.new.line, h.new.lines)
        for h in compare(one, two).hunks
    ]
    assert ours == theirs


def test_new_lines_that_tell_of_errors_are_told_apart() -> None:
    before = b"ok\nerror: old\n"
    after = b"ok\nerror: old\nfine\ntest x ... FAILED\nno errors\npanic here\n"
    found = compare(before, after, seen=Seen(((0, 34),)))
    told = [(t.line.number, t.line.text, t.seen) for t in found.trouble]
    assert told == [(4, "test x ... FAILED", False), (6, "panic here", False)]
    assert found.trouble_total == 2


def test_a_moved_line_is_neither_new_nor_gone() -> None:
    rows = [f"line {n}".encode() for n in range(50)]
    moved = [*rows[1:], rows[0]]
    found = compare(b"\n".join(rows), b"\n".join(moved))
    assert (found.new, found.gone, found.moved, found.same) == (0, 0, 1, 50)


def test_a_last_line_without_its_end_is_the_same_line() -> None:
    found = compare(b"a\nb\n", b"a\nb")
    assert (found.new, found.gone, found.hunks_total) == (0, 0, 0)


def test_lines_longer_than_a_window_are_compared_whole() -> None:
    long = b"x" * (3 << 20)
    found = compare(b"head\n" + long + b"a\nend\n", b"head\n" + long + b"b\nend\n")
    assert (found.new, found.gone, found.same) == (1, 1, 2)
    told = found.first_new[0].line
    assert (told.number, told.start, told.end) == (2, 5, 5 + len(long) + 1)
    assert told.truncated
    same = compare(b"other\n" + long + b"\nend\n", b"head\n" + long + b"\nend")
    assert (same.new, same.gone, same.same) == (1, 1, 2)


def test_new_lines_are_told_with_whether_the_model_saw_them() -> None:
    after = b"one\ntwo\nthree\nfour\n"
    seen = Seen(((0, 7),))
    found = compare(b"one\n", after, seen=seen)
    assert [(t.line.number, t.line.text, t.seen) for t in found.first_new] == [
        (2, "two", True),
        (3, "three", False),
        (4, "four", False),
    ]
    assert (found.new, found.new_seen) == (3, 1)
    unsure = compare(b"one\n", after, seen=Seen(((0, 7),), certain=False))
    assert unsure.new_seen is None
    assert [t.seen for t in unsure.first_new] == [True, None, None]


def test_times_are_left_out_when_asked_and_counted_when_not() -> None:
    one = b"12:30:01 start\ntest a ... ok (0.52s)\n 42% done\nsame\nold\n"
    two = b"09:11:59 start\ntest a ... ok (12 ms)\n 43% done\nsame\nnew\n"
    exact = compare(one, two)
    assert (exact.new, exact.gone, exact.noise, exact.ignored) == (4, 4, 3, None)
    plain = compare(one, two, plain=True)
    assert (plain.new, plain.gone, plain.noise) == (1, 1, None)
    assert plain.ignored is not None
    assert [t.line.text for t in plain.first_new] == ["new"]


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_leaving_noise_out_keeps_every_line_end(data: bytes) -> None:
    assert without_noise(data).count(b"\n") == data.count(b"\n")


@given(st.lists(st.integers(-9, 9), max_size=60), st.lists(st.integers(-9, 9)))
@settings(max_examples=60, deadline=None)
def test_bags_that_were_written_to_files_cancel_like_others(
    one: list[int], two: list[int]
) -> None:
    def filled(values: list[int], held: int) -> Bag:
        bag = Bag(held)
        for at in range(0, len(values), 7):
            bag.add(values[at : at + 7])
        return bag

    for held in (5, 1000):
        a, b = filled(one, held), filled(two, held)
        left, right = cancel(a, b)
        kept = Counter(x for n, x in enumerate(one) if left[n])
        assert kept == Counter(one) - Counter(two)
        assert left.count == kept.total()
        assert Counter(x for n, x in enumerate(two) if right[n]) == Counter(
            two
        ) - Counter(one)
        a.close()
        b.close()


def test_more_differing_lines_than_are_looked_through_leave_the_noise_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lines_module, "LOOKED", 10)
    assert compare(b"1 s\n2 s\n3 s\n4 s\n", b"5 s\n6 s\n7 s\n8 s\n").noise is None


def test_more_hunks_than_are_kept_are_still_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lines_module, "JUMPS", 3)
    rows = [f"line {n}".encode() for n in range(40)]
    changed = [b"x" + r if n % 4 == 0 else r for n, r in enumerate(rows)]
    found = compare(b"\n".join(rows), b"\n".join(changed))
    assert (len(found.hunks), found.hunks_total, found.new) == (3, 10, 10)
    assert found.same == 30


def test_a_comparison_that_nobody_waits_for_stops() -> None:
    with pytest.raises(Cancelled):
        compare(b"a\n", b"b\n", cancelled=lambda: True)
