"""Artifacts that are no files: rows of a database, or one field of a JSON file.

A profile's glob names the file and says how the texts lie in it (`reader`, `field`,
`columns`); nothing here knows a harness. A text is taken out when it is asked for,
decompressed in bounded memory, into a temporary file of our own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import closing

from spillview.content.content import FileContent, TemporaryContent
from spillview.content.unpacking import inflated, member_at
from spillview.discovery.routes import STORED
from spillview.errors import ArtifactGone, Cancelled, Unreadable
from spillview.hints import TYPE_CHECKING
from spillview.named import NamedTuple
from spillview.regexes import late
from spillview.text import path_text, printable

if TYPE_CHECKING:
    from spillview.content.content import Change
    from spillview.discovery.ways import Ways
    from spillview.model import Found
    from spillview.profiles.profile import Glob
    from spillview.stored.databases import State

READERS = STORED
"""`table`: each of its rows is an artifact; `json`: a member of the file's object."""

LARGEST = 256 << 20
"""A text that is longer once it is decompressed is not taken out."""
MOST_ROWS = 20_000
"""Rows of one database that are listed."""
_PLAIN = (None, "", "raw", "none", "identity", "plain")
_PACKED = ("gzip", "zlib")
_CHUNK = 1 << 18
_NAME = late(r"[A-Za-z_][A-Za-z0-9_]{0,63}")

Stop = Callable[[], bool]


class Stored(NamedTuple):
    """How an artifact's text lies in its file."""

    reader: str
    table: str = ""
    """Empty for `json`."""
    field: str = ""
    """The column, or the member."""
    key: str = ""
    """The column that holds the row's key."""
    codec: str = ""
    """The column that says how the text is packed; or `=gzip` for all rows."""


class Row(NamedTuple):
    """What a row says of its artifact; the text itself is not read for it."""

    key: str
    size: int = 0
    """Bytes of the text, as the row says it."""
    time: float | None = None
    command: str | None = None
    cwd: str | None = None
    exit_code: int | None = None


class StoredContent:
    """A text that was taken out of its file; see `Content`."""

    __slots__ = ("_folder", "_found", "_state", "_text", "path", "size")

    def __init__(self, found: Found, text: TemporaryContent, state: State) -> None:
        self._found = found
        self._text = text
        self._state = state
        self._folder: str | None = None
        self.path: str | None = None
        """No file holds these bytes as they are."""
        self.size = text.size

    @property
    def key(self) -> tuple[int, int, int, int]:
        """As the artifact's own, which its file may change around."""
        return self._found.key

    def pread(self, offset: int, length: int) -> bytes:
        """See `Content.pread`."""
        return self._text.pread(offset, length)

    def fileno(self) -> int:
        """The temporary file's descriptor; it belongs to this object."""
        return self._text.fileno()

    def named(self) -> str:
        """A file of ours with these bytes, which is there until this is closed.

        Raises `Unreadable` when there is no room for it.
        """
        import tempfile

        try:
            if self._folder is None:
                self._folder = tempfile.mkdtemp(prefix="spillview-")
            path = os.path.join(self._folder, "text")
            if not os.path.exists(path):
                with open(path, "xb") as file:
                    at = 0
                    while data := self.pread(at, _CHUNK):
                        file.write(data)
                        at += len(data)
        except OSError as error:
            reason = error.strerror or str(error)
            raise Unreadable(f"There is no room for a copy: {reason}.") from error
        return path

    def changed(self) -> Change | None:
        """What happened to the file that the text was taken from.

        Other rows of a database may come and go: only that it is gone matters.
        """
        from spillview.stored.databases import state

        try:
            now = state(self._found.path)
        except OSError:
            return "deleted"
        if self._found.row is not None:
            return None
        if now[:2] != self._state[:2]:
            return "replaced"
        return None if now == self._state else "touched"

    def refresh(self) -> Change | None:
        """The text that was taken out stays as it is."""
        return None

    def close(self) -> None:
        """See `Content.close`; closing twice is fine."""
        self._text.close()
        folder, self._folder = self._folder, None
        if folder is not None:
            import shutil

            shutil.rmtree(folder, ignore_errors=True)

    def __enter__(self) -> StoredContent:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_artifact(
    found: Found,
    *,
    root: str | None = None,
    cancelled: Stop | None = None,
    ways: Ways | None = None,
) -> FileContent | StoredContent:
    """The content of an artifact, wherever it is kept; for `ways` see `open_content`.

    Raises what `open_content` raises; for a row or field also `Unreadable` where it is
    damaged, packed in an unknown way or too large, and `Cancelled`.
    """
    from spillview.content.content import open_content

    if found.stored is None:
        return open_content(found.path, root=root, ways=ways)
    from spillview.stored import snapshots

    # The file's type is known, and the way to it walked, before anything reads it.
    file = open_content(found.path, root=root)
    text: TemporaryContent | None = None
    try:
        before = _state(found.path)
        text = TemporaryContent()
        if found.stored.reader == "json":
            parts = _member(file, found.stored.field, cancelled)
        else:
            parts = _unpacked(found, cancelled)
        with closing(parts):
            for part in parts:
                _add(text, part, found)
        return StoredContent(found, text.seal(), before)
    except BaseException:  # whatever it was: no copy is left behind
        if text is not None:
            text.close()
        raise
    finally:
        snapshots.close(file)


def stored_of(glob: Glob) -> Stored | None:
    """How the texts lie in the files of a glob; None where the files are the texts."""
    if glob.reader not in READERS:
        return None
    table, _, column = (glob.field or "").rpartition(".")
    get = glob.columns.get
    return Stored(
        glob.reader, table, column, get("key", "rowid"), get("codec", "") or ""
    )


def check_glob(glob: Glob) -> str | None:
    """What is wrong with how a glob says where its texts are; None when nothing is."""
    stored = stored_of(glob)
    if stored is None:
        return None
    if stored.reader == "json":
        return None if stored.field else "field must name a member: .response"
    names = [stored.table, stored.field]
    names += [name for name in glob.columns.values() if not name.startswith("=")]
    if not all(map(_NAME.fullmatch, names)):
        return "field must be table.column, and columns plain names"
    return None


_LISTED: dict[str, tuple[State, tuple[Row, ...], bool]] = {}
"""What was listed last of each database, while it stays as it is."""


def rows(path: str, glob: Glob) -> tuple[tuple[Row, ...], bool]:
    """The rows of the database at `path`, and whether these are all.

    Nothing is read of their texts. Raises what `open_database` raises.
    """
    from spillview.stored.databases import open_database, state

    try:
        before = state(path)
    except OSError:
        raise ArtifactGone(f"{_shown(path)} is no longer there.") from None
    known = _LISTED.get(path)
    if known is not None and known[0] == before:
        return known[1], known[2]
    stored = stored_of(glob)
    assert stored is not None
    with open_database(path) as database:
        if not database.has(stored.table, stored.field):
            if not database.tables:
                return (), True  # not used yet
            raise Unreadable(
                f"{_shown(path)} has no table {stored.table} with {stored.field}."
            )
        names = {
            use: name
            for use, name in glob.columns.items()
            if name == "rowid" or database.has(stored.table, name)
        }
        wanted = [
            # A text that is no text, or endless, is not even looked at.
            f"CASE WHEN typeof({name}) != 'blob' AND length({name}) < 100000"
            f" THEN {name} END"
            for name in names.values()
        ]
        statement = (
            f"SELECT {', '.join(wanted)} FROM {stored.table}"
            f" ORDER BY rowid DESC LIMIT {MOST_ROWS + 1}"
        )
        found = []
        for values in database.query(statement):
            said = dict(zip(names, values, strict=True))
            key = said.get("key")
            if not isinstance(key, str | int) or not str(key):
                continue
            found.append(
                Row(
                    str(key),
                    max(0, _whole(said.get("size")) or 0),
                    _time(said.get("created")),
                    _text(said.get("command")),
                    _text(said.get("cwd")),
                    _whole(said.get("exit_code")),
                )
            )
    listed = (tuple(found[:MOST_ROWS]), len(found) <= MOST_ROWS)
    _LISTED[path] = (before, *listed)
    return listed


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and abs(value) < 1 << 62 else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _time(value: object) -> float | None:
    from spillview.transcripts.calls import parse_time

    return parse_time(value)


# Taking a text out


def _add(text: TemporaryContent, part: bytes, found: Found) -> None:
    text.write(part)
    text.size += len(part)
    if text.size > LARGEST:
        raise Unreadable(
            f"{_shown(found.path)}: the text of {printable(found.name)} has more than"
            f" {LARGEST:,} bytes once it is taken out: it is not opened."
        )


def _unpacked(found: Found, cancelled: Stop | None) -> Generator[bytes]:
    """The text of a row, decompressed part by part."""
    from spillview.stored.databases import open_database

    stored = found.stored
    assert stored is not None
    where = f"{_shown(found.path)}: {printable(found.name)}"
    with open_database(found.path, cancelled=cancelled) as database:
        named = not stored.codec or stored.codec.startswith("=")
        column = "''" if named else stored.codec
        if not database.has(stored.table, stored.field):
            raise ArtifactGone(f"{where} is no longer there.")
        answer = list(
            database.query(
                f"SELECT rowid, {column} FROM {stored.table}"
                f" WHERE CAST({stored.key} AS TEXT) = ? LIMIT 1",
                (found.row,),
            )
        )
        if not answer:
            raise ArtifactGone(f"{where} is no longer there.")
        rowid, codec = answer[0]
        codec = stored.codec.removeprefix("=") if named else codec
        assert isinstance(rowid, int)
        if codec not in (*_PLAIN, *_PACKED):
            name = printable(str(codec))[:40]
            raise Unreadable(f"{where} is packed as {name}, which is unknown.")
        with closing(database.blob(stored.table, stored.field, rowid, _CHUNK)) as parts:
            try:
                yield from inflated(parts) if codec in _PACKED else parts
            except ValueError as error:
                raise Unreadable(f"{where} cannot be unpacked: {error}.") from None


def _member(file: FileContent, name: str, cancelled: Stop | None) -> Generator[bytes]:
    """The text of a member of the object that a JSON file holds."""
    from spillview.content.pages import unescaped

    at = member_at(file, name, lambda: _stop(cancelled))
    if at is None:
        raise Unreadable(f"{_shown(file.path or '')} holds no text at .{name}.")
    whole = False
    for _, piece, closed in unescaped(file, at, chunk=_CHUNK):
        _stop(cancelled)
        yield piece
        whole = closed
    if not whole:
        raise Unreadable(f"{_shown(file.path or '')} is cut off within .{name}.")


def _stop(cancelled: Stop | None) -> None:
    if cancelled is not None and cancelled():
        raise Cancelled("Nobody waits for this text any more.")


def _state(path: str) -> State:
    from spillview.stored.databases import state

    try:
        return state(path)
    except OSError:
        raise ArtifactGone(f"{_shown(path)} is no longer there.") from None


def _shown(path: str) -> str:
    return printable(path_text(path))
