"""What is drawn of a row: cropping by cells, the map's thumb, the words of a fold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from spillview.layout.cells import text_width
from spillview.layout.folding import Fold, Sgr
from spillview.text import printable
from spillview.tui.pager.paint import crop, fold_words, index_at, sgr_style, thumb
from tests.tui.reading import document

TEXTS = st.text(
    st.sampled_from("ab 字語한😀e\u0301\u0302❤") | st.characters(), max_size=40
).map(printable)


@given(TEXTS, st.integers(0, 50), st.integers(1, 30))
def test_what_is_cropped_fits_and_neighbours_go_on_from_it(
    text: str, offset: int, width: int
) -> None:
    start, end, before = crop(text, offset, width)
    assert 0 <= start <= end <= len(text)
    assert before + cell_len(text[start:end]) <= max(width, before)
    following, _, _ = crop(text, offset + width, width)
    assert end <= following or text_width(text[following:end]) <= 2


@given(TEXTS, st.integers(-3, 60))
def test_a_cell_is_in_the_character_that_is_found_under_it(
    text: str, cell: int
) -> None:
    index = index_at(text, cell)
    assert 0 <= index <= len(text)
    assert text_width(text[:index]) <= max(0, cell) or text_width(text) == 0


@given(
    size=st.integers(0, 10_000),
    shares=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    height=st.integers(1, 60),
)
def test_the_thumb_is_on_the_map_and_at_its_end_with_the_text(
    size: int, shares: tuple[float, float], height: int
) -> None:
    top, bottom = sorted(int(size * share) for share in shares)
    first, last = thumb(top, bottom, size, height)
    assert 0 <= first < last <= height
    if size and bottom == size:
        assert last == height
    if size and top == 0:
        assert first == 0 or bottom == size


def test_a_fold_states_lines_only_when_they_are_known_and_fits_its_row() -> None:
    data = b"line\n" * 1000
    shown = document(data, (0, 5))
    fold = Fold(5, 4000)
    assert fold_words(fold, shown, 80) == (
        "┄┄ 3,995 bytes the model never saw · Enter unfolds ┄┄"
    )
    shown.index.extend()
    assert fold_words(fold, shown, 80) == (
        "┄┄ 3,995 bytes · 799 lines the model never saw · Enter unfolds ┄┄"
    )
    for width in range(1, 80):
        assert len(fold_words(fold, shown, width)) <= width
    unknown = document(data, known=False)
    assert "never saw" not in fold_words(fold, unknown, 80)


def test_colours_of_the_artifact_become_looks() -> None:
    style = sgr_style(Sgr(foreground=208, background="bright_blue", bold=True))
    assert style.color is not None
    assert style.color.number == 208
    assert style.bgcolor is not None
    assert style.bgcolor.name == "bright_blue"
    assert style.bold
    assert sgr_style(Sgr(foreground="#0102ff")).color is not None
