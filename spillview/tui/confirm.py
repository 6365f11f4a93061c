"""A question before something is done, with what follows from it said."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from spillview.tui import stylesheet
from spillview.tui.footer import Footer


class ConfirmScreen(ModalScreen[bool]):
    """True when the person says yes. No has the focus first."""

    CSS_PATH = stylesheet("cleanup.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes", id="confirm.yes", tooltip="Do it"),
        Binding(
            "n,escape,q",
            "answer(False)",
            "No",
            id="confirm.no",
            tooltip="Do nothing and go back",
        ),
        Binding(
            "left,right,h,l",
            "other",
            "Other",
            show=False,
            id="confirm.other",
            tooltip="Go to the other button",
        ),
    ]

    def __init__(
        self, question: str, consequence: str, yes: str, *, final: bool = False
    ) -> None:
        """`question` and `consequence` are printable; `yes` is the button's word."""
        super().__init__()
        self.question, self.consequence, self.yes = question, consequence, yes
        self.final = final

    def compose(self) -> ComposeResult:
        """The question, what follows, and two buttons."""
        with Vertical(id="confirm", classes="box"):
            yield Static(Content(self.question), id="confirm-question")
            yield Static(Content(self.consequence), id="confirm-consequence")
            with Horizontal(id="confirm-buttons"):
                yes = Button(Content(self.yes), id="yes", compact=True)
                yes.variant = "error" if self.final else "primary"
                yield yes
                yield Button("No", id="no", compact=True)
        yield Footer()

    def on_mount(self) -> None:
        """Nothing is moved or deleted by a careless Enter."""
        self.query_one("#no").focus()

    def action_answer(self, answer: bool) -> None:
        """Answer."""
        self.dismiss(answer)

    def action_other(self) -> None:
        """To the other button."""
        self.focus_next()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")
