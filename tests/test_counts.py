"""Counts, encodings, kinds and verdicts against what Python makes of the bytes."""

from __future__ import annotations

import itertools
import os
import re
import zlib
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spillview.content import codepoints
from spillview.content.content import BytesContent, open_content
from spillview.content.counts import BLOCK, count
from spillview.content.kinds import HEAD, WHOLE
from spillview.errors import ArtifactGone, Cancelled
from spillview.model import Boundary, Counts, Line
from tests.hostile import hostile, valid

blocks = st.sampled_from([4, 5, 7, 8, 13, 64, BLOCK])


def counted(data: bytes, block: int = BLOCK) -> Counts:
    return count(BytesContent(data), block=block)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _utf16(text: str) -> int:
    return sum(2 if char > "\uffff" else 1 for char in text)


# Sizes


@given(hostile, blocks)
@example(b"", 4)
@example(b"\xe3\x81", 4)
@example("日".encode() * 40, 5)
def test_chars_utf16_and_lines_are_those_of_the_replaced_text(
    data: bytes, block: int
) -> None:
    counts = counted(data, block)
    if counts.encoding.startswith("utf-16"):
        return
    text = data.decode("utf-8", "replace")
    assert counts.bytes == len(data)
    assert counts.chars == len(text)
    assert counts.utf16 == _utf16(text)
    assert counts.lines == data.count(b"\n") + (data != b"" and data[-1:] != b"\n")
    if 0 in data:
        assert counts.encoding == "binary"
    else:
        assert counts.encoding == ("utf-8" if _is_utf8(data) else "utf-8-invalid")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", (0, 0, 0, 0)),
        (b"abc", (3, 3, 3, 1)),
        (b"abc\n", (4, 4, 4, 1)),
        (b"\n\n", (2, 2, 2, 2)),
        ("検索結果\n".encode(), (13, 5, 5, 1)),
        ("😀".encode() * 200, (800, 200, 400, 1)),
        (b"a\r\nb\rc\x0b\x0cd\xc2\x85e\xe2\x80\xa8f", (16, 13, 13, 2)),
        (b"\xef\xbb\xbfhi", (5, 3, 3, 1)),
        (b"\xe3\x81", (2, 1, 1, 1)),
        (b"\xff\xfa\xfb", (3, 3, 3, 1)),
    ],
)
def test_each_unit_is_counted_for_itself(
    data: bytes, expected: tuple[int, int, int, int]
) -> None:
    counts = counted(data)
    assert (counts.bytes, counts.chars, counts.utf16, counts.lines) == expected


def test_two_hundred_emoji_are_below_a_cap_of_three_hundred_chars() -> None:
    counts = counted("😀".encode() * 200)
    cap = Boundary(300, "chars")
    assert counts.size_in(cap.unit) == 200
    assert counts.size_in("bytes") == 800
    assert counts.tokens == 200


REPRESENTATIVES = (
    0x0A, 0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0,
    0xE1, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5,
)  # fmt: skip


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_every_short_sequence_of_byte_classes_counts_as_it_decodes(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codepoints, "_SHORT", -1)  # the vector passes, always
    for some in itertools.product(REPRESENTATIVES, repeat=size):
        data = bytes(some)
        text = data.decode("utf-8", "replace")
        expected = (len(text), _utf16(text) - len(text), _is_utf8(data))
        assert codepoints.chars(data) == expected, data


@given(valid, st.integers(0), st.binary(max_size=2), st.integers(0, 2))
def test_one_wrong_byte_in_long_text_is_found_and_counted(
    text: bytes, place: int, wrong: bytes, gone: int
) -> None:
    data = text * (1 + 300 // (len(text) + 1))
    place %= len(data) + 1
    data = data[:place] + wrong + data[place + gone :]
    decoded = data.decode("utf-8", "replace")
    expected = (len(decoded), _utf16(decoded) - len(decoded), _is_utf8(data))
    assert codepoints.chars(data) == expected
    assert codepoints.is_ascii(data) == data.isascii()
    assert codepoints.line_feeds(data) == data.count(b"\n")


@given(st.lists(st.sampled_from(REPRESENTATIVES), max_size=16), st.integers(0, 2))
@example([0xC2, 0x80, 0x80, 0xE1, 0x80], 1)
@example([0xE0] + [0x80] * 15, 1)
def test_errors_that_make_up_for_each_other_are_found(
    some: list[int], times: int
) -> None:
    data = b"a" * 140 + bytes(some) * times
    decoded = data.decode("utf-8", "replace")
    expected = (len(decoded), _utf16(decoded) - len(decoded), _is_utf8(data))
    assert codepoints.chars(data) == expected


@given(hostile, hostile)
def test_a_block_may_end_wherever_whole_says(data: bytes, more: bytes) -> None:
    end = codepoints.whole(data)
    joined = (data + more).decode("utf-8", "replace")
    apart = data[:end].decode("utf-8", "replace") + (data[end:] + more).decode(
        "utf-8", "replace"
    )
    assert len(data) - end <= 3
    assert joined == apart


@given(hostile)
def test_the_unfinished_end_of_a_block_is_left_out_of_its_chars(data: bytes) -> None:
    data = data * (1 + 200 // (len(data) + 1)) + "あ😀".encode()[: 3 + len(data) % 4]
    end = codepoints.whole(data)
    text = data[:end].decode("utf-8", "replace")
    assert codepoints.chars(data, end)[:2] == (len(text), _utf16(text) - len(text))


# UTF-16


@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
    st.sampled_from(["utf-16-le", "utf-16-be"]),
    blocks,
)
def test_utf16_with_a_mark_is_counted_after_decoding(
    text: str, encoding: str, block: int
) -> None:
    if text.startswith("\0"):
        text = "x" + text  # with the mark that would be UTF-32
    data = ("\ufeff" + text).encode(encoding)
    counts = counted(data, block)
    assert counts.encoding == encoding
    assert counts.bytes == len(data)
    assert counts.chars == len(text)
    assert counts.utf16 == _utf16(text)
    assert counts.lines == text.count("\n") + (text != "" and text[-1] != "\n")


@given(st.binary(max_size=60), blocks)
def test_broken_utf16_counts_as_it_decodes(data: bytes, block: int) -> None:
    data = b"\xff\xfea\0" + data
    text = data[2:].decode("utf-16-le", "replace")
    counts = counted(data, block)
    assert (counts.chars, counts.utf16) == (len(text), _utf16(text))
    assert counts.lines == text.count("\n") + (text[-1] != "\n")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_known_by_its_nuls(encoding: str) -> None:
    text = "Volume in drive C.\r\n これは日本語の行です。結果\r\n"
    counts = counted(text.encode(encoding))
    assert (counts.encoding, counts.kind) == (encoding, "text")
    assert (counts.chars, counts.lines) == (len(text), 2)


@pytest.mark.parametrize(
    "data",
    [
        "plain".encode("utf-32-le"),
        "plain".encode("utf-32"),
        "plain".encode("utf-32-be"),
        b"\0\0\xfe\xff" + "plain".encode("utf-32-be"),
        b"one\0two\0three\0four",
        b"abc\0def\0" * 50,
        b"text with one NUL\0 at an odd place",
        b"a\0",
        bytes(range(256)) * 4,
        b"\1\0\2\0\3\0\4\0\5\0\6\0\7\0\x0e\0" * 8,
        b"log line\n" * 20_000 + b"\0",
    ],
)
def test_nuls_that_are_no_utf16_make_it_binary_with_its_lines_counted(
    data: bytes,
) -> None:
    counts = counted(data)
    assert (counts.encoding, counts.kind) == ("binary", "binary")
    assert counts.chars == len(data.decode("utf-8", "replace"))
    assert counts.lines == data.count(b"\n") + (data[-1:] != b"\n")


def test_utf16_json_has_its_kind() -> None:
    assert counted('{"é": [1, 2]}'.encode("utf-16")).kind == "json"
    lines = counted('{"a": 1}\n{"b": 2}\n{"c'.encode("utf-16"))
    assert (lines.kind, lines.partial) == ("jsonl", True)


# Kinds


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"GIF89a\1\0\1\0\0\0\0",
        b"\xff\xd8\xff\xe0\0\x10JFIF",
        b"RIFF\x24\0\0\0WEBPVP8 ",
        b"II*\0\x08\0\0\0",
        b"BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0",
        b"\0\0\1\0\1\0\x10\x10",
    ],
)
def test_pictures_are_known_by_their_magic_and_have_no_verdict(data: bytes) -> None:
    counts = counted(data + b"\nFAILED\n")
    assert (counts.kind, counts.encoding) == ("image", "binary")
    assert counts.verdict is None


@pytest.mark.parametrize("data", [b"GIF89a is a format\n", b"BM 2024 sales\n", b"II*"])
def test_text_that_begins_like_a_picture_is_text(data: bytes) -> None:
    assert counted(data).kind == "text"


JSON = [
    b"{}",
    b"[]",
    b'{"a": 1}\n',
    b' \n[1, 2, {"b": null}]  \n',
    b'"a string\\nwith lines"',
    b"42\n",
    b"true",
    b"\xef\xbb\xbf[1]",
    b'{"a": "\xff"}',
    b"[NaN, Infinity, -Infinity]",
    b'["\\ud800"]',
    b'{"n": ' + b"7" * 5000 + b"}",
    b"[" * 20_000 + b"]" * 20_000,
    b"[" * 60_000 + b"]" * 60_000,
    b'[{"k": "' + b"v" * 100_000 + b'"}]',
]


@pytest.mark.parametrize("data", JSON, ids=range(len(JSON)))
def test_what_parses_is_json(data: bytes) -> None:
    counts = counted(data)
    assert (counts.kind, counts.partial) == ("json", False)


BROKEN = [
    b'{"a": [1, 2',
    b'{"a": 1, "b',
    b'{"a": 1, "b": tr',
    b'["one", "two", "thr',
    b"[1, 2, 3",
    b'[{"a": 1}, {"b": 2}, ',
    b'{"a": 1} {"b": 2}',
    b'{"a": 1}\nDone in 2 s\n',
    b'{"a": "x", ... [truncated 500 chars] ... }',
    b'{"a": 1,}',
    b"[" + b"1, " * 100 + b"oops]",
    b'"a string\\nthat was c',
    b'{"a":' * 20_000,
    b'[{"k": "' + b"v" * 100_000,
    b'[{"k": "' + b"v" * 100_000 + b'"} oops]',
]


@pytest.mark.parametrize("data", BROKEN, ids=range(len(BROKEN)))
def test_what_begins_as_json_and_breaks_is_partial_json(data: bytes) -> None:
    counts = counted(data)
    assert (counts.kind, counts.partial) == ("json", True)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n",
        b"[INFO] started\n[INFO] done\n",
        b"[2026-11-29 22:30:00] x\n",
        b"[2026] x",
        b"[2026]\nnext\n",
        b"[1/5] Building\n",
        b"[10, main] INFO x",
        b'["ok"] passed\n',
        b'["a" foo',
        b"[ERROR] {}",
        b"{foo: 1}",
        b"{{ template }}",
        b"{'a': 1}",
        b'{"a"}',
        b"[",
        b"{",
        b'"quoted" is not a command\n',
        b'"never closed\nbut lines',
        b"12 files\n",
        b"1\n2\n3\n",
        b"nullable",
        b"- item\n",
        b"-1 of 2\n",
        b"[]\x01",
    ],
)
def test_lines_in_brackets_and_other_text_are_text(data: bytes) -> None:
    counts = counted(data)
    assert (counts.kind, counts.partial) == ("text", False)


@pytest.mark.parametrize(
    ("data", "partial"),
    [
        (b'{"a": 1}\n{"b": 2}\n', False),
        (b'{"a": 1}\r\n\r\n[2]', False),
        (b'{"a": 1}\n{"b": 2}\n{"c', True),
        (b'{"a": 1}\n{"b": ', True),
        (b'{"a": 1}\n{"b": 2}\nthree\n{"d": 4}\n', True),
        (b"[]\n[]\n", False),
        (b'{"loss": NaN}\n{"loss": 1}\n', False),
        (b'{"a": 1}\n{"b": 2}\n3\n', True),
    ],
)
def test_lines_of_objects_are_jsonl(data: bytes, partial: bool) -> None:
    counts = counted(data)
    assert (counts.kind, counts.partial) == ("jsonl", partial)


BIG = WHOLE + 1000


@pytest.mark.parametrize(
    ("data", "kind", "partial"),
    [
        (b'[{"a": "' + b"x" * BIG + b'"}]\n', "json", False),
        (b'[{"a": "' + b"x" * BIG, "json", True),
        (b'[{"a": 1},\n' * (BIG // 11) + b"]", "json", False),
        (b'{"a": 1}\n' * (BIG // 9), "jsonl", False),
        (b'{"a": 1}\n' * (BIG // 9) + b'{"a"', "jsonl", True),
        (b'{"a": 1}\n{"a": "' + b"x" * BIG + b'"}\n', "jsonl", False),
        (b'{"a": 1}\n{"a": "' + b"x" * BIG, "jsonl", True),
        (b"[INFO] x\n" * (BIG // 9), "text", False),
        (b'["a"] x\n' * (BIG // 8), "text", False),
        (b"7" * BIG, "text", False),
        (b" " * BIG + b"{}", "text", False),
    ],
    ids=range(11),
)
def test_of_large_json_the_kind_is_told_from_both_ends(
    data: bytes, kind: str, partial: bool
) -> None:
    counts = counted(data)
    assert (counts.kind, counts.partial) == (kind, partial)


@given(hostile)
def test_any_bytes_after_a_bracket_have_some_kind(data: bytes) -> None:
    for start in (b"[", b"{", b'"', b'{"a":', b'["', b"[[["):
        counted(start + data)


# Verdicts


def _verdict(data: bytes) -> Line | None:
    """The last line that shows something, the simple way."""
    end = len(data)
    lines = data.split(b"\n")
    for number in range(len(lines), 0, -1):
        line = lines[number - 1]
        start = end - len(line)
        text = line.decode("utf-8", "replace").replace("\0", "")
        if re.sub(r"\x1b\[[0-?]*[ -/]*[@-~]", "", text).strip():
            bare = line.rstrip(b"\r")
            return Line(
                number,
                start,
                start + len(bare),
                bare.decode("utf-8", "replace")[:2000],
                len(bare.decode("utf-8", "replace")) > 2000,
            )
        end = start - 1
    return None


@given(hostile, st.integers(0, 3), blocks)
@example(b"verdict\n" + b"\n" * 100, 0, 8)
@example("結果\u3000\n\u3000\u3000\n".encode() * 5, 0, 8)
def test_the_verdict_is_the_last_line_that_shows_something(
    data: bytes, blank: int, block: int
) -> None:
    data += [b"", b"\n" * 50, b" " * 40, b"\r\n \n"][blank]
    counts = counted(data, block)
    if not counts.encoding.startswith("utf-16") and counts.kind != "image":
        if block < BLOCK:
            # In a line longer than a block an escape sequence may be cut, and shows.
            data = data.replace(b"\x1b", b"e")
            counts = counted(data, block)
        assert counts.verdict == _verdict(data)


@given(st.lists(st.integers(0, 60), max_size=6), st.booleans(), blocks)
def test_the_verdict_of_long_lines_is_found_across_blocks(
    lengths: list[int], ends: bool, block: int
) -> None:
    data = b"\n".join(b"x" * length for length in lengths) + b"\n" * ends
    assert counted(data, block).verdict == _verdict(data)


@given(
    st.lists(
        st.sampled_from(["a", "😀 ok", " ", "\u3000", "\r", "", "結果"]), max_size=20
    ),
    st.sampled_from(["utf-16-le", "utf-16-be"]),
    st.booleans(),
    blocks,
)
def test_the_verdict_of_utf16_has_its_range_on_disk(
    lines: list[str], encoding: str, ends: bool, block: int
) -> None:
    text = "\n".join(lines) + "\n" * ends
    data = ("\ufeff" + text).encode(encoding)
    verdict = counted(data, block).verdict
    expected = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not expected:
        assert verdict is None
    else:
        number, line = expected[-1]
        line = line.rstrip("\r")
        assert verdict is not None
        assert (verdict.number, verdict.text) == (number, line)
        assert data[verdict.start : verdict.end].decode(encoding) == line


def test_the_verdict_behind_megabytes_of_blank_lines_is_found() -> None:
    data = b"first\nFAILED (errors=2)\r\n" + b" \n" * (1 << 20) + b"\n" * (1 << 20)
    verdict = counted(data).verdict
    assert verdict == Line(2, 6, 23, "FAILED (errors=2)")


def test_the_verdict_behind_nuls_and_colour_resets_is_found() -> None:
    verdict = counted(b"3 failed\n\x1b[0m\n\x1b[39;49m\r\n" + b"\0" * 300_000).verdict
    assert verdict == Line(1, 0, 8, "3 failed")


def test_the_verdict_of_one_long_line_is_its_beginning_with_the_whole_range() -> None:
    data = b"head\n" + "あ".encode() * 200_000
    verdict = counted(data).verdict
    assert verdict == Line(2, 5, len(data), "あ" * 2000, truncated=True)
    exactly = counted(b"y" * 2000).verdict
    assert exactly == Line(1, 0, 2000, "y" * 2000, truncated=False)


def test_a_long_line_is_not_read_again_to_find_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "one-line"
    size = 8 << 20
    path.write_bytes(b"first\n" + b"x" * size)
    reads: list[int] = []

    class Watched:
        def __init__(self) -> None:
            self._content = open_content(str(path))
            self.size = self._content.size
            self.path = self._content.path

        def pread(self, offset: int, length: int) -> bytes:
            data = self._content.pread(offset, length)
            reads.append(len(data))
            return data

        def close(self) -> None:
            self._content.close()

    watched = Watched()
    assert count(watched).verdict == Line(2, 6, size + 6, "x" * 2000, truncated=True)
    assert sum(reads) < size + 4 * BLOCK
    assert max(reads) <= max(BLOCK, HEAD)
    watched.close()


# Changing and stopping


def test_counting_stops_when_nobody_waits() -> None:
    asked = iter([False, False, True])
    with pytest.raises(Cancelled):
        count(BytesContent(b"x" * 100), cancelled=lambda: next(asked), block=8)


def test_a_file_truncated_while_it_is_counted_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"line\n" * 1000)

    def truncate() -> bool:
        os.truncate(path, 100)
        return False

    with open_content(str(path)) as content, pytest.raises(ArtifactGone):
        count(content, cancelled=truncate, block=64)


def test_compressed_bytes_are_binary_or_invalid_but_counted() -> None:
    data = zlib.compress(bytes(range(256)) * 50 + os.urandom(3000))
    counts = counted(data, 64)
    assert counts.chars == len(data.decode("utf-8", "replace"))
