"""The list of what received an artifact, on a made store."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from textual.widgets import OptionList

from spillview.catalogue.catalogue import Catalogue
from spillview.places import Places
from spillview.tui.artifact.artifact import ArtifactScreen
from spillview.tui.artifact.reads import ReadsScreen, places
from tests.stores import Claude, log_of, numbered, span
from tests.tui.reading import ATTACK, Bare, is_safe, until


def make(home: Path, *, command: str = "sed -n '3p' x") -> tuple[ArtifactScreen, bytes]:
    run = Claude(home)
    made = run.spills(log_of(3000), command="make")
    read = run.calls("Read", file_path=str(made.path), offset=2000, limit=10)
    run.gets(read, numbered(made.data, 2000, 2009))
    lost = run.calls("Bash", command=f"{command} {made.path}")
    run.gets(lost, "nothing that stands in the file, at all")
    run.write()
    catalogue = Catalogue(Places.of_home(str(home)))
    artifacts = list(catalogue.complete(catalogue.scan()))
    return ArtifactScreen(catalogue, artifacts, 0), made.data


async def test_enter_goes_to_what_a_read_showed(tmp_path: Path) -> None:
    screen, data = make(tmp_path)
    app = Bare(screen.catalogue)
    async with app.run_test(size=(100, 30)) as pilot:
        app.push_screen(screen)
        await until(pilot, lambda: screen.facts is not None)
        await pilot.press("R")
        await until(pilot, lambda: isinstance(app.screen, ReadsScreen))
        assert app.screen.query_one(OptionList).option_count == 3
        await pilot.press("j", "enter")
        await until(pilot, lambda: app.screen is screen)
        row = screen.full.cursor_row
        assert row is not None
        assert row.holds(span(data, 2000, 2009)[0])


async def test_a_read_that_cannot_be_placed_leads_nowhere(tmp_path: Path) -> None:
    screen, _ = make(tmp_path)
    app = Bare(screen.catalogue)
    async with app.run_test(size=(100, 30)) as pilot:
        app.push_screen(screen)
        await until(pilot, lambda: screen.facts is not None)
        await pilot.press("R", "j", "j", "enter")
        await pilot.pause()
        assert isinstance(app.screen, ReadsScreen)
        await pilot.press("q")
        await until(pilot, lambda: app.screen is screen)


def test_each_place_says_what_it_showed_and_draws_nothing_hostile(
    tmp_path: Path,
) -> None:
    screen, data = make(tmp_path, command=ATTACK.decode("latin-1"))
    artifact = screen.artifact
    facts = screen.catalogue.envelope(artifact)
    texts = [place.text.plain for place in places(artifact, facts)]
    start, end = span(data, 2000, 2009)
    assert "showed 2,000 bytes, from byte 0 to 2,000" in texts[0]
    assert f"showed {end - start:,} bytes, from byte {start:,}" in texts[1]
    assert "is not known" in texts[2]
    assert all(is_safe(text.replace("\n", " ")) for text in texts)


def _is_looked_up(screen: ArtifactScreen) -> bool:
    return screen.facts is not None


async def test_reads_of_an_orphan_are_not_offered(tmp_path: Path) -> None:
    run = Claude(tmp_path)
    run.spills(log_of(3000), command="make")
    run.write()
    run.place("toolu_0099.txt").write_bytes(log_of(2000))
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    artifacts = list(catalogue.complete(catalogue.scan()))
    app = Bare(catalogue)
    async with app.run_test(size=(100, 30)) as pilot:
        for number, artifact in enumerate(artifacts):
            screen = ArtifactScreen(catalogue, artifacts, number)
            app.push_screen(screen)
            await until(pilot, partial(_is_looked_up, screen))
            is_orphan = artifact.found.name == "toolu_0099.txt"
            assert bool(screen.check_action("reads", ())) is not is_orphan
            app.pop_screen()
