"""The plan of a clean-up: for every artifact whether it goes, and why, either way.

It is a pure function of what is known, the rules and the time; nothing is looked at and
nothing is changed here. Whatever is in doubt stays.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import overload

from spillview.cleanup.caps import fit, total
from spillview.cleanup.choices import GROUPS, Choice, Choices, Group, some
from spillview.cleanup.rules import Deciding, Rules, Ruling
from spillview.cleanup.standing import Standing
from spillview.model import Artifact, Found
from spillview.text import exact_age, exact_size, human_age, human_bytes

__all__ = ["GROUPS", "Choice", "Plan", "Standing", "plan", "without"]


@dataclass(frozen=True, slots=True)
class Plan:
    """What becomes of every artifact on the ground that was chosen."""

    rules: Deciding
    now: float
    choices: Choices
    remove_bytes: int = 0
    """Bytes of the files that go."""
    frees: int = 0
    """Bytes that the disk would gain once the trash is emptied."""
    over_total: int | None = None
    """Bytes that stay beyond `max_total`, since the rest is protected; or None."""
    over_session: int | None = None
    """Bytes that stay beyond `max_session` in sessions that do not fit; or None."""

    @property
    def remove(self) -> Choices:
        """Those that go."""
        return self.choices.that(remove=True)

    @property
    def keep(self) -> Choices:
        """Those that stay."""
        return self.choices.that(remove=False)


def plan(standings: Sequence[Standing], rules: Deciding, now: float) -> Plan:
    """Decide for each artifact, in the order given.

    Those about which the same rules decide are weighed together, apart from others.
    """
    rulings = rules.rulings(_Artifacts(standings))
    together: dict[int, array[int]] = {}
    for index, ruling in enumerate(rulings):
        together.setdefault(id(ruling), array("i")).append(index)
    by_id = {id(ruling): ruling for ruling in rulings}
    chosen = {
        i: _select(some(standings, members), by_id[i], now)
        for i, members in together.items()
    }
    gone = {ident for each in chosen.values() for ident in each.reasons}
    sharing = _names_planned(e.found for e in standings if e.artifact.id in gone)
    choices = Choices(standings)
    for index, (each, ruling) in enumerate(zip(standings, rulings, strict=True)):
        selection = chosen[id(ruling)]
        reasons = list(selection.reasons.get(each.artifact.id, ()))
        if not reasons:
            newest = each.artifact.id in selection.newest
            choices.put(index, _kept(each, ruling, now, newest=newest))
            continue
        left = each.found.nlink - sharing.get((each.found.dev, each.found.ino), 0)
        if left > 0 and each.found.nlink > 1:
            reasons.append(
                f"it has {each.found.nlink} names (hard links), so its space stays"
                " taken until all are gone"
            )
        if each.found.disk < each.found.size:
            reasons.append(f"it takes only {human_bytes(each.found.disk)} of the disk")
        reason = _said("; ".join(reasons), ruling)
        gone_too = Choice(each.artifact, True, reason, "rule", ruling.policy)
        choices.put(index, gone_too)
    return Plan(
        rules,
        now,
        choices,
        *_sizes(choices, sharing),
        sum(each.over_total for each in chosen.values()) or None,
        sum(each.over_session for each in chosen.values()) or None,
    )


class _Artifacts(Sequence[Artifact]):
    """The artifacts of standings."""

    def __init__(self, standings: Sequence[Standing]) -> None:
        self._standings = standings

    def __len__(self) -> int:
        return len(self._standings)

    def __iter__(self) -> Iterator[Artifact]:
        return (each.artifact for each in self._standings)

    @overload
    def __getitem__(self, index: int) -> Artifact: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Artifact]: ...
    def __getitem__(self, index: int | slice) -> Artifact | Sequence[Artifact]:
        if isinstance(index, slice):
            return [each.artifact for each in self._standings[index]]
        return self._standings[index].artifact


def _said(reason: str, ruling: Ruling) -> str:
    """A reason, with the policy that it comes from."""
    return reason if ruling.policy is None else f"{reason} (policy {ruling.policy})"


# What selects


@dataclass(frozen=True, slots=True)
class _Selection:
    """What the same rules make of the artifacts about which they decide."""

    reasons: Mapping[str, Sequence[str]]
    """Why artifacts go, by their ids."""
    newest: frozenset[str] = frozenset()
    """The ids of those that stay as the newest of their session."""
    over_total: int = 0
    over_session: int = 0


def _select(members: Sequence[Standing], ruling: Ruling, now: float) -> _Selection:
    rules = ruling.rules
    selected: dict[str, Sequence[str]] = {}
    if ruling.keeps is not None:
        return _Selection(selected)
    by_session: dict[tuple[str, str], array[int]] = {}
    if (rules.keep_last, rules.max_session) != (None, None):
        for index, each in enumerate(members):
            by_session.setdefault(each.session, array("i")).append(index)
    sessions = [some(members, indices) for indices in by_session.values()]
    newest = _newest(sessions, rules.keep_last)

    def stays(each: Standing) -> bool:
        return each.protected or each.artifact.id in newest

    same: dict[tuple[str, ...], tuple[str, ...]] = {}  # most are worded alike
    for each in members:
        if not stays(each) and (reasons := tuple(_reasons(each, rules, now))):
            selected[each.artifact.id] = same.setdefault(reasons, reasons)
    over = 0
    if (most := rules.max_session) is not None:
        for session in sessions:
            why = "it is among the oldest of its session, which has"
            excess = _excess(total(each.found for each in session), most)
            over += fit(session, most, stays, selected, f"{why} {excess}")
    over_total = 0
    if (most := rules.max_total) is not None:
        why = "it is among the oldest, and everything together has"
        excess = _excess(total(each.found for each in members), most)
        over_total = fit(members, most, stays, selected, f"{why} {excess}")
    return _Selection(selected, newest, over_total, over)


def _excess(size: int, most: int) -> str:
    """So many bytes, and by how many they are too many."""
    return (
        f"{human_bytes(size)}, {human_bytes(size - most)} more than {exact_size(most)}"
    )


def _newest(
    sessions: Iterable[Sequence[Standing]], count: int | None
) -> frozenset[str]:
    """The newest `count` artifacts of each session."""
    if count is None:
        return frozenset()
    kept: set[str] = set()
    for members in sessions:
        by_age = sorted(members, key=lambda each: each.age, reverse=True)
        kept.update(each.artifact.id for each in by_age[:count])
    return frozenset(kept)


def _reasons(each: Standing, rules: Rules, now: float) -> list[str]:
    """Which rules select an artifact for itself, as sentences."""
    reasons = []
    if rules.whole:
        reasons.append("all of its session was named")
    if rules.older_than is not None and now - each.freshest > rules.older_than:
        reasons.append(f"{_ages(each, now)}: older than {exact_age(rules.older_than)}")
    if rules.keep_last is not None:
        newest = (
            "the newest" if rules.keep_last == 1 else f"the newest {rules.keep_last:,}"
        )
        reasons.append(f"it is older than {newest} of its session")
    if rules.max_file is not None and each.found.disk > rules.max_file:
        reasons.append(
            f"it has {human_bytes(each.found.disk)}, more than the"
            f" {exact_size(rules.max_file)} a file may have"
        )
    if rules.orphans and each.orphan:
        reasons.append("no record points at it")
    return reasons


def _names_planned(found: Iterable[Found]) -> dict[tuple[int, int], int]:
    """How many names go of each file that has several."""
    names: dict[tuple[int, int], int] = {}
    for item in found:
        if item.nlink > 1:
            key = (item.dev, item.ino)
            names[key] = names.get(key, 0) + 1
    return names


def _sizes(choices: Choices, sharing: dict[tuple[int, int], int]) -> tuple[int, int]:
    """Bytes of the files that go, and of the disk those that lose all their names."""
    size = 0
    gone: dict[int, int] = {}
    for choice in choices.that(remove=True):
        found = choice.artifact.found
        size += found.size
        key = (found.dev, found.ino)
        if found.nlink <= 1 or sharing[key] >= found.nlink:
            gone[hash(key)] = found.disk
    return size, sum(gone.values())


# What keeps


def _kept(each: Standing, ruling: Ruling, now: float, *, newest: bool) -> Choice:
    """Why an artifact stays: what protects it first, then what the rules say."""

    def stays(reason: str, group: Group) -> Choice:
        return Choice(each.artifact, False, reason, group, ruling.policy)

    if each.pinned is not None:
        return stays(each.pinned, "pinned")
    if each.foreign is not None:
        return stays(each.foreign, "foreign")
    if each.live is not None:
        return stays(each.live, "live")
    reason, group = _unselected(each, ruling, now, newest=newest)
    return stays(_said(reason, ruling), group)


def _unselected(
    each: Standing, ruling: Ruling, now: float, *, newest: bool
) -> tuple[str, Group]:
    """Why the rules leave it, and what decided."""
    rules = ruling.rules
    if ruling.keeps is not None:
        if ruling.disputed:
            return ruling.keeps, "disputed"
        return ruling.keeps, "kept" if ruling.policy is not None else "unselected"
    if newest:
        count = rules.keep_last or 1
        which = "the newest" if count == 1 else f"one of the newest {count:,}"
        return f"it is {which} of its session", "kept"
    if rules.older_than is not None:
        text = f"{_ages(each, now)}: not older than {exact_age(rules.older_than)}"
        if _disagree(each, rules.older_than, now):
            text += "; they disagree, so it is kept"
        return text, "recent"
    if rules.orphans and each.orphan is None:
        text = "a transcript could not be read whole, so a record may point at it"
        return text, "unselected"
    if rules.orphans and each.orphan is False:
        text = "a record points at it, and no other rule selects it"
        return text, "unselected"
    return "no rule selects it", "unselected"


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
    choices = plan_.choices.but(kept, group)
    sharing = _names_planned(c.artifact.found for c in choices.that(remove=True))
    size, frees = _sizes(choices, sharing)
    return replace(plan_, choices=choices, remove_bytes=size, frees=frees)
