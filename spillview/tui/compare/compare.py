"""Two runs of the same command side by side: what is new, what is gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical
from textual.message import Message
from textual.worker import Worker, get_current_worker

from spillview.catalogue.catalogue import Catalogue
from spillview.comparison.facts import Comparison, compare
from spillview.comparison.places import Across, folded
from spillview.errors import Cancelled, SpillError
from spillview.layout.folding import Fold
from spillview.model import Artifact
from spillview.text import human_count, printable
from spillview.tui import stylesheet
from spillview.tui.artifact.lines import PaneTitle
from spillview.tui.compare.alignment import Places, aligned
from spillview.tui.compare.compare_with import CompareWithScreen, Offer
from spillview.tui.compare.compared_pager import ComparedPager
from spillview.tui.compare.keys import COMPARE_BINDINGS
from spillview.tui.compare.lines import CompareHead
from spillview.tui.compare.offering import Offering
from spillview.tui.failing import Failing
from spillview.tui.footer import Footer
from spillview.tui.pager.asking import Asking
from spillview.tui.pager.document import Document, open_document
from spillview.tui.pager.viewport import Viewport
from spillview.tui.prompt import Prompt


class CompareScreen(Offering, Asking, Failing):
    """The earlier run at the left, the later one at the right."""

    CSS_PATH = stylesheet("artifact.tcss")
    AUTO_FOCUS = "#after"
    BINDING_GROUP_TITLE = "Compare"
    BINDINGS: ClassVar[list[BindingType]] = COMPARE_BINDINGS
    HELP = """
## Compare

`-` lines are gone, `+` lines are new; what is the same is folded, and side by side it
stands on one line. The gutter shows what the model of each session received. Lines
count whatever their place: one that only moved is marked at both places and counts as
neither.
"""

    head = getters.query_one(CompareHead)
    left = getters.query_one("#before", ComparedPager)
    right = getters.query_one("#after", ComparedPager)
    left_title = getters.query_one("#before-title", PaneTitle)
    right_title = getters.query_one("#after-title", PaneTitle)

    @dataclass
    class Ready(Message):
        """Both were compared, or one cannot be read."""

        generation: int
        found: Comparison | None
        documents: tuple[Document, Document] | None = None
        folds: Sequence[list[Fold]] = ()
        """Of the earlier and of the later one."""
        error: str | None = None

    @dataclass
    class Progress(Message):
        """So many percent of both were compared."""

        generation: int
        share: int

        def can_replace(self, message: Message) -> bool:
            """Only how far it is now counts."""
            return isinstance(message, CompareScreen.Progress)

    def __init__(
        self,
        catalogue: Catalogue,
        before: Artifact,
        after: Artifact,
        among: Sequence[Artifact],
    ) -> None:
        """`among` are the artifacts that others can be chosen from."""
        super().__init__()
        self.catalogue = catalogue
        self.before, self.after = before, after
        self.among = among
        self.plain = False
        self.found: Comparison | None = None
        self.across = Across((), (0, 0))
        self._generation = 0

    def compose(self) -> ComposeResult:
        """Counts and verdicts, two panes, a line of input."""
        yield CompareHead()
        with Container(id="panes"):
            with Vertical(id="before-pane", classes="pane"):
                yield PaneTitle("BEFORE", id="before-title")
                yield ComparedPager("gone", id="before")
            with Vertical(id="after-pane", classes="pane"):
                yield PaneTitle("AFTER", id="after-title")
                yield ComparedPager("new", id="after")
        yield Prompt()
        yield Footer()

    def on_mount(self) -> None:
        """Start comparing."""
        self.prompt.display = False
        self._begin()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing is done while a line is typed; there is nowhere to jump at first."""
        if self.is_mounted and self.prompt.line.has_focus:
            return False
        if action in ("difference", "copy_row"):
            return self.found is not None
        return True

    def _begin(self) -> None:
        self._generation += 1
        self.found = None
        self.head.show(self.before, self.after, None, self.catalogue.now())
        self._compare(self.before, self.after, self.plain, self._generation)
        self.refresh_bindings()

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="compare",
        description="Compare both",
    )
    def _compare(
        self, before: Artifact, after: Artifact, plain: bool, generation: int
    ) -> None:
        worker = get_current_worker()
        shown = -1

        def progress(done: int, total: int) -> None:
            nonlocal shown
            share = 100 * done // max(1, total)
            if share != shown:
                shown = share
                self.post_message(self.Progress(generation, share))

        try:
            known = {a.id: a for a in (before, after)}
            for whole in self.catalogue.complete(
                list(known.values()), cancelled=lambda: worker.is_cancelled
            ):
                known[whole.id] = whole
            before, after = known[before.id], known[after.id]
            found = compare(
                before,
                after,
                plain=plain,
                cancelled=lambda: worker.is_cancelled,
                progress=progress,
            )
            documents = _opened(before), _opened(after)
            sizes = (documents[0].size, documents[1].size)
            across = Across(found.lines.hunks, sizes)
            folds = [
                [Fold(*part) for part in folded(doc.text, across.same(later=later))]
                for doc, later in zip(documents, (False, True), strict=True)
            ]
        except Cancelled:
            return
        except SpillError as error:
            self.post_message(self.Ready(generation, None, error=str(error)))
            return
        self.post_message(self.Ready(generation, found, documents, folds))

    def failed(self, worker: Worker[Any], reason: str) -> None:
        """Say so in the place of what differs."""
        note = f"Comparing failed. {reason}"
        self.head.show(self.before, self.after, None, self.catalogue.now(), note)

    @on(Progress)
    def _show_progress(self, message: Progress) -> None:
        if message.generation == self._generation and self.found is None:
            note = f"comparing both, {message.share}%"
            self.head.show(self.before, self.after, None, self.catalogue.now(), note)

    @on(Ready)
    def _show(self, message: Ready) -> None:
        documents = message.documents
        if message.generation != self._generation or not self.is_attached:
            for document in documents or ():
                document.close()
            return
        if message.found is None or documents is None:
            note = printable(message.error or "They cannot be compared.")
            self.head.show(self.before, self.after, None, self.catalogue.now(), note)
            return
        found = self.found = message.found
        self.before, self.after = found.before, found.after
        hunks = found.lines.hunks
        sizes = (documents[0].size, documents[1].size)
        self.across = Across(hunks, sizes)
        parts = (
            [(h.gone.start, h.gone.end) for h in hunks if h.gone.lines],
            [(h.new.start, h.new.end) for h in hunks if h.new.lines],
        )
        for number, pager in enumerate((self.left, self.right)):
            old = pager.document
            pager.parts = parts[number]
            artifact = (self.before, self.after)[number]
            lines = artifact.counts.lines if artifact.counts is not None else 0
            pager.open(documents[number], folds=message.folds[number], lines=lines)
            if old is not None:
                old.close()
        self.head.show(self.before, self.after, found, self.catalogue.now())
        if hunks:
            # Not before the head has taken its lines: the place depends on the height.
            self.call_after_refresh(self._go_to, self._first())
        self._status()
        self.refresh_bindings()

    # -- going about -------------------------------------------------------------------

    @property
    def pager(self) -> ComparedPager:
        """The side that has the focus, or had it last."""
        return self.left if self.has_class("-before") else self.right

    def action_difference(self, step: int) -> None:
        """To the next or previous difference, on both sides."""
        pager = self.pager
        at = self.across.next(pager.cursor, step, later=pager is self.right)
        if at is None:
            pager.say(self._no_more(step))
        else:
            self._go_to(at)

    def _no_more(self, step: int) -> str:
        total = self.found.lines.hunks_total if self.found is not None else 0
        known = len(self.across.hunks)
        if not total:
            return "there is no difference"
        if step > 0 and known < total:
            return f"{human_count(known)} of {human_count(total)} differences are kept"
        return f"no difference {'after' if step > 0 else 'before'} this one"

    def _first(self) -> int:
        """The difference to open at: the first that tells of errors, else the first."""
        trouble = self.found.lines.trouble if self.found is not None else ()
        if not trouble:
            return 0
        at = self.across.next(trouble[0].line.start, 1, later=True)
        return max(0, (len(self.across.hunks) if at is None else at) - 1)

    def _go_to(self, index: int) -> None:
        hunk = self.across.hunks[index]
        line = max(1, self.right.height // 4)
        self.left.goto(hunk.gone.start, line=line)
        self.right.goto(hunk.new.start, line=line)
        total = self.found.lines.hunks_total if self.found is not None else 0
        note = f"difference {index + 1:,} of {total:,}"
        self.left_title.show(note=note)
        self.right_title.show(note=note)

    def action_side(self) -> None:
        """The same place at the other side."""
        pager = self.pager
        other = self.right if pager is self.left else self.left
        place = self.across.other(pager.cursor, later=pager is self.right)
        other.goto(place, line=pager.cursor_line)
        other.focus()

    def action_times(self) -> None:
        """With or without times and other noise."""
        self.plain = not self.plain
        self._begin()

    def action_other(self) -> None:
        """Choose what to compare with."""

        def chosen(other: Artifact | None) -> None:
            if other is not None:
                self.before = other
                self._begin()

        def choose(offer: Offer) -> None:
            screen = CompareWithScreen(offer, self.catalogue.now())
            self.app.push_screen(screen, chosen)

        self.look_for_runs(self.after, self.among, choose)

    def say_sought(self, words: str) -> None:
        """Tell how far the look for other runs is."""
        self.pager.say(words)

    def action_copy_row(self) -> None:
        """Copy the comparison as JSON."""
        import orjson

        from spillview.comparison.rows import comparison_row

        if self.found is not None:
            row = orjson.dumps(comparison_row(self.found)).decode()
            self.app.copy_to_clipboard(row + "\n")
            self.pager.say("copied as JSON")

    def action_back(self) -> None:
        """Close the line of input, clear hits, else leave."""
        if self.prompt.display:
            self.prompt.display = False
            self.pager.focus()
        elif not (self.stop_looking() or self.pager.clear()):
            self.dismiss(None)

    # -- what the panes tell -----------------------------------------------------------

    def on_descendant_focus(self) -> None:
        """The title of the side with the focus is lit."""
        if self.focused in (self.left, self.right):
            self.set_class(self.focused is self.left, "-before")
            self._follow()

    @on(Viewport.Moved)
    def _follow(self) -> None:
        """The other side follows, line by line."""
        self._align()
        self._status()

    def _align(self) -> None:
        """Draw what is the same in both on one line, while they are side by side."""
        own = self.pager
        both, other = (self.left, self.right), self.left
        if own is self.left:
            other = self.right
        apart = self.has_class("-narrow") or self.found is None
        if apart or not own.rows() or any(each.only is not None for each in both):
            for each in both:
                each.stand(None)
            return
        sides = self._beside(own, other)
        for _ in range(own.height):
            mine = sides[own is self.right]
            line = mine.index(own.cursor_line)
            if line < own.height:
                break
            # What the other side has above the cursor took the room.
            shown = [
                place for place in mine[line - own.height + 1 :] if place is not None
            ]
            own.begin_with(own.rows()[shown[0]].start)
            sides = self._beside(own, other)
        for each, places in zip(both, sides, strict=True):
            each.stand(places)

    def _beside(
        self, own: ComparedPager, other: ComparedPager
    ) -> tuple[Places, Places]:
        """On which lines the rows of both stand from the top of `own` on."""
        other.begin_with(self.across.other(own.top, later=own is self.right))
        differs = (self.left.is_part, self.right.is_part)
        return aligned(self.left.rows(), self.right.rows(), differs, self.across)

    def _status(self) -> None:
        for pager, title in (
            (self.left, self.left_title),
            (self.right, self.right_title),
        ):
            title.show(status=pager.status(), lit=pager is self.pager)


def _opened(artifact: Artifact) -> Document:
    found, counts = artifact.found, artifact.counts
    encoding = counts.encoding if counts is not None else None
    document = open_document(found, root=found.root, encoding=encoding)
    document.set_seen(artifact.link.seen if artifact.link is not None else None)
    return document
