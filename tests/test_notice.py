"""Previews and notices: nothing split, every byte accounted for, the budget kept."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spillview.hints import get_args
from spillview.model import Unit
from spillview.profiles.file import built_in
from spillview.store.notice import GAP, Preview, measure, notice, preview, replacement
from spillview.transcripts.notices import notices_in

UNITS: tuple[Unit, ...] = get_args(Unit)
TEXT = st.text(
    st.one_of(
        st.sampled_from("ab \n\r\0é日😀\ufeff\u0301\u2028"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=200,
)
PATH = "/h/spills/session-abe633f3a47a/0123456789ab-bash.txt"
HINT = "Use read with offset/limit, or grep this path to search within it."


def size(text: str, unit: Unit) -> int:
    """The oracle: the contract's words, one expression each."""
    data = text.encode("utf-8")
    return {
        "bytes": len(data),
        "chars": len(text),
        "utf16": len(text.encode("utf-16-le")) // 2,
        "tokens": (len(data) + 3) // 4,
        "lines": data.count(b"\n") + (data != b"" and data[-1:] != b"\n"),
    }[unit]


@given(TEXT)
def test_every_unit_is_measured_as_the_contract_says(text: str) -> None:
    for unit in UNITS:
        assert measure(text, unit) == size(text, unit)


def test_halves_of_surrogate_pairs_have_a_size_too() -> None:
    text = "a\ud83d"
    assert [measure(text, unit) for unit in ("bytes", "chars", "utf16")] == [4, 2, 2]


def test_a_large_text_is_measured_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spillview.store.notice._PIECE", 3)
    text = "aé日😀" * 50
    for unit in UNITS:
        assert measure(text, unit) == size(text, unit)


@given(TEXT, st.integers(0, 400), st.sampled_from(UNITS))
@example("ab", 1, "bytes")
@example("😀😀", 5, "bytes")
@example("\r\n\r\n", 3, "chars")
@example("a\r\nb", 3, "bytes")
@example("😀😀😀", 3, "utf16")
@example("a\n\n\n", 2, "lines")
def test_head_and_tail_are_the_texts_own_and_no_byte_is_counted_twice(
    text: str, budget: int, unit: Unit
) -> None:
    if unit == "tokens":
        return
    shown = preview(text, budget, unit)
    whole = text.encode("utf-8")
    head, tail = shown.head.encode("utf-8"), shown.tail.encode("utf-8")
    assert whole.startswith(head)
    assert whole.endswith(tail)
    assert len(head) + shown.omitted + len(tail) == len(whole)
    if unit == "lines":
        assert (head + tail).count(b"\n") <= budget or not shown.omitted
    else:
        assert size(shown.head, unit) + size(shown.tail, unit) <= budget
    if shown.omitted:
        # Neither end is inside a character or between CR and LF.
        middle = whole[len(head) : len(whole) - len(tail)].decode("utf-8")
        assert shown.head + middle + shown.tail == text
        for left, right in ((shown.head, middle), (middle, shown.tail)):
            assert not (left.endswith("\r") and right.startswith("\n"))
    else:
        assert (shown.head, shown.tail) == (text, "")


@given(TEXT, st.integers(1, 300))
def test_as_much_is_shown_as_fits(text: str, budget: int) -> None:
    shown = preview(text, budget, "bytes")
    if not shown.omitted:
        return
    spare = budget - budget // 2 - size(shown.head, "bytes")
    after = text[len(shown.head) :]
    # One more character does not fit, or is the LF of a CR LF.
    assert size(after[:1], "bytes") > spare or after[:2] == "\r\n"


@pytest.mark.parametrize(
    ("text", "budget", "head", "tail", "omitted"),
    [
        ("abcdef", 6, "abcdef", "", 0),
        ("abcdef", 5, "abc", "ef", 1),
        ("abcdef", 1, "a", "", 5),
        ("abcdef", 0, "", "", 6),
        ("", 0, "", "", 0),
        ("", 5, "", "", 0),
        ("éé", 4, "éé", "", 0),
        ("ééé", 5, "é", "é", 2),  # three bytes hold one, two hold one
        ("日日日", 5, "日", "", 6),
        ("日日日", 7, "日", "日", 3),
        ("😀😀😀", 7, "😀", "", 8),
        ("a\r\nb\r\nc", 4, "a", "c", 5),
    ],
)
def test_the_arithmetic_is_this(
    text: str, budget: int, head: str, tail: str, omitted: int
) -> None:
    assert preview(text, budget, "bytes") == Preview(head, tail, omitted)


def test_a_character_on_the_split_is_kept_when_nothing_is_omitted() -> None:
    assert preview("ab😀cd", 8, "bytes") == Preview("ab😀cd", "", 0)
    assert preview("ab😀cde", 8, "bytes") == Preview("ab", "cde", 4)


def test_dshs_own_recorded_numbers_come_out() -> None:
    words = notice(1417, PATH, HINT)
    text = "x" * 2022
    cap = 605 + 2 + len(words)
    made = replacement(text, cap, "bytes", PATH, HINT, gap="")
    assert made is not None
    result, shown = made
    assert (len(shown.head), len(shown.tail), shown.omitted) == (303, 302, 1417)
    assert result == "x" * 605 + "\n\n" + words
    assert len(result) == cap


def test_the_spelling_of_the_notice_is_pinned() -> None:
    assert notice(1417, "P", "H.") == (
        "(Omitted 1417 bytes. Full formatted result stored at: P. H.)"
    )
    assert notice(0, "P", "H.") == "(Full formatted result stored at: P. H.)"
    assert notice(9, "P", "H.", (5, 14)) == (
        "(Omitted 9 bytes. Only the first 5 of 14 bytes are stored at: P. H.)"
    )
    assert notice(9, "P", "H.", (5, None)) == (
        "(Omitted 9 bytes. Only 5 bytes of the result are stored at: P. H.)"
    )


@given(
    TEXT.map(lambda text: text * 5),
    st.integers(0, 900),
    st.sampled_from(UNITS),
    st.sampled_from(["", GAP, "\n…\n"]),
    st.sampled_from([None, (7, 5000), (7, None)]),
)
def test_a_replacement_is_never_over_its_cap_in_any_unit(
    text: str,
    cap: int,
    unit: Unit,
    gap: str,
    stored: tuple[int, int | None] | None,
) -> None:
    if size(text, unit) <= cap:
        return
    made = replacement(text, cap, unit, PATH, HINT, gap=gap, stored=stored)
    if made is None:
        least = notice(size(text, "bytes"), PATH, HINT, stored)
        assert size(least, unit) > cap
        return
    result, shown = made
    assert size(result, unit) <= cap
    words = notice(shown.omitted, PATH, HINT, stored)
    assert result.endswith(words)
    body = result.removesuffix(words)
    if body:
        between = gap if shown.head and shown.tail else ""
        assert body == shown.head + between + shown.tail + "\n\n"
    total = len(text.encode())
    assert (
        size(shown.head, "bytes") + shown.omitted + size(shown.tail, "bytes") == total
    )


def test_a_preview_that_has_no_room_for_its_gap_is_left_out() -> None:
    words = notice(5000, PATH, HINT)
    for spare in range(12):
        made = replacement("x" * 5000, len(words) + spare, "bytes", PATH, HINT)
        assert made is not None
        result, shown = made
        if spare <= 2 + len(GAP):
            assert (result, shown) == (words, Preview("", "", 5000))
    assert replacement("x" * 5000, len(words) - 1, "bytes", PATH, HINT) is None


def test_the_notice_is_priced_with_all_bytes_omitted() -> None:
    # With 1,000 bytes the digits shrink when some are shown: the room stays unused.
    text = "x" * 1000
    cap = len(notice(1000, PATH, HINT)) + 2 + len(GAP) + 2
    made = replacement(text, cap, "bytes", PATH, HINT)
    assert made is not None
    assert made[1] == Preview("x", "x", 998)
    assert len(made[0]) == cap - 1


OURS = next(p for p in built_in() if p.harness == "spillview")


@pytest.mark.parametrize("omitted", [0, 1, 1417, 10**15])
@pytest.mark.parametrize("stored", [None, (500, 2022), (500, None)])
@pytest.mark.parametrize(
    ("root", "hint"),
    [
        ("/h", HINT),
        ("/h (x) y", "Ask (me).\nOr her."),
        ("/日本/😀", "読む。"),
    ],
)
def test_our_readers_recognise_every_form_of_the_notice(
    omitted: int, stored: tuple[int, int | None] | None, root: str, hint: str
) -> None:
    path = f"{root}/session-abe633f3a47a/0123456789ab-bash.txt"
    words = notice(omitted, path, hint, stored)
    for text in (words, "head\n\n" + words, "(a)\n\n" + words + "\n"):
        (hit,) = notices_in(text, "result", OURS.notices)
        assert hit.path == path
        claims = {claim.unit: claim.value for claim in hit.claims}
        assert claims.get("omitted_bytes") == (omitted or None)
        assert hit.notice.partial == (stored is not None)


@pytest.mark.parametrize(
    "change",
    [
        lambda words: "prefix " + words,
        lambda words: "head\n" + words,
        lambda words: words[:-1],
        lambda words: words + " more",
        lambda words: words.replace("1417", "-1"),
        lambda words: words.replace("1417", "1.5"),
        lambda words: words.replace("1417", "0042"),
        lambda words: words.replace("Full", "Whole"),
        lambda words: re.sub(r"\. Use.*", ")", words),
    ],
)
def test_what_is_no_notice_is_not_taken_for_one(change: object) -> None:
    assert callable(change)
    text = change(notice(1417, PATH, HINT))
    assert notices_in(text, "result", OURS.notices) == []


def test_false_beginnings_do_not_cost_more_than_they_are_long() -> None:
    text = "\n\n(Omitted 1 bytes. Full formatted result stored at: /x" * 20_000
    assert notices_in(text, "result", OURS.notices) == []
