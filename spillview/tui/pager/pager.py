"""The pager: text of any size with the keys of less and vim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual import on, work
from textual.binding import BindingType
from textual.message import Message
from textual.worker import Worker, WorkerState, get_current_worker

from spillview.errors import BadInput, SpillError
from spillview.layout.cells import text_width
from spillview.layout.folding import Fold
from spillview.model import Range
from spillview.search.hits import Hit, Pattern
from spillview.text import human_count, printable
from spillview.tui.pager.document import Document
from spillview.tui.pager.finder import Finder, Found
from spillview.tui.pager.keys import PAGER_BINDINGS, PAGER_HELP
from spillview.tui.pager.selecting import Selecting
from spillview.tui.pager.signal_search import line_around, next_signal, previous_signal
from spillview.tui.targets import parse_target

STATE_WORDS = {
    "all": "seen",
    "part": "partly seen",
    "none": "never seen",
    "unknown": "unknown whether seen",
}

FILTERING = "filtering"

FROM_TOP, FROM_END = "from the top: ", "from the end: "


class Pager(Selecting):
    """Searches, filters and goes to error-like lines."""

    HELP = PAGER_HELP
    BINDING_GROUP_TITLE = "Pager"
    BINDINGS: ClassVar[list[BindingType]] = PAGER_BINDINGS

    @dataclass
    class SignalFound(Message):
        """The next (or previous) signal line; None when there is none."""

        document: Document
        hit: Hit | None
        step: int
        wrapped: str = ""
        """Said before it where it was found from the other end."""
        error: str | None = None

    def __init__(self, *, of_file: bool = True, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(of_file=of_file, id=id)
        self.finder = Finder(self, "find")
        self.filter = Finder(self, "filter")
        self.hit: Hit | None = None
        """The hit that `n` counts from."""
        self.legible = True
        """Whether it is text, in which error-like lines can be looked for."""
        self._wrapped = ""
        self._direction = 1
        self._step: int | None = None

    def open(
        self,
        document: Document | None,
        *,
        at: int = 0,
        folds: Sequence[Fold] = (),
        lines: int = 0,
    ) -> None:
        """Show a document from byte `at`; what was searched and selected is over."""
        self.finder.clear()
        self.filter.clear()
        self.hit = self.selection = self._anchor = self._step = None
        super().open(document, at=at, folds=folds, lines=lines)
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what does not apply now."""
        if action == "hit":
            found = self.finder
            vain = found.complete and not found.searching and not len(found.hits)
            return found.active and not vain
        if action == "folds":
            return bool(self.folds) and not self.filter.active
        if action == "signal":
            return self.of_file and self.legible
        if action == "follow":
            return self.document is not None and self.document.content.path is not None
        if action == "sideways":
            return not self.wrap
        return True

    def clear(self) -> bool:
        """Take back selection, filter or hits; False when there is none of them."""
        if self.selection is not None:
            self.select(None)
        elif self.filter.active:
            self._unfilter()
        elif self.finder.active:
            self.finder.clear()
            self.hit = None
        else:
            return False
        self.said = ""
        self.redraw()
        self.changed()
        self.refresh_bindings()
        return True

    # -- input -----------------------------------------------------------------------

    def action_ask(self, kind: str) -> None:
        """Ask for a line of input."""
        initial = self.count if kind == "go" else ""
        self.count = ""
        self.post_message(self.Asks(self, kind, initial))

    def answer(self, kind: str, typed: str) -> None:
        """Do what was asked for with what was typed; bad input gets a sentence."""
        if kind == "go":
            try:
                target = parse_target(typed)
            except BadInput as error:
                self.say(str(error))
                return
            self._remember()
            self.go(target)
        elif kind in ("find", "find_back"):
            self.find(Pattern(typed), backwards=kind == "find_back")
        elif kind == "filter":
            self.keep(typed)
        elif kind == "pipe" and typed.strip():
            self.post_message(self.Runs(self, "pipe", typed, self.selection))

    # -- hits ------------------------------------------------------------------------

    def find(self, pattern: Pattern, *, backwards: bool = False) -> None:
        """Search for a pattern from the cursor; an empty one repeats the last."""
        document = self.document
        if document is None:
            return
        self._direction = -1 if backwards else 1
        if not pattern.text:
            self.action_hit(1)
            return
        self._remember()
        self.hit = None
        self._step = self._direction
        begin = self.cursor
        self.finder.begin(document.text, pattern, begin, backwards=backwards)
        self.say("searching")
        self.refresh_bindings()

    def action_hit(self, step: int) -> None:
        """The next hit in the direction of the search, or the one before."""
        if self.finder.active:
            self._step = step * self._direction
            self._seek()

    @on(Worker.StateChanged)
    def _take_crash(self, event: Worker.StateChanged) -> None:
        if event.state is WorkerState.ERROR:
            self.finder.searching = self.filter.searching = False
            reason = f"{type(event.worker.error).__name__}: {event.worker.error}"
            self.say(f"Something went wrong. {reason}")

    @on(Found)
    def _take_hits(self, message: Found) -> None:
        if self.filter.take(message):
            self._show_filtered(message)
        elif self.finder.take(message):
            if message.error is not None:
                self.finder.clear()
                self._step = None
                self.say(message.error)
                self.refresh_bindings()
            elif self._step is not None:
                self._seek()
            self.redraw()
            self.changed()

    def _seek(self) -> None:
        """Go to the hit that is waited for, as soon as it is known."""
        step, found = self._step, self.finder.hits
        if step is None or self.document is None:
            return
        place = self.hit[0] if self.hit is not None else self.cursor
        if step > 0:
            at = found.next(place + 1 if self.hit is not None else place)
            edge = found.high >= self.document.size
        else:
            at = found.previous(place)
            edge = found.low == 0
        wrapped = ""
        if at is None and not edge and self.finder.go_on(backwards=step < 0):
            return
        if at is None and self.finder.searching:
            return
        if at is None and len(found):
            at = 0 if step > 0 else len(found) - 1
            wrapped = FROM_TOP if step > 0 else FROM_END
        self._step = None
        if at is None:
            self.say("no hit")
            self.refresh_bindings()
            return
        self._go_to_hit(at, wrapped)

    def _go_to_hit(self, at: int, wrapped: str) -> None:
        found = self.finder.hits
        assert self.document is not None
        self.hit = (found.starts[at], found.ends[at])
        self._remember()
        self.goto(self.hit[0])
        if not self.wrap:
            self._bring_into_view(self.hit[0])
        self.redraw()
        self._wrapped = wrapped
        self.said = ""
        self.changed()

    def _hit_words(self) -> str:
        """Which hit the cursor is on, of how many, and whether it was seen."""
        found = self.finder.hits
        if self.hit is None or self.document is None:
            return ""
        at = found.next(self.hit[0])
        number = f"{at + 1:,} of " if found.low == 0 and at is not None else "of "
        words = f"{self._wrapped}hit {number}{self.finder.count_words()}"
        if self.of_file:
            words += f" · {STATE_WORDS[self.document.state(*self.hit)]}"
        return words

    def status(self) -> str:
        """The hit that was gone to, else where the cursor is."""
        row, hit = self.cursor_row, self.hit
        if self.said or row is None or hit is None or not row.holds(hit[0]):
            return super().status()
        return self._hit_words()

    def modes(self) -> list[str]:
        """What is not as usual."""
        words = super().modes()
        if self.filter.pattern is not None:
            noun = "hit" if len(self.filter.hits) == 1 else "hits"
            hits = f"{self.filter.count_words()} {noun}"
            words.append(f"&{printable(self.filter.pattern.text)}: {hits}")
        return words

    def _bring_into_view(self, byte: int) -> None:
        """Scroll sideways until the byte's cell is on the screen."""
        row = self.cursor_row
        if row is not None:
            cell = text_width(row.text[: row.index_at(byte)])
            if not self.column <= cell < self.column + self.text_width:
                self.column = max(0, cell - self.text_width // 3)

    # -- the filter ------------------------------------------------------------------

    def keep(self, typed: str) -> None:
        """Show only the lines that match; nothing typed shows all again."""
        if self.document is None:
            return
        if not typed:
            self._unfilter()
            return
        self.filter.begin(self.document.text, Pattern(typed), self.cursor)
        self.only = self.filter.hits.starts
        self.say(FILTERING)
        self.refold()
        self.refresh_bindings()

    def _show_filtered(self, message: Found) -> None:
        if message.error is not None:
            self._unfilter()
            self.say(message.error)
            return
        found = self.filter.hits
        self.only = found.starts
        if self.folding is not None:
            self.folding.only = found.starts
        if message.ended and not len(found):
            self._unfilter()
            self.say("no line matches: all are shown")
            return
        if message.ended and self.said == FILTERING:
            self.say("")
        self.redraw()
        self.goto(self.cursor)

    def _unfilter(self) -> None:
        self.filter.clear()
        self.only = None
        self.refold()
        self.refresh_bindings()

    # -- signals ---------------------------------------------------------------------

    def action_signal(self, step: int) -> None:
        """The next or previous error-like line that the model never saw."""
        document, row = self.document, self.cursor_row
        if document is None or row is None:
            return
        self._remember()
        try:
            start, end = line_around(document, row.start, row.end - 1)
        except SpillError as error:
            self.say(str(error))
            return
        self.say("looking")
        self._look_for_signal(document, end if step > 0 else start, step)

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="signal",
        description="Look for an error-like line",
    )
    def _look_for_signal(self, document: Document, byte: int, step: int) -> None:
        worker = get_current_worker()
        look, end, wrapped = next_signal, 0, FROM_TOP
        if step < 0:
            look, end, wrapped = previous_signal, document.size, FROM_END
        hit, error = None, None
        try:
            hit = look(document, byte, lambda: worker.is_cancelled)
            if hit is not None:
                wrapped = ""
            elif not worker.is_cancelled:
                hit = look(document, end, lambda: worker.is_cancelled)
        except SpillError as failure:
            error = str(failure)
        if not worker.is_cancelled:
            self.post_message(self.SignalFound(document, hit, step, wrapped, error))

    @on(SignalFound)
    def _take_signal(self, message: SignalFound) -> None:
        document = message.document
        if document is not self.document:
            return
        if message.hit is None:
            kind = "error-like line" if document.seen is None else "unseen error"
            self.say(message.error or f"no {kind}")
            return
        self.goto(message.hit[0])
        number = None
        with self.told():
            number = document.index.line_at(message.hit[0])
        line = f"line {human_count(number)} · " if number is not None else ""
        state = STATE_WORDS[document.state(*message.hit)]
        self.say(f"{message.wrapped}{line}{state}")

    # -- drawing ---------------------------------------------------------------------

    def overlays(self, start: int, end: int) -> list[tuple[Range, Style]]:
        """The selection, and the hits over it."""
        shown = super().overlays(start, end)
        for finder in (self.filter, self.finder):
            for hit in finder.hits.touching(start, end):
                name = "hit-now" if hit == self.hit else "hit"
                shown.append((hit, self.style_of(name)))
        return shown
