"""From the catalogue to a plan: what the rules are applied to, and what protects it."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from spillview import frozen
from spillview.cleanup.batches import RESERVE
from spillview.cleanup.bins import NoBin, outlook
from spillview.cleanup.pins import Pinned, Pins
from spillview.cleanup.retention import Choice, Plan, Standing, plan, without
from spillview.cleanup.rules import Deciding
from spillview.config import config_path
from spillview.discovery.ownership import Ownership
from spillview.links.liveness import Cancelled, Guard, survey
from spillview.model import Artifact, Found, Problem
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
    standings: tuple[Standing, ...] = ()
    """What the plan was made of."""

    def at(self, moment: float) -> Plan:
        """The plan at another moment, if nothing is written or read until then.

        A session that is live now still is: nobody knows when it ends.
        """
        return plan(self.standings, self.plan.rules, moment)

    def more(self, moment: float) -> list[Choice]:
        """What goes at that moment and does not go yet."""
        gone = {choice.artifact.id for choice in self.plan.remove}
        return [c for c in self.at(moment).remove if c.artifact.id not in gone]


def prospect(
    catalogue: Catalogue,
    query: Query,
    rules: Deciding,
    cancelled: Cancelled | None = None,
) -> Prospect:
    """The plan for what `query` admits; reads transcripts alone, changes nothing.

    Raises `Unreadable` when the pins cannot be read, and `BadInput` for a bad PATH.
    """
    catalogue.scan(query)
    catalogue.skipped_records()  # reads what is new: true sessions, every link
    artifacts = _placed(catalogue.scan(query))
    guard = survey(catalogue, artifacts, cancelled)
    places = catalogue.places
    pinned = Pins(places).pinned()
    own = (places.state_dir, places.cache_dir, places.config_dir)
    forced = query.harness == "folder"
    shape = Ownership(catalogue.profile, forced=forced, own=own)
    now = catalogue.now()
    standings = tuple(
        _standing(artifact, guard, pinned, shape, catalogue, now)
        for artifact in artifacts
    )
    problems = dict.fromkeys((*catalogue.problems, *guard.problems))
    made = plan(standings, rules, now)
    return Prospect(made, tuple(problems), tuple(_disputes(made, places)), standings)


def _placed(artifacts: Sequence[Artifact]) -> list[Artifact]:
    """The artifacts, with the project of others in the same folder of their store.

    Where no transcript tells of a session any more, those beside it do.
    """
    known: dict[tuple[str, str | None], set[str]] = {}
    for artifact in artifacts:
        if artifact.project is not None:
            key = (artifact.found.root, artifact.found.project_slug)
            known.setdefault(key, set()).add(artifact.project)
    placed = []
    for artifact in artifacts:
        found = artifact.found
        if artifact.project is None and found.project_slug is not None:
            beside = known.get((found.root, found.project_slug), ())
            if len(beside) == 1:
                artifact = frozen.replace(artifact, project=next(iter(beside)))
        placed.append(artifact)
    return placed


def _disputes(made: Plan, places: Places) -> Iterator[Problem]:
    counts = Counter(c.reason for c in made.choices if c.group == "disputed")
    for reason, count in counts.items():
        files = "1 file stays" if count == 1 else f"{count:,} files stay"
        yield Problem(
            config_path(places),
            f"{path_text(config_path(places))}: {files}: {path_text(reason)};"
            " give one of them a narrower project",
        )


def _standing(
    artifact: Artifact,
    guard: Guard,
    pinned: Pinned,
    shape: Ownership,
    catalogue: Catalogue,
    now: float,
) -> Standing:
    key = guard.session_of(artifact)
    own = (artifact.found.harness, artifact.session or artifact.found.session)
    live = guard.live.get(key)
    why = f"its session is live: {live}" if live is not None else None
    linked = artifact.link is not None and artifact.link.state == "linked"
    orphan: bool | None = not linked
    if not linked and guard.unreadable(artifact.found):
        orphan = None
    return Standing(
        artifact,
        guard.active.get(key),
        named_time(artifact.found, catalogue.profile(artifact.found.harness), now),
        pinned.why(artifact.id, {key, own}),
        why or guard.needed.get(artifact.id),
        shape.foreign(artifact.found, linked=linked),
        orphan,
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
    catalogue: Catalogue, query: Query, shown: Plan, cancelled: Cancelled | None = None
) -> Plan:
    """What of a plan that was shown still holds: planned again, nothing is added."""
    fresh = prospect(catalogue, query, shown.rules, cancelled).plan
    now = {choice.artifact.id: choice for choice in fresh.choices}
    kept = {}
    for choice in shown.remove:
        again = now.get(choice.artifact.id)
        if again is None:
            kept[choice.artifact.id] = "it is gone since it was shown"
        elif not again.remove:
            kept[choice.artifact.id] = f"it stays after all: {again.reason}"
        elif again.artifact.found.key != choice.artifact.found.key:
            kept[choice.artifact.id] = "it changed since it was shown"
    return without(shown, kept)


def trashes(
    places: Places, found: Sequence[Found]
) -> list[tuple[str | NoBin, list[Found]]]:
    """Where the trash of these files is (or would be made), and which go there."""
    by_folder: dict[tuple[str, str], list[Found]] = {}
    for item in found:
        by_folder.setdefault((os.path.dirname(item.path), item.root), []).append(item)
    by_place: dict[str | NoBin, list[Found]] = {}
    for (folder, root), members in by_folder.items():
        place = outlook(places, folder, root)
        by_place.setdefault(place, []).extend(members)
    return list(by_place.items())


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
