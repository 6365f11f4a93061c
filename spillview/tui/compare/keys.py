"""The keys of a comparison."""

from __future__ import annotations

from textual.binding import Binding, BindingType

COMPARE_BINDINGS: list[BindingType] = [
    Binding(
        "right_curly_bracket",
        "difference(1)",
        "Next",
        key_display="}",
        id="compare.next",
        tooltip="The next difference, on both sides",
    ),
    Binding(
        "left_curly_bracket",
        "difference(-1)",
        "Previous difference",
        show=False,
        id="compare.previous",
        tooltip="The difference before, on both sides",
    ),
    Binding(
        "tab", "side", "Side", id="compare.side", tooltip="The same place at the other"
    ),
    Binding(
        "x",
        "times",
        "Times",
        id="compare.times",
        tooltip="Leave times, percentages, colours and progress out, or count them",
    ),
    Binding(
        "o",
        "other",
        "Other run",
        id="compare.other",
        tooltip="Choose another artifact to compare with",
    ),
    Binding(
        "c",
        "copy_row",
        "Copy",
        show=False,
        id="compare.copy",
        tooltip="Copy it as `spillview compare --json` prints it",
    ),
    Binding("q,escape", "back", "Back", id="compare.back", tooltip="Back to the text"),
]
