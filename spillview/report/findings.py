"""The facts of a report: its period, what was found, and what was not looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from spillview.model import Artifact, Line, Missing, Next
from spillview.seen.endings import ending_line

if TYPE_CHECKING:
    from spillview.report.finding_list import Findings

Section = Literal[
    "failed_unseen",
    "verdict_unseen",
    "signals_unseen",
    "items_missed",
    "failed",
    "dangling",
    "cut",
    "growing",
    "exposed",
    "disk",
]

SECTIONS: dict[Section, str] = {
    "failed_unseen": "Failed, and the model never saw it",
    "verdict_unseen": "Verdict never seen",
    "signals_unseen": "Errors only where the model did not look",
    "items_missed": "JSON items missed",
    "failed": "Failed",
    "dangling": "Dangling: the notice's artifact is gone",
    "cut": "Cut, with nothing saved",
    "growing": "Growing",
    "exposed": "Exposed",
    "disk": "Disk",
}
"""Every section with its title, the worst first."""


@dataclass(frozen=True, slots=True)
class Period:
    """What the report covers, in seconds since the epoch."""

    since: float | None
    """None covers all time."""
    until: float
    origin: Literal["review", "evening", "asked", "all"]
    """Why it begins there: the last review, no review yet, or a person's words."""
    open: bool = True
    """Whether it goes on to the present: then no clock that is ahead leaves it."""


@dataclass(frozen=True, slots=True)
class Run:
    """The session a finding is of."""

    harness: str
    id: str
    project: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that needs a look."""

    section: Section
    text: str
    """One sentence without its full stop; not made printable."""
    run: Run | None = None
    artifact: Artifact | None = None
    call: Missing | None = None
    note: str | None = None
    """What the person wrote about it."""
    more: dict[str, Any] = field(default_factory=dict)
    """Raw facts beside the sentence, by the names that rows have for them."""

    @property
    def line(self) -> Line | None:
        """The line that tells how the artifact ended."""
        return ending_line(self.artifact) if self.artifact else None

    @property
    def following(self) -> Next | None:
        """What the agent said and called after the envelope."""
        mention = self.artifact.envelope if self.artifact is not None else None
        return mention.next if mention is not None else None

    @property
    def swept(self) -> bool:
        """Whether the file is gone as expected: by its harness, or by the person."""
        return self.call is not None and self.call.swept is not None

    @property
    def removed(self) -> bool:
        """Whether a clean-up of ours removed the file."""
        return self.call is not None and self.call.removal is not None

    @property
    def command(self) -> str | None:
        """The call's command."""
        if self.artifact is not None:
            return self.artifact.command
        return self.call.mention.command if self.call is not None else None

    @property
    def went_on(self) -> bool:
        """Whether the agent said or called something after the envelope."""
        return self.more.get("went_on") is True


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of the artifacts of the period; the parts add up to the first."""

    artifacts: int = 0
    """In the period."""
    reviewed: int = 0
    """Left out, for they were looked at already."""
    found: int = 0
    """In one section at least."""
    fine: int = 0
    """In none: what they conclude was seen, or there was nothing to miss."""
    unknown: int = 0
    """In none, and not known whether the model saw what they conclude."""
    calls: int = 0
    """Calls of the period whose full result is not on disk."""
    calls_reviewed: int = 0
    sessions: int = 0
    """Sessions of the period."""
    uncounted: int = 0
    """Too large or growing: their contents were not looked at."""
    items_unread: int = 0
    """JSON artifacts whose items were not compared with what the model saw."""
    exposed_before: int = 0
    """Exposed artifacts from before the period."""
    unlooked: int = 0
    """Artifacts that were not looked through for credentials."""


@dataclass(frozen=True, slots=True)
class Report:
    """One report, worst first."""

    period: Period
    made: float
    findings: Findings
    tally: Tally
    problems: tuple[str, ...] = ()
    """What could not be found out, as plain sentences."""
    session_notes: dict[tuple[str, str], str] = field(default_factory=dict)
    """What the person wrote about sessions, by harness and session id."""
    covered: Sequence[tuple[str, float]] = ()
    """Marks of everything the report speaks of, or found to be fine, each with the
    time of its last change; 0 where none is known or it lies in the future."""
    reviewed: Sequence[Finding] = ()
    """The worst of each thing that was reviewed before, where that was asked for."""
    looked_at: tuple[str, ...] = ()
    """The stores it was looked for in, or the paths that a person gave."""
    unreadable: int = 0
    """Artifacts among the findings that could not be read."""
    _of: dict[Section, Findings] = field(
        default_factory=dict, repr=False, compare=False
    )
    _runs: dict[bool, list[tuple[Run, Findings]]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def of(self, section: Section) -> Findings:
        """The findings of one section."""
        if section not in self._of:
            self._of[section] = self.findings.of(section)
        return self._of[section]

    @property
    def went_on(self) -> list[tuple[Run, Findings]]:
        """Sessions that went on after a failure they never saw, the worst first."""
        return self._by_run(went_on=True)

    @property
    def stopped(self) -> list[tuple[Run, Findings]]:
        """Sessions with such a failure after which nothing more was said or called."""
        return self._by_run(went_on=False)

    def _by_run(self, *, went_on: bool) -> list[tuple[Run, Findings]]:
        if went_on not in self._runs:
            failures = self.of("failed_unseen").that_went_on(went_on)
            self._runs[went_on] = failures.by_run()
        return self._runs[went_on]
