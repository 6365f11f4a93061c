"""The shape of a JSON artifact: its paths in place of its text, on the same cursor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from textual import getters, on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from spillview.content.content import FileContent
from spillview.errors import Cancelled, SpillError
from spillview.model import Artifact, Seen
from spillview.shape import summary
from spillview.shape.outline import Outline, Trail
from spillview.shape.source import Source
from spillview.shape.table import Table
from spillview.shape.teams import processes
from spillview.stored.stored import StoredContent, open_artifact
from spillview.text import path_text, printable
from spillview.tui.artifact.lines import PaneTitle
from spillview.tui.copying import Copying
from spillview.tui.shape.shape_list import PathList, ShapeHead
from spillview.tui.shape.shape_rows import PathRow, path_rows, record_rows, shown


class ShapePane(Vertical):
    """The outline of one artifact, made when it is looked at for the first time."""

    title = getters.query_one("#shape-title", PaneTitle)
    head = getters.query_one(ShapeHead)
    paths = getters.query_one(PathList)

    @dataclass
    class Chosen(Message):
        """A byte of the artifact's file is to be gone to."""

        byte: int

    @dataclass
    class Progress(Message):
        """So many percent of the document were read."""

        generation: int
        share: int

        def can_replace(self, message: Message) -> bool:
            """Only how far it is now counts."""
            return isinstance(message, ShapePane.Progress)

    @dataclass
    class Ready(Message):
        """The outline is there, or there is none."""

        generation: int
        outline: Outline | None
        trail: Trail | None = None
        """Where the cursor of the text is."""
        error: str | None = None

    @dataclass
    class Tabled(Message):
        """A table of records is there."""

        generation: int
        table: Table | None
        error: str | None = None

    def __init__(self) -> None:
        super().__init__(id="shape")
        self.outline: Outline | None = None
        self.table: Table | None = None
        self._artifact: Artifact | None = None
        self._byte = 0
        self._generation = 0
        self._skipped = 0
        """Columns of the table that were passed over."""
        self._file: FileContent | StoredContent | None = None
        self._source: Source | None = None

    def compose(self) -> ComposeResult:
        """Title, summary, paths."""
        yield PaneTitle("SHAPE", id="shape-title")
        yield ShapeHead()
        yield PathList(id="paths")

    def on_unmount(self) -> None:
        """Give the file back."""
        self.forget()

    # -- the outline -----------------------------------------------------------------

    def forget(self) -> None:
        """The artifact is another one, or its content is."""
        self._generation += 1
        self.outline = self.table = self._artifact = None
        self._close()

    def _close(self) -> None:
        if self._source is not None:
            self._source.close()
        if self._file is not None:
            self._file.close()
        self._source = self._file = None

    def open(self, artifact: Artifact, byte: int) -> None:
        """Show the outline of an artifact, its cursor on the path at `byte`."""
        self._byte = byte
        before = self._artifact
        if before is not None and _same(before, artifact):
            if self.outline is not None:
                self._find_path(self._generation)
            return
        self.forget()
        self._artifact = artifact
        self.paths.show([], anew=True)
        self.head.show(["reading all of it"])
        self.title.show(status="0%")
        self._outline(artifact, byte, self._generation)

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="shape",
        description="Outline the document",
    )
    def _outline(self, artifact: Artifact, byte: int, generation: int) -> None:
        found = artifact.found
        told = 0

        def progress(done: int, total: int) -> None:
            nonlocal told
            share = 100 * done // max(1, total)
            if share > told:
                told = share
                self.post_message(self.Progress(generation, share))

        file: FileContent | StoredContent | None = None
        source: Source | None = None
        try:
            file = open_artifact(found, root=found.root)
            source = Source(
                file,
                cancelled=lambda: generation != self._generation,
                team=processes(),
            )
            outline = source.outline(_seen(artifact), progress=progress)
            trail = source.path_at(outline, byte)
        except Cancelled:
            _give_back(source, file)
            return
        except SpillError as error:
            _give_back(source, file)
            self.post_message(self.Ready(generation, None, error=str(error)))
            return
        if generation != self._generation:
            _give_back(source, file)
            return
        self._source, self._file = source, file
        self.post_message(self.Ready(generation, outline, trail))

    @on(Progress)
    def _take_progress(self, message: Progress) -> None:
        if message.generation == self._generation and self.outline is None:
            self.title.show(status=f"{message.share}%")

    @on(Ready)
    def _take_outline(self, message: Ready) -> None:
        if message.generation != self._generation:
            return
        if message.outline is None:
            self.head.show([printable(message.error or "It cannot be read.")])
            self.title.show(status="")
            return
        self.outline = message.outline
        self._show_paths()
        self._put(message.trail)

    def _show_paths(self) -> None:
        outline = self.outline
        if outline is None:
            return
        self.table = None
        columns, rows = path_rows(outline)
        self.head.show(self._told(outline), columns if rows else None)
        self.paths.on_table = False
        self.paths.show(rows, anew=True)
        paths = f"{len(rows):,} paths" if len(rows) != 1 else "1 path"
        self.title.show(name="SHAPE", status=paths)

    def _put(self, trail: Trail | None) -> None:
        """Put the cursor on a path."""
        if self.table is not None:
            self._show_paths()
        rows = self.paths.rows
        for place, row in enumerate(rows):
            if isinstance(row, PathRow) and row.trail == trail:
                self.paths.go(place)
                return

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="shape",
        description="Find the path at the cursor",
    )
    def _find_path(self, generation: int) -> None:
        source, outline = self._source, self.outline
        if source is not None and outline is not None:
            with self._reading(generation):
                trail = source.path_at(outline, self._byte)
                self.post_message(self.Ready(generation, outline, trail))

    @contextmanager
    def _reading(self, generation: int) -> Iterator[None]:
        """What goes wrong is told, unless the artifact was left meanwhile."""
        try:
            yield
        except Cancelled:
            pass
        except SpillError as error:
            self.post_message(self.Tabled(generation, None, str(error)))
        except ValueError:  # what was being read is closed by now
            if generation == self._generation:
                raise

    # -- what can be done ------------------------------------------------------------

    def back(self) -> bool:
        """From the table to the paths; False when they are shown already."""
        if self.table is None:
            return False
        trail = None
        if self.table.by is not None and self.outline and self.outline.records:
            trail = (*self.outline.records.trail, self.table.by)
        self._show_paths()
        self._put(trail)
        return True

    @property
    def jq_path(self) -> str | None:
        """The path under the cursor as jq takes it."""
        row, outline = self.paths.row, self.outline
        if outline is None or not isinstance(row, PathRow):
            return None
        return outline.pasteable(row.facts.path)

    @on(PathList.Asked)
    def _do(self, event: PathList.Asked) -> None:
        row = self.paths.row
        outline = self.outline
        if outline is None:
            return
        if event.what in ("left", "right"):
            self._shift(1 if event.what == "right" else -1)
        elif event.what == "tell":
            self.app.notify("\n".join(self._told(outline)), markup=False, timeout=20)
        elif event.what == "paths":
            self.back()
        elif event.what in ("table", "smallest"):
            self._ask_table(row, smallest=event.what == "smallest")
        elif isinstance(row, PathRow):
            if event.what == "go":
                self._find_place(row.trail, self._generation)
            elif isinstance(self.screen, Copying):
                self.screen.action_copy_menu()

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="shape",
        description="Find the first place of a path",
    )
    def _find_place(self, trail: Trail, generation: int) -> None:
        source, outline = self._source, self.outline
        if source is not None and outline is not None:
            with self._reading(generation):
                places = source.first_places(outline, [trail])
                if trail in places and generation == self._generation:
                    self.post_message(self.Chosen(places[trail][0]))

    def _ask_table(self, row: object, *, smallest: bool) -> None:
        outline = self.outline
        records = outline.records if outline is not None else None
        if records is None:
            self.title.show(status="no objects in an array: there is no table")
            return
        by = None
        if isinstance(row, PathRow) and row.trail[:-1] == records.trail:
            by = row.trail[-1]
        self.title.show(status="choosing records")
        self._make_table(by, smallest, self._generation)

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="shape",
        description="Choose records for a table",
    )
    def _make_table(self, by: str | None, smallest: bool, generation: int) -> None:
        source, outline = self._source, self.outline
        if source is not None and outline is not None:
            with self._reading(generation):
                table = source.table(outline, by=by, smallest=smallest)
                self.post_message(self.Tabled(generation, table))

    @on(Tabled)
    def _take_table(self, message: Tabled) -> None:
        if message.generation != self._generation or self.outline is None:
            return
        table = message.table
        if table is None:
            self.title.show(status=printable(message.error or ""))
            return
        self.table, self._skipped = table, 0
        self._show_records(table, self.outline, anew=True)

    def _told(self, outline: Outline) -> list[str]:
        artifact = self._artifact
        alone = artifact is not None and artifact.modelless
        return summary.head(outline, modelless=alone)

    def _show_records(self, table: Table, outline: Outline, *, anew: bool) -> None:
        title, rows = record_rows(table, self._skipped)
        self.head.show(self._told(outline), title=title)
        self.paths.on_table = True
        self.paths.show(rows, anew=anew)
        self.title.show(name=_table_name(table), status=_table_words(table))

    def _shift(self, step: int) -> None:
        """Pass over one more column of the table, or one less."""
        if self.table is not None and self.outline is not None:
            most = max(0, len(self.table.columns) - 2)
            self._skipped = max(0, min(most, self._skipped + step))
            self._show_records(self.table, self.outline, anew=False)


def _same(before: Artifact, now: Artifact) -> bool:
    """Whether an outline of the one is an outline of the other."""
    return before.found == now.found and _seen(before) == _seen(now)


def _seen(artifact: Artifact) -> Seen | None:
    return artifact.link.seen if artifact.link is not None else None


def _give_back(source: Source | None, file: FileContent | StoredContent | None) -> None:
    if source is not None:
        source.close()
    if file is not None:
        file.close()


def _table_name(table: Table) -> str:
    return f"RECORDS AT {shown(table.path, 60)}"


def _table_words(table: Table) -> str:
    rows, total = len(table.rows), f"{table.total:,}"
    words = f"the first {rows} of {total}"
    if table.by is not None:
        by = printable(path_text(table.by))
        words = f"{rows} of {table.having:,} by {by}"
        words += "" if table.having == table.total else f", of {total} in all"
    if table.left_out:
        words += f", {table.left_out:,} too large"
    return words
