"""A result that our own clean-up took is not lost: where it is, and since when."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue
from spillview.places import Places
from spillview.review.corrections import correct_missing
from spillview.tui.labels import Labels
from spillview.tui.queue.arrangement import Material, View, arrange
from spillview.tui.queue.rows import missing_sentence
from tests.command import Ran, Row, run
from tests.harness_stores import make
from tests.test_adding_a_harness import Run, add, profile_text

OLD = 1_795_700_000
SINCE = ("--since", "2026-11-01")


@pytest.fixture
def night(machine: Path) -> Path:
    """Two results of the night, and one that is really gone."""
    add(machine, profile_text())
    session = Run(machine, "r1")
    session.second = 6 * 86_400
    session.add(type="user", text="Build it")
    session.spills("c1")
    session.spills("c2")
    session.spills("c3", kept=False)
    aged(machine)
    return machine


def aged(folder: Path) -> None:
    """Every file as if nobody had touched it since the night."""
    for path in [p for p in folder.rglob("*") if p.is_file() and not p.is_symlink()]:
        os.utime(path, (OLD, OLD))


def prune(*more: str) -> str:
    """Clean up everything of the session; gives the batch."""
    ran = run("prune", "--session", "r1", "--apply", "--yes", "--json", *more)
    summary = ran.rows[-1]
    assert summary["remove"] == 2, ran.err
    return str(summary["batch"])


def gone() -> dict[str, Row]:
    rows = run("ls", "--missing", "--json").rows
    return {row["call_id"]: row for row in rows}


def told(ran: Ran) -> str:
    """What a person reads, as one line."""
    return " ".join((ran.out + ran.err).split())


def test_what_is_in_the_trash_is_said_to_be_there(night: Path) -> None:
    batch = prune()
    rows = gone()
    assert rows.keys() == {"c1", "c2", "c3"}
    for call in ("c1", "c2"):
        row = rows[call]
        assert (row["link"], row["swept"]) == ("dangling", False)
        assert (row["removed"]["batch"], row["removed"]["deleted"]) == (batch, None)
        assert row["note"].startswith("In the trash since 20")
        assert f"`spillview undo {batch}`" in row["note"]
    assert (rows["c3"]["removed"], rows["c3"]["note"]) == (None, None)
    shown = told(run("ls", "--missing"))
    assert shown.count("in trash") == 2
    assert f"2 removed in a clean-up: In the trash since {rows['c1']['note'][19:]}" in (
        shown
    )
    only = run("ls", "--missing", "--only", "dangling", "--json").rows
    assert [row["call_id"] for row in only] == ["c3"]


def test_the_report_counts_only_what_is_lost(night: Path) -> None:
    batch = prune()
    rows = run("review", "--json", *SINCE).rows
    [summary] = [row for row in rows if row.get("summary")]
    assert summary["sections"]["dangling"] == 1
    assert (summary["removed"], summary["swept"]) == (2, 0)
    texts = [r["text"] for r in rows if r.get("section") == "dangling"]
    assert sum(f"undo {batch}" in text for text in texts) == 2
    shown = told(run("review", *SINCE))
    assert "(1)" in shown
    assert "2 more removed in a clean-up: In the trash since" in shown
    page = night / "page.html"
    assert run("review", "--html", page, *SINCE).code == 0
    assert f"undo {batch}" in page.read_text(encoding="utf-8")


def test_the_queue_counts_only_what_is_lost(night: Path) -> None:
    batch = prune()
    catalogue = Catalogue.here()
    try:
        artifacts = list(catalogue.complete(catalogue.scan()))
        missing = catalogue.missing()
        material = Material.of(catalogue.sessions(artifacts), missing)
    finally:
        catalogue.close()
    shown = arrange(material, View(missing=True, all_time=True), Labels())
    assert shown.missing == 1
    rows = [row for row in shown.rows.others() if row in missing]
    assert len(rows) == 3
    sentences = [missing_sentence(row) for row in missing if row.removal]
    assert len(sentences) == 2
    assert all(f"`spillview undo {batch}`" in sentence for sentence in sentences)
    [first, *_] = [row for row in missing if row.removal]
    assert batch in correct_missing(first).text


def test_after_an_undo_nothing_is_missing(night: Path) -> None:
    prune()
    assert run("undo").code == 0
    assert gone().keys() == {"c3"}
    assert len(run("ls", "--json").rows) == 2


def test_after_emptying_it_is_said_who_deleted_it_and_when(night: Path) -> None:
    batch = prune()
    assert run("trash", "--empty", "--yes").code == 0
    row = gone()["c1"]
    assert row["removed"]["batch"] == batch
    assert row["removed"]["deleted"] is not None
    assert row["note"].startswith("Deleted for good by you on 20")
    assert "deleted for good by you on" in told(run("review", *SINCE)).lower()
    assert "undo" not in row["note"]


def test_what_was_deleted_at_once_is_known_too(night: Path) -> None:
    prune("--permanent")
    assert gone()["c2"]["note"].startswith("Deleted for good by you on 20")
    assert gone()["c3"]["note"] is None


def test_what_expired_is_not_the_persons_doing(night: Path) -> None:
    from spillview.cleanup.trash import Trash

    prune()
    Trash(Places.here(), now=lambda: 1e10).expire(86_400)
    assert "because trash_keep is 1d" in gone()["c1"]["note"]


def test_a_call_of_the_same_name_elsewhere_stays_lost(night: Path) -> None:
    prune()
    other = Run(night, "r2")
    other.second = 6 * 86_400
    other.spills("c1", kept=False)
    rows = run("ls", "--missing", "--json").rows
    [row] = [row for row in rows if row["session"] == "r2"]
    assert (row["removed"], row["note"]) == (None, None)


def test_an_open_catalogue_notices_an_emptied_trash(night: Path) -> None:
    prune()
    catalogue = Catalogue.here()
    try:
        catalogue.scan()
        assert {m.word for m in catalogue.missing()} == {"in trash", "dangling"}
        assert run("trash", "--empty", "--yes").code == 0
        assert {m.word for m in catalogue.missing()} == {"deleted", "dangling"}
    finally:
        catalogue.close()


@pytest.mark.parametrize("name", ["roo_code", "claude_clones", "pi"])
def test_notices_of_every_form_find_what_was_removed(name: str, machine: Path) -> None:
    store = make(name, machine)
    aged(machine)
    before = {row["call_id"] for row in run("ls", "--missing", "--json").rows}
    linked = [r for r in run("ls", "--json").rows if r["link"] == "linked"]
    ran = run("prune", "--max-file", "1B", "--apply", "--yes", "--json")
    moved = {r["path"] for r in ran.rows if r.get("action") == "remove"}
    expected = {r["call_id"] for r in linked if r["path"] in moved} - before
    assert expected, store.harness
    rows = run("ls", "--missing", "--json").rows
    known = {row["call_id"] for row in rows if row["removed"] is not None}
    assert {r["call_id"] for r in rows if r["link"] == "dangling"} >= expected
    assert known >= expected
