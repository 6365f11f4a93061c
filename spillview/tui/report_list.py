"""The rows of the report's screen, under their sections."""

from __future__ import annotations

from dataclasses import dataclass

from spillview.report.findings import SECTIONS, Finding, Report, Run
from spillview.report.sentences import name_of, subject, verdict_text
from spillview.text import path_text, printable
from spillview.tui.row_list import Row
from spillview.tui.runs import Runs, clean, fit, plain

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

    @property
    def key(self) -> str:
        """Its place in the report."""
        return f"{self.finding.section} {self.number}"

    @property
    def heading(self) -> bool:
        """It is none."""
        return False

    def runs(self, width: int) -> Runs:
        """Project, command, and what was missed."""
        finding = self.finding
        if finding.section in ("disk", "exposed"):
            return [("   ", ""), (plain(finding.text), "")]
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
        line = finding.line
        verdict = plain(verdict_text(line)) if line is not None else ""
        tone = "never" if finding.section == "failed_unseen" else ""
        return [(verdict, tone)]


def project_of(run: Run | None) -> str:
    """The last folder of the session's project."""
    name = (run.project or "") if run is not None else ""
    return printable(path_text(name.rstrip("/").rpartition("/")[2]))


def rows_of(report: Report) -> list[Row]:
    """Every finding under its section; unseen failures under their sessions."""
    numbers = {id(finding): n for n, finding in enumerate(report.findings)}
    listed: list[Row] = []
    for how, runs in (("went on", report.went_on), ("nothing said", report.stopped)):
        for run, findings in runs:
            title = clean(f"{name_of(run)}", 200)
            more = f"{how} after {len(findings):,} failure"
            more += " never seen" if len(findings) == 1 else "s never seen"
            note = report.session_notes.get((run.harness, run.id))
            if note:
                more += f"  note: {plain(note)}"
            listed.append(Heading(title, "never", more))
            listed += [FindingRow(each, numbers[id(each)]) for each in findings]
    for section, title in SECTIONS.items():
        findings = report.of(section)
        if section in WORST or not findings:
            continue
        tone = "unseen" if section in UNSEEN else "title"
        listed.append(Heading(title, tone, f"{len(findings):,}"))
        listed += [FindingRow(each, numbers[id(each)]) for each in findings]
    return listed
