"""What orders, counts and narrows very many artifacts: columns of numbers.

An artifact's gist is what the queue asks of it without drawing it. The columns hold
about 75 bytes of each; they are those of the artifact itself, with all that was known
of it when it was taken.
"""

from __future__ import annotations

import json
import math
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from spillview.catalogue import picks, triage
from spillview.hints import TYPE_CHECKING
from spillview.json_text import loads
from spillview.model import Artifact
from spillview.review.reviewed import holds

if TYPE_CHECKING:
    from spillview.catalogue.finds import Finds
    from spillview.cleanup.pins import Pinned
    from spillview.secrets.kept import Known

FORM = 2
"""Raised whenever a column, or what it says of the same artifact, changes."""

UNKNOWN = -1
"""Stands for a number that is not known."""

NEVER = -math.inf
"""Stands for the time of a mark that was not set."""

COUNTED = 1
"""It has counts."""
CONTENT = 1 << 1
"""It has something to count."""
READ_BACK = 1 << 2
"""Its own session read some of it."""
WENT_ON = 1 << 3
"""The agent went on from what the envelope showed."""
VERDICT_UNSEEN = 1 << 4
"""The model did not receive its last line."""
GROWING = 1 << 5
MODELLESS = 1 << 6
"""See `Artifact.modelless`."""
CHAINED = 1 << 7
"""Reads of it were spilled again, or it came of such a read."""
SECRET = 1 << 12
"""It is known to hold what looks like a credential."""
PINNED = 1 << 13
"""It, or its session, is pinned."""

OUTER = GROWING | SECRET | PINNED
"""Of which the file and its session alone do not tell: set anew at each scan."""

PICKED = {
    name: 1 << bit
    for bit, name in enumerate(("errors", "unread", "orphan", "partial"), 8)
}
"""The bits of the kinds that a reviewer may see alone."""

_FLAGS = {"growing": GROWING, "secret-like": SECRET, "pinned": PINNED}
"""The bits of flags that an artifact may get and lose."""

_COLUMNS = (
    ("idents", "Q"),
    ("ranks", "B"),
    ("bits", "H"),
    ("sizes", "q"),
    ("unseen", "q"),
    ("chars", "q"),
    ("lines", "q"),
    ("coverage", "d"),
    ("ratios", "d"),
    ("created", "d"),
    ("changed", "d"),
)
"""The columns that are kept; marks are a person's and stand in no cache."""

WIDTH = sum(array(code).itemsize for _, code in _COLUMNS)
"""Bytes of one gist."""

WorstFirst = tuple[int, bool, bool, int, float, int]


class Gists:
    """The gists of as many artifacts as a scan found, each at its place."""

    __slots__ = (
        "_by_ident",
        "bits",
        "chains",
        "changed",
        "chars",
        "coverage",
        "created",
        "done",
        "idents",
        "lines",
        "ranks",
        "ratios",
        "reviewed",
        "sessions",
        "sizes",
        "unseen",
        "version",
        "versions",
    )

    def __init__(self, sessions: Sequence[str]) -> None:
        """`sessions`: of each, as far as it is known."""
        number = len(sessions)

        def column(code: str) -> array[int]:
            return array(code, bytes(array(code).itemsize * number))

        self.sessions = list(sessions)
        """The true session id once known; before that what the layout gives."""
        self.idents = column("Q")
        """The ids as numbers: 16 hex digits."""
        self.ranks = column("B")
        """`triage.Rank`."""
        self.bits = column("H")
        self.sizes = column("q")
        """Bytes of the file."""
        self.unseen = column("q")
        """Bytes that the model is not known to have received."""
        self.chars = column("q")
        self.lines = column("q")
        self.coverage = array("d", bytes(8 * number))
        """The share of its bytes that the model received."""
        self.ratios = array("d", bytes(8 * number))
        self.created = array("d", bytes(8 * number))
        self.changed = array("d", bytes(8 * number))
        self.reviewed = array("d", [NEVER]) * number
        """When the person marked it as it is now; `NEVER` if not."""
        self.chains: dict[int, tuple[str, ...]] = {}
        """See `Link.chain`; of the few that have one."""
        self.done = bytearray(number)
        """Whether all there is to know of it is known."""
        self.versions = array("I", bytes(4 * number))
        """How often each was taken."""
        self.version = 0
        """How often any was."""
        self._by_ident: array[int] | None = None

    def __len__(self) -> int:
        return len(self.sessions)

    # Filling

    def take(self, place: int, artifact: Artifact) -> None:
        """What an artifact says; its mark is left as it is."""
        counts, link = artifact.counts, artifact.link
        bits = 0
        if counts is not None:
            bits |= COUNTED
        if artifact.has_content:
            bits |= CONTENT
        if triage.read_back(artifact):
            bits |= READ_BACK
        if triage.went_on(artifact):
            bits |= WENT_ON
        if artifact.verdict_seen is False:
            bits |= VERDICT_UNSEEN
        for flag, bit in _FLAGS.items():
            if flag in artifact.flags:
                bits |= bit
        if artifact.modelless:
            bits |= MODELLESS
        for name, bit in PICKED.items():
            if picks.PICKS[name].admits(artifact):
                bits |= bit
        self.chains.pop(place, None)
        if link is not None and link.chain:
            bits |= CHAINED
            self.chains[place] = link.chain
        coverage, ratio = triage.coverage(artifact), artifact.ratio
        self.idents[place] = int(artifact.id, 16)
        self.ranks[place] = triage.rank(artifact)
        self.bits[place] = bits
        self.sizes[place] = artifact.found.size
        self.unseen[place] = triage.unseen_bytes(artifact)
        self.chars[place] = UNKNOWN if counts is None else counts.chars
        self.lines[place] = UNKNOWN if counts is None else counts.lines
        self.coverage[place] = UNKNOWN if coverage is None else coverage
        self.ratios[place] = UNKNOWN if ratio is None else ratio
        self.created[place] = artifact.created
        self.changed[place] = artifact.changed
        self.sessions[place] = artifact.session
        self.versions[place] += 1
        self.version += 1

    def take_entries(
        self,
        places: range,
        idents: Iterable[int],
        sizes: array[int],
        created: array[float],
    ) -> None:
        """What mere directory entries of regular files say."""
        here, number = slice(places.start, places.stop), len(places)
        self.idents[here] = array("Q", idents)
        self.ranks[here] = array("B", [triage.Rank.REST]) * number
        self.bits[here] = array("H", [CONTENT]) * number
        self.sizes[here] = self.unseen[here] = sizes
        self.chars[here] = self.lines[here] = array("q", [UNKNOWN]) * number
        self.coverage[here] = self.ratios[here] = array("d", [UNKNOWN]) * number
        self.created[here] = self.changed[here] = created

    def review(self, place: int, when: float | None, now: float) -> None:
        """Set the person's mark, which holds of the artifact as it is `now`."""
        if when is None or not holds(when, self.changed[place], now):
            when = NEVER
        self.reviewed[place] = when

    def set_pins(self, finds: Finds, pinned: Pinned | None) -> set[int]:
        """Set what is pinned now; the places where that changed."""
        wanted: set[int] = set()
        if pinned is not None:
            places = map(self.place_of, pinned.ids)
            wanted = {place for place in places if place is not None}
            if pinned.sessions:
                names = {session for _, session in pinned.sessions}
                for place, session in enumerate(self.sessions):
                    laid = finds.session(place)
                    if (session in names or laid in names) and pinned.why(
                        "", ((finds.harness(place), s) for s in (session, laid))
                    ):
                        wanted.add(place)
        before = {place for place, bits in enumerate(self.bits) if bits & PINNED}
        changed = before ^ wanted
        for place in changed:
            self.bits[place] ^= PINNED
        return changed

    def set_secrets(self, finds: Finds, holding: Known) -> None:
        """Set which are known to hold what looks like a credential."""
        for group, places in finds.groups().items():
            for place in places if holding.is_in(group) else ():
                secrets = holding.of(finds[place])
                if secrets is not None and secrets.items:
                    self.bits[place] |= SECRET

    # Keeping

    def pack(self, places: Sequence[int]) -> bytes:
        """The gists of these, as `load` takes them."""
        told = {name: [getattr(self, name)[p] for p in places] for name, _ in _COLUMNS}
        told["bits"] = [bits & ~OUTER for bits in told["bits"]]
        data = b"".join(array(code, told[name]).tobytes() for name, code in _COLUMNS)
        if not self.chains:
            return data
        chains = {
            index: self.chains[place]
            for index, place in enumerate(places)
            if place in self.chains
        }
        return data + json.dumps(chains).encode() if chains else data

    def load(self, places: Sequence[int], data: bytes) -> bool:
        """Take what was packed of these; whether it fits them."""
        number = len(places)
        chains: dict[str, list[str]] = {}
        if len(data) < WIDTH * number:
            return False
        if len(data) > WIDTH * number:
            try:
                chains = loads(data[WIDTH * number :])
            except ValueError:
                return False
        start = 0
        for name, code in _COLUMNS:
            column, part = getattr(self, name), array(code)
            end = start + part.itemsize * number
            part.frombytes(data[start:end])
            start = end
            if isinstance(places, range):
                column[places.start : places.stop] = part
            else:
                for place, value in zip(places, part, strict=True):
                    column[place] = value
        for index, chain in chains.items():
            self.chains[places[int(index)]] = tuple(map(sys.intern, chain))
        return True

    # Single facts

    def ident(self, place: int) -> str:
        """The id of one."""
        return f"{self.idents[place]:016x}"

    def place_of(self, ident: str) -> int | None:
        """Where the artifact of that id is; None where it is not among them."""
        order = self._by_ident
        if order is None:
            order = array("i", sorted(range(len(self)), key=self.idents.__getitem__))
            self._by_ident = order
        try:
            wanted = int(ident, 16)
        except ValueError:  # no id, but the mark of something else
            return None
        at = bisect_left(order, wanted, key=self.idents.__getitem__)
        if at == len(order) or self.idents[order[at]] != wanted:
            return None
        return order[at]

    def is_reviewed(self, place: int) -> bool:
        """Whether the person marked it."""
        return self.reviewed[place] != NEVER

    def worst_first(self, place: int) -> WorstFirst:
        """Its sort key: the same order as that of `triage.worst_first`."""
        bits = self.bits[place]
        after_all = len(triage.Rank) if self.reviewed[place] != NEVER else 0
        return (
            after_all + self.ranks[place],
            bits & READ_BACK != 0,
            bits & WENT_ON == 0,
            -self.unseen[place],
            -self.created[place],
            self.idents[place],
        )

    def flags(self, place: int) -> str:
        """The flags that it may get and lose, with blanks between them."""
        bits = self.bits[place]
        if not bits & OUTER:
            return ""
        return " ".join(flag for flag, bit in _FLAGS.items() if bits & bit)

    def admits(self, name: str, place: int) -> bool:
        """Whether the kind of that name (see `picks.PICKS`) admits one."""
        if name == "failed":
            return self.ranks[place] == triage.Rank.FAILED_UNSEEN
        if name == "chain":
            return self.bits[place] & CHAINED != 0
        return self.bits[place] & (PICKED.get(name) or _FLAGS.get(name, 0)) != 0
