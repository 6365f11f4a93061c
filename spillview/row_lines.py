"""Rows of `ls --json` as lines of bytes, of very many artifacts.

The lines of a session that stands for itself (see `sheets`) are kept in the cache once
they are complete, and hold while neither it nor what its rows depend on changes. Files
of one folder of which nothing is known but their entries have lines that are alike but
for a few fields. All others are made from their artifacts.
"""

from __future__ import annotations

import os
import pickle
import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from spillview import looks
from spillview.cache import BATCH
from spillview.compression import zstd
from spillview.digests import blake2b, sha256
from spillview.permissions import world_readable
from spillview.rows import artifact_row
from spillview.text import iso

if TYPE_CHECKING:
    from spillview.catalogue import Catalogue
    from spillview.entries import Common
    from spillview.finds import Finds
    from spillview.listing import Listing
    from spillview.model import Artifact
    from spillview.sheets import Group, Sheet

FORM = 1
"""Raised whenever `rows.artifact_row` says something else of the same artifact."""

MOST = 16 << 20
"""Bytes of lines not kept yet that are held as they are."""

FIRST = 256
"""The lines of so many artifacts are looked up together at first."""

WINDOW = 16_384
"""And of so many later: where sessions alternate, each is loaded once for them."""

ALIKE = 8192
"""Lines of so many files are written at once because they are alike."""

_PLAIN = re.compile(r"[\w.,@ +=-]+", re.ASCII)
_VARYING = ("id", "path", "name", "call_id", "modified", "bytes")
_BARE = ("call_id", "modified", "bytes")
"""Of those, what need not be a text."""

_CHANGING = {"growing", "pinned"}
"""Flags of which the file itself tells nothing."""
_SAID = {"session", "tool", "label", "stream", "content", "digest"}

Completing = Callable[["Listing"], Iterable["Artifact"]]
"""Gives each artifact of a listing in its order, as complete as it is to be."""


def row_lines(
    catalogue: Catalogue, listing: Listing, completing: Completing, *, complete: bool
) -> Iterator[tuple[bytes, bool]]:
    """The line of each artifact, and whether it could not be read.

    `complete`: whether `completing` counts and links, so that its lines may be kept.
    """
    lines = _Lines(catalogue, listing, complete)
    finds, order = listing.table.finds, listing.order
    starts = _starts(finds, order)
    rest: list[int] = []
    for start, end in pairwise(starts):
        if not lines.has(finds.group(order[start])):
            rest += range(start, end)
    made = iter(completing(listing.pick(rest))) if rest else iter(())
    for window in _windows(starts):
        held = _Held(lines, order, window)
        for start, end in pairwise(window):
            group = finds.group(order[start])
            known = held.lines(group, start, end)
            if known is not None:
                for line in known:
                    yield line, False
                continue
            for place in order[start:end]:
                artifact = next(made)
                line = dump(artifact)
                lines.learn(group, place, artifact, line)
                yield line, artifact.error is not None
    lines.keep()


def _starts(finds: Finds, order: Sequence[int]) -> array[int]:
    """Where in the order a stretch of one session's artifacts begins, and its end."""
    starts = array("i")
    run = range(0)
    before: Group | None = None
    for index, place in enumerate(order):
        if place in run:
            continue
        run = finds.run(place)
        group = finds.group(place)
        if group != before:
            starts.append(index)
            before = group
    starts.append(len(order))
    return starts


def _windows(starts: Sequence[int]) -> Iterator[Sequence[int]]:
    """Stretches that are looked up together: few at first, more later."""
    begin, size = 0, FIRST
    while begin < len(starts) - 1:
        end = begin + 1
        while end < len(starts) - 1 and starts[end] - starts[begin] < size:
            end += 1
        yield starts[begin : end + 1]
        begin, size = end, min(WINDOW, 2 * size)


class _Held:
    """The known lines of one window; a session that comes more than once is loaded
    once, and only its lines in the window are held."""

    def __init__(
        self, lines: _Lines, order: Sequence[int], window: Sequence[int]
    ) -> None:
        self._lines = lines
        self._order = order
        self._stretches: dict[Group, list[tuple[int, int]]] = {}
        for start, end in pairwise(window):
            group = lines.finds.group(order[start])
            self._stretches.setdefault(group, []).append((start, end))
        self._held: dict[Group, dict[int, bytes]] = {}

    def lines(self, group: Group, start: int, end: int) -> Iterable[bytes] | None:
        """The lines of a stretch; None where they are not known."""
        if not self._lines.has(group):
            return None
        stretches = self._stretches[group]
        places = self._order[start:end]
        if len(stretches) == 1:
            return self._picked(group, places)
        held = self._held.get(group)
        if held is None:
            wanted = [p for a, b in stretches for p in self._order[a:b]]
            picked = self._picked(group, wanted)
            held = self._held[group] = dict(zip(wanted, picked, strict=True))
        return map(held.__getitem__, places)

    def _picked(self, group: Group, places: Sequence[int]) -> Iterable[bytes]:
        every = self._lines.of(group)
        own = self._lines.places(group)
        if isinstance(own, range):
            first = own.start
            return [every[place - first] for place in places]
        return [every[bisect_left(own, place)] for place in places]


def dump(artifact: Artifact) -> bytes:
    """The line of one artifact."""
    import orjson

    return orjson.dumps(artifact_row(artifact), option=orjson.OPT_APPEND_NEWLINE)


def _json(text: str | None) -> str:
    return "null" if text is None else f'"{text}"'


class _Lines:
    """The lines of whole sessions: kept, alike, or learnt from their artifacts."""

    def __init__(self, catalogue: Catalogue, listing: Listing, complete: bool) -> None:
        self.catalogue = catalogue
        self.finds = listing.table.finds
        self.sessions = listing.table.sessions
        self.complete = complete
        self.records = catalogue.standing
        self.cache = catalogue.cache
        self.fit = self.finds is catalogue.finds and catalogue.boundary is None
        self.tokens = self.cache.line_tokens() if self.fit else {}
        self.growing: set[Group] = set()
        if complete and self.tokens:
            self.growing = catalogue.growing_in(listing)
        self.blank = self.fit and not complete and not self.cache.has_counts()
        self._has: dict[Group, bool] = {}
        self._blank: set[Group] = set()
        self._new = _Unfinished()
        self._ready: dict[Group, tuple[str, list[bytes]]] = {}

    def has(self, group: Group) -> bool:
        """Whether the lines of a session are known without its artifacts."""
        known = self._has.get(group)
        if known is None:
            known = self._has[group] = self.fit and self._known(group)
        return known

    def _known(self, group: Group) -> bool:
        sheet = self.records.sheets().get(group)
        if sheet is None:
            if self.blank and self._is_blank(group):
                self._blank.add(group)
            return group in self._blank
        token = self.tokens.get(group)
        return (
            token is not None
            and group not in self.growing
            and token == self._token(group, sheet)
        )

    def places(self, group: Group) -> Sequence[int]:
        """The places of a session's artifacts, in the order of its lines."""
        return self.records.places(group)

    def of(self, group: Group) -> Sequence[bytes]:
        """The lines of a session."""
        places = self.records.places(group)
        if group in self._blank:
            return list(self._alike(places))
        lines = self.cache.lines(group)
        if len(lines) != len(places):  # damaged, or replaced meanwhile
            return [self._made(place) for place in places]
        if self.catalogue.has_notes:
            for index, place in enumerate(places):
                sessions = {group, (group[0], self.sessions[place])}
                if self.catalogue.is_noted(self.finds.ident(place), sessions):
                    lines[index] = self._made(place)
        return lines

    def _made(self, place: int) -> bytes:
        """The line of one artifact with what is known of it."""
        return dump(self.catalogue.artifact_at(place))

    # Lines that are kept

    def _token(self, group: Group, sheet: Sheet) -> str:
        """What a session's lines hold for."""
        catalogue, finds = self.catalogue, self.finds
        places = self.records.places(group)
        env = catalogue.places.env
        rules = catalogue.profile(group[0]).boundaries
        given = [env.get(rule.env) for rule in rules if rule.env]
        chosen = catalogue.settings.boundaries.get(group[0])
        open_to_all = [world_readable(p, 0o004) for p in finds.a_path_of_each(places)]
        said = (FORM, looks.RULES, sheet.token, given, repr(chosen), open_to_all)
        digest = blake2b(repr(said).encode("utf-8", "replace"), digest_size=12)
        digest.update(finds.modes(places))
        return digest.hexdigest()

    def learn(self, group: Group, place: int, artifact: Artifact, line: bytes) -> None:
        """Take a line that was made; those of a whole session are kept."""
        sheet = self.records.sheets().get(group)
        if not self.complete or not self.fit or sheet is None:
            return
        if artifact.counts is None or artifact.reviewed is not None:
            return
        if artifact.error is not None or not _CHANGING.isdisjoint(artifact.flags):
            return
        self._new.add(group, place, line)
        places = self.records.places(group)
        if self._new.number(group) == len(places):
            known = self._new.take(group)
            lines = [known[each] for each in places]
            self._ready[group] = (self._token(group, sheet), lines)
            if len(self._ready) >= BATCH:
                self.keep()

    def keep(self) -> None:
        """Write what was learnt."""
        if self._ready:
            self.cache.store_lines(self._ready)
            self._ready = {}

    # Lines that are alike

    def _is_blank(self, group: Group) -> bool:
        """Whether only the entries of one folder say anything of a session."""
        places = self.records.places(group)
        if not isinstance(places, range) or len(places) > ALIKE:
            return False
        if self.records.is_open(group):
            return False
        common = self.finds.folder_of(places)
        return (
            common is not None
            and common.last.anything == ""
            and not common.profile.session_in_names
            and not self.catalogue.has_notes
        )

    def _alike(self, places: Sequence[int]) -> Iterator[bytes]:
        """The lines of files in one folder of which only the entries are known."""
        finds = self.finds
        common = finds.folder_of(places)
        assert common is not None
        forms: dict[tuple[int, int], tuple[str, ...] | None] = {}
        start = sha256(os.fsencode(os.path.join(common.real, "")))
        for place in places:
            name, mode = finds.name(place), finds.mode(place)
            read = common.profile.read_name(name)
            kind = (id(read[0]) if read else 0, mode)
            if kind not in forms:
                forms[kind] = self._form(common, place)
            form = forms[kind]
            if form is None or _PLAIN.fullmatch(name) is None:
                yield self._made(place)
                continue
            ident = start.copy()
            ident.update(name.encode())
            call = read[1].get("call_id") if read else None
            moment = iso(finds.mtimes[place] / 1e9)
            first, a, b, c, d, e, last = form
            yield (
                f"{first}{ident.hexdigest()[:16]}{a}{name}{b}{name}{c}{_json(call)}{d}"
                f"{_json(moment)}{e}{finds.sizes[place]}{last}"
            ).encode()

    def _form(self, common: Common, place: int) -> tuple[str, ...] | None:
        """The parts between the varying fields of a line; None if more varies."""
        read = common.profile.read_name(self.finds.name(place))
        if read is not None and (
            _SAID & set(read[0].pattern.groupindex) or "<" in (read[0].tool or "")
        ):
            return None
        import orjson

        row = artifact_row(self.catalogue.artifact_at(place))
        if "path_b64" in row:
            return None
        for name in _VARYING:
            row[name] = f"\1{name}\1"
        row["path"] = common.below + row["path"]
        rest = orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE).decode()
        parts: list[str] = []
        for name in _VARYING:
            mark = f"\\u0001{name}\\u0001"
            if name in _BARE:
                mark = f'"{mark}"'
            part, found, rest = rest.partition(mark)
            if not found:
                return None
            parts.append(part)
        return (*parts, rest)


class _Unfinished:
    """Lines of sessions of which not every line is made yet; packed if they are many.

    Where sessions alternate in a list, all are unfinished until its end.
    """

    def __init__(self) -> None:
        self._number: dict[Group, int] = {}
        self._lines: dict[Group, dict[int, bytes]] = {}
        self._bytes = 0
        self._packed: dict[Group, list[bytes]] = {}

    def add(self, group: Group, place: int, line: bytes) -> None:
        """Take a session's next line."""
        # Of its own: one by orjson has kilobytes of room behind it.
        self._lines.setdefault(group, {})[place] = bytes(memoryview(line))
        self._number[group] = self.number(group) + 1
        self._bytes += len(line)
        if self._bytes > MOST:
            for each, lines in self._lines.items():
                packed = zstd().compress(pickle.dumps(lines, -1), 1)
                self._packed.setdefault(each, []).append(packed)
            self._lines, self._bytes = {}, 0

    def number(self, group: Group) -> int:
        """How many lines there are of a session."""
        return self._number.get(group, 0)

    def take(self, group: Group) -> dict[int, bytes]:
        """Give the lines of a session, by place, and forget them."""
        del self._number[group]
        lines = self._lines.pop(group, {})
        self._bytes -= sum(map(len, lines.values()))
        for packed in self._packed.pop(group, ()):
            lines |= pickle.loads(zstd().decompress(packed))
        return lines
