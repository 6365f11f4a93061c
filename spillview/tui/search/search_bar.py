"""The line above a search's results: how far it has come, and what it found."""

from __future__ import annotations

from dataclasses import dataclass

from spillview.search.selection import Options
from spillview.text import printable
from spillview.tui.queue.bars import plural, two_ends
from spillview.tui.runs import Lines, Runs


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search has come."""

    pattern: str = ""
    running: bool = False
    stopped: bool = False
    error: str | None = None
    done: int = 0
    lines: int = 0
    shown: int = 0
    artifacts: int = 0
    problems: int = 0
    skipped: int = 0
    unknown: int = 0
    foreign: int = 0
    """Artifacts that are not all UTF-8, where the pattern is not all ASCII."""
    beyond: int = 0
    """Artifacts that are here and are not among those to search."""

    def words(self, total: int) -> str:
        """What was found, honest about what was not looked at or is not shown."""
        if not self.pattern:
            words = f"{plural(total, 'artifact')} to search"
            return f"{words}{self._rest}"
        partial = self.running or self.stopped
        words = f"{self.lines:,}"
        if self.shown < self.lines:
            least = "at least " if partial else ""
            words = f"{self.shown:,} shown of {least}{words}"
        elif partial:
            words = f"at least {words}"
        unit = "line" if self.lines == 1 else "lines"
        words += f" {unit} in {self.artifacts:,} of {plural(total, 'artifact')}"
        if self.stopped:
            words += f" · stopped, {self.done:,} searched"
        elif self.running:
            words += f" · {self.done:,} searched"
        if self.unknown:
            words += f" · {self.unknown:,} unknown left out"
        if self.foreign:
            words += f" · {self.foreign:,} not all in UTF-8, searched in part"
        if self.problems:
            words += f" · {self.problems:,} not read"
        if self.skipped:
            many = (
                "links or special files" if self.skipped > 1 else "link or special file"
            )
            words += f" · {self.skipped:,} {many} skipped"
        return f"{words}{self._rest}"

    @property
    def _rest(self) -> str:
        """What the search leaves out, and the key that takes it in."""
        return f" · a: {self.beyond:,} more" if self.beyond else ""


def advice(progress: Progress, total: int, options: Options) -> str:
    """What to do where there is no hit to show: sentences, a line each."""
    if progress.error is not None:
        lines = ["This pattern cannot be searched for."]
        if not options.fixed:
            lines.append("Esc, then r: take it as it is, no regex.")
        return "\n".join([*lines, "/: change it."])
    many = plural(total, "artifact")
    if progress.stopped:
        lines = [f"Stopped after {progress.done:,} of {many}: no line matched so far."]
    elif options.seen is False:
        lines = [f"No line that the model never saw matches in {many}."]
        lines.append("u: show what it saw as well.")
    else:
        lines = [f"No line matches in {many}."]
    if progress.beyond:
        lines.append(f"a: search the {progress.beyond:,} other artifacts here as well.")
    if options.fixed:
        lines.append("r: take the pattern as a regex.")
    return "\n".join([*lines, "/: type another pattern."])


class SearchBar(Lines):
    """What is searched, and how far it has come."""

    def __init__(self) -> None:
        super().__init__(id="search-bar")
        self.progress = Progress()
        self.total = 0
        self.options = Options()

    def show(self, progress: Progress, total: int, options: Options) -> None:
        """Show these."""
        self.progress, self.total, self.options = progress, total, options
        self.remake()

    def make(self, width: int, height: int) -> list[Runs]:
        """One line: an error in place of the counts."""
        left: Runs = [(" SEARCH", "brand"), ("  ", "")]
        if self.progress.error is not None:
            left.append((printable(self.progress.error), "never"))
        else:
            left.append((self.progress.words(self.total), ""))
        modes = []
        if self.options.seen is False:
            modes.append("never seen only")
        if self.options.fixed:
            modes.append("as it is, no regex")
        return [two_ends(left, [(", ".join(modes), "selected")], width)]
