"""Pages that join to the content, whatever unit, limit and text."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spillview.content.content import BytesContent
from spillview.content.lines import BLOCK, LineIndex
from spillview.content.pages import (
    LARGEST,
    LINE_PAGE,
    Page,
    PageUnit,
    page,
    unescape,
    unescaped,
)
from spillview.errors import BadInput, PastEnd
from tests.hostile import char_starts, hostile, valid

UNITS: list[PageUnit] = ["line", "char", "byte"]
units = st.sampled_from(UNITS)


def _page(data: bytes, unit: PageUnit, offset: int, limit: int) -> Page:
    content = BytesContent(data)
    return page(content, LineIndex(content, block=64), unit, offset, limit)


def _pages(data: bytes, unit: PageUnit, limit: int) -> list[Page]:
    """All pages, following `next` where a page was cut, else `next_offset`."""
    content = BytesContent(data)
    index = LineIndex(content, block=64)
    pages = [page(content, index, unit, 1 if unit == "line" else 0, limit)]
    while (last := pages[-1]).next_offset is not None or last.next is not None:
        if last.next is not None:
            assert last.cut
            assert last.next == {"unit": "byte", "offset": last.end}
            pages.append(page(content, index, "byte", last.end, LINE_PAGE))
        else:
            assert last.next_offset is not None
            assert last.next_offset > last.offset
            pages.append(page(content, index, last.unit, last.next_offset, limit))
    return pages


@given(hostile, units, st.integers(1, 12))
@example(b"", "line", 1)
@example("😀".encode() * 5, "byte", 1)
@example(b"a\r\nb\r\n", "char", 2)
def test_pages_joined_are_the_content_and_none_is_empty(
    data: bytes, unit: PageUnit, limit: int
) -> None:
    pages = _pages(data, unit, limit)
    assert b"".join(p.data for p in pages) == data
    assert "".join(p.text for p in pages) == data.decode("utf-8", "replace")
    starts = {*char_starts(data), len(data)}
    for one in pages:
        assert one.data or data == b""
        assert one.data == data[one.start : one.end]
        assert one.start in starts
        assert one.end in starts
    assert (
        pages[-1].total
        == {
            "line": data.count(b"\n") + (data != b"" and data[-1:] != b"\n"),
            "char": len(data.decode("utf-8", "replace")),
            "byte": len(data),
        }[unit]
    )


@given(valid, st.integers(0, 100), st.integers(1, 30))
def test_a_page_of_chars_is_a_slice_of_the_text(
    data: bytes, offset: int, limit: int
) -> None:
    text = data.decode()
    if offset >= len(text):
        return
    one = _page(data, "char", offset, limit)
    assert text[offset:].startswith(one.text)
    # Shorter only not to split a cluster, longer only not to be empty.
    after = text[offset + limit : offset + limit + 1]
    if one.text != text[offset : offset + limit]:
        assert after == "\n" or not after.isascii()


@given(hostile, st.integers(1, 50), st.integers(1, 10))
def test_a_page_of_lines_is_those_lines(data: bytes, offset: int, limit: int) -> None:
    lines = data.split(b"\n")
    lines = [line + b"\n" for line in lines[:-1]] + [lines[-1]] * (lines[-1] != b"")
    if offset > len(lines):
        return
    one = _page(data, "line", offset, limit)
    assert one.data == b"".join(lines[offset - 1 : offset - 1 + limit])
    following = offset + limit
    assert one.next_offset == (following if following <= len(lines) else None)
    assert not one.cut


@given(hostile, st.integers(0, 200), st.integers(1, 9))
def test_a_byte_offset_inside_a_character_moves_to_its_beginning(
    data: bytes, offset: int, limit: int
) -> None:
    if offset >= len(data):
        return
    one = _page(data, "byte", offset, limit)
    assert one.start == max(start for start in char_starts(data) if start <= offset)
    assert one.offset == one.start


CLUSTERS = [
    "👩\u200d👩\u200d👧\u200d👦",
    "e\u0301\u0323",
    "👍🏽",
    "🇯🇵",
    "한",
    "ก็",
    "⚠\ufe0f",
    "\r\n",
]


@given(
    st.lists(st.sampled_from([*CLUSTERS, "a", " ", "é", "\n"]), max_size=20),
    st.sampled_from(["char", "byte"]),
    st.integers(1, 30),
)
def test_no_page_of_chars_or_bytes_ends_inside_a_cluster(
    some: list[str], unit: PageUnit, limit: int
) -> None:
    # A letter between them, so that neighbours do not join to one cluster.
    text = "x".join(some)
    inside: set[int] = set()
    place = 0
    for cluster in "\0x\0".join(some).split("\0"):
        size = len(cluster.encode())
        if cluster in CLUSTERS:
            inside |= set(range(place + 1, place + size))
        place += size
    for one in _pages(text.encode(), unit, limit):
        assert one.end not in inside


def test_endless_accents_do_not_make_a_page_endless() -> None:
    data = ("a" + "\u0301" * 50_000).encode()
    pages = _pages(data, "char", 100)
    assert b"".join(p.data for p in pages) == data
    assert max(len(p.data) for p in pages) < 3000
    assert all(unicodedata.combining(p.text[-1]) for p in pages)


def test_a_single_line_larger_than_a_page_goes_on_by_bytes() -> None:
    data = b"first\n" + "日本".encode() * 400_000 + b"\nlast\n"
    pages = _pages(data, "line", 10)
    assert pages[0].data == b"first\n"
    assert pages[0].cut
    assert pages[0].next_offset == 2
    content = BytesContent(data)
    long = page(content, LineIndex(content), "line", 2, 1)
    assert long.cut
    assert long.next == {"unit": "byte", "offset": long.end}
    assert long.next_offset == 3
    assert LINE_PAGE - 3 <= len(long.data) <= LINE_PAGE
    assert "\ufffd" not in long.text
    assert b"".join(p.data for p in pages) == data
    assert page(content, LineIndex(content), "line", 3, 1).data == b"last\n"


def test_many_lines_stop_at_a_line_before_the_limit_of_bytes() -> None:
    data = b"0123456789abcde\n" * 100_000
    one = _page(data, "line", 1, 1_000_000)
    assert one.cut
    assert len(one.data) == LINE_PAGE
    assert one.next_offset == LINE_PAGE // 16 + 1
    assert one.next == {"unit": "byte", "offset": LINE_PAGE}


def test_a_limit_beyond_memory_gives_a_bounded_page_that_says_so() -> None:
    data = b"y" * (LARGEST + 10)
    for unit in UNITS[1:]:
        one = _page(data, unit, 0, 10**18)
        assert one.cut
        assert len(one.data) == LARGEST
        assert one.next_offset == LARGEST


def test_one_line_of_fifty_kilobytes_is_paged_by_chars_and_bytes() -> None:
    data = b"z" * 50_000
    assert _page(data, "line", 1, 1).data == data
    assert [len(p.data) for p in _pages(data, "char", 20_000)] == [
        20_000,
        20_000,
        10_000,
    ]
    assert [len(p.data) for p in _pages(data, "byte", 30_000)] == [30_000, 20_000]


@pytest.mark.parametrize("unit", UNITS)
def test_an_empty_content_is_one_empty_page(unit: PageUnit) -> None:
    first = 1 if unit == "line" else 0
    one = _page(b"", unit, first, 10)
    assert (one.data, one.total, one.next_offset, one.cut) == (b"", 0, None, False)
    with pytest.raises(PastEnd):
        _page(b"", unit, first + 1, 10)


@pytest.mark.parametrize(
    ("unit", "offset"), [("line", 3), ("line", 10**18), ("char", 5), ("byte", 7)]
)
def test_an_offset_past_the_end_says_so(unit: PageUnit, offset: int) -> None:
    with pytest.raises(PastEnd, match="past the end") as caught:
        _page("日a\nb\n".encode(), unit, offset, 1)
    assert caught.value.exit_code == 1


@pytest.mark.parametrize(
    ("unit", "offset", "limit"),
    [("line", 0, 1), ("char", -1, 1), ("byte", -1, 1), ("line", 1, 0), ("byte", 0, -5)],
)
def test_offsets_and_limits_that_make_no_sense_are_refused(
    unit: PageUnit, offset: int, limit: int
) -> None:
    with pytest.raises(BadInput):
        _page(b"abc", unit, offset, limit)


def test_a_page_can_be_had_before_everything_is_measured() -> None:
    content = BytesContent(b"0123456789abcde\n" * (1 << 20))
    index = LineIndex(content)
    one = page(content, index, "line", 2, 3, measure=False)
    assert one.data == b"0123456789abcde\n" * 3
    assert (one.total, one.next_offset) == (None, 5)
    assert not index.complete
    one = page(content, index, "char", 5, 3, measure=False)
    assert (one.text, one.total, one.next_offset) == ("567", None, 8)


# JSON strings


def _unescaped(data: bytes, chunk: int = 1 << 20) -> str:
    content = unescape(BytesContent(data), chunk=chunk)
    text = content.pread(0, content.size).decode()
    content.close()
    return text


FORMS = ["%s", " %s \n", '[{"type":"text","text":%s}]', '{ "result" : %s }\n']


@given(
    st.lists(
        st.sampled_from(["a", "\n", '"', "\\", "é", "日本", "😀", "\x01", "u0041", "/"])
        | st.characters(),
        max_size=40,
    ).map("".join),
    st.booleans(),
    st.sampled_from(FORMS),
    st.sampled_from([12, 13, 17, 40, 1 << 20]),
)
@example("\ud83d", True, "%s", 12)
@example("\ud83d\ude00\ud83dx", True, "%s", 12)
def test_a_json_string_is_shown_with_its_real_lines(
    text: str, ascii_only: bool, form: str, chunk: int
) -> None:
    lone = any("\ud800" <= char <= "\udfff" for char in text)
    data = (form % json.dumps(text, ensure_ascii=ascii_only or lone)).encode()
    expected = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert _unescaped(data, chunk) == expected


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b'""', ""),
        (b'"', ""),
        (b'"cut\\nhere', "cut\nhere"),
        (b'"cut \\u00', "cut \\u00"),
        (b'"cut \\', "cut \\"),
        (b'"a\\qb"', "a\\qb"),
        (b'"raw \xff\nline"', "raw �\nline"),
        (b'\xef\xbb\xbf"marked"', "marked"),
        (b'[{"type":"text","text":"a"},{"type":"text","text":"b"}]', "a\nb"),
    ],
)
def test_broken_and_joined_json_strings_are_shown_as_far_as_they_go(
    data: bytes, text: str
) -> None:
    assert _unescaped(data) == text


@pytest.mark.parametrize(
    "data",
    [b"", b"plain", b'["a", "b"]', b'"a" b', b'{"result": "x", "n": 1}', b'{"a": "b"}'],
)
def test_what_is_not_one_json_string_is_refused(data: bytes) -> None:
    with pytest.raises(BadInput):
        unescape(BytesContent(data))


class Watched(BytesContent):
    """Bytes that remember how much of them was read."""

    read = 0

    def pread(self, offset: int, length: int) -> bytes:
        """See `Content.pread`."""
        data = super().pread(offset, length)
        self.read += len(data)
        return data


def test_the_line_behind_ten_megabytes_of_one_line_is_read_alone() -> None:
    content = Watched(b"x" * 10_000_000 + b"\nsecond line\n")
    index = LineIndex(content)
    index.extend()
    content.read = 0
    last = page(content, index, "line", index.lines, 1)
    assert last.data == b"second line\n"
    assert content.read < 4 * BLOCK


def test_the_first_page_of_one_huge_line_needs_only_its_beginning() -> None:
    content = Watched(b'{"a": [' + b"1, " * 10_000_000)
    first = page(content, LineIndex(content), "char", 0, 4000, measure=False)
    assert first.text.startswith('{"a": [1, 1, ')
    assert len(first.text) == 4000
    assert content.read < content.size // 2
    whole = page(content, LineIndex(content), "line", 1, 1)
    assert whole.cut
    assert len(whole.data) == LINE_PAGE


def test_both_sides_of_a_cut_inside_a_character_add_up() -> None:
    data = "結果は失敗です".encode()
    for limit in range(1, len(data)):
        head = _page(data, "byte", 0, limit)
        tail = _page(data, "byte", head.end, len(data))
        assert "\ufffd" not in head.text + tail.text
        assert len(head.data) + len(tail.data) == len(data)
        assert len(head.text) + len(tail.text) == 7


def test_a_short_string_costs_no_whole_chunk() -> None:
    class Counted(BytesContent):
        read = 0

        def pread(self, offset: int, length: int) -> bytes:
            self.read += length
            return super().pread(offset, length)

    content = Counted(b'"key":' + b"x" * (1 << 20))
    assert list(unescaped(content, 1)) == [(5, b"key", True)]
    assert content.read <= 4096
