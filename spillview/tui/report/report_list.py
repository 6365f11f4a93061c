"""The rows of the report's screen, under their sections, and one of them in full."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from spillview.model import Artifact, Missing
from spillview.report.finding_list import Findings
from spillview.report.findings import SECTIONS, Finding, Report, Run
from spillview.report.rows import opening
from spillview.report.sentences import name_of, subject, verdict_text
from spillview.review.reviewed import call_mark
from spillview.text import path_text, printable
from spillview.tui.row_list import Row
from spillview.tui.runs import Lines, Runs, clean, fit, fit_runs, middle, plain, wrap
from spillview.tui.sections import Section, Sections

WORST = frozenset({"failed_unseen"})
UNSEEN = frozenset({"verdict_unseen", "signals_unseen", "items_missed"})
"""Sections whose heading has the colour of what was never seen."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A section, or a session in the first one."""

    words: str
    tone: str
    more: str = ""

    @property
    def key(self) -> str:
        """Its words."""
        return f"heading {self.words} {self.more}"

    @property
    def heading(self) -> bool:
        """It is one."""
        return True

    def runs(self, width: int) -> Runs:
        """Words, and what they are of."""
        return [(" ", ""), (self.words, self.tone), (f"  {self.more}", "dim")]


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One finding."""

    finding: Finding
    number: int
    """Which one of the report it is."""
    reviewed: bool = False
    """Whether it was marked since the report was made."""

    @property
    def key(self) -> str:
        """Its place in the report."""
        return f"{self.finding.section} {self.number}"

    @property
    def heading(self) -> bool:
        """It is none."""
        return False

    def runs(self, width: int) -> Runs:
        """Project, command, and what was missed; dim once it is reviewed."""
        if self.reviewed:
            _, *rest = self._runs(width)
            return [(" ✓ ", "good"), *((text, "dim") for text, _ in rest)]
        return self._runs(width)

    def _runs(self, width: int) -> Runs:
        finding = self.finding
        if finding.section in ("disk", "exposed"):
            return [("   ", ""), (middle(plain(finding.text), width - 4), "")]
        project = fit(project_of(finding.run), 12)
        room = max(16, (width - 18) * 2 // 5)
        command = finding.command or ""
        if finding.artifact is not None:
            command = subject(finding.artifact)
        head: Runs = [
            ("   ", ""),
            (project, "project"),
            (" ", ""),
            (fit(plain(command), room), "head"),
            ("  ", ""),
        ]
        return [*head, *self._what()]

    def _what(self) -> Runs:
        finding = self.finding
        quiet = "dim" if finding.swept else "notice"
        if finding.call is not None:
            where = finding.call.mention.path
            words = "nothing of it was saved" if where is None else path_text(where)
            return [(plain(words), quiet)]
        if finding.section == "items_missed":
            least = "" if finding.more["items_certain"] else "≥ "
            seen, total = finding.more["items_seen"], finding.more["items"]
            return [(f"{least}{seen:,} of {total:,} seen", "unseen")]
        if finding.section == "growing":
            return [(plain(finding.more.get("growth", "")), "notice")]
        line = finding.line
        verdict = plain(verdict_text(line)) if line is not None else ""
        tone = "never" if finding.section == "failed_unseen" else ""
        return [(verdict, tone)]


def project_of(run: Run | None) -> str:
    """The last folder of the session's project."""
    name = (run.project or "") if run is not None else ""
    return printable(path_text(name.rstrip("/").rpartition("/")[2]))


def subject_of(finding: Finding) -> Artifact | Missing | None:
    """What a finding is of: an artifact, a call without one; None of a disk's."""
    return finding.artifact if finding.artifact is not None else finding.call


def mark_of(row: Row) -> str | None:
    """The mark by which what a row tells of is known as reviewed."""
    finding = row.finding if isinstance(row, FindingRow) else None
    return _mark_of(finding) if finding is not None else None


def _mark_of(finding: Finding) -> str | None:
    if finding.artifact is not None:
        return finding.artifact.id
    return call_mark(finding.call) if finding.call is not None else None


def rows_of(
    report: Report, is_marked: Callable[[str], bool] = lambda mark: False
) -> Sections:
    """Every finding under its section; unseen failures under their sessions.

    `is_marked` tells of a mark whether it was set since the report was made.
    """
    drawn = _Drawn(is_marked)
    sections = []
    for how, runs in (("went on", report.went_on), ("nothing said", report.stopped)):
        for run, findings in runs:
            title = clean(f"{name_of(run)}", 200)
            more = f"{how} after {len(findings):,} failure"
            more += " never seen" if len(findings) == 1 else "s never seen"
            note = report.session_notes.get((run.harness, run.id))
            if note:
                more += f"  note: {plain(note)}"
            sections.append(drawn.section(Heading(title, "never", more), findings))
    for section, title in SECTIONS.items():
        findings = report.of(section)
        if section in WORST or not findings:
            continue
        tone = "unseen" if section in UNSEEN else "title"
        heading = Heading(title, tone, f"{len(findings):,}")
        sections.append(drawn.section(heading, findings))
    return Sections(sections)


def key_of(report: Report, mark: str) -> str | None:
    """The key of the first row about the artifact, or call, of that mark."""
    at = report.findings.number_of(mark)
    if at is None:
        return None
    return FindingRow(report.findings[at], report.findings.order[at]).key


TOGETHER = 64
"""So many findings are made at once where one is drawn."""

KEPT = 2_000
"""So many that were made are kept."""


class _Drawn:
    """The findings that were drawn last."""

    def __init__(self, is_marked: Callable[[str], bool]) -> None:
        self._is_marked = is_marked
        self._made: dict[int, Finding] = {}

    def section(self, heading: Heading, findings: Findings) -> Section:
        """A heading with findings below it."""

        def row(index: int) -> FindingRow:
            number = findings.order[index]
            if number not in self._made:
                self._make(findings, index)
            finding = self._made[number]
            mark = _mark_of(finding)
            marked = mark is not None and self._is_marked(mark)
            return FindingRow(finding, number, marked)

        def find(key: str) -> int | None:
            name, _, number = key.rpartition(" ")
            if not number.isdigit() or int(number) not in findings.order:
                return None
            at = findings.order.index(int(number))
            return at if row(at).key == f"{name} {number}" else None

        return Section(heading, len(findings), row, find)

    def _make(self, findings: Findings, index: int) -> None:
        if len(self._made) > KEPT:
            self._made.clear()
        start = max(0, index - TOGETHER // 4)
        some = findings[start : start + TOGETHER]
        self._made.update(zip(some.order, some, strict=True))


class FindingDetail(Lines):
    """What one finding says, in full as far as there is room."""

    def __init__(self, note_of: Callable[[Finding], str | None]) -> None:
        super().__init__(id="finding")
        self._note_of = note_of
        self._finding: Finding | None = None

    def show(self, finding: Finding | None) -> None:
        """Show a finding."""
        self._finding = finding
        self.remake()

    def make(self, width: int, height: int) -> list[Runs]:
        """Its sentence, the person's note, and how to open it elsewhere."""
        finding = self._finding
        if finding is None:
            return []
        below: list[Runs] = []
        note = self._note_of(finding)
        if note:
            below.append([(" note  ", "label"), (plain(note), "notice")])
        command = opening(finding)
        if command is not None:
            below.append([(" open  ", "label"), (command, "dim")])
        room = max(1, height - len(below))
        text = wrap(plain(finding.text), max(8, width - 2), room)
        lines: list[Runs] = [[(" ", ""), (line, "")] for line in text]
        return [fit_runs(line, width) for line in (*lines, *below)][:height]
