"""The rows of a clean-up's plan, under what decided about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from spillview.cleanup.choices import Choices
from spillview.cleanup.cleanup import Prospect
from spillview.cleanup.retention import GROUPS, Choice, Plan, without
from spillview.model import Artifact
from spillview.space import space_of
from spillview.text import human_age, human_bytes, path_text, printable
from spillview.tui.queue.bars import plural
from spillview.tui.queue.columns import subject
from spillview.tui.review.pinning import MARK
from spillview.tui.runs import Runs, clean, fit
from spillview.tui.sections import Section, Sections

SHOWN = ("all", "goes", "stays")
"""What is shown of a plan."""


AGE, SIZE = 5, 9
"""Cells of the columns."""


def _room(width: int) -> int:
    """Cells of what an artifact is, in a row of `width`."""
    return max(12, (width - 20) * 2 // 5)


def titles(width: int) -> Runs:
    """What the columns of a row are."""
    return [
        (fit("changed", AGE + 2, right=True), "dim"),
        (" ", ""),
        (fit("size", SIZE, right=True), "dim"),
        ("  ", ""),
        (fit("command or file", _room(width)), "dim"),
        ("  why it goes or stays", "dim"),
    ]


_BRIEF = {
    "its session is live: ": "",
    "its session was last active ": "session ",
    "the file changed ": "file ",
    "its name says ": "name ",
}
"""Words of reasons that every row would repeat; the line below the list has them."""


def brief(reason: str) -> str:
    """A reason as a row has room for it."""
    for words, fewer in _BRIEF.items():
        reason = reason.replace(words, fewer)
    return reason


@dataclass(frozen=True, slots=True)
class Heading:
    """A group: what decided, how many files and bytes."""

    words: str
    tone: str
    count: int
    size: int

    @property
    def key(self) -> str:
        """Its words."""
        return f"heading {self.words}"

    @property
    def heading(self) -> bool:
        """It is one."""
        return True

    def runs(self, width: int) -> Runs:
        """Words, files, bytes."""
        figures = f"  {plural(self.count, 'artifact')} · {human_bytes(self.size)}"
        return [(" ", ""), (self.words, self.tone), (figures, "dim")]


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """One artifact and what becomes of it."""

    choice: Choice
    now: float
    artifact: Artifact
    """With all that is known of it."""
    failure: str | None = None
    """Why it could not be removed, when that was tried."""

    @property
    def key(self) -> str:
        """The artifact's id."""
        return self.choice.artifact.id

    @property
    def heading(self) -> bool:
        """It is none."""
        return False

    @property
    def reason(self) -> str:
        """Why it goes or stays, safe to draw."""
        if self.failure is not None:
            return printable(path_text(f"could not be removed: {self.failure}"))
        return printable(path_text(self.choice.reason))

    def runs(self, width: int) -> Runs:
        """Mark, the file's age, bytes, what it is, why in few words."""
        found = self.choice.artifact.found
        goes = self.choice.remove and self.failure is None
        mark = ("−", "over") if goes else ("!", "never") if self.failure else (" ", "")
        age = human_age(self.now - found.mtime_ns / 1e9)
        what = clean(subject(self.artifact), width)
        if self.choice.group == "pinned":
            mark = (MARK, "good")
        return [
            (" ", ""),
            mark,
            (fit(age, AGE, right=True), "dim"),
            (" ", ""),
            (fit(human_bytes(found.size), SIZE, right=True), "" if goes else "dim"),
            ("  ", ""),
            (fit(what, _room(width)), "" if goes else "dim"),
            ("  ", ""),
            *self._why(width),
        ]

    def _why(self, width: int) -> Runs:
        """The reason; before it the standing policy, as the end may not fit."""
        policy = self.choice.policy
        if policy is None or self.failure is not None:
            return [(brief(self.reason), "dim")]
        said = printable(path_text(policy))
        reason = self.reason.removesuffix(f" (policy {said})")
        if reason == self.reason:  # something else decided
            return [(brief(reason), "dim")]
        name = said if len(said) <= width // 3 else f"{said[: width // 3 - 1]}…"
        return [(name, "label"), (f"  {brief(reason)}", "dim")]


def rows_of(
    plan: Plan,
    failures: Mapping[str, str],
    whole: Callable[[Artifact], Artifact],
    *,
    show: str = "all",
    by: str = "size",
) -> Sections:
    """What goes, then what stays, each under why; `by` size or age.

    `whole` gives an artifact with all that is known of it.
    """

    def order(choice: Choice) -> tuple[float, str]:
        found = choice.artifact.found
        value = -found.size if by == "size" else found.mtime_ns
        return value, found.path

    choices = plan.choices
    stuck = {choices.index_of(ident) for ident in failures}
    groups: list[tuple[str, str, Choices]] = []
    if show != "goes":
        failed = choices.where(stuck.__contains__)
        groups.append(("could not be removed", "never", failed))
    if show != "stays":
        goes = plan.remove.where(lambda index: index not in stuck)
        groups.append(("goes", "over", goes))
    if show != "goes":
        for name, words in GROUPS.items():
            stays = plan.keep.where(partial(_is_of, choices, name))
            groups.append((f"stays: {words}", "good", stays))
    return Sections(
        _section(words, tone, members.sorted(order), plan.now, failures, whole)
        for words, tone, members in groups
        if members
    )


def _is_of(choices: Choices, group: str, index: int) -> bool:
    """Whether that decided about the one at an index among all."""
    return choices.group(index) == group


def _section(
    words: str,
    tone: str,
    members: Choices,
    now: float,
    failures: Mapping[str, str],
    whole: Callable[[Artifact], Artifact],
) -> Section:
    def row(number: int) -> ChoiceRow:
        choice = members[number]
        ident = choice.artifact.id
        return ChoiceRow(choice, now, whole(choice.artifact), failures.get(ident))

    def find(key: str) -> int | None:
        index = members.index_of(key)
        try:
            return None if index is None else members.order.index(index)
        except ValueError:
            return None

    size = space_of(members.found()).bytes
    return Section(Heading(words, tone, len(members), size), len(members), row, find)


def arrangement(
    seen: Prospect | None,
    spared: frozenset[str],
    failures: Mapping[str, str],
    whole: Callable[[Artifact], Artifact],
    *,
    show: str,
    by: str,
) -> tuple[Plan | None, Sections]:
    """The plan as it would be carried out, and its rows; see `rows_of`."""
    if seen is None:
        return None, Sections(())
    plan = seen.plan
    if spared:
        plan = without(plan, dict.fromkeys(spared, "you keep it this time"), "spared")
    return plan, rows_of(plan, failures, whole, show=show, by=by)
