"""Which section of the report an artifact belongs to, by oracles of their own."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.places import Places
from spillview.report.findings import SECTIONS, Report
from spillview.report.gathering import gather
from spillview.report.items import LARGEST
from spillview.report.period import evening_before, period_of, words
from spillview.report.rows import Row, rows
from spillview.review.state import State
from tests.harness_stores import NAMES, Spill, make
from tests.harness_stores.model import UNSAID
from tests.stores import NIGHT, OTHER, Claude, Dsh, Made, log_of, numbered

ALL = Query(since=0.0)
UNKNOWN = {"codex", "crush", "cursor", "netdata_ai_agent", "token_optimizer"}
"""Made stores that do not say how a call ended."""
LOOKED = ("failed_unseen", "verdict_unseen", "signals_unseen", "failed")
"""The sections of which an artifact is in one at most."""


def report_of(home: Path, query: Query = ALL, now: float | None = None) -> Report:
    """The report of a made home alone."""
    places = Places.of_home(str(home))
    more: Any = {} if now is None else {"now": lambda: now}
    catalogue = Catalogue(places, state=State(places), **more)
    try:
        return gather(catalogue, query)
    finally:
        catalogue.close()


def sections(report: Report) -> dict[str, list[str]]:
    """Each artifact's path with the sections it is in."""
    placed: dict[str, list[str]] = {}
    for finding in report.findings:
        if finding.artifact is not None:
            placed.setdefault(finding.artifact.found.path, []).append(finding.section)
    return placed


def check_sums(report: Report) -> None:
    """Every artifact of the period is in some section, or counted."""
    tally = report.tally
    placed = {f.artifact.id for f in report.findings if f.artifact is not None}
    assert tally.found == len(placed)
    parts = tally.found + tally.fine + tally.unknown + tally.reviewed
    assert parts == tally.artifacts
    order = [list(SECTIONS).index(finding.section) for finding in report.findings]
    assert order == sorted(order)
    [*told, summary] = rows(report)
    assert summary["artifacts"] == tally.artifacts
    assert summary["sections"] == {
        section: sum(row["section"] == section for row in told) for section in SECTIONS
    }
    json.dumps([*told, summary], ensure_ascii=False).encode()


# -- one session that holds one of each ---------------------------------------------


def listed(count: int) -> bytes:
    """A JSON array of so many objects."""
    return json.dumps([{"n": n, "title": f"title {n}"} for n in range(count)]).encode()


def one_of_each(home: Path) -> dict[str, Made]:
    """A night with an artifact for every section."""
    made = {}
    main = Claude(home)
    main.prompt("Make the build pass")
    made["went_on"] = main.spills(log_of(3000), command="make test", failed=True)
    main.says("All tests pass.")
    main.calls("Bash", command="git push")
    made["unseen"] = main.spills(log_of(3000, last="done"), command="make docs")
    main.says("Built.")
    made["items"] = main.spills(listed(900), command="list --json")
    main.says("Nine hundred.")
    made["gone"] = main.spills(log_of(2000), command="make gone", write=False)
    made["open"] = main.spills(b"short\nok\n", command="make fine")
    main.says("Fine.")
    main.write()
    other = Claude(home, session=OTHER, cwd="/srv/b")
    other.prompt("Check it")
    made["stopped"] = other.spills(log_of(2500), command="make check", failed=True)
    other.write()
    dsh = Dsh(home, home / "tmp" / "dsh-spill-AbC123")
    dsh.prompt("Run it")
    lines = log_of(6000, last="bye").split(b"\n")
    lines[3000] = b"ERROR: the ledger is lost"
    made["signals"] = dsh.spills(b"\n".join(lines), command="make run")
    dsh.says("It ran.")
    made["failed"] = dsh.spills(log_of(6000), command="make it", error=True)
    dsh.says("It failed, as I see.")
    dsh.write()
    for name, each in made.items():
        if each.path.exists():
            each.path.chmod(0o644 if name == "open" else 0o600)
    return made


def test_each_artifact_is_in_its_section(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = one_of_each(tmp_path)
    monkeypatch.setattr("spillview.exposure.permissions._passable", lambda folder: True)
    report = report_of(tmp_path)
    placed = sections(report)
    assert placed.pop(str(made["open"].path)) == ["exposed"]
    assert placed == {
        str(made["went_on"].path): ["failed_unseen"],
        str(made["stopped"].path): ["failed_unseen"],
        str(made["unseen"].path): ["verdict_unseen"],
        str(made["items"].path): ["verdict_unseen", "items_missed"],
        str(made["signals"].path): ["signals_unseen"],
        str(made["failed"].path): ["failed"],
    }
    [gone] = report.of("dangling")
    assert gone.call is not None
    assert gone.call.mention.path == str(made["gone"].path)
    check_sums(report)


def test_what_went_on_leads_and_says_what_followed(tmp_path: Path) -> None:
    made = one_of_each(tmp_path)
    report = report_of(tmp_path)
    [(run, [first])] = report.went_on
    assert (run.title, run.project) == ("Make the build pass", "/srv/app")
    assert report.findings[0] == first
    row = next(rows(report))
    assert row["section"] == "failed_unseen"
    assert row["path"] == str(made["went_on"].path)
    assert row["command"] == "make test"
    assert row["verdict_text"] == made["went_on"].verdict
    assert (row["said"], row["called"]) == ("All tests pass.", "Bash")
    assert row["called_command"] == "git push"
    assert row["open"] == f"spillview show {row['artifact']} --offset 3000"
    assert (row["went_on"], row["verdict_seen"]) == (True, False)
    [(stopped, _)] = report.stopped
    assert stopped.id == OTHER


def reads_a_part(home: Path, lines: list[str], first: int, last: int) -> Report:
    """The report of a run of tests of which these lines were read, not its last."""
    run = Claude(home)
    data = ("\n".join(lines) + "\n").encode()
    made = run.spills(data, command="pytest")
    count = last - first + 1
    call = run.calls("Read", file_path=str(made.path), offset=first, limit=count)
    run.gets(call, numbered(data, first, last))
    run.says("I see.")
    run.write()
    made.path.chmod(0o600)
    return report_of(home)


def test_a_failure_that_was_seen_is_never_called_unseen(tmp_path: Path) -> None:
    lines = [f"line {n} of the tests" for n in range(3_000)]
    lines[2_993], lines[-1] = "FAILED (failures=3)", "coverage written to html"
    report = reads_a_part(tmp_path, lines, 2_985, 2_996)
    [finding] = [f for f in report.findings if f.section in LOOKED]
    assert finding.section == "failed"
    assert "the model saw it: “FAILED (failures=3)”" in finding.text
    assert next(rows(report))["verdict_seen"] is True


def test_an_unseen_last_line_is_not_taken_for_a_conclusion_that_was_seen(
    tmp_path: Path,
) -> None:
    lines = [f"line {n} of the tests" for n in range(3_000)]
    lines[2_993] = "======= 12 passed in 3.01s ======="
    lines[-1] = "coverage written to html"
    report = reads_a_part(tmp_path, lines, 2_985, 2_996)
    [finding] = [f for f in report.findings if f.section in LOOKED]
    assert finding.artifact is not None
    assert (finding.section, finding.artifact.conclusion_seen) == (
        "verdict_unseen",
        True,
    )
    assert "the last line of “pytest” was never seen" in finding.text
    row = next(rows(report))
    assert (row["verdict_text"], row["line"]) == ("coverage written to html", 3_000)
    assert row["verdict_seen"] is False


def test_missed_items_are_counted_by_hand(tmp_path: Path) -> None:
    made = one_of_each(tmp_path)["items"]
    [(_, shown)] = made.seen
    whole = 0
    decoder = json.JSONDecoder()
    text, at = made.data.decode(), 1
    for _ in range(900):
        _, at = decoder.raw_decode(text, at)
        whole += at <= shown
        at += 2
    [finding] = report_of(tmp_path).of("items_missed")
    assert (finding.more["items"], finding.more["items_seen"]) == (900, whole)
    assert finding.more["items_missed"] == 900 - whole > 0


def test_a_document_too_large_to_be_compared_is_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_of_each(tmp_path)
    assert LARGEST >= 1 << 20
    monkeypatch.setattr("spillview.report.items.LARGEST", 1000)
    report = report_of(tmp_path)
    assert not report.of("items_missed")
    assert report.tally.items_unread == 1
    places = Places.of_home(str(tmp_path))
    thorough = gather(Catalogue(places), ALL, thorough=True)
    assert len(thorough.of("items_missed")) == 1


def test_a_link_out_of_every_store_is_exposed(tmp_path: Path) -> None:
    made = one_of_each(tmp_path)["unseen"]
    for name, target in (("out.txt", "/etc/hostname"), ("in.txt", str(made.path))):
        (made.path.parent / name).symlink_to(target)
    found = [f for f in report_of(tmp_path).of("exposed") if f.more["leads_out"]]
    assert [f.artifact.found.name for f in found if f.artifact] == ["out.txt"]
    assert "/etc/hostname" in found[0].text


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives away"
)
def test_a_file_of_another_user_is_exposed(tmp_path: Path) -> None:
    made = one_of_each(tmp_path)["unseen"]
    os.chown(made.path, 4242, 4242)
    found = {
        f.artifact.found.path: f.text
        for f in report_of(tmp_path).of("exposed")
        if f.artifact
    }
    assert "user 4242" in found[str(made.path)]


def test_the_disk_and_a_plan_come_last_and_nothing_is_removed(tmp_path: Path) -> None:
    made = one_of_each(tmp_path)
    old = NIGHT - 40 * 86_400
    path = made["unseen"].path.parent / "toolu_01AAAAAAAAAAAAAAAAAAAAAA.txt"
    path.write_bytes(b"x" * 5000)
    os.utime(path, (old, old))
    report = report_of(tmp_path, now=NIGHT + 30 * 86_400.0)
    kinds = [finding.more["what"] for finding in report.of("disk")]
    assert kinds[0] == "free"
    assert kinds[-2:] == ["trash", "plan"]
    stores = [f.more for f in report.of("disk") if f.more["what"] == "store"]
    files = [each for each in made.values() if each.path.exists()]
    held = sum(len(each.data) for each in files) + 5000
    assert sum(store["bytes"] for store in stores) == held
    plan = report.of("disk")[-1].more
    assert plan["remove"] + plan["keep"] == len(files) + 1
    assert path.exists()


def test_calls_that_the_harness_sweeps_are_apart(tmp_path: Path) -> None:
    one_of_each(tmp_path)
    report = report_of(tmp_path, now=NIGHT + 90 * 86_400.0)
    [gone] = report.of("dangling")
    assert gone.swept
    assert "as expected" in gone.text


# -- every harness ------------------------------------------------------------------


def verdict_line(data: bytes) -> tuple[int, int] | None:
    """The byte range of the last line that is not blank, without its CR and LF."""
    end = len(data)
    for line in reversed(data.split(b"\n")):
        start = end - len(line)
        if line.decode("utf-8", "replace").strip():
            return start, start + len(line.removesuffix(b"\r"))
        end = start - 1
    return None


BAD = re.compile(r"fail|error|panic|fatal|broken|exit|not ok", re.IGNORECASE)
"""Words that may make a verdict a failed one; which do is not this oracle's matter."""


def expected(spill: Spill) -> set[str | None] | None:
    """What may be said of what was seen; None where the store does not know."""
    wide = spill.data[:2] in (b"\xff\xfe", b"\xfe\xff")
    if spill.kind in ("binary", "image") or wide or spill.failed is UNSAID:
        return None
    line = verdict_line(spill.data)
    if line is None or (spill.link != "orphan" and spill.seen is None):
        return None
    end = spill.data[-2000:].decode("utf-8", "replace")
    seen = spill.link == "orphan" or any(
        a <= line[0] and line[1] <= b for a, b in spill.seen or ()
    )
    if spill.link != "orphan" and not spill.seen:
        return None  # whether anything of it was shown may be open
    bad: str = "failed" if seen else "failed_unseen"
    well: set[str | None] = {None, "signals_unseen"} if seen else {"verdict_unseen"}
    if spill.failed is True:
        return {bad}
    return {bad, *well} if BAD.search(end) else well


@pytest.mark.parametrize("name", NAMES)
def test_every_harness_is_reported_by_what_its_store_knows(
    name: str, tmp_path: Path
) -> None:
    store = make(name, tmp_path)
    paths = tuple(map(str, store.roots))
    report = report_of(tmp_path, Query(paths=paths, since=0.0))
    check_sums(report)
    told = {
        (f.artifact.found.path, f.artifact.found.row): f.section
        for f in report.findings
        if f.artifact is not None and f.section in LOOKED
    }
    known = 0
    for spill in store.spills:
        wanted = expected(spill)
        if wanted is not None:
            known += 1
            assert told.get((str(spill.path), spill.row)) in wanted, spill.what
    assert known or name in UNKNOWN
    states = {(g.state, g.call_id) for g in store.gone if g.call_id is not None}
    found = {
        (f.call.state, f.call.mention.call_id)
        for f in report.findings
        if f.call is not None
    }
    assert states <= found


# -- any night ----------------------------------------------------------------------


@dataclass(frozen=True)
class Command:
    """One made command and how much of it is shown."""

    failed: bool
    last: str
    shown: int
    """Chars of its head that the envelope shows."""
    lines: int
    reviewed: bool

    @property
    def data(self) -> bytes:
        return log_of(self.lines, last=self.last)

    @property
    def section(self) -> str | None:
        """By the words of the contract alone."""
        end = len(self.data) - 1
        failed = self.failed or self.last.startswith("FAILED")
        if self.shown >= end:
            return "failed" if failed else None
        return "failed_unseen" if failed else "verdict_unseen"


commands = st.builds(
    Command,
    st.booleans(),
    st.sampled_from(["FAILED (errors=3)", "done", "written to out.txt"]),
    st.sampled_from([40, 2000, 10**6]),
    st.integers(5, 90),
    st.booleans(),
)


@given(st.lists(commands, min_size=1, max_size=6))
@settings(max_examples=25)
def test_every_artifact_is_in_its_section_or_counted(
    tmp_path_factory: pytest.TempPathFactory, night: list[Command]
) -> None:
    home = tmp_path_factory.mktemp("night")
    session = Claude(home)
    made = [
        session.spills(each.data, failed=each.failed, chars=each.shown)
        for each in night
    ]
    session.says("Done.")
    session.write()
    places = Places.of_home(str(home))
    state = State(places)
    catalogue = Catalogue(places, state=state)
    ids = {a.found.path: a.id for a in catalogue.scan()}
    done = [ids[str(m.path)] for m, c in zip(made, night, strict=True) if c.reviewed]
    state.mark_reviewed(done, catalogue.now())
    report = gather(catalogue, ALL)
    catalogue.close()
    check_sums(report)
    placed = sections(report)
    for artifact, command in zip(made, night, strict=True):
        got = placed.get(str(artifact.path), [])
        wanted = None if command.reviewed else command.section
        assert [each for each in got if each in LOOKED] == ([wanted] if wanted else [])
    assert report.tally.artifacts == len(night)
    assert report.tally.reviewed == sum(each.reviewed for each in night)
    none = sum(not each.reviewed and each.section is None for each in night)
    assert report.tally.fine + report.tally.unknown == none
    assert report.tally.unknown == 0


# -- the period ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clock", "hours"),
    [("07:30", 13.5), ("00:10", 6 + 10 / 60), ("17:59", 24 - 1 / 60), ("23:00", 29)],
)
def test_a_night_begins_at_eighteen_oclock_of_the_day_before(
    clock: str, hours: float
) -> None:
    from datetime import datetime

    now = datetime.fromisoformat(f"2026-11-29T{clock}").timestamp()
    assert now - evening_before(now) == pytest.approx(hours * 3600)


def test_the_period_is_the_last_reviews_or_what_was_asked_for() -> None:
    now = 1_795_937_400.0
    assert period_of(None, now).origin == "evening"
    assert period_of(now - 3600, now).since == now - 3600
    assert period_of(now - 3600, now).origin == "review"
    assert period_of(now - 3600, now, now - 7200).since == now - 7200
    assert period_of(None, now, None, 1000.0).since is None
    assert "your last review" in words(period_of(now - 3600, now), now)
    assert "your last review" not in words(period_of(evening_before(now), now), now)


def test_what_is_older_than_the_period_is_left_out(tmp_path: Path) -> None:
    made = one_of_each(tmp_path)
    for each in made.values():
        if each.path.exists():
            os.utime(each.path, (NIGHT, NIGHT))
    late = NIGHT + 10 * 86_400.0
    report = report_of(tmp_path, Query(), now=late)
    assert (report.tally.artifacts, report.tally.calls) == (0, 0)
    os.utime(made["signals"].path, (late - 60, late - 60))
    report = report_of(tmp_path, Query(), now=late)
    assert sections(report) == {str(made["signals"].path): ["signals_unseen"]}
    report = report_of(tmp_path, Query(until=NIGHT + 5.0, since=0.0), now=late)
    found = {f.artifact.found.path for f in report.findings if f.artifact is not None}
    assert str(made["went_on"].path) in found
    check_sums(report)


def row_of(report: Report, made: Made) -> Row:
    """The first row of an artifact."""
    return next(row for row in rows(report) if row.get("path") == str(made.path))


def test_a_part_of_a_json_document_that_is_not_whole_is_no_item(tmp_path: Path) -> None:
    session = Claude(tmp_path)
    data = b'{"rows": [' + b", ".join(b'{"k": %d}' % n for n in range(500)) + b"]}"
    made = session.spills(data, command="rows")
    session.write()
    row = row_of(report_of(tmp_path), made)
    missed = [
        r for r in rows(report_of(tmp_path)) if r.get("section") == "items_missed"
    ]
    assert row["section"] == "verdict_unseen"
    assert missed[0]["items"] == 500
    assert missed[0]["items_path"] == ".rows[]"
