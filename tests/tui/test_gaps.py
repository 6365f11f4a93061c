"""Folds of unseen gaps, the envelope's counterparts, and typed places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.content.content import BytesContent
from spillview.errors import BadInput
from spillview.model import Seen
from spillview.text import printable
from spillview.tui.pager.document import Document
from spillview.tui.pager.gaps import KEPT_LINES, counterparts, gap_folds
from spillview.tui.targets import Target, parse_target
from tests.tui.reading import document

LINES = st.lists(
    st.sampled_from([b"", b"short", "日本語".encode(), b"x" * 300, b"y" * 5000]),
    max_size=80,
).map(lambda lines: b"".join(line + b"\n" for line in lines))
SHARES = st.lists(st.floats(0, 1), max_size=6)


@given(data=LINES, shares=SHARES)
def test_folds_lie_inside_unseen_gaps_and_leave_their_ends_open(
    data: bytes, shares: list[float]
) -> None:
    edges = sorted({int(len(data) * share) for share in shares})
    seen = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=False) if a < b]
    shown = document(data, *seen)
    last = -1
    for fold in gap_folds(shown):
        assert fold.start > last
        assert shown.state(fold.start, fold.end) == "none"
        gap = next(g for g in shown.unseen() if g[0] <= fold.start < g[1])
        assert fold.end <= gap[1]
        kept = data[fold.end : gap[1]]
        if data[fold.end - 1 : fold.end] == b"\n" and gap[1] == len(data):
            lines = kept.count(b"\n")
            assert lines == KEPT_LINES or (lines < KEPT_LINES and len(kept) > 5000)
        last = fold.end


def test_nothing_is_folded_where_what_was_seen_is_not_sure() -> None:
    data = b"line\n" * 5000
    assert gap_folds(document(data, known=False)) == []
    content = BytesContent(data)
    unsure = Document(content, content, seen=Seen(((0, 2000),), certain=False))
    assert gap_folds(unsure) == []
    assert len(gap_folds(document(data, (0, 2000)))) == 1


def test_a_gap_inside_one_long_line_keeps_its_last_characters() -> None:
    data = ("字" * 40_000).encode()
    (fold,) = gap_folds(document(data, (0, 3000)))
    assert fold.start == 3000
    rest = data[fold.end :].decode()
    assert 600 < len(rest) < 800


def test_the_pieces_of_an_envelope_are_found_in_the_file() -> None:
    data = b"".join(b"line %04d\n" % n for n in range(2000))
    head, tail = (0, 1000), (len(data) - 500, len(data))
    notice = b"[cut: 19,000 bytes left out]\n"
    envelope = b"Output:\n" + data[:1000] + notice + data[tail[0] :]
    pairs = counterparts(envelope, document(data), (head, tail))
    assert pairs.ranges == ((8, 1008), (1008 + len(notice), len(envelope)))
    assert pairs.in_file(8) == 0
    assert pairs.in_file(1007) == 999
    assert pairs.in_file(1008) is None
    assert pairs.in_envelope(tail[0] + 7) == 1008 + len(notice) + 7
    assert pairs.in_envelope(5000) is None


@pytest.mark.parametrize(
    ("typed", "target"),
    [
        ("42", Target("line", 42)),
        (" 1,234 ", Target("line", 1234)),
        ("42%", Target("percent", 42)),
        ("99.5 %", Target("percent", 99.5)),
        ("@0", Target("byte", 0)),
        ("#5_000", Target("char", 5000)),
    ],
)
def test_places_are_read_as_they_are_typed(typed: str, target: Target) -> None:
    assert parse_target(typed) == target


@given(st.text(max_size=12))
def test_any_text_is_a_place_or_a_sentence(typed: str) -> None:
    try:
        assert parse_target(typed).value >= 0
    except BadInput as error:
        sentence = str(error)
        assert printable(sentence) == sentence
