"""Cycles of objects are looked for between keys, and not in the midst of a paint."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue
from spillview.places import Places
from spillview.tui import pauses
from spillview.tui.app import SpillviewApp


class Round:
    """Something that holds itself."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.enable()


def garbage(number: int) -> weakref.ref[Round]:
    """So many cycles that nothing else holds; gives the last of them."""
    rounds = [Round() for _ in range(number)]
    return weakref.ref(rounds[-1])


def test_behind_a_key_what_is_new_is_looked_through() -> None:
    gc.collect()
    gc.disable()
    few = garbage(pauses.YOUNG // 10)
    pauses.behind_key()
    assert few() is not None
    many = garbage(pauses.YOUNG * 2)
    pauses.behind_key()
    assert many() is None


def test_what_outlived_some_turns_is_looked_through_in_a_later_one() -> None:
    gc.collect()
    gc.disable()
    kept = [Round() for _ in range(10)]
    last = weakref.ref(kept[-1])
    for _ in range(pauses.OLDER + 1):
        pauses.turn()
    kept.clear()
    pauses.behind_key()
    assert last() is not None
    pauses.turn()
    assert last() is None


async def test_keys_are_followed_by_a_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []
    monkeypatch.setattr(
        "spillview.tui.typing_ahead.behind_key", lambda: looks.append("behind")
    )
    monkeypatch.setattr(
        "spillview.tui.app.in_pause", lambda away: looks.append("pause")
    )
    monkeypatch.setattr("spillview.tui.app.HANG_UP_SECONDS", 0.05)
    monkeypatch.setattr("spillview.tui.app.PAUSE_SECONDS", 0.1)
    app = SpillviewApp(Catalogue(Places.of_home(str(tmp_path))))
    monkeypatch.setattr("spillview.tui.app.STARTED_SECONDS", 0.05)
    async with app.run_test() as pilot:
        await pilot.pause(0.2)
        assert gc.get_threshold() == pauses.THRESHOLDS
        assert "pause" in looks
        looks.clear()
        await pilot.press("j")
        await pilot.pause(0.05)
        assert "behind" in looks


def test_what_lives_on_is_looked_through_once_nobody_is_there() -> None:
    gc.collect()
    gc.disable()
    kept = [Round()]
    last = weakref.ref(kept[-1])
    pauses.live_on()
    kept.clear()
    for _ in range(3 * pauses.OLDER):
        pauses.turn()
    pauses.in_pause()
    assert last() is not None
    pauses.in_pause(away=True)
    assert last() is None


def test_no_worker_is_described_by_all_that_it_is_given() -> None:
    """Textual would write out each argument, with all artifacts, on the event loop."""
    import ast

    lacking = [
        f"{path.name}:{node.lineno}"
        for path in Path(pauses.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "work"
        and "description" not in {each.arg for each in node.keywords}
    ]
    assert lacking == []
