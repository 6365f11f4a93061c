"""The keys of the home screen and the help that stands beside them."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from spillview.tui.copying import COPYING_BINDINGS
from spillview.tui.review.acting import ACTING_BINDINGS
from spillview.tui.review.pinning import pin_binding

QUEUE_HELP = """
Tool outputs that did not fit into an agent's context, worst first: what failed and was
never seen, verdicts never seen, what failed and was seen, what is over its boundary,
the rest; in each, first what has most bytes that the model never saw.

- `✗` failed, and the model never received the verdict
- `○` the model never received the verdict
- `×` failed, and the model knows, or nothing tells whether it does
- `✓` you reviewed it
- `+` you selected it, the totals line counts it
- `*` you pinned it: no clean-up takes it
- `▲` over the boundary
- `△` about to cross it (0.9 and up)
- `·` below it

A session's line says `6 unseen · 7`: of its 7 artifacts, 6 ended in a way that no model
saw; `✓ 2 of 7` once you reviewed some.

`{home.which}` keeps one kind after the other: failed and never seen, errors only where
the model did not look (`{home.errors}` too), never read back, orphans, partial,
`secret-like` (they hold what looks like a credential), chains, `growing` now, and
missing calls: dangling, cut. `/failed` finds all that failed, seen or not;
`/secret-like`, `/world-readable`, `/pinned` and `/growing` find what has that flag.

The *verdict* is the last line that is not blank. *Seen* is the share of the bytes that
the model received; `≥0%` is at least that: some of what it received is not placed. The
*ratio* is the size in the boundary's own unit, divided by the boundary. `…` is still
being counted, `–` not known. *Link* is `unknown` where no transcript that can be read
tells whether a record points at the artifact.

Flags: `G` growing, `U` uncounted, `W` world-readable, `S` secret-like, `L`
symlink, `P` partial, `D` digest mismatch, `X` no regular file, `!` unreadable.
"""

QUEUE_BINDINGS: list[BindingType] = [
    Binding(
        "enter",
        "open",
        "Open",
        id="queue.open",
        tooltip="Open the artifact at its verdict, or the session",
    ),
    Binding("enter", "shut", "Close", id="queue.shut", tooltip="Close the session"),
    Binding(
        "j,down",
        "move(1)",
        "Down",
        show=False,
        id="queue.down",
        tooltip="Go to the next row",
    ),
    Binding(
        "k,up",
        "move(-1)",
        "Up",
        show=False,
        id="queue.up",
        tooltip="Go to the row before",
    ),
    Binding(
        "g,home",
        "first",
        "First row",
        show=False,
        id="queue.first",
        tooltip="Go to the first row",
    ),
    Binding(
        "G,end",
        "last",
        "Last row",
        show=False,
        id="queue.last",
        tooltip="Go to the last row",
    ),
    Binding(
        "f,ctrl+f,pagedown",
        "page(1)",
        "Page down",
        show=False,
        id="queue.page_down",
        tooltip="Go a screen down",
    ),
    Binding(
        "b,ctrl+b,pageup",
        "page(-1)",
        "Page up",
        show=False,
        id="queue.page_up",
        tooltip="Go a screen up",
    ),
    Binding(
        "ctrl+d",
        "page(0.5)",
        "Half a page down",
        show=False,
        id="queue.half_down",
        tooltip="Go half a screen down",
    ),
    Binding(
        "ctrl+u",
        "page(-0.5)",
        "Half a page up",
        show=False,
        id="queue.half_up",
        tooltip="Go half a screen up",
    ),
    Binding(
        "}",
        "session(1)",
        "Next session",
        show=False,
        id="queue.next_session",
        tooltip="Go to the first artifact of the next session",
    ),
    Binding(
        "{",
        "session(-1)",
        "Previous session",
        show=False,
        id="queue.last_session",
        tooltip="Go to the first artifact of the session before",
    ),
    Binding(
        "l,right",
        "unfold",
        "Open the session",
        show=False,
        id="queue.unfold",
        tooltip="Show the artifacts of the session",
    ),
    Binding(
        "h,left",
        "fold",
        "Close the session",
        show=False,
        id="queue.fold",
        tooltip="Show only the header of the session",
    ),
    Binding(
        "o",
        "toggle_session",
        "Open/close session",
        show=False,
        id="queue.toggle",
        tooltip="Open or close the session under the cursor",
    ),
    Binding(
        "x",
        "select",
        "Select",
        show=False,
        id="queue.select",
        tooltip="Select the row, or a whole session, for the totals line",
    ),
    Binding(
        "X",
        "select_all",
        "Select all or none",
        show=False,
        id="queue.select_all",
        tooltip="Select every artifact that is shown, or none",
    ),
]

FOLDS = Binding.Group("Sort", compact=True)

HOME_BINDINGS: list[BindingType] = [
    Binding(
        "space",
        "review",
        "Reviewed",
        key_display="␣",
        id="home.review",
        tooltip="Mark it reviewed and go on to what is left",
    ),
    Binding(
        "u",
        "undo",
        "Undo",
        id="home.undo",
        tooltip="Take the last mark, pin or note back, or the last clean-up",
    ),
    Binding(
        "u",
        "no_undo",
        "Undo",
        show=False,
        id="home.no_undo",
        tooltip="There is nothing to take back now",
    ),
    Binding(
        "i",
        "note",
        "Note",
        show=False,
        id="home.note",
        tooltip="Write a note on the artifact or session; the report shows it",
    ),
    pin_binding("home"),
    Binding(
        "R",
        "report",
        "Report",
        show=False,
        id="home.report",
        tooltip="What decides, what was missed, what grows and what the disk needs",
    ),
    Binding(
        "slash",
        "filter",
        "Filter",
        key_display="/",
        id="home.filter",
        tooltip="Keep the rows that match, as you type",
    ),
    Binding(
        "s",
        "flatten",
        "Flat",
        id="home.flat",
        tooltip="One flat list of artifacts, or by session",
    ),
    Binding(
        "c",
        "sort(1)",
        "Sort",
        group=FOLDS,
        id="home.sort",
        tooltip="Sort by the next column, after the last one worst first again",
    ),
    Binding(
        "C",
        "reverse",
        "Reverse the order",
        group=FOLDS,
        id="home.reverse",
        tooltip="Sort the other way round",
    ),
    Binding(
        "a",
        "all_time",
        "All",
        id="home.all_time",
        tooltip="All time, or only what came since the last review",
    ),
    Binding(
        "e",
        "errors",
        "Errors unseen",
        show=False,
        id="home.errors",
        tooltip="Only what tells of errors where the model did not look, or everything",
    ),
    Binding(
        "w",
        "which",
        "Which kind",
        show=False,
        id="home.which",
        tooltip="Failed unseen, errors unseen, never read, orphans, partial, …, cut",
    ),
    Binding(
        "percent_sign",
        "statistics",
        "Statistics",
        show=False,
        key_display="%",
        id="home.statistics",
        tooltip="What was read back, seen and carried, by tool and size",
    ),
    Binding(
        "F",
        "forecast",
        "Forecast",
        show=False,
        id="home.forecast",
        tooltip="Which commands are about to cross; what results cost the context",
    ),
    Binding(
        "D",
        "cleanup",
        "Clean",
        id="home.cleanup",
        tooltip="Plan a clean-up: why each artifact would go, or stays",
    ),
    Binding(
        "T",
        "trash",
        "Trash",
        show=False,
        id="home.trash",
        tooltip="Clean-ups that can be put back, or deleted for good",
    ),
    Binding(
        "S",
        "search",
        "Search",
        id="home.search",
        tooltip="Search inside every artifact shown",
    ),
    Binding(
        "question_mark",
        "app.toggle_help",
        "Help",
        key_display="?",
        id="home.help",
        tooltip="Show help and the keys that work now; once more turns its page",
    ),
    Binding(
        "q",
        "clear",
        "Close",
        id="home.close",
        tooltip="Show every row again: no filter, kind or missing calls",
    ),
    Binding("q", "leave", "Quit", id="home.quit", tooltip="Leave; marks are kept"),
    Binding("q", "back", "Back", id="home.back", tooltip="Back to where you were"),
    Binding(
        "d",
        "demo",
        "Demo night",
        id="home.demo",
        tooltip="Make a small night of several harnesses and browse it",
    ),
    Binding(
        "O",
        "toggle_all",
        "Open or close all sessions",
        show=False,
        id="home.toggle_all",
        tooltip="Only the headers, or all that is below them again",
    ),
    Binding(
        "escape",
        "clear",
        "Show every row",
        show=False,
        id="home.clear",
        tooltip="Take the filter and the kind away: every row is there again",
    ),
    Binding(
        "m",
        "missing",
        "Missing",
        show=False,
        id="home.missing",
        tooltip="Show missing calls, dangling and cut: no full result is on disk",
    ),
    Binding(
        "!",
        "problems",
        "Problems",
        show=False,
        key_display="!",
        id="home.problems",
        tooltip="List what could not be read, broken transcript lines among it",
    ),
    Binding(
        "r,f5",
        "reload",
        "Refresh",
        show=False,
        id="home.reload",
        tooltip="Look again now",
    ),
    *COPYING_BINDINGS,
    *ACTING_BINDINGS,
]
