"""What becomes of each artifact; of very many in columns, of which a choice is made."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Literal, get_args, overload

from spillview.cleanup.words import Words

if TYPE_CHECKING:
    from spillview.cleanup.standing import Standing
    from spillview.model import Artifact, Found

Group = Literal[
    "rule",
    "spared",
    "pinned",
    "live",
    "foreign",
    "disputed",
    "kept",
    "recent",
    "unselected",
]
"""What decided: a rule that removes; or a person, a pin, a live session, the file's own
shape, two policies alike specific, a rule that keeps, an age that is not reached, and
no rule at all."""

GROUPS: dict[Group, str] = {
    "spared": "kept by you this time",
    "pinned": "pinned",
    "live": "needed by live sessions",
    "foreign": "no artifacts by their harness's names",
    "disputed": "fitted by two policies",
    "kept": "kept by a rule",
    "recent": "not selected (newer than the rule)",
    "unselected": "not selected by any rule",
}
"""Why artifacts stay, in few words."""

_NAMES: tuple[Group, ...] = get_args(Group)
_NUMBERS = {group: number for number, group in enumerate(_NAMES)}


@dataclass(frozen=True, slots=True)
class Choice:
    """What becomes of one artifact, and why."""

    artifact: Artifact
    remove: bool
    reason: str
    """A plain sentence without its full stop."""
    group: Group
    policy: str | None = None
    """The standing policy that decides about it, if one does."""


class Choices(Sequence[Choice]):
    """The choices about these artifacts, in their order."""

    def __init__(self, standings: Sequence[Standing]) -> None:
        self.standings = standings
        self.order = array("i", range(len(standings)))
        """Indices into the columns."""
        self._removes = bytearray(len(standings))
        self._reasons = array("i", bytes(4 * len(standings)))
        self._groups = bytearray(len(standings))
        self._policies = array("i", bytes(4 * len(standings)))
        self._words = Words()
        self._words.add("")  # stands for no policy
        self._parts: dict[bool, Choices] = {}

    def put(self, index: int, choice: Choice) -> None:
        """Take what was decided about one."""
        self._set(index, choice.remove, choice.reason, choice.group)
        if choice.policy is not None:
            self._policies[index] = self._words.add(choice.policy)

    def _set(self, index: int, remove: bool, reason: str, group: Group) -> None:
        self._removes[index] = remove
        self._reasons[index] = self._words.add(reason)
        self._groups[index] = _NUMBERS[group]

    def but(self, kept: Mapping[str, str], group: Group) -> Choices:
        """The same, when those of these ids that would go stay, each for a reason."""
        other = self._with(self.order)
        other._removes = bytearray(self._removes)
        other._reasons, other._groups = self._reasons[:], self._groups[:]
        other._parts = {}
        for ident, reason in kept.items():
            index = self.index_of(ident)
            if index is not None and self._removes[index]:
                other._set(index, False, reason, group)
        return other

    def index_of(self, ident: str) -> int | None:
        """Where the choice about the artifact of that id is among all."""
        known = getattr(self.standings, "index_of", None)
        if known is not None:
            found: int | None = known(ident)
            return found
        ids = (standing.artifact.id for standing in self.standings)
        return next((n for n, each in enumerate(ids) if each == ident), None)

    def _with(self, order: array[int]) -> Choices:
        some = object.__new__(Choices)
        some.__dict__ |= self.__dict__ | {"order": order, "_parts": {}}
        return some

    def where(self, admits: Callable[[int], object]) -> Choices:
        """Those whose indices among all are admitted, in this order."""
        return self._with(array("i", filter(admits, self.order)))

    def that(self, *, remove: bool) -> Choices:
        """Those that go, or those that stay."""
        part = self._parts.get(remove)
        if part is None:
            wanted = map(self._removes.__getitem__, self.order)
            flags = wanted if remove else (not each for each in wanted)
            part = self._parts[remove] = self._with(
                array("i", compress(self.order, flags))
            )
        return part

    def group(self, index: int) -> str:
        """What decided about the one at an index among all."""
        return _NAMES[self._groups[index]]

    def groups(self) -> Counter[str]:
        """What decided about these, and how often."""
        return Counter(map(self.group, self.order))

    def found(self) -> Iterator[Found]:
        """The directory entries of these."""
        return (self.standings[at].found for at in self.order)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(
            mine == theirs for mine, theirs in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]  # it equals a list of the same

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[Choice]:
        return map(self._made, self.order)

    @overload
    def __getitem__(self, index: int) -> Choice: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Choice]: ...
    def __getitem__(self, index: int | slice) -> Choice | Sequence[Choice]:
        if isinstance(index, slice):
            return self._with(self.order[index])
        return self._made(self.order[index])

    def sorted(self, key: Callable[[Choice], object]) -> Choices:
        """These in the order of a key."""
        keyed = [(key(self._made(at)), n) for n, at in enumerate(self.order)]
        keyed.sort()
        return self._with(array("i", (self.order[n] for _, n in keyed)))

    def _made(self, at: int) -> Choice:
        policy = self._policies[at]
        return Choice(
            self.standings[at].artifact,
            bool(self._removes[at]),
            self._words[self._reasons[at]],
            _NAMES[self._groups[at]],
            self._words[policy] if policy else None,
        )


def some(standings: Sequence[Standing], indices: Iterable[int]) -> Sequence[Standing]:
    """Those at these indices; made one by one where they stand in columns."""
    pick: Callable[[Iterable[int]], Sequence[Standing]] | None
    pick = getattr(standings, "pick", None)
    return pick(indices) if pick is not None else [standings[i] for i in indices]
