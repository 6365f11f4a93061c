"""The lines around a plan: what it comes to, and the row under the cursor in full."""

from __future__ import annotations

from rich.cells import cell_len

from spillview.retention import Plan
from spillview.text import human_bytes, path_text, printable
from spillview.tui.bars import plural, two_ends
from spillview.tui.plan_list import ChoiceRow
from spillview.tui.runs import Lines, Runs, clean, fit_runs, plain, wrap


class CleanupBar(Lines):
    """What would go, what stays, and what is being done."""

    def __init__(self) -> None:
        super().__init__(id="cleanup-bar")
        self.plan: Plan | None = None
        self.doing: str | None = None
        """What is at work now, in words."""

    def show(self, plan: Plan | None, doing: str | None) -> None:
        """State these."""
        self.plan, self.doing = plan, doing
        self.remake()

    def make(self, width: int, height: int) -> list[Runs]:
        """One line."""
        left: Runs = [(" ", ""), ("clean up", "brand"), ("  ", "")]
        plan = self.plan
        if plan is not None:
            going = plan.remove
            if going:
                left += [
                    (f"{plural(len(going), 'file')} go", "over"),
                    (f"  {human_bytes(plan.remove_bytes)}", "head"),
                ]
            else:
                left.append(("nothing goes", "dim"))
            left.append((f"  {len(plan.choices) - len(going):,} stay", "dim"))
            if plan.over_total is not None:
                over = f"{human_bytes(plan.over_total)} over the total stay"
                left += [("  ", ""), (over, "notice")]
        right: Runs = []
        if self.doing is not None:
            right = [(self.doing, "dim")]
        elif plan is not None and plan.frees != plan.remove_bytes:
            right = [(f"frees {human_bytes(plan.frees)} once emptied", "dim")]
        return [two_ends(left, right, width)]


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
        artifact = self.row.choice.artifact
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
