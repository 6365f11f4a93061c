"""Kinds of artifacts and calls that are shown alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue
from spillview.catalogue.picks import PICKS
from spillview.cli import main
from spillview.model import Artifact
from spillview.places import Places
from spillview.tui.labels import Labels
from spillview.tui.queue.arrangement import Material, View, arrange
from spillview.tui.queue.columns import follows
from tests.stores import Claude, log_of, numbered


def night(home: Path) -> tuple[Catalogue, list[Artifact]]:
    run = Claude(home)
    run.spills(log_of(2000, last="Error: x"), name="b1.txt", command="lost")
    early = b"Error: first\n" + log_of(2000, last="Error: x")
    run.spills(early, name="b2.txt", command="half")
    read = run.spills(log_of(2100, last="ok"), name="b3.txt", command="read")
    call = run.calls("Read", file_path=str(read.path), offset=1, limit=2)
    run.gets(call, numbered(read.data, 1, 2))
    run.spills(log_of(2200), name="b4.txt", command="gone", write=False)
    run.place("toolu_0099.txt").write_bytes(log_of(50))
    run.write()
    catalogue = Catalogue(Places.of_home(str(home)))
    return catalogue, list(catalogue.complete(catalogue.scan()))


def test_each_kind_holds_what_belongs_to_it(tmp_path: Path) -> None:
    catalogue, artifacts = night(tmp_path)
    kinds = {
        name: {a.found.name for a in artifacts if pick.admits(a)}
        for name, pick in PICKS.items()
    }
    assert kinds["failed"] == {"b1.txt", "b2.txt"}
    assert kinds["errors"] == {"b1.txt"}
    assert kinds["unread"] == {"b1.txt", "b2.txt"}
    assert kinds["orphan"] == {"toolu_0099.txt"}
    assert kinds["partial"] == kinds["chain"] == set()
    lost = catalogue.missing()
    assert [PICKS["dangling"].admits_call(call) for call in lost] == [True]
    assert [PICKS["cut"].admits_call(call) for call in lost] == [False]


def test_the_queue_shows_one_kind_alone(tmp_path: Path) -> None:
    catalogue, artifacts = night(tmp_path)
    material = Material.of(catalogue.sessions(artifacts), catalogue.missing())
    view = View(only="errors", all_time=True)
    shown = arrange(material, view, Labels())
    assert [a.found.name for a in shown.artifacts] == ["b1.txt"]
    assert len(shown.rows) == 2  # the session's own row before it
    gone = arrange(material, View(only="dangling", all_time=True), Labels())
    assert gone.artifacts == []
    assert len(gone.rows) == 2
    none = arrange(material, View(only="cut", all_time=True), Labels())
    assert none.rows == []


def test_what_a_read_returned_stands_below_what_was_read(tmp_path: Path) -> None:
    run = Claude(tmp_path)
    first = run.spills(log_of(6000), name="b1.txt", command="make")
    run.spills(log_of(9000), name="b2.txt", command="docs")
    rest = b"\n".join(first.data.split(b"\n")[2000:])
    run.spills(rest, name="b3.txt", command=f"tail -n +2001 {first.path}")
    run.write()
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    artifacts = list(catalogue.complete(catalogue.scan()))
    material = Material.of(catalogue.sessions(artifacts), ())
    rows = arrange(material, View(all_time=True), Labels()).rows
    names = [row.found.name for row in rows if isinstance(row, Artifact)]
    assert names.index("b3.txt") == names.index("b1.txt") + 1
    chained = {a.found.name for a in artifacts if PICKS["chain"].admits(a)}
    assert chained == {"b1.txt", "b3.txt"}
    below = {a.found.name for a in artifacts if follows(a)}
    assert below == {"b3.txt"}


def test_ls_lists_one_kind_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    night(tmp_path)
    kinds: dict[str, list[str]] = {}
    for name in PICKS:
        assert main(["ls", "--only", name, "--json", str(tmp_path)]) == 0
        rows = capsys.readouterr().out.splitlines()
        kinds[name] = [json.loads(row)["name"] for row in rows]
    assert kinds["errors"] == ["b1.txt"]
    assert kinds["orphan"] == ["toolu_0099.txt"]
    assert kinds["dangling"] == ["b4.txt"]
    assert kinds["cut"] == []
    assert main(["ls", "--only", "nothing", str(tmp_path)]) == 2
    assert "there are failed, errors" in capsys.readouterr().err
