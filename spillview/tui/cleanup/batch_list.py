"""The rows of the trash: clean-ups, what they come to, the files of one."""

from __future__ import annotations

import heapq
import time
from collections.abc import Sequence
from dataclasses import dataclass

from spillview.cleanup.batches import Batch
from spillview.cleanup.expiry import expiry, is_expired
from spillview.text import exact_age, human_age, human_bytes, path_text, printable
from spillview.tui.queue.bars import plural, two_ends
from spillview.tui.runs import Lines, Runs, fit


@dataclass(frozen=True, slots=True)
class BatchRow:
    """One clean-up."""

    batch: Batch
    now: float
    keep: float | None = None
    """The `trash_keep` of the settings."""

    @property
    def key(self) -> str:
        """Its name."""
        return self.batch.id

    @property
    def heading(self) -> bool:
        """It is none."""
        return False

    def runs(self, width: int) -> Runs:
        """When, how many files and bytes, and where they lie."""
        batch = self.batch
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(batch.when))
        files = f"{batch.items:,}"
        if batch.items != batch.total:
            files += f" of {batch.total:,}"
        noun = "artifact" if batch.total == 1 else "artifacts"
        runs: Runs = [(" ", ""), (when if batch.when else fit("?", 16), "")]
        age = human_age(self.now - batch.when) if batch.when else ""
        if age and batch.when <= self.now:  # else the clock was put back: `in 1d`
            age += " ago"
        runs += [
            (fit(age, 9, right=True), "dim"),
            (fit(f"{files} {noun}", 18, right=True), "head"),
            (fit(human_bytes(batch.bytes), 11, right=True), "head"),
            ("  ", ""),
        ]
        if self.keep is not None and is_expired(batch, self.keep, self.now):
            runs += [("expired: the next clean-up deletes it", "notice"), ("  ", "")]
        elif self.keep is not None and (goes := expiry(batch, self.keep, self.now)):
            runs += [(f"goes {goes}", "dim"), ("  ", "")]
        if batch.problem is not None:
            runs.append((printable(batch.problem), "never"))
        elif batch.away:
            runs.append((f"{batch.away:,} on a disk that is not there", "unseen"))
        elif batch.open:
            runs.append(("at work", "live"))
        else:
            runs.append((printable(path_text(batch.path)), "dim"))
        return runs


class TrashBar(Lines):
    """What is in the trash altogether."""

    def __init__(self) -> None:
        super().__init__(id="trash-bar")
        self.batches: Sequence[Batch] = ()
        self.doing: str | None = None
        self.keep: float | None = None
        """The `trash_keep` of the settings."""

    def show(
        self, batches: Sequence[Batch], doing: str | None, keep: float | None
    ) -> None:
        """Count these."""
        self.batches, self.doing, self.keep = batches, doing, keep
        self.remake()

    def make(self, width: int, height: int) -> list[Runs]:
        """One line."""
        items = sum(batch.items for batch in self.batches)
        size = human_bytes(sum(batch.bytes for batch in self.batches))
        left: Runs = [(" ", ""), ("trash", "brand"), ("  ", "")]
        left.append((f"{plural(items, 'artifact')} · {size}", "head"))
        if items:
            left.append(("  freed once it is emptied", "dim"))
        right = self.doing
        if right is None and self.keep is not None:
            right = f"kept for {exact_age(self.keep)}"
        return [two_ends(left, [(right, "dim")] if right else [], width)]


NAMED = 200
"""So many files of a clean-up are named at most; no terminal is higher."""


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one clean-up."""

    largest: Sequence[tuple[str, int]] = ()
    """Paths and bytes, the largest first."""
    number: int = 0

    @classmethod
    def of(cls, files: Sequence[tuple[str, int]]) -> Files:
        """Keep the largest of these."""
        largest = heapq.nsmallest(NAMED, files, key=lambda f: (-f[1], f[0]))
        return cls(largest, len(files))


class BatchDetail(Lines):
    """Where the files of the clean-up under the cursor came from."""

    def __init__(self) -> None:
        super().__init__(id="batch")
        self._named = ""
        self.files = Files()

    def show(self, name: str, files: Files) -> None:
        """Show these of a clean-up."""
        self._named, self.files = name, files
        self.remake()

    def make(self, width: int, height: int) -> list[Runs]:
        """The largest, and how many more there are."""
        largest, number = self.files.largest, self.files.number
        fits = number <= height
        lines: list[Runs] = []
        for path, size in largest[: height if fits else height - 1]:
            shown = printable(path_text(path))
            room = max(10, width - 13)
            if len(shown) > room:
                shown = "…" + shown[-(room - 1) :]
            bytes_ = fit(human_bytes(size), 10, right=True)
            lines.append([(bytes_, "dim"), ("  ", ""), (shown, "")])
        if not fits:
            rest = number - height + 1
            more = f"and {rest:,} more of {number:,}"
            more += f"; `spillview trash {self._named}` lists all"
            lines.append([(" " * 12, ""), (more, "dim")])
        return lines
