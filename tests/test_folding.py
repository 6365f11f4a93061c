"""Rows cover any bytes exactly once, forwards and backwards, and hide nothing."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len, get_character_cell_size

from spillview.content.content import BytesContent
from spillview.layout import folding, segments
from spillview.layout.cells import char_width, text_width
from spillview.layout.folding import Fold, Folding, Row, Sgr
from spillview.layout.layout import RUNS
from spillview.text import printable

ALL = 1 << 30


class Recorder:
    """Content that notes how much of it was read."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.read = 0

    @property
    def size(self) -> int:
        return len(self.data)

    def pread(self, offset: int, length: int) -> bytes:
        data = self.data[offset : offset + length]
        self.read += len(data)
        return data


def fold_rows(data: bytes, **options: object) -> list[Row]:
    view = Folding(BytesContent(data), **options)  # type: ignore[arg-type]  # passed on
    return view.forward(0, ALL)


def texts(data: bytes, **options: object) -> list[str]:
    return [row.text for row in fold_rows(data, **options)]


@pytest.fixture
def small_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long lines begin at 512 bytes, so that small examples have many segments."""
    monkeypatch.setattr(segments, "GRID", 512)
    monkeypatch.setattr(folding, "GRID", 512)
    monkeypatch.setattr(segments, "SLACK", 96)
    monkeypatch.setattr(segments, "BLOCK", 1024)
    monkeypatch.setattr(folding, "CHAIN", 1 << 14)


FRAGMENTS = st.one_of(
    st.binary(max_size=12),
    st.text(max_size=8).map(lambda t: t.encode("utf-8", "surrogatepass")),
    st.sampled_from(
        [
            b"\n",
            b"\r\n",
            b"\r",
            b"\t",
            b"plain words ",
            b"\x1b[1;31mred\x1b[0m",
            b"\x1b]52;c;AAAA\x07",
            b"\x1b[2J",
            "日本語のテキスト".encode(),
            "e\u0301\u0302".encode(),
            "👩🏽‍💻🇩🇪".encode(),
            "❤️".encode(),
            b"\x00\x07\x7f\x9b\xff",
        ]
    ),
    st.tuples(
        st.sampled_from([b"x", b"ab ", "字".encode(), b"\r50%"]), st.integers(1, 400)
    ).map(lambda pair: pair[0] * pair[1]),
)
CONTENT = st.lists(FRAGMENTS, max_size=24).map(b"".join)
OPTIONS = st.fixed_dictionaries(
    {
        "width": st.integers(1, 60),
        "wrap": st.booleans(),
        "escapes": st.sampled_from(["shown", "hidden", "colour"]),
        "returns": st.sampled_from(["final", "raw"]),
    }
)
relaxed = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.mark.usefixtures("small_grid")
@given(data=CONTENT, options=OPTIONS)
@relaxed
def test_rows_forward_cover_every_byte_once(
    data: bytes, options: dict[str, object]
) -> None:
    at = 0
    for row in fold_rows(data, **options):
        assert row.start == at
        assert row.end > row.start
        at = row.end
    assert at == len(data)


@pytest.mark.usefixtures("small_grid")
@given(data=CONTENT, options=OPTIONS)
@relaxed
def test_rows_backward_are_the_rows_forward(
    data: bytes, options: dict[str, object]
) -> None:
    forward = fold_rows(data, **options)
    fresh = Folding(BytesContent(data), **options)  # type: ignore[arg-type]  # passed on
    assert fresh.backward(len(data), ALL) == forward


@pytest.mark.usefixtures("small_grid")
@given(data=CONTENT, options=OPTIONS, where=st.floats(0, 1, exclude_max=True))
@relaxed
def test_a_row_found_from_any_byte_is_the_same_row(
    data: bytes, options: dict[str, object], where: float
) -> None:
    if not data:
        return
    byte = int(len(data) * where)
    expected = next(r for r in fold_rows(data, **options) if r.start <= byte < r.end)
    fresh = Folding(BytesContent(data), **options)  # type: ignore[arg-type]  # passed on
    assert fresh.row_at(byte) == expected
    before = fresh.backward(byte, 1)
    assert [row.end for row in before] == ([expected.start] if expected.start else [])


@pytest.mark.usefixtures("small_grid")
@given(data=CONTENT, options=OPTIONS, width=st.integers(1, 60))
@relaxed
def test_no_row_is_wider_than_asked_and_none_holds_a_control_character(
    data: bytes, options: dict[str, object], width: int
) -> None:
    for row in fold_rows(data, **{**options, "width": width}):
        assert printable(row.text) == row.text
        if options["wrap"]:
            widest = max(folding.MIN_WIDTH, width)
            assert cell_len(row.text) <= text_width(row.text) <= widest


@pytest.mark.usefixtures("small_grid")
@given(data=CONTENT, width=st.integers(8, 40))
@relaxed
def test_shown_and_raw_rows_hold_every_character(data: bytes, width: int) -> None:
    text = data.decode("utf-8", "surrogateescape")
    # a variation selector that follows nothing is a replacement character
    unsure = {ord(char): None for char in " \t\n\ufe0f\ufffd"}
    shown = "".join(texts(data, width=width, returns="raw")).translate(unsure)
    assert shown == printable(text.translate(unsure)).translate(unsure)


@pytest.mark.usefixtures("small_grid")
@given(data=CONTENT, options=OPTIONS)
@relaxed
def test_row_positions_map_characters_to_bytes_and_back(
    data: bytes, options: dict[str, object]
) -> None:
    for row in fold_rows(data, **options):
        offsets = [row.byte_at(i) for i in range(len(row.text) + 1)]
        assert offsets == sorted(offsets)
        assert all(row.start <= offset <= row.end for offset in offsets)
        for index in range(len(row.text)):
            first = row.index_at(offsets[index])
            assert row.byte_at(first) == offsets[index] or first == 0


@pytest.mark.usefixtures("small_grid")
@given(data=CONTENT, options=OPTIONS, cuts=st.lists(st.floats(0, 1), max_size=6))
@relaxed
def test_folds_are_one_row_each_and_the_rest_is_covered(
    data: bytes, options: dict[str, object], cuts: list[float]
) -> None:
    edges = sorted({int(len(data) * cut) for cut in cuts})
    folds = [Fold(a, b) for a, b in zip(edges[::3], edges[1::3], strict=False) if a < b]
    rows = fold_rows(data, folds=folds, **options)
    assert [row.fold for row in rows if row.fold] == folds
    assert [row.start for row in rows[1:]] == [row.end for row in rows[:-1]]
    assert not data or (rows[0].start, rows[-1].end) == (0, len(data))
    fresh = Folding(BytesContent(data), folds=folds, **options)  # type: ignore[arg-type]  # passed on
    assert fresh.backward(len(data), ALL) == rows


@given(lines=st.lists(st.sampled_from([b"a hit", b"other", b"", "字 hit".encode()])))
@relaxed
def test_a_filter_shows_the_lines_with_hits_and_no_other(lines: list[bytes]) -> None:
    data = b"".join(line + b"\n" for line in lines)
    hits = [match.start() for match in re.finditer(b"hit", data)]
    view = Folding(BytesContent(data), only=hits)
    expected = [line.decode() for line in lines if b"hit" in line]
    rows = view.forward(0, ALL)
    assert [row.text for row in rows] == expected
    assert view.backward(len(data), ALL) == rows
    for row in rows:
        assert view.row_at(row.start) == row


def test_segment_starts_follow_their_definition(
    small_grid: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = b"short\n" + b"x" * 3000 + b"\n" + b"y" * 1200 + b"\nz"
    line_starts = {0, *(m.end() for m in re.finditer(b"\n", data))}
    inside = {
        at
        for at in range(512, len(data), 512)
        if b"\n" not in data[at - 512 : at] and data[at : at + 1] != b"\n"
    }
    expected = sorted(line_starts | inside)
    view = segments.Segments(BytesContent(data))
    for byte in range(len(data)):
        start, end = view.around(byte)
        assert start == max(s for s in expected if s <= byte)
        assert end == min([s for s in expected if s > byte], default=len(data))


def test_lines_end_at_lf_alone() -> None:
    data = "one\u2028two\x0bthree\x0cfour\x85five\rsix\nseven".encode()
    rows = fold_rows(data, width=200, returns="raw")
    assert [row.continuation for row in rows] == [False, False]
    assert rows[1].text == "seven"


def test_a_row_break_never_splits_a_wide_character_or_a_cluster() -> None:
    assert texts("abc字字字字字".encode(), width=8) == ["abc字字", "字字字"]
    cluster = "e\u0301"
    data = (cluster * 20).encode()
    rows = fold_rows(data, width=8)
    assert [row.text for row in rows] == [cluster * 8, cluster * 8, cluster * 4]


def test_a_segment_start_never_splits_a_character_a_cluster_or_an_escape() -> None:
    grid = segments.GRID
    for piece in ("字", "😀", "e\u0301\u0302\u0303", "❤️", "🇩🇪"):
        raw = piece.encode()
        for shift in range(len(raw) + 1):
            data = b"x" * (grid - shift) + raw * 40 + b"x" * grid
            joined = texts(data, width=80)
            assert "".join(joined) == data.decode()
            starts = {row.start for row in fold_rows(data, width=80)}
            for at in starts:
                if grid - shift < at < grid - shift + 40 * len(raw):
                    assert (at - grid + shift) % len(raw) == 0
    escape = b"\x1b[38;5;196m"
    for shift in range(1, len(escape)):
        data = b"x" * (grid - shift) + escape + b"y" * grid
        assert "[" not in "".join(texts(data, escapes="hidden"))


def test_a_tab_goes_to_the_next_multiple_of_eight() -> None:
    assert texts(b"a\tb\n\tc\n12345678\td", width=40) == [
        "a       b",
        "        c",
        "12345678        d",
    ]


def test_escapes_are_pictures_or_left_out_or_colours() -> None:
    data = b"\x1b[1;31mred\x1b[0m and \x1b]0;title\x07\x1b[2Jplain"
    assert texts(data) == ["␛[1;31mred␛[0m and ␛]0;title␇␛[2Jplain"]
    assert texts(data, escapes="hidden") == ["red and plain"]
    (row,) = fold_rows(data, escapes="colour")
    assert row.text == "red and plain"
    assert row.spans == ((0, 3, Sgr(foreground="red", bold=True)),)


def test_sgr_colours_of_every_form_are_understood() -> None:
    looks = {
        b"38;5;208": Sgr(foreground=208),
        b"38;2;1;2;255": Sgr(foreground="#0102ff"),
        b"48;5;1;4": Sgr(background=1, underline=True),
        b"92;7": Sgr(foreground="bright_green", reverse=True),
        b"104;3;9": Sgr(background="bright_blue", italic=True, strike=True),
        b"38:5:7": Sgr(foreground=7),
    }
    for codes, look in looks.items():
        (row,) = fold_rows(b"\x1b[%bmx" % codes, escapes="colour")
        assert row.spans == ((0, 1, look),)
    for codes in (b"", b"0", b"38;5;999", b"38", b"8", b"999"):
        (row,) = fold_rows(b"\x1b[%bmx" % codes, escapes="colour")
        assert row.spans == ()


def test_a_progress_bar_of_ten_thousand_frames_is_its_last_frame() -> None:
    bar = b"".join(
        b"\rDownloading %5d of 10000 [%s]" % (n, b"#" * 30) for n in range(10001)
    )
    data = b"start\n" + bar + b"\nend\n"
    rows = fold_rows(data, width=100)
    assert [row.text.partition(" ")[2] for row in rows[1:2]] == [
        "Downloading 10000 of 10000 [" + "#" * 30 + "]"
    ]
    assert [rows[0].text, rows[2].text] == ["start", "end"]
    assert len(rows) == 3
    assert rows[1].frames == 10001
    assert rows[1].text.startswith("↻10,001 ")
    assert rows[1].start == 6
    raw = "".join(texts(data, width=100, returns="raw"))
    assert raw.count("␍") == 10001


def test_a_bar_that_ends_by_blanking_itself_keeps_its_last_words() -> None:
    assert texts(b"50%\r99%\r   \r\n") == ["↻1 99%"]
    assert texts(b"\r\r\n") == [""]
    assert texts("wide\r\n".encode("utf-16-le")) == ["w␀i␀d␀e␀", "␀"]


def test_crlf_is_a_line_end_unless_raw() -> None:
    assert texts(b"a\r\nb\r\n") == ["a", "b"]
    assert texts(b"a\r\nb\r\n", returns="raw") == ["a␍", "b␍"]


def test_undecodable_bytes_are_shown_as_their_numbers() -> None:
    assert texts(b"caf\xe9 \xff") == ["caf\\xe9 \\xff"]


def test_chopping_makes_one_row_of_each_line_and_cuts_nothing_off() -> None:
    data = b"x" * 5000 + b"\nshort\n"
    assert texts(data, width=20, wrap=False) == ["x" * 5000, "short"]


def test_an_empty_content_has_no_rows() -> None:
    view = Folding(BytesContent(b""))
    assert view.forward(0, 5) == []
    assert view.backward(0, 5) == []
    assert view.row_at(0) is None


def test_line_numbers_follow_where_the_index_knows_them() -> None:
    data = b"one\n" + b"y" * 30 + b"\nthree\nfour\n"

    class Index:
        def line_at(self, byte: int) -> int | None:
            return data.count(b"\n", 0, byte) + 1 if byte < 40 else None

    view = Folding(BytesContent(data), width=20)
    rows = view.numbered(view.forward(0, 10), Index())
    assert [row.number for row in rows] == [1, 2, None, 3, 4]
    late = view.numbered(view.forward(41, 10), Index())
    assert [row.number for row in late] == [None]


@pytest.mark.parametrize("where", ["first", "last", "middle"])
def test_a_screen_of_a_huge_line_reads_a_bounded_piece_of_it(where: str) -> None:
    data = b"z" * (30 << 20) + b"\nsecond line\n"
    source = Recorder(data)
    view = Folding(source, width=100)
    at = {"first": 0, "last": len(data), "middle": 15 << 20}[where]
    rows = view.backward(at, 40) if where == "last" else view.forward(at, 40)
    assert len(rows) == 40
    if where == "last":
        assert rows[-1].text == "second line"
    assert source.read < 1 << 20


def test_content_that_shrank_ends_the_rows_instead_of_looping() -> None:
    class Shrunk(Recorder):
        @property
        def size(self) -> int:
            return 100_000

    view = Folding(Shrunk(b"line\n" * 10))
    rows = view.forward(0, ALL)
    assert [row.text for row in rows[:10]] == ["line"] * 10
    assert view.backward(100_000, 3)


def test_characters_that_are_laid_out_together_are_alike() -> None:
    for name, (chars, cells, size) in RUNS.items():
        members = re.findall(f"[{chars}]", "".join(map(chr, range(0xD800))))
        members += re.findall(f"[{chars}]", "".join(map(chr, range(0xE000, 0x10000))))
        assert members, name
        for char in members:
            assert char_width(char) == cells
            assert len(char.encode()) == size
            assert printable(char) == char


def test_no_character_is_measured_narrower_than_it_is_drawn() -> None:
    wrong = [
        hex(code)
        for code in range(0xA0, 0x110000)
        if not 0xD800 <= code < 0xE000
        and printable(chr(code)) == chr(code)
        and char_width(chr(code)) < get_character_cell_size(chr(code))
    ]
    assert wrong == []


def test_assigned_characters_are_measured_as_they_are_drawn() -> None:
    wider = [
        hex(code)
        for code in range(0xA0, 0x110000)
        if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co")
        and printable(chr(code)) == chr(code)
        and char_width(chr(code)) != get_character_cell_size(chr(code))
    ]
    assert wider == []
