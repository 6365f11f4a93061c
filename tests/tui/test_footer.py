"""The line of keys: what stands in it, what a click does, and when it changes."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.screen import Screen

from spillview.tui import stylesheet
from spillview.tui.footer import Footer
from spillview.tui.theme import Themed

MOVES = Binding.Group("Sort", compact=True)


class Keyed(Screen[None]):
    """Keys of every kind; what was pressed is remembered."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "note('a')", "Add", tooltip="Add one more"),
        Binding("less_than_sign", "note('<')", "Less", key_display="<", group=MOVES),
        Binding("greater_than_sign", "note('>')", "More", key_display=">", group=MOVES),
        Binding("x", "note('x')", "Hidden", show=False),
        Binding("d", "dimmed", "Dimmed"),
        Binding("s", "sometimes", "Sometimes"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[str] = []
        self.sometimes = False

    def compose(self) -> ComposeResult:
        yield Footer()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "dimmed":
            return None
        return self.sometimes if action == "sometimes" else True

    def action_note(self, key: str) -> None:
        self.noted.append(key)

    def action_dimmed(self) -> None:
        self.noted.append("dimmed")

    def action_sometimes(self) -> None:
        self.noted.append("sometimes")


class Crowded(Keyed):
    """More keys than there is room for, the ways out last."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(key, f"note('{key}')", "Do something") for key in "efghij"),
        Binding("question_mark", "app.toggle_help", "Help", key_display="?"),
        Binding("q", "leave", "Quit"),
    ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if parameters and self.sometimes:
            return parameters[0] in ("a", "<", ">", "e")
        return action not in ("dimmed", "sometimes")


class Keys(Themed):
    CSS_PATH = stylesheet("app.tcss")
    ENABLE_COMMAND_PALETTE = True

    def get_default_screen(self) -> Screen[None]:
        return Keyed()


def line_of(app: App[None]) -> str:
    return app.screen.query_one(Footer).render_line(0).text


async def test_keys_groups_and_the_palette_stand_in_their_places() -> None:
    app = Keys()
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.pause()
        line = line_of(app)
        assert line.startswith("a Add  <> Sort d Dimmed ")
        assert line.rstrip().endswith("▏^p palette")
        assert len(line) == 60
        assert "Hidden" not in line
        assert "Sometimes" not in line


async def test_help_and_the_way_back_stay_in_sight_whatever_has_no_room() -> None:
    app = Keys()
    async with app.run_test(size=(80, 10)) as pilot:
        screen = Crowded()
        app.push_screen(screen)
        await pilot.pause()
        line = line_of(app)
        assert line.startswith("a Add  <> Sort e Do something")
        assert "h Do something" not in line
        assert "? Help q Quit" in line
        keys = screen.query_one(Footer).keys
        assert all(one.end <= other.start for one, other in pairwise(keys))
        await pilot.resize_terminal(60, 10)
        await pilot.pause()
        assert "? Help q Quit" in line_of(app)
        assert "g Do something" not in line_of(app)
        await pilot.resize_terminal(80, 10)
        screen.sometimes = True
        screen.refresh_bindings()
        await pilot.pause()
        assert line_of(app).startswith("a Add  <> Sort e Do something ? Help q Quit ")


async def test_a_key_that_begins_to_work_appears_at_once() -> None:
    app = Keys()
    async with app.run_test(size=(60, 10)) as pilot:
        screen = app.screen
        assert isinstance(screen, Keyed)
        screen.sometimes = True
        screen.refresh_bindings()
        await pilot.pause()
        assert "s Sometimes" in line_of(app)


async def test_a_click_presses_the_key_under_it() -> None:
    app = Keys()
    async with app.run_test(size=(60, 10)) as pilot:
        screen = app.screen
        assert isinstance(screen, Keyed)
        await pilot.pause()
        line = line_of(app)
        for word in ("Add", "<", ">"):
            await pilot.click(Footer, offset=(line.index(word), 0))
        assert screen.noted == ["a", "<", ">"]
        for word in ("Sort", "Dimmed"):
            await pilot.click(Footer, offset=(line.index(word), 0))
        await pilot.click(Footer, offset=(line.index("▏") - 1, 0))
        assert screen.noted == ["a", "<", ">"]
        await pilot.click(Footer, offset=(line.index("palette"), 0))
        await pilot.pause()
        assert app.screen is not screen


async def test_the_key_under_the_mouse_is_lit_and_says_what_it_does() -> None:
    app = Keys()
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.pause()
        footer = app.screen.query_one(Footer)
        plain = footer.render_line(0)
        await pilot.hover(Footer, offset=(2, 0))
        await pilot.pause()
        assert footer.tooltip == "Add one more"
        lit = footer.render_line(0)
        assert lit.text == plain.text
        assert lit.crop(0, 5) != plain.crop(0, 5)
        assert lit.crop(5, 60) == plain.crop(5, 60)
        await pilot.hover(None, offset=(2, 2))
        await pilot.pause()
        assert footer.tooltip is None
        assert footer.render_line(0) == plain


async def test_keys_beyond_the_edge_come_into_sight_with_the_wheel() -> None:
    app = Keys()
    async with app.run_test(size=(24, 10)) as pilot:
        await pilot.pause()
        footer = app.screen.query_one(Footer)
        assert "Dimmed" not in line_of(app)
        for _ in range(5):
            footer.on_mouse_scroll_down()
        assert "Dimmed" in line_of(app).partition("▏")[0]
        assert line_of(app).rstrip().endswith("▏^p palette")
        found = line_of(app).index("Dimmed")
        assert await pilot.hover(Footer, offset=Offset(found, 0))
        for _ in range(5):
            footer.on_mouse_scroll_up()
        assert line_of(app).startswith("a Add")


async def test_a_narrow_line_holds_whole_words_alone() -> None:
    app = Keys()
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.pause()
        words = {
            word
            for key in app.screen.query_one(Footer).keys
            for word in (key.display, key.words, f"{key.display} {key.words}")
        }
        app.screen.add_class("-narrow")  # where the palette has no room
        for width in range(1, 40):
            await pilot.resize_terminal(width, 10)
            await pilot.pause()
            line = line_of(app)
            assert len(line) == width
            assert set(line.replace("<>", "< >").split()) <= {
                part for word in words for part in word.split()
            }
            assert ("<>" in line) is ("Sort" in line)  # keys go with what they do
