"""The list of an outline's paths, and the lines above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import var

from spillview.tui.live_keys import key_of
from spillview.tui.row_list import RowList
from spillview.tui.runs import Lines, Runs, wrap
from spillview.tui.shape.shape_rows import Columns

HEAD = 8
"""Lines above the paths, at most."""


class ShapeHead(Lines):
    """What it is and its limits, and the names of the columns."""

    def __init__(self) -> None:
        super().__init__(id="shape-head")
        self._lines: Sequence[str] = ()
        self._columns: Columns | None = None
        self._title: Runs = []

    def show(
        self,
        lines: list[str],
        columns: Columns | None = None,
        title: Runs | None = None,
    ) -> None:
        """Show these lines above the names of the columns."""
        self._lines, self._columns, self._title = lines, columns, title or []
        self.remake()
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as it takes, up to what leaves room for the paths."""
        return len(self.make(width, min(HEAD, max(3, viewport.height // 3))))

    def make(self, width: int, height: int) -> list[Runs]:
        """The summary, wrapped; where it is too long, how much of it is missing."""
        titled = bool(self._title) or self._columns is not None
        room = max(1, height - titled)
        wrapped = [
            (line, "" if place == 0 else "notice" if warns else "dim")
            for place, text in enumerate(self._lines)
            for warns in (place > 0 and text[-1:] == ".",)
            for line in wrap(text, max(8, width - 2), 3)
        ]
        if len(wrapped) > room:
            more = len(wrapped) - room + 1
            key = key_of(self.screen.query_one(PathList), "shape.tell")
            wrapped = [*wrapped[: room - 1], (f"and {more} lines more: {key}", "dim")]
        runs: list[Runs] = [[(" ", ""), (text, tone)] for text, tone in wrapped]
        if self._title:
            runs.append(self._title)
        elif self._columns is not None:
            runs.append(self._columns.title(width))
        return runs


def _hidden(key: str, what: str, name: str) -> Binding:
    return Binding(key, f"ask('{name}')", what, show=False, id=f"shape.{name}")


class PathList(RowList):
    """The paths of an outline, or the records of a table."""

    HELP = """
## Shape

Every path of the document for jq, with how many values it has and of which types.
Lengths are characters of strings, elements of arrays, keys of objects; *seen* is how
many of the values the model received whole. All of the artifact is read.

`{shape.go}` goes to the path's first place in the text, `{shape.copy}` copies the path.
`{shape.table}` shows the records as a table: the 20 with the largest values at the path
under the cursor, or the first 20; `{shape.smallest}` the smallest; ← → pass over
columns. `{artifact.shape}` goes back to the text, where it was.
"""
    BINDING_GROUP_TITLE = "Shape"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "ask('go')",
            "To the text",
            id="shape.go",
            tooltip="Go to the first place of this path in the text",
        ),
        Binding(
            "y",
            "ask('copy')",
            "Copy…",
            id="shape.copy",
            tooltip="Copy the path for jq, the id, a command",
        ),
        Binding(
            "t",
            "ask('table')",
            "Table",
            id="shape.table",
            tooltip="The 20 records with the largest values at this path",
        ),
        Binding(
            "t",
            "ask('paths')",
            "Paths",
            id="shape.paths",
            tooltip="The paths again, the cursor on that of the table",
        ),
        Binding(
            "T",
            "ask('smallest')",
            "Table of the smallest",
            show=False,
            id="shape.smallest",
            tooltip="The 20 records with the smallest values at this path",
        ),
        Binding(
            "right",
            "ask('right')",
            "Further columns",
            show=False,
            id="shape.right",
            tooltip="Show the next columns of the table",
        ),
        Binding(
            "left",
            "ask('left')",
            "Columns before",
            show=False,
            id="shape.left",
            tooltip="Show the columns before",
        ),
        Binding(
            "i",
            "ask('tell')",
            "All of its limits",
            show=False,
            id="shape.tell",
            tooltip="Everything that is said about the document",
        ),
    ]

    @dataclass
    class Asked(Message):
        """Something is to be done with the path under the cursor."""

        path_list: PathList
        what: str
        """`go`, `copy`, `table`, `paths`, `smallest`, `tell`, `left` or `right`."""

        @property
        def control(self) -> PathList:
            """The list that asks."""
            return self.path_list

    on_table: var[bool] = var(False, bindings=True)
    """Whether its rows are the records of a table."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what is of paths from a table, and the other way round."""
        if action == "ask" and parameters[0] in ("paths", "left", "right"):
            return self.on_table
        if action == "ask" and parameters[0] != "tell":
            return not self.on_table
        return True

    def action_ask(self, what: str) -> None:
        """Ask for it."""
        self.post_message(self.Asked(self, what))
