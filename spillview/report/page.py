"""The report as one page for a browser: no scripts, nothing loaded, nothing trusted.

Every text is made printable and escaped, a policy in the page's head forbids whatever
is not its own style sheet, and nothing in it is a link.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from itertools import chain
from string import Template

from spillview.report.findings import SECTIONS, Finding, Report, Run, Section
from spillview.report.page_style import STYLE
from spillview.report.period import words
from spillview.report.rows import opening
from spillview.report.sentences import (
    expected_texts,
    name_of,
    signals_unseen,
    subject,
    verdict_text,
)
from spillview.report.wording import closing, headline, many, passed, stopped_headline
from spillview.seen.endings import ending_seen
from spillview.text import human_bytes, path_text, printable

LONGEST = 2_000
"""Chars of one text; what is longer ends with an ellipsis."""

UNFOLDED = 40
"""A table of more rows is folded until it is opened; print shows it all the same."""

_HEAD = Template(
    """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="$policy">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<style>$style</style>
</head>
<body>
<main>
"""
)
_FOOT = """
</main>
</body>
</html>
"""


def page(report: Report) -> str:
    """The whole document."""
    return "".join(parts_of(report))


def parts_of(report: Report) -> Iterator[str]:
    """The document in parts: it may be as long as there are findings."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none';"
        " form-action 'none'"
    )
    yield _HEAD.substitute(
        policy=escape(policy),
        title=escape(printable(f"spillview: {headline(report)}")),
        style=STYLE,
    )
    gap = ""
    for block in _blocks(report):
        yield gap
        yield from block
        gap = "\n"
    yield _FOOT


def _blocks(report: Report) -> Iterator[Iterable[str]]:
    """What stands on lines of its own; each may come in parts."""
    period = words(report.period, report.made)
    yield from ([line] for line in _top(report, period))
    yield from _decisive(report)
    for section in SECTIONS:
        if section not in ("failed_unseen", "disk"):
            yield from _section(report, section)
    yield from _reviewed(report)
    yield from _disk(report)
    yield from ([f"<p>{_data(sentence)}</p>"] for sentence in closing(report))
    bad = report.problems
    yield from ([f'<p class="bad">{_data(problem)}</p>'] for problem in bad)


# -- texts -------------------------------------------------------------------------


def safe(text: str | None) -> str:
    """A text that a browser shows and never obeys, with what hides in it visible."""
    line = " ".join(path_text(text or "").split())
    if len(line) > LONGEST:
        line = f"{line[: LONGEST - 1]}…"
    return escape(printable(line))


def _data(text: str | None) -> str:
    """A text of others: it cannot turn the direction of what stands around it."""
    return f"<bdi>{safe(text)}</bdi>"


def _code(text: str | None) -> str:
    return f"<code>{_data(text)}</code>"


# -- what decides ------------------------------------------------------------------


def _top(report: Report, period: str) -> list[str]:
    tally = report.tally
    of = f"{many(tally.artifacts, 'artifact')} of {many(tally.sessions, 'session')}"
    bad = "bad" if report.went_on else "good"
    return [
        f'<h1 class="{bad}">{escape(headline(report))}</h1>',
        f'<p class="period">{escape(f"Review {period}: {of}")}</p>',
    ]


def _decisive(report: Report) -> Iterator[Iterable[str]]:
    yield from (_run(report, *each) for each in report.went_on)
    if report.stopped:
        yield [f'<h2 class="bad">{escape(stopped_headline(report))}</h2>']
        yield from (_run(report, *each) for each in report.stopped)


def _run(report: Report, run: Run, findings: Sequence[Finding]) -> Iterator[str]:
    note = report.session_notes.get((run.harness, run.id))
    where = " · ".join(
        _data(each) for each in (run.project, run.harness, run.id) if each
    )
    yield '<section class="run">'
    yield f"<h3>{_data(name_of(run))}</h3>"
    yield f'<p class="where">{where}</p>'
    if note:
        yield f'<p class="note">{_data(note)}</p>'
    yield from map(_failure, findings)
    yield "</section>"


def _failure(finding: Finding) -> str:
    artifact, line, following = finding.artifact, finding.line, finding.following
    assert artifact is not None  # failures are artifacts'
    told = [
        ("failed", _code(subject(artifact)), ""),
        ("never seen", _code(verdict_text(line)), "bad"),
    ]
    if following is not None and following.text:
        told.append(("then said", f"“{_data(following.text)}”", ""))
    if following is not None and following.tool:
        call = f"{_data(following.tool)} {_code(following.command)}"
        told.append(("then called", call, ""))
    if not finding.went_on:
        told.append(("then", "nothing more was said or called", ""))
    if finding.note:
        told.append(("note", _data(finding.note), "note"))
    command = opening(finding)
    if command is not None:
        told.append(("open", _code(command), "open"))
    rows = (
        f'<dt>{label}</dt><dd class="{kind}">{text}</dd>' for label, text, kind in told
    )
    return f"<dl>{''.join(rows)}</dl>"


# -- tables ------------------------------------------------------------------------


def _section(report: Report, section: Section) -> Iterator[Iterable[str]]:
    findings = report.of(section)
    loud: Sequence[Finding] = findings
    quiet: Sequence[Finding] = ()
    if section in ("dangling", "cut"):
        loud = [finding for finding in findings if not finding.swept]
        quiet = [finding for finding in findings if finding.swept]
    if loud:
        titles, cells = _TABLES[section]
        title = escape(f"{SECTIONS[section]} ({len(loud):,})")
        table = _table(titles, cells, loud)
        if len(loud) > UNFOLDED:
            head = f"<details><summary>{title}</summary>"
            yield chain([head], table, ["</details>"])
        else:
            yield chain([f"<h2>{title}</h2>"], table)
    for text in expected_texts(quiet, more=False):
        yield [f'<p class="quiet">{_data(text)}</p>']


def _table(
    titles: Sequence[str],
    cells: Callable[[Finding], Sequence[str]],
    findings: Sequence[Finding],
) -> Iterator[str]:
    noted = any(finding.note for finding in findings)
    titles = [*titles, "Open", *(["Note"] if noted else [])]
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in titles)
    yield f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>'
    for finding in findings:
        command = opening(finding)
        row = [*cells(finding), _code(command) if command is not None else ""]
        if noted:
            row.append(_data(finding.note))
        yield f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>"
    yield "</tbody></table></div>"


def _project(finding: Finding) -> str:
    run = finding.run
    name = (run.project or "").rstrip("/").rpartition("/")[2] if run is not None else ""
    return _data(name) + f'<br><span class="where">{_data(name_of(run))}</span>'


def _command(finding: Finding) -> str:
    if finding.artifact is not None:
        return _code(subject(finding.artifact))
    tool = finding.call.mention.tool if finding.call is not None else None
    return _code(finding.command or tool)


def _errors(finding: Finding) -> str:
    unseen = signals_unseen(finding.artifact) if finding.artifact is not None else None
    return f'<span class="bad">{unseen:,}</span>' if unseen else ""


def _verdict(finding: Finding) -> str:
    return _code(verdict_text(finding.line)) if finding.line is not None else ""


def _said(finding: Finding) -> str:
    return _data(finding.following.text) if finding.following is not None else ""


def _seen(finding: Finding) -> str:
    seen = finding.artifact is not None and ending_seen(finding.artifact)
    return "seen" if seen else "unknown"


def _items(finding: Finding) -> str:
    least = "" if finding.more["items_certain"] else "at least "
    seen, total = finding.more["items_seen"], finding.more["items"]
    return escape(f"{least}{seen:,} of {total:,}")


def _path(finding: Finding) -> str:
    return _code(finding.call.mention.path) if finding.call is not None else ""


def _size(finding: Finding) -> str:
    if finding.artifact is None:
        return ""
    found = finding.artifact.found
    size = found.target_size if found.target_size is not None else found.size
    return escape(human_bytes(size))


def _of(*parts: Callable[[Finding], str]) -> Callable[[Finding], list[str]]:
    return lambda finding: [part(finding) for part in parts]


_CALLS = (["Session", "Command", "Path"], _of(_project, _command, _path))

_TABLES: dict[Section, tuple[list[str], Callable[[Finding], list[str]]]] = {
    "verdict_unseen": (
        ["Session", "Command", "Errors unseen", "Never seen"],
        _of(_project, _command, _errors, _verdict),
    ),
    "signals_unseen": (
        ["Session", "Command", "Errors unseen", "Then said"],
        _of(_project, _command, _errors, _said),
    ),
    "items_missed": (
        ["Session", "Items seen", "Command"],
        _of(_project, _items, _command),
    ),
    "failed": (
        ["Session", "Command", "Seen", "Verdict"],
        _of(_project, _command, _seen, _verdict),
    ),
    "dangling": _CALLS,
    "cut": _CALLS,
    "growing": (
        ["Session", "Bytes", "Command", "Growth"],
        _of(_project, _size, _command, lambda f: _data(f.more.get("growth", ""))),
    ),
    "exposed": (["Session", "Why"], _of(_project, lambda f: _data(f.text))),
}
"""The columns of each section's table, and the cells of a finding as HTML."""


def _reviewed(report: Report) -> Iterator[Iterable[str]]:
    """What was reviewed before, where that was asked for."""
    found = report.reviewed
    if not found:
        return

    def cells(f: Finding) -> list[str]:
        return ["✓", _project(f), _command(f), escape(SECTIONS[f.section])]

    yield [f"<h2>{escape(passed(report))}</h2>"]
    yield _table(["", "Session", "Command", "Why"], cells, found)


def _disk(report: Report) -> Iterator[Iterable[str]]:
    findings = report.of("disk")
    if not findings:
        return
    items = "".join(f"<li>{_data(finding.text)}</li>" for finding in findings)
    yield [f"<h2>{SECTIONS['disk']}</h2><ul>{items}</ul>"]
