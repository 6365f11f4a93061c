"""What one transcript says about artifacts, in a form that a cache can keep."""

from __future__ import annotations

from operator import attrgetter
from sys import intern

from spillview.frozen import Frozen, values_of
from spillview.hints import Any
from spillview.json_text import loads
from spillview.model import Boundary, Claim, Mention, Next

FORM = 4
"""Raised whenever the stored form changes; facts of another form are not read."""


class Touch(Frozen):
    """A later call that names an artifact, or whose result does."""

    transcript: str
    session: str
    record: int
    """1-based line of the record that holds the result."""
    offset: int
    length: int
    """Byte range of that record in the (decompressed) transcript; 0 while none came."""
    tool: str | None
    call_id: str | None
    command: str | None
    """The command line, or the call's arguments on one line."""
    names: tuple[str, ...] = ()
    """Paths and file names in the call's arguments."""
    shown: tuple[str, ...] = ()
    """Paths of artifacts that only the result names, at the start of its lines."""
    failed: bool | None = None
    agent: str | None = None
    time: float | None = None
    record_id: str | None = None
    """The record's own id, equal in every copy of it."""


class Waiting(Frozen):
    """A mention whose agent has not spoken or called since."""

    mention: int
    """Its place in `TranscriptFacts.mentions`."""
    lane: str
    """The agent whose next words count: its id, or empty for the main one."""
    message: str | None = None
    """The message that made the call: its other blocks came before the result."""


class TranscriptFacts(Frozen):
    """One transcript read up to `size_read`."""

    transcript: str
    harness: str
    session: str
    parent_session: str | None = None
    agent: str | None = None
    project: str | None = None
    """The working folder the session began in."""
    title: str | None = None
    title_rank: int = 0
    """How good a title it is: a prompt 1, a summary 2, a name given 3."""
    version: str | None = None
    started: float | None = None
    last_active: float | None = None
    records: int = 0
    """Whole records read, of whatever type."""
    skipped: int = 0
    """Lines that hold no readable record."""
    unfinished: bool = False
    """True when the last line has no end yet; it is read again once it grows."""
    lines: int = 0
    """Line ends passed, so that numbering can go on."""
    dev: int = 0
    ino: int = 0
    size: int = 0
    """The file's bytes when it was read."""
    mtime_ns: int = 0
    size_read: int = 0
    """Bytes of the file taken in; reading goes on from here."""
    text_read: int = 0
    """The same in bytes of the decompressed text."""
    tail: str = ""
    """Hex digest of the bytes just before `size_read`."""
    mentions: tuple[Mention, ...] = ()
    touches: tuple[Touch, ...] = ()
    mention_ids: tuple[str | None, ...] = ()
    """For each mention its record's own id: equal in copies of one record."""
    first_ids: tuple[str, ...] = ()
    """The first record ids: a fork begins with those of its origin."""
    parents: tuple[str, ...] = ()
    """Sessions that this one was forked from, by its own word."""
    waiting: tuple[Waiting, ...] = ()
    pending: tuple[Touch, ...] = ()
    """Calls that name an artifact and have no result yet."""
    extra: dict[str, Any] = {}  # noqa: RUF012 # shared and never changed
    """What a reader needs to go on, beyond the above."""
    parts: tuple[TranscriptFacts, ...] = ()
    """The sessions of a file that holds many (a database): then only its times, size
    and counts stand here, and every session's facts in a part of its own."""

    @property
    def each(self) -> tuple[TranscriptFacts, ...]:
        """These facts session by session: the parts, or themselves."""
        return self.parts or (self,)

    @property
    def key(self) -> tuple[int, int, int, int]:
        """Device, inode, size, mtime of the file as it was read."""
        return (self.dev, self.ino, self.size, self.mtime_ns)

    def to_json(self) -> bytes:
        """These facts as JSON bytes; mentions as rows, for there are many."""
        import orjson

        try:
            return orjson.dumps([FORM, _COLUMNS, self._raw()], default=values_of)
        except TypeError:
            # A lone surrogate in some text; the slow writer escapes it.
            import json

            raw = [FORM, _COLUMNS, self._raw()]
            return json.dumps(raw, default=values_of).encode("ascii")

    def _raw(self) -> dict[str, Any]:
        raw = values_of(self)
        raw["mentions"] = [_row(mention) for mention in self.mentions]
        raw["parts"] = [part._raw() for part in self.parts]
        return raw

    @classmethod
    def from_json(cls, data: bytes) -> TranscriptFacts | None:
        """The facts that `to_json` wrote; None when it was another form of them."""
        try:
            form, columns, raw = loads(data)
            if form != FORM or columns != _COLUMNS:
                return None
            return cls._of(raw)
        except (ValueError, TypeError, KeyError):
            return None

    @classmethod
    def _of(cls, raw: dict[str, Any]) -> TranscriptFacts:
        where = (raw["transcript"], raw["session"])
        raw["mentions"] = tuple(_mention(where, row) for row in raw["mentions"])
        for name in ("touches", "pending"):
            raw[name] = tuple(_touch(item) for item in raw[name])
        raw["waiting"] = tuple(Waiting(**item) for item in raw["waiting"])
        for name in ("mention_ids", "first_ids", "parents"):
            raw[name] = tuple(raw[name])
        raw["parts"] = tuple(cls._of(part) for part in raw["parts"])
        return cls(**raw)


def load(data: bytes) -> Any:
    """The JSON value in `data`; ValueError when there is none.

    Lone surrogates (a preview cut inside an emoji) and invalid UTF-8 are read too.
    A whole number beyond 64 bits becomes a float, so that any value can be written.
    """
    import orjson

    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        import json

        try:
            text = data.decode("utf-8", "replace")
            return json.loads(text, parse_int=_whole_number)
        except RecursionError:
            raise ValueError("The record is nested too deeply.") from None


def _whole_number(digits: str) -> int | float:
    number = int(digits) if len(digits) <= 20 else float(digits)
    return number if -(1 << 63) <= number < 1 << 64 else float(digits)


_COLUMNS = list(Mention.__match_args__[2:])
"""What a mention's row holds: all but its transcript and session, which come first."""
_CLAIMS, _NEXT = _COLUMNS.index("claims"), _COLUMNS.index("next")
_GATES = _COLUMNS.index("boundaries")
_COMMON = [_COLUMNS.index(name) for name in ("place", "notice", "tool", "version")]
"""Texts that most mentions share: kept once, not once a mention."""
_VALUES = attrgetter(*_COLUMNS)
_DECISION = attrgetter("text", "tool", "command", "record")


def _row(mention: Mention) -> list[Any]:
    row = list(_VALUES(mention))
    row[_CLAIMS] = [[c.unit, c.value, c.slack] for c in mention.claims]
    if mention.next is not None:
        row[_NEXT] = _DECISION(mention.next)
    if mention.boundaries:
        row[_GATES] = [[each.size, each.unit] for each in mention.boundaries]
    return row


def _mention(where: tuple[str, str], row: list[Any]) -> Mention:
    for column in _COMMON:
        if row[column] is not None:
            row[column] = intern(row[column])
    row[_CLAIMS] = tuple(
        [Claim(intern(unit), value, slack) for unit, value, slack in row[_CLAIMS]]
    )
    if row[_NEXT] is not None:
        row[_NEXT] = Next(*row[_NEXT])
    row[_GATES] = tuple(Boundary(size, unit) for size, unit in row[_GATES])
    return Mention(*where, *row)


def _touch(raw: dict[str, Any]) -> Touch:
    raw["names"] = tuple(raw["names"])
    raw["shown"] = tuple(raw["shown"])
    return Touch(**raw)
