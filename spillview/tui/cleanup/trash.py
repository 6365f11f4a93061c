"""The trash as a screen: clean-ups that can be put back, or deleted for good."""

from __future__ import annotations

import heapq
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Static
from textual.worker import Worker

from spillview.catalogue.catalogue import Catalogue
from spillview.cleanup.batches import Batch
from spillview.cleanup.expiry import expiry, is_expired
from spillview.cleanup.trash import Emptied, Trash
from spillview.errors import SpillError
from spillview.text import exact_age, human_age, human_bytes, path_text, printable
from spillview.tui import stylesheet
from spillview.tui.breakpoints import take_shape
from spillview.tui.cleanup.keys import TRASH_BINDINGS, TRASH_HELP
from spillview.tui.cleanup.undoing import PutsBack, TrashChanged, sentence
from spillview.tui.confirm import ConfirmScreen
from spillview.tui.failing import Failing
from spillview.tui.footer import Footer
from spillview.tui.home import HomeScreen
from spillview.tui.live_keys import key_of
from spillview.tui.queue.bars import plural, two_ends
from spillview.tui.row_list import RowList
from spillview.tui.runs import Lines, Runs, fit

EMPTY = """\
The trash is empty.

What a clean-up removes is kept here until it is deleted for good.
{back} goes back; from the queue {plan} plans one.
"""


@dataclass(frozen=True, slots=True)
class BatchRow:
    """One clean-up."""

    batch: Batch
    now: float
    keep: float | None = None
    """The `trash_keep` of the settings."""

    @property
    def key(self) -> str:
        """Its name."""
        return self.batch.id

    @property
    def heading(self) -> bool:
        """It is none."""
        return False

    def runs(self, width: int) -> Runs:
        """When, how many files and bytes, and where they lie."""
        batch = self.batch
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(batch.when))
        files = f"{batch.items:,}"
        if batch.items != batch.total:
            files += f" of {batch.total:,}"
        noun = "artifact" if batch.total == 1 else "artifacts"
        runs: Runs = [(" ", ""), (when if batch.when else fit("?", 16), "")]
        age = human_age(self.now - batch.when) if batch.when else ""
        if age and batch.when <= self.now:  # else the clock was put back: `in 1d`
            age += " ago"
        runs += [
            (fit(age, 9, right=True), "dim"),
            (fit(f"{files} {noun}", 18, right=True), "head"),
            (fit(human_bytes(batch.bytes), 11, right=True), "head"),
            ("  ", ""),
        ]
        if self.keep is not None and is_expired(batch, self.keep, self.now):
            runs += [("expired: the next clean-up deletes it", "notice"), ("  ", "")]
        elif self.keep is not None and (goes := expiry(batch, self.keep, self.now)):
            runs += [(f"goes {goes}", "dim"), ("  ", "")]
        if batch.problem is not None:
            runs.append((printable(batch.problem), "never"))
        elif batch.away:
            runs.append((f"{batch.away:,} on a disk that is not there", "unseen"))
        elif batch.open:
            runs.append(("at work", "live"))
        else:
            runs.append((printable(path_text(batch.path)), "dim"))
        return runs


class TrashBar(Lines):
    """What is in the trash altogether."""

    def __init__(self) -> None:
        super().__init__(id="trash-bar")
        self.batches: Sequence[Batch] = ()
        self.doing: str | None = None
        self.keep: float | None = None
        """The `trash_keep` of the settings."""

    def show(
        self, batches: Sequence[Batch], doing: str | None, keep: float | None
    ) -> None:
        """Count these."""
        self.batches, self.doing, self.keep = batches, doing, keep
        self.remake()

    def make(self, width: int, height: int) -> list[Runs]:
        """One line."""
        items = sum(batch.items for batch in self.batches)
        size = human_bytes(sum(batch.bytes for batch in self.batches))
        left: Runs = [(" ", ""), ("trash", "brand"), ("  ", "")]
        left.append((f"{plural(items, 'artifact')} · {size}", "head"))
        if items:
            left.append(("  freed once it is emptied", "dim"))
        right = self.doing
        if right is None and self.keep is not None:
            right = f"kept for {exact_age(self.keep)}"
        return [two_ends(left, [(right, "dim")] if right else [], width)]


NAMED = 200
"""So many files of a clean-up are named at most; no terminal is higher."""


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one clean-up."""

    largest: Sequence[tuple[str, int]] = ()
    """Paths and bytes, the largest first."""
    number: int = 0

    @classmethod
    def of(cls, files: Sequence[tuple[str, int]]) -> Files:
        """Keep the largest of these."""
        largest = heapq.nsmallest(NAMED, files, key=lambda f: (-f[1], f[0]))
        return cls(largest, len(files))


class BatchDetail(Lines):
    """Where the files of the clean-up under the cursor came from."""

    def __init__(self) -> None:
        super().__init__(id="batch")
        self._named = ""
        self.files = Files()

    def show(self, name: str, files: Files) -> None:
        """Show these of a clean-up."""
        self._named, self.files = name, files
        self.remake()

    def make(self, width: int, height: int) -> list[Runs]:
        """The largest, and how many more there are."""
        largest, number = self.files.largest, self.files.number
        fits = number <= height
        lines: list[Runs] = []
        for path, size in largest[: height if fits else height - 1]:
            shown = printable(path_text(path))
            room = max(10, width - 13)
            if len(shown) > room:
                shown = "…" + shown[-(room - 1) :]
            bytes_ = fit(human_bytes(size), 10, right=True)
            lines.append([(bytes_, "dim"), ("  ", ""), (shown, "")])
        if not fits:
            rest = number - height + 1
            more = f"and {rest:,} more of {number:,}"
            more += f"; `spillview trash {self._named}` lists all"
            lines.append([(" " * 12, ""), (more, "dim")])
        return lines


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
            self._state("putting back …")
            self.begin_undo(batch)

    def put_back(self) -> None:
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
        self._empty(ids)

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="clean",
        description="Empty the trash",
    )
    def _empty(self, ids: Sequence[str]) -> None:
        try:
            done = Trash(self.catalogue.places, now=self.catalogue.now).empty(ids)
        except (SpillError, OSError) as error:
            self.post_message(TrashChanged(sentence(error), well=False))
        else:
            self.post_message(self.Freed(done))

    @on(Freed)
    def _take_freed(self, message: Freed) -> None:
        done = message.done
        words = f"{plural(done.items, 'artifact')} deleted, "
        words += f"{human_bytes(done.freed_now)} freed."
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
        """Back."""
        self.dismiss(self.changed)

    def failed(self, worker: Worker[Any], reason: str) -> None:
        """Say so, and be ready for what comes next."""
        super().failed(worker, reason)
        self._state(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what does not apply now."""
        if action in ("undo", "empty"):
            return self.is_mounted and self.chosen is not None
        if action == "empty_all":
            return any(batch.items for batch in self.batches)
        return True
