"""When the agent of a transcript spoke and called: how much came after an envelope.

Made of the same events as links are, in the order in which they happened, so that it
is known for every reader that gives them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spillview.model import BYTES_PER_TOKEN
from spillview.transcripts import jsonl
from spillview.transcripts.events import (
    Called,
    Compacted,
    Event,
    Prompted,
    Returned,
    Said,
)
from spillview.transcripts.values import is_rows

if TYPE_CHECKING:
    from spillview.discovery.discovery import TranscriptFound
    from spillview.model import Mention, Unit
    from spillview.profiles.profile import Profile

REMEMBERED = 1 << 16
"""So many calls are known again where a record is written a second time."""

Cancelled = Callable[[], bool]
Place = tuple[int, int, int]
"""Number, offset and length of a record, as mentions have them."""


def place_of(mention: Mention) -> Place:
    """Where the record of an envelope is."""
    return (mention.record, mention.offset, mention.length)


def _moments() -> array[int]:
    return array("q")


@dataclass(slots=True)
class Wanted:
    """What is asked about one session: its envelopes, and calls by their ids."""

    mentions: dict[Place, list[Mention]] = field(default_factory=dict)
    calls: set[str] = field(default_factory=set)
    replaced: set[str] = field(default_factory=set)
    """Ids of calls whose result is not in the records whole."""
    replaced_at: set[tuple[Place, int]] = field(default_factory=set)
    """The same by record and block, where the call has no id."""
    edges: tuple[int, ...] = ()
    """Sizes for each of which the results above it are counted."""
    unit: Unit = "chars"

    def replace(self, mention: Mention) -> None:
        """Take the result that an envelope stands for out of the whole ones."""
        if mention.call_id is not None:
            self.replaced.add(mention.call_id)
        else:
            self.replaced_at.add((place_of(mention), mention.block))

    def about(self, mention: Mention) -> None:
        """Ask about an envelope."""
        known = self.mentions.setdefault(place_of(mention), [])
        if mention not in known:
            known.append(mention)


@dataclass(slots=True)
class Lane:
    """The turns and calls of one agent, the main one or a subagent, by moment."""

    turns: array[int] = field(default_factory=_moments)
    calls: array[int] = field(default_factory=_moments)
    """When each call was decided on: with its turn."""
    compacted: array[int] = field(default_factory=_moments)
    """Where the context was compacted: what was said before is no longer carried."""
    message: str | None = None
    """The message of the newest turn; None where it has no id, or a person spoke."""
    told: bool = False
    """Whether the newest turn is still the agent's last word."""


@dataclass(slots=True)
class Turns:
    """The model's turns and calls in one session.

    A turn is one answer of the model, however many records it fills. A moment counts
    the events. Only what was asked about is remembered by name.
    """

    lanes: dict[str, Lane] = field(default_factory=dict)
    places: dict[Place, list[int]] = field(default_factory=dict)
    """By record: the moment of each of its text blocks."""
    sizes: dict[Mention, int] = field(default_factory=dict)
    """Bytes of envelopes, where the records that were read hold their texts."""
    calls: dict[str, tuple[str, int]] = field(default_factory=dict)
    """By call id: whose it is, and which of their calls, counted from 0."""
    compacts: bool = False
    """Whether the records say where the context was compacted."""
    agent: bool = False
    """Whether all of it is a subagent's."""
    results: int = 0
    """Results that the model received whole."""
    above: list[int] = field(default_factory=list)
    """How many of these are larger than each of the edges asked about."""

    def carried(self, mention: Mention) -> int | None:
        """Turns after an envelope, up to the next compaction; None where unknown."""
        at = self._moment(mention)
        lane = self.lanes.get(self._lane(mention))
        if at is None or lane is None or not self.compacts:
            return None
        end = bisect_right(lane.compacted, at)
        last = len(lane.turns)
        if end < len(lane.compacted):
            last = bisect_right(lane.turns, lane.compacted[end])
        return last - bisect_right(lane.turns, at)

    def calls_until(self, mention: Mention, call_id: str | None) -> int | None:
        """How many calls after an envelope a call is: 1 for the next one.

        None where the call is not known, is another agent's, or was made before.
        """
        at, called = self._moment(mention), self.calls.get(call_id or "")
        if at is None or called is None or called[0] != self._lane(mention):
            return None
        later = called[1] + 1 - bisect_right(self.lanes[called[0]].calls, at)
        return later if later > 0 else None

    def _moment(self, mention: Mention) -> int | None:
        moments = self.places.get(place_of(mention))
        if not moments:
            return None
        return moments[min(mention.block, len(moments) - 1)]

    def _lane(self, mention: Mention) -> str:
        return "" if self.agent else mention.agent or ""


class Tally:
    """Takes the events of one session into its turns."""

    def __init__(self, turns: Turns, wanted: Wanted) -> None:
        self.turns = turns
        self._wanted = wanted
        turns.above = [0] * len(wanted.edges)
        self._returned: OrderedDict[int, None] = OrderedDict()
        self._known: OrderedDict[int, None] = OrderedDict()
        self._now = 0

    def take(self, events: Iterable[Event], place: Place) -> None:
        """Take what a record tells."""
        from spillview.transcripts.blocks import blocks_of

        asked = self._wanted.mentions.get(place, ())
        moments: list[int] = []
        texts: list[str] = []
        block = 0
        for event in events:
            self._now += 1
            if isinstance(event, Called):
                self._called(event)
            elif isinstance(event, Said):
                self._turn(self._lane(event.agent), event.message)
            elif isinstance(event, Compacted):
                self._lane(event.agent).compacted.append(self._now)
            elif isinstance(event, Prompted | Returned):
                self._received(event)
                given = [block.text for block in blocks_of((event,))]
                if isinstance(event, Returned):
                    places = {(place, block + n) for n in range(len(given))}
                    if places.isdisjoint(self._wanted.replaced_at):
                        self._result(event)
                block += len(given)
                if asked:
                    moments += [self._now] * len(given)
                    texts += given
        if asked:
            self.turns.places.setdefault(place, moments)
        for mention in asked:
            if mention.block < len(texts):
                shown = texts[mention.block][mention.start : mention.end]
                size = len(shown.encode("utf-8", "surrogatepass"))
                self.turns.sizes.setdefault(mention, size)

    def passed(self, place: Place) -> None:
        """Note when a record was passed of which no events are given."""
        self.turns.places.setdefault(place, [self._now])

    def _lane(self, agent: str | None) -> Lane:
        name = self._name(agent)
        lane = self.turns.lanes.get(name)
        if lane is None:
            lane = self.turns.lanes[name] = Lane()
        return lane

    def _name(self, agent: str | None) -> str:
        return "" if self.turns.agent else agent or ""

    def _turn(self, lane: Lane, message: str | None) -> None:
        """The agent spoke: in a new turn, unless it is its last word still."""
        same = lane.told if message is None else message == lane.message
        lane.told = True
        if not same:
            lane.message = message
            lane.turns.append(self._now)

    def _called(self, event: Called) -> None:
        if not _new(self._known, hash((event.agent, event.id))):
            return  # a record that was written again
        lane = self._lane(event.agent)
        self._turn(lane, event.message)
        if event.id in self._wanted.calls:
            made = (self._name(event.agent), len(lane.calls))
            self.turns.calls.setdefault(event.id, made)
        lane.calls.append(lane.turns[-1])

    def _result(self, event: Returned) -> None:
        """Count a result that is in the records as the model received it."""
        call_id = event.call_id
        if not any(event.texts) or event.path or event.ident:
            return
        if call_id is not None and (
            call_id in self._wanted.replaced
            or not _new(self._returned, hash((event.agent, call_id)))
        ):
            return
        self.turns.results += 1
        size = _size(event.texts, self._wanted.unit)
        for n, edge in enumerate(self._wanted.edges):
            self.turns.above[n] += size > edge

    def _received(self, event: Prompted | Returned) -> None:
        lane = self._lane(event.agent)
        lane.told = False
        if isinstance(event, Prompted) and event.place == "prompt":
            lane.message = None


def _new(known: OrderedDict[int, None], key: int) -> bool:
    """Whether a key is met for the first time, as far as is remembered."""
    if key in known:
        return False
    known[key] = None
    if len(known) > REMEMBERED:
        known.popitem(last=False)
    return True


def _size(texts: Sequence[str], unit: Unit) -> int:
    """How large a result is; tokens are estimated as everywhere."""
    if unit == "chars":
        return sum(map(len, texts))
    if unit == "lines":
        return sum(t.count("\n") + (t[-1:] not in ("", "\n")) for t in texts)
    coding = "utf-16-le" if unit == "utf16" else "utf-8"
    size = sum(len(text.encode(coding, "surrogatepass")) for text in texts)
    if unit == "utf16":
        return size // 2
    return -(-size // BYTES_PER_TOKEN) if unit == "tokens" else size


def read(
    found: TranscriptFound,
    profile: Profile,
    session: str,
    wanted: Wanted,
    cancelled: Cancelled | None = None,
) -> Turns:
    """The turns of one session of a transcript; none for a reader without events.

    Of what is `wanted` is remembered when it was. Reads all of it, in bounded memory.
    `profile` is that of the harness which wrote it. Raises `Unreadable`.
    """
    from spillview.transcripts import READERS, reader_of

    turns = Turns(agent=found.agent is not None)
    if found.reader not in READERS:
        return turns
    module = reader_of(found.reader, profile)
    tally = Tally(turns, wanted)
    turns.compacts = bool(getattr(module, "COMPACTS", False))
    ahead: list[Place] = []
    if hasattr(module, "spoken"):  # which passes some records over
        ahead = sorted(wanted.mentions, key=lambda place: place[1], reverse=True)
    for place, events in told(found, module, session, cancelled):
        while ahead and ahead[-1][1] < place[1]:
            tally.passed(ahead.pop())
        tally.take(events, place)
    for place in reversed(ahead):
        tally.passed(place)
    return turns


def told(
    found: TranscriptFound,
    module: Any,
    session: str,
    cancelled: Cancelled | None = None,
) -> Iterator[tuple[Place, list[Event]]]:
    """What the records of one session tell, in their order, in bounded memory.

    Nothing where `module`, its reader, gives no events. Raises `Unreadable`.
    """
    if hasattr(module, "spoken"):
        for record in _lines(found, module.SPOKEN, cancelled):
            yield _place(record), list(module.spoken(record.value))
    elif hasattr(module, "events"):
        state: dict[str, Any] = {}
        for record in _records(found, module, session, cancelled):
            try:
                events = list(module.events(record.value, state))
            except Exception:  # a record that its reader is not ready for
                continue
            yield _place(record), events


def _place(record: jsonl.Record) -> Place:
    return (record.number, record.offset, record.length)


def _records(
    found: TranscriptFound, module: Any, session: str, cancelled: Cancelled | None
) -> Iterator[jsonl.Record]:
    """The records of one session, whatever form its transcript has."""
    from spillview.content.content import open_content
    from spillview.transcripts import documents, event_log, folders, tables

    if is_rows(found.form, module):
        yield from tables.records(module, found.path, session, cancelled)
    elif found.form == "jsonl":
        yield from _lines(found, getattr(module, "NEEDLES", ()), cancelled)
    elif found.form == "json-dir":
        names = folders.names_in(found.path)
        for record in folders.records(found.path, names, 0, cancelled):
            if record is not None:
                yield record
    elif found.form == "json":
        content = open_content(found.path)
        try:
            arrays = event_log.arrays_of(module)
            outline = documents.outline(content, arrays, cancelled)
            first = documents.first_record(content, outline)
            yield jsonl.Record(0, 0, 0, 0, first)
            for record in documents.records(content, outline):
                if cancelled is not None and cancelled():
                    return
                if record is not None:
                    yield record
        finally:
            content.close()


def _lines(
    found: TranscriptFound, needles: tuple[bytes, ...], cancelled: Cancelled | None
) -> Iterator[jsonl.Record]:
    """The lines that hold a needle, or all where none are named."""
    from spillview.content.content import open_content
    from spillview.transcripts import frames

    content = open_content(found.path)
    try:
        chunks: Iterable[bytes]
        if frames.is_compressed(content):
            chunks = frames.Frames(content, frames.Mark(0, 0), cancelled)
        else:
            chunks = jsonl.pieces(content.pread, 0, content.size, cancelled)
        yield from jsonl.Scanner(
            chunks,
            needles,
            lambda hits, data: bool(hits) or not needles,
            idle=lambda: bool(needles),
            exact=False,
        )
    finally:
        content.close()
