"""Every result of a session: which call it answers, when, how large, and what it cost.

Made of the same events as links and turns are, so that it is known for every reader
that gives them, and kept in the cache for as long as its transcript stays as it is.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from spillview.model import BYTES_PER_TOKEN
from spillview.text import path_text
from spillview.transcripts.calls import command_of
from spillview.transcripts.events import (
    About,
    Called,
    Compacted,
    Event,
    Prompted,
    Returned,
    Said,
)

if TYPE_CHECKING:
    from spillview.catalogue.cache import Cache
    from spillview.discovery.discovery import TranscriptFound
    from spillview.profiles.profile import Profile
    from spillview.transcripts.turns import Place

KEPT = 50_000
"""So many results of one session are kept, the newest."""

WAITING = 4096
"""So many calls are remembered until their result comes."""

TEXT = 2_000
"""Chars of a command that are kept, as everywhere."""

HOOKED = 10_000
"""Chars that are kept of a command which the hook rewrote."""

_ASIDE = ("run_in_background", "background", "is_background", "isBackground")

RULES = "results 1"
"""Changes with the meaning of what is kept."""

_NUMBER = re.compile(r"\s*[-+]?\d[\d,_]{0,17}(?:\.\d{1,9})?\s*", re.ASCII)

Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Result:
    """One result as the model received it: whole, cut, or an envelope."""

    call_id: str | None
    tool: str | None
    command: str | None
    """The command line where the tool has one, else its arguments; at most `TEXT`."""
    called: float | None
    """When it was called, seconds since the epoch."""
    returned: float | None
    bytes: int
    chars: int
    utf16: int
    lines: int
    number: float | None
    """The number that it is, where it is nothing else."""
    record: int
    offset: int
    length: int
    block: int
    background: bool
    """Whether the command went on without it: then this is none of its output."""
    lane: str
    """Whose it is: the main agent's (empty) or a subagent's."""
    turn: int
    """How many turns of its lane had begun before it."""
    until: int
    """How many had begun when the context was compacted next, or the session ended."""

    @property
    def place(self) -> Place:
        """Where its record is."""
        return (self.record, self.offset, self.length)

    @property
    def time(self) -> float | None:
        """Of the call, else of the result; seconds since the epoch."""
        return self.called if self.called is not None else self.returned

    @property
    def tokens(self) -> int:
        """Estimated tokens: bytes / 4, rounded up."""
        return -(-self.bytes // BYTES_PER_TOKEN)


@dataclass(slots=True)
class Results:
    """The results of one session of a transcript, in their order."""

    results: list[Result] = field(default_factory=list)
    turns: dict[str, list[int]] = field(default_factory=dict)
    """By lane, a digest of each turn: equal in the copies of forks. 0: not known."""
    compacts: bool = False
    """Whether the records say where the context was compacted."""
    left_out: int = 0
    """Older results that are not kept."""
    project: str | None = None
    version: str | None = None

    def to_json(self) -> bytes:
        """For the cache."""
        import orjson

        rows = [[getattr(row, name) for name in _FIELDS] for row in self.results]
        return orjson.dumps(
            {
                "results": rows,
                "turns": self.turns,
                "compacts": self.compacts,
                "left_out": self.left_out,
                "project": self.project,
                "version": self.version,
            }
        )

    @classmethod
    def from_json(cls, data: bytes) -> Results | None:
        """What was kept; None where it is something else."""
        import orjson

        try:
            row = orjson.loads(data)
            known = [Result(*each) for each in row.pop("results")]
            return cls(known, **row)
        except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
            return None


_FIELDS = tuple(Result.__dataclass_fields__)


@dataclass(slots=True)
class _Call:
    tool: str | None = None
    command: str | None = None
    time: float | None = None
    background: bool = False


class _Lane:
    """The turns of one agent, by moment."""

    def __init__(self) -> None:
        self.moments: list[int] = []
        self.digests: list[int] = []
        self.compacted: list[int] = []
        self.message: str | None = None
        self.told = False


class Ledger:
    """Takes the events of one session into its results."""

    def __init__(self, agent: str | None = None, project: str | None = None) -> None:
        """`agent`: the subagent that all of it is."""
        self._agent = agent
        self._now = 0
        self._lanes: dict[str, _Lane] = {}
        self._calls: OrderedDict[str, _Call] = OrderedDict()
        self._answered: OrderedDict[int, None] = OrderedDict()
        self._kept: deque[tuple[int, Result]] = deque(maxlen=KEPT)
        self._taken = 0
        self._project = project
        self._version: str | None = None

    def take(self, place: Place, events: Iterable[Event]) -> None:
        """Take what a record tells."""
        from spillview.transcripts.blocks import blocks_of

        block = 0
        for event in events:
            self._now += 1
            if isinstance(event, About):
                self._project = self._project or event.project
                self._version = event.version or self._version
            elif isinstance(event, Called):
                self._called(event)
            elif isinstance(event, Said):
                self._turn(event.agent, event.message, event.time)
            elif isinstance(event, Compacted):
                self._lane(event.agent).compacted.append(self._now)
            elif isinstance(event, Prompted):
                lane = self._lane(event.agent)
                lane.told = False
                if event.place == "prompt":
                    lane.message = None
                block += 1
            elif isinstance(event, Returned):
                self._lane(event.agent).told = False
                self._returned(event, place, block)
                block += len(blocks_of((event,)))

    def close(self, *, compacts: bool) -> Results:
        """Everything that was taken."""
        found = Results(
            turns={name: lane.digests for name, lane in self._lanes.items()},
            compacts=compacts,
            left_out=self._taken - len(self._kept),
            project=self._project,
            version=self._version,
        )
        for moment, result in self._kept:
            lane = self._lanes[result.lane]
            end = bisect_right(lane.compacted, moment)
            last = len(lane.moments)
            if end < len(lane.compacted):
                last = bisect_right(lane.moments, lane.compacted[end])
            found.results.append(replace(result, until=last))
        return found

    def _name(self, agent: str | None) -> str:
        return "" if self._agent else agent or ""

    def _lane(self, agent: str | None) -> _Lane:
        return self._lanes.setdefault(self._name(agent), _Lane())

    def _turn(self, agent: str | None, message: str | None, time: float | None) -> None:
        """The agent spoke: in a new turn, unless it is its last word still."""
        lane = self._lane(agent)
        same = lane.told if message is None else message == lane.message
        lane.told = True
        if same:
            return
        lane.message = message
        lane.moments.append(self._now)
        # Names of messages alone may be the same in every session (`1:2`).
        known = message is not None and time is not None
        text = f"{self._agent or agent or ''}\0{message}\0{time:.3f}" if known else ""
        lane.digests.append(_digest(text) if known else 0)

    def _called(self, event: Called) -> None:
        key = self._key(event.agent, event.id)
        if hash(key) in self._answered or key in self._calls:
            return  # a record that was written again
        self._turn(event.agent, event.message, event.time)
        command = command_of(_plain(event.arguments))
        self._calls[key] = _Call(
            event.tool or None,
            _cut(command),
            event.time,
            _in_background(event.arguments),
        )
        if len(self._calls) > WAITING:
            self._calls.popitem(last=False)

    def _returned(self, event: Returned, place: Place, block: int) -> None:
        if not any(event.texts):
            return
        call = _Call(event.tool, None, None)
        if event.call_id is not None:
            key = self._key(event.agent, event.call_id)
            if hash(key) in self._answered:
                return
            self._answered[hash(key)] = None
            if len(self._answered) > KEPT:
                self._answered.popitem(last=False)
            call = self._calls.pop(key, call)
        command = call.command
        if command is None:
            command = _cut(command_of(_plain(event.arguments)))
        lane = self._lane(event.agent)
        self._taken += 1
        result = Result(
            event.call_id,
            call.tool or event.tool,
            command,
            call.time,
            event.time,
            *sizes(event.texts),
            _number(event.texts),
            *place,
            block,
            call.background,
            self._name(event.agent),
            len(lane.moments),
            0,
        )
        self._kept.append((self._now, result))

    def _key(self, agent: str | None, call_id: str) -> str:
        return f"{self._name(agent)}\0{call_id}"


def sizes(texts: Iterable[str]) -> tuple[int, int, int, int]:
    """Bytes, chars, UTF-16 units and lines of a result's texts."""
    size = chars = wide = lines = 0
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        size += len(data)
        chars += len(text)
        if not text.isascii() and max(text) > "\uffff":
            wide += sum(char > "\uffff" for char in text)
        lines += text.count("\n") + (text[-1:] not in ("", "\n"))
    return size, chars, chars + wide, lines


def _cut(command: str | None) -> str | None:
    """A command as it is kept; what the hook made of one holds it twice."""
    if not command:
        return None
    hooked = " hook ready >/dev/null" in command[:HOOKED]
    return path_text(command[: HOOKED if hooked else TEXT])


def _in_background(arguments: Any) -> bool:
    """Whether a call lets its command go on, and returns at once."""
    given = _plain(arguments)
    return isinstance(given, dict) and any(given.get(key) is True for key in _ASIDE)


def _number(texts: tuple[str, ...]) -> float | None:
    if len(texts) != 1 or len(texts[0]) > 64:
        return None
    return number_in(texts[0])


def number_in(text: str) -> float | None:
    """The number that a text is, if it is nothing else: `1,204` or ` 117` or `3.5`."""
    if _NUMBER.fullmatch(text) is None:
        return None
    return float(text.strip().replace(",", "").replace("_", ""))


def _digest(text: str) -> int:
    data = text.encode("utf-8", "surrogatepass")
    # 63 bits, and never 0, which stands for what is not known.
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big") >> 1 | 1


def _plain(arguments: Any) -> Any:
    from spillview.transcripts.blocks import plain_arguments

    return plain_arguments(arguments)


def results_of(
    found: TranscriptFound,
    profile: Profile,
    session: str,
    cache: Cache,
    cancelled: Cancelled | None = None,
) -> Results:
    """The results of one session of a transcript, from the cache where it holds.

    None for a reader without events. Bounded memory. Raises `Unreadable`. What was
    read until `cancelled` turned true is given, and not kept.
    """
    from spillview.transcripts import READERS, reader_of, turns

    if found.reader not in READERS:
        return Results()
    name, rules = f"{found.path}\0results\0{session}", f"{RULES} {profile.rules}"
    stored = cache.facts(name, rules, found.key)
    if stored is not None and stored[0]:
        known = Results.from_json(stored[1])
        if known is not None:
            return known
    module = reader_of(found.reader, profile)
    ledger = Ledger(found.agent, found.project)
    for place, events in turns.told(found, module, session, cancelled):
        ledger.take(place, events)
    results = ledger.close(compacts=bool(getattr(module, "COMPACTS", False)))
    if cancelled is None or not cancelled():
        cache.store_facts(name, rules, found.key, results.to_json())
    return results
