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


def _hidden(keys: str, action: str, what: str, name: str) -> Binding:
    return Binding(keys, action, what, show=False, id=f"pager.{name}")


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
    _hidden("N", "hit(-1)", "Previous hit", "last_hit"),
    _hidden(
        "left_square_bracket", "signal(-1)", "Previous unseen error", "last_signal"
    ),
    _hidden("backslash", "ask('find_back')", "Find backwards", "find_back"),
    _hidden("ampersand", "ask('filter')", "Keep lines that match", "filter"),
    _hidden("colon", "ask('go')", "Go to line, %, @byte or #char", "go"),
    _hidden("vertical_line", "ask('pipe')", "Pipe it to a command", "pipe"),
    _hidden("j,down", "move(1)", "Down", "down"),
    _hidden("k,up", "move(-1)", "Up", "up"),
    _hidden("enter", "enter", "Unfold, or down", "enter"),
    _hidden("f,ctrl+f,pagedown", "page(1)", "Page down", "page_down"),
    _hidden("b,ctrl+b,pageup", "page(-1)", "Page up", "page_up"),
    _hidden("d,ctrl+d", "page(0.5)", "Half a page down", "half_down"),
    _hidden("u,ctrl+u", "page(-0.5)", "Half a page up", "half_up"),
    _hidden("g,home", "top", "Top, or the line typed before", "top"),
    _hidden("G,end", "bottom", "End, or the line typed before", "bottom"),
    _hidden("percent_sign", "percent", "Go to the percentage typed before", "percent"),
    _hidden("right", "sideways(1)", "Scroll right", "right"),
    _hidden("left", "sideways(-1)", "Scroll left", "left"),
    _hidden("shift+down", "select(1)", "Select downwards", "select_down"),
    _hidden("shift+up", "select(-1)", "Select upwards", "select_up"),
    _hidden("m", "await_key('mark')", "Mark this place with a letter", "mark"),
    _hidden("apostrophe", "await_key('return')", "Go back to a mark", "return"),
    _hidden("y", "copy", "Copy the selection, the line, the id, a command…", "copy"),
    _hidden("w", "wrap", "Wrap long lines, or scroll them sideways", "wrap"),
    _hidden("e", "escapes", "Escapes: shown, hidden, colours", "escapes"),
    _hidden("X", "bare", "Credentials: as stars, or as they are", "bare"),
    _hidden("r", "returns", "Progress bars: last frame, or every frame", "returns"),
    _hidden("F", "follow", "Follow a growing file", "follow"),
    _hidden("v", "outside('editor')", "Open in $EDITOR", "editor"),
    _hidden("P", "outside('pager')", "Open in $PAGER", "pager"),
]
