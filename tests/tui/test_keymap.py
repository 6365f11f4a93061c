"""Keys that the settings change."""

from __future__ import annotations

from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue
from spillview.config import Settings
from spillview.errors import BadInput
from spillview.places import Places
from spillview.tui.app import SpillviewApp
from spillview.tui.keymap import bindings, check_keys, is_key, split
from spillview.tui.queue.queue import Queue
from tests.stores import Claude, log_of


def app_with(home: Path, **settings: object) -> SpillviewApp:
    session = Claude(home)
    for name in ("b00000001.txt", "b00000002.txt"):
        session.spills(log_of(1500), name=name)
    session.write()
    chosen = Settings(**settings)  # type: ignore[arg-type]  # by name
    return SpillviewApp(Catalogue(Places.of_home(str(home)), chosen))


async def test_a_key_of_the_settings_works_and_the_old_one_no_more(
    tmp_path: Path,
) -> None:
    app = app_with(tmp_path, keys={"queue.select": "v", "home.flat": "ctrl+t"})
    async with app.run_test() as pilot:
        await app.workers.wait_for_complete(
            [w for w in app.workers if w.group != "watch"]
        )
        await pilot.pause()
        queue = app.screen.query_one(Queue)
        await pilot.press("x")
        assert not queue.selected
        await pilot.press("v")
        assert len(queue.selected) == 1
        assert not queue.flat
        await pilot.press("ctrl+t")
        await pilot.pause()
        assert queue.flat
        keys = {binding.key for _, binding, _, _ in app.screen.active_bindings.values()}
        assert "ctrl+t" in keys


async def test_a_theme_of_the_settings_is_there_from_the_first_frame(
    tmp_path: Path,
) -> None:
    app = app_with(tmp_path, theme="contrast")
    async with app.run_test():
        assert app.theme == "contrast"


def test_the_keys_as_they_are_clash_nowhere() -> None:
    check_keys({name: binding.key for name, binding in bindings().items()}, "config")


def test_every_default_key_can_be_written_in_the_settings() -> None:
    for binding in bindings().values():
        for key in split(binding.key):
            assert is_key(key), (binding.id, key)


def test_two_actions_may_change_places() -> None:
    check_keys({"home.review": "i", "home.note": "space"}, "config")
    with pytest.raises(BadInput, match="would be both"):
        check_keys({"home.review": "i"}, "config")


@pytest.mark.parametrize(
    ("typed", "keys"),
    [("v", ["v"]), ("v,space", ["v", "space"]), (",", [","]), ("a, b", ["a", "b"])],
)
def test_keys_are_separated_by_commas(typed: str, keys: list[str]) -> None:
    assert split(typed) == keys
