"""One line of input above the footer: a pattern, a place, a command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events, getters, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

LABELS = {
    "find": ("/", "pattern (ripgrep's syntax); nothing repeats the last"),
    "find_back": ("\\", "pattern, searched backwards"),
    "filter": ("&", "keep lines that match; nothing shows all again"),
    "go": (":", "42 a line · 42% · @1048576 a byte · #5000 a char"),
    "pipe": ("|", "command that reads it, such as jq . or wc -l"),
}
"""Per kind of question: what stands before the input, and in it while it is empty."""


class PromptLine(Input):
    """The line itself: the footer names the key that ends it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Go", id="prompt.go", tooltip="Do it"),
    ]


class Prompt(Horizontal):
    """Asks for a line; Enter answers, Escape takes the question back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel", id="prompt.cancel", tooltip="Go back"),
        Binding(
            "tab,shift+tab",
            "stay",
            "Stay",
            show=False,
            id="prompt.stay",
            tooltip="Stay in this line",
        ),
    ]
    HELP = "Enter answers, Escape goes back, ↑ and ↓ bring what was typed before."

    @dataclass
    class Answered(Message):
        """The line was typed; None when the question was taken back."""

        prompt: Prompt
        kind: str
        text: str | None

        @property
        def control(self) -> Prompt:
            """The prompt that sent it."""
            return self.prompt

    label = getters.query_one("#prompt-label", Static)
    line = getters.query_one("#prompt-line", Input)

    def __init__(self) -> None:
        super().__init__(id="prompt")
        self.kind = ""
        self._history: dict[str, list[str]] = {}
        self._back = 0

    def compose(self) -> ComposeResult:
        """The sign and the line."""
        yield Static(id="prompt-label", markup=False)
        yield PromptLine(id="prompt-line", compact=True)

    def ask(self, kind: str, initial: str = "") -> None:
        """Open the line for a question of this kind."""
        self.kind = kind
        sign, hint = LABELS[kind]
        self.label.update(sign)
        self.line.placeholder = hint
        self.line.value = initial
        self.line.cursor_position = len(initial)
        self._back = 0
        self.display = True
        self.line.focus()

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        typed = event.value
        # `find_back` and `find` share what was typed before.
        history = self._history.setdefault(self.kind.removesuffix("_back"), [])
        if typed and history[-1:] != [typed]:
            history.append(typed)
        self._close(typed)

    def action_cancel(self) -> None:
        """Take the question back."""
        self._close(None)

    def action_stay(self) -> None:
        """Nothing: the focus stays in the line."""

    def _close(self, typed: str | None) -> None:
        self.display = False
        self.post_message(self.Answered(self, self.kind, typed))

    def on_key(self, event: events.Key) -> None:
        """Up and down go through what was typed before."""
        if event.key not in ("up", "down"):
            return
        event.stop()
        event.prevent_default()
        history = self._history.get(self.kind.removesuffix("_back"), [])
        step = 1 if event.key == "up" else -1
        self._back = max(0, min(len(history), self._back + step))
        self.line.value = history[-self._back] if self._back else ""
        self.line.cursor_position = len(self.line.value)
