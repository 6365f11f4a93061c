"""The lines around a plan: what it comes to, and the row under the cursor in full."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len

from spillview.cleanup.choices import Choices
from spillview.cleanup.retention import Plan
from spillview.space import space_of
from spillview.text import human_bytes, path_text, printable
from spillview.tui.cleanup.plan_list import ChoiceRow, titles
from spillview.tui.live_keys import key_of
from spillview.tui.queue.bars import plural, two_ends
from spillview.tui.runs import Lines, Runs, clean, fit_runs, plain, wrap


@dataclass(frozen=True, slots=True)
class Later:
    """What a later plan takes besides."""

    number: int
    bytes: int
    """Of these files, each once."""

    @classmethod
    def of(cls, choices: Choices) -> Later:
        """Add these up."""
        return cls(len(choices), space_of(choices.found()).bytes)


class CleanupBar(Lines):
    """What would go, what stays, and what is being done."""

    def __init__(self) -> None:
        super().__init__(id="cleanup-bar")
        self.plan: Plan | None = None
        self.doing: str | None = None
        """What is at work now, in words."""
        self.tomorrow: Later | None = None
        """What goes in a day besides; None where that is not asked."""

    def show(
        self,
        plan: Plan | None,
        doing: str | None,
        tomorrow: Later | None = None,
    ) -> None:
        """State these."""
        self.plan, self.doing, self.tomorrow = plan, doing, tomorrow
        self.remake()

    def make(self, width: int, height: int) -> list[Runs]:
        """One line."""
        left: Runs = [(" ", ""), ("clean up", "brand"), ("  ", "")]
        plan = self.plan
        if plan is not None:
            going = plan.remove
            if going:
                go = "goes" if len(going) == 1 else "go"
                left += [
                    (f"{plural(len(going), 'artifact')} {go}", "over"),
                    (f"  {human_bytes(plan.remove_bytes)}", "head"),
                ]
            else:
                left.append(("nothing goes", "dim"))
            left.append((f"  {len(plan.choices) - len(going):,} stay", "dim"))
        right: Runs = []
        if self.doing is not None:
            right = [(self.doing, "dim")]
        elif self.tomorrow is not None:
            number, size = self.tomorrow.number, human_bytes(self.tomorrow.bytes)
            more = f"{number:,} more" if number else "nothing more"
            if number and (width >= 100 or not _over(plan, 0)):
                more += f", {size}"
            right = [(f"tomorrow {more}", "dim")]
        elif plan is not None and plan.frees != plan.remove_bytes:
            right = [(f"frees {human_bytes(plan.frees)} once emptied", "dim")]
        elif plan is not None and plan.choices and not plan.remove:
            right = self._wider()
        room = width - sum(cell_len(text) for text, _ in (*left, *right))
        left += _over(plan, room)
        return [two_ends(left, right, width)]

    def _wider(self) -> Runs:
        """The keys that have something go."""
        keys = (("younger", "younger"), ("older_than", "age"), ("orphans", "orphans"))
        runs: Runs = []
        for name, words in keys:
            runs += [("  " if runs else "", ""), (key_of(self, f"clean.{name}"), "bar")]
            runs.append((f" {words}", "dim"))
        return runs


class PlanTitles(Lines):
    """What each column of the plan is: an age here is that of the file."""

    def __init__(self) -> None:
        super().__init__(id="plan-titles")

    def make(self, width: int, height: int) -> list[Runs]:
        """One line."""
        return [titles(width - 1)]  # the list has a scrollbar


def _over(plan: Plan | None, room: int) -> Runs:
    """What stays beyond a cap, as protected files do not fit it."""
    runs: Runs = []
    if plan is None:
        return runs
    for size, cap in (
        (plan.over_total, "the total"),
        (plan.over_session, "a session's size"),
    ):
        if size is not None:
            words = f"{human_bytes(size)} over {cap} stay"
            short = f"{human_bytes(size)} over"
            runs += [("  ", ""), (words if room > len(words) + 6 else short, "notice")]
    return runs


class ChoiceDetail(Lines):
    """The artifact under the cursor: where it lies, and the whole reason."""

    def __init__(self) -> None:
        super().__init__(id="choice")
        self.row: ChoiceRow | None = None

    def show(self, row: ChoiceRow | None) -> None:
        """Show this row."""
        self.row = row
        self.remake()

    def make(self, width: int, height: int) -> list[Runs]:
        """Path, reason, and what made it."""
        if self.row is None or height < 1:
            return []
        artifact = self.row.artifact
        path = printable(path_text(artifact.found.place))
        room = max(10, width - 2)
        if cell_len(path) > room:
            path = "…" + path[-(room - 1) :]
        lines: list[Runs] = [[(" ", ""), (path, "head")]]
        goes = self.row.choice.remove and self.row.failure is None
        word = "goes: " if goes else "stays: "
        tone = "over" if goes else "good"
        wrapped = wrap(word + plain(self.row.reason), room, max(1, height - 2))
        first = wrapped[0].removeprefix(word)
        lines.append([(" ", ""), (word, tone), (first, "")])
        lines += [[(" ", ""), (line, "")] for line in wrapped[1:]]
        what = clean(artifact.command, width).strip()
        made: Runs = [(" ", ""), (artifact.found.harness, "dim")]
        if artifact.tool:
            made.append((f"  {clean(artifact.tool, 30)}", "label"))
        if what:
            made.append((f"  {plain(what)}", "dim"))
        lines.append(fit_runs(made, width))
        return lines[:height]
