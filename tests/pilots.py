"""Keys pressed on a screen, which is waited for until it has come to rest."""

from __future__ import annotations

import io

from rich.console import Console
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widgets import Input

from spillview.tui.app import SpillviewApp


class Patient(SpillviewApp):
    """The browser, whose messages stay until they are taken away."""

    NOTIFICATION_TIMEOUT = 600  # seconds, longer than any wait of a test


FOLLOWING = frozenset({"watch", "follow"})
"""Workers that look after files as long as the screen lives."""


NAMED = {"Enter": "enter", "Esc": "escape", "Tab": "tab", "Space": "space"}


def keys(typed: str) -> list[str]:
    """Keys as Textual names them, of what is written as `/ cargo·test Enter`.

    Blanks part keys from each other; a word that is no key's name is typed, with a
    blank for each `·`.
    """
    pressed: list[str] = []
    for word in typed.split():
        if word in NAMED or "+" in word[1:]:
            pressed.append(NAMED.get(word, word))
        else:
            pressed += [_character_to_key(char.replace("·", " ")) for char in word]
    return pressed


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, then wait until nothing is being found out any more."""
    await pilot.press(*keys)
    await quiet(pilot)


async def quiet(pilot: Pilot[None]) -> None:
    """Wait for every worker, what it posts and what that draws."""
    for _ in range(3):
        await pilot.app.workers.wait_for_complete(
            [w for w in pilot.app.workers if w.group not in FOLLOWING]
        )
        await pilot.pause()
    for field in pilot.app.screen.query(Input):
        field.cursor_blink = False


def frame(pilot: Pilot[None]) -> str:
    """What stands on the screen as lines of text, without looks."""
    app = pilot.app
    width, height = app.size
    console = Console(
        width=width,
        height=height,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        record=True,
        legacy_windows=False,
        safe_box=False,
    )
    # As `App.export_screenshot` draws it: screens below a modal one shine through.
    console.print(
        app.screen._compositor.render_update(
            full=True, screen_stack=app._background_screens
        )
    )
    rows = console.export_text().splitlines()[:height]
    return "\n".join(row.rstrip() for row in rows)
