"""The line of input that the pagers of a screen ask in."""

from __future__ import annotations

from typing import Any

from textual import getters, on
from textual.screen import Screen

from spillview.tui.pager.pager import Pager
from spillview.tui.prompt import Prompt


class Asking(Screen[Any]):
    """Shows what a pager asks in its prompt, and gives that pager the answer."""

    prompt = getters.query_one("#prompt", Prompt)

    _asking: Pager | None = None
    """The one that asked last."""

    @property
    def pager(self) -> Pager:
        """The one that has the focus, or had it last."""
        raise NotImplementedError

    @on(Pager.Asks)
    def _ask(self, event: Pager.Asks) -> None:
        self._asking = event.reader if isinstance(event.reader, Pager) else None
        self.prompt.ask(event.kind, event.initial)

    @on(Prompt.Answered)
    def _answer(self, event: Prompt.Answered) -> None:
        pager = self._asking if self._asking is not None else self.pager
        pager.focus()
        if event.text is not None:
            pager.answer(event.kind, event.text)
