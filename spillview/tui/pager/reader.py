"""A viewport that is read with keys: places, marks, modes, a file that changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events, on, work
from textual.message import Message
from textual.worker import get_current_worker

from spillview.content.content import Change
from spillview.errors import Cancelled, SpillError
from spillview.layout.cells import text_width
from spillview.layout.folding import MIN_WIDTH, Fold
from spillview.text import human_count, printable
from spillview.tui.live_keys import key_of
from spillview.tui.pager.document import Document
from spillview.tui.pager.viewport import ESCAPES, STEP, Viewport
from spillview.tui.targets import Target
from spillview.tui.told import Told

INDEX_STEP = 8 << 20
"""Bytes that are indexed between two looks at whether to stop."""

POLL_SECONDS = 1.0
"""The file is looked at this often for growth, truncation and replacement."""

ESCAPE_WORDS = {
    "shown": "escapes shown",
    "hidden": "escapes hidden",
    "colour": "escapes as colours",
}


class FromReader(Told):
    """What a reader tells."""

    reader: Reader

    @property
    def control(self) -> Reader:
        """The reader that sent it."""
        return self.reader


class Reader(Viewport):
    """Goes to lines, percentages, bytes and marks; indexes lines while it is read."""

    class Asks(FromReader):
        """A line of input is needed; the answer goes to the reader's `answer`."""

        kind: str
        """`find`, `find_back`, `filter`, `go` or `pipe`."""
        initial: str = ""

    class Changed(FromReader):
        """The file changed in a way that needs it to be opened anew."""

        change: Change

    class Indexed(Told):
        """Line numbers are known further than before."""

        document: Document
        error: str | None = None

        def can_replace(self, message: Message) -> bool:
            """Only the newest state of the same document counts."""
            if not isinstance(message, Reader.Indexed):
                return False
            return message.document is self.document

    def __init__(self, *, of_file: bool = True, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(of_file=of_file, id=id)
        if not of_file:
            # The envelope is shown as it was received.
            self.returns = "raw"
        self.said = ""
        """The last thing to be told, until the next key."""
        self.follow = False
        self.count = ""
        """Digits typed so far."""
        self._waiting: str | None = None
        self._marks: dict[str, int] = {}
        self._wanted: Target | None = None
        self._told: tuple[Document, Change] | None = None

    # -- the document ----------------------------------------------------------------

    def open(
        self,
        document: Document | None,
        *,
        at: int = 0,
        folds: Sequence[Fold] = (),
        lines: int = 0,
    ) -> None:
        """Show a document from byte `at` and begin to index its lines."""
        self._marks.clear()
        self._wanted = None
        self.count = self.said = ""
        self.show(document, at=at, folds=folds, lines=lines)
        if document is not None and not document.index.complete:
            self.call_after_refresh(self._begin_index, document)

    def _begin_index(self, document: Document) -> None:
        """Index what is still shown, once it was drawn: drawing waits for no thread."""
        if document is self.document and not document.index.complete:
            self._index(document)

    def on_mount(self) -> None:
        """Look at the file now and then."""
        self.set_interval(POLL_SECONDS, self.poll)

    def on_unmount(self) -> None:
        """Give the file back."""
        if self.document is not None:
            self.document.close()

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="index",
        description="Find where lines begin",
    )
    def _index(self, document: Document) -> None:
        worker = get_current_worker()
        error = None
        try:
            while not worker.is_cancelled and not document.index.complete:
                with document.lock:
                    document.index.extend(
                        INDEX_STEP, cancelled=lambda: worker.is_cancelled
                    )
                self.post_message(self.Indexed(document))
        except Cancelled:
            return
        except SpillError as failure:
            error = str(failure)
        self.post_message(self.Indexed(document, error))

    @on(Indexed)
    def _take_index(self, message: Indexed) -> None:
        if message.document is not self.document:
            return
        wanted = self._wanted
        if wanted is not None:
            self._wanted = None
            self.go(wanted)
        if message.error is not None:
            self.say(message.error)
        width = max(MIN_WIDTH, self.text_width)
        if self.folding is not None and self.folding.width != width:
            self.refold()
        self.redraw()
        self.changed()

    def poll(self) -> None:
        """Take in what was appended; tell of anything worse."""
        document = self.document
        if document is None:
            return
        try:
            change = document.change()
            if change is None:
                return
            if change == "grown" and document.grow():
                self._grown(document)
                return
        except SpillError as error:
            self.say(str(error))
            return
        if self._told != (document, change):
            self._told = (document, change)
            self.post_message(self.Changed(self, change))

    def _grown(self, document: Document) -> None:
        if self.folding is not None:
            self.folding.forget()
        self._index(document)
        self.redraw()
        if self.follow:
            self.to_end()
        else:
            self.changed()

    def say(self, text: str) -> None:
        """Tell something in the pane's title until the next key."""
        self.said = printable(text)
        self.tell()

    def status(self) -> str:
        """Where the cursor is, or the last thing to be told, for the pane's title."""
        if self.count:
            return self.count
        if self.said:
            return self.said
        document = self.document
        if document is None or not document.size:
            return ""
        row = self.cursor_row
        if document.beginning:
            return "the beginning: the rest is being transcribed"
        end = row.end if row is not None else self.cursor
        words = [f"{100 * end // document.size}%"]
        if row is not None and row.continuation:
            words.append(f"byte {human_count(self.cursor)}")
        line = None
        with self.told():
            line = document.index.line_at(self.cursor)
        if line is not None:
            of = f" of {human_count(document.index.lines)}"
            of = of if document.index.complete else ""
            words.insert(0, f"line {human_count(line)}{of}")
        return " · ".join([*words, *self.modes()])

    def modes(self) -> list[str]:
        """What is not as usual."""
        words = []
        if not self.wrap:
            words.append("no wrap")
        if self.escapes != "shown":
            words.append(ESCAPE_WORDS[self.escapes])
        if self.returns == "raw" and self.of_file:
            words.append("all frames")
        if self.bare:
            words.append("credentials bare")
        if self.follow:
            words.append("follows")
        return words

    # -- keys ------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """Digits are collected for the next key; a letter may name a mark."""
        self.said = ""
        if self._waiting is not None:
            event.stop()
            event.prevent_default()
            self._take_letter(event)
        elif event.character is not None and event.character in "0123456789":
            event.stop()
            if len(self.count) < 18 and (self.count or event.character != "0"):
                self.count += event.character
            self.tell()
        elif self.count and event.key == "escape":
            event.stop()
            self._take_count()
            self.tell()

    def _take_count(self) -> int | None:
        count, self.count = self.count, ""
        return int(count) if count else None

    def move(self, rows: int) -> None:
        """Move by rows; going up ends following."""
        self.follow = self.follow and rows > 0
        super().move(rows)

    def action_move(self, step: int) -> None:
        """Down or up by a row, or by as many as were typed before."""
        self.move(step * min(self._take_count() or 1, 100_000))

    def action_page(self, pages: float) -> None:
        """A screen (less a row), or half of one."""
        rows = max(1, int((self.height - 1) * abs(pages)))
        rows *= min(self._take_count() or 1, 1000)
        self.move(rows if pages > 0 else -rows)

    def action_top(self) -> None:
        """The top, or the line typed before."""
        self._jump_or(lambda: self.goto(0, line=0, unfold=False))

    def action_bottom(self) -> None:
        """The end, or the line typed before."""
        self._jump_or(self.to_end)

    def _jump_or(self, otherwise: Callable[[], None]) -> None:
        count = self._take_count()
        self._remember()
        if count is not None:
            self.go(Target("line", count))
        else:
            otherwise()

    def action_percent(self) -> None:
        """The percentage typed before."""
        count = self._take_count()
        if count is None:
            self.post_message(self.Asks(self, "go"))
        else:
            self._remember()
            self.go(Target("percent", min(count, 100)))

    def action_enter(self) -> None:
        """Unfold the fold under the cursor; else a row down."""
        row = self.cursor_row
        if row is not None and row.fold is not None:
            self.toggle_fold(row.fold)
        else:
            self.action_move(1)

    def action_folds(self) -> None:
        """Open every fold; when all are open, close them."""
        every = set(self.folds)
        self.opened = set() if self.opened >= every else every
        self.refold()

    def action_sideways(self, steps: int) -> None:
        """Scroll long lines sideways."""
        steps *= self._take_count() or 1
        widest = max((text_width(row.text) for row in self.rows()), default=0)
        column = max(0, self.column + steps * STEP)
        self.column = min(column, max(0, widest - 1) // STEP * STEP)
        self.redraw()
        self.changed()

    def action_wrap(self) -> None:
        """Wrap long lines, or scroll them sideways."""
        self.wrap, self.column = not self.wrap, 0
        self.refold()
        self.refresh_bindings()
        self.say("long lines wrap" if self.wrap else "long lines go on at the right: →")

    def action_bare(self) -> None:
        """Credentials as stars, or as they are."""
        self.bare = not self.bare
        self.refold()
        hides = f"credentials as they are: {key_of(self, 'pager.bare')} hides them"
        self.say(hides if self.bare else "credentials as stars")

    def action_escapes(self) -> None:
        """Escapes as pictures, left out, or as colours."""
        at = ESCAPES.index(self.escapes)
        self.escapes = ESCAPES[(at + 1) % len(ESCAPES)]
        self.refold()
        self.say(ESCAPE_WORDS[self.escapes])

    def action_returns(self) -> None:
        """Progress bars as their last frame, or every frame."""
        self.returns = "raw" if self.returns == "final" else "final"
        self.refold()
        final = self.returns == "final"
        self.say("progress bars: last frame" if final else "progress bars: all frames")

    def action_follow(self) -> None:
        """Stay at the end of a growing file."""
        self.follow = not self.follow
        if self.follow:
            self.poll()
            self.to_end()
        self.say("follows the end" if self.follow else "follows no longer")

    # -- places ----------------------------------------------------------------------

    def _remember(self) -> None:
        self._marks["'"] = self.cursor

    def action_await_key(self, kind: str) -> None:
        """The next key names a mark."""
        self._waiting = kind
        self.say("mark: a letter" if kind == "mark" else "go to mark: a letter")

    def _take_letter(self, event: events.Key) -> None:
        kind, self._waiting = self._waiting, None
        letter = "'" if event.key == "apostrophe" else event.character
        if letter is None or not letter.isprintable():
            self.say("no mark")
        elif kind == "mark":
            self._marks[letter] = self.cursor
            self.say(f"marked {letter}")
        elif letter in self._marks:
            byte = self._marks[letter]
            self._remember()
            self.goto(byte, unfold=False)
        else:
            self.say(f"no mark {letter}")

    def go(self, target: Target) -> None:
        """Go to a place; a line or char that is not known yet is waited for."""
        document = self.document
        if document is None or not document.size:
            return
        with self.told():
            self._go(document, target)

    def _go(self, document: Document, target: Target) -> None:
        index = document.index
        if target.unit == "percent":
            byte = int(document.size * target.value / 100)
            self.goto(byte, line=0)
            return
        number = int(target.value)
        place: int | None = number
        if target.unit == "line":
            place = index.line_start(number)
        elif target.unit == "char":
            place = index.char_start(number)
        if place is None and not index.complete:
            self._wanted = target
            self.say(f"counting, goes to {target.unit} {human_count(number)} then")
        elif place is None or place >= document.size:
            self.to_end()
            last = {"line": index.lines, "char": index.chars, "byte": document.size}
            self.say(f"it ends at {target.unit} {human_count(last[target.unit])}")
        else:
            self.goto(place)
