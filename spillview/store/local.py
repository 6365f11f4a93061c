"""Our own store: a folder of this user in dsh's layout, a sidecar beside each spill."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from spillview.disk import CAN_WORK
from spillview.errors import BadInput, SpillError
from spillview.own_files import unwritable
from spillview.places import Places, private_dir
from spillview.store import names, sidecars
from spillview.store.caps import Caps
from spillview.store.encoding import pieces
from spillview.store.files import StoreDisk, shown
from spillview.store.hints import hint, pages_by_line
from spillview.store.seam import (
    SaveTextSpill,
    SpillEnvelope,
    SpillFacts,
    SpillFailed,
    SpillRef,
    SpillRequest,
)
from spillview.store.tally import Tally
from spillview.store.writer import SpillWriter, begin, rewrite
from spillview.text import iso

TRIES = 16
"""Names tried, and folders made again that a sweep took away meanwhile."""


class LocalSpillStore:
    """Saves spills below `root`, by default `spills/` in spillview's state folder.

    `max_file` and `max_session` cap one spill and all spills of a session, in bytes;
    what is cut is said in the sidecar and in the `SpillRef`. `durable` has every spill
    on the disk itself before it is said to be saved. Nothing is made or looked at
    before the first save. Raises `BadInput` for a cap that is none, or an
    empty root.
    """

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        *,
        max_file: int | None = None,
        max_session: int | None = None,
        durable: bool = False,
        disk: StoreDisk | None = None,
    ) -> None:
        """`root` may be relative (to the working folder of now) or a symlink."""
        self._default = root is None
        if root is None:
            root = os.path.join(Places.here().state_dir, "spills")
        name = os.fsdecode(root)
        if not name:
            raise BadInput("The root of a store is a folder, not an empty path.")
        if "\0" in name:
            raise BadInput("The root of a store is a path, which holds no NUL.")
        self.root = os.path.abspath(name)
        """Absolute, as configured."""
        self._caps = Caps(max_file, max_session)
        self._durable = durable
        self._disk = disk if disk is not None else StoreDisk()

    def save_text(self, request: SaveTextSpill) -> SpillRef:
        """Keep the request's text as UTF-8; surrogate halves become U+FFFD.

        Raises `SpillFailed` (and leaves nothing) when that is not possible, `Unsafe`
        when a folder belongs to somebody else or is open to others.
        """
        return self.save_stream(request, pieces(request.content))

    def save_stream(
        self,
        request: SpillRequest,
        chunks: Iterable[bytes],
        facts: SpillFacts | None = None,
    ) -> SpillRef:
        """Keep all bytes that `chunks` gives, each of them at once.

        Raises as `save_text`, and whatever `chunks` raises; either leaves nothing.
        Use a `writer` where what had arrived is to be kept.
        """
        with self.writer(request) as writer:
            try:
                for chunk in chunks:
                    writer.write(chunk)
                # An envelope made beforehand is that of the whole.
                foreseen = None if writer.cut else request.envelope
                return writer.commit(facts or SpillFacts(envelope=foreseen))
            except BaseException:  # `chunks` raises what it likes
                with suppress(SpillError):
                    writer.abort()
                raise

    def writer(
        self, request: SpillRequest, *, tally: Tally | None = None
    ) -> SpillWriter:
        """An open spill to which bytes are appended as they come.

        Its file is there at once, its sidecar calls it partial until `commit`. What is
        written is counted by `tally`, where that should be done another way.
        Raises `SpillFailed` or `Unsafe` when it cannot be begun.
        """
        try:
            return self._begin(request, tally)
        except OSError as error:
            reason = unwritable(self.root, error)
            raise SpillFailed(
                f"Nothing could be saved below {shown(self.root)}: {reason}."
            ) from error

    def locate(self, request: SpillRequest) -> str:
        """The locator that saving this request will use; nothing is made for it."""
        folder = self._folder_of(request)
        spill_id = request.id
        for _ in range(TRIES):
            leaf = names.leaf(spill_id, request.suggested_name)
            path = os.path.join(folder, leaf)
            note = os.path.join(folder, names.sidecar(leaf))
            if not os.path.lexists(path) and not os.path.lexists(note):
                break
            spill_id = names.following(spill_id)
        return path

    def hint(self, request: SaveTextSpill) -> str:
        """The retrieval hint that saving this request will give, if no cap cuts it."""
        return hint(pages_by_line=pages_by_line(request.content))

    def amend(self, ref: SpillRef, envelope: SpillEnvelope | None) -> None:
        """Note in a spill's sidecar what the model received in its place after all.

        With None it says that this is not known.

        Raises `SpillFailed` when there is no such spill or it cannot be noted.
        """
        import json

        folder, leaf = os.path.split(ref.locator)
        if os.path.dirname(folder) != self.root or not os.path.lexists(ref.locator):
            raise SpillFailed(
                f"{shown(ref.locator)} is no spill of {shown(self.root)}."
            )
        try:
            with self._session(os.path.basename(folder)) as opened:
                data = self._disk.read(opened, names.sidecar(leaf), 4 << 20)
                facts = json.loads(data)
                if not isinstance(facts, dict):
                    raise ValueError("it is no object")
                facts = sidecars.with_envelope(facts | {"name": leaf}, envelope)
                rewrite(self._disk, opened, facts, durable=self._durable)
        except (OSError, ValueError) as error:
            raise SpillFailed(
                f"The sidecar of {shown(ref.locator)} could not be changed: {error}."
            ) from error

    def _folder_of(self, request: SpillRequest) -> str:
        return os.path.join(self.root, names.session_folder(request.owner.session_id))

    def _begin(self, request: SpillRequest, tally: Tally | None) -> SpillWriter:
        if not CAN_WORK:
            raise SpillFailed("This system cannot name files inside an open folder.")
        name = names.session_folder(request.owner.session_id)
        created = iso(time.time()) or ""
        for attempt in range(TRIES):
            try:
                with self._session(name) as folder:
                    if self._durable:  # a file is lost with the name of its folder
                        root = os.path.realpath(self.root)
                        self._disk.sync_folder_of(os.path.join(root, name))
                        self._disk.sync_folder_of(root)
                    return self._created(request, folder, name, created, tally)
            except FileNotFoundError:  # a sweep took the empty folder away
                if attempt == TRIES - 1:
                    raise
        raise AssertionError  # pragma: no cover

    @contextmanager
    def _session(self, name: str) -> Iterator[int]:
        if self._default:  # whoever has the folder around it could swap it
            private_dir(os.path.dirname(self.root))
        root = self._disk.open_root(self.root)
        try:
            folder = self._disk.open_session(root, self.root, name)
        finally:
            os.close(root)
        try:
            yield folder
        finally:
            os.close(folder)

    def _created(
        self,
        request: SpillRequest,
        folder: int,
        name: str,
        created: str,
        tally: Tally | None,
    ) -> SpillWriter:
        spill_id = request.id
        for _ in range(TRIES):
            leaf = names.leaf(spill_id, request.suggested_name)
            facts = sidecars.begun(request, leaf, created)
            handle = begin(self._disk, folder, leaf, facts)
            if handle is not None:
                return SpillWriter(
                    self._disk,
                    os.dup(folder),
                    handle,
                    os.path.join(self.root, name, leaf),
                    facts,
                    caps=self._caps,
                    durable=self._durable,
                    tally=tally,
                )
            spill_id = names.following(spill_id)
        raise SpillFailed(f"Every name tried below {shown(self.root)} is taken.")
