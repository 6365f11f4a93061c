"""The trash as a screen: clean-ups that can be put back, or deleted for good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any, ClassVar

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Static
from textual.worker import Worker

from spillview.catalogue.catalogue import Catalogue
from spillview.cleanup.batches import Batch
from spillview.cleanup.trash import Emptied, Trash
from spillview.errors import SpillError
from spillview.text import human_bytes, path_text, printable
from spillview.tui import stylesheet
from spillview.tui.breakpoints import take_shape
from spillview.tui.cleanup.batch_list import BatchDetail, BatchRow, Files, TrashBar
from spillview.tui.cleanup.keys import TRASH_BINDINGS, TRASH_HELP
from spillview.tui.cleanup.undoing import PutsBack, TrashChanged, sentence
from spillview.tui.confirm import ConfirmScreen
from spillview.tui.failing import Failing
from spillview.tui.footer import Footer
from spillview.tui.home import HomeScreen
from spillview.tui.live_keys import key_of
from spillview.tui.queue.bars import plural
from spillview.tui.row_list import RowList

EMPTY = """\
The trash is empty.

What a clean-up removes is kept here until it is deleted for good.
{back} goes back; from the queue {plan} plans one.
"""


class TrashScreen(PutsBack, Failing):
    """Every clean-up in the trash; dismissed with whether anything changed."""

    CSS_PATH = stylesheet("cleanup.tcss")
    BINDING_GROUP_TITLE = "Trash"
    HELP = TRASH_HELP
    AUTO_FOCUS = "#batches"
    BINDINGS: ClassVar[list[BindingType]] = TRASH_BINDINGS

    bar = getters.query_one("#trash-bar", TrashBar)
    batch_list = getters.query_one("#batches", RowList)
    detail = getters.query_one("#batch", BatchDetail)
    blank = getters.query_one("#no-batches", Static)

    @dataclass
    class Looked(Message):
        """What is in the trash."""

        batches: list[Batch]
        contents: dict[str, Files]
        settled: list[str]
        error: str | None = None

    @dataclass
    class Freed(Message):
        """Files were deleted for good."""

        done: Emptied
        stopped: bool
        """Whether it was told to stop: the rest is in the trash yet."""

    def __init__(self, catalogue: Catalogue) -> None:
        super().__init__()
        self.catalogue = catalogue
        self.batches: list[Batch] = []
        self.contents: dict[str, Files] = {}
        self.changed = False
        self._doing: str | None = None

    def compose(self) -> ComposeResult:
        """Sums, clean-ups, the files of one, footer."""
        take_shape(self)
        yield TrashBar()
        yield RowList(id="batches")
        yield Static(id="no-batches", markup=False)
        yield BatchDetail()
        yield Footer()

    def on_mount(self) -> None:
        """Look at once."""
        self.blank.display = False
        self.action_reload()

    def _state(self, doing: str | None) -> None:
        self._doing = doing
        self.bar.show(self.batches, doing, self.catalogue.settings.trash_keep)
        self.refresh_bindings()

    # -- looking -------------------------------------------------------------------

    def action_reload(self) -> None:
        """Look into the trash again."""
        self._state("looking …")
        self._look()

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="look",
        description="Look into the trash",
    )
    def _look(self) -> None:
        trash = Trash(self.catalogue.places, now=self.catalogue.now)
        contents: dict[str, Files] = {}
        batches: list[Batch] = []
        error = None
        try:
            trash.settle()
            batches = trash.batches()
            for batch in batches:
                if batch.problem is None:
                    contents[batch.id] = Files.of(trash.contents(batch.id))
        except (SpillError, OSError) as failure:
            error = sentence(failure)
        self.post_message(self.Looked(batches, contents, trash.settled, error))

    @on(Looked)
    def _take_look(self, message: Looked) -> None:
        self.batches, self.contents = message.batches, message.contents
        for words in message.settled:
            self.notify(printable(words), title="Settled", timeout=12, markup=False)
        now = self.catalogue.now()
        self.batch_list.display = bool(self.batches)
        self.detail.display = bool(self.batches)
        self.blank.display = not self.batches
        self.blank.update(message.error or self._nothing())
        keep = self.catalogue.settings.trash_keep
        self.batch_list.show([BatchRow(batch, now, keep) for batch in self.batches])
        if not self.batches:
            self.detail.show("", Files())
        self._state(None)

    def _nothing(self) -> str:
        """What to do where there is nothing to put back."""
        queue = self.app.screen_stack[0]
        plan = key_of(queue, "home.cleanup") if isinstance(queue, HomeScreen) else "D"
        return EMPTY.format(plan=plan, back=key_of(self, "trash.back"))

    @on(RowList.Highlighted)
    def _highlight(self) -> None:
        row = self.batch_list.row
        key = row.key if row is not None else ""
        self.detail.show(key, self.contents.get(key, Files()))

    @property
    def chosen(self) -> Batch | None:
        """The clean-up under the cursor."""
        row = self.batch_list.row
        return row.batch if isinstance(row, BatchRow) else None

    # -- putting back --------------------------------------------------------------

    def action_undo(self) -> None:
        """Put this clean-up's files back."""
        if self.chosen is not None:
            self.undo_cleanup(self.chosen.id)

    def undo_cleanup(self, batch: str | None) -> None:
        """Put a clean-up back, in a worker."""
        if self._doing is None:
            self.start_undo(batch)

    def say_pace(self, words: str) -> None:
        """At the right end of the bar."""
        self._state(words)

    def put_back(self, left: str | None) -> None:
        """Look again."""
        self.changed = True
        self.action_reload()

    # -- deleting ------------------------------------------------------------------

    def action_empty(self) -> None:
        """Delete this clean-up's files for good."""
        if self.chosen is not None:
            self._ask([self.chosen])

    def action_empty_all(self) -> None:
        """Delete everything in the trash for good."""
        self._ask([batch for batch in self.batches if batch.problem is None])

    def _ask(self, batches: Sequence[Batch]) -> None:
        items = sum(batch.items for batch in batches)
        if not items or self._doing is not None:
            return
        size = human_bytes(sum(batch.bytes for batch in batches))
        ids = [batch.id for batch in batches]
        self.app.push_screen(
            ConfirmScreen(
                f"Delete {plural(items, 'artifact')} ({size}) for good?",
                "This frees the disk and cannot be undone.",
                "Delete for good",
                final=True,
            ),
            lambda yes: self._empty_begin(ids) if yes else None,
        )

    def _empty_begin(self, ids: Sequence[str]) -> None:
        self._state("deleting …")
        self._empty(ids, self.begin_work())

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="clean",
        description="Empty the trash",
    )
    def _empty(self, ids: Sequence[str], work: Event) -> None:
        trash = Trash(self.catalogue.places, now=self.catalogue.now)
        try:
            done = trash.empty(
                ids, progress=self.paced("deleted", work), cancelled=work.is_set
            )
        except (SpillError, OSError) as error:
            self.post_message(TrashChanged(sentence(error), well=False))
        else:
            self.post_message(self.Freed(done, work.is_set()))

    @on(Freed)
    def _take_freed(self, message: Freed) -> None:
        self.end_work()
        done = message.done
        words = f"{plural(done.items, 'artifact')} deleted, "
        words += f"{human_bytes(done.freed_now)} freed."
        if message.stopped:
            words = f"Stopped. {words} What is listed here is still in the trash."
        self.notify(words, markup=False)
        if done.failed:
            path, why = done.failed[0]
            name = printable(path_text(path.rpartition("/")[2]))
            rest = len(done.failed) - 1
            more = f" and {rest:,} more" if rest else ""
            words = f"{name}{more}: {printable(why)}."
            self.notify(words, severity="warning", markup=False)
        self.changed = True
        self.action_reload()

    def action_leave(self) -> None:
        """Back; what is at work is stopped between two artifacts, and told of."""
        if not self.is_at_work:
            self.dismiss(self.changed)
        else:
            self.stop_work()

    def failed(self, worker: Worker[Any], reason: str) -> None:
        """Say so, and be ready for what comes next."""
        super().failed(worker, reason)
        self.end_work()
        self._state(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what does not apply now."""
        if action in ("undo", "empty"):
            return self.is_mounted and self.chosen is not None
        if action == "empty_all":
            return any(batch.items for batch in self.batches)
        return True
