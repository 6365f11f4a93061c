"""Lines of whole sessions: kept by the cache, alike, or learnt from their artifacts."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from spillview.catalogue import looks
from spillview.catalogue.cache import BATCH
from spillview.compression import zstd
from spillview.digests import blake2b
from spillview.exposure.permissions import world_readable
from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.catalogue.alike_lines import Alike
    from spillview.catalogue.catalogue import Catalogue
    from spillview.catalogue.listing import Listing
    from spillview.links.sheets import Group, Sheet
    from spillview.model import Artifact

FORM = 1
"""Raised whenever `rows.artifact_row` says something else of the same artifact."""

MOST = 16 << 20
"""Bytes of lines not kept yet that are held as they are."""


def dump(artifact: Artifact) -> bytes:
    """The line of one artifact."""
    import orjson  # no sooner than a line is made: most are kept

    from spillview.catalogue.rows import artifact_row

    return orjson.dumps(artifact_row(artifact), option=orjson.OPT_APPEND_NEWLINE)


_CHANGING = {"growing", "pinned"}
"""Flags of which the file itself tells nothing."""


class Lines:
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
        blank = self.fit and not complete and not self.cache.has_counts()
        blank = blank and catalogue.holding is None
        self.alike: Alike | None = None
        if blank:
            from spillview.catalogue.alike_lines import Alike

            self.alike = Alike(catalogue, self._made)
        self._has: dict[Group, bool] = {}
        self._new = Unfinished()
        self._ready: dict[Group, tuple[str, array[int], bytes]] = {}

    def has(self, group: Group) -> bool:
        """Whether the lines of a session are known without its artifacts."""
        known = self._has.get(group)
        if known is None:
            known = self._has[group] = self.fit and self._known(group)
        return known

    def _known(self, group: Group) -> bool:
        sheet = self.records.sheets().get(group)
        if sheet is None:
            return self.alike is not None and self.alike.has(group)
        token = self.tokens.get(group)
        return (
            token is not None
            and group not in self.growing
            and token == self._token(group, sheet)
        )

    def in_order(self, group: Group, places: Sequence[int]) -> bytes:
        """The lines of these artifacts of a session, together."""
        if not self.catalogue.has_notes:
            order, data = self._kept(group)
            if len(order) == len(places) and order == self._among(group, places):
                return data
        of = self.of(group)
        return b"".join([of[place] for place in places])

    def of(self, group: Group) -> Mapping[int, bytes]:
        """The lines of a session by place."""
        places = self.records.places(group)
        if self.alike is not None and group not in self.records.sheets():
            return dict(zip(places, self.alike.lines(places), strict=True))
        order, data = self._kept(group)
        if not order:  # damaged, or replaced meanwhile
            return {place: self._made(place) for place in places}
        lines = zip(order, data.splitlines(keepends=True), strict=True)
        of = {places[index]: line for index, line in lines}
        if self.catalogue.has_notes:
            for place in places:
                sessions = {group, (group[0], self.sessions[place])}
                if self.catalogue.is_noted(self.finds.ident(place), sessions):
                    of[place] = self._made(place)
        return of

    def _kept(self, group: Group) -> tuple[array[int], bytes]:
        """Kept lines, and of which of the session's artifacts each is, by number."""
        token = self.tokens.get(group)
        kept = self.cache.lines(group, token) if token is not None else None
        return kept if kept is not None else (array("i"), b"")

    def _among(self, group: Group, places: Sequence[int]) -> array[int]:
        """The numbers of these places among those of a session."""
        own = self.records.places(group)
        if isinstance(own, range):
            return array("i", [place - own.start for place in places])
        return array("i", [bisect_left(own, place) for place in places])

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
        self._new.add(group, place, line)
        places = self.records.places(group)
        if self._new.number(group) == len(places):
            lines = self._new.take(group)
            order = self._among(group, list(lines))
            token = self._token(group, sheet)
            self._ready[group] = (token, order, b"".join(lines.values()))
            if len(self._ready) >= BATCH:
                self.keep()

    def keep(self) -> None:
        """Write what was learnt."""
        if self._ready:
            self.cache.store_lines(self._ready)
            self._ready = {}


class Unfinished:
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
                import pickle

                packed = zstd().compress(pickle.dumps(lines, -1), 1)
                self._packed.setdefault(each, []).append(packed)
            self._lines, self._bytes = {}, 0

    def number(self, group: Group) -> int:
        """How many lines there are of a session."""
        return self._number.get(group, 0)

    def take(self, group: Group) -> dict[int, bytes]:
        """Give the lines of a session by place, as they came, and forget them."""
        del self._number[group]
        lines: dict[int, bytes] = {}
        for packed in self._packed.pop(group, ()):
            import pickle

            lines |= pickle.loads(zstd().decompress(packed))
        last = self._lines.pop(group, {})
        self._bytes -= sum(map(len, last.values()))
        return lines | last
