"""The keys of the artifact screen."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from spillview.tui.copying import COPYING_BINDINGS
from spillview.tui.review.acting import ACTING_BINDINGS
from spillview.tui.review.pinning import pin_binding

ARTIFACT_BINDINGS: list[BindingType] = [
    Binding(
        "space",
        "review",
        "Reviewed",
        key_display="␣",
        id="artifact.review",
        tooltip="Mark it reviewed and go on to the next artifact",
    ),
    Binding(
        "i",
        "note",
        "Note",
        show=False,
        id="artifact.note",
        tooltip="Write a note on it; the report shows it",
    ),
    pin_binding("artifact"),
    Binding(
        "tab",
        "switch('envelope')",
        "Envelope",
        id="artifact.to_envelope",
        tooltip="The same place in the envelope",
    ),
    Binding(
        "tab",
        "switch('full')",
        "Output",
        id="artifact.to_full",
        tooltip="The same place in the full output",
    ),
    Binding(
        "o",
        "shape",
        "Shape",
        id="artifact.shape",
        tooltip="The paths of a JSON document, or its text again",
    ),
    Binding(
        "M,f11",
        "solo",
        "Maximise",
        show=False,
        id="artifact.solo",
        tooltip="Only this pane, or both",
    ),
    Binding(
        "J,greater_than_sign",
        "step(1)",
        "Next",
        key_display="J",
        id="artifact.next",
        tooltip="The next artifact of the queue",
    ),
    Binding(
        "K,less_than_sign",
        "step(-1)",
        "Previous artifact",
        show=False,
        id="artifact.previous",
        tooltip="The previous artifact of the queue",
    ),
    Binding(
        "V",
        "verdict",
        "Verdict",
        show=False,
        id="artifact.verdict",
        tooltip="Go to the last line that is not blank",
    ),
    Binding(
        "right_curly_bracket",
        "credential(1)",
        "Next credential",
        show=False,
        key_display="}",
        id="artifact.next_credential",
        tooltip="Go to the next credential, and say whether the model saw it",
    ),
    Binding(
        "left_curly_bracket",
        "credential(-1)",
        "Previous credential",
        show=False,
        key_display="{",
        id="artifact.last_credential",
        tooltip="Go to the credential before",
    ),
    Binding(
        "R",
        "reads",
        "Reads",
        show=False,
        id="artifact.reads",
        tooltip="The envelopes and later calls that showed it; Enter goes there",
    ),
    Binding(
        "equals_sign",
        "compare",
        "Compare",
        show=False,
        key_display="=",
        id="artifact.compare",
        tooltip="The run of its command before this one, or another, side by side",
    ),
    Binding(
        "U",
        "undo",
        "Undo",
        id="artifact.undo",
        tooltip="Take the last reviewed mark, pin or note back",
    ),
    Binding(
        "S",
        "search",
        "Search all",
        show=False,
        id="artifact.search",
        tooltip="Search inside every artifact of the queue",
    ),
    Binding(
        "q",
        "leave",
        "Back",
        id="artifact.leave",
        tooltip="Back to the queue, to this artifact's row",
    ),
    Binding(
        "escape",
        "back",
        "Back",
        show=False,
        id="artifact.back",
        tooltip="Clear selection, filter or hits; then back to the queue",
    ),
    *COPYING_BINDINGS,
    *ACTING_BINDINGS,
]
