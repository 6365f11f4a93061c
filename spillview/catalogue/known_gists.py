"""The gists of a scan: kept in the cache, told by entries, or of artifacts made.

Those of a session that stands for itself (see `sheets`) are kept once all of it is
known, and hold while neither it nor what they depend on changes. Where nothing was
counted yet, entries alone tell those of plain files. All others are taken of their
artifacts, of which no more than a batch is made at once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence

from spillview.catalogue import looks
from spillview.catalogue.gists import COUNTED, FORM, GROWING, PICKED, Gists
from spillview.digests import blake2b
from spillview.hints import TYPE_CHECKING
from spillview.json_text import loads
from spillview.named import NamedTuple
from spillview.seen.endings import has_failed

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.catalogue.listing import Listing
    from spillview.links.sheets import Group, Sheet
    from spillview.model import Artifact

Shelve = Callable[["Artifact"], object]
"""Takes an artifact that was made."""


def gists_of(
    catalogue: Catalogue,
    listing: Listing,
    shelve: Shelve,
    expect: Callable[[int], object],
) -> tuple[Gists, set[Group]]:
    """The gists of a listing of the last scan, and the sessions that are complete.

    Artifacts that have to be made are handed to `shelve`; `expect` is told before how
    many these are.
    """
    finds, table = listing.table.finds, listing.table
    gists = Gists(table.sessions)
    known = bytearray(len(gists))
    complete: set[Group] = set()
    if finds is catalogue.finds:
        if catalogue.boundary is None:
            complete = _load(catalogue, listing, gists, known)
        if not catalogue.has_counts:
            _take_entries(catalogue, listing, gists, known)
    left = [index for index, place in enumerate(listing.order) if not known[place]]
    rest = listing.pick(left)
    expect(len(rest))
    for place, artifact in zip(rest.order, rest, strict=True):
        gists.take(place, artifact)
        shelve(artifact)
    now = catalogue.now()
    for ident, when in catalogue.marks.items():
        marked = gists.place_of(ident)
        if marked is not None:
            gists.review(marked, when, now)
    if catalogue.holding:
        gists.set_secrets(finds, catalogue.holding)
    gists.set_pins(finds, catalogue.pinned)
    return gists, complete


def _load(
    catalogue: Catalogue, listing: Listing, gists: Gists, known: bytearray
) -> set[Group]:
    """Take what is kept of whole sessions that are as they were."""
    standing, finds = catalogue.standing, listing.table.finds
    sheets, unread = standing.sheets(), standing.unread()
    growing = catalogue.growing_in(listing) if sheets else set()
    complete: set[Group] = set()
    for group, token, give in catalogue.cache.gists():
        sheet = sheets.get(group)
        if sheet is None or group in growing:
            continue
        places = standing.places(group)
        data = give() if token == _token(catalogue, group, sheet) else None
        if data is None or not gists.load(places, data):
            continue
        orphans = (p for p in places if gists.bits[p] & PICKED["orphan"])
        if any(unread(finds[place]) for place in orphans):
            continue  # another session's transcript may point at one of them
        for place in places:
            known[place] = gists.done[place] = True
        complete.add(group)
    return complete


def _take_entries(
    catalogue: Catalogue, listing: Listing, gists: Gists, known: bytearray
) -> None:
    """Take plain files of which nothing but their entries is known."""
    standing, finds = catalogue.standing, listing.table.finds
    sheets, links = standing.sheets(), standing.links
    for group, places in finds.groups().items():
        if not isinstance(places, range) or known[places.start]:
            continue
        if group in sheets or standing.is_open(group) or not finds.are_plain(places):
            continue
        here = slice(places.start, places.stop)
        idents = array("Q", finds.numbers(places))
        if links and any(f"{ident:016x}" in links for ident in idents):
            continue
        changed = array("d", [mtime / 1e9 for mtime in finds.mtimes[here]])
        gists.take_entries(places, idents, finds.sizes[here], changed)
        known[here] = b"\1" * len(places)


def keep(
    catalogue: Catalogue,
    gists: Gists,
    groups: Iterable[Group],
    said: Callable[[Sequence[int]], Iterable[Said]],
) -> set[Group]:
    """Keep the gists of those of the sessions of which all is known; which these are.

    `said` gives what texts say of the artifacts at some places, which is kept too.
    """
    if catalogue.boundary is not None or not catalogue.cache.lasts:
        return set()
    standing = catalogue.standing
    ready: dict[Group, tuple[str, bytes, bytes]] = {}
    for group in groups:
        sheet, places = standing.sheets().get(group), standing.places(group)
        if sheet is None or not all(gists.done[place] for place in places):
            continue
        wanted = COUNTED | GROWING
        if not all(gists.bits[place] & wanted == COUNTED for place in places):
            continue
        texts = _packed(said(places))
        if texts is not None:
            token = _token(catalogue, group, sheet)
            ready[group] = (token, gists.pack(places), texts)
    if ready:
        catalogue.cache.store_gists(ready)
    return set(ready)


class Said(NamedTuple):
    """What texts say of an artifact, by which it is found and sorted."""

    command: str | None
    label: str | None
    tool: str | None
    failed: bool
    """Whether it failed, by its call or by what it concludes."""
    project: str | None
    slug: str | None
    """What the store calls its project where no transcript tells it."""


def said_of(artifact: Artifact) -> Said:
    """What texts say of it."""
    return Said(
        artifact.command,
        artifact.label,
        artifact.tool,
        has_failed(artifact),
        artifact.project,
        artifact.found.project_slug,
    )


def said_in(catalogue: Catalogue, group: Group) -> list[Said] | None:
    """What texts say of a session's artifacts, as it was kept, in their order."""
    data = catalogue.cache.gist_texts(group)
    if data is None:
        return None
    try:
        return [Said(*each) for each in zip(*loads(data), strict=True)]
    except (ValueError, TypeError):
        return None


def _packed(said: Iterable[Said]) -> bytes | None:
    """These, column by column; None where a text of them is no Unicode."""
    import orjson

    try:
        return orjson.dumps(list(zip(*said, strict=True)))
    except TypeError:
        return None


def _token(catalogue: Catalogue, group: Group, sheet: Sheet) -> str:
    """What a session's gists hold for."""
    env = catalogue.places.env
    rules = catalogue.profile(group[0]).boundaries
    given = [env.get(rule.env) for rule in rules if rule.env]
    chosen = catalogue.settings.boundaries.get(group[0])
    said = (FORM, looks.RULES, sheet.token, given, repr(chosen))
    return blake2b(repr(said).encode("utf-8", "replace"), digest_size=12).hexdigest()
