"""The keys of the artifact screen."""

from __future__ import annotations

from textual.binding import Binding, BindingType

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
        tooltip="The next artifact of the queue; K goes to the one before",
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
        "c",
        "copy_id",
        "Copy the id",
        show=False,
        id="artifact.copy_id",
        tooltip="Copy the artifact's id; C copies its path",
    ),
    Binding(
        "C",
        "copy_path",
        "Copy the path",
        show=False,
        id="artifact.copy_path",
        tooltip="Copy the artifact's path",
    ),
    Binding(
        "U",
        "undo",
        "Undo",
        id="artifact.undo",
        tooltip="Take the last reviewed mark back",
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
]
