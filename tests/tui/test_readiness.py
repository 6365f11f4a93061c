"""What is made ready behind the first screen, so that the first key finds it there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from textual.css.stylesheet import Stylesheet

from spillview.catalogue.catalogue import Query
from spillview.tui import readiness, stylesheet
from spillview.tui.app import SpillviewApp
from spillview.tui.artifact.artifact import ArtifactScreen
from tests.tui.fakes import NIGHT_TITLES, FakeCatalogue, a_night, settle

SIZE = (120, 40)


async def test_a_screen_that_opens_parses_no_stylesheet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = SpillviewApp(FakeCatalogue(a_night(), titles=NIGHT_TITLES), Query())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        parsed: list[str] = []
        whole = Stylesheet.reparse

        def reparse(self: Stylesheet) -> None:
            parsed.append("again")
            whole(self)

        monkeypatch.setattr(Stylesheet, "reparse", reparse)
        await pilot.press("j", "enter")
        await settle(pilot)
        assert isinstance(app.screen, ArtifactScreen)
        assert parsed == []


def test_every_stylesheet_of_a_screen_is_among_those_read() -> None:
    at_start = {Path(path).name for path in SpillviewApp.CSS_PATH}
    every = {path.name for path in stylesheet("app.tcss").parent.glob("*.tcss")}
    assert every == at_start | set(readiness.SHEETS)


def test_the_artifact_screen_imports_nothing_of_ours_when_it_opens() -> None:
    code = """
import sys
from spillview.tui import readiness
readiness.import_screens(lambda: False)
before = set(sys.modules)
import spillview.tui.artifact.artifact, spillview.tui.search.search
assert before == set(sys.modules), set(sys.modules) - before
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_imports_stop_when_the_screen_is_left() -> None:
    code = """
import sys
from spillview.tui import readiness
readiness.import_screens(lambda: True)
assert "spillview.tui.artifact.artifact" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
