"""Queue, listing and report say the same of how an artifact ended."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from spillview.catalogue import triage
from spillview.cli.listing_tables import verdict_cell
from spillview.model import Artifact, Conclusion, Line, VerdictClass
from spillview.report import sentences
from spillview.report.finding_list import NOTHING, Entries, Findings
from spillview.report.findings import Finding, Period, Report, Run, Section, Tally
from spillview.report.placing import sections_of_facts
from spillview.report.rows import finding_row
from spillview.seen.endings import ending_line, ending_seen, endings_unseen
from spillview.tui.queue.columns import state_mark
from spillview.tui.queue.detail import detail_lines, verdict_state
from tests.tui.fakes import NOW, Facts, whole

RUN = Run("claude-code", "s1")
NO_FINDINGS = Findings(Entries(NOTHING, lambda wanted: [], Run), ())
REPORT = Report(Period(None, NOW, "all"), NOW, NO_FINDINGS, Tally())
SEEN = (True, False, None)
TOTAL = Line(40, 100, 130, "3 failed, 9 passed")
LAST = "make: *** [all] Error 1"


def looked_section(artifact: Artifact) -> Section | None:
    """Where the report tells of what the model saw of it."""
    sections = sections_of_facts(
        triage.rank(artifact),
        errors_unseen=triage.errors_unseen(artifact),
        items_missed=False,
        growing=False,
        exposed=False,
    )
    return next(sections, None)


def ended(
    failed: bool, *, last_seen: bool | None, concluded: bool | None, runner: bool
) -> Artifact:
    """An artifact of which the last line, and a runner's total, was seen or not."""
    made = whole(Facts("a", failed=failed, verdict=LAST, verdict_seen=last_seen))
    if not runner:
        return made
    assert made.link is not None
    verdict: VerdictClass = "fail" if failed else "pass"
    conclusion = Conclusion(TOTAL, "pytest", verdict, concluded)
    return replace(made, link=replace(made.link, conclusion=conclusion))


CASES = [
    *(
        ended(failed, last_seen=last, concluded=concluded, runner=True)
        for failed, last, concluded in itertools.product((True, False), SEEN, SEEN)
    ),
    *(
        ended(failed, last_seen=last, concluded=None, runner=False)
        for failed, last in itertools.product((True, False), SEEN)
    ),
]


def test_a_failure_that_was_seen_is_seen_though_its_last_line_was_not() -> None:
    artifact = ended(True, last_seen=False, concluded=True, runner=True)
    assert ending_seen(artifact) is True
    assert ending_line(artifact) is TOTAL
    assert endings_unseen([artifact]) == 0
    assert state_mark(artifact) == ("×", "dim")
    assert verdict_state(artifact)[0] == "seen"
    assert verdict_cell(artifact).text == "fail seen"
    assert looked_section(artifact) == "failed"
    text = sentences.looked("failed", artifact, RUN, went_on=False)
    assert "and the model saw it: “3 failed, 9 passed”" in text


def test_a_failure_that_was_not_seen_is_unseen_though_its_last_line_was() -> None:
    artifact = ended(True, last_seen=True, concluded=False, runner=True)
    assert ending_seen(artifact) is False
    assert ending_line(artifact) is TOTAL
    assert endings_unseen([artifact]) == 1
    assert state_mark(artifact) == ("✗", "never")
    assert verdict_cell(artifact).text == "fail unseen"
    assert looked_section(artifact) == "failed_unseen"


def test_of_what_passed_the_last_line_counts_too() -> None:
    artifact = ended(False, last_seen=False, concluded=True, runner=True)
    line = ending_line(artifact)
    assert line is not None
    assert (ending_seen(artifact), line.text) == (False, LAST)
    assert state_mark(artifact) == ("○", "unseen")
    assert looked_section(artifact) == "verdict_unseen"
    strip = "".join(t for runs in detail_lines(artifact, 100, 8, NOW) for t, _ in runs)
    assert "NEVER SEEN" in strip
    assert LAST in strip


@pytest.mark.parametrize("artifact", CASES)
def test_queue_listing_and_report_never_tell_two_stories(artifact: Artifact) -> None:
    seen = ending_seen(artifact)
    mark, _ = state_mark(artifact)
    section = looked_section(artifact)
    assert (mark in "✗○") is (seen is False)
    assert (section in ("failed_unseen", "verdict_unseen")) is (seen is False)
    assert (mark == "✗") is (section == "failed_unseen")
    assert (mark == "×") is (section == "failed")
    word = {True: "seen", False: "NEVER SEEN", None: "unknown"}[seen]
    assert verdict_state(artifact)[0] == word
    told = verdict_cell(artifact).text.split()
    assert ("seen" in told, "unseen" in told) == (seen is True, seen is False)
    if section is not None:
        text = sentences.looked(section, artifact, RUN, went_on=False)
        finding = Finding(section, text, RUN, artifact)
        row = finding_row(finding, REPORT)
        line = ending_line(artifact)
        assert line is not None
        assert (row["verdict_seen"], row["verdict_text"]) == (seen, line.text)
        assert line.text in text
