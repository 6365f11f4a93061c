"""The Textual application: theme, stylesheets, keys that work everywhere."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import partial
from time import monotonic
from typing import Any, ClassVar, Protocol, runtime_checkable

from textual import events
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.command import Provider
from textual.driver import Driver
from textual.screen import Screen
from textual.widgets import Input

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.text import printable
from spillview.tui import stylesheet
from spillview.tui.cleanup.undoing import Undoing
from spillview.tui.frames import paint_soon
from spillview.tui.home import HomeScreen
from spillview.tui.pauses import TURN_SECONDS, in_pause, take_turns, turn
from spillview.tui.terminal_input import forgiving, has_hung_up
from spillview.tui.theme import THEME_WORDS
from spillview.tui.typing_ahead import TypingAhead

SWITCH_SECONDS = 0.0005
"""How long a thread may keep the interpreter while another one waits for it."""

STARTED_SECONDS = 1.0
"""By then the first rows stand, or none will for a while."""

PAUSE_SECONDS = 10.0
"""Nobody is reading on with the next key at hand after so long."""

AWAY_SECONDS = 300.0
"""Nobody is there after so long."""

HANG_UP_SECONDS = 1.0
"""So often is looked whether the terminal is still there."""


@runtime_checkable
class Commanding(Protocol):
    """A screen with palette entries of its own."""

    def commands(self) -> Iterable[SystemCommand]:
        """What it can do now."""


@runtime_checkable
class Leaving(Protocol):
    """A screen that opens as it was left."""

    def keep_place(self) -> None:
        """Keep how it is looked at now."""


def _queue_commands() -> type[Provider]:
    """The palette's entries of the queue, loaded when it is first opened."""
    from spillview.tui.palette import QueueCommands

    return QueueCommands


def _key_commands() -> type[Provider]:
    """The palette's entries of the keys."""
    from spillview.tui.palette import KeyCommands

    return KeyCommands


class SpillviewApp(TypingAhead):
    """Browse what a catalogue holds."""

    TITLE = "spillview"
    # The first screen is there before screens load stylesheets of their own.
    CSS_PATH: ClassVar = [stylesheet("app.tcss"), stylesheet("home.tcss")]
    ENABLE_COMMAND_PALETTE = True
    COMMANDS = App.COMMANDS | {_key_commands, _queue_commands}
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - App types it as an instance variable
        (0, "-narrow"),
        (100, "-wide"),
        (160, "-very-wide"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012 - App types it as an instance variable
        (0, "-tiny"),
        (18, "-short"),
        (30, "-tall"),
        (45, "-very-tall"),
    ]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "question_mark",
            "toggle_help",
            "Help",
            key_display="?",
            id="app.help",
            tooltip="Show help and the keys that work now; once more turns its page",
        ),
        # Before whatever else Escape would leave.
        Binding("escape", "close_help", "Close help", show=False, priority=True),
        Binding("q", "close_help(True)", "Close help", priority=True),
        # Before an input that would take every line of it, and whatever is in them.
        Binding("ctrl+v", "paste_line", "Paste", show=False, priority=True),
    ]

    def __init__(
        self,
        catalogue: Catalogue,
        query: Query | None = None,
        *,
        greeting: str | None = None,
    ) -> None:
        """`greeting` is said in the first line until a key is pressed."""
        super().__init__(catalogue.settings.theme)
        self.greeting = greeting
        self._typed = monotonic()
        """When the last key came, by the clock that never goes back."""
        self.catalogue = catalogue
        self.scope = query if query is not None else Query()
        if catalogue.settings.keys:
            from spillview.tui.keymap import keymap

            self.set_keymap(keymap(catalogue.settings.keys, catalogue.places))

    def get_driver_class(self) -> type[Driver]:
        """Textual's driver for this terminal, which bytes that are no text end not."""
        return forgiving(super().get_driver_class())

    def exit(
        self,
        result: None = None,
        return_code: int = 0,
        message: Any = None,
    ) -> None:
        """End; each screen keeps how it is left."""
        for screen in self.screen_stack:
            if isinstance(screen, Leaving):
                screen.keep_place()
        super().exit(result, return_code, message)

    def get_default_screen(self) -> Screen[None]:
        """The queue is the first screen."""
        return HomeScreen(self.catalogue, self.scope)

    def on_load(self) -> None:
        """Let keys be answered at once, and while a worker thread counts."""
        paint_soon()
        sys.setswitchinterval(SWITCH_SECONDS)

    def on_mount(self) -> None:
        """Never outlive the terminal."""
        self.set_interval(HANG_UP_SECONDS, self._heed_hang_up)
        self.set_timer(STARTED_SECONDS, self._take_turns)
        if self.greeting is not None and isinstance(self.screen, HomeScreen):
            self.screen.greet(self.greeting)

    def _take_turns(self) -> None:
        take_turns()
        self.set_interval(TURN_SECONDS, turn)

    def _heed_hang_up(self) -> None:
        if has_hung_up(self._driver):
            self.exit(return_code=129)
            return
        idle = monotonic() - self._typed
        if idle > PAUSE_SECONDS:
            in_pause(away=idle > AWAY_SECONDS)

    async def on_event(self, event: events.Event) -> None:
        """Make a paste harmless, and let a key take away what was told before it."""
        if isinstance(event, events.Paste):
            event.text = _copied(event.text)
        elif isinstance(event, events.Key):
            self._typed = monotonic()
            self.clear_notifications()  # they cover rows, and were read
            for screen in self.screen_stack:
                if isinstance(screen, HomeScreen):
                    screen.end_greeting()
        await super().on_event(event)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy `text`, with pictures of what a shell might obey when it is pasted."""
        super().copy_to_clipboard(_copied(text))

    def action_paste_line(self) -> None:
        """Paste what was copied here as a terminal would: one line, into an input."""
        if self.focused is not None:
            self.focused.post_message(events.Paste(self.clipboard))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Help that is not there cannot be closed, nor a line pasted into no input."""
        if action == "close_help":
            if parameters and isinstance(self.focused, Input):
                return False  # the letter belongs to what is typed
            return bool(self.screen.query("HelpPanel"))
        if action == "paste_line":
            return isinstance(self.focused, Input)
        return super().check_action(action, parameters)

    def action_toggle_help(self) -> None:
        """Show the help panel, turn its page, and after the last one hide it."""
        from spillview.tui.help import LiveHelp

        panel = next(iter(self.screen.query(LiveHelp)), None)
        if panel is None:
            self.action_show_help_panel()
        elif not panel.turn():
            self.action_hide_help_panel()

    def action_show_help_panel(self) -> None:
        """Show the help beside the screen."""
        from spillview.tui.help import LiveHelp

        if not self.screen.query("HelpPanel"):
            self.screen.mount(LiveHelp())

    def action_close_help(self, letter: bool = False) -> None:
        """Hide the help panel; `letter`: by a key that is a letter elsewhere."""
        self.action_hide_help_panel()

    def action_help_quit(self) -> None:
        """What ctrl+c means here."""
        from spillview.tui.live_keys import key_of

        key = key_of(self.screen, "app.help")
        self.notify(f"ctrl+q quits at once. {key} shows the keys.", markup=False)

    def action_undo_cleanup(self, batch: str) -> None:
        """Put a clean-up back: the word in a toast was clicked."""
        for screen in reversed(self.screen_stack):
            if isinstance(screen, Undoing):
                screen.undo_cleanup(batch)
                return

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What belongs to no key, and what the present screen can do.

        Textual's others are left out: `?` shows the keys, `M` maximises a pane.
        """
        for name, words in THEME_WORDS.items():
            if name != self.theme:
                words = f"{words}; `theme` in config.toml keeps it"
                take = partial(setattr, self, "theme", name)
                yield SystemCommand(f"Theme {name}", words, take)
        yield SystemCommand(
            "Picture",
            "Save what the screen shows as an SVG file",
            lambda: self.set_timer(0.1, self.deliver_screenshot),
        )
        yield SystemCommand(
            "Quit at once", "End; marks and notes are kept", self.action_quit
        )
        if isinstance(screen, Commanding):
            yield from screen.commands()


def _copied(text: str) -> str:
    """Text on its way from one place to another: nothing in it acts on a terminal."""
    return printable(text, newlines=True, tabs=True)
