"""Keys by their names, in help, palette, sentences and toasts, also where remapped."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import key_to_character
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, Markdown

from spillview.catalogue.catalogue import Catalogue
from spillview.config import Settings
from spillview.places import Places
from spillview.tui.app import SpillviewApp
from spillview.tui.help import LiveHelp
from spillview.tui.home import HomeScreen
from spillview.tui.keymap import _all, bindings
from spillview.tui.live_keys import key_of, with_keys
from spillview.tui.palette import acts_of
from tests.stores import Claude, log_of
from tests.tui.fakes import settle
from tests.tui.reading import until

TOKEN = re.compile(r"\{([a-z_]+\.[a-z_]+)\}")


@asynccontextmanager
async def browsing(
    home: Path,
    keys: Mapping[str, str] | None = None,
    size: tuple[int, int] = (120, 40),
) -> AsyncIterator[Pilot[None]]:
    session = Claude(home)
    for name in ("b00000001.txt", "b00000002.txt"):
        session.spills(log_of(1500), name=name)
    session.write()
    chosen = Settings(keys=keys or {})
    app = SpillviewApp(Catalogue(Places.of_home(str(home)), chosen))
    async with app.run_test(size=size) as pilot:
        await rest(pilot)
        yield pilot


async def rest(pilot: Pilot[None]) -> None:
    for _ in range(3):
        await pilot.app.workers.wait_for_complete(
            [w for w in pilot.app.workers if w.group not in ("watch", "follow")]
        )
        await pilot.pause()


SCREENS: dict[str, tuple[str, ...]] = {
    "queue": (),
    "filter": ("slash",),
    "artifact": ("enter",),
    "envelope": ("enter", "tab"),
    "reads": ("enter", "R"),
    "report": ("R",),
    "search": ("S",),
    "results": ("S", "F", "A", "I", "L", "enter"),
    "clean-up": ("D",),
    "trash": ("T",),
    "statistics": ("percent_sign",),
    "forecast": ("F",),
    "note": ("i",),
}
"""The keys that open each screen."""


def typed(focused: DOMNode, key: str) -> bool:
    """Whether the key is a letter that goes into a line of input."""
    character = key_to_character(key)
    takes = isinstance(focused, Input)
    return takes and character is not None and character.isprintable()


def works(screen: Screen[object]) -> set[str]:
    """What the written bindings of the focused widget and of all above it do now."""
    start = screen.focused or screen
    done: set[str] = set()
    taken: set[str] = set()
    for node in start.ancestors_with_self:
        for binding in node._bindings.key_to_bindings.values():
            for each in binding:
                state = screen.app._check_action_state(each.action, node)
                if state is False or each.key in taken or typed(start, each.key):
                    continue
                taken.add(each.key)
                if state and each.id is not None:
                    done.add(each.action)
        if node is screen and screen.is_modal:
            break
    return done


@pytest.mark.parametrize("name", SCREENS)
async def test_the_palette_holds_what_every_key_of_the_screen_does(
    tmp_path: Path, name: str
) -> None:
    async with browsing(tmp_path) as pilot:
        for key in SCREENS[name]:
            await pilot.press(key)
            await rest(pilot)
        acts = acts_of(pilot.app.screen)
        offered = {str(act.run.args[0]) for act in acts}  # type: ignore[attr-defined] # a partial
        lacking = works(pilot.app.screen) - offered
        assert lacking == set()
        assert all(act.keys and act.keys in act.display.plain for act in acts)


async def test_an_entry_of_the_palette_is_chosen_by_its_words(tmp_path: Path) -> None:
    async with browsing(tmp_path) as pilot:
        await pilot.press("ctrl+p")
        await rest(pilot)
        await pilot.press(*"flat list")
        await rest(pilot)
        await pilot.press("enter")
        await rest(pilot)
        if not isinstance(pilot.app.screen, HomeScreen):
            await pilot.press("enter")
            await rest(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, HomeScreen)
        assert screen.view.flat


def test_every_key_that_a_help_text_names_is_there() -> None:
    known = bindings()
    kinds = {kind for kind, _, _ in _all()}
    told = [kind.__dict__.get("HELP") for kind in kinds]
    named = {name for text in told if text for name in TOKEN.findall(text)}
    assert len(named) > 25
    assert named <= known.keys()


async def help_of(pilot: Pilot[None]) -> str:
    await pilot.press("question_mark")
    await rest(pilot)
    panel = pilot.app.screen.query_one("HelpPanel")
    rows = [
        table.render_line(y).text
        for table in panel.query("KeyTable")
        for y in range(table.size.height)
    ]
    return panel.query_one(Markdown).source + "\n".join(rows)


@pytest.mark.parametrize(
    ("name", "keys", "words"),
    [
        ("queue", {"home.which": "ctrl+k"}, "`^k` keeps one kind"),
        ("artifact", {"pager.wrap": "W"}, "`W` scrolls them sideways"),
        ("report", {"report.finish": "f9"}, "`f9` is `review --done`"),
        ("clean-up", {"clean.spare": "h"}, "`h` keeps one artifact"),
        ("results", {"search.unseen": "U"}, "`U` keeps only"),
    ],
)
async def test_help_names_the_keys_of_the_settings(
    tmp_path: Path, name: str, keys: Mapping[str, str], words: str
) -> None:
    async with browsing(tmp_path, keys) as pilot:
        for key in SCREENS[name]:
            await pilot.press(key)
            await rest(pilot)
        told = " ".join((await help_of(pilot)).split())
        (bound,) = keys.values()
        assert words in told
        (shown,) = {key_of(pilot.app.focused or pilot.app.screen, n) for n in keys}
        assert shown in told
        assert pilot.app.get_key_display(Binding(bound, "")) == shown


async def test_help_names_every_key_as_it_is(tmp_path: Path) -> None:
    async with browsing(tmp_path) as pilot:
        await pilot.press("enter")
        await rest(pilot)
        told = await help_of(pilot)
        assert not TOKEN.search(told)
        assert "`/` (`\\` backwards)" in told


async def test_a_key_that_others_share_stays_theirs(tmp_path: Path) -> None:
    """`q` closes a filter, leaves and goes back; only leaving is given another key."""
    keys = {"home.quit": "Q", "home.undo": "ctrl+z"}
    async with browsing(tmp_path, keys) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, HomeScreen)
        await pilot.press("slash", "b", "enter")
        await rest(pilot)
        assert screen.view.filter == "b"
        await pilot.press("q")
        await rest(pilot)
        assert screen.view.filter == ""
        await pilot.press("q")
        await rest(pilot)
        assert pilot.app.is_running
        await pilot.press("u")
        await rest(pilot)
        assert "There is no mark" in next(iter(pilot.app._notifications)).message


async def test_a_name_that_is_no_key_is_an_error(tmp_path: Path) -> None:
    async with browsing(tmp_path) as pilot:
        with pytest.raises(LookupError):
            with_keys("{home.nothing}", pilot.app.screen)


Words = Callable[[HomeScreen], str]


async def test_sentences_of_the_queue_name_the_keys_of_the_settings(
    tmp_path: Path,
) -> None:
    async with browsing(tmp_path, {"home.clear": "f4"}) as pilot:
        await pilot.press("slash", *"zzzqqq")
        await settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, HomeScreen)
        assert "f4  clears the filter" in str(screen.blank.render())


@pytest.mark.parametrize("name", SCREENS)
async def test_the_palette_offers_nothing_but_our_own(
    tmp_path: Path, name: str
) -> None:
    async with browsing(tmp_path) as pilot:
        for key in SCREENS[name]:
            await pilot.press(key)
            await rest(pilot)
        names = {act.name for act in acts_of(pilot.app.screen)}
        assert not {n for n in names if "ocus" in n or n.startswith("Scroll ")}
        assert "Copy selected text" not in names


@pytest.mark.parametrize("name", ["queue", "artifact", "report", "clean-up", "results"])
async def test_the_help_begins_with_the_screens_own_keys(
    tmp_path: Path, name: str
) -> None:
    async with browsing(tmp_path, size=(80, 24)) as pilot:
        for key in SCREENS[name]:
            await pilot.press(key)
            await rest(pilot)
        offered = [
            pilot.app.get_key_display(each.binding)
            for each in pilot.app.screen.active_bindings.values()
            if each.binding.show and each.enabled and each.binding.id
        ]
        await pilot.press("question_mark")
        await rest(pilot)
        panel = pilot.app.screen.query_one(LiveHelp)
        await until(pilot, lambda: panel.pages[1] > 1)
        top = panel.body.region
        strips = pilot.app.screen._compositor.render_strips()
        keys = {
            word
            for y in range(top.y, top.bottom)
            for word in strips[y].crop(top.x, top.right).text.split()
        }
        # What `?` and `q` do now that the help is open is said above it and below.
        assert set(offered) - {"?", "q", "esc"} <= keys
        moving = panel.general.region.y
        assert moving >= panel.own.region.bottom
