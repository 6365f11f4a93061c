"""The pager's keys and the help that stands beside them."""

from __future__ import annotations

from textual.binding import Binding, BindingType

PAGER_HELP = """
## Reading

Nothing is cut off: long lines wrap (`{pager.wrap}` scrolls them sideways instead), and
control characters are drawn as pictures, never sent to the terminal.

| mark | the model received |
|---|---|
| `▌` | all of the row |
| `▖` | a part of it |
| blank | nothing of it |
| `┊` | not known |

`!` stands beside error-like lines that it did not receive whole.

At the right edge `▐` stands beside the parts of the file that the model received.

**Go to**: `42 {pager.top}` or `{pager.go}` and `42` (line), `42%`, `@1048576` (byte),
`#5000` (char).
**Search**: `{pager.find}` (`{pager.find_back}` backwards) in ripgrep's syntax; a
pattern in lower case ignores case. `{pager.next_hit}` `{pager.last_hit}` go from hit to
hit; `{pager.filter}` keeps only the lines that match, with nothing it shows all again.
`{pager.next_signal}` `{pager.last_signal}` go to the next and previous error-like line
that the model never saw.
**Marks**: `{pager.mark}` and a letter, then `{pager.return}` and that letter; twice
`{pager.return}` goes back.
**Select** with Shift and ↓ ↑ or the mouse; `{pager.copy}` copies, `{pager.pipe}` pipes
to a command.
**Credentials** are drawn, copied and piped as stars; `{pager.bare}` shows them as they
are.
"""


def _hidden(keys: str, action: str, what: str, name: str, tooltip: str) -> Binding:
    return Binding(keys, action, what, show=False, id=f"pager.{name}", tooltip=tooltip)


PAGER_BINDINGS: list[BindingType] = [
    Binding(
        "slash",
        "ask('find')",
        "Find",
        key_display="/",
        id="pager.find",
        tooltip="Search in this text",
    ),
    Binding(
        "n",
        "hit(1)",
        "Next hit",
        id="pager.next_hit",
        tooltip="Go to the next hit",
    ),
    Binding(
        "right_square_bracket",
        "signal(1)",
        "Unseen",
        key_display="]",
        id="pager.next_signal",
        tooltip="Next error-like line the model never saw",
    ),
    Binding(
        "z",
        "folds",
        "Folds",
        id="pager.folds",
        tooltip="Open every fold, or close them again",
    ),
    _hidden("N", "hit(-1)", "Previous hit", "last_hit", "Go to the hit before"),
    _hidden(
        "left_square_bracket",
        "signal(-1)",
        "Previous unseen error",
        "last_signal",
        "Error-like line before this one that the model never saw",
    ),
    _hidden(
        "backslash",
        "ask('find_back')",
        "Find backwards",
        "find_back",
        "Search in this text towards its beginning",
    ),
    _hidden(
        "ampersand",
        "ask('filter')",
        "Keep lines that match",
        "filter",
        "Show only the lines that match a pattern",
    ),
    _hidden(
        "colon",
        "ask('go')",
        "Go to line, %, @byte or #char",
        "go",
        "Go to a line, a percentage, an @byte or a #char",
    ),
    _hidden(
        "vertical_line",
        "ask('pipe')",
        "Pipe it to a command",
        "pipe",
        "Give the selection or all of it to a command and read what it prints",
    ),
    _hidden("j,down", "move(1)", "Down", "down", "Go to the next row"),
    _hidden("k,up", "move(-1)", "Up", "up", "Go to the row before"),
    _hidden(
        "enter",
        "enter",
        "Unfold, or down",
        "enter",
        "Open the fold under the cursor, else go down",
    ),
    _hidden(
        "f,ctrl+f,pagedown", "page(1)", "Page down", "page_down", "Go a screen down"
    ),
    _hidden("b,ctrl+b,pageup", "page(-1)", "Page up", "page_up", "Go a screen up"),
    _hidden(
        "d,ctrl+d",
        "page(0.5)",
        "Half a page down",
        "half_down",
        "Go half a screen down",
    ),
    _hidden(
        "u,ctrl+u", "page(-0.5)", "Half a page up", "half_up", "Go half a screen up"
    ),
    _hidden(
        "g,home",
        "top",
        "Top, or the line typed before",
        "top",
        "Go to the first row, or to the line whose number was typed",
    ),
    _hidden(
        "G,end",
        "bottom",
        "End, or the line typed before",
        "bottom",
        "Go to the last row, or to the line whose number was typed",
    ),
    _hidden(
        "percent_sign",
        "percent",
        "Go to the percentage typed before",
        "percent",
        "After a number: go that far into the text",
    ),
    _hidden(
        "right",
        "sideways(1)",
        "Scroll right",
        "right",
        "Go right in lines that are not wrapped",
    ),
    _hidden(
        "left",
        "sideways(-1)",
        "Scroll left",
        "left",
        "Go left in lines that are not wrapped",
    ),
    _hidden(
        "shift+down",
        "select(1)",
        "Select downwards",
        "select_down",
        "Take the next row into the selection",
    ),
    _hidden(
        "shift+up",
        "select(-1)",
        "Select upwards",
        "select_up",
        "Take the row before into the selection",
    ),
    _hidden(
        "m",
        "await_key('mark')",
        "Mark this place with a letter",
        "mark",
        "A letter then names this place",
    ),
    _hidden(
        "apostrophe",
        "await_key('return')",
        "Go back to a mark",
        "return",
        "A letter then names the place to go to",
    ),
    _hidden(
        "y",
        "copy",
        "Copy the selection, the line, the id, a command…",
        "copy",
        "Choose what is copied of what stands here",
    ),
    _hidden(
        "w",
        "wrap",
        "Wrap long lines, or scroll them sideways",
        "wrap",
        "Show long lines on several rows, or each on one",
    ),
    _hidden(
        "e",
        "escapes",
        "Escapes: shown, hidden, colours",
        "escapes",
        "Show terminal escapes as pictures, leave them out, or colour by them",
    ),
    _hidden(
        "X",
        "bare",
        "Credentials: as stars, or as they are",
        "bare",
        "Show what looks like a credential as stars, or as it is",
    ),
    _hidden(
        "r",
        "returns",
        "Progress bars: last frame, or every frame",
        "returns",
        "Of a line that was drawn over, show the last state or every one",
    ),
    _hidden(
        "F",
        "follow",
        "Follow a growing file",
        "follow",
        "Stay at the end while the file grows",
    ),
    _hidden(
        "v",
        "outside('editor')",
        "Open in $EDITOR",
        "editor",
        "Open the text in $EDITOR at this line",
    ),
    _hidden(
        "P",
        "outside('pager')",
        "Open in $PAGER",
        "pager",
        "Open the text in $PAGER at this line",
    ),
]
