"""Credentials on the screen: drawn, searched, copied and piped as stars."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue
from spillview.places import Places
from spillview.search.grep import search
from spillview.secrets.kept import look_through
from spillview.tui.app import SpillviewApp
from spillview.tui.artifact.artifact import ArtifactScreen
from spillview.tui.home import HomeScreen
from spillview.tui.runs import clean, plain
from spillview.tui.search.rows import Gatherer, LineRow
from tests.credentials import Maker, quiet_lines
from tests.stores import Claude
from tests.tui.reading import Bare, body, reading, until

TOKEN = Maker(31).tokens()["github-classic"]
KEY = Maker(32).pem()


def drawn(pager: object) -> str:
    return "".join(body(pager)).replace("\n", "")  # type: ignore[arg-type] # a pager


def is_bare(text: str) -> bool:
    """Whether four letters of the token stand anywhere in it."""
    return any(TOKEN[i : i + 5] in text for i in range(len(TOKEN) - 4))


@pytest.mark.parametrize("width", [20, 33, 60])
async def test_a_wrapped_line_shows_stars_in_every_row(width: int) -> None:
    for ahead in (0, 7, 30):
        data = f"{'x' * ahead} {TOKEN} end\n".encode()
        async with reading(data, size=(width, 12)) as (pager, pilot):
            assert not is_bare(drawn(pager))
            assert drawn(pager).count("*") == len(TOKEN)
            await pilot.press("X")
            assert is_bare(drawn(pager))
            await pilot.press("X")
            assert not is_bare(drawn(pager))


async def test_a_line_scrolled_sideways_shows_stars() -> None:
    data = f"{'x' * 30} {TOKEN} {'y' * 200}\n".encode()
    async with reading(data, size=(40, 8)) as (pager, pilot):
        await pilot.press("w")
        for _ in range(8):
            assert not is_bare(drawn(pager))
            await pilot.press("right")


async def test_a_search_finds_the_credential_and_lights_stars() -> None:
    lines = "\n".join(quiet_lines(3, 200))
    data = f"{lines}\nkey {TOKEN} end\n{lines}\n".encode()
    async with reading(data, size=(60, 12)) as (pager, pilot):
        await pilot.press("slash")
        pager.answer("find", TOKEN[4:12])
        await until(pilot, lambda: pager.hit is not None)
        assert not is_bare(drawn(pager))
        assert "*" * 20 in drawn(pager)
        assert pager.hit is not None
        assert data[slice(*pager.hit[:2])].decode() == TOKEN[4:12]


async def test_the_middle_of_a_private_key_in_a_large_file_is_stars() -> None:
    lines = "\n".join(quiet_lines(3, 20_000))
    data = f"{lines}\n{KEY}\n{lines}\n".encode()
    async with reading(data, size=(80, 10)) as (pager, _):
        pager.goto(data.index(KEY.encode()) + 500)
        begin, end = data.index(b"KEY-----\n") + 8, data.index(b"-----END RSA")
        rows = [row.text for row in pager.rows() if begin <= row.start < end]
        assert len(rows) >= 6
        assert all(set(row) == {"*"} for row in rows)


async def test_what_is_copied_has_stars_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = f"key {TOKEN} end\nplain\n".encode()
    async with reading(data, size=(80, 10)) as (pager, pilot):
        copied: list[str] = []
        monkeypatch.setattr(pager.app, "copy_to_clipboard", copied.append)
        await pilot.press("y")
        assert copied == [f"key {'*' * len(TOKEN)} end"]
        assert "X shows them" in pager.said
        await pilot.press("X", "y")
        assert copied[1] == f"key {TOKEN} end"
        assert "X shows" not in pager.said


def test_a_cell_is_masked_before_it_is_cut() -> None:
    for cells in range(8, 40):
        assert TOKEN[:8] not in clean(f"run {TOKEN} now", cells)
    assert plain(f"run\n{TOKEN}") == "run " + "*" * len(TOKEN)


def night(home: Path) -> tuple[Catalogue, ArtifactScreen]:
    """One artifact whose envelope ends within a token."""
    store = Claude(home)
    store.prompt("go")
    text = ("\n".join(quiet_lines(5, 90)) + "\n")[:1970] + " " + TOKEN
    text += "\n" + "\n".join(quiet_lines(6, 300)) + f"\nerror {TOKEN}\n"
    made = store.spills(text.encode(), command=f"login {TOKEN}", failed=True)
    assert TOKEN[:24] in made.envelope
    store.says(f"It used {TOKEN}.")
    store.write()
    catalogue = Catalogue.here(Places.of_home(str(home)))
    return catalogue, ArtifactScreen(
        catalogue, list(catalogue.complete(catalogue.scan())), 0
    )


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_nothing_of_it_is_on_the_artifact_screen(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    catalogue, screen = night(tmp_path)
    app = Bare(catalogue)
    async with app.run_test(size=size) as pilot:
        await app.push_screen(screen)
        await until(pilot, lambda: screen.facts is not None)
        await pilot.pause()
        for keys in ((), ("G",), ("e",), ("tab",), ("G",)):
            await pilot.press(*keys)
            await pilot.pause()
            picture = re.sub(r"<[^>]+>", "", app.export_screenshot())
            assert not is_bare(picture.replace("&#160;", " ")), keys
        assert screen.envelope.document is not None
        text = screen.envelope.document.text
        assert TOKEN[:24].encode() in text.pread(0, text.size)


async def test_a_key_goes_from_credential_to_credential(tmp_path: Path) -> None:
    catalogue, screen = night(tmp_path)
    look_through(catalogue.cache, screen.artifacts)
    catalogue.learn_secrets()
    screen.artifacts[0] = catalogue.with_secrets(screen.artifacts[0])
    data = screen.artifacts[0].found.path
    places = [m.start() for m in re.finditer(TOKEN, Path(data).read_text())]
    app = Bare(catalogue)
    async with app.run_test(size=(120, 40)) as pilot:
        await app.push_screen(screen)
        await until(pilot, lambda: screen.facts is not None)
        await pilot.press("g")
        for place, words in zip(places, ("a part of it", "never seen"), strict=True):
            await pilot.press("right_curly_bracket")
            row = screen.full.cursor_row
            assert row is not None
            assert row.holds(place)
            assert words in screen.full.said
        await pilot.press("left_curly_bracket")
        row = screen.full.cursor_row
        assert row is not None
        assert row.holds(places[0])


def test_hits_of_a_search_over_all_are_masked(tmp_path: Path) -> None:
    catalogue, _ = night(tmp_path)
    artifacts = list(catalogue.complete(catalogue.scan()))
    gatherer = Gatherer(artifacts)
    for message in search(artifacts, "error ghp_"):
        gatherer.take(message)
    gatherer.close()
    [row] = [row for row in gatherer.batch().rows if isinstance(row, LineRow)]
    assert not is_bare(row.text)
    assert "*" * len(TOKEN) in row.text


async def test_the_queue_flags_what_was_looked_through_and_picks_it(
    tmp_path: Path,
) -> None:
    catalogue, _ = night(tmp_path)
    app = SpillviewApp(catalogue)
    async with app.run_test(size=(120, 40)) as pilot:
        home = app.screen
        assert isinstance(home, HomeScreen)

        def flagged() -> bool:
            return any("secret-like" in a.flags for a in home.indexable())

        await until(pilot, flagged)
        await until(pilot, lambda: "GitHub token" in screen_text(app))
        assert not is_bare(screen_text(app))
        assert "2 credentials, 1 in part" in screen_text(app)


def screen_text(app: SpillviewApp) -> str:
    """The words of the screen."""
    picture = re.sub(r"<[^>]+>", "", app.export_screenshot())
    return html.unescape(picture).replace("\xa0", " ")
