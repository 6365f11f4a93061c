"""A spill that is written as its bytes come.

Its sidecar is there before it and calls it partial; `commit` alone takes that back. So
whenever the process ends, by whatever, the file is absent, whole, or marked partial.

Nothing is flushed to the disk itself unless the store is asked to be durable: what a
killed process wrote is safe without, and after a power cut the sidecar's size and
digest tell a file that lost its end from a whole one.
"""

from __future__ import annotations

import os
from contextlib import suppress
from types import TracebackType
from typing import Any

from spillview.content.codepoints import whole
from spillview.own_files import unwritable
from spillview.store import sidecars
from spillview.store.caps import Caps
from spillview.store.files import StoreDisk, shown
from spillview.store.hints import hint
from spillview.store.names import sidecar as sidecar_name
from spillview.store.seam import (
    SpillFacts,
    SpillFailed,
    SpillFull,
    SpillRef,
)
from spillview.store.tally import Tally

Buffer = bytes | bytearray | memoryview


class SpillWriter:
    """An open spill: `write` as often as needed, then `commit` or `abort`.

    For one thread at a time. Left without either (a `with` block that an exception
    ends, a killed process) it keeps what had arrived, marked partial.
    """

    def __init__(
        self,
        disk: StoreDisk,
        folder: int,
        handle: int,
        path: str,
        facts: dict[str, Any],
        *,
        caps: Caps,
        durable: bool,
        tally: Tally | None = None,
    ) -> None:
        """Made by `LocalSpillStore.writer`; both descriptors become its own."""
        self._disk = disk
        self._folder = folder
        self._handle = handle
        self._facts = facts
        self._caps = caps
        self._durable = durable
        self._tally = tally if tally is not None else Tally()
        self._held = b""
        self._cut: str | None = None
        self._came = 0
        self._open = True
        self._failure: OSError | None = None
        self.locator = path
        """The file's absolute path; it is there already."""

    @property
    def bytes(self) -> int:
        """Bytes that were stored so far."""
        return self._tally.bytes

    @property
    def came(self) -> int:
        """Bytes that were given to `write` so far; more than stored once a cap cut."""
        return self._came

    @property
    def cut(self) -> str | None:
        """Which cap left no room for all that came, as a sentence; None if none did."""
        return self._cut

    @property
    def closed(self) -> bool:
        """Whether it was committed, aborted or closed."""
        return not self._open

    def write(self, data: Buffer) -> None:
        """Append `data`; it is in the file when this returns.

        What a cap leaves no room for is counted and left out. Raises `SpillFailed`
        when the disk does not take it; what it took stays, and is marked partial.
        """
        view = memoryview(data).cast("B")
        self._must_be_open()
        if self._failure is not None:
            raise self._failed(self._failure)
        self._came += len(view)
        if not len(view) or self._cut is not None:
            return
        try:
            if self._caps.none:
                self._append(view)
            else:
                self._append_capped(view)
        except OSError as error:
            self._failure = error
            raise self._failed(error) from error

    def _append(self, view: memoryview) -> None:
        done = 0
        for wrote in self._disk.append(self._handle, view):
            self._tally.add(view[done : done + wrote])
            done += wrote

    def _append_capped(self, view: memoryview) -> None:
        data = self._held + view.tobytes() if self._held else view
        self._held = b""
        with self._caps.room(self._disk, self._folder, self._tally.bytes) as (
            room,
            why,
        ):
            if len(data) > room:
                self._cut = why
                end = room if room <= 0 else whole(memoryview(data)[:room])
                self._append(memoryview(data)[: max(end, 0)])
                return
            # A character that is not whole yet could be cut by what comes next.
            end = whole(data)
            self._held = bytes(data[end:])
            self._append(memoryview(data)[:end])

    def commit(self, facts: SpillFacts | None = None) -> SpillRef:
        """Say that this is all of the output (or why not), and close the file.

        Raises `SpillFailed` when the file is not what was written, or that cannot be
        noted: then it stays as it is, marked partial, and `abort` may still remove it.
        """
        self._must_be_open()
        if self._failure is not None:
            raise self._failed(self._failure)
        try:
            self._finish(facts or SpillFacts())
        except OSError as error:
            self._failure = error
            raise self._failed(error) from error
        self._close()
        return self._ref(facts or SpillFacts())

    def _finish(self, facts: SpillFacts) -> None:
        if self._held:
            held, self._held = self._held, b""
            self._append(memoryview(held))
        if self._cut is not None and not self._tally.bytes:
            raise SpillFull(self._cut)
        size = self._disk.size(self._handle)
        if size != self._tally.bytes:
            raise SpillFailed(
                f"{shown(self.locator)} holds {size:,} bytes,"
                f" {self._tally.bytes:,} were written."
            )
        if not self._disk.leads_to(self.locator, self._handle):
            raise SpillFailed(
                f"{shown(self.locator)} was removed while it was written."
            )
        if self._durable:
            self._disk.sync_file(self._handle)
        # Some file systems tell only when a file is closed that it did not fit.
        self._disk.close(os.dup(self._handle))
        self._count_wide()
        cut = None if self._cut is None else (self._cut, self._came)
        self._facts = sidecars.ended(self._facts, self._tally, facts, cut)
        rewrite(self._disk, self._folder, self._facts, durable=self._durable)

    def _count_wide(self) -> None:
        """Count UTF-16 once more: its chars and lines are those of the decoded text."""
        if self._tally.wide:
            from spillview.content.content import open_content
            from spillview.content.counts import count

            content = open_content(self.locator)
            try:
                counts = count(content)
            finally:
                content.close()
            self._tally.recount(counts.chars, counts.lines)

    def _ref(self, facts: SpillFacts) -> SpillRef:
        known = self._cut is not None and facts.partial is None
        return SpillRef(
            self.locator,
            self._tally.bytes,
            hint(pages_by_line=self._tally.pages_by_line),
            partial=self._cut is not None or facts.partial is not None,
            whole_bytes=self._came if known else None,
        )

    def abort(self) -> None:
        """Take away what was written, and its sidecar. Nothing happens a second time.

        Raises `SpillFailed` when the disk does not let go of the file, which then
        stays marked partial.
        """
        if not self._open:
            return
        leaf = os.path.basename(self.locator)
        try:
            # The file first: alone it would look whole.
            take_away(self._disk, self._folder, leaf)
            take_away(self._disk, self._folder, sidecar_name(leaf))
        except OSError as error:
            raise self._failed(error) from error
        finally:
            self._close()

    def close(self) -> None:
        """Leave what had arrived, marked partial, unless it was committed."""
        if self._open and self._held and self._failure is None:
            held, self._held = self._held, b""
            with suppress(OSError):
                self._append(memoryview(held))
        self._close()

    def __enter__(self) -> SpillWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _close(self) -> None:
        if self._open:
            self._open = False
            os.close(self._handle)
            os.close(self._folder)

    def _must_be_open(self) -> None:
        if not self._open:
            raise SpillFailed(f"{shown(self.locator)} is closed.")

    def _failed(self, error: OSError) -> SpillFailed:
        reason = unwritable(os.path.dirname(self.locator), error)
        return SpillFailed(f"{shown(self.locator)} could not be written: {reason}.")


def begin(disk: StoreDisk, folder: int, leaf: str, facts: dict[str, Any]) -> int | None:
    """Make a spill's sidecar, then its empty file, open; None where a name is taken.

    The sidecar is there with all it says or not at all, whoever looks meanwhile.
    Raises OSError; then nothing is left.
    """
    note, new = sidecar_name(leaf), _unfinished(leaf)
    made = [new]
    try:
        handle = disk.create(folder, new)
    except FileExistsError:
        return None
    try:
        try:
            for _ in disk.append(handle, memoryview(sidecars.written(facts))):
                pass
        finally:
            os.close(handle)
        disk.place(folder, new, folder, note)
        made = [note]
        return disk.create(folder, leaf)
    except OSError as error:
        taken = isinstance(error, FileExistsError)
        if not taken:
            made = [new, note]
        for name in made:
            disk.discard(folder, name)
        if taken:
            return None
        raise


def _unfinished(leaf: str) -> str:
    """The name of a sidecar that is still being written."""
    return f".{leaf[:12]}.new"


def rewrite(
    disk: StoreDisk, folder: int, facts: dict[str, Any], *, durable: bool
) -> None:
    """Put these facts in the sidecar's place, all at once. Raises OSError."""
    leaf = str(facts["name"])
    new = _unfinished(leaf)
    try:
        handle = disk.create(folder, new)
    except FileExistsError:  # of a process that was killed just here
        disk.remove(folder, new)
        handle = disk.create(folder, new)
    try:
        try:
            for _ in disk.append(handle, memoryview(sidecars.written(facts))):
                pass
            if durable:
                disk.sync_file(handle)
            disk.close(os.dup(handle))
        finally:
            os.close(handle)
        disk.replace(folder, new, sidecar_name(leaf))
    except OSError:
        disk.discard(folder, new)
        raise
    if durable:
        disk.sync(folder)


def take_away(disk: StoreDisk, folder: int, name: str) -> None:
    """Remove a file that may be gone already. Raises OSError."""
    try:
        disk.remove(folder, name)
    except FileNotFoundError:
        if disk.facts(folder, name) is not None:
            raise
