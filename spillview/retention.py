"""The plan of a clean-up: for every artifact whether it goes, and why, either way.

It is a pure function of what is known, the rules and the time; nothing is looked at and
nothing is changed here. Whatever is in doubt stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from spillview.model import Artifact, Found
from spillview.text import human_age, human_bytes

Group = Literal["rule", "spared", "pinned", "live", "foreign", "recent", "unselected"]
"""What decided: a rule that removes; or a person, a pin, a live session, the file's own
shape, a rule that keeps, and no rule at all."""

GROUPS: dict[Group, str] = {
    "spared": "kept by you this time",
    "pinned": "pinned",
    "live": "needed by live sessions",
    "foreign": "no artifacts by their harness's names",
    "recent": "kept by a rule",
    "unselected": "selected by no rule",
}
"""Why artifacts stay, in few words."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What is selected for removal; each given rule selects, and they unite."""

    older_than: float | None = None
    """Seconds since the session was last active (and the file last changed)."""
    keep_last: int | None = None
    """Selects what is older than the newest so many of its session; keeps those."""
    max_total: int | None = None
    """Bytes that everything may have together; the oldest beyond that are selected."""
    max_file: int | None = None
    """Bytes that one file may have."""
    orphans: bool = False
    """Selects what no record points at."""
    whole: bool = False
    """Selects everything there is (a session that was named)."""

    @property
    def any(self) -> bool:
        """Whether anything can be selected at all."""
        return bool(
            self.older_than is not None
            or self.keep_last is not None
            or self.max_total is not None
            or self.max_file is not None
            or self.orphans
            or self.whole
        )


@dataclass(frozen=True, slots=True)
class Standing:
    """What the plan must know of one artifact."""

    artifact: Artifact
    active: float | None = None
    """When records say its session was last active; None when none says."""
    named: float | None = None
    """The time that its own name carries, if it carries one that can be."""
    pinned: bool = False
    live: str | None = None
    """Why a live session needs it (`its session was active 5m ago`), if one does."""
    foreign: str | None = None
    """Why it is no artifact by its harness's exact shape, if it is none."""
    orphan: bool | None = None
    """Whether no record points at it; None when that is not known for sure."""

    @property
    def found(self) -> Found:
        """Its directory entry."""
        return self.artifact.found

    @property
    def changed(self) -> float:
        """When the file was last changed, in seconds since the epoch."""
        return self.found.mtime_ns / 1e9

    @property
    def freshest(self) -> float:
        """The latest time that anything tells of it."""
        return max(time for _, time in self.times)

    @property
    def times(self) -> list[tuple[str, float]]:
        """What tells how old it is, and the time each tells."""
        told = [
            ("its session was last active", self.active),
            ("the file changed", self.changed),
            ("its name says", self.named),
        ]
        return [(words, time) for words, time in told if time is not None]

    @property
    def protected(self) -> bool:
        """Whether no rule may take it."""
        return self.pinned or self.live is not None or self.foreign is not None


@dataclass(frozen=True, slots=True)
class Choice:
    """What becomes of one artifact, and why."""

    artifact: Artifact
    remove: bool
    reason: str
    """A plain sentence without its full stop."""
    group: Group


@dataclass(frozen=True, slots=True)
class Plan:
    """What becomes of every artifact on the ground that was chosen."""

    rules: Rules
    now: float
    choices: tuple[Choice, ...]
    frees: int = 0
    """Bytes that the disk would gain once the trash is emptied."""
    over_total: int | None = None
    """Bytes that stay beyond `max_total`, since the rest is protected; or None."""

    @property
    def remove(self) -> list[Choice]:
        """Those that go."""
        return [choice for choice in self.choices if choice.remove]

    @property
    def keep(self) -> list[Choice]:
        """Those that stay."""
        return [choice for choice in self.choices if not choice.remove]

    @property
    def remove_bytes(self) -> int:
        """Bytes of the files that go."""
        return sum(
            choice.artifact.found.size for choice in self.choices if choice.remove
        )


def plan(standings: Sequence[Standing], rules: Rules, now: float) -> Plan:
    """Decide for each artifact, in the order given."""
    newest = _newest(standings, rules.keep_last)
    selected: dict[str, list[str]] = {}
    for each in standings:
        if not each.protected and each.artifact.id not in newest:
            reasons = _reasons(each, rules, now)
            if reasons:
                selected[each.artifact.id] = reasons
    over = None
    if rules.max_total is not None:
        over = _fit(standings, rules.max_total, newest, selected)
    sharing = _names_planned(
        each.found for each in standings if each.artifact.id in selected
    )
    choices = []
    for each in standings:
        reasons = selected.get(each.artifact.id, [])
        if reasons:
            left = each.found.nlink - sharing.get((each.found.dev, each.found.ino), 0)
            if left > 0 and each.found.nlink > 1:
                reasons.append(
                    f"it has {each.found.nlink} names (hard links), so its space stays"
                    " taken until all are gone"
                )
            choices.append(Choice(each.artifact, True, "; ".join(reasons), "rule"))
        else:
            kept = each.artifact.id in newest
            choices.append(_kept(each, rules, now, newest=kept))
    return Plan(rules, now, tuple(choices), _frees(choices, sharing), over)


# What selects


def _newest(standings: Sequence[Standing], count: int | None) -> frozenset[str]:
    """The newest `count` artifacts of each session."""
    if count is None:
        return frozenset()
    sessions: dict[tuple[str, str], list[Standing]] = {}
    for each in standings:
        key = (each.found.harness, each.artifact.session or each.found.session)
        sessions.setdefault(key, []).append(each)
    kept: set[str] = set()
    for members in sessions.values():
        members.sort(key=_age_order, reverse=True)
        kept.update(each.artifact.id for each in members[:count])
    return frozenset(kept)


def _age_order(each: Standing) -> tuple[float, float, str]:
    """Oldest first: by its call, then by its change."""
    return (each.artifact.created, each.changed, each.found.path)


def _reasons(each: Standing, rules: Rules, now: float) -> list[str]:
    """Which rules select an artifact for itself, as sentences."""
    reasons = []
    if rules.whole:
        reasons.append("all of its session was named")
    if rules.older_than is not None and now - each.freshest > rules.older_than:
        reasons.append(f"{_ages(each, now)}: older than {human_age(rules.older_than)}")
    if rules.keep_last is not None:
        newest = (
            "the newest" if rules.keep_last == 1 else f"the newest {rules.keep_last:,}"
        )
        reasons.append(f"it is older than {newest} of its session")
    if rules.max_file is not None and each.found.size > rules.max_file:
        reasons.append(
            f"it has {human_bytes(each.found.size)}, more than the"
            f" {human_bytes(rules.max_file)} a file may have"
        )
    if rules.orphans and each.orphan:
        reasons.append("no record points at it")
    return reasons


def _fit(
    standings: Sequence[Standing],
    most: int,
    newest: frozenset[str],
    selected: dict[str, list[str]],
) -> int | None:
    """Select the oldest of what the other rules leave, until the rest fits.

    Gives how many bytes are too much still, when protected files do not fit alone.
    """
    total = sum(s for s in _sizes(each.found for each in standings).values())
    left = [each for each in standings if each.artifact.id not in selected]
    rest = sum(s for s in _sizes(each.found for each in left).values())
    names: dict[tuple[int, int], int] = {}
    for each in left:
        key = (each.found.dev, each.found.ino)
        names[key] = names.get(key, 0) + 1
    why = (
        f"it is among the oldest, and everything together has {human_bytes(total)},"
        f" more than {human_bytes(most)}"
    )
    for each in sorted(left, key=lambda s: (s.freshest, *_age_order(s))):
        if rest <= most:
            break
        if each.protected or each.artifact.id in newest or not each.found.size:
            continue
        selected[each.artifact.id] = [why]
        key = (each.found.dev, each.found.ino)
        names[key] -= 1
        if not names[key]:
            rest -= each.found.size
    return rest - most if rest > most else None


def _sizes(found: Iterable[Found]) -> dict[tuple[int, int], int]:
    """Bytes by file: a file with several names counts once."""
    return {(item.dev, item.ino): item.size for item in found}


def _names_planned(found: Iterable[Found]) -> dict[tuple[int, int], int]:
    """How many names of each file go."""
    names: dict[tuple[int, int], int] = {}
    for item in found:
        key = (item.dev, item.ino)
        names[key] = names.get(key, 0) + 1
    return names


def _frees(choices: Iterable[Choice], sharing: dict[tuple[int, int], int]) -> int:
    """Bytes of the files that lose all of their names."""
    gone = {
        (found.dev, found.ino): found.size
        for found in (choice.artifact.found for choice in choices if choice.remove)
        if sharing[found.dev, found.ino] >= found.nlink
    }
    return sum(gone.values())


# What keeps


def _kept(each: Standing, rules: Rules, now: float, *, newest: bool) -> Choice:
    """Why an artifact stays: what protects it first, then what the rules say."""
    artifact = each.artifact
    if each.pinned:
        return Choice(artifact, False, "it is pinned", "pinned")
    if each.foreign is not None:
        return Choice(artifact, False, each.foreign, "foreign")
    if each.live is not None:
        return Choice(artifact, False, each.live, "live")
    if newest:
        count = rules.keep_last or 1
        which = "the newest" if count == 1 else f"one of the newest {count:,}"
        return Choice(artifact, False, f"it is {which} of its session", "recent")
    if rules.older_than is not None:
        limit = human_age(rules.older_than)
        text = f"{_ages(each, now)}: not older than {limit}"
        if _disagree(each, rules.older_than, now):
            text += "; they disagree, so it is kept"
        return Choice(artifact, False, text, "recent")
    if rules.orphans and each.orphan is None:
        text = "a transcript could not be read, so a record may point at it"
        return Choice(artifact, False, text, "unselected")
    if rules.orphans and each.orphan is False:
        text = "a record points at it, and no other rule selects it"
        return Choice(artifact, False, text, "unselected")
    return Choice(artifact, False, "no rule selects it", "unselected")


def _ages(each: Standing, now: float) -> str:
    """How old it is by everything that tells."""
    told = ", ".join(f"{words} {_ago(now - time)}" for words, time in each.times)
    return (
        told if each.active is not None else f"{told} (no record tells of its session)"
    )


def _disagree(each: Standing, limit: float, now: float) -> bool:
    """Whether one of its times alone would have selected it."""
    return any(now - time > limit for _, time in each.times)


def _ago(seconds: float) -> str:
    text = human_age(seconds)
    return text if text.startswith("in ") else f"{text} ago"


def without(plan_: Plan, kept: Mapping[str, str], group: Group = "live") -> Plan:
    """The plan when these artifacts stay after all, each for a reason."""
    choices = tuple(
        replace(choice, remove=False, reason=kept[choice.artifact.id], group=group)
        if choice.remove and choice.artifact.id in kept
        else choice
        for choice in plan_.choices
    )
    sharing = _names_planned(c.artifact.found for c in choices if c.remove)
    return replace(plan_, choices=choices, frees=_frees(choices, sharing))
