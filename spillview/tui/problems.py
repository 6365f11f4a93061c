"""A small screen that lists what could not be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from spillview.model import Problem
from spillview.text import path_text, printable
from spillview.tui import stylesheet
from spillview.tui.footer import Footer


def problem_text(problem: Problem) -> Content:
    """One problem: where, and what is wrong."""
    where = printable(path_text(problem.path))
    sentence = printable(problem.sentence)
    if problem.harness:
        sentence = f"{printable(problem.harness)}: {sentence}"
    if where and where not in sentence:
        return Content(f"{where}\n  {sentence}")
    return Content(sentence)


class ProblemList(VerticalScroll):
    """The list; scrolls like a pager."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "j",
            "scroll_down",
            "Down",
            show=False,
            id="problems.down",
            tooltip="Scroll a line down",
        ),
        Binding(
            "k",
            "scroll_up",
            "Up",
            show=False,
            id="problems.up",
            tooltip="Scroll a line up",
        ),
        Binding(
            "g",
            "scroll_home",
            "Top",
            show=False,
            id="problems.top",
            tooltip="Go to the first line",
        ),
        Binding(
            "G",
            "scroll_end",
            "End",
            show=False,
            id="problems.end",
            tooltip="Go to the last line",
        ),
    ]


class ProblemsScreen(ModalScreen[None]):
    """What could not be read, and why; everything else is listed all the same."""

    CSS_PATH = stylesheet("problems.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "q,escape,enter,!",
            "dismiss",
            "Back",
            id="problems.back",
            tooltip="Back to the queue",
        ),
    ]

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__()
        self.problems = problems

    def compose(self) -> ComposeResult:
        """The list, scrollable with arrows and page keys."""
        count = len(self.problems)
        noun = "thing" if count == 1 else "things"
        with ProblemList(id="problems", classes="box"):
            yield Static(
                Content(f"{count} {noun} could not be read"),
                id="problems-title",
            )
            for problem in self.problems:
                yield Static(problem_text(problem), classes="problem")
        yield Footer()
