"""The keys of the clean-up and the trash, and the help beside them."""

from __future__ import annotations

from textual.binding import Binding, BindingType

CLEANUP_HELP = """
## Clean up

Every artifact with why it would go, or stays. Nothing is changed before `{clean.apply}`
and a yes. What goes is moved into a trash on its own filesystem: nothing is freed
before that is emptied (`{clean.trash}`), and `{clean.undo}` puts the last clean-up
back. With `trash_keep` in config.toml a clean-up ends with deleting for good what older
ones left there, and says so.

Rules select, and unite: `{clean.older_than}` by age, `{clean.keep_last}` all but the
newest of each session, `{clean.max_file}`, `{clean.max_session}` and
`{clean.max_total}` by size of an artifact, a session and all, `{clean.orphans}` what no
record points at. An artifact is as old as the later of its session's last activity and
its own change; where the two disagree it stays.

`{clean.policy}` lets the standing policies of config.toml decide instead: for each
artifact the most specific that fits its harness and project, named in the reason. What
would go tomorrow besides is said above, should nothing be written or read until then.

Always kept: pins (`{clean.pin}`), live sessions and whatever they refer to, and what is
no artifact by its harness's names. `{clean.spare}` keeps one artifact this time.
"""

TRASH_HELP = """
## Trash

Clean-ups, newest first. `{trash.undo}` puts one back at once: bytes, modes and times,
over nothing; where something else has the place now, the artifact stays here, and that
is said. `{trash.empty}` deletes one for good, `{trash.empty_all}` all of them, after a
question; only that frees the disk. With `trash_keep` in config.toml the next clean-up
that is carried out deletes for good what has been here for longer.
"""


def _rule(key: str, name: str, words: str, tooltip: str) -> Binding:
    return Binding(
        key, f"rule('{name}')", words, show=False, id=f"clean.{name}", tooltip=tooltip
    )


CLEANUP_BINDINGS: list[BindingType] = [
    Binding(
        "D",
        "apply",
        "Clean up",
        id="clean.apply",
        tooltip="Move what goes into the trash, after a question",
    ),
    Binding("u", "undo", "Undo", id="clean.undo", tooltip="Put the last clean-up back"),
    Binding(
        "o",
        "rule('older_than')",
        "Age",
        id="clean.older_than",
        tooltip="What was not active for so long goes",
    ),
    _rule("n", "keep_last", "All but the newest", "Keep the newest of each session"),
    _rule("t", "max_total", "Total size", "The oldest go until the rest fits"),
    _rule(
        "m", "max_session", "Session size", "The oldest of a session go until it fits"
    ),
    _rule("z", "max_file", "Artifact size", "Artifacts larger than this go"),
    Binding(
        "r",
        "orphans",
        "Orphans",
        show=False,
        id="clean.orphans",
        tooltip="What no record points at goes, or not",
    ),
    Binding(
        "P",
        "policy",
        "Policies",
        show=False,
        id="clean.policy",
        tooltip="Plan by the standing policies of config.toml, or by rules turned here",
    ),
    Binding(
        "right_square_bracket",
        "step(1)",
        "Older",
        show=False,
        id="clean.older",
        tooltip="Only what was not active for longer goes",
    ),
    Binding(
        "left_square_bracket",
        "step(-1)",
        "Younger",
        show=False,
        id="clean.younger",
        tooltip="What was active more recently goes too",
    ),
    Binding(
        "v",
        "view",
        "View",
        id="clean.view",
        tooltip="Everything, what goes, or what stays",
    ),
    Binding(
        "s",
        "sort",
        "Sort",
        show=False,
        id="clean.sort",
        tooltip="Largest first, or oldest first",
    ),
    Binding(
        "x",
        "spare",
        "Keep",
        id="clean.spare",
        tooltip="Keep this artifact this time, or let it go after all",
    ),
    Binding(
        "asterisk,p",
        "pin",
        "Pin",
        key_display="*",
        id="clean.pin",
        tooltip="Never plan this artifact, or take its pin back",
    ),
    Binding(
        "enter",
        "open",
        "Open",
        show=False,
        id="clean.open",
        tooltip="Open the artifact",
    ),
    Binding("T", "trash", "Trash", id="clean.trash", tooltip="What clean-ups removed"),
    Binding(
        "exclamation_mark",
        "problems",
        "Problems",
        show=False,
        key_display="!",
        id="clean.problems",
        tooltip="List what could not be read",
    ),
    Binding(
        "R,f5",
        "replan",
        "Refresh",
        show=False,
        id="clean.replan",
        tooltip="Look again now, and plan anew",
    ),
    Binding(
        "q,escape",
        "leave",
        "Back",
        key_display="q",
        id="clean.back",
        tooltip="Go back; what is at work is stopped first",
    ),
]

TRASH_BINDINGS: list[BindingType] = [
    Binding(
        "u,enter",
        "undo",
        "Put back",
        key_display="⏎ u",
        id="trash.undo",
        tooltip="Put this clean-up's artifacts back",
    ),
    Binding(
        "e",
        "empty",
        "Delete",
        id="trash.empty",
        tooltip="Delete this clean-up's artifacts for good",
    ),
    Binding(
        "E",
        "empty_all",
        "Empty",
        id="trash.empty_all",
        tooltip="Delete everything in the trash for good",
    ),
    Binding(
        "R,f5",
        "reload",
        "Refresh",
        show=False,
        id="trash.reload",
        tooltip="Look again now",
    ),
    Binding(
        "q,escape,T",
        "leave",
        "Back",
        key_display="q",
        id="trash.back",
        tooltip="Go back; what is at work is stopped first",
    ),
]
