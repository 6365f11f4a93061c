"""Which record points at which artifact, and which calls came back to it."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Sequence
from itertools import chain, takewhile

from spillview.frozen import Frozen, replace
from spillview.hints import TYPE_CHECKING
from spillview.links.addresses import Addresses
from spillview.links.kinship import Kinship, hashed
from spillview.links.makers import settle
from spillview.links.mentions import (
    copy_note,
    distinct,
    foreign_read,
    read_of,
    tie_chains,
    with_end,
)
from spillview.links.resolving import Resolving, is_flat
from spillview.links.session_facts import SessionFacts, sessions_of
from spillview.model import Found, Link, LinkState, Mention, Missing, Read
from spillview.text import path_text, printable
from spillview.transcripts.calls import Marks
from spillview.transcripts.facts import Touch, TranscriptFacts

if TYPE_CHECKING:
    from spillview.profiles.profile import Profile


MUTE = "This harness keeps no results of calls: which call made it is not known."


class Joined(Frozen):
    """Artifacts and transcripts put together."""

    links: dict[str, Link]
    """By artifact id; `seen` and the verdict need the content, see `seen.look`."""
    sessions: dict[tuple[str, str], SessionFacts]
    """By harness and true session id."""
    missing: list[Missing]
    closed: list[str]
    """Folders that may not be looked into and hold artifacts that records name: these
    are neither here nor known to be gone."""


def join(
    found: Sequence[Found], facts: Sequence[TranscriptFacts], profile: Profile
) -> Joined:
    """Put artifacts and the records that point at them together.

    A mention finds its artifact by the recorded path (also by the real one, and in a
    moved tree by session folder and file name), then by call id, then by the bare
    name. Nothing is read but directory entries.
    """
    return _Join(found, facts, profile).joined()


def unspoken(profile: Profile) -> Link:
    """The link of an artifact that no record points at."""
    if profile.is_mute:
        return Link("unknown", note=MUTE)
    return Link("orphan")


class _Join:
    """The indexes of one join."""

    def __init__(
        self,
        found: Sequence[Found],
        facts: Sequence[TranscriptFacts],
        profile: Profile,
    ) -> None:
        self.found = found
        self.facts = facts
        self.profile = profile
        self.addresses = Addresses(found, Marks.of(profile))
        self.resolving = Resolving(found, profile, self.addresses)
        self.kinship = Kinship(facts)
        self.cuts = {notice.id for notice in profile.notices if notice.cut}
        self.reused = {notice.id for notice in profile.notices if notice.reused}
        self.makers: dict[str, str] = {}
        """Of artifacts in flat stores: the session that made each."""
        self.unclear: set[str] = set()
        """Those that several sessions name, and nothing tells which of them made it."""
        self.true = {hashed(each.session): each.session for each in facts}
        # Where a subagent's own id names the folder of what it spilled.
        self.true.update({f.agent: f.session for f in facts if f.agent is not None})
        self.by_call = {
            (self.session_of(item), item.call_id): item
            for item in found
            if item.call_id is not None
        }
        self.closed: dict[str, None] = {}

    def joined(self) -> Joined:
        """Everything joined."""
        mentions: dict[str, list[Mention]] = {}
        copies: dict[str, set[str]] = {}
        nowhere: list[Mention] = []
        for each in self.facts:
            for mention, record in zip(each.mentions, each.mention_ids, strict=True):
                item = self.resolve(mention)
                if item is not None:
                    mentions.setdefault(item.id, []).append(mention)
                    flat = is_flat(item)
                    if record is not None and (
                        flat or not self.own(item, mention.session)
                    ):
                        copies.setdefault(record, set()).add(mention.session)
                elif not self.elsewhere(mention):
                    nowhere.append(mention)
        self.find_copies(copies)
        for item in self.found:
            rows = mentions.get(item.id)
            if rows:
                nowhere += self.settle(item, rows)
        missing: dict[tuple[str, str], list[Mention]] = {}
        for mention in nowhere:
            key = _missing_key(mention, self.reused)
            rows = missing.setdefault(key, [])
            self.note_missing(rows, mention, one=key[0] == "path")
        reads: dict[str, list[tuple[Touch, Read]]] = {}
        for each in self.facts:
            for touch in each.touches:
                for item in self.touched(touch):
                    own = self.own(item, touch.session)
                    reads.setdefault(item.id, []).append((touch, read_of(touch, own)))
        links = {
            item.id: self.link(item, mentions.get(item.id, []), reads.get(item.id, []))
            for item in self.found
        }
        tie_chains(self.found, links)
        for item in self.found:
            if item.copies:
                note = f"A copy lies at {printable(path_text(item.copies[0]))}."
                said = filter(None, (links[item.id].note, note))
                links[item.id] = replace(links[item.id], note=" ".join(said))
        projects = {s.session: s.project for s in self.facts if s.project}
        gone = [
            Missing(
                self.profile.harness,
                mention.session,
                projects.get(mention.session),
                "cut" if self.is_cut(mention) else "dangling",
                mention,
            )
            for mention in chain.from_iterable(missing.values())
        ]
        return Joined(links, sessions_of(self.facts), gone, list(self.closed))

    def find_copies(self, copies: dict[str, set[str]]) -> None:
        """Know forks by the records they share, where they share no first ones."""
        if not copies:
            return
        for each in self.facts:
            for record in each.mention_ids:
                if record in copies:
                    copies[record].add(each.session)
        for sessions in copies.values():
            self.kinship.alike(sessions)

    def note_missing(self, rows: list[Mention], mention: Mention, *, one: bool) -> None:
        """Take a mention among those of the same path (`one` artifact) or call id.

        A fork repeats the record, and the row is its origin's. Ids of calls are the
        model provider's: sessions that have nothing in common may count theirs alike.
        """
        for place, kept in enumerate(rows):
            if one or self.kinship.related(kept.session, mention.session):
                if not self.is_origin(kept) and (
                    self.is_origin(mention) or self.is_before(mention, kept)
                ):
                    rows[place] = mention
                return
        rows.append(mention)

    def settle(self, item: Found, mentions: list[Mention]) -> list[Mention]:
        """Learn who made an artifact; gives the mentions of what was there before."""
        reused = any(mention.notice in self.reused for mention in mentions)
        if not reused and not is_flat(item):
            return []
        made = settle(item, mentions, self.kinship, reused=reused)
        mentions[:] = [*made.own, *made.foreign]
        if is_flat(item) and made.own:
            first = min(made.own, key=_when)
            self.makers[item.id] = first.session
        elif not made.own:
            self.unclear.add(item.id)
        return made.replaced

    def session_of(self, item: Found) -> str:
        """The artifact's true session id, as far as it is known."""
        maker = self.makers.get(item.id)
        return maker if maker is not None else self.true.get(item.session, item.session)

    def own(self, item: Found, session: str) -> bool:
        """Whether `session` is the artifact's own, or a fork of it."""
        return self.kinship.follows(session, self.session_of(item))

    def resolve(self, mention: Mention) -> Found | None:
        """The artifact a mention points at."""
        if self.is_cut(mention):
            return None
        path = mention.path
        if path is not None:
            for form in dict.fromkeys((path, path.rstrip(". "), path.strip("`'\""))):
                item = self.addresses.at(form)
                if item is not None:
                    return item
        if mention.call_id is not None:
            item = self.by_call.get((mention.session, mention.call_id))
            if item is not None:
                return item
        item = self.nearest(mention, self.resolving.candidates(mention))
        if item is not None or path is None:
            return item
        if self.addresses.folder_of(path) is not None:
            return None  # the path says plainly which file it was
        item = self.resolving.moved(path)
        if item is not None:
            return item
        named = self.addresses.named(_last(path))
        near = [item for item in named if self.own(item, mention.session)]
        return near[0] if len(near) == 1 else None

    def nearest(self, mention: Mention, items: Sequence[Found]) -> Found | None:
        """The one of some artifacts that may be this session's and lies nearest."""
        fitting = [
            item for item in items if is_flat(item) or self.own(item, mention.session)
        ]
        own = [item for item in fitting if not is_flat(item)]
        fitting = own or fitting
        if len(fitting) < 2:
            return fitting[0] if fitting else None
        near = [_shared(item.path, mention.transcript) for item in fitting]
        best = max(near)
        return fitting[near.index(best)] if near.count(best) == 1 else None

    def elsewhere(self, mention: Mention) -> bool:
        """Whether the artifact exists though it is not among those given.

        A path that may not be looked at counts as existing: that it is gone is not
        known. It is told in `Joined.closed`.
        """
        if self.is_cut(mention):
            return False
        if mention.path is None:
            return mention.copy_chars > 0  # the record itself holds the result
        places = [mention.path, mention.path.rstrip(". ")]
        suffix = self.addresses.suffix(mention.path)
        base = mention.transcript.rpartition("/")[0]
        for _ in range(3):
            places.append(f"{base}/{suffix}")
            base = base.rpartition("/")[0]
        known = [_exists(place) for place in places if os.path.isabs(place)]
        if True in known:
            return True
        if None in known:
            self.closed[_closed_folder(mention.path)] = None
        return None in known

    def is_origin(self, mention: Mention) -> bool:
        """Whether the path a mention gives lies in its own session's folder."""
        folder = self.addresses.folder_of(mention.path or "")
        return folder in (mention.session, hashed(mention.session))

    def is_before(self, mention: Mention, other: Mention) -> bool:
        """Whether `other` stands in a fork of the session of `mention`."""
        follows = self.kinship.follows
        return follows(other.session, mention.session) and not follows(
            mention.session, other.session
        )

    def is_cut(self, mention: Mention) -> bool:
        """Whether the mention tells of a result that was saved nowhere."""
        return mention.notice in self.cuts

    def touched(self, touch: Touch) -> Iterable[Found]:
        """The artifacts that a call named."""
        items: dict[str, Found] = {}
        for name in (*touch.names, *touch.shown):
            item = self.addresses.at(name)
            if item is not None:
                items[item.id] = item
                continue
            for item in self.resolving.handled(name, touch):
                items[item.id] = item
            last = _last(name)
            pattern = any(mark in last for mark in "*?[")
            if os.path.isabs(name) and not pattern and self.addresses.folder_of(name):
                continue  # it says plainly which file it was: one that is gone
            some = self.addresses.like(last) if pattern else self.addresses.named(last)
            for item in some:
                if self.own(item, touch.session):
                    items[item.id] = item
        return items.values()

    # Links

    def link(
        self, item: Found, mentions: list[Mention], reads: list[tuple[Touch, Read]]
    ) -> Link:
        """The link of one artifact, without what needs its content."""
        nobody: LinkState = "unknown" if self.profile.is_mute else "orphan"
        if not mentions and not reads:
            return unspoken(self.profile)
        mentions = distinct(mentions)
        own = [m for m in mentions if self.own(item, m.session)]
        if not own and item.id not in self.unclear:
            own = mentions
        if len(own) > 1:
            mine = self.session_of(item)
            own.sort(
                key=lambda m: (
                    m.time if m.time is not None else float("inf"),
                    m.session != mine,
                    m.transcript,
                    m.record,
                    m.block,
                    m.start,
                )
            )
            own = with_end(own)
        if not reads and len(own) == len(mentions):
            return Link("linked", tuple(own), note=copy_note(own))
        enveloped = {(m.transcript, m.record, m.call_id) for m in mentions}
        kept: dict[object, Read] = {}
        for touch, read in sorted(
            reads, key=lambda pair: (pair[0].time or 0.0, pair[0].record)
        ):
            if (read.transcript, read.record, read.call_id) in enveloped:
                continue
            # A fork's transcript repeats its origin's records: one read, not two.
            kept.setdefault(touch.record_id or (read.transcript, read.record), read)
        others = (
            [m for m in mentions if m not in own] if len(own) < len(mentions) else []
        )
        for mention in others:
            if not any(m.transcript == mention.transcript for m in own):
                kept[mention] = foreign_read(mention)
        return Link(
            "linked" if own else nobody,
            tuple(own),
            tuple(kept.values()),
            note=copy_note(own) if own or not self.profile.is_mute else MUTE,
        )


def _last(path: str) -> str:
    """The bare file name at the end of a path of any system."""
    return path.replace("\\", "/").rpartition("/")[2]


def _shared(path: str, other: str) -> int:
    """How many folders two paths have in common."""
    pairs = zip(path.split("/"), other.split("/"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _when(mention: Mention) -> tuple[float, int]:
    return (mention.time if mention.time is not None else float("inf"), mention.record)


def _missing_key(mention: Mention, reused: Container[str]) -> tuple[str, str]:
    """One row for each artifact that is gone, and for each call that was cut.

    Of a path that many calls wrote to, each call's artifact is one.
    """
    path = mention.path
    one = mention.notice not in reused or mention.call_id is None
    if one and path is not None and ("/" in path or "\\" in path):
        return ("path", path)
    call = mention.call_id or f"{mention.transcript}:{mention.record}:{mention.block}"
    return ("call", call)


def _closed_folder(path: str) -> str:
    """The folder above `path` that may not be looked into."""
    while (above := os.path.dirname(path)) != path and _exists(above) is None:
        path = above
    return above


def _exists(path: str) -> bool | None:
    """Whether something is at `path`; None where that may not be looked at."""
    try:
        os.lstat(path)
    except PermissionError:
        return None
    except (OSError, ValueError):
        return False
    return True
