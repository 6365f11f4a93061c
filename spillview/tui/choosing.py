"""A box with a title and lines, one of which is chosen."""

from __future__ import annotations

from typing import Any

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import OptionList

from spillview.tui import stylesheet


def choosing_keys(name: str) -> list[BindingType]:
    """The letters that move; `name` begins their names in `[keys]`."""
    moves = (("j", 1, "Down", "next row"), ("k", -1, "Up", "row before"))
    return [
        Binding(
            key,
            f"move({step})",
            what,
            show=False,
            id=f"{name}.{what.lower()}",
            tooltip=f"Go to the {where}",
        )
        for key, step, what, where in moves
    ]


class Choosing(ModalScreen[Any]):
    """Moves in its one list, and chooses what the cursor is on."""

    CSS_PATH = stylesheet("artifact.tcss")

    def action_choose(self) -> None:
        """What the cursor is on."""
        self.query_one(OptionList).action_select()

    def action_move(self, step: int) -> None:
        """Another line."""
        chooser = self.query_one(OptionList)
        if step > 0:
            chooser.action_cursor_down()
        else:
            chooser.action_cursor_up()
