"""One kind of artifacts alone, by key."""

from __future__ import annotations

from pathlib import Path

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.model import Artifact
from spillview.places import Places
from spillview.tui.app import SpillviewApp
from spillview.tui.home import HomeScreen
from tests.stores import Claude, log_of
from tests.test_picks import night
from tests.tui.reading import until


def names(home: HomeScreen) -> set[str]:
    return {row.found.name for row in home.queue.rows if isinstance(row, Artifact)}


async def test_e_shows_errors_that_no_model_saw_and_w_goes_on(tmp_path: Path) -> None:
    catalogue, _ = night(tmp_path)
    app = SpillviewApp(catalogue, Query())
    async with app.run_test(size=(120, 40)) as pilot:
        home = app.screen
        assert isinstance(home, HomeScreen)
        await until(pilot, lambda: home.queue.settled and len(names(home)) == 4)
        await pilot.press("e")
        await until(pilot, lambda: names(home) == {"b1.txt"})
        await pilot.press("w")
        await until(pilot, lambda: names(home) == {"b1.txt", "b2.txt"})
        await pilot.press("w")
        await until(pilot, lambda: names(home) == {"toolu_0099.txt"})
        # Partial ones and chains there are none: what is gone comes next.
        await pilot.press("w")
        await until(pilot, lambda: home.view.only == "dangling")
        assert names(home) == set()
        await pilot.press("w")
        await until(pilot, lambda: len(names(home)) == 4)
        await pilot.press("e")
        await pilot.press("escape")
        await until(pilot, lambda: len(names(home)) == 4)


async def test_nothing_of_a_kind_is_said(tmp_path: Path) -> None:
    run = Claude(tmp_path)
    run.spills(log_of(2000, last="ok"))
    run.write()
    app = SpillviewApp(Catalogue(Places.of_home(str(tmp_path))), Query())
    async with app.run_test(size=(80, 24)) as pilot:
        home = app.screen
        assert isinstance(home, HomeScreen)
        await until(pilot, lambda: home.queue.settled and len(names(home)) == 1)
        await pilot.press("e")
        await until(pilot, lambda: bool(home.blank.display))
        assert "none of this kind" in str(home.blank.render())
        await pilot.press("e")
        await until(pilot, lambda: len(names(home)) == 1)
