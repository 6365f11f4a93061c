"""The two lines that say what is shown: above the queue and below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import events

from spillview.catalogue.picks import PICKS
from spillview.frozen import Frozen
from spillview.text import human_age, human_bytes, printable
from spillview.tui.live_keys import key_of
from spillview.tui.queue.arrangement import WORST, Arrangement, Listed, View
from spillview.tui.queue.members import Members
from spillview.tui.queue.sessions import Figures
from spillview.tui.runs import Lines, Runs, fit_runs, short_count
from spillview.tui.told import Told

if TYPE_CHECKING:
    from spillview.growth.pace import Short

SLOW = 0.5
"""Progress says how much time is left when it is longer than this, in seconds."""


class Counting(Frozen):
    """How far the counting has come."""

    done: int
    total: int
    left: float | None

    def __str__(self) -> str:
        words = f"counted {self.done:,} of {self.total:,}"
        if self.left is not None and self.left > SLOW and self.done < self.total:
            words += f", {human_age(self.left + 1)} left"
        return words


def two_ends(left: Runs, right: Runs, width: int) -> Runs:
    """One line: `right` whole at the right end, `left` in what is left of it."""
    right = [*right, (" ", "")]
    room = width - sum(cell_len(text) for text, _ in right)
    if room < 8:
        return fit_runs(left, width)
    gap = 2 if len(right) > 1 else 0
    return [*fit_runs(left, room - gap), (" " * gap, ""), *right]


def plural(number: int, word: str) -> str:
    """`1 artifact`, `2,000 artifacts`."""
    return f"{number:,} {word}" + ("" if number == 1 else "s")


class Bar(Lines):
    """One line, some of whose words can be clicked."""

    class Clicked(Told):
        """Words that name an action of the screen were clicked."""

        action: str

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._actions: dict[str, str] = {}
        """What the words do, by them."""

    def on_click(self, event: events.Click) -> None:
        """Do what the words under the mouse name."""
        at = 0
        for text, _ in self.make(*self.size)[0]:
            at += cell_len(text)
            if event.x < at:
                if text in self._actions:
                    self.post_message(self.Clicked(self._actions[text]))
                return


class TopBar(Bar):
    """The program, the window in words, the worst of it, and progress."""

    def __init__(self) -> None:
        super().__init__(id="top")
        self.window = ""
        self.figures = Figures()
        self.missing = 0
        self.put_away = 0
        self.listed: Listed | None = None
        self.counting: Counting | None = None
        self.looking = True
        self.working: str | None = None
        """How far it is with what the person asked for; None while there is nothing."""
        self.short: Sequence[Short] = ()
        """The disks on which too little is free."""

    def show(
        self,
        window: str,
        figures: Figures,
        missing: int = 0,
        put_away: int = 0,
        listed: Listed | None = None,
    ) -> None:
        """State the window, what is left in it, and how many calls `m` added.

        `put_away` more of the window are reviewed and not shown. Until all of it is
        `listed`, what is bad of the whole window is not known and not told.
        """
        self.window, self.figures, self.missing = window, figures, missing
        self.put_away, self.listed = put_away, listed
        self.remake()

    def say(self, working: str | None) -> None:
        """Tell how far something is, in the place of the counting."""
        self.working = working
        self.remake()

    def make(self, width: int, height: int) -> list[Runs]:
        """One line; where it is short of room, `n of m` goes without its word."""
        right: Runs = []
        if self.working is not None:
            right = [(self.working, "notice")]
        elif self.listed is not None:
            right = [(str(self.listed), "dim")]
        elif self.counting is not None:
            right = [(str(self.counting), "dim")]
        elif self.looking:
            right = [("looking for stores", "dim")]
        if self.short:
            right = [*self._short(width), *([("  ", "")] if right else []), *right]
        left = self._left(" reviewed")
        if sum(cell_len(text) for text, _ in [*left, *right]) > width - 3:
            left = self._left("")
        return [two_ends(left, right, width)]

    def _short(self, width: int) -> Runs:
        """The disks that are short; where each is, if there is room for it."""
        for brief in (False, True):
            words = ", ".join(disk.words(brief=brief) for disk in self.short)
            if cell_len(words) <= width // 2:
                return [(printable(words), "never")]
        return [(self.short[0].words(brief=True), "never")]

    def _left(self, word: str) -> Runs:
        """The window, what nobody saw of what is left, and how many are reviewed."""
        left: Runs = [(" ", ""), ("spillview", "brand"), ("  ", ""), (self.window, "")]
        if self.listed is not None:
            return left
        failed, unseen = self.figures.failed, self.figures.unseen
        if failed:
            words = f"✗ {failed:,} failed unseen"
            self._actions = {words: "only('failed')"}
            left += [("  ", ""), (words, "never")]
        if unseen:
            left += [("  ", ""), (f"○ {unseen:,} unseen", "unseen")]
        if self.missing:
            words = f"and {plural(self.missing, 'missing call')}"
            left += [("  ", ""), (words, "notice")]
        reviewed = self.figures.reviewed + self.put_away
        if reviewed:
            total = self.figures.artifacts + self.put_away
            left += [("  ", ""), (f"✓ {reviewed:,} of {total:,}{word}", "good")]
        return left


class TotalsBar(Bar):
    """Counts of what is shown or selected, and how it is ordered."""

    def __init__(self) -> None:
        super().__init__(id="totals")
        self.arrangement: Arrangement | None = None
        self.selected: Members | None = None
        self.view = View()
        self.problems = 0

    def show(
        self, arrangement: Arrangement, selected: Members | None, view: View
    ) -> None:
        """Count these."""
        self.arrangement, self.selected, self.view = arrangement, selected, view
        self.remake()

    def make(self, width: int, height: int) -> list[Runs]:
        """One line."""
        if self.arrangement is None:
            return [[]]
        order = self._order(width)
        left: Runs = []
        for right in (order, order[:-2]):  # how it is ordered is told by the titles too
            room = width - 3 - sum(cell_len(text) for text, _ in right)
            for parts in (2, 1, 0):
                left = self._figures(width, parts)
                if sum(cell_len(text) for text, _ in left) <= room:
                    return [two_ends(left, right, width)]
        return [two_ends(left, order[:-2], width)]

    def _figures(self, width: int, parts: int) -> Runs:
        """How many, and their size: chars and bytes, bytes alone, or neither."""
        arrangement = self.arrangement
        if arrangement is None:
            return []
        figures = arrangement.figures
        if self.selected:
            what = f"{len(self.selected):,} selected of {figures.artifacts:,}"
            figures = Figures.of(self.selected)
            runs: Runs = [(" ", ""), ("+ ", "selected"), (what, "head")]
        else:
            sessions = plural(arrangement.sessions, "session")
            what, calls = plural(figures.artifacts, "artifact"), arrangement.calls
            if calls:
                told = plural(calls, "missing call")
                what = f"{what} and {told}" if figures.artifacts else told
            runs = [(" ", ""), (f"{what} in {sessions}", "head")]
            if calls and not figures.artifacts:
                return runs
        chars = short_count(figures.chars, 6 if width < 100 else 20)
        least = ""
        if figures.counted < figures.artifacts:
            least = "≥ " if width < 100 else "at least "
        sizes = (f" · {least}{chars} chars", f" · {human_bytes(figures.bytes)}")
        return [*runs, ("".join(sizes[2 - parts :]), "dim")]

    def _order(self, width: int) -> Runs:
        view = self.view
        runs: Runs = []
        self._actions.clear()
        if self.problems:
            key = key_of(self, "home.problems")
            words = f"{plural(self.problems, 'problem')}: {key}"
            self._actions[words] = "problems"
            runs += [(words, "notice"), ("  ", "")]
        lost = self.arrangement.missing if self.arrangement else 0
        if lost and not view.missing and view.only is None:
            words = f"{plural(lost, 'missing call')}: {key_of(self, 'home.missing')}"
            self._actions[words] = "missing"
            runs += [(words, "notice"), ("  ", "")]
        if view.only is not None:
            words = f"only {view.only}"
            if width >= 100:
                words += f": {PICKS[view.only].words}"
            runs += [(words, "selected"), ("  ", "")]
        if view.filter.strip():
            runs += [("/" + printable(view.filter), "selected"), ("  ", "")]
        words = "worst first"
        if view.sort != WORST:
            words = f"by {view.sort} {'↑' if view.reverse else '↓'}"
        elif view.reverse:
            words = "worst last"
        if width >= 100:
            words = ("flat, " if view.flat else "by session, ") + words
        return [*runs, (words, "dim")]
