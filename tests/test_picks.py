"""Kinds of artifacts and calls that are shown alone."""

from __future__ import annotations

from pathlib import Path

from spillview.catalogue import Catalogue
from spillview.model import Artifact
from spillview.picks import PICKS
from spillview.places import Places
from spillview.tui.arrangement import Labels, Material, View, arrange
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
