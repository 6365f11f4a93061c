"""The envelope beside the full output: opened, looked up, kept up with the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from textual import getters, on, work
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.message import Message
from textual.widgets import Static
from textual.worker import get_current_worker

from spillview.catalogue.catalogue import Catalogue
from spillview.errors import SpillError
from spillview.model import Artifact, Range, Seen
from spillview.search.hits import Pattern
from spillview.secrets.showing import edge_pieces
from spillview.seen.endings import ending_line
from spillview.seen.envelope import EnvelopeFacts
from spillview.text import printable
from spillview.tui import stylesheet
from spillview.tui.artifact import outside
from spillview.tui.artifact.lines import Header, NextStrip, PaneTitle, Place
from spillview.tui.breakpoints import take_shape
from spillview.tui.failing import Failing
from spillview.tui.footer import Footer
from spillview.tui.pager.asking import Asking
from spillview.tui.pager.document import Document, from_text
from spillview.tui.pager.gaps import Counterparts, counterparts, gap_folds
from spillview.tui.pager.opening import as_it_is_now, first_lines, opened
from spillview.tui.pager.pager import Pager
from spillview.tui.pager.reader import Reader
from spillview.tui.pager.selecting import Selecting
from spillview.tui.pager.viewport import Viewport
from spillview.tui.prompt import Prompt
from spillview.tui.queue.members import Changing
from spillview.tui.review.note import Notes

TRANSCRIBED_AT_ONCE = 4 << 20
"""UTF-16 above this size is transcribed in a worker."""

CHANGES = {
    "truncated": "The file was truncated: what is left of it was opened again.",
    "replaced": "Another file took its place and was opened.",
    "deleted": "The file was deleted. What is shown is what the open file still holds.",
    "touched": "The file was written again and was opened anew.",
    "grown": "The file grew and was opened anew.",
}


class Panes(Asking, Failing):
    """Two panes on one artifact of a list, and the lines around them."""

    CSS_PATH = stylesheet("artifact.tcss")
    AUTO_FOCUS = "#full"

    header = getters.query_one("#header", Header)
    strip = getters.query_one("#next", NextStrip)
    full = getters.query_one("#full", Pager)
    envelope = getters.query_one("#envelope", Pager)
    full_title = getters.query_one("#full-title", PaneTitle)
    envelope_title = getters.query_one("#envelope-title", PaneTitle)
    message = getters.query_one("#message", Static)
    wordless = getters.query_one("#wordless", Static)

    @dataclass
    class Opened(Message):
        """The text of an artifact is ready, or it cannot be read."""

        generation: int
        document: Document | None
        error: str | None = None

    @dataclass
    class Known(Message):
        """Everything is counted and linked, and the envelope was read."""

        generation: int
        artifact: Artifact
        facts: EnvelopeFacts | None
        error: str | None = None

    def __init__(
        self,
        catalogue: Catalogue,
        artifacts: Sequence[Artifact],
        index: int,
        *,
        at: Range | None = None,
        pattern: Pattern | None = None,
    ) -> None:
        """`artifacts` are in the queue's order; `at` is a hit to open at.

        It is one of `pattern`, whose further hits `n` then goes to.
        """
        super().__init__()
        self.catalogue = catalogue
        self.artifacts = Changing(artifacts)
        self.index = index
        self.notes = Notes(catalogue)
        self.facts: EnvelopeFacts | None = None
        self.pairs = Counterparts()
        self._at, self._pattern = at, pattern
        self._generation = 0

    @property
    def artifact(self) -> Artifact:
        """The artifact that is shown."""
        return self.artifacts[self.index]

    @property
    def pager(self) -> Pager:
        """The pane that has the focus, or had it last."""
        return self.envelope if self.has_class("-envelope") else self.full

    @property
    def whole(self) -> Document | None:
        """The artifact's text, once all of it can be shown."""
        document = self.full.document
        return None if document is None or document.beginning else document

    def compose(self) -> ComposeResult:
        """Header, two panes, what followed, a line of input, footer."""
        take_shape(self)
        yield Header()
        with Container(id="panes"):
            with Vertical(id="envelope-pane", classes="pane"):
                yield PaneTitle("ENVELOPE", id="envelope-title")
                yield Static(id="wordless", markup=False)
                yield Pager(of_file=False, id="envelope")
            with Vertical(id="full-pane", classes="pane"):
                yield PaneTitle("OUTPUT AS CAPTURED", id="full-title")
                yield Static(id="message", markup=False)
                yield Pager(id="full")
        yield NextStrip()
        yield Prompt()
        yield Footer()

    def on_mount(self) -> None:
        """Open the first artifact."""
        self.prompt.display = False
        self._open()

    # -- opening ---------------------------------------------------------------------

    def _close(self) -> None:
        for pager in self.query(Pager):
            document = pager.document
            pager.open(None)
            if document is not None:
                document.close()

    def _open(self) -> None:
        """Show the artifact at `index`: at once what is known, the rest when it is."""
        self._generation += 1
        self.facts, self.pairs = None, Counterparts()
        self._close()
        self.remove_class("-envelope", "-unread", "-wordless")
        artifact = self.artifact
        self.set_class(not _has_envelope(artifact), "-orphan")
        self._show_lines()
        self.envelope_title.show(note="", status="", lit=False)
        self.full_title.show(name=_output_name(artifact, None))
        self.full.legible = _is_legible(artifact)
        encoding = artifact.counts.encoding if artifact.counts is not None else None
        wide = encoding is None or encoding.startswith("utf-16")
        if wide and artifact.found.size > TRANSCRIBED_AT_ONCE:
            beginning = first_lines(artifact)
            if beginning is not None:
                self._take_text(self.Opened(self._generation, beginning))
            # What transcribes all of it would keep the first paint waiting.
            self.call_after_refresh(self._read, artifact, self._generation)
        else:
            self._take_text(self.Opened(self._generation, *opened(artifact)))
        # The first paint waits for nothing that reads more than it shows.
        self.call_after_refresh(self._look_up, artifact, self._generation)
        self.full.focus()
        self.refresh_bindings()

    def _show_lines(self) -> None:
        place = Place(self.index, len(self.artifacts))
        self.header.show(self.artifact, self.facts, place, self.catalogue.now())
        self.strip.show(self.artifact, self.notes.of(self.artifact))

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="text",
        description="Open the artifact's text",
    )
    def _read(self, artifact: Artifact, generation: int) -> None:
        if generation == self._generation:
            self.post_message(self.Opened(generation, *opened(artifact)))

    @on(Opened)
    def _take_text(self, message: Opened) -> None:
        document = message.document
        if message.generation != self._generation or not self.is_attached:
            if document is not None:
                document.close()
            return
        if document is None:
            self._show_message(message.error or "It cannot be read.")
            return
        if document.beginning:
            self.full.open(document)
            return
        if not document.size:
            self._show_message("It is empty: 0 bytes.")
        before = self.full.document
        moved = self.full.cursor if before is not None and before.beginning else 0
        artifact = self.artifact
        lines = artifact.counts.lines if artifact.counts is not None else 0
        at, folds = 0, []
        with self.full.told():
            document.tell(artifact)
            at, folds = self._place(document), gap_folds(document)
        self.full.open(document, at=moved or at, folds=folds, lines=lines)
        if before is not None:
            before.close()
        if self._at is not None and self._pattern is not None:
            self.full.find(self._pattern)
        self._at = None
        if before is not None:
            self._show_envelope()  # its places in the text are known only now

    def _place(self, document: Document) -> int:
        """Where to open: at a hit, else at what it concludes, else at the top."""
        if self._at is not None:
            return document.to_text(self._at[0])
        return self._first_place(document)

    def _first_place(self, document: Document) -> int:
        line = ending_line(self.artifact)
        return document.to_text(line.start) if line is not None else 0

    def _show_message(self, sentence: str) -> None:
        self.message.update(printable(sentence))
        self.add_class("-unread")

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="facts",
        description="Count, link and read the envelope",
    )
    def _look_up(self, artifact: Artifact, generation: int) -> None:
        worker = get_current_worker()
        facts, error = None, None
        try:
            for known in self.catalogue.complete(
                [artifact], cancelled=lambda: worker.is_cancelled
            ):
                artifact = known
            if artifact.found.type == "file":
                facts = self.catalogue.envelope(artifact)
        except SpillError as failure:
            error = str(failure)
        if not worker.is_cancelled:
            self.post_message(self.Known(generation, artifact, facts, error))

    @on(Known)
    def _take_facts(self, message: Known) -> None:
        if message.generation != self._generation:
            return
        before = self.artifact
        self.facts = message.facts
        artifact = replace(message.artifact, reviewed=before.reviewed)
        self.artifacts[self.index] = artifact
        self.full_title.show(name=_output_name(artifact, self.facts))
        self.full.legible = _is_legible(artifact)
        self.set_class(not _has_envelope(artifact), "-orphan")
        self._show_lines()
        document = self.whole
        if document is not None and before.link != artifact.link:
            with self.full.told():
                document.tell(artifact)
                self.full.folds = gap_folds(document)
                self.full.refold()
                if self.full.top == 0:
                    self.full.goto(self._place(document))
        self._show_envelope()
        self.refresh_bindings()

    def _show_envelope(self) -> None:
        """The envelope's exact text; of further records what they showed below it."""
        shown = self.facts.shown if self.facts is not None else ()
        if not shown:
            return
        first = shown[0].text
        if first is None:
            self.wordless.update(printable(shown[0].why))
            self.add_class("-wordless")
            return
        parts = [first]
        for more in shown[1:]:
            if more.text is not None:
                place = f"record {more.mention.record:,}, {more.mention.place}"
                parts.append(f"\n\n──── given again: {place} ────\n{more.text}")
        document = from_text("".join(parts), pieces=edge_pieces(self.artifact))
        full = self.whole
        if full is not None and shown[0].seen is not None:
            text = document.content.pread(0, document.size)
            ranges = [
                (full.to_text(a), full.to_text(b)) for a, b in shown[0].seen.ranges
            ]
            with self.full.told():
                self.pairs = counterparts(text, full, ranges)
            document.seen = Seen(self.pairs.ranges)
        self.envelope.open(document)
        given = shown[0].mention.given
        note = (
            f"{len(first):,} chars" if given else "in the log, not given to the model"
        )
        self.envelope_title.show(note=note, lit=self.has_class("-envelope"))

    # -- what the panes tell -----------------------------------------------------------

    @on(Viewport.Moved)
    def _show_status(self, event: Viewport.Moved) -> None:
        pager = event.viewport
        if isinstance(pager, Pager):
            title = self.full_title if pager is self.full else self.envelope_title
            title.show(status=pager.status(), lit=pager is self.pager)

    def on_descendant_focus(self) -> None:
        """The title of the pane with the focus is lit."""
        if self.focused in (self.full, self.envelope):
            self.set_class(self.focused is self.envelope, "-envelope")
            self.full_title.show(lit=self.focused is self.full)
            self.envelope_title.show(lit=self.focused is self.envelope)

    @on(Selecting.Runs)
    def _run(self, event: Selecting.Runs) -> None:
        reader = event.reader
        document = reader.document
        if document is None:
            return
        if event.kind == "pipe":
            part = event.part or (0, document.size)
            text = document.shown(bare=reader.bare)
            outcome = outside.pipe(self.app, text, part, event.command)
        else:
            line = document.index.line_at(reader.cursor)
            outcome = outside.open_with(self.app, event.kind, document.content, line)
        self.app.refresh(layout=True)
        if outcome.sentence:
            reader.say(outcome.sentence)

    @on(Reader.Changed)
    def _reopen(self, event: Reader.Changed) -> None:
        self.notify(CHANGES[event.change], severity="warning", markup=False)
        old = self.full.document
        if event.change == "deleted" or old is None:
            return
        artifact = self.artifacts[self.index] = as_it_is_now(self.artifact)
        self._show_lines()
        document, error = opened(artifact)
        cursor = self.full.cursor
        if document is None:
            self._show_message(error or CHANGES["deleted"])
            return
        # What was counted and seen was another content: it is looked up again.
        self._look_up(artifact, self._generation)
        self.remove_class("-unread")
        self.full.open(document, at=cursor, folds=gap_folds(document))
        old.close()


def _has_envelope(artifact: Artifact) -> bool:
    return artifact.envelope is not None and artifact.found.type == "file"


def _is_legible(artifact: Artifact) -> bool:
    """Whether it has text, as far as is known."""
    if artifact.found.type != "file" or not artifact.found.size:
        return False
    return artifact.counts is None or artifact.counts.kind not in ("binary", "image")


def _output_name(artifact: Artifact, facts: EnvelopeFacts | None) -> str:
    """Full only where the notice's own claim agrees with what is there.

    Even then it is what was captured: a harness may have dropped bytes before.
    """
    if "partial" in artifact.flags:
        return "PARTIAL OUTPUT"
    if facts is not None and facts.agrees:
        return "FULL OUTPUT AS CAPTURED"
    return "OUTPUT AS CAPTURED"
