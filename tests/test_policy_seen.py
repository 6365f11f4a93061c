"""What the policy showed is what our readers say was seen: there and back again."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.catalogue.catalogue import Catalogue
from spillview.model import Artifact, Range, Unit
from spillview.places import Places
from spillview.store import LocalSpillStore
from spillview.store.notice import GAP
from spillview.store.policy import Decision, SpillPolicy

from .command import run
from .test_notice import UNITS

NUMBERS = itertools.count()
TEXT = st.text(
    st.one_of(
        st.sampled_from("ab\n\n\r\0\x1bé日😀"),
        st.characters(exclude_categories=["Cs"]),
    ),
    min_size=5,
).map(lambda text: text * (1200 // len(text)))


def store_of(home: Path, **more: Any) -> LocalSpillStore:
    return LocalSpillStore(Path(Places.of_home(str(home)).state_dir) / "spills", **more)


def read_back(home: Path) -> dict[str, Artifact]:
    """Every artifact of the home, by its path, counted and linked."""
    catalogue = Catalogue(Places.of_home(str(home)))
    found = {a.id: a for a in catalogue.complete(catalogue.scan())}.values()
    assert catalogue.problems == []
    return {a.found.path: a for a in found}


def shown_ranges(done: Decision, total: int) -> tuple[Range, ...]:
    assert done.preview is not None
    head, tail = len(done.preview.head.encode()), len(done.preview.tail.encode())
    ranges = [(0, head), (total - tail, total)]
    return tuple(each for each in ranges if each[0] < each[1])


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(
            TEXT,
            st.integers(300, 1100),
            st.sampled_from(UNITS),
            st.sampled_from(["", GAP]),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_the_ranges_seen_are_head_and_tail_for_any_text_and_cap(
    tmp_path_factory: pytest.TempPathFactory,
    results: list[tuple[str, int, Unit, str]],
) -> None:
    # One folder for the run; a state folder of its own for each example.
    home = tmp_path_factory.getbasetemp() / f"seen{next(NUMBERS)}"
    store = store_of(home)
    done: dict[str, tuple[Decision, str]] = {}
    for number, (text, cap, unit, gap) in enumerate(results):
        policy = SpillPolicy(cap, unit, gap=gap, warn=lambda _: None)
        decision = policy.decide(
            text,
            store=store,
            tool=f"tool{number}",
            call_id=f"c-{number}",
            session_id="night-1",
            label=f"label {number}",
            command=f"make {number}",
        )
        if decision.spilled:
            assert decision.ref is not None
            done[decision.ref.locator] = decision, text
    artifacts = read_back(home) if done else {}
    assert set(artifacts) == set(done)
    for path, (decision, text) in done.items():
        artifact = artifacts[path]
        link, command = artifact.link, artifact.command or ""
        made_by = command.removeprefix("make ")
        assert link is not None
        assert link.state == "linked"
        assert link.seen is not None
        assert link.seen.certain
        total = len(text.encode())
        assert link.seen.ranges == shown_ranges(decision, total)
        assert decision.preview is not None
        assert total - link.seen.bytes == decision.preview.omitted
        envelope = artifact.envelope
        assert envelope is not None
        assert (artifact.session, artifact.tool, artifact.label, envelope.call_id) == (
            "night-1",
            f"tool{made_by}",
            f"label {made_by}",
            f"c-{made_by}",
        )


TEXT_OF_LINES = "".join(f"step {n}\n" for n in range(3000)) + "FAILED: 3 of 3000\n"
CALL: dict[str, Any] = {
    "tool": "bash",
    "call_id": "c-1",
    "session_id": "night-1",
    "label": "build",
    "command": "make all",
    "cwd": "/srv/app",
}


def test_ls_and_envelope_show_a_spill_of_the_policy_as_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    done = SpillPolicy(2000).decide(TEXT_OF_LINES, store=LocalSpillStore(), **CALL)
    assert done.spilled
    assert done.ref is not None
    assert done.preview is not None
    (row,) = map(json.loads, run("ls", "--json").out.splitlines())
    expected = {
        "harness": "spillview",
        "path": done.ref.locator,
        "link": "linked",
        "session": "night-1",
        "tool": "bash",
        "call_id": "c-1",
        "label": "build",
        "command": "make all",
        "project": "/srv/app",
        "seen_bytes": len(TEXT_OF_LINES) - done.preview.omitted,
        "verdict_seen": True,
        "verdict": "fail",
        "flags": [],
    }
    assert {key: row[key] for key in expected} == expected
    shown = json.loads(run("envelope", "--json", done.ref.locator).out)
    assert shown["text"] == done.text
    assert shown["agrees"] is True
    assert [tuple(r) for r in shown["seen"]] == list(
        shown_ranges(done, len(TEXT_OF_LINES))
    )


@pytest.mark.parametrize("gap", ["", GAP])
def test_without_stated_parts_the_text_alone_leads_to_the_same_ranges(
    tmp_path: Path, gap: str
) -> None:
    store = store_of(tmp_path)
    done = SpillPolicy(2000, gap=gap).decide(TEXT_OF_LINES, store=store, **CALL)
    assert done.ref is not None
    path = Path(done.ref.locator)
    note = path.parent / f".{path.name}.json"
    facts = json.loads(note.read_text())
    del facts["envelope"]["parts"]
    note.write_text(json.dumps(facts))
    (artifact,) = read_back(tmp_path).values()
    assert artifact.link is not None
    assert artifact.link.seen is not None
    assert artifact.link.seen.ranges == shown_ranges(done, len(TEXT_OF_LINES))


@pytest.mark.parametrize(
    "parts",
    [
        [[0, 50, 1, 51]],
        [[0, 50, 0, 50], [60, 70, 0, 10]],
        [[0, 50, 0, 51]],
        [[0, 50, 0, 10**9]],
        [[-5, 50, 0, 55]],
        [[50, 0, 50, 0]],
        [[0, 50, 0]],
        [[0, 50, 0, "50"]],
        [[0, 50, 0, True]],
        ["head"],
        {"0": 50},
        7,
    ],
)
def test_stated_parts_that_are_not_what_the_file_holds_are_not_believed(
    tmp_path: Path, parts: Any
) -> None:
    done = SpillPolicy(2000).decide(TEXT_OF_LINES, store=store_of(tmp_path), **CALL)
    assert done.ref is not None
    path = Path(done.ref.locator)
    note = path.parent / f".{path.name}.json"
    facts = json.loads(note.read_text())
    facts["envelope"]["parts"] = parts
    note.write_text(json.dumps(facts))
    (artifact,) = read_back(tmp_path).values()
    assert artifact.link is not None
    assert artifact.link.seen is not None
    # The text is looked for as in any harness's envelope.
    assert artifact.link.seen.ranges == shown_ranges(done, len(TEXT_OF_LINES))


@pytest.mark.parametrize("gap", ["", GAP])
@pytest.mark.parametrize(
    "line",
    [
        GAP,
        "a",
        "\n",
        "\n\n(Omitted 7 bytes. Full formatted result stored at: /h/spills/"
        "session-abe633f3a47a/0123456789ab-bash.txt. Ask me.)",
    ],
)
def test_a_text_that_repeats_or_forges_our_own_marks_is_placed_exactly(
    tmp_path: Path, line: str, gap: str
) -> None:
    text = line * (5000 // len(line))
    done = SpillPolicy(1500, gap=gap).decide(text, store=store_of(tmp_path), **CALL)
    assert done.spilled
    (artifact,) = read_back(tmp_path).values()
    assert artifact.link is not None
    assert artifact.link.seen is not None
    assert artifact.link.seen.certain
    assert artifact.link.seen.ranges == shown_ranges(done, len(text))


def test_a_spill_that_a_cap_cut_shows_as_partial(tmp_path: Path) -> None:
    store = store_of(tmp_path, max_file=5000)
    done = SpillPolicy(2000).decide(TEXT_OF_LINES, store=store, **CALL)
    assert done.preview is not None
    (artifact,) = read_back(tmp_path).values()
    assert artifact.link is not None
    assert artifact.link.partial
    assert artifact.link.note == "The store's cap of 5,000 bytes a file cut it."
    assert artifact.link.seen is not None
    assert artifact.link.seen.ranges == ((0, len(done.preview.head)),)
    assert artifact.verdict_seen is not True


def test_a_result_that_stayed_inline_leaves_no_envelope_that_nobody_received(
    tmp_path: Path,
) -> None:
    # The partial notice is longer than the one that was foreseen.
    store = store_of(tmp_path, max_file=5000)
    room = SpillPolicy(2000).decide(
        TEXT_OF_LINES, store=store_of(tmp_path / "a"), **CALL
    )
    assert room.ref is not None
    notice = room.text[room.text.rindex("\n\n(") + 2 :]
    wide = len(str(store.root)) - len(str(store_of(tmp_path / "a").root))
    cap = len(notice) + wide + 1
    policy = SpillPolicy(cap, warn=lambda _: None)
    done = policy.decide(TEXT_OF_LINES, store=store, **CALL)
    assert (done.reason, done.text) == ("would-not-fit", TEXT_OF_LINES)
    assert done.ref is not None
    (artifact,) = read_back(tmp_path).values()
    assert artifact.link is not None
    assert artifact.verdict_seen is None
