"""What is counted and found while an output is still written is what its end gives."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.content.content import BytesContent, open_content
from spillview.content.counts import Total, count
from spillview.envelopes.scanning import Scan, signals_of
from spillview.wrap.following import Following

LINES = st.sampled_from(
    [
        b"compiling module\n",
        b"error: no such file\n",
        "テストは失敗しました 😀\n".encode(),
        b"\xff\xfe broken \xe3\x81\n",
        b"FAILED tests/test_a.py\r\n",
        b"\n",
        b"x" * 700 + b" error " + b"y" * 700 + b"\n",
    ]
)


class Growing(BytesContent):
    """Bytes of which only a beginning has come so far."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.come = 0

    @property
    def size(self) -> int:
        return self.come

    def pread(self, offset: int, length: int) -> bytes:
        return super().pread(offset, max(0, min(length, self.come - offset)))


@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(LINES, min_size=1, max_size=60),
    ending=st.sampled_from([b"", b"error at the end", "終".encode()[:2]]),
    repeat=st.integers(1, 40),
    steps=st.lists(st.integers(1, 400_000), max_size=6),
    most=st.sampled_from([1, 3, 5000]),
)
def test_signal_lines_found_on_the_way_are_those_of_the_whole(
    lines: list[bytes], ending: bytes, repeat: int, steps: list[int], most: int
) -> None:
    data = b"".join(lines) * repeat * 10 + ending
    growing = Growing(data)
    scan = Scan(growing, most + 2)
    for step in steps:
        growing.come = min(len(data), growing.come + step)
        while scan.follow():
            pass
    whole = BytesContent(data)
    begun = signals_of(whole, most, begun=scan)
    plain = signals_of(whole, most)
    assert begun.total == plain.total
    assert begun.first == plain.first
    assert list(begun.last) == list(plain.last)


@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(LINES, min_size=1, max_size=60),
    ending=st.sampled_from([b"", b"no end of line", "終".encode()[:2]]),
    block=st.integers(8, 3000),
)
def test_a_count_goes_on_from_its_beginning(
    lines: list[bytes], ending: bytes, block: int
) -> None:
    content = BytesContent(b"".join(lines) + ending)
    begun = Total()
    while content.size - begun.offset >= block:
        begun.add(content.pread(begun.offset, block), last=False)
    assert count(content, begun=begun) == count(content)


@pytest.mark.parametrize(
    "body",
    [
        b"all is well\nerror: one\n" * 200_000,
        b'{"a": 1}' * 500_000,
        "失敗 FAILED 😀\n".encode() * 200_000,
        "wide\n".encode("utf-16") * 300_000,
    ],
    ids=["lines", "one line", "japanese", "utf-16"],
)
def test_a_file_is_followed_as_it_grows(body: bytes, tmp_path: Path) -> None:
    path = tmp_path / "spill.txt"
    path.touch()
    following = Following(str(path), 50)
    written = 0
    with path.open("ab") as file:
        while written < len(body):
            file.write(body[written : written + 300_001])
            file.flush()
            written = min(len(body), written + 300_001)
            following.grow(written)
    deadline = time.monotonic() + 5
    while following.counted.offset < len(body) // 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    following.stop()
    following.stop()
    assert following.counted.offset >= len(body) // 2
    assert following.looked is not None
    with open_content(str(path)) as content:
        assert count(content, begun=following.counted) == count(content)
        if not body.startswith(b"\xff\xfe"):
            assert signals_of(content, 20, begun=following.looked) == signals_of(
                content, 20
            )


def test_a_file_that_shrinks_while_it_is_followed_ends_the_thread_quietly(
    tmp_path: Path,
) -> None:
    path = tmp_path / "spill.txt"
    path.write_bytes(b"line\n" * 1_000_000)
    following = Following(str(path), None)
    path.write_bytes(b"")
    following.grow(10_000_000)
    following.stop()
    assert following.looked is None
