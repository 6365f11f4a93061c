"""What may reach a screen, and what people may type."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spillview.errors import BadInput
from spillview.model import Boundary
from spillview.text import (
    human_age,
    human_bytes,
    human_count,
    human_ratio,
    iso,
    path_text,
    printable,
)
from spillview.typed import parse_age, parse_boundary, parse_size, parse_when

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@given(st.text())
@example("\x1b]0;owned\x07")
def test_printable_leaves_no_control_no_bidi_and_no_lone_surrogate(text: str) -> None:
    shown = printable(text)
    for char in shown:
        assert unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")
        assert char not in BIDI
    shown.encode()


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_printable_keeps_one_character_for_one(text: str) -> None:
    assert len(printable(text)) == len(text)
    assert printable(printable(text)) == printable(text)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[2J", "␛[2J"),
        ("\x00\x07\x08\r\n\t\x7f", "␀␇␈␍␊␉␡"),
        ("\x85\x9b31m", "��31m"),
        ("a\u202eb", "a�b"),
        ("x\u200by\ufeff", "x�y�"),
        ("tag\U000e0041", "tag�"),
        ("\udcff\udc80", "\\xff\\x80"),
        ("\ud800", "�"),
        ("日本語 é 🎉 ⚠\ufe0f \u00a0[/]", "日本語 é 🎉 ⚠\ufe0f \u00a0[/]"),
        ("plain ~ text", "plain ~ text"),
    ],
)
def test_printable_shows_what_could_fool_a_terminal_or_a_reader(
    raw: str, shown: str
) -> None:
    assert printable(raw) == shown


def test_printable_keeps_line_feeds_and_tabs_only_when_asked() -> None:
    assert printable("a\tb\n\r", newlines=True) == "a␉b\n␍"
    assert printable("a\tb\n\r", tabs=True) == "a\tb␊␍"
    assert printable("a\tb\n\r", newlines=True, tabs=True) == "a\tb\n␍"


def test_path_text_writes_undecodable_bytes_out_and_nothing_else() -> None:
    assert path_text("/a/\udcfe\udc0a\n日本.txt") == "/a/\\xfe�\n日本.txt"
    assert path_text("/plain") == "/plain"


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (978_702, "978.7 kB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (1_234_567_890, "1.2 GB"),
        (5 * 10**15, "5,000.0 TB"),
    ],
)
def test_human_bytes(size: int, shown: str) -> None:
    assert human_bytes(size) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-0.5, "0s"),
        (0, "0s"),
        (59.9, "59s"),
        (60, "1m"),
        (3 * 3600 + 5, "3h"),
        (2 * 86_400, "2d"),
        (13 * 86_400, "13d"),
        (35 * 86_400, "5w"),
        (3 * 365 * 86_400, "3y"),
        (-7200, "in 2h"),
    ],
)
def test_human_age(seconds: float, shown: str) -> None:
    assert human_age(seconds) == shown


@pytest.mark.parametrize(
    ("ratio", "shown"),
    [
        (0.0, "0.00×"),
        (0.0003, "<0.01×"),
        (0.01, "0.01×"),
        (0.29, "0.29×"),
        (0.9999, "0.99×"),
        (1.0, "1.00×"),
        (27.4234, "27.4×"),
        (1204.9, "1,204×"),
        (float("inf"), "?×"),
    ],
)
def test_human_ratio_never_rounds_up_over_the_boundary(
    ratio: float, shown: str
) -> None:
    assert human_ratio(ratio) == shown


def test_human_count_groups_thousands() -> None:
    assert human_count(822_582) == "822,582"


@given(st.floats(-6e10, 2.5e11, allow_nan=False))
def test_iso_is_the_utc_time_and_reads_back(epoch: float) -> None:
    text = iso(epoch)
    assert text is not None
    assert text.endswith("Z")
    assert len(text) == 20
    assert datetime.fromisoformat(text).timestamp() <= epoch
    assert datetime.fromisoformat(text).timestamp() >= epoch - 1


def test_iso_of_no_time_or_a_broken_one_is_none() -> None:
    assert iso(None) is None
    assert iso(1e300) is None
    assert iso(float("nan")) is None
    assert iso(0) == "1970-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("typed", "seconds"),
    [
        ("90m", 5400),
        ("12h", 43_200),
        ("7d", 604_800),
        ("2w", 1_209_600),
        ("1.5h", 5400),
        (" 3 D ", 259_200),
    ],
)
def test_ages_are_read(typed: str, seconds: float) -> None:
    assert parse_age(typed) == seconds


@pytest.mark.parametrize(
    "typed",
    ["", "12", "h", "-1h", "0h", "0.0d", "1e9h", "999999d", "9" * 400 + "w", "١h"],
)
def test_ages_that_make_no_sense_are_refused(typed: str) -> None:
    with pytest.raises(BadInput):
        parse_age(typed)


@pytest.mark.parametrize(
    ("typed", "size"),
    [
        ("4096B", 4096),
        ("500k", 500_000),
        ("500kB", 500_000),
        ("3GB", 3_000_000_000),
        ("64KiB", 65_536),
        ("1.5M", 1_500_000),
        ("0.1kib", 102),
        ("9223372036854775807 B", 2**63 - 1),
        ("12b", 12),
    ],
)
def test_sizes_are_read_exactly(typed: str, size: int) -> None:
    assert parse_size(typed) == size


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "k",
        "-5k",
        "0",
        "0.0001k",
        "9223372036854775808B",
        "9999999P",
        "5kk",
        "5 bytes",
    ],
)
def test_sizes_that_make_no_sense_are_refused(typed: str) -> None:
    with pytest.raises(BadInput):
        parse_size(typed)


@pytest.mark.parametrize("typed", ["5", "200", " 5.5 ", "12345678901234567890123"])
def test_a_bare_number_is_no_size_and_the_form_is_named(typed: str) -> None:
    with pytest.raises(BadInput, match=r"has no unit: write .*GB, .*MB or"):
        parse_size(typed)


def test_moments_are_ages_or_iso_dates() -> None:
    now = 1_800_000_000.0
    assert parse_when("2h", now) == now - 7200
    assert parse_when("2026-11-29T22:30:00Z", now) == 1_795_991_400
    assert parse_when("2026-11-29T22:30:00+09:00", now) == 1_795_991_400 - 9 * 3600
    local = datetime(2026, 11, 29).astimezone()
    assert parse_when("2026-11-29", now) == local.timestamp()
    assert parse_when("1970-01-01T00:00:00Z", now) == 0
    assert datetime.fromtimestamp(parse_when("20261129T000000Z", now), UTC).day == 29


def test_today_and_yesterday_are_their_local_midnights() -> None:
    now = datetime(2026, 11, 29, 7, 31).astimezone()
    for typed, day in (("today", 29), ("Yesterday", 28), (" yesterday ", 28)):
        midnight = datetime(2026, 11, day).astimezone()
        assert parse_when(typed, now.timestamp()) == midnight.timestamp()


def test_what_is_no_time_is_told_every_form_there_is() -> None:
    with pytest.raises(BadInput) as caught:
        parse_when("last week", 0.0)
    for form in ("90m", "7d", "2026-11-29", "T18:00", "today", "yesterday"):
        assert form in str(caught.value)


@pytest.mark.parametrize(
    "typed", ["", "tomorrow", "yesterdays", "2026-13-01", "0h", "\x1b[2J", "24"]
)
def test_moments_that_make_no_sense_are_refused_without_raw_bytes(typed: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_when(typed, 0.0)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("typed", "boundary"),
    [
        ("30000", Boundary(30_000, "chars")),
        ("30000chars", Boundary(30_000, "chars")),
        ("50,000 bytes", Boundary(50_000, "bytes")),
        ("2000LINES", Boundary(2000, "lines")),
        ("25_000tokens", Boundary(25_000, "tokens")),
        ("16utf16", Boundary(16, "utf16")),
    ],
)
def test_boundaries_are_read_with_their_unit(typed: str, boundary: Boundary) -> None:
    assert parse_boundary(typed) == boundary


@pytest.mark.parametrize(
    "typed",
    ["", "chars", "0", "0bytes", "-1", "30000words", "9" * 19, "9" * 5000, "1.5"],
)
def test_boundaries_that_make_no_sense_are_refused(typed: str) -> None:
    with pytest.raises(BadInput):
        parse_boundary(typed)
