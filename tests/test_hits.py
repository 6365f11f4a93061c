"""Hits inside one content are those of a plain scan, whatever the windows are."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spillview.content.content import BytesContent
from spillview.search import hits
from spillview.search.hits import Hits, Pattern, after, before, check
from spillview.search.ripgrep import BadPattern


def never() -> bool:
    return False


def collect(data: bytes, byte: int, pattern: str) -> Hits:
    """All hits, found from `byte` outwards."""
    content = BytesContent(data)
    known = Hits(byte, byte)
    for found, high in after(content, byte, Pattern(pattern, "-s"), never):
        known.extend(found, high)
    for found, low in before(content, byte, Pattern(pattern, "-s"), never):
        known.prepend(found, low)
    return known


def ranges(known: Hits) -> list[tuple[int, int]]:
    return list(zip(known.starts, known.ends, strict=True))


@given(
    data=st.lists(
        st.sampled_from([b"error", b"x", b"\n", b" ", b"\xff", b"\x00", "字".encode()]),
        max_size=60,
    ).map(b"".join),
    where=st.floats(0, 1),
)
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_hits_from_any_position_equal_a_plain_scan(
    monkeypatch: pytest.MonkeyPatch, data: bytes, where: float
) -> None:
    monkeypatch.setattr(hits, "FIRST_WINDOW", 64)
    monkeypatch.setattr(hits, "LARGEST_WINDOW", 128)
    known = collect(data, int(len(data) * where), "err|or|字")
    assert ranges(known) == [m.span() for m in re.finditer("err|or|字".encode(), data)]
    assert (known.low, known.high) == (0, len(data))


def test_anchors_mean_lines_wherever_a_window_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hits, "FIRST_WINDOW", 16)
    monkeypatch.setattr(hits, "LARGEST_WINDOW", 16)
    data = b"".join(b"line %d of it\n" % n for n in range(30))
    expected = [m.span() for m in re.finditer(rb"^line|it$", data, re.MULTILINE)]
    for byte in (0, 7, 200, len(data)):
        assert ranges(collect(data, byte, "^line|it$")) == expected


def test_hits_inside_a_line_longer_than_any_window_are_found_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hits, "FIRST_WINDOW", 1 << 16)
    monkeypatch.setattr(hits, "LARGEST_WINDOW", 1 << 16)
    data = (b"a" * 9_991 + b"needle") * 60
    expected = [m.span() for m in re.finditer(b"needle", data)]
    assert ranges(collect(data, 300_000, "needle")) == expected
    assert ranges(collect(data, 0, "^a")) == [(0, 1)]


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_a_hit_of_many_megabytes_is_a_range_and_its_text_is_not_kept(size: int) -> None:
    output = b"5:ab\n9:" + b"x" * (1 << 18) + b"\n" + b"400000:c:d\n"
    chunks = (output[at : at + size] for at in range(0, len(output), size))
    expected = [(105, 107), (109, 109 + (1 << 18)), (400100, 400103)]
    assert list(hits._offsets(chunks, 100)) == expected


def test_smart_case_minds_upper_case_letters_alone() -> None:
    data = b"error ERROR Error\n"
    content = BytesContent(data)

    def count(pattern: str) -> int:
        return sum(len(b) for b, _ in after(content, 0, Pattern(pattern), never))

    assert count("error") == 3
    assert count("Error") == 1


def test_neighbours_are_found_by_position() -> None:
    known = Hits(0, 100)
    known.extend([(10, 12), (20, 25), (30, 31)], 100)
    assert [known.next(at) for at in (0, 10, 11, 31)] == [0, 0, 1, None]
    assert [known.previous(at) for at in (10, 11, 99)] == [None, 0, 2]
    assert known.touching(11, 21) == [(10, 12), (20, 25)]
    assert known.touching(12, 20) == []


def test_a_search_that_is_cancelled_ends_at_once() -> None:
    batches: list[object] = []
    content = BytesContent(b"x\n" * (4 << 20))
    batches.extend(after(content, 0, Pattern("x"), lambda: bool(batches)))
    assert len(batches) <= 2


def test_a_pattern_that_cannot_be_read_is_refused_in_a_sentence() -> None:
    with pytest.raises(BadPattern, match="unclosed group"):
        check(Pattern("(a"))
    check(Pattern("(a+)+$"))
