"""`review`: the report for people and programs, marks, notes, and what keeps them."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue
from spillview.demo import make_night
from spillview.report.findings import SECTIONS
from spillview.report.rows import Row
from spillview.text import printable
from tests.attacks import make_hostile
from tests.command import Ran, run
from tests.stores import OTHER, SESSION, Claude, log_of
from tests.test_adding_a_harness import Run as AcmeRun
from tests.test_adding_a_harness import add, profile_text

WENT_ON = {
    "Round half to even in all totals": "cargo test --workspace",
    "Find the leak in the mesh agent": "make integration",
    "Move the shop to the new router": "npx tsc --noEmit",
    "請求書の文言をそろえる": "python -m pytest -v tests",
}
"""The demo night's sessions that went on after a failure they never saw."""


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo night of this morning."""
    home = tmp_path_factory.mktemp("night")
    make_night(str(home), time.time())
    return home


def make_two(home: Path) -> None:
    """A session that went on after an unseen failure, and one that ended on one."""
    first = Claude(home)
    first.prompt("Make the build pass")
    first.spills(log_of(3000), command="make test", failed=True)
    first.says("All tests pass.")
    first.spills(log_of(2000), command="make gone", write=False)
    first.write()
    second = Claude(home, session=OTHER)
    second.spills(log_of(2000, last="fine"), command="make docs")
    second.says("Read it.")
    second.write()


def findings(got: Ran) -> list[Row]:
    """The rows but those of the disk and the summary."""
    return [r for r in got.rows[:-1] if r["section"] != "disk"]


def review(*words: str | Path) -> list[Row]:
    """What `review --json` finds since forever."""
    got = run("review", "--json", "--since", "3000d", *words)
    assert got.code == 0, got.err
    return findings(got)


# -- the report for people ------------------------------------------------------------


def test_the_first_lines_name_the_sessions_that_went_on(night: Path) -> None:
    for got in (
        run("review", night),
        run("review", night, terminal=True, width=80),
        run("review", night, "--no-color", terminal=True, width=120),
    ):
        first = "\n".join(got.lines[:9])
        assert "Review from 18:00 yesterday" in got.lines[0] + got.lines[1]
        assert "4 sessions went on after a failure they never saw" in first
        for title, command in WENT_ON.items():
            assert title[:14] in first
            assert command[:10] in first
        assert "All tests pass, moving on to the release notes." in got.out


@pytest.mark.parametrize("width", [40, 80, 120])
def test_it_fits_its_terminal(night: Path, width: int) -> None:
    from spillview.layout.cells import text_width

    got = run("review", night, "--no-color", terminal=True, width=width)
    assert got.code == 0
    assert max(map(text_width, got.lines)) <= width
    assert "8 of" in got.out
    assert "--all prints all" in got.out


def test_all_rows_are_printed_where_nobody_pages(night: Path) -> None:
    rows = run("review", "--json", night).rows
    unseen = [r for r in rows[:-1] if r["section"] == "verdict_unseen"]
    out = run("review", night).out
    assert "--all prints all" not in out
    assert all(row["artifact"] in out for row in unseen)


def test_no_cell_of_a_piped_table_is_endless(night: Path) -> None:
    rows = run("review", night).lines
    assert max(map(len, rows)) < 1000
    assert any("…" in row for row in rows)


def test_nothing_new_is_said_to_be_so(machine: Path) -> None:
    got = run("review")
    assert got.code == 0
    assert "Nothing new in this period" in got.out
    assert got.out.splitlines()[0].startswith("Review from 18:00 yesterday")


def test_an_empty_report_and_page_say_where_was_looked(
    machine: Path, tmp_path: Path
) -> None:
    assert "No store was found on this machine; for another folder give" in (
        run("review").out
    )
    make_two(machine)
    run("review")
    run("review", "--done")
    for got in (run("review"), run("review", "--html", "-")):
        assert f"Looked at {machine}/.claude" in got.out
        assert "`spillview review PATH`" in got.out
    empty = tmp_path / "empty"
    empty.mkdir()
    assert f"Looked at {empty}; " in run("review", empty).out


def test_a_reports_tables_have_their_heading_in_a_pipe_too(night: Path) -> None:
    lines = run("review", night).lines
    assert any(line.split()[:3] == ["PROJECT", "SESSION", "UNSEEN"] for line in lines)
    assert any(line.startswith("ID ") and "COMMAND" in line for line in lines)
    statistics = run("review", "--stats", night).out
    assert "CARRIED, TOKENS" in statistics


def test_json_rows_are_worst_first_and_end_in_a_summary(night: Path) -> None:
    got = run("review", "--json", night)
    assert got.err == ""
    *rows, summary = got.rows
    places = [list(SECTIONS).index(row["section"]) for row in rows]
    assert places == sorted(places)
    assert all({"section", "session", "artifact", "text"} <= set(row) for row in rows)
    assert summary["summary"] is True
    assert summary["went_on"] == len(WENT_ON)
    leading = [row["title"] for row in rows if row["section"] == "failed_unseen"]
    assert set(leading) == set(WENT_ON)
    parts = ("found", "fine", "unknown", "reviewed")
    assert sum(summary[part] for part in parts) == summary["artifacts"]


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--stats", "--done"], "give one"),
        (["--html", "-", "--json"], "--html"),
        (["--html", "-", "--done"], "--html"),
        (["--since", "1h", "--until", "2h"], "--since lies after"),
        (["--since", "2999-01-01"], "--since lies in the future"),
        (["--since", "2999-01-01", "--done"], "--since lies in the future"),
        (["--html", ""], "--html wants the name of a file"),
        (["--html", "/"], "is a folder"),
        (["--html", "/no/such/folder/x.html"], "cannot be written"),
        (["--reviewed", "nothing-like-this"], "nothing-like-this"),
        (["--note", "nothing-like-this", "x"], "nothing-like-this"),
        (["/no/such/place"], "/no/such/place"),
    ],
)
def test_bad_usage_is_one_plain_sentence(
    machine: Path, words: list[str], part: str
) -> None:
    got = run("review", *words)
    assert (got.code, got.out) == (2, "")
    assert got.err.startswith("spillview: ")
    assert got.err.count("\n") == 1
    assert part in got.err


def test_a_session_that_is_nowhere_is_exit_code_one(machine: Path) -> None:
    make_two(machine)
    assert run("review", "--session", "nobody").code == 1
    got = run("review", "--json", "--session", SESSION[:8], "--since", "3000d")
    assert {row["session"] for row in findings(got)} == {SESSION}


# -- marks ----------------------------------------------------------------------------


def test_the_next_report_begins_with_the_rest(machine: Path) -> None:
    make_two(machine)
    assert run("review").code == 0
    late = Claude(machine, session="aaaaaaaa-2222-4333-8444-555555555555")
    late.spills(log_of(2100), command="make late", failed=True)
    late.says("Well.")
    late.write()
    done = run("review", "--done", "--json")
    assert done.code == 0
    assert (done.row["marked"], done.row["left"]) == (2, 1)
    rows = run("review", "--json").rows
    assert [row["command"] for row in rows[:-1] if row["artifact"]] == ["make late"]
    assert rows[-1]["period"] == "review"
    assert (
        run("review")
        .lines[0]
        .endswith(", since your last review: 1 artifact of 1 session")
    )


def test_what_came_after_the_report_that_was_read_is_left(machine: Path) -> None:
    make_two(machine)
    run("review")
    time.sleep(1.1)
    path = next(machine.rglob("tool-results/*.txt"))
    path.touch()
    assert run("review", "--done", "--json").row["left"] == 1
    assert len(review()) == 1 + 1  # and the call that is older than the period


def test_nothing_is_done_that_nobody_could_read(machine: Path) -> None:
    make_two(machine)
    got = run("review", "--done")
    assert got.code == 0
    assert "went on after a failure it never saw" in got.out
    assert "Nothing new" in run("review").out
    assert run("review", "--done").out == ""
    again = run("review", "--since", "3000d").out
    assert "Everything of this period is reviewed" not in again
    run("review", "--done", "--since", "3000d")
    again = run("review", "--since", "3000d").out
    assert "Everything of this period is reviewed" in again


def test_one_mark_holds_the_period_where_it_began(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_two(machine)
    before = run("review", "--json").rows
    ids = [row["artifact"] for row in before[:-1] if row["artifact"]]
    assert len(ids) == 2
    run("review", "--reviewed", ids[0])
    later = time.time() + 3 * 86_400
    monkeypatch.setattr("time.time", lambda: later)
    usual = dict(Catalogue.__init__.__kwdefaults__ or {}, now=lambda: later)
    monkeypatch.setattr(Catalogue.__init__, "__kwdefaults__", usual)
    rows = run("review", "--json").rows
    assert [row["artifact"] for row in rows[:-1] if row["artifact"]] == ids[1:]
    assert rows[-1]["since"] == before[-1]["since"]


def test_a_part_that_is_done_leaves_the_rest_and_its_period(machine: Path) -> None:
    make_two(machine)
    done = run("review", "--done", "--session", OTHER, "--json").row
    assert (done["marked"], done["next_since"]) == (1, None)
    rows = review()
    assert {row["session"] for row in rows} == {SESSION}
    assert run("review", "--json").rows[-1]["period"] == "evening"


def test_a_review_that_is_done_moves_the_period_of_its_own_ground_alone(
    machine: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    make_two(other)
    before = findings(run("review", "--json", other))
    assert run("review", "--done").code == 0
    assert run("review", "--json").rows[-1]["period"] == "review"
    after = run("review", "--json", other)
    assert after.rows[-1]["period"] == "evening"
    kept = [row["artifact"] for row in findings(after)]
    assert kept == [row["artifact"] for row in before]
    run("review", other)
    done = run("review", "--done", "--json", other).row
    assert done["marked"] == 2
    assert done["next_since"] == done["until"]
    assert run("review", "--json", other).rows[-1]["period"] == "review"
    assert findings(run("review", "--json", other)) == []


def test_printed_ids_of_another_path_name_their_things_alone(
    machine: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    make_two(other)
    assert run("review", "--reviewed", SESSION).code == 2
    shown = findings(run("review", "--json", other))
    assert run("review", "--reviewed", SESSION, "--json").row["session"] == SESSION
    assert run("review", "--note", OTHER[:8], "ask").code == 0
    [left] = findings(run("review", "--json", other))
    assert (left["session"], left["session_noted"]) == (OTHER, "ask")
    assert run("review", "--reopen", SESSION).code == 0
    assert findings(run("review", "--json", other))[0]["text"] == shown[0]["text"]


def test_printed_ids_are_known_though_the_pipe_closed(
    machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    make_two(other)
    ids = [row["artifact"] for row in findings(run("review", "--json", other))]
    state_file(machine).unlink()

    def closed(*_: object) -> None:
        raise BrokenPipeError

    with monkeypatch.context() as patch:
        patch.setattr("spillview.cli.reviewing._print", closed)
        run("review", "--json", other)
    assert run("review", "--reviewed", ids[0], "--json").row["artifact"] == ids[0]


def test_the_run_before_is_found_in_the_artifacts_own_store(
    machine: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    for number, session in enumerate((SESSION, OTHER)):
        one = Claude(other, session=session)
        one.clock += 100 * number
        one.spills(log_of(2000 + number), command="make test", failed=True)
        one.says("Well.")
        one.write()
    ids = {r["session"]: r["id"] for r in run("ls", "--json", other).rows}
    got = run("compare", ids[OTHER], "--json")
    assert got.code == 0, got.err
    assert got.row["before"]["id"] == ids[SESSION]
    assert run("compare", ids[SESSION]).code == 1


@pytest.mark.parametrize("sessions", [20])
def test_many_sessions_are_cut_on_a_terminal_and_said_to_be(
    machine: Path, sessions: int
) -> None:
    for number in range(sessions):
        one = Claude(machine, session=f"{number:08d}-2222-4333-8444-555555555555")
        one.spills(log_of(600), command=f"make {number}", failed=True)
        one.says("Well done.")
        one.write()
    shown = run("review", terminal=True).out
    assert "20 sessions went on" in shown
    assert "16 of 20 sessions; --all" in shown
    assert "8 of 20 sessions in full; --all" in shown
    assert shown.count("Well done.") == 8
    assert run("review", "--all", terminal=True).out.count("Well done.") == 20


def test_reviewed_marks_leave_the_report_and_are_counted(machine: Path) -> None:
    make_two(machine)
    first = next(row for row in review() if row["section"] == "failed_unseen")
    got = run("review", "--reviewed", first["artifact"][:8], "--json")
    assert got.code == 0
    assert got.row["artifact"] == first["artifact"]
    assert first["artifact"] not in {row["artifact"] for row in review()}
    summary = run("review", "--json", "--since", "3000d").rows[-1]
    assert (summary["reviewed"], summary["artifacts"]) == (1, 2)
    shutil.rmtree(machine / ".cache")
    assert run("review", "--json", "--since", "3000d").rows[-1]["reviewed"] == 1
    assert (
        run("review", "--json", "--since", "3000d", machine).rows[-1]["reviewed"] == 1
    )
    run("review", "--reopen", first["artifact"])
    assert first["artifact"] in {row["artifact"] for row in review()}


def test_a_review_that_is_done_is_taken_back(machine: Path) -> None:
    make_two(machine)
    assert run("review", "--undone").code == 1
    run("review")
    before = findings(run("review", "--json"))
    run("review", "--reviewed", OTHER)
    run("review", "--done")
    assert findings(run("review", "--json")) == []
    taken = run("review", "--undone", "--json")
    assert (taken.code, taken.row["undone"], taken.row["open"]) == (0, True, 1)
    left = findings(run("review", "--json"))
    assert left == [row for row in before if row["session"] != OTHER] != []
    again = run("review", "--undone")
    assert again.code == 1
    assert "there is no --done to take back" in again.err


def test_what_is_reopened_is_in_the_next_report_though_its_period_passed(
    machine: Path,
) -> None:
    make_two(machine)
    before = findings(run("review", "--json"))
    run("review", "--done")
    run("review", "--done")
    got = run("review", "--reopen", SESSION)
    assert got.err.endswith("is open again, and in the next report\n")
    again = findings(run("review", "--json"))
    assert again[0] == before[0]
    assert [row["section"] for row in again] == ["failed_unseen", "dangling"]
    run("review", "--done")
    run("review", "--done")
    assert findings(run("review", "--json")) == []


def test_what_was_reviewed_is_counted_and_told_when_asked_for(machine: Path) -> None:
    make_two(machine)
    rows = findings(run("review", "--json"))
    run("review", "--reviewed", SESSION)
    told = "1 reviewed left out: `spillview review --all` tells of them too.\n"
    assert told in run("review").out
    assert "Reviewed (" not in run("review").out
    everything = run("review", "--all").out
    assert "Reviewed (1)\n" in everything
    assert "left out" not in everything
    assert sum(line.startswith("✓") for line in everything.splitlines()) == 1
    page = run("review", "--html", "-", "--all").out
    assert "<h2>Reviewed (1)</h2>" in page
    assert page.count("<td>✓</td>") == 1
    assert "✓" not in run("review", "--html", "-").out
    marked = [r for r in run("review", "--all", "--json").rows[:-1] if "reviewed" in r]
    assert {(r["section"], r["session"]) for r in marked} == {
        (r["section"], r["session"]) for r in rows if r["session"] == SESSION
    }
    run("review", "--done")
    assert "--since yesterday --all" in run("review").out
    since = run("review", "--all", "--since", "3000d").out
    assert "Reviewed (3)\n" in since


def test_a_whole_session_is_reviewed_with_its_lost_calls(machine: Path) -> None:
    make_two(machine)
    assert {row["section"] for row in review()} == {
        "failed_unseen",
        "verdict_unseen",
        "dangling",
    }
    assert run("review", "--reviewed", SESSION[:8]).code == 0
    assert [row["session"] for row in review()] == [OTHER]
    summary = run("review", "--json", "--since", "3000d").rows[-1]
    assert (summary["calls"], summary["calls_reviewed"]) == (1, 1)
    run("review", "--reopen", SESSION)
    assert len(review()) == 3


def test_what_changed_after_it_was_reviewed_comes_back(machine: Path) -> None:
    make_two(machine)
    [row] = [r for r in review() if r["section"] == "verdict_unseen"]
    run("review", "--reviewed", row["artifact"])
    time.sleep(0.05)
    with Path(row["path"]).open("ab") as file:
        file.write(b"more\nfailed\n")
    assert row["artifact"] in {r["artifact"] for r in review()}


# -- notes ----------------------------------------------------------------------------


def test_notes_last_and_are_in_every_form_of_the_report(machine: Path) -> None:
    make_two(machine)
    row = next(r for r in review() if r["section"] == "failed_unseen")
    text = "known \x1b[31mflaky\u202e & <b>on CI</b>"
    got = run("review", "--note", row["artifact"], text, "--note", SESSION, "ask Mika")
    assert (got.code, got.out) == (0, "")
    shutil.rmtree(machine / ".cache")
    row = next(r for r in review() if r["section"] == "failed_unseen")
    assert (row["noted"], row["session_noted"]) == (text, "ask Mika")
    shown = run("review", "--since", "3000d").out
    assert printable(text) in shown
    assert "ask Mika" in shown
    assert "\x1b[31m" not in shown
    html = run("review", "--since", "3000d", "--html", "-").out
    assert "&lt;b&gt;on CI&lt;/b&gt;" in html
    assert [r["noted"] for r in run("review", "--notes", "--json").rows] == [
        text,
        "ask Mika",
    ]
    run("review", "--note", row["artifact"], "", "--note", SESSION, " ")
    assert run("review", "--notes").out == ""


def test_a_note_is_still_listed_when_its_artifact_is_gone(machine: Path) -> None:
    make_two(machine)
    row = next(r for r in review() if r["section"] == "failed_unseen")
    run("review", "--note", row["artifact"], "look at this")
    Path(row["path"]).unlink()
    [note] = run("review", "--notes", "--json").rows
    assert (note["path"], note["noted"]) == (row["path"], "look at this")


def test_a_note_that_is_too_long_is_refused_before_anything_is_kept(
    machine: Path,
) -> None:
    make_two(machine)
    ident = next(r for r in review() if r["artifact"])["artifact"]
    got = run("review", "--note", ident, "x" * 10_001)
    assert got.code == 2
    assert "10,000" in got.err
    assert run("review", "--notes").out == ""


# -- what keeps them ------------------------------------------------------------------


def state_file(home: Path) -> Path:
    return home / ".local/state/spillview/state.sqlite3"


def test_a_locked_state_is_said_and_nothing_is_called_kept(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spillview.review.state_file._WAIT", 0.01)
    make_two(machine)
    run("review", "--since", "3000d")
    other = sqlite3.connect(state_file(machine))
    other.execute("BEGIN EXCLUSIVE")
    got = run("review", "--reviewed", OTHER)
    other.rollback()
    other.close()
    assert got.code == 2
    assert "another process holds it" in got.err
    assert "not kept" in got.err
    assert "is reviewed" not in got.err
    assert len(review()) == 3


def test_a_broken_state_is_set_aside_and_said(machine: Path) -> None:
    make_two(machine)
    file = state_file(machine)
    file.parent.mkdir(parents=True)
    file.write_bytes(b"this is no database" * 100)
    got = run("review", "--done")
    assert got.code == 2
    assert "set aside" in got.err
    assert [p.read_bytes()[:7] for p in file.parent.glob("*.broken-*")] == [b"this is"]


def test_a_state_that_cannot_be_written_still_tells_what_it_holds(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_two(machine)
    run("review", "--reviewed", OTHER)
    connect = sqlite3.connect

    def reading(path: str, **more: object) -> sqlite3.Connection:
        if not str(path).endswith("state.sqlite3"):
            return connect(path, **more)  # type: ignore[call-overload,no-any-return] # as it came
        return connect(f"file:{path}?mode=ro", uri=True, check_same_thread=False)

    monkeypatch.setattr("spillview.review.state_file.sqlite3.connect", reading)
    got = run("review", "--json", "--reviewed", SESSION)
    assert got.code == 2
    assert "cannot be written" in got.err
    report = run("review", "--json", "--since", "3000d")
    assert {row["session"] for row in findings(report)} == {SESSION}


# -- the page -------------------------------------------------------------------------


class Tags(HTMLParser):
    """What a browser would be told: tags, attributes, the style and the texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


PLAIN = {
    *("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3"),
    *("p", "section", "dl", "dt", "dd", "bdi", "code", "div", "table", "thead"),
    *("tbody", "tr", "th", "td", "br", "span", "ul", "li", "details", "summary"),
}
"""Tags of which none loads, runs or leads anywhere."""


def check_page(page: str) -> Tags:
    """Nothing in a page is active, and nothing hides in it."""
    tags = Tags(page)
    for tag, attributes in tags.tags:
        assert tag in PLAIN
        kept = {"class", "scope"}
        if tag in ("meta", "html"):
            kept |= {"charset", "content", "name", "http-equiv", "lang"}
        assert set(attributes) <= kept
    [policy] = [a["content"] for _, a in tags.tags if "http-equiv" in a]
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert printable(page, newlines=True) == page
    assert "url(" not in page
    assert "@import" not in page
    return tags


def test_the_page_says_what_the_text_says(night: Path, tmp_path: Path) -> None:
    file = tmp_path / "night.html"
    got = run("review", night, "--html", file)
    assert (got.code, got.out) == (0, "")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    tags = check_page(file.read_text("utf-8"))
    assert "4 sessions went on after a failure they never saw" in tags.text
    for title, command in WENT_ON.items():
        assert title in tags.text
        assert command in tags.text
    rows = run("review", night, "--json").rows
    for row in rows[:-1]:
        if row["artifact"] is not None:
            assert row["artifact"] in tags.text
    again = run("review", night, "--html", file)
    assert again.code == 0
    assert os.listdir(tmp_path) == ["night.html"]


HTML = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "</style><style>*{display:none}</style>",
    "</title></bdi></code><a href=javascript:alert(1)>x</a>",
    "<!--",
    "&lt;b&gt; &#x202e;",
    "\u202eevil\u2066",
    "\x00\x1b[31m\x07",
)


def hostile(home: Path) -> None:
    """A session whose every text is an attack on the page."""
    bad = " ".join(HTML)
    session = Claude(home, cwd="/srv/<script>alert(2)</script>")
    session.prompt(bad)
    session.spills(
        log_of(2000, last=f"FAILED {bad}"), command=f"make {bad}", failed=True
    )
    session.says(f"All well {bad}")
    session.calls("Bash", command=bad)
    session.spills(log_of(2000, last=bad), command=bad, name="<img src=x>.txt")
    session.spills(log_of(2000), command=bad, write=False, name="<svg onload=x>.txt")
    session.write()


@pytest.mark.parametrize(
    "make", [hostile, lambda home: make_hostile(home, time.time())]
)
def test_hostile_texts_are_inert_in_the_page(machine: Path, make: object) -> None:
    make(machine)  # type: ignore[operator] # one of the two above
    ident = run("ls", "--json").rows[0]["id"]
    run("review", "--note", ident, " ".join(HTML))
    got = run("review", "--since", "3000d", "--html", "-")
    tags = check_page(got.out)
    assert "went on after a failure it never saw" in tags.text
    shown = run("review", "--since", "3000d", "--no-color", terminal=True).out
    assert printable(shown, newlines=True) == shown


def test_a_page_is_never_half_written(
    machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_two(machine)
    file = tmp_path / "night.html"
    file.write_text("the night before")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    got = run("review", "--html", file)
    assert got.code == 2
    assert "No space left" in got.err
    assert file.read_text() == "the night before"
    assert os.listdir(tmp_path) == ["night.html"]


@pytest.fixture(autouse=True)
def local_time(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The same evening for everybody."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def open_to_all(machine: Path, number: int, mode: int = 0o644) -> list[Path]:
    """Artifacts that every user can read, and that are fine but for that."""
    paths = []
    for place in range(number):
        session = AcmeRun(machine, f"r{place}")
        path, _ = session.spills("c1")
        paths.append(path)
        path.chmod(mode)
    return paths


def test_what_everybody_may_read_is_told_in_one_line(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spillview.exposure.permissions._passable", lambda folder: True)
    add(machine, profile_text())
    open_to_all(machine, 6)
    got = run("review", "--since", "2026-11-01")
    told = " ".join(got.out.split())
    assert (
        "Exposed (6) 6 artifacts in 1 store can be read by every user of this machine:"
        " `spillview doctor --fix-modes` takes that right away." in told
    )
    assert told.count("every user") == 1
    page = machine / "page.html"
    assert run("review", "--since", "2026-11-01", "--html", page).code == 0
    assert page.read_text(encoding="utf-8").count("every user") == 1
    rows = run("review", "--since", "2026-11-01", "--json").rows
    assert sum(row.get("section") == "exposed" for row in rows) == 6


def test_a_few_that_everybody_may_read_are_named_one_by_one(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spillview.exposure.permissions._passable", lambda folder: True)
    add(machine, profile_text())
    open_to_all(machine, 3)
    told = run("review", "--since", "2026-11-01").out
    assert "Exposed (3)" in told
    assert "fix-modes" not in told


def test_that_no_session_went_on_says_of_how_many_it_is_known(machine: Path) -> None:
    session = Claude(machine)
    session.spills(log_of(2000, last="fine"), command="make docs")
    session.says("Read it.")
    session.write()
    said = "No session went on after a failure it never saw"
    first = run("review", "--since", "3000d").out
    assert f"{said}." in first
    (session.side / "tool-results" / "toolu_lost.txt").write_bytes(log_of(2000))
    for got in (
        run("review", "--since", "3000d"),
        run("review", "--since", "3000d", "--html", "-"),
    ):
        assert f"{said} (known of 1 of 2 artifacts)" in got.out
