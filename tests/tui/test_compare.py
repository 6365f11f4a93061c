"""The comparison beside an artifact: jumps, sides, folds, another run, times."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.widgets import OptionList

from spillview.catalogue.catalogue import Catalogue
from spillview.comparison.lines import compare_lines
from spillview.comparison.places import Across, folded
from spillview.content.content import BytesContent
from spillview.places import Places
from spillview.tui.artifact.artifact import ArtifactScreen
from spillview.tui.compare.compare import CompareScreen
from spillview.tui.compare.compare_with import CompareWithScreen, offer
from spillview.tui.footer import Footer
from tests.stores import OTHER, Claude
from tests.tui.reading import ATTACK, Bare, is_safe, until

ROWS = [f"test case_{n:03d} ... ok (0.{n % 9}s)" for n in range(200)]


def text(*changed: int, extra: str = "") -> bytes:
    rows = [
        r.replace("ok", "FAILED") if n in changed else r for n, r in enumerate(ROWS)
    ]
    return ("\n".join(rows) + "\n" + extra).encode()


def make(home: Path, before: bytes, after: bytes) -> ArtifactScreen:
    first = Claude(home, session=OTHER)
    first.spills(before, command="cargo test")
    first.write()
    second = Claude(home)
    second.clock += 5000
    second.spills(after, command="cargo test")
    second.spills(b"other " * 4000, command="make docs")
    second.write()
    catalogue = Catalogue(Places.of_home(str(home)))
    found = list(catalogue.complete(catalogue.scan()))
    index = next(
        n
        for n, a in enumerate(found)
        if a.session != OTHER and a.command == "cargo test"
    )
    return ArtifactScreen(catalogue, found, index)


async def test_the_next_difference_is_shown_on_both_sides(tmp_path: Path) -> None:
    screen = make(tmp_path, text(), text(50, 150))
    app = Bare(screen.catalogue)
    async with app.run_test(size=(120, 34)) as pilot:
        app.push_screen(screen)
        await until(pilot, lambda: screen.facts is not None)
        await pilot.press("equals_sign")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))
        compare = app.screen
        assert isinstance(compare, CompareScreen)
        await until(pilot, lambda: compare.found is not None)
        found = compare.found
        assert found is not None
        assert (found.lines.new, found.lines.gone) == (2, 2)

        def numbers() -> list[int | None]:
            rows = [pager.cursor_row for pager in (compare.left, compare.right)]
            return [row.number if row is not None else None for row in rows]

        await until(pilot, lambda: numbers() == [51, 51])
        await pilot.press("right_curly_bracket")
        await until(pilot, lambda: numbers() == [151, 151])
        await pilot.press("right_curly_bracket")
        assert "no difference after" in compare.right.said
        await pilot.press("left_curly_bracket")
        await until(pilot, lambda: numbers() == [51, 51])
        assert len(compare.right.folds) == 3
        await pilot.press("j", "j", "tab")
        await until(pilot, lambda: numbers() == [53, 53])
        assert compare.focused is compare.left
        await pilot.press("q")
        await until(pilot, lambda: app.screen is screen)


async def test_times_can_be_left_out_and_another_run_chosen(tmp_path: Path) -> None:
    screen = make(tmp_path, text(extra="in 3.1s\n"), text(extra="in 4.2s\n"))
    app = Bare(screen.catalogue)
    async with app.run_test(size=(100, 30)) as pilot:
        app.push_screen(screen)
        await until(pilot, lambda: screen.facts is not None)
        await pilot.press("equals_sign")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))
        compare = app.screen
        assert isinstance(compare, CompareScreen)

        def new() -> int | None:
            return compare.found.lines.new if compare.found is not None else None

        await until(pilot, lambda: new() == 1)
        await pilot.press("x")
        await until(pilot, lambda: new() == 0)
        await pilot.press("c")
        row = json.loads(app.clipboard)
        assert row["lines"]["ignored"]
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, CompareWithScreen))
        assert app.screen.query_one(OptionList).option_count == 2
        await pilot.press("j", "enter")
        await until(pilot, lambda: app.screen is compare)
        await until(pilot, lambda: compare.before.command == "make docs")


async def test_without_an_earlier_run_one_is_asked_for(tmp_path: Path) -> None:
    screen = make(tmp_path, text(), text(3))
    screen.index = next(
        n for n, a in enumerate(screen.artifacts) if a.command == "make docs"
    )
    app = Bare(screen.catalogue)
    async with app.run_test(size=(100, 30)) as pilot:
        app.push_screen(screen)
        await until(pilot, lambda: screen.facts is not None)
        await pilot.press("equals_sign")
        await until(pilot, lambda: isinstance(app.screen, CompareWithScreen))
        chooser = app.screen
        assert isinstance(chooser, CompareWithScreen)
        assert chooser.title_words.startswith("Compare with: no other run of it; the")
        keys = chooser.query_one(Footer).keys
        assert [key.words for key in keys] == ["Compare", "Back"]
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))


async def test_each_of_those_offered_stands_on_one_line(tmp_path: Path) -> None:
    run = Claude(tmp_path)
    for number in range(3):
        run.spills(text(number), command=f"cargo test {'--verbose ' * 20}")
        run.clock += 100
    run.write()
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    after, *rest = sorted(catalogue.complete(catalogue.scan()), key=lambda a: a.created)
    app = Bare(catalogue)
    async with app.run_test(size=(80, 24)) as pilot:
        among = [after, *rest]
        chooser = CompareWithScreen(offer(after, among), catalogue.now())
        assert chooser.title_words.startswith("Compare with: 2 other runs of it, then")
        app.push_screen(chooser)
        await pilot.pause()
        options = chooser.query_one(OptionList)
        assert options.virtual_size.height == 2
        lines = [options.render_line(y).text.rstrip() for y in range(2)]
        assert all(line.endswith("…") for line in lines)
        assert len({line.index("cargo") for line in lines}) == 1


async def test_a_fault_while_comparing_is_said_and_leaves_the_screen_usable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no [such] thing")

    monkeypatch.setattr("spillview.tui.compare.compare.compare", broken)
    screen = make(tmp_path, text(), text(50))
    app = Bare(screen.catalogue)
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(screen)
        await until(pilot, lambda: screen.facts is not None)
        await pilot.press("equals_sign")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))
        compare = app.screen
        assert isinstance(compare, CompareScreen)
        head = compare.head

        def shown() -> str:
            rows = head.make(80, 6)
            return "\n".join("".join(words for words, _ in row) for row in rows)

        await until(pilot, lambda: "no [such] thing" in shown())
        await pilot.press("q")
        await until(pilot, lambda: app.screen is screen)


async def test_hostile_text_draws_nothing_but_itself(tmp_path: Path) -> None:
    attack = ATTACK + b"\n"
    screen = make(tmp_path, text() + attack, text(3) + b"x" + attack)
    app = Bare(screen.catalogue)
    async with app.run_test(size=(100, 30)) as pilot:
        app.push_screen(screen)
        await until(pilot, lambda: screen.facts is not None)
        await pilot.press("equals_sign")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))
        compare = app.screen
        assert isinstance(compare, CompareScreen)
        await until(pilot, lambda: compare.found is not None)
        for runs in compare.head.make(98, 10):
            assert is_safe("".join(words for words, _ in runs))


@given(
    st.lists(st.sampled_from("abcdef"), max_size=40),
    st.lists(st.sampled_from("abcdef"), max_size=40),
)
@settings(max_examples=60, deadline=None)
def test_places_across_are_the_same_line_where_both_have_it(
    one: list[str], two: list[str]
) -> None:
    a, b = ("".join(f"{x}\n" for x in rows).encode() for rows in (one, two))
    before, after = BytesContent(a), BytesContent(b)
    across = Across(compare_lines(before, after).hunks, (len(a), len(b)))
    for (start, end), (begin, stop) in zip(
        across.same(later=False), across.same(later=True), strict=True
    ):
        assert a[start:end] == b[begin:stop]
        for offset in range(0, end - start, 2):
            assert across.other(start + offset, later=False) == begin + offset
            assert across.other(begin + offset, later=True) == start + offset


def test_only_the_inside_of_what_is_the_same_is_folded() -> None:
    data = text()
    content = BytesContent(data)
    at = data.index(b"test case_100")
    [(start, end), (low, high)] = folded(content, [(0, at), (at, len(data))])
    assert (start, data[:end].count(b"\n")) == (0, 97)
    assert (data[:low].count(b"\n"), high) == (103, len(data))
    assert folded(content, [(at, at + 60)]) == []
