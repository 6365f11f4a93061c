"""From the catalogue to a plan: what the rules are applied to, and what protects it."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from spillview.cleanup.batches import RESERVE
from spillview.cleanup.bins import NoBin, outlook
from spillview.cleanup.choices import Choices
from spillview.cleanup.pins import Pins
from spillview.cleanup.retention import Plan, plan, without
from spillview.cleanup.rules import Deciding
from spillview.cleanup.standing import Standing
from spillview.cleanup.standings import Standings, linked_of, projects_of
from spillview.config import config_path
from spillview.discovery.ownership import Ownership
from spillview.errors import Cancelled as Stopped
from spillview.links.liveness import STEP, Cancelled, survey
from spillview.model import Found, Problem
from spillview.space import Space, space_of
from spillview.text import human_bytes, path_text

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue, Query
    from spillview.places import Places
    from spillview.profiles.profile import Profile

_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC).timestamp()
"""A time in a name before this was not meant as one."""
_DAY = 86_400
_JOURNAL = 32 << 10
"""Bytes that a clean-up needs for folders and journal, however few its files."""
_ENTRY = 400
"""Bytes that a file needs in a journal, about."""
_DATE = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})")


@dataclass(frozen=True, slots=True)
class Prospect:
    """A plan, and what must be known beside it."""

    plan: Plan
    problems: tuple[Problem, ...] = ()
    """What could not be read; it is told, and what depends on it stays."""
    disputes: tuple[Problem, ...] = ()
    """What two standing policies fit, of which none is more specific; it stays."""
    standings: Sequence[Standing] = ()
    """What the plan was made of."""

    def at(self, moment: float) -> Plan:
        """The plan at another moment, if nothing is written or read until then.

        A session that is live now still is: nobody knows when it ends.
        """
        return plan(self.standings, self.plan.rules, moment)

    def more(self, moment: float) -> Choices:
        """What goes at that moment and does not go yet."""
        gone = set(self.plan.remove.order)
        return self.at(moment).remove.where(lambda index: index not in gone)


def prospect(
    catalogue: Catalogue,
    query: Query,
    rules: Deciding,
    cancelled: Cancelled | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Prospect:
    """The plan for what `query` admits; reads transcripts alone, changes nothing.

    Raises `Unreadable` when the pins cannot be read, `BadInput` for a bad PATH, and
    `errors.Cancelled`: a plan of a part would be none.
    """
    catalogue.scan(query)
    catalogue.skipped_records()  # reads what is new: true sessions, every link
    listing = catalogue.scan(query)
    guard = survey(catalogue, listing, cancelled, progress)
    places = catalogue.places
    pinned = Pins(places).pinned()
    own = (places.state_dir, places.cache_dir, places.config_dir)
    forced = query.harness == "folder"
    shape = Ownership(catalogue.profile, forced=forced, own=own)
    now = catalogue.now()
    linked = linked_of(catalogue, listing)
    standings = Standings(listing, projects_of(catalogue, listing), linked)
    for index, found in enumerate(listing.found()):
        if index % STEP == 0 and cancelled is not None and cancelled():
            raise Stopped
        harness, session = listing.session(index)
        own_key = (harness, session or found.session)
        key = guard.session_of(*own_key)
        live = guard.live.get(key)
        is_linked = bool(linked[index])
        orphan: bool | None = not is_linked
        if not is_linked and (guard.unreadable(found) or guard.torn(found)):
            orphan = None
        standings.put(
            index,
            guard.active.get(key),
            named_time(found, catalogue.profile(harness), now),
            (
                pinned.why(found.id, {key, own_key}),
                f"its session is live: {live}"
                if live is not None
                else guard.needed.get(found.id),
                shape.foreign(found, linked=is_linked),
            ),
            orphan,
        )
    problems = dict.fromkeys((*catalogue.problems, *guard.problems))
    made = plan(standings, rules, now)
    return Prospect(made, tuple(problems), tuple(_disputes(made, places)), standings)


def _disputes(made: Plan, places: Places) -> Iterator[Problem]:
    choices = made.choices
    disputed = choices.where(lambda index: choices.group(index) == "disputed")
    counts = Counter(choice.reason for choice in disputed)
    for reason, count in counts.items():
        stay = "1 artifact stays" if count == 1 else f"{count:,} artifacts stay"
        yield Problem(
            config_path(places),
            f"{path_text(config_path(places))}: {stay}: {path_text(reason)};"
            " give one of them a narrower project",
        )


def named_time(found: Found, profile: Profile, now: float) -> float | None:
    """The time that a file's name carries, if it is one that can have been."""
    read = profile.read_name(found.name)
    if read is None:
        return None
    said = read[1]
    try:
        if "epoch_ms" in said:
            when = int(said["epoch_ms"]) / 1000
        elif "date" in said and (match := _DATE.match(said["date"])):
            day = datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=UTC)
            when = min(day.timestamp() + _DAY, now)  # the end of the day it names
        else:
            return None
    except (ValueError, OverflowError):
        return None
    # Ids count past their range and begin anew: what cannot be true says nothing.
    return when if _EARLIEST <= when <= now else None


def still(
    catalogue: Catalogue,
    query: Query,
    shown: Plan,
    cancelled: Cancelled | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Plan:
    """What of a plan that was shown still holds: planned again, nothing is added.

    Raises as `prospect` does.
    """
    fresh = prospect(catalogue, query, shown.rules, cancelled, progress).plan.choices
    kept = {}
    for choice in shown.remove:
        index = fresh.index_of(choice.artifact.id)
        if index is None:
            kept[choice.artifact.id] = "it is gone since it was shown"
            continue
        again = fresh[index]
        if not again.remove:
            kept[choice.artifact.id] = f"it stays after all: {again.reason}"
        elif again.artifact.found.key != choice.artifact.found.key:
            kept[choice.artifact.id] = "it changed since it was shown"
    return without(shown, kept)


class Share(NamedTuple):
    """What of a clean-up goes into one trash."""

    items: int
    bytes: int
    """Of all of them."""
    space: Space
    """The same, each file once whatever its names."""


def trashes(
    places: Places, found: Callable[[], Iterable[Found]]
) -> list[tuple[str | NoBin, Share]]:
    """Where the trash of these files is (or would be made), and how many go there.

    `found` gives them, once for each trash and once more.
    """
    by_folder: dict[tuple[str, str], str | NoBin] = {}

    def place_of(item: Found) -> str | NoBin:
        folder = (os.path.dirname(item.path), item.root)
        place = by_folder.get(folder)
        if place is None:
            place = by_folder[folder] = outlook(places, *folder)
        return place

    items: Counter[str | NoBin] = Counter()
    sizes: Counter[str | NoBin] = Counter()
    for item in found():
        place = place_of(item)
        items[place] += 1
        sizes[place] += item.size
    return [
        (
            place,
            Share(
                items[place],
                sizes[place],
                space_of(item for item in found() if place_of(item) == place),
            ),
        )
        for place in items
    ]


def room(places: Places, count: int) -> str | None:
    """Why the journal of so many files does not fit on the disk; None when it does."""
    state = places.state_dir
    while not os.path.isdir(state) and state != os.path.dirname(state):
        state = os.path.dirname(state)
    reserve = os.path.join(places.state_dir, "trash", RESERVE)
    try:
        facts = os.statvfs(state)
    except (OSError, AttributeError):
        return None
    free = facts.f_bavail * facts.f_frsize
    needed = _JOURNAL + count * _ENTRY
    if free >= needed or os.path.exists(reserve):
        return None
    return (
        f"the disk with {path_text(state)} is full: {human_bytes(free)} are free, and"
        f" the journal needs {human_bytes(needed)}"
    )
