"""How screens were left: kept by ground, bounded, and judged when it is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spillview.catalogue.query import Query
from spillview.model import Boundary, Found, Problem
from spillview.places import Places
from spillview.review.remembered import (
    LONGEST,
    ArtifactLeft,
    QueueLeft,
    recall_artifact,
    recall_queue,
    remember_artifact,
    remember_queue,
)
from spillview.review.screens import KEPT, Screens

LEFT = QueueLeft("bytes", True, True, "cargo 税", "errors", "00112233445566aa")
PLACE = ArtifactLeft(4096, (1, 2, 3, 4), "envelope", wrap=False)


@pytest.fixture
def state(tmp_path: Path) -> Screens:
    return Screens(Places.of_home(str(tmp_path)))


def again(state: Screens) -> Screens:
    """What the next start of the program finds."""
    return Screens(Places.of_home(str(Path(state.path).parents[3])))


def found(name: str = "a.txt") -> Found:
    ident = name.encode().hex().zfill(16)
    return Found(ident, "folder", f"/x/{name}", name, "s", "/x")


def test_a_queue_is_found_as_it_was_left(state: Screens) -> None:
    assert recall_queue(state, Query()) is None
    remember_queue(state, Query(), LEFT, 1.0)
    assert recall_queue(again(state), Query()) == LEFT


def test_an_artifact_is_found_as_it_was_left(state: Screens) -> None:
    assert recall_artifact(state, found()) is None
    remember_artifact(state, found(), PLACE, 1.0)
    assert recall_artifact(again(state), found()) == PLACE
    assert recall_artifact(state, found("b.txt")) is None


def test_what_is_as_at_first_is_forgotten(state: Screens) -> None:
    remember_queue(state, Query(), LEFT, 1.0)
    remember_queue(state, Query(), None, 2.0)
    assert recall_queue(again(state), Query()) is None


def test_to_forget_what_was_never_kept_makes_no_file(state: Screens) -> None:
    remember_queue(state, Query(), None, 2.0)
    assert not Path(state.path).exists()


@pytest.mark.parametrize(
    "other",
    [
        Query(paths=("/x",)),
        Query(harness="dsh"),
        Query(session="s1"),
        Query(since=5.0),
        Query(until=5.0),
        Query(boundary=Boundary(5, "chars")),
    ],
)
def test_each_ground_and_each_option_has_its_own(state: Screens, other: Query) -> None:
    remember_queue(state, Query(), LEFT, 1.0)
    assert recall_queue(state, other) is None
    remember_queue(state, other, QueueLeft("age"), 1.0)
    assert recall_queue(state, Query()) == LEFT


def test_the_same_ground_is_known_by_links_order_and_another_age(
    state: Screens, tmp_path: Path
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    remember_queue(state, Query((str(tmp_path / "real"), "/x"), since=1.0), LEFT, 1.0)
    same = Query(("/x", str(tmp_path / "link")), since=2.0)
    assert recall_queue(state, same) == LEFT


def test_the_oldest_leave_where_there_are_too_many(state: Screens) -> None:
    for number in range(KEPT + 20):
        state.remember(f"screen {number}", "{}", float(number))
    again(state)
    kept = [n for n in range(KEPT + 20) if state.recall(f"screen {n}") is not None]
    assert kept == list(range(20, KEPT + 20))


@pytest.mark.parametrize(
    "kept",
    [
        "",
        "[",
        "[]",
        "null",
        "{}",
        "[" * 100_000,
        '{"sort": 1, "filter": "", "reverse": false, "flat": false, "only": null, "at": null}',  # noqa: E501
        json.dumps({**dict.fromkeys(("sort", "filter", "at", "only"), "x"), "flat": 1, "reverse": 0}),  # noqa: E501
        json.dumps({"byte": -1, "key": [1], "mode": "full", "wrap": True}),
        json.dumps({"byte": 1, "key": 1, "mode": "full", "wrap": True}),
        json.dumps({"byte": 1, "key": ["a"], "mode": "full", "wrap": True}),
        json.dumps({"byte": 1, "key": [1], "mode": "other", "wrap": True}),
        json.dumps({"byte": 1.5, "key": [1], "mode": "full", "wrap": None}),
    ],
)  # fmt: skip
def test_whatever_stands_there_is_no_error(state: Screens, kept: str) -> None:
    remember_queue(state, Query(), LEFT, 1.0)
    remember_artifact(state, found(), PLACE, 1.0)
    data = json.loads(Path(state.path).read_bytes())
    for entry in data["screens"].values():
        entry[0] = kept
    Path(state.path).write_text(json.dumps(data))
    assert recall_queue(state, Query()) is None
    assert recall_artifact(state, found()) is None


BROKEN = (
    b"", b"\xff\x00", b"[" * 100_000, b"[]", b"null", b'{"form":1}',
    b'{"form":1,"screens":[]}', b'{"form":"x","screens":{}}', b"{" + b" " * (5 << 20),
)  # fmt: skip


@pytest.mark.parametrize("data", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_file_is_set_aside_once_and_told(
    state: Screens, data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[Problem] = []
    monkeypatch.setattr("spillview.own_files.told", said)
    remember_queue(state, Query(), LEFT, 1.0)
    Path(state.path).write_bytes(data)
    assert recall_queue(state, Query()) is None
    assert said == []
    for _ in range(2):
        remember_queue(state, Query(), LEFT, 1.0)
        assert recall_queue(again(state), Query()) == LEFT
    aside = Path(f"{state.path}.broken-1")
    if data != b'{"form":"x","screens":{}}':  # which holds nothing that could be lost
        assert len(said) == 1
        assert aside.read_bytes() == data


@pytest.mark.parametrize(
    "entry", ['["a"]', '["a", "b"]', "[1, 2]", "{}", '["a", true]', '["a", 1e300]']
)
def test_an_entry_that_is_none_costs_no_other(state: Screens, entry: str) -> None:
    remember_queue(state, Query(), LEFT, 1.0)
    text = Path(state.path).read_text()
    text = text.replace('"screens":{', f'"screens":{{"x":{entry},')
    Path(state.path).write_text(text)
    assert state.recall("x") is None
    assert recall_queue(state, Query()) == LEFT


def test_a_newer_program_s_file_stays_as_it_is(state: Screens) -> None:
    remember_queue(state, Query(), LEFT, 1.0)
    newer = Path(state.path).read_bytes().replace(b'"form":1', b'"form":2')
    Path(state.path).write_bytes(newer)
    assert recall_queue(state, Query()) is None
    remember_queue(state, Query(), LEFT, 2.0)
    assert Path(state.path).read_bytes() == newer


def test_where_nothing_can_be_written_all_goes_on(
    state: Screens, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("spillview.review.screens.os.replace", full)
    remember_queue(state, Query(), LEFT, 1.0)
    assert recall_queue(state, Query()) is None
    assert list(Path(state.path).parent.iterdir()) == []


def test_a_filter_that_is_too_long_is_not_kept(state: Screens) -> None:
    long = QueueLeft("worst", filter="x" * (LONGEST + 1))
    remember_queue(state, Query(), long, 1.0)
    assert recall_queue(state, Query()) is None


def test_the_file_is_private_and_written_through_no_link(
    state: Screens, tmp_path: Path
) -> None:
    remember_queue(state, Query(), LEFT, 1.0)
    assert Path(state.path).stat().st_mode & 0o777 == 0o600
    victim = tmp_path / "victim"
    victim.write_text("mine")
    Path(state.path).unlink()
    Path(state.path).symlink_to(victim)
    remember_queue(state, Query(), LEFT, 1.0)
    assert victim.read_text() == "mine"
    assert recall_queue(state, Query()) == LEFT
