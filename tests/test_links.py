"""Artifacts and the records that point at them, put together."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from spillview.discovery.discovery import Discovery, discover
from spillview.links.kinship import hashed
from spillview.links.links import Joined, join
from spillview.model import Found, Link
from spillview.places import Places
from spillview.profiles.profile import Profile, load_profiles
from spillview.transcripts import read_transcript
from spillview.transcripts.facts import TranscriptFacts
from tests.stores import (
    NIGHT,
    OTHER,
    SESSION,
    Claude,
    Dsh,
    Made,
    background,
    envelope_of,
    log_of,
    make_claude,
    make_dsh,
    numbered,
)


@dataclass
class Store:
    """Everything found below a home, joined."""

    discovery: Discovery
    facts: list[TranscriptFacts]
    joined: Joined
    profile: Profile

    def of(self, made: Made | Path) -> Found:
        path = str(made.path if isinstance(made, Made) else made)
        return next(f for f in self.discovery.found if f.path == path)

    def link(self, made: Made | Path) -> Link:
        return self.joined.links[self.of(made).id]


def look_into(home: Path, harness: str, paths: Sequence[str] = ()) -> Store:
    places = Places.of_home(str(home))
    profiles = load_profiles(places)[0]
    found = discover(places, profiles, None, paths, harness)
    facts = [read_transcript(t, profiles[harness]) for t in found.transcripts]
    joined = join(found.found, facts, profiles[harness])
    return Store(found, facts, joined, profiles[harness])


def test_each_artifact_is_linked_with_its_own_record(tmp_path: Path) -> None:
    made = make_claude(tmp_path).made
    store = look_into(tmp_path, "claude-code")
    for name in ("build", "search", "helper", "background"):
        link = store.link(made[name])
        assert link.state == "linked"
        assert link.envelope is not None
        assert link.envelope.command == made[name].command
        assert link.envelope.record == made[name].record
    assert len(store.joined.links) == 4


def test_subagents_spill_lies_in_the_parents_folder_and_session(tmp_path: Path) -> None:
    made = make_claude(tmp_path).made
    store = look_into(tmp_path, "claude-code")
    link = store.link(made["helper"])
    assert made["helper"].path.parent == made["build"].path.parent
    assert link.envelope is not None
    assert link.envelope.agent == "a1b2c3d4e5f6a7b8c"
    assert link.envelope.session == SESSION


def test_file_that_never_appeared_is_kept_as_missing_with_its_call(
    tmp_path: Path,
) -> None:
    made = make_claude(tmp_path).made["gone"]
    missing = look_into(tmp_path, "claude-code").joined.missing
    (row,) = missing
    assert (row.state, row.session, row.project) == ("dangling", SESSION, "/srv/app")
    assert (row.mention.path, row.mention.command) == (str(made.path), "make docs")


def test_undefined_path_is_missing_even_where_a_file_has_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = Claude(tmp_path)
    main.gets(
        main.calls("Bash", command="make docs"),
        envelope_of(Path("undefined"), b"u" * 40_000, "u" * 2000),
    )
    main.write()
    (tmp_path / "undefined").write_text("something else")
    monkeypatch.chdir(tmp_path)
    (row,) = look_into(tmp_path, "claude-code").joined.missing
    assert (row.state, row.mention.path) == ("dangling", "undefined")
    assert (row.mention.tool, row.mention.command) == ("Bash", "make docs")


def test_call_id_links_where_the_path_is_lost(tmp_path: Path) -> None:
    main = Claude(tmp_path)
    call = main.calls("Grep", "toolu_77", pattern="TODO")
    main.gets(call, envelope_of(Path("undefined"), b"g" * 30_000, "g" * 2000))
    main.write()
    path = main.place("toolu_77.txt")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"g" * 30_000)
    store = look_into(tmp_path, "claude-code")
    assert store.link(path).state == "linked"
    assert store.joined.missing == []


def test_twelve_cut_calls_without_any_file_are_all_told(tmp_path: Path) -> None:
    main = Claude(tmp_path)
    for number in range(12):
        text = f"line {number}\n" * 2000 + "\n\n... [638 lines truncated] ..."
        main.gets(main.calls("Bash", command=f"make step{number}"), text)
    main.write()
    rows = look_into(tmp_path, "claude-code").joined.missing
    assert [(r.state, r.mention.command) for r in rows] == [
        ("cut", f"make step{n}") for n in range(12)
    ]


def test_file_no_record_points_at_is_an_orphan(tmp_path: Path) -> None:
    main = Claude(tmp_path)
    main.says("Nothing")
    main.write()
    path = main.place("b12345678.txt")
    path.parent.mkdir(parents=True)
    path.write_text("alone")
    link = look_into(tmp_path, "claude-code").link(path)
    assert (link.state, link.mentions, link.seen, link.verdict_seen) == (
        "orphan",
        (),
        None,
        None,
    )


def test_moved_tree_is_linked_by_session_folder_and_name(tmp_path: Path) -> None:
    old = tmp_path / "old"
    made = make_claude(old).made["build"]
    new = tmp_path / "new"
    shutil.copytree(old, new)
    shutil.rmtree(old)
    store = look_into(new, "claude-code")
    moved = new / made.path.relative_to(old)
    assert store.link(moved).state == "linked"
    assert [row.mention.command for row in store.joined.missing] == ["make docs"]


def test_record_that_names_the_real_path_of_a_linked_folder(tmp_path: Path) -> None:
    real = tmp_path / "disk"
    made = make_claude(real).made["build"]
    home = tmp_path / "home"
    home.symlink_to(real)
    store = look_into(home, "claude-code")
    path = home / made.path.relative_to(real)
    link = next(
        link
        for found in store.discovery.found
        for link in [store.joined.links[found.id]]
        if os.path.realpath(found.path) == os.path.realpath(path)
    )
    assert link.state == "linked"


def test_narrowed_look_does_not_call_what_it_left_out_missing(tmp_path: Path) -> None:
    store = make_claude(tmp_path)
    one = str(store.made["build"].path)
    places = Places.of_home(str(tmp_path))
    profiles = load_profiles(places)[0]
    everything = discover(places, profiles, None, (), "claude-code")
    facts = [
        read_transcript(t, profiles["claude-code"]) for t in everything.transcripts
    ]
    few = [found for found in everything.found if found.path == one]
    joined = join(few, facts, profiles["claude-code"])
    assert [row.mention.command for row in joined.missing] == ["make docs"]


def test_end_of_a_background_command_is_told_by_its_envelope(tmp_path: Path) -> None:
    main = Claude(tmp_path)
    made = background(main, log_of(40), code=2)
    main.write()
    link = look_into(tmp_path, "claude-code").link(made)
    assert link.envelope is not None
    assert link.envelope.record == made.record
    assert (link.envelope.failed, link.envelope.exit_code) == (True, 2)
    assert len(link.mentions) == 2


def test_several_records_may_point_at_one_file(tmp_path: Path) -> None:
    main = Claude(tmp_path)
    path = main.place("b00000001.txt")
    text = envelope_of(path, b"s" * 40_000, "s" * 2000)
    main.prompt(f"First: {text}")
    main.prompt(f"Again: {text}")
    main.write()
    path.parent.mkdir(parents=True)
    path.write_bytes(b"s" * 40_000)
    link = look_into(tmp_path, "claude-code").link(path)
    assert [m.record for m in link.mentions] == [1, 2]


def test_fork_by_equal_record_ids_counts_as_the_artifacts_own_session(
    tmp_path: Path,
) -> None:
    first = Claude(tmp_path)
    first.prompt("Build")
    made = first.spills(log_of(3000))
    first.says("Good.")
    first.write()
    fork = Claude(tmp_path, session=OTHER)
    fork.lines = [
        line.replace(SESSION.encode(), OTHER.encode()) for line in first.lines
    ]
    fork.lines = [
        line.replace(
            f"{OTHER}/tool-results".encode(), f"{SESSION}/tool-results".encode()
        )
        for line in fork.lines
    ]
    fork._count = len(fork.lines)
    call = fork.calls("Read", file_path=str(made.path), offset=2998, limit=3)
    fork.gets(call, numbered(made.data, 2998, 3000))
    fork.write()
    stranger = Claude(tmp_path, session="77777777-2222-4333-8444-555555555555")
    stranger.prompt("Look there")
    call = stranger.calls("Read", file_path=str(made.path), offset=1, limit=3)
    stranger.gets(call, numbered(made.data, 1, 3))
    stranger.write()
    store = look_into(tmp_path, "claude-code")
    link = store.link(made)
    assert [m.session for m in link.mentions] == [SESSION, OTHER]
    assert sorted((r.session[:1], r.own) for r in link.reads) == [
        ("7", False),
        ("9", True),
    ]


def test_read_that_a_fork_repeats_is_listed_once(tmp_path: Path) -> None:
    first = Claude(tmp_path)
    made = first.spills(log_of(3000))
    first.gets(first.calls("Read", file_path=str(made.path)), numbered(made.data, 1, 9))
    first.write()
    fork = Claude(tmp_path, session=OTHER)
    fork.lines = list(first.lines)
    fork.write()
    link = look_into(tmp_path, "claude-code").link(made)
    assert len(link.reads) == 1


def test_reading_that_spilled_again_makes_a_chain(tmp_path: Path) -> None:
    main = Claude(tmp_path)
    a = main.spills(log_of(6000), command="make test")
    b = main.spills(a.data[500:], command=f"tail -n +20 {a.path}")
    c = main.spills(b.data[500:], command=f"tail -n +20 {b.path}")
    main.write()
    store = look_into(tmp_path, "claude-code")
    ids = tuple(store.of(made).id for made in (a, b, c))
    for made in (a, b, c):
        assert store.link(made).chain == ids
    assert a.name in (store.link(b).note or "")
    assert c.name in (store.link(b).note or "")
    assert [r.call_id for r in store.link(a).reads] == [b.call_id]


def test_full_copy_beside_the_preview_is_noted_with_its_size(tmp_path: Path) -> None:
    main = Claude(tmp_path)
    data = log_of(4000)
    made = main.spills(
        data, result={"stdout": data.decode(), "persistedOutputSize": len(data)}
    )
    main.write()
    note = look_into(tmp_path, "claude-code").link(made).note
    assert note is not None
    assert f"{len(data):,} chars" in note


def test_glob_and_bare_name_in_a_command_are_reads_of_the_session(
    tmp_path: Path,
) -> None:
    main = Claude(tmp_path)
    one = main.spills(log_of(3000))
    two = main.spills(log_of(2500))
    folder = one.path.parent
    main.gets(main.calls("Bash", command=f"grep -c x {folder}/*.txt"), "0")
    main.gets(main.calls("Bash", command=f"cd {folder}; head -1 {two.name}"), "y")
    main.write()
    store = look_into(tmp_path, "claude-code")
    assert len(store.link(one).reads) == 1
    assert len(store.link(two).reads) == 2


def test_session_facts_hold_the_subagents_times(tmp_path: Path) -> None:
    store = make_claude(tmp_path)
    joined = look_into(tmp_path, "claude-code").joined
    facts = joined.sessions["claude-code", SESSION]
    assert (facts.title, facts.project) == ("Fix the build", "/srv/app")
    assert facts.started == NIGHT + 1
    assert (
        facts.last_active
        == NIGHT + len(store.transcripts[0].read_bytes().split(b"\n")) - 1
    )


def test_dsh_session_folder_is_known_by_the_hash_of_its_session(tmp_path: Path) -> None:
    made = make_dsh(tmp_path, tmp_path / "tmp").made
    store = look_into(tmp_path, "dsh")
    assert hashed("sess-1") == "session-abe633f3a47a"
    build = store.link(made["build"])
    # The fork's log repeats its parent's records.
    assert [m.session for m in build.mentions] == ["sess-1", "sess-2"]
    assert [m.session for m in store.link(made["fork"]).mentions] == ["sess-2"]
    assert ("dsh", "sess-1") in store.joined.sessions
    assert store.joined.sessions["dsh", "sess-2"].parents == ("sess-1",)


def test_dsh_reads_by_a_fork_are_the_artifacts_own(tmp_path: Path) -> None:
    root = tmp_path / "tmp" / "dsh-spill-AbC123"
    first = Dsh(tmp_path, root, session="sess-1")
    made = first.spills(log_of(6000))
    first.write()
    fork = Dsh(tmp_path, root, session="sess-2", parent=first)
    call = fork.calls("read", file_path=str(made.path), offset=1, limit=2)
    fork.gets(call, numbered(made.data, 1, 2, "{n}: {line}"))
    fork.write()
    stranger = Dsh(tmp_path, root, session="sess-3")
    call = stranger.calls("bash", command=f"tail -1 {made.path}")
    stranger.gets(call, "FAILED (errors=3)")
    stranger.write()
    link = look_into(tmp_path, "dsh").link(made)
    assert {(r.session, r.own) for r in link.reads} == {
        ("sess-2", True),
        ("sess-3", False),
    }


def test_dsh_artifact_swept_away_is_dangling_once_for_all_forks(tmp_path: Path) -> None:
    made = make_dsh(tmp_path, tmp_path / "tmp").made
    made["build"].path.unlink()
    (row,) = look_into(tmp_path, "dsh").joined.missing
    assert (row.state, row.session) == ("dangling", "sess-1")
    assert row.mention.path == str(made["build"].path)
