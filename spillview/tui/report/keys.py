"""The keys of the report's screen."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from spillview.tui.copying import COPYING_BINDINGS
from spillview.tui.review.acting import ACTING_BINDINGS

REPORT_BINDINGS: list[BindingType] = [
    Binding(
        "enter",
        "open",
        "Open",
        id="report.open",
        tooltip="Open the artifact; leaving it comes back to its row here",
    ),
    Binding(
        "enter",
        "cleanup",
        "Clean",
        id="report.cleanup",
        tooltip="Plan a clean-up of what the report looks at",
    ),
    Binding(
        "enter",
        "trash",
        "Trash",
        id="report.trash",
        tooltip="Clean-ups that can be put back, or deleted for good",
    ),
    Binding(
        "space",
        "review",
        "Reviewed",
        key_display="␣",
        id="report.review",
        tooltip="Mark it reviewed and go on; the next report leaves it out",
    ),
    Binding(
        "d",
        "finish",
        "Done",
        id="report.finish",
        tooltip="Done with all of it: the next report begins with the rest",
    ),
    Binding(
        "u",
        "undo",
        "Undo",
        id="report.undo",
        tooltip="Take back the last mark or note, or that the review is done",
    ),
    Binding(
        "i",
        "note",
        "Note",
        id="report.note",
        tooltip="Write a note on it; of a missing call on its session",
    ),
    Binding(
        "a",
        "all_time",
        "All",
        id="report.all_time",
        tooltip="All time, or only what came since the last review",
    ),
    Binding(
        "c",
        "copy",
        "Copy as JSON Lines",
        show=False,
        id="report.copy",
        tooltip="Copy the rows of `spillview review --json`",
    ),
    *COPYING_BINDINGS,
    *ACTING_BINDINGS,
    Binding(
        "q,escape,R",
        "leave",
        "Back",
        id="report.back",
        tooltip="Go back to the queue; what is at work is stopped first",
    ),
]
