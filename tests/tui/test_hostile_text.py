"""Nothing read from disk acts on the screen: no control bytes, no markup, no crash."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.pilot import Pilot

from spillview.model import Artifact, Line, Missing, Next, Problem
from spillview.tui.app import SpillviewApp
from spillview.tui.empty import failed, no_match, no_stores, nothing_new
from spillview.tui.home import HomeScreen
from spillview.tui.palette import entries_of
from spillview.tui.queue import columns
from spillview.tui.queue.columns import Context
from spillview.tui.queue.detail import detail_lines
from spillview.tui.queue.rows import artifact_runs, missing_runs, session_runs
from spillview.tui.queue.sessions import runs_of
from spillview.tui.runs import fit, fit_runs, middle, plain, short_count, wrap
from tests.tui.fakes import (
    NOW,
    Facts,
    FakeCatalogue,
    Title,
    lost_call,
    settle,
    whole,
)

EVIL = [
    "[/",
    "[/red]",
    "[@click=app.quit]x",
    "[true, false]",
    "a [/ b",
    "tool[result].json",
    "\x1b[2J\x1b[?5h\x1b]0;owned\x07",
    "\x1b]52;c;aGk=\x07",
    "\x9b31m\x85\x90",
    "nul\x00bell\x07back\x08",
    "line\nbreak\r\nand\ttab",
    "\u202eright to left\u2066\u2028",
    "bad\udc9b\udcff name",
    "lone \ud800 surrogate",
    "zero\u200bwidth\ufeff",
    "日本語の合計" * 40,
    "e\u0301\u0301\u0301" * 50,
    "👩‍👩‍👧‍👦" * 20,
    "",
]


def evil_artifact(text: str, number: int = 0) -> Artifact:
    """An artifact that says `text` wherever it can."""
    made = whole(
        Facts(
            f"n{number}",
            f"s{number}",
            tool=text,
            command=text,
            verdict=text,
            verdict_seen=False,
            failed=True,
            said=text,
            called=(text or "x", text),
            project=text,
            flags=(text,) if text else (),
        ),
        number,
    )
    found = replace(
        made.found,
        name=text or "x",
        path=f"/home/{text}",
        label=text,
        project_slug=text,
        harness=text or "dsh",
    )
    link = made.link
    assert link is not None
    return replace(made, found=found, link=replace(link, note=text or None))


def evil_catalogue(*texts: str) -> FakeCatalogue:
    """For each text two artifacts, a session, a missing call and a problem."""
    artifacts: list[Artifact] = []
    missing: list[Missing] = []
    titles: dict[str, Title] = {}
    for number, text in enumerate(texts):
        made = evil_artifact(text, 2 * number)
        artifacts += [made, replace(evil_artifact(text, 2 * number + 1), error=text)]
        lost = lost_call(session=made.session)
        mention = replace(
            lost.mention,
            tool=text,
            command=text,
            path=text,
            record=number,
            next=Next(text, text, text),
        )
        missing.append(replace(lost, mention=mention, project=text))
        titles[made.session] = titles[f"s{2 * number + 1}"] = Title(text, text)
    problems = [Problem(text, text, text) for text in texts]
    return FakeCatalogue(artifacts, titles=titles, missing=missing, problems=problems)


def unsafe(text: str) -> list[str]:
    """Characters that no screen may get."""
    return [
        char
        for char in text
        if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")
        or char in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    ]


def assert_clean(pilot: Pilot[None]) -> None:
    """Every character of every line on the screen, toasts included, is safe."""
    strips = pilot.app.screen._compositor.render_strips()
    width = pilot.app.size.width
    for strip in strips:
        assert unsafe(strip.text) == []
        assert strip.cell_length == width


@pytest.mark.parametrize("size", [(80, 24), (200, 60)], ids=str)
async def test_every_part_of_the_home_screen_takes_hostile_text(
    size: tuple[int, int],
) -> None:
    app = SpillviewApp(evil_catalogue(*EVIL))
    async with app.run_test(size=size, notifications=True) as pilot:
        await settle(pilot)
        assert_clean(pilot)
        await pilot.press("m")
        for _ in range(len(EVIL) * 5):
            await pilot.press("j")
            assert_clean(pilot)
        for keys in (
            ["x"],
            ["s"],
            ["c"],
            ["G", "enter"],
            ["s", "g", "space"],
            ["u"],
            ["O"],
            ["!"],
            ["G"],
            ["q", "O", "slash", *"zqzqzqzq"],
        ):
            await pilot.press(*keys)
            await pilot.pause()
            assert_clean(pilot)
        await pilot.press("escape", "ctrl+p")
        await settle(pilot)
        assert_clean(pilot)
        await pilot.press(*"n0")
        await settle(pilot)
        await pilot.pause(0.3)
        assert_clean(pilot)
        await pilot.press("escape", "escape")
        assert app.is_running
        assert app.title == "spillview"


async def test_markup_is_shown_as_it_stands() -> None:
    app = SpillviewApp(evil_catalogue("[@click=app.quit]x[/]"))
    async with app.run_test(size=(200, 50)) as pilot:
        await settle(pilot)
        home = app.screen
        assert isinstance(home, HomeScreen)
        header = home.queue.render_line(0).text
        assert "[@click=app.quit]x[/]" in header
        detail = "\n".join(home.detail.render_line(y).text for y in range(6))
        assert "NEVER SEEN  900: [@click=app.quit]x[/]" in detail
        await pilot.click(home.queue, offset=(60, 1))
        await pilot.click(home.detail, offset=(20, 1))
        assert app.is_running
        strips = app.screen._compositor.render_strips()
        links = [s.style.meta for strip in strips for s in strip if s.style]
        assert not any("@click" in meta for meta in links)


async def test_a_failure_with_markup_is_told_in_a_toast() -> None:
    from spillview.tui.messages import GatheringFailed

    app = SpillviewApp(evil_catalogue("x"))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        app.screen.post_message(GatheringFailed("a [/ b \x1b[2J [@click=app.quit]x"))
        await pilot.pause()
        await pilot.pause(0.1)
        assert_clean(pilot)
        assert app.is_running


@pytest.mark.parametrize("text", EVIL, ids=ascii)
def test_palette_entries_are_never_markup(text: str) -> None:
    catalogue = evil_catalogue(text)
    sessions = catalogue.sessions(catalogue.scan())
    for made in entries_of(runs_of(sessions)):
        assert unsafe(made.display.plain.replace("\n", "", 1)) == []
        assert unsafe(made.label) == []
        assert all("@click" not in str(span.style) for span in made.display.spans)


@pytest.mark.parametrize("text", EVIL, ids=ascii)
def test_empty_states_take_hostile_text(text: str) -> None:
    for content in (
        no_stores(str, [text or "/x"] * 3, "/home"),
        nothing_new(str, "all time", 1),
        no_match(str, text),
        failed(str, text),
    ):
        assert unsafe(content.plain.replace("\n", "")) == []


@given(st.text(max_size=200), st.integers(20, 240), st.booleans())
@settings(max_examples=60)
def test_any_text_makes_whole_safe_rows(text: str, width: int, flat: bool) -> None:
    artifact = evil_artifact(text)
    chosen = columns.choose(width, flat)
    context = Context(NOW, {})
    expected = chosen[-1].x + chosen[-1].width
    rows = [artifact_runs(artifact, chosen, False, context)]
    rows.append(missing_runs(lost_call(), chosen, context))
    catalogue = FakeCatalogue([artifact], titles={"s0": Title(text, text)})
    session = runs_of(catalogue.sessions(catalogue.scan()))[0]
    rows.append(session_runs(session, chosen, False))
    for runs in rows:
        line = "".join(part for part, _ in runs)
        assert unsafe(line) == []
        assert cell_len(line) == expected


@given(st.text(max_size=300), st.integers(24, 200), st.integers(1, 12))
@settings(max_examples=60)
def test_any_text_makes_a_safe_strip_of_details(
    text: str, width: int, height: int
) -> None:
    lines = detail_lines(evil_artifact(text), width, height, NOW)
    assert 0 < len(lines) <= height
    for runs in lines:
        line = "".join(part for part, _ in runs)
        assert unsafe(line) == []
        assert cell_len(line) <= width


@given(st.text(max_size=300), st.integers(1, 60), st.booleans())
def test_fit_fills_its_cells_exactly(text: str, cells: int, right: bool) -> None:
    from spillview.text import printable

    assert cell_len(fit(printable(text), cells, right=right)) == cells
    runs = [(printable(text), "dim"), ("x", "")]
    assert sum(cell_len(t) for t, _ in fit_runs(runs, cells, right=right)) == cells


@given(st.text(max_size=300), st.integers(2, 60), st.integers(1, 5))
def test_wrap_keeps_to_its_cells_and_lines(text: str, cells: int, lines: int) -> None:

    wrapped = wrap(plain(text), cells, lines)
    assert 1 <= len(wrapped) <= lines
    assert all(cell_len(line) <= cells for line in wrapped)


@given(st.text(max_size=300), st.integers(4, 80))
def test_a_cut_in_the_middle_keeps_both_ends_and_its_cells(
    text: str, cells: int
) -> None:
    text = plain(text)
    cut = middle(text, cells)
    assert cell_len(cut) <= cells
    if cut != text:
        head, _, tail = cut.rpartition("…")
        assert tail
        assert text.startswith(head.rstrip(" "))
        assert text.endswith(tail)


@given(st.integers(0, 10**14))
def test_a_short_count_keeps_to_its_cells_and_its_size(number: int) -> None:
    text = short_count(number, 6)
    assert len(text) <= 6
    size = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}.get(text[-1], 1)
    said = float(text.rstrip("kMGT").replace(",", "")) * size
    assert abs(said - number) <= 0.05 * size


@given(st.lists(st.sampled_from(["one", "two", "three", "日本"]), max_size=30))
def test_wrap_loses_no_word_where_there_is_room(words: list[str]) -> None:
    text = " ".join(words)
    assert " ".join(wrap(text, 20, 100)) == text


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("\x1b[31mFAILED\x1b[0m in 3s", "FAILED in 3s"),
        ("\x1b]8;;http://x\x07link\x1b]8;;\x07", "link"),
        ("10%\r50%\rdone\r", "done"),
        ("broken \x1b[31", "broken ␛[31"),
        ("bell\x07 and \x9b31m", "bell␇ and \ufffd31m"),
        ("\ttotal\t\t12", "total 12"),
    ],
)
def test_a_verdict_reads_as_a_terminal_would_leave_it(line: str, shown: str) -> None:
    made = whole(Facts("x.txt", verdict="x", verdict_seen=False))
    assert made.counts is not None
    made = replace(made, counts=replace(made.counts, verdict=Line(3, 0, 9, line)))
    text = "".join(t for runs in detail_lines(made, 80, 5, NOW) for t, _ in runs)
    assert f"3: {shown} " in text
