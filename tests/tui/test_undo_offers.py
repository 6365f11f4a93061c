"""Whatever can be undone is said with the key that undoes it, and the key does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.geometry import Offset
from textual.pilot import Pilot

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.cleanup.pins import Pins
from spillview.config import Settings
from spillview.places import Places
from spillview.review.state import State
from spillview.tui.app import SpillviewApp
from spillview.tui.artifact.artifact import ArtifactScreen
from spillview.tui.home import HomeScreen
from tests.stores import Claude, log_of
from tests.tui.fakes import settle
from tests.tui.reading import until

UNDO = {"queue": "home.undo", "artifact": "artifact.undo", "report": "report.undo"}
USUAL = {"queue": "u", "artifact": "U", "report": "u"}


class Kept:
    """What lasts of a person's marks, read from the disk."""

    def __init__(self, home: Path) -> None:
        places = Places.of_home(str(home))
        state = State(places)
        self.marks = set(state.reviewed())
        self.notes = {note.text for note in state.notes().values()}
        self.pins = set(Pins(places).all())
        state.close()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kept) and vars(self) == vars(other)

    __hash__ = object.__hash__


@asynccontextmanager
async def standing(
    home: Path, where: str, keys: dict[str, str]
) -> AsyncIterator[Pilot[None]]:
    """On an artifact in the queue, inside it, or on its row of the report."""
    session = Claude(home)
    for name in ("b00000001.txt", "b00000002.txt"):
        session.spills(log_of(1500), name=name, command=f"make {name}")
    session.write()
    places = Places.of_home(str(home))
    catalogue = Catalogue.here(places)
    catalogue.settings = Settings(keys=keys)
    app = SpillviewApp(catalogue, Query(paths=(str(home),)))
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        queue = app.screen
        assert isinstance(queue, HomeScreen)
        await until(pilot, lambda: queue.arrangement.figures.artifacts == 2)
        await settle(pilot)
        await pilot.press("j")
        if where == "artifact":
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, ArtifactScreen))
        elif where == "report":
            await pilot.press("R")
        await settle(pilot)
        yield pilot
    catalogue.close()


def told(pilot: Pilot[None]) -> str:
    return "\n".join(each.message for each in pilot.app._notifications)


ACTS = {
    "reviewed": (("space",), "Marked reviewed.", "No longer marked reviewed."),
    "note": (("i", *"flaky", "enter"), "Note kept.", "The note is gone again."),
    "pin": (
        ("asterisk",),
        "It is pinned: no clean-up takes it.",
        "It is no longer pinned.",
    ),
}
"""Keys, what is said of it, what is said once it is taken back."""


@pytest.mark.parametrize("bound", ["", "ctrl+z", "left_square_bracket"])
@pytest.mark.parametrize(
    ("where", "act"),
    [(w, a) for w in UNDO for a in ACTS if (w, a) != ("report", "pin")],
)
async def test_an_act_names_the_key_that_takes_it_back(
    tmp_path: Path, where: str, act: str, bound: str
) -> None:
    keys = {UNDO[where]: bound} if bound else {}
    if bound == "left_square_bracket":
        keys["pager.last_signal"] = "ctrl+o"
    async with standing(tmp_path, where, keys) as pilot:
        before = Kept(tmp_path)
        pressed, words, undone = ACTS[act]
        for key in pressed:
            await pilot.press(key)
            await settle(pilot)
        assert Kept(tmp_path) != before
        names = {"": USUAL[where], "ctrl+z": "^z", "left_square_bracket": "["}
        assert told(pilot) == f"{words} [@click=screen.undo]Undo[/] or {names[bound]}"
        await pilot.press(bound or USUAL[where])
        await settle(pilot)
        assert Kept(tmp_path) == before
        assert told(pilot) == undone


@pytest.mark.parametrize("where", UNDO)
async def test_a_removed_note_comes_back_with_its_time(
    tmp_path: Path, where: str
) -> None:
    async with standing(tmp_path, where, {}) as pilot:
        await pilot.press("i", *"flaky", "enter")
        await settle(pilot)
        (before,) = pilot.app.catalogue.notes().values()  # type: ignore[attr-defined] # ours
        await pilot.press("i", *["backspace"] * 5, "enter")
        await settle(pilot)
        assert Kept(tmp_path).notes == set()
        assert told(pilot).startswith("Note removed. ")
        await pilot.press(USUAL[where])
        await settle(pilot)
        assert told(pilot) == "The note is back."
        assert list(pilot.app.catalogue.notes().values()) == [before]  # type: ignore[attr-defined] # ours


@pytest.mark.parametrize("where", UNDO)
async def test_undo_says_of_each_thing_what_it_took_back(
    tmp_path: Path, where: str
) -> None:
    async with standing(tmp_path, where, {}) as pilot:
        for key in ("i", *"flaky", "enter", "i", *" on", "enter", "space"):
            await pilot.press(key)
            await settle(pilot)
        for words in (
            "No longer marked reviewed.",
            "The note is as it was before.",
            "The note is gone again.",
        ):
            await pilot.press(USUAL[where])
            await settle(pilot)
            assert told(pilot) == words
        await pilot.press(USUAL[where])
        await settle(pilot)
        nothing = "There is no mark or clean-up to take back."
        assert told(pilot) == (nothing if where == "queue" else "")


async def test_undo_of_a_whole_session_says_how_many_it_was(tmp_path: Path) -> None:
    async with standing(tmp_path, "queue", {}) as pilot:
        await pilot.press("g", "space")
        await settle(pilot)
        assert told(pilot).startswith("2 artifacts marked reviewed.")
        await pilot.press(USUAL["queue"])
        await settle(pilot)
        assert told(pilot) == "2 artifacts are no longer marked reviewed."


async def test_a_note_that_stays_as_it_is_offers_nothing(tmp_path: Path) -> None:
    async with standing(tmp_path, "queue", {}) as pilot:
        await pilot.press("i", "enter")
        await settle(pilot)
        assert told(pilot) == ""


async def test_the_word_in_the_toast_takes_a_mark_back(tmp_path: Path) -> None:
    async with standing(tmp_path, "queue", {}) as pilot:
        before = Kept(tmp_path)
        await pilot.press("space")
        await settle(pilot)
        assert Kept(tmp_path) != before
        await until(pilot, lambda: bool(pilot.app.screen.query("Toast")))
        toast = pilot.app.screen.query_one("Toast")
        corner = toast.content_region.offset - toast.region.offset
        rows = [toast.render_line(y).text for y in range(toast.content_region.height)]
        y = next(n for n, row in enumerate(rows) if "Undo" in row)
        place = corner + Offset(rows[y].index("Undo") + 1, y)
        await pilot.click("Toast", offset=place)
        await until(pilot, lambda: Kept(tmp_path) == before)
