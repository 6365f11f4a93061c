"""The pager by its keys: places, modes, folds, hits, filter, selection, mouse."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual import events
from textual.message import Message

from spillview.content.content import BytesContent
from spillview.layout.folding import Fold
from spillview.model import Seen
from spillview.tui.pager.document import Document, open_document
from spillview.tui.pager.pager import Pager
from tests.tui.reading import (
    ATTACK,
    Noted,
    body,
    document,
    is_safe,
    lines,
    reading,
    until,
)

LINES = b"".join(b"line %d\n" % n for n in range(1, 101))


async def test_it_opens_at_the_first_line_with_numbers() -> None:
    async with reading(LINES) as (pager, _):
        assert lines(pager)[0] == "   1 line 1"
        assert lines(pager)[11] == "  12 line 12"


@pytest.mark.parametrize(
    ("keys", "first"),
    [
        (["j"], "line 2"),
        (["down", "down", "k"], "line 2"),
        (["5", "j"], "line 6"),
        (["f"], "line 12"),
        (["pagedown", "b"], "line 1"),
        (["d"], "line 6"),
        (["d", "u"], "line 1"),
        (["G"], "line 89"),
        (["end", "home"], "line 1"),
        (["5", "0", "percent_sign"], "line 51"),
    ],
)
async def test_keys_of_less_move_the_text(keys: list[str], first: str) -> None:
    async with reading(LINES) as (pager, pilot):
        await pilot.press(*keys)
        assert body(pager)[0] == first


async def test_the_cursor_moves_on_where_the_text_cannot_scroll() -> None:
    async with reading(b"one\ntwo\nthree\n") as (pager, pilot):
        await pilot.press("j", "j")
        assert pager.top == 0
        assert pager.cursor_row is not None
        assert pager.cursor_row.text == "three"
        await pilot.press("j", "j", "k")
        assert pager.cursor_row is not None
        assert pager.cursor_row.text == "two"


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("42", "line 42"),
        ("@8", "line 2"),
        ("#14", "line 3"),
        ("100%", "line 100"),
        ("1,0_0", "line 100"),
        ("9999", "line 100"),
    ],
)
async def test_a_line_percentage_byte_or_char_can_be_gone_to(
    typed: str, text: str
) -> None:
    async with reading(LINES) as (pager, pilot):
        await until(
            pilot, lambda: pager.document is not None and _indexed(pager.document)
        )
        pager.answer("go", typed)
        assert pager.cursor_row is not None
        assert pager.cursor_row.text == text


def _indexed(shown: Document) -> bool:
    return shown.index.complete


@pytest.mark.parametrize("typed", ["", "x", "0", "@", "12.5", "101%", "-3"])
async def test_no_place_is_told_in_a_sentence(typed: str) -> None:
    async with reading(LINES) as (pager, _):
        pager.answer("go", typed)
        assert pager.said
        assert pager.top == 0


async def test_a_number_before_g_is_a_line() -> None:
    async with reading(LINES) as (pager, pilot):
        await until(
            pilot, lambda: pager.document is not None and _indexed(pager.document)
        )
        await pilot.press("7", "0", "g")
        assert pager.cursor_row is not None
        assert pager.cursor_row.text == "line 70"
        await pilot.press("apostrophe", "apostrophe")
        assert pager.cursor_row.text == "line 1"


async def test_a_line_that_is_not_counted_yet_is_gone_to_when_it_is() -> None:
    gate = threading.Event()

    class Slow(BytesContent):
        def pread(self, offset: int, length: int) -> bytes:
            if threading.current_thread() is not threading.main_thread():
                gate.wait(10)
            return super().pread(offset, length)

    content = Slow(LINES)
    async with reading(Document(content, content, seen=Seen(()))) as (pager, pilot):
        assert lines(pager)[0] == "   · line 1"
        await pilot.press("7", "0", "g")
        assert "70" in pager.status()
        gate.set()
        await until(pilot, lambda: pager.cursor > 0)
        assert pager.cursor_row is not None
        assert pager.cursor_row.text == "line 70"


async def test_marks_bring_back_to_their_places() -> None:
    async with reading(LINES) as (pager, pilot):
        await pilot.press("9", "j", "m", "a", "G", "apostrophe", "a")
        assert pager.cursor_row is not None
        assert pager.cursor_row.text == "line 10"
        await pilot.press("apostrophe", "z")
        assert pager.said == "no mark z"


async def test_a_line_longer_than_the_page_is_never_an_empty_page() -> None:
    data = b"x" * 50_000 + b"\nend\n"
    async with reading(data) as (pager, _):
        shown = 0
        while True:
            rows = pager.rows()
            assert rows
            shown = rows[-1].end
            if shown == len(data):
                break
            before = pager.top
            pager.action_page(1)
            assert pager.top > before
        assert body(pager)[-1] == "end"


async def test_a_huge_single_line_shows_its_first_screen_from_a_bounded_read() -> None:
    content = Noted(b"{" + b'"key": "value", ' * (4 << 20) + b"}")
    here = threading.get_ident()
    async with reading(Document(content, content, seen=Seen(()))) as (pager, pilot):
        assert body(pager)[0].startswith('{"key"')
        await pilot.press("G")
        assert body(pager)[-1].endswith("}")
        await pilot.press("5", "0", "percent_sign", "b")
        assert len(body(pager)) == 12
        assert content.read[here] < 2 << 20


async def test_the_end_behind_a_ten_megabyte_line_is_one_key_away() -> None:
    content = Noted(b"z" * (10 << 20) + b"\nsecond line\n")
    here = threading.get_ident()
    async with reading(Document(content, content, seen=Seen(()))) as (pager, pilot):
        await pilot.press("G")
        assert body(pager)[-1] == "second line"
        await pilot.press("k")
        assert set(body(pager)[-2]) == {"z"}
        assert content.read[here] < 2 << 20


async def test_several_megabytes_are_indexed_off_the_interface() -> None:
    content = Noted(LINES * 10_000)
    here = threading.get_ident()
    async with reading(Document(content, content, seen=Seen(()))) as (pager, pilot):
        shown = pager.document
        assert shown is not None
        await until(pilot, lambda: _indexed(shown))
        await pilot.press("G")
        assert lines(pager)[-1].endswith("line 100")
        assert shown.index.lines == 1_000_000
        assert content.read[here] < 1 << 20


async def test_long_lines_wrap_or_scroll_sideways_and_nothing_is_cut_off() -> None:
    words = b" ".join(b"word%02d" % n for n in range(40))
    async with reading(words + b"\nnext\n") as (pager, pilot):
        assert "".join(body(pager)[:-1]).replace(" ", "") == words.decode().replace(
            " ", ""
        )
        await pilot.press("w")
        assert body(pager)[1] == "next"
        seen = body(pager)[0]
        for _ in range(40):
            pager.action_sideways(1)
            seen += body(pager)[0]
        assert "word39" in seen
        await pilot.press("w")
        assert body(pager)[0].startswith("word00")


async def test_escapes_are_shown_hidden_or_colours() -> None:
    data = b"\x1b[31mred\x1b[0m\x1b[2J plain\n"
    async with reading(data) as (pager, pilot):
        assert body(pager) == ["␛[31mred␛[0m␛[2J plain"]
        await pilot.press("e")
        assert body(pager) == ["red plain"]
        await pilot.press("e")
        assert body(pager) == ["red plain"]
        colours = {s.text: s.style.color for s in pager.render_line(0) if s.style}
        assert colours["red"] != colours[" plain"]
        await pilot.press("e")
        assert body(pager)[0].startswith("␛")


async def test_a_progress_bar_is_its_last_frame_until_every_frame_is_asked_for() -> (
    None
):
    frames = b"".join(b"\r%d%% done" % n for n in range(0, 101))
    async with reading(b"start" + frames + b"\nend\n", (40, 60)) as (pager, pilot):
        assert body(pager) == ["↻101 100% done", "end"]
        await pilot.press("r")
        assert "".join(body(pager)).count("␍") == 101
        await pilot.press("r")
        assert body(pager)[0] == "↻101 100% done"


async def test_nothing_that_a_terminal_acts_on_is_drawn() -> None:
    async with reading((ATTACK + b"\n") * 30) as (pager, pilot):
        for key in ("e", "e", "e", "w", "r", "w", "r"):
            assert all(is_safe(pager.render_line(y).text) for y in range(12))
            await pilot.press(key)
        shown = "".join(body(pager))
        assert "[@click=app.quit]x[/]" in shown
        assert "a [/ b" in shown
        assert pager.app.is_running


# -- what the model saw ---------------------------------------------------------------


async def test_the_gutter_marks_what_was_seen_whole_in_part_never_or_unknown() -> None:
    data = b"one\ntwo\nthree\n"
    async with reading(document(data, (0, 6))) as (pager, _):
        assert [line[0] for line in lines(pager)[:2]] == ["▌", "▖"]
        assert lines(pager)[2].startswith("   3")
    async with reading(document(data, known=False)) as (pager, _):
        assert [line[0] for line in lines(pager)[:3]] == ["┊", "┊", "┊"]


async def test_a_line_counts_as_seen_without_its_line_end() -> None:
    async with reading(document(b"one\r\ntwo\n", (0, 3), (5, 8))) as (pager, _):
        assert [line[0] for line in lines(pager)[:2]] == ["▌", "▌"]


async def test_the_map_at_the_edge_shows_where_in_the_file_it_was_seen() -> None:
    async with reading(document(LINES, (0, len(LINES) // 4))) as (pager, _):
        edge = [pager.render_line(y).text[-1] for y in range(12)]
        assert edge == ["▐"] * 3 + ["│"] * 9


async def test_a_fold_states_its_exact_size_and_enter_opens_it() -> None:
    shown = document(LINES, (0, 7))
    async with reading(shown) as (pager, pilot):
        await until(pilot, lambda: _indexed(shown))
        fold = Fold(len(b"line 1\n"), len(LINES) - len(b"line 100\n"))
        pager.folds = [fold]
        pager.refold()
        assert body(pager)[1] == (
            f"┄┄ {fold.bytes:,} bytes · 98 lines the model never saw ┄┄"
        )
        assert body(pager)[2] == "line 100"
        await pilot.press("j", "enter")
        assert body(pager)[1] == "line 2"
        await pilot.press("z")
        assert body(pager)[2] == "line 100"
        await pilot.press("z")
        assert body(pager)[2] == "line 3"


async def test_a_percentage_inside_a_fold_opens_it() -> None:
    async with reading(LINES) as (pager, pilot):
        pager.folds = [Fold(7, len(LINES) - 9)]
        pager.refold()
        await pilot.press("5", "0", "percent_sign")
        assert pager.cursor_row is not None
        assert pager.cursor_row.text == "line 51"


async def test_going_to_a_place_inside_a_fold_opens_it() -> None:
    async with reading(document(LINES, (0, 7))) as (pager, pilot):
        pager.folds = [Fold(7, len(LINES) - 9)]
        pager.refold()
        pager.answer("find", "line 50$")
        await until(pilot, lambda: pager.hit is not None)
        assert pager.cursor_row is not None
        assert pager.cursor_row.text == "line 50"


async def test_the_next_unseen_error_skips_those_that_were_seen() -> None:
    data = (
        b"error: seen\n"
        + b"calm\n" * 40
        + b"0 errors\nfatal: never seen\n"
        + b"calm\n" * 40
        + b"Traceback (most recent call last)\n"
    )
    async with reading(document(data, (0, 12))) as (pager, pilot):
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: pager.cursor > 0)
        assert pager.cursor_row is not None
        assert pager.cursor_row.text == "fatal: never seen"
        assert "never seen" in pager.status()
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: "looking" not in pager.said)
        assert pager.cursor_row.text.startswith("Traceback")
        # As a search does, it goes on from the other end.
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: "from the top: line 43" in pager.said)
        assert pager.cursor_row.text == "fatal: never seen"
        await pilot.press("left_square_bracket")
        await until(pilot, lambda: "from the end: line 84" in pager.said)
        assert pager.cursor_row.text.startswith("Traceback")


async def test_where_every_error_was_seen_both_ways_say_so() -> None:
    async with reading(document(b"error: seen\n" + b"calm\n" * 9, (0, 12))) as (
        pager,
        pilot,
    ):
        for key in ("right_square_bracket", "left_square_bracket"):
            await pilot.press(key)
            await until(pilot, lambda: pager.said == "no unseen error")


# -- hits ----------------------------------------------------------------------------


async def test_n_goes_to_hits_alone_and_tells_whether_each_was_seen() -> None:
    async with reading(document(LINES, (0, 60))) as (pager, pilot):
        pager.answer("find", "line .*5$")
        await until(pilot, lambda: "of 10" in pager.status())
        assert pager.status() == "hit 1 of 10 · seen"
        await pilot.press("n")
        assert pager.status() == "hit 2 of 10 · never seen"
        assert pager.cursor_row is not None
        assert pager.cursor_row.text == "line 15"
        await pilot.press("N", "N")
        assert pager.cursor_row.text == "line 95"
        assert pager.status().startswith("from the end: hit 10 of 10")


async def test_a_search_backwards_goes_up_and_n_with_it() -> None:
    async with reading(LINES) as (pager, pilot):
        await pilot.press("G")
        pager.answer("find_back", "line 3")
        await until(pilot, lambda: pager.hit is not None)
        assert pager.cursor_row is not None
        assert pager.cursor_row.text == "line 39"
        await pilot.press("n")
        assert pager.cursor_row.text == "line 38"


async def test_every_hit_on_the_screen_is_lit_and_escape_ends_it() -> None:
    async with reading(b"aXbXc\n" * 5) as (pager, pilot):
        pager.answer("find", "X")
        await until(pilot, lambda: "of 10" in pager.status())
        assert [s.text for s in pager.render_line(1)][3:8] == ["a", "X", "b", "X", "c"]
        assert pager.clear()
        assert [s.text.strip() for s in pager.render_line(1)][3:4] == ["aXbXc"]


async def test_a_pattern_that_cannot_be_read_is_told_in_a_sentence() -> None:
    async with reading(LINES) as (pager, pilot):
        pager.answer("find", "(unclosed")
        await until(pilot, lambda: "unclosed group" in pager.said)
        pager.answer("filter", "[z-a]")
        await until(pilot, lambda: "range" in pager.said)
        assert body(pager)[0] == "line 1"


async def test_a_pattern_of_nested_repeats_does_not_stop_the_pager() -> None:
    async with reading(b"a" * 200_000 + b"!\n" + LINES) as (pager, pilot):
        pager.answer("find", "(a+)+$")
        await pilot.press("G")
        assert body(pager)[-1] == "line 100"
        await until(pilot, lambda: not pager.finder.searching)
        assert pager.said == "no hit"
        assert not pager.check_action("hit", (1,))


async def test_nothing_typed_repeats_the_last_search() -> None:
    async with reading(LINES) as (pager, pilot):
        pager.answer("find", "line 2")
        await until(pilot, lambda: pager.hit is not None)
        pager.answer("find", "")
        assert pager.cursor_row is not None
        assert pager.cursor_row.text == "line 20"


async def test_a_filter_keeps_the_lines_that_match_and_escape_brings_all_back() -> None:
    async with reading(LINES) as (pager, pilot):
        pager.answer("filter", "7$")
        await until(pilot, lambda: len(pager.filter.hits) == 10)
        await pilot.pause()
        assert body(pager) == [f"line {n}" for n in range(7, 100, 10)]
        await until(pilot, lambda: pager.said == "")
        assert pager.status().endswith("&7$: 10 hits")
        await pilot.press("j", "j")
        assert pager.cursor_row is not None
        assert pager.cursor_row.text == "line 27"
        pager.clear()
        assert len(body(pager)) == 12
        assert "line 28" in body(pager)


async def test_a_filter_that_matches_nothing_says_so_and_shows_all() -> None:
    async with reading(LINES) as (pager, pilot):
        pager.answer("filter", "nowhere")
        await until(pilot, lambda: pager.said == "no line matches: all are shown")
        assert body(pager)[0] == "line 1"


# -- selecting -------------------------------------------------------------------------


async def test_y_copies_the_line_with_control_characters_as_pictures() -> None:
    async with reading(b"first\nsec\x1b[31mond\x07\n") as (pager, pilot):
        await pilot.press("j", "y")
        assert pager.app.clipboard == "sec␛[31mond␇"


async def test_shift_and_arrows_select_rows_and_y_copies_them() -> None:
    async with reading(LINES) as (pager, pilot):
        await pilot.press("shift+down", "shift+down", "shift+down", "y")
        assert pager.app.clipboard == "line 1\nline 2\nline 3\n"
        assert pager.clear()
        assert pager.selection is None


async def test_more_than_a_terminal_takes_is_not_copied_but_said() -> None:
    async with reading(b"x" * (3 << 20) + b"\n") as (pager, pilot):
        await pilot.press("y")
        assert "pipe it" in pager.said
        assert pager.app.clipboard == ""


async def test_the_mouse_places_the_cursor_selects_and_scrolls() -> None:
    async with reading(LINES) as (pager, pilot):
        await pilot.click("#full", offset=(10, 3))
        assert pager.cursor_row is not None
        assert pager.cursor_row.text == "line 4"
        await pilot.mouse_down("#full", offset=(5, 1))
        await pilot.hover("#full", offset=(8, 2))
        await pilot.mouse_up("#full", offset=(8, 2))
        assert pager.selection == (7, 18)
        pager.on_mouse_scroll_down(_wheel(pager))
        assert body(pager)[0] == "line 4"
        await pilot.mouse_down("#full", offset=(59, 11))
        assert body(pager)[-1] == "line 100"
        await pilot.mouse_up("#full", offset=(59, 11))


def _wheel(pager: Pager) -> events.MouseScrollDown:
    return events.MouseScrollDown(pager, 5, 5, 0, 1, 0, False, False, False)


async def test_a_click_on_a_fold_opens_it() -> None:
    async with reading(document(LINES, (0, 7))) as (pager, pilot):
        pager.folds = [Fold(7, len(LINES) - 9)]
        pager.refold()
        await pilot.pause()
        await pilot.click("#full", offset=(10, 1))
        assert body(pager)[1] == "line 2"


async def test_a_click_on_a_wide_character_finds_its_bytes() -> None:
    data = "日本語 text\n".encode()
    async with reading(data) as (pager, pilot):
        await pilot.mouse_down("#full", offset=(7, 0))
        await pilot.hover("#full", offset=(8, 0))
        await pilot.mouse_up("#full", offset=(8, 0))
        assert pager.selection is not None
        start, end = pager.selection
        assert data[start:end].decode() == "本"


# -- files that change ---------------------------------------------------------------


def opened(path: Path) -> Document:
    return open_document(str(path), root=None, encoding=None)


async def test_what_is_appended_is_taken_in_and_followed(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(LINES)
    async with reading(opened(path)) as (pager, pilot):
        with path.open("ab") as file:
            file.write(b"line 101\n")
        pager.poll()
        await pilot.press("G")
        assert body(pager)[-1] == "line 101"
        await pilot.press("g", "F")
        with path.open("ab") as file:
            file.write(b"line 102\n")
        pager.poll()
        assert body(pager)[-1] == "line 102"
        assert "follows" in pager.modes()


@pytest.mark.parametrize("how", ["truncated", "replaced", "deleted"])
async def test_a_file_that_is_changed_while_open_never_ends_the_pager(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    path = tmp_path / "log"
    path.write_bytes(LINES)
    async with reading(opened(path)) as (pager, pilot):
        told: list[str] = []
        monkeypatch.setattr(pager, "post_message", _catch(pager.post_message, told))
        if how == "truncated":
            os.truncate(path, 10)
        elif how == "deleted":
            path.unlink()
        else:
            other = tmp_path / "other"
            other.write_bytes(b"other\n")
            other.replace(path)
        await pilot.press("G", "k", "f", "b", "g", "j")
        lines(pager)
        pager.poll()
        assert told == [how]


def _catch(
    post: Callable[[Message], bool], told: list[str]
) -> Callable[[Message], bool]:
    def caught(message: Message) -> bool:
        if isinstance(message, Pager.Changed):
            told.append(message.change)
        return post(message)

    return caught


async def test_utf16_is_read_as_text_and_what_was_seen_of_it_is_marked(
    tmp_path: Path,
) -> None:
    path = tmp_path / "wide.txt"
    path.write_bytes("一行目\nsecond\nthird\n".encode("utf-16"))
    shown = opened(path)
    first_line = 2 + len("一行目\n".encode("utf-16-le"))
    shown.set_seen(Seen(((0, first_line),)))
    async with reading(shown) as (pager, _):
        assert body(pager) == ["一行目", "second", "third"]
        assert lines(pager)[0][0] == "▌"
        assert lines(pager)[1].startswith("   2")
        assert shown.to_disk(shown.to_text(first_line)) == first_line


async def test_another_theme_draws_the_rows_anew() -> None:
    async with reading(document(LINES, (0, 60))) as (pager, pilot):
        dark = [segment.style for segment in pager.render_line(0)]
        pilot.app.theme = "textual-light"
        await pilot.pause()
        light = [segment.style for segment in pager.render_line(0)]
        assert dark != light
        pager.blur()
        await pilot.pause()
        assert [segment.style for segment in pager.render_line(0)] != light
