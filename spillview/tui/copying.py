"""Copying: one key opens what can be copied here, each by a letter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on, work
from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from spillview.errors import SpillError
from spillview.frozen import Frozen
from spillview.text import human_bytes, human_count, path_text, printable
from spillview.tui.choosing import Choosing, choosing_keys
from spillview.tui.live_keys import key_of
from spillview.tui.runs import clean, fit
from spillview.tui.told import Told

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue

LIMIT = 1 << 20
"""Bytes that are copied at most: terminals refuse more through OSC 52."""

PREVIEW = 120
"""Cells of a text that are shown at most."""

AROUND = 8
"""Cells of the menu beside an entry: padding, and the list's own."""

COPYING_BINDINGS: list[BindingType] = [
    Binding(
        "y",
        "copy_menu",
        "Copy…",
        show=False,
        id="copying.menu",
        tooltip="Copy the id, the path, what the model saw, or a command",
    )
]


class NothingToCopy(SpillError):
    """There is none, for the reason that it says."""


class Copyable(Frozen):
    """One thing that can be copied."""

    key: str
    """The letter that chooses it in the menu."""
    name: str
    """With its article: what the toast says was copied."""
    text: str | Callable[[], str]
    """The text; or what makes it, in a thread. May raise `SpillError`."""
    note: str = ""
    """What is different from what one might think; empty for nothing."""
    ident: tuple[str, str] | None = None
    """An artifact's id that the text holds, and the address that it stands for."""

    @property
    def preview(self) -> str:
        """The beginning of the text, without its credentials."""
        return clean(self.text, PREVIEW) if isinstance(self.text, str) else ""


class Copying(Screen[Any]):
    """A screen of which things can be copied; it says which."""

    catalogue: Catalogue

    class CopyMade(Told):
        """The text of something is there, or why it is not."""

        chosen: Copyable
        text: str
        error: str | None = None

    def copyables(self) -> Sequence[Copyable]:
        """What can be copied now, the nearest first."""
        return ()

    def action_copy_menu(self) -> None:
        """Offer what can be copied."""
        offered = self.copyables()
        if not offered:
            self.notify("There is nothing here to copy.", markup=False)
            return
        self.app.push_screen(CopyScreen(offered), self._copy_chosen)

    def _copy_chosen(self, chosen: Copyable | None) -> None:
        if chosen is not None:
            self.copy(chosen)

    def copy(self, chosen: Copyable) -> None:
        """Copy it, and say so."""
        if isinstance(chosen.text, str):
            self._take_copy(self.CopyMade(chosen, chosen.text))
        else:
            self._make_copy(chosen, chosen.text)

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="copy",
        description="Make the text to copy",
    )
    def _make_copy(self, chosen: Copyable, make: Callable[[], str]) -> None:
        try:
            made = self.CopyMade(chosen, make())
        except SpillError as error:
            made = self.CopyMade(chosen, "", str(error))
        self.post_message(made)

    @on(CopyMade)
    def _take_copy(self, message: CopyMade) -> None:
        name, text = message.chosen.name, message.text
        if message.error is not None:
            words = printable(path_text(message.error))
            self.notify(words, severity="warning", markup=False)
            return
        size = len(text.encode("utf-8", "replace"))
        if size > LIMIT:
            words = f"{name} is {human_bytes(size)}, over {human_bytes(LIMIT)}"
            words = f"{words[:1].upper()}{words[1:]}: too much to copy."
            self.notify(words, severity="warning", markup=False)
            return
        ident = message.chosen.ident
        if ident is not None and self.catalogue.state is not None:
            self.catalogue.state.remember_ids([ident])
        self.app.copy_to_clipboard(text)
        notes = [message.chosen.note] if message.chosen.note else []
        if printable(text, newlines=True, tabs=True) != text:
            notes.append("control characters as pictures")
        chars = f"{human_count(len(text))} char" + ("" if len(text) == 1 else "s")
        words = f"Copied {name}: {', '.join([chars, *notes])}."
        self.notify(printable(words), markup=False)

    def commands(self) -> Iterator[SystemCommand]:
        """Palette entries."""
        for each in self.copyables():
            words = each.preview or each.note or "It is read when it is copied"
            # The palette would take a help text for markup.
            words = words.replace("[", "(").replace("]", ")")
            run = partial(self.copy, each)
            yield SystemCommand(f"Copy {each.name}", words, run)


class CopyScreen(Choosing):
    """The menu; gives what was chosen."""

    BINDING_GROUP_TITLE = "Copy"
    BINDINGS: ClassVar[list[BindingType]] = [
        *choosing_keys("copy"),
        Binding(
            "q,escape",
            "dismiss",
            "Back",
            id="copy.back",
            tooltip="Copy nothing and go back",
        ),
    ]

    def __init__(self, offered: Sequence[Copyable]) -> None:
        super().__init__()
        self.offered = offered

    def compose(self) -> ComposeResult:
        """A title and the list."""
        with Vertical(id="copies"):
            title = f"Copy (a letter, or Enter; {key_of(self, 'copy.back')} back)"
            yield Static(Content(title), id="reads-title")
            room = min(130, self.app.size.width * 9 // 10) - AROUND
            yield OptionList(*(Option(_line(each, room)) for each in self.offered))

    def on_key(self, event: events.Key) -> None:
        """A letter chooses."""
        for each in self.offered:
            if event.character == each.key:
                event.stop()
                event.prevent_default()
                self.dismiss(each)
                return

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self.offered[event.option_index])


def _line(each: Copyable, room: int) -> Content:
    """One entry, in one line of so many cells."""
    name = f"  {each.name}"
    parts = [f"({each.note})"] if each.note else []
    words = printable("  ".join([*parts, each.preview]))
    rest = max(0, room - 1 - len(name) - 2)
    about = f"  {fit(words, rest).rstrip()}" if words and rest > 8 else ""
    key = (each.key, "bold underline")
    return Content.assemble(key, name, (about, "$text-muted"))
