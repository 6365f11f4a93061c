"""Rows of `ls --json` as lines of bytes, of very many artifacts.

The lines of a session that stands for itself (see `sheets`) are kept in the cache once
they are complete, and hold while neither it nor what its rows depend on changes. Files
of one folder of which nothing is known but their entries have lines that are alike but
for a few fields. All others are made from their artifacts.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING

from spillview import looks
from spillview.cache import BATCH
from spillview.permissions import world_readable
from spillview.rows import artifact_row
from spillview.text import iso

if TYPE_CHECKING:
    from spillview.catalogue import Catalogue
    from spillview.entries import Common
    from spillview.listing import Listing
    from spillview.model import Artifact
    from spillview.sheets import Group, Sheet

FORM = 1
"""Raised whenever `rows.artifact_row` says something else of the same artifact."""

MOST = 16 << 20
"""Bytes of lines that are held at once, of those known and of those not kept yet."""

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
    rest: list[int] = []
    run, known = range(0), False
    for index, place in enumerate(order):
        if place not in run:
            group = finds.group(place)
            run, known = lines.run(group), lines.has(group)
        if not known:
            rest.append(index)
    made = iter(completing(listing.pick(rest))) if rest else iter(())
    run, held = range(0), list[bytes]()
    for place in order:
        if place in run:
            yield held[place - run.start], False
            continue
        group = finds.group(place)
        if lines.has(group):
            held = lines.of(group)
            run = lines.run(group)
            yield held[bisect_left(lines.places(group), place)], False
        else:
            artifact = next(made)
            line = dump(artifact)
            lines.learn(group, place, artifact, line)
            yield line, artifact.error is not None
    lines.keep()


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
        self.blank = self.blank and catalogue.holding is None
        self._has: dict[Group, bool] = {}
        self._blank: set[Group] = set()
        self._held: OrderedDict[Group, list[bytes]] = OrderedDict()
        self._held_bytes = 0
        self._new: dict[Group, dict[int, bytes]] = {}
        self._new_bytes = 0
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

    def run(self, group: Group) -> range:
        """The same where they stand together; else an empty range."""
        places = self.records.places(group)
        return places if isinstance(places, range) else range(0)

    def of(self, group: Group) -> list[bytes]:
        """The lines of a session."""
        held = self._held.get(group)
        if held is None:
            held = self._held[group] = self._load(group)
            self._held_bytes += sum(map(len, held))
            while self._held_bytes > MOST and len(self._held) > 1:
                _, old = self._held.popitem(last=False)
                self._held_bytes -= sum(map(len, old))
        return held

    def _load(self, group: Group) -> list[bytes]:
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
        said: tuple[object, ...]
        said = (FORM, looks.RULES, sheet.token, given, repr(chosen), open_to_all)
        holding = catalogue.holding.mark(group) if catalogue.holding else []
        said = (*said, holding) if holding else said
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
        known = self._new.setdefault(group, {})
        known[place] = line
        self._new_bytes += len(line)
        places = self.records.places(group)
        if len(known) == len(places):
            lines = [known[each] for each in places]
            self._new_bytes -= sum(map(len, lines))
            del self._new[group]
            self._ready[group] = (self._token(group, sheet), lines)
            if len(self._ready) >= BATCH:
                self.keep()
        elif self._new_bytes > MOST:  # of too many sessions at once
            self._new.clear()
            self._new_bytes = 0

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
