"""Claims, measures and whole lines received, against naive readings of the rule."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.content.content import BytesContent
from spillview.model import Claim
from spillview.seen import envelope
from spillview.seen.envelope import fits, lines_within, sha256_prefix


def oracle(data: bytes, ranges: list[tuple[int, int]]) -> int:
    """Lines all of whose bytes before CR/LF, at least one byte, lie in one range."""
    total = position = 0
    for line in _lines(data):
        text = line[:-1].removesuffix(b"\r") if line.endswith(b"\n") else line
        end = position + len(text)
        whole = position + len(line)
        for start, stop in ranges:
            if position < end:
                inside = start <= position and end <= stop
            else:
                # An empty line counts with its LF (a CR before it or not).
                inside = start <= position and whole <= stop
            if inside:
                total += 1
                break
        position += len(line)
    return total


def _lines(data: bytes) -> list[bytes]:
    parts = data.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


DATA = st.lists(
    st.sampled_from([b"a", b"bc", b"\n", b"\r\n", b"\r", b"\n\n", b"xyz\n"]),
    max_size=12,
).map(b"".join)


@st.composite
def data_and_ranges(draw: st.DrawFn) -> tuple[bytes, list[tuple[int, int]]]:
    data = draw(DATA)
    cuts = sorted(draw(st.sets(st.integers(0, len(data)), max_size=6)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    return data, pairs


@pytest.mark.parametrize("chunk", [1, 2, 3, 1 << 20])
@given(case=data_and_ranges())
def test_whole_lines_are_counted_as_a_naive_reader_would(
    chunk: int, case: tuple[bytes, list[tuple[int, int]]]
) -> None:
    data, ranges = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(envelope, "CHUNK", chunk)
        assert lines_within(BytesContent(data), ranges) == oracle(data, ranges)


def test_a_line_counts_without_its_line_end() -> None:
    content = BytesContent(b"one\r\ntwo\nthree")
    assert lines_within(content, [(0, 3)]) == 1
    assert lines_within(content, [(0, 4)]) == 1
    assert lines_within(content, [(5, 8)]) == 1
    assert lines_within(content, [(0, 2)]) == 0
    assert lines_within(content, [(0, 14)]) == 3


@given(st.binary(max_size=60), st.integers(1, 64))
def test_the_digest_is_of_all_the_bytes(data: bytes, digits: int) -> None:
    expected = hashlib.sha256(data).hexdigest()[:digits]
    assert sha256_prefix(BytesContent(data), digits) == expected


def test_a_claim_agrees_within_its_rounding_only() -> None:
    claim = Claim("bytes", 66_355, slack=51.2)
    assert fits(claim, 66_382)
    assert not fits(claim, 66_500)
    assert fits(Claim("sha256", "AB12"), "ab12")
    assert not fits(Claim("sha256", "ab12"), "ab13")
