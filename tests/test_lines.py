"""The sparse index against positions found the simple way."""

from __future__ import annotations

import os
import threading
from bisect import bisect_right
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spillview.content.content import BytesContent, open_content
from spillview.content.lines import BLOCK, LineIndex
from spillview.errors import ArtifactGone, Cancelled
from tests.hostile import char_starts, hostile

blocks = st.sampled_from([8, 9, 11, 16, 64, 300, BLOCK])


def _line_starts(data: bytes) -> list[int]:
    starts = [0] + [n + 1 for n, byte in enumerate(data) if byte == 0x0A]
    return [start for start in starts if start < len(data)]


@given(hostile, blocks, st.sampled_from([None, 1, 20, 100]))
@example("あ".encode() * 30, 8, 1)
@example(b"\xe0\x80" * 8, 16, None)
@example(b"abcdefg\xe3", 8, None)
def test_every_line_and_char_is_where_it_is(
    data: bytes, block: int, step: int | None
) -> None:
    index = LineIndex(BytesContent(data), block=block)
    while not index.extend(step):
        pass
    lines, chars = _line_starts(data), char_starts(data)
    assert index.complete
    assert index.indexed == len(data)
    assert index.lines == len(lines)
    assert index.chars == len(chars) == len(data.decode("utf-8", "replace"))
    assert [index.line_start(n + 1) for n in range(len(lines))] == lines
    assert [index.char_start(n) for n in range(len(chars))] == chars
    assert index.char_start(len(chars)) == len(data)
    for offset in range(len(data)):
        assert index.line_at(offset) == bisect_right(lines, offset)
        assert index.char_at(offset) == bisect_right(chars, offset) - 1
    assert index.char_at(len(data)) == len(chars)
    assert index.line_at(len(data)) == (len(lines) or None)


@given(hostile)
def test_what_is_not_there_is_none(data: bytes) -> None:
    index = LineIndex(BytesContent(data), block=16)
    index.extend()
    for number in (-1, 0, index.lines + 1, index.lines + 2, 10**18):
        assert index.line_start(number) is None
    for number in (-1, index.chars + 1, 10**18):
        assert index.char_start(number) is None
    for offset in (-1, len(data) + 1, 10**18):
        assert index.line_at(offset) is None
        assert index.char_at(offset) is None


@given(hostile, st.lists(hostile, max_size=4), blocks)
def test_a_growing_content_is_indexed_as_if_it_had_been_whole(
    data: bytes, more: list[bytes], block: int
) -> None:
    class Growing(BytesContent):
        def grow(self, data: bytes) -> None:
            self._data += data

    content = Growing(data)
    index = LineIndex(content, block=block)
    assert index.extend()
    for part in more:
        content.grow(part)
        assert index.complete == (part == b"")
        assert index.extend()
    whole = content.pread(0, content.size)
    lines, chars = _line_starts(whole), char_starts(whole)
    assert (index.lines, index.chars) == (len(lines), len(chars))
    assert [index.line_start(n + 1) for n in range(len(lines))] == lines
    assert [index.char_start(n) for n in range(len(chars))] == chars


@given(hostile, st.integers(1, 60))
def test_the_indexed_part_is_answered_while_the_rest_is_not(
    data: bytes, first: int
) -> None:
    index = LineIndex(BytesContent(data), block=8)
    index.extend(first)
    assert index.indexed >= min(first, len(data))
    lines = _line_starts(data)
    for number in range(1, index.lines + 1):
        assert index.line_start(number) == lines[number - 1]
    for offset in range(index.indexed):
        assert index.line_at(offset) == bisect_right(lines, offset)
    if not index.complete:
        assert index.line_at(index.indexed + 1) is None
        assert index.char_at(index.indexed + 1) is None


def test_an_empty_content_has_no_lines_and_is_complete() -> None:
    index = LineIndex(BytesContent(b""))
    assert index.complete
    assert index.extend()
    assert (index.lines, index.chars, index.line_start(1)) == (0, 0, None)
    assert index.char_start(0) == 0


def test_a_file_is_indexed_on_as_it_grows(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"one\ntw")
    with open_content(str(path)) as content:
        index = LineIndex(content)
        index.extend()
        assert (index.lines, index.line_start(3)) == (2, None)
        with open(path, "ab") as file:
            file.write("o\nあ".encode())
        assert index.extend()
        assert index.lines == 2
        content.refresh()
        assert not index.complete
        assert index.extend()
        assert (index.lines, index.line_start(3), index.chars) == (3, 8, 9)


def test_a_truncated_file_is_reported_not_read_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"line\n" * 100)
    with open_content(str(path)) as content:
        index = LineIndex(content, block=64)
        index.extend(100)
        os.truncate(path, 10)
        with pytest.raises(ArtifactGone):
            index.extend()
        content.refresh()
        with pytest.raises(ArtifactGone, match="truncated"):
            index.extend()


def test_stopping_keeps_what_was_indexed() -> None:
    index = LineIndex(BytesContent(b"x\n" * 100), block=8)
    asked = iter([False, True])
    with pytest.raises(Cancelled):
        index.extend(cancelled=lambda: next(asked))
    assert 0 < index.indexed < 200
    assert index.extend()
    assert index.lines == 100


def test_one_thread_may_ask_while_another_extends() -> None:
    data = "行 one\n".encode() * 20_000
    index = LineIndex(BytesContent(data), block=64)
    wrong: list[object] = []
    done = threading.Event()

    def ask() -> None:
        number = 1
        while not done.is_set():
            number = number * 7 % 20_000 + 1
            start = index.line_start(number)
            if start not in (None, (number - 1) * 8):
                wrong.append((number, start))
            offset = number * 8 - 1
            line = index.line_at(offset)
            if line not in (None, number):
                wrong.append((offset, line))
            char = index.char_at(offset)
            if char not in (None, number * 6 - 1):
                wrong.append((offset, char))

    reader = threading.Thread(target=ask)
    reader.start()
    while not index.extend(256):
        pass
    done.set()
    reader.join()
    assert wrong == []
    assert index.lines == 20_000


def test_the_index_stays_small_and_answers_from_one_block() -> None:
    data = b"0123456789abcde\n" * (1 << 16)
    reads: list[int] = []

    class Watched(BytesContent):
        def pread(self, offset: int, length: int) -> bytes:
            reads.append(length)
            return super().pread(offset, length)

    index = LineIndex(Watched(data))
    index.extend()
    assert sum(len(part) for part in (index._feeds, index._chars, index._short)) == 51
    for ask in (index.line_start, index.line_at, index.char_start, index.char_at):
        reads.clear()
        ask(60_000)
        assert len(reads) <= 1
        assert sum(reads) <= BLOCK + 3
