"""What repeats itself and what names itself, against brute force."""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from spillview.content.content import BytesContent, open_content
from spillview.errors import Cancelled
from spillview.growth import repetition
from spillview.growth.repetition import (
    Block,
    look_at_all,
    look_at_parts,
    repeated,
)
from tests.command import run

PATH = "/store/tasks/b1.output"


def slowly(items: bytes) -> tuple[int, int] | None:
    """The shortest period whose stretch at the end is half of all and four copies."""
    count = len(items)
    for period in range(1, count + 1):
        reach = period
        while reach < count and items[-1 - reach] == items[-1 - reach + period]:
            reach += 1
        if reach >= 4 * period and 2 * reach >= count:
            return period, reach
    return None


@given(
    st.binary(max_size=40),
    st.binary(min_size=1, max_size=6),
    st.integers(0, 12),
    st.integers(0, 6),
)
@example(b"aaaab", b"a", 12, 0)
@example(b"", b"ab", 1, 0)
@settings(max_examples=100)
def test_the_shortest_period_of_the_end_is_found(
    head: bytes, block: bytes, times: int, cut: int
) -> None:
    items = (head + block * times)[: len(head + block * times) - cut]
    assert repeated(items) == slowly(items)


@given(st.text("ab", max_size=60).map(str.encode))
@settings(max_examples=100)
def test_it_is_found_among_few_letters_too(items: bytes) -> None:
    assert repeated(items) == slowly(items)


def test_it_takes_linear_time_on_what_looks_alike_for_long() -> None:
    half = 1 << 14
    for items in (
        b"a" * half + b"b" + b"a" * half,
        b"b" + b"a" * half + b"b" + b"a" * (half // 2),
        (b"a" * 100 + b"b") * 300 + b"a" * 50 + b"c",
    ):
        got = repeated(items)
        assert got is None or items.endswith(items[-got[0] :] * 4)


# Lines


@given(
    st.lists(st.sampled_from([b"one", b"two", b"", b" ", b"three\r"]), max_size=60),
    st.booleans(),
)
@settings(max_examples=100)
def test_a_line_is_told_when_it_is_most_of_them(lines: list[bytes], last: bool) -> None:
    data = b"\n".join(lines) + b"\n" * last
    filled = Counter(line for line in data.split(b"\n") if line.strip())
    expected = None
    if filled.total() >= repetition.FEWEST:
        [(line, times)] = filled.most_common(1)
        if 2 * times > filled.total():
            expected = (line.decode(), times, filled.total())
    for look in (look_at_parts, look_at_all):
        assert look(BytesContent(data), PATH).often == expected


def test_all_of_a_file_is_counted_in_small_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(repetition, "TAIL", 64)
    rng = random.Random(1)
    lines = [b"x" * rng.randrange(200) if rng.random() < 0.4 else b"again" * 30
             for _ in range(400)]  # fmt: skip
    got = look_at_all(BytesContent(b"\n".join(lines)), PATH)
    assert got.often is not None
    assert got.often.times == lines.count(b"again" * 30)
    assert got.often.lines == sum(bool(line) for line in lines)
    assert got.whole


# Blocks in files


def numbered(count: int) -> bytes:
    return b"".join(b"line %d is like no other\n" % n for n in range(count))


@pytest.mark.parametrize("size", [0, 1, 15, 5000, 3_000_000])
def test_what_does_not_repeat_is_not_said_to(size: int) -> None:
    data = numbered(120_000)[:size]
    for look in (look_at_parts, look_at_all):
        got = look(BytesContent(data), PATH)
        assert got.flags == ()
        assert (got.block, got.often, got.names) == (None, None, 0)
    assert look_at_parts(BytesContent(data), PATH).looked <= 1_200_000


def test_a_block_of_lines_is_told_with_the_place_where_it_begins() -> None:
    head = numbered(20_000)
    block = b"starting\nerror: port in use\nexit 1\n"
    data = head + block * 60_000 + b"star"
    parts = look_at_parts(BytesContent(data), PATH)
    assert parts.block is not None
    assert parts.block.bytes == len(block)
    assert parts.block.end == len(data) - 4
    assert parts.block.start > len(head)  # as far as it was looked at
    assert not parts.whole
    whole = look_at_all(BytesContent(data), PATH)
    assert whole.block is not None
    assert whole.block == Block(len(block), whole.block.start, len(data) - 4)
    # The byte before is another; a few more may be alike by chance.
    at = whole.block.start
    assert at <= len(head)
    assert data[at:-4] == (data[at : at + len(block)] * 60_001)[: len(data) - 4 - at]
    assert data[at - 1] != data[at - 1 + len(block)]
    assert whole.flags == ("repeats",)


def test_a_file_of_one_block_begins_with_it() -> None:
    data = b"tick\ntack\n" * 400_000
    got = look_at_all(BytesContent(data), PATH)
    assert got.block == Block(10, 0, len(data))
    assert got.block.copies == 400_000


def test_bytes_without_lines_repeat_too() -> None:
    data = b"head" + b"\r 10% [=>   ]" * 30_000
    got = look_at_parts(BytesContent(data), PATH)
    assert got.block is not None
    assert got.block.bytes == 13
    zeros = look_at_parts(BytesContent(bytes(500_000)), PATH)
    assert zeros.block is not None
    assert zeros.block.bytes == 1


# Its own name


@pytest.mark.parametrize(
    ("text", "times"),
    [
        (b"see /store/tasks/b1.output for more\n", 1),
        (b"tasks/b1.output:12:tasks/b1.output:11:x\n", 2),
        (b"./b1.output:12:x\nb1.output:13:y\n", 2),
        (b"b1.output is a name\n", 0),
        (b"/store/tasks/b1.output2\n/other/b1.output\n", 0),
        (b"", 0),
    ],
)
def test_its_own_path_is_counted_with_its_place(text: bytes, times: int) -> None:
    before = numbered(100)
    for look in (look_at_parts, look_at_all):
        got = look(BytesContent(before + text), PATH)
        assert got.names == times
        assert (got.named_at is None) is (times == 0)
        assert got.named_at is None or got.named_at >= len(before)
        assert got.flags == (("self-reference",) if times else ())


def test_a_name_across_two_parts_is_counted_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(repetition, "TAIL", 50)
    for shift in range(60):
        data = b"." * shift + b" tasks/b1.output " + numbered(20)
        got = look_at_all(BytesContent(data), PATH)
        assert (got.names, got.named_at) == (1, shift + 1)


def test_a_name_with_odd_letters_is_no_pattern() -> None:
    path = "/s/t/a+(b)[c].log"
    assert look_at_parts(BytesContent(b"t/a+(b)[c].log\n"), path).names == 1
    assert look_at_parts(BytesContent(b"t/aabc.log\n"), path).names == 0


# Real files


def test_the_envelope_tells_what_its_artifact_repeats(tmp_path: Path) -> None:
    (tmp_path / "loop.log").write_bytes(b"retry in 5s\n" * 9000)
    (tmp_path / "plain.log").write_bytes(numbered(9000))
    told = run("envelope", tmp_path / "loop.log").out
    assert "repeats   one line is all 9,000: retry in 5s\n" in told
    row = run("envelope", "--json", tmp_path / "loop.log").row
    assert row["repetition"]["flags"] == ["repeats"]
    assert row["repetition"]["block"] == {"bytes": 12, "start": 0, "end": 108_000}
    assert "repeats" not in run("envelope", tmp_path / "plain.log").out
    row = run("envelope", "--json", tmp_path / "plain.log").row
    assert row["repetition"]["flags"] == []


def test_grep_into_the_tree_it_reads_names_itself(tmp_path: Path) -> None:
    (tmp_path / "src.txt").write_text("needle\n" * 50)
    log = tmp_path / "out.log"
    with log.open("wb") as out:
        for _ in range(3):  # what `grep -r needle . >> out.log` leaves when run again
            for path in sorted(tmp_path.iterdir()):
                for line in path.read_bytes().splitlines():
                    if b"needle" in line:
                        out.write(b"./%s:%s\n" % (os.fsencode(path.name), line))
                out.flush()
    with open_content(str(log)) as content:
        got = look_at_parts(content, str(log))
    assert "self-reference" in got.flags
    assert got.named_at is not None


def test_looking_at_all_of_it_can_be_stopped() -> None:
    with pytest.raises(Cancelled):
        look_at_all(BytesContent(numbered(100)), PATH, lambda: True)
