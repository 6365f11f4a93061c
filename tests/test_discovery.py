"""Discovery: what is found where, what each PATH means, and what is never touched."""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.config import ExtraRoot, Settings
from spillview.discovery.discovery import Discovery, artifact_id, discover
from spillview.errors import BadInput
from spillview.model import Found
from spillview.places import Places
from spillview.profiles.file import parse_profile
from spillview.profiles.profile import Profile, load_profiles

S1 = "11111111-2222-4333-8444-555555555555"
S2 = "66666666-7777-4888-9999-aaaaaaaaaaaa"
SLUG = "-srv-app"
HASHED = "session-abe633f3a47a"
"""The spill folder of the session `sess-1`."""
LEAF = "0123456789ab-bash.txt"
PROFILES, _ = load_profiles(Places("/nowhere", "/nowhere", {}, 0, "linux"))


class Home:
    """A small home folder to put files in."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.places = replace(Places.of_home(str(path)), confined=False)

    def put(self, name: str, text: str = "x\n") -> str:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return str(file)

    def at(self, name: str) -> str:
        return str(self.path / name)

    def find(self, *paths: str, harness: str | None = None) -> Discovery:
        return discover(self.places, PROFILES, None, paths, harness)

    def names(self, *paths: str, harness: str | None = None) -> set[str]:
        """Paths of what is found, below this home."""
        found = self.find(*paths, harness=harness).found
        return {os.path.relpath(item.path, self.path) for item in found}

    def one(self, *paths: str) -> Found:
        (found,) = self.find(*paths).found
        return found


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    # The machine's own /tmp is not part of these tests.
    monkeypatch.setattr(Places, "tmps", property(lambda places: (places.tmp,)))
    folder = tmp_path / "home"
    folder.mkdir()
    return Home(folder)


def spill(session: str = S1, name: str = "toolu_01.txt", slug: str = SLUG) -> str:
    return f".claude/projects/{slug}/{session}/tool-results/{name}"


def log(session: str = S1, slug: str = SLUG) -> str:
    return f".claude/projects/{slug}/{session}.jsonl"


@pytest.fixture
def night(home: Home) -> Home:
    """One or two of everything."""
    for name in (
        spill(),
        spill(name="pdf-1/page-01.jpg"),
        spill(S2),
        spill("s-3", slug="-srv-other"),
        log(),
        log(S2),
        log("s-3", "-srv-other"),
        f".claude/projects/{SLUG}/{S1}/subagents/agent-a1.jsonl",
        f"tmp/claude-0/{SLUG}/{S1}/tasks/b12345678.output",
        f"tmp/claude-0/{SLUG}/tasks/b23456789.output",
        f"tmp/claude/{SLUG}/tasks/aa67793.output",
        f"tmp/dsh-spill-AbC123/{HASHED}/{LEAF}",
        f"tmp/dsh-spill-xYz789/session-000000000000/{LEAF}",
        "tmp/dsh-subprocess-AbC123/dsh-subprocess-1-2-0123456789ab-stderr.log",
        ".dsh/sessions/--srv-app--/sess-1/session.jsonl.zstd",
        ".dsh/sessions/_no-cwd/sess~0020two/session.jsonl",
        f".local/state/spillview/spills/{HASHED}/{LEAF}",
        f".local/state/spillview/spills/{HASHED}/.{LEAF}.json",
        "tmp/outbox/build-0123456789ab.txt",
        "tmp/outbox/json-0123456789ab.json",
        "tmp/outbox/notes",
    ):
        home.put(name)
    home.places = replace(home.places, uid=0)
    return home


# Where the harnesses keep them


def test_every_store_is_found_where_its_harness_keeps_it(night: Home) -> None:
    found = night.find()
    by_harness: dict[str, int] = {}
    for item in found.found:
        by_harness[item.harness] = by_harness.get(item.harness, 0) + 1
    assert by_harness == {"claude-code": 7, "dsh": 3, "spillview": 1, "outbox": 3}
    assert found.problems == []
    logs = {(t.harness, t.session, t.agent) for t in found.transcripts}
    assert logs == {
        ("claude-code", S1, None),
        ("claude-code", S1, "a1"),
        ("claude-code", S2, None),
        ("claude-code", "s-3", None),
        ("dsh", "sess-1", None),
        ("dsh", "sess two", None),
        ("spillview", HASHED, None),
    }


def test_each_entry_carries_what_its_path_says(night: Home) -> None:
    found = {os.path.relpath(f.path, night.path): f for f in night.find().found}
    claude = found[spill()]
    assert (claude.session, claude.project_slug, claude.call_id) == (
        S1,
        SLUG,
        "toolu_01",
    )
    assert claude.transcript == night.at(log())
    assert claude.root == night.at(".claude")
    assert claude.content == "spill"
    assert found[spill(name="pdf-1/page-01.jpg")].content == "binary"
    task = found[f"tmp/claude-0/{SLUG}/{S1}/tasks/b12345678.output"]
    assert (task.session, task.content, task.tool) == (S1, "background", "Bash")
    assert task.transcript == night.at(log())
    old = found[f"tmp/claude-0/{SLUG}/tasks/b23456789.output"]
    assert old.session == os.path.dirname(old.path)
    dsh = found[f"tmp/dsh-spill-AbC123/{HASHED}/{LEAF}"]
    assert (dsh.session, dsh.tool) == (HASHED, "bash")
    assert dsh.root == night.at("tmp/dsh-spill-AbC123")
    stream = found[
        "tmp/dsh-subprocess-AbC123/dsh-subprocess-1-2-0123456789ab-stderr.log"
    ]
    assert (stream.label, stream.content) == ("stderr", "stream")
    boxed = found["tmp/outbox/build-0123456789ab.txt"]
    assert (boxed.label, boxed.digest) == ("build", "0123456789ab")
    assert boxed.session == night.at("tmp/outbox")


def test_a_dsh_transcript_knows_the_folder_of_its_spills(night: Home) -> None:
    logs = {t.session: t.spill_session for t in night.find(harness="dsh").transcripts}
    assert logs["sess-1"] == HASHED
    digest = hashlib.sha256(b"sess two").hexdigest()[:12]
    assert logs["sess two"] == f"session-{digest}"


def test_a_subagents_transcript_belongs_to_the_parent_session(night: Home) -> None:
    (agent,) = [t for t in night.find().transcripts if t.agent]
    assert (agent.session, agent.parent_session) == (S1, S1)


def test_artifacts_of_75_projects_are_found_from_any_working_folder(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(75):
        home.put(spill(slug=f"-srv-p{number}"))
    here = home.path / "elsewhere"
    here.mkdir()
    monkeypatch.chdir(here)
    assert len(home.find().found) == 75
    monkeypatch.chdir("/")
    assert len(home.find().found) == 75


def test_environment_variables_move_the_stores(home: Home, tmp_path: Path) -> None:
    moved = Home(tmp_path / "moved")
    moved.put(f"cc/projects/{SLUG}/{S1}/tool-results/toolu_1.txt")
    moved.put(f"t/claude-7/{SLUG}/{S1}/tasks/b12345678.output")
    moved.put("dsh/sessions/_no-cwd/a/session.jsonl")
    moved.put("box/a-0123456789ab.txt")
    home.put(spill())
    home.put("tmp/outbox/b-0123456789ab.txt")
    home.places = replace(
        home.places,
        uid=7,
        env={
            "CLAUDE_CONFIG_DIR": moved.at("cc"),
            "CLAUDE_CODE_TMPDIR": moved.at("t"),
            "DSH_HOME": moved.at("dsh"),
            "OUTBOX_DIR": moved.at("box"),
        },
    )
    found = home.find()
    assert {os.path.relpath(f.path, moved.path) for f in found.found} == {
        f"cc/projects/{SLUG}/{S1}/tool-results/toolu_1.txt",
        f"t/claude-7/{SLUG}/{S1}/tasks/b12345678.output",
        "box/a-0123456789ab.txt",
    }
    assert [t.session for t in found.transcripts] == ["a"]


def test_dsh_roots_are_found_in_every_temp_folder(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Home(tmp_path / "other")
    other.put(f"dsh-spill-AbC123/{HASHED}/{LEAF}")
    home.put(f"tmp/dsh-spill-dEf456/{HASHED}/{LEAF}")
    monkeypatch.setattr(
        Places, "tmps", property(lambda places: (places.tmp, str(other.path)))
    )
    assert len(home.find().found) == 2


@pytest.mark.parametrize(
    "name",
    [
        f"tmp/dsh-spill-AbC12/{HASHED}/{LEAF}",
        f"tmp/dsh-spill-AbC1234/{HASHED}/{LEAF}",
        f"tmp/dsh-spill-AbC12_/{HASHED}/{LEAF}",
        f"tmp/dsh-spill-AbC123/session-backup/{LEAF}",
        f"tmp/dsh-spill-AbC123/session-abe633f3a47/{LEAF}",
        f"tmp/dsh-spill-AbC123/{HASHED}/more/{LEAF}",
    ],
)
def test_look_alikes_of_dsh_folders_are_not_taken(home: Home, name: str) -> None:
    home.put(name)
    assert home.names() == set()


def test_configured_roots_add_stores_and_missing_ones_are_said(
    home: Home, tmp_path: Path
) -> None:
    box = Home(tmp_path / "box")
    box.put(spill())
    box.put("tmp/outbox/build-0123456789ab.txt")
    kept = Home(tmp_path / "kept")
    kept.put(f"{HASHED}/{LEAF}")
    chosen = Settings(
        roots=(
            ExtraRoot(str(box.path)),
            ExtraRoot(str(kept.path), "dsh"),
            ExtraRoot("/not/there"),
            ExtraRoot(str(box.path), "nobody"),
        )
    )
    found = discover(home.places, PROFILES, chosen)
    assert sorted(f.harness for f in found.found) == ["claude-code", "dsh", "outbox"]
    assert [problem.path for problem in found.problems] == [
        "/not/there",
        str(box.path),
    ]
    only = discover(home.places, PROFILES, chosen, harness="dsh")
    assert [f.harness for f in only.found] == ["dsh"]


def test_runs_of_the_desktop_program_and_clones_have_the_same_layout(
    home: Home,
) -> None:
    home.places = replace(home.places, platform="linux")
    cowork = ".config/Claude/local-agent-mode-sessions/org/ws/local_1/.claude"
    for root in (cowork, ".openclaude"):
        home.put(f"{root}/projects/{SLUG}/{S1}/tool-results/toolu_1.txt")
        home.put(f"{root}/projects/{SLUG}/{S1}.jsonl")
    home.put(f"{cowork}/projects/{SLUG}/{S1}/subagents/x/agent-7.jsonl")
    found = home.find()
    assert {os.path.relpath(f.root, home.path) for f in found.found} == {
        cowork,
        ".openclaude",
    }
    for item in found.found:
        assert item.transcript is not None
        assert item.transcript.startswith(item.root)
    assert len(found.transcripts) == 3
    assert {s.confidence for s in found.stores} == {"single report"}


def test_what_is_not_there_is_no_problem(home: Home) -> None:
    found = home.find()
    assert found.found == []
    assert found.problems == []


def test_stores_say_what_they_hold(night: Home) -> None:
    stores = {
        (s.harness, os.path.relpath(s.root, night.path)): s for s in night.find().stores
    }
    claude = stores["claude-code", ".claude"]
    assert (claude.artifacts, claude.bytes, claude.transcripts) == (4, 8, 4)
    assert stores["dsh", ".dsh"].transcripts == 2
    assert stores["outbox", "tmp/outbox"].artifacts == 3


# What a PATH means


def test_a_home_means_all_its_stores(night: Home, home: Home) -> None:
    elsewhere = replace(home.places, home="/nowhere", tmp="/nowhere")
    found = discover(elsewhere, PROFILES, None, [str(night.path)])
    mine = night.find()
    assert {f.id for f in found.found} == {f.id for f in mine.found}
    assert {t.path for t in found.transcripts} == {t.path for t in mine.transcripts}


def test_a_home_made_for_another_user_shows_that_users_tasks(home: Home) -> None:
    task = f"tmp/claude-501/{SLUG}/{S1}/tasks/b12345678.output"
    home.put(task)
    home.places = replace(home.places, home="/nowhere", tmp="/nowhere", uid=0)
    assert home.names(str(home.path)) == {task}


@pytest.fixture
def stranger(night: Home, request: pytest.FixtureRequest) -> Home:
    """The same night, seen by its own user and by somebody else."""
    if request.param:
        night.places = replace(night.places, home="/nowhere", tmp="/nowhere")
    return night


both = pytest.mark.parametrize("stranger", [False, True], indirect=True)


@both
@pytest.mark.parametrize(
    ("path", "names", "sessions"),
    [
        (
            ".claude",
            {
                spill(),
                spill(name="pdf-1/page-01.jpg"),
                spill(S2),
                spill("s-3", slug="-srv-other"),
            },
            {S1, S2, "s-3"},
        ),
        (
            f".claude/projects/{SLUG}",
            {
                spill(),
                spill(name="pdf-1/page-01.jpg"),
                spill(S2),
                f"tmp/claude-0/{SLUG}/{S1}/tasks/b12345678.output",
                f"tmp/claude-0/{SLUG}/tasks/b23456789.output",
                f"tmp/claude/{SLUG}/tasks/aa67793.output",
            },
            {S1, S2},
        ),
        (
            f".claude/projects/{SLUG}/{S1}",
            {
                spill(),
                spill(name="pdf-1/page-01.jpg"),
                f"tmp/claude-0/{SLUG}/{S1}/tasks/b12345678.output",
            },
            {S1},
        ),
        (
            log(),
            {
                spill(),
                spill(name="pdf-1/page-01.jpg"),
                f"tmp/claude-0/{SLUG}/{S1}/tasks/b12345678.output",
            },
            {S1},
        ),
        (
            f".claude/projects/{SLUG}/{S1}/subagents/agent-a1.jsonl",
            {
                spill(),
                spill(name="pdf-1/page-01.jpg"),
                f"tmp/claude-0/{SLUG}/{S1}/tasks/b12345678.output",
            },
            {S1},
        ),
        (
            f".claude/projects/{SLUG}/{S1}/tool-results",
            {spill(), spill(name="pdf-1/page-01.jpg")},
            {S1},
        ),
        (
            f".claude/projects/{SLUG}/{S1}/tool-results/pdf-1",
            {spill(name="pdf-1/page-01.jpg")},
            {S1},
        ),
        (spill(), {spill()}, {S1}),
        (
            f"tmp/claude-0/{SLUG}/{S1}/tasks",
            {f"tmp/claude-0/{SLUG}/{S1}/tasks/b12345678.output"},
            {S1},
        ),
        (
            "tmp/dsh-spill-AbC123",
            {f"tmp/dsh-spill-AbC123/{HASHED}/{LEAF}"},
            {"sess-1", "sess two"},
        ),
        (
            f"tmp/dsh-spill-AbC123/{HASHED}",
            {f"tmp/dsh-spill-AbC123/{HASHED}/{LEAF}"},
            {"sess-1"},
        ),
        (
            f"tmp/dsh-spill-AbC123/{HASHED}/{LEAF}",
            {f"tmp/dsh-spill-AbC123/{HASHED}/{LEAF}"},
            {"sess-1"},
        ),
        (
            ".dsh/sessions/--srv-app--",
            {f"tmp/dsh-spill-AbC123/{HASHED}/{LEAF}"},
            {"sess-1"},
        ),
        (
            ".dsh/sessions/--srv-app--/sess-1",
            {f"tmp/dsh-spill-AbC123/{HASHED}/{LEAF}"},
            {"sess-1"},
        ),
        (
            ".dsh/sessions/--srv-app--/sess-1/session.jsonl.zstd",
            {f"tmp/dsh-spill-AbC123/{HASHED}/{LEAF}"},
            {"sess-1"},
        ),
        (
            "tmp/outbox",
            {
                "tmp/outbox/build-0123456789ab.txt",
                "tmp/outbox/json-0123456789ab.json",
                "tmp/outbox/notes",
            },
            set(),
        ),
        (
            "tmp/outbox/build-0123456789ab.txt",
            {"tmp/outbox/build-0123456789ab.txt"},
            set(),
        ),
        (
            ".local/state/spillview/spills",
            {f".local/state/spillview/spills/{HASHED}/{LEAF}"},
            {HASHED, S1, S2, "s-3", "sess-1", "sess two"},  # its hosts' may name it
        ),
    ],
)
def test_a_path_inside_a_store_means_what_it_names(
    stranger: Home, path: str, names: set[str], sessions: set[str]
) -> None:
    found = stranger.find(stranger.at(path))
    assert {os.path.relpath(f.path, stranger.path) for f in found.found} == names
    assert {t.session for t in found.transcripts} == sessions
    assert all(f.harness != "folder" for f in found.found)
    assert found.problems == []


def test_any_file_by_its_own_path_is_what_it_is_in_its_store(night: Home) -> None:
    every = night.find()
    for item in every.found:
        alone = night.one(item.path)
        assert replace(alone, root="") == replace(item, root="")
    for log_found in every.transcripts:
        if log_found.agent is None and log_found.reader != "sidecar":
            found = night.find(log_found.path).transcripts
            assert log_found.path in [t.path for t in found]


@pytest.mark.parametrize(
    ("put", "path"),
    [
        (f"copy/projects/{SLUG}/{S1}/tool-results/toolu_1.txt", "copy"),
        (f"copy/projects/{SLUG}/{S1}/tool-results/toolu_1.txt", "copy/projects"),
        (f"x/{SLUG}/{S1}/tool-results/toolu_1.txt", f"x/{SLUG}"),
        (f"x/{S1}/tool-results/toolu_1.txt", f"x/{S1}"),
        (f"x/{S1}/tool-results/toolu_1.txt", f"x/{S1}/tool-results"),
        (f"copy/projects/{SLUG}/{S1}/tool-results/toolu_1.txt",) * 2,
    ],
)
def test_a_store_copied_elsewhere_is_recognised_by_its_layout(
    home: Home, put: str, path: str
) -> None:
    home.put(put)
    found = home.one(home.at(path))
    assert (found.harness, found.session) == ("claude-code", S1)
    assert os.path.relpath(found.path, home.path) == put


def test_a_transcript_in_a_copied_store_brings_its_session(home: Home) -> None:
    home.put(f"copy/projects/{SLUG}/{S1}.jsonl")
    home.put(f"copy/projects/{SLUG}/{S2}.jsonl")
    home.put(f"copy/projects/{SLUG}/{S1}/tool-results/toolu_1.txt")
    home.put(f"copy/projects/{SLUG}/{S2}/tool-results/toolu_2.txt")
    found = home.find(home.at(f"copy/projects/{SLUG}/{S1}.jsonl"))
    assert [f.name for f in found.found] == ["toolu_1.txt"]
    assert [t.session for t in found.transcripts] == [S1]


def test_a_copied_dsh_root_is_recognised_by_its_shape(home: Home) -> None:
    home.put(f"backup/{HASHED}/{LEAF}")
    assert home.one(home.at("backup")).harness == "dsh"


def test_our_own_copied_store_is_told_from_dshs_by_its_sidecars(home: Home) -> None:
    home.put(f"backup/{HASHED}/{LEAF}")
    home.put(f"backup/{HASHED}/.{LEAF}.json")
    found = home.find(home.at("backup"))
    assert [(f.harness, f.name) for f in found.found] == [("spillview", LEAF)]
    assert len(found.transcripts) == 1


def test_an_outbox_is_recognised_by_the_names_in_it(home: Home) -> None:
    home.put("results/build-0123456789ab.txt")
    home.put("results/json-0123456789ab.json")
    home.put("results/README")
    assert {f.harness for f in home.find(home.at("results")).found} == {"outbox"}
    assert len(home.names(home.at("results"))) == 3
    home.put("mixed/build-0123456789ab.txt")
    for number in range(3):
        home.put(f"mixed/{number}.txt")
    assert {f.harness for f in home.find(home.at("mixed")).found} == {"folder"}


def test_dated_results_are_agent_artifacts(home: Home) -> None:
    home.put("dated/links_2026-08-01.json")
    found = home.one(home.at("dated"))
    assert (found.harness, found.label) == ("agent-artifacts", "links")


def test_any_other_folder_is_files_with_a_session_for_each_folder(home: Home) -> None:
    home.put("out/a.txt")
    home.put("out/.hidden")
    home.put("out/deep/er/b.log")
    (home.path / "out/empty").mkdir()
    found = home.find(home.at("out"))
    assert {(os.path.relpath(f.path, home.path), f.session) for f in found.found} == {
        ("out/a.txt", home.at("out")),
        ("out/.hidden", home.at("out")),
        ("out/deep/er/b.log", home.at("out/deep/er")),
    }
    assert {f.harness for f in found.found} == {"folder"}


def test_a_plain_folder_is_listed_but_a_few_times(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(50):
        home.put(f"results/run-{number}/out.txt")
    listed: list[object] = []
    real = os.scandir

    def scandir(path: Any) -> Any:
        listed.append(path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert len(home.find(home.at("results")).found) == 50
    assert 51 <= len(listed) < 3 * 51  # however many harnesses it might be of


def test_one_file_anywhere_is_an_artifact_of_its_folders_session(home: Home) -> None:
    path = home.put("out/a.txt")
    home.put("out/b.txt")
    found = home.one(path)
    assert (found.harness, found.session) == ("folder", home.at("out"))


def test_ordinary_projects_folders_are_not_taken_for_stores(home: Home) -> None:
    home.put("projects/foo/data.jsonl")
    home.put("projects/foo/src/tasks/x.txt")
    home.put("projects/foo/.claude/settings.json")
    for path in ("projects", "projects/foo"):
        found = home.find(home.at(path))
        assert {f.harness for f in found.found} == {"folder"}, path
        assert len(found.found) == 3


def test_a_folder_in_which_sessions_ran_means_those_sessions(night: Home) -> None:
    project = night.path / "srv/app"
    night.put("srv/app/main.py")
    slug = "".join(c if c.isalnum() and c.isascii() else "-" for c in str(project))
    key = str(project).lstrip("/").replace("/", "-")
    night.put(spill(slug=slug))
    night.put(log(slug=slug))
    night.put(f".dsh/sessions/--{key}--/sess-9/session.jsonl")
    digest = hashlib.sha256(b"sess-9").hexdigest()[:12]
    night.put(f"tmp/dsh-spill-AbC123/session-{digest}/{LEAF}")
    found = night.find(str(project))
    assert {os.path.relpath(f.path, night.path) for f in found.found} == {
        spill(slug=slug),
        spill(),  # the same session's, in the project it was copied from
        spill(name="pdf-1/page-01.jpg"),
        f"tmp/claude-0/{SLUG}/{S1}/tasks/b12345678.output",
        f"tmp/dsh-spill-AbC123/session-{digest}/{LEAF}",
    }
    assert found.projects == [str(project)]
    assert night.names(str(project), harness="folder") == {"srv/app/main.py"}
    below = night.find(str(project / "main.py"))
    assert [f.harness for f in below.found] == ["folder"]


def test_harness_forces_what_a_folder_is_read_as(night: Home) -> None:
    night.put("out/a.txt")
    assert [f.harness for f in night.find(night.at("out"), harness="dsh").found] == [
        "dsh"
    ]
    assert {
        f.harness for f in night.find(night.at(".claude"), harness="folder").found
    } == {"folder"}
    assert len(night.names(harness="outbox")) == 3
    both_homes = night.find(str(night.path), harness="outbox").found
    assert {f.harness for f in both_homes} == {"outbox"}


def test_a_bad_path_or_harness_is_said_plainly(home: Home) -> None:
    with pytest.raises(BadInput, match="no such file or folder"):
        home.find(home.at("nothing"))
    file = home.put("file")
    with pytest.raises(BadInput, match="no such file or folder"):
        home.find(file + "/below")
    with pytest.raises(BadInput, match="did you mean claude-code"):
        home.find(harness="claude-cod")
    with pytest.raises(BadInput, match="NUL"):
        home.find("a\0b")
    with pytest.raises(BadInput) as error:
        home.find(home.at("\x1b[?5h\xff"))
    assert "\x1b" not in str(error.value)


# Each file once


def test_a_path_given_twice_or_inside_another_lists_each_file_once(night: Home) -> None:
    once = night.find(night.at(".claude"))
    paths = [
        night.at(p) for p in (".claude", ".claude", f".claude/projects/{SLUG}", spill())
    ]
    for order in (paths, paths[::-1]):
        found = night.find(*order)
        ids = [f.id for f in found.found]
        assert len(ids) == len(set(ids))
        assert set(ids) >= {f.id for f in once.found}
        logs = [t.path for t in found.transcripts]
        assert len(logs) == len(set(logs))


def test_one_folder_by_two_names_is_listed_once(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.put(f"tmp/dsh-spill-AbC123/{HASHED}/{LEAF}")
    alias = tmp_path / "private"
    alias.symlink_to(home.path)
    monkeypatch.setattr(Places, "tmps", property(lambda p: (p.tmp, str(alias / "tmp"))))
    assert len(home.find().found) == 1
    direct = home.one(home.at("tmp/dsh-spill-AbC123"))
    through = home.one(str(alias / "tmp/dsh-spill-AbC123"))
    assert direct.id == through.id


def test_an_id_is_the_digest_of_the_real_folder_and_the_name(home: Home) -> None:
    path = home.put("out/a b.txt")
    whole = os.path.realpath(os.path.dirname(path)) + "/a b.txt"
    wanted = hashlib.sha256(os.fsencode(whole)).hexdigest()[:16]
    assert home.one(home.at("out")).id == wanted
    assert home.one(path).id == wanted
    assert artifact_id(path) == wanted


# Hostile entries


def test_a_fifo_a_socket_and_a_device_are_special_and_never_opened(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home.path / "out"
    folder.mkdir()
    os.mkfifo(folder / "pipe")
    monkeypatch.chdir(folder)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("socket")
    listener.close()
    home.put("out/plain.txt")
    found = {f.name: f for f in home.find(str(folder)).found}
    assert {name: f.type for name, f in found.items()} == {
        "pipe": "special",
        "socket": "special",
        "plain.txt": "file",
    }
    assert found["pipe"].size == 0
    assert home.one(str(folder / "pipe")).type == "special"
    assert home.one("/dev/null").type == "special"


def test_no_file_is_opened(night: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open
    opened: list[str] = []

    def watch(path: str, flags: int, *rest: int) -> int:
        opened.append(path)
        return real(path, flags, *rest)

    monkeypatch.setattr(os, "open", watch)
    assert night.find().found
    assert opened
    assert all(os.path.isdir(path) for path in opened)


def test_a_link_to_a_growing_log_shows_the_targets_growth_but_counts_no_bytes(
    home: Home,
) -> None:
    target = home.put(
        f".claude/projects/{SLUG}/{S1}/subagents/agent-a1.jsonl", "x" * 5000
    )
    os.utime(target, ns=(7_000_000_000, 7_000_000_000))
    link = home.path / f"tmp/claude/{SLUG}/{S1}/tasks/a12345678.output"
    link.parent.mkdir(parents=True)
    link.symlink_to(target)
    (found,) = home.find().found
    assert (found.type, found.size, found.target) == ("symlink", 0, target)
    assert (found.target_size, found.target_mtime_ns) == (5000, 7_000_000_000)
    assert sum(f.size for f in home.find().found) == 0


@pytest.mark.parametrize("target", ["gone", "link", ".", "..", "/", "/dev/zero"])
def test_a_link_is_shown_and_never_followed(home: Home, target: str) -> None:
    home.put("out/a.txt")
    link = home.path / "out" / "link"
    link.symlink_to(target)
    found = {f.name: f for f in home.find(home.at("out")).found}
    assert set(found) == {"a.txt", "link"}
    assert (found["link"].type, found["link"].target) == ("symlink", target)
    assert found["link"].target_size in (None, 0)
    if not os.path.isdir(link):
        assert home.one(str(link)).type == "symlink"


def test_a_linked_folder_inside_a_store_is_not_followed_and_that_is_said(
    home: Home, tmp_path: Path
) -> None:
    outside = Home(tmp_path / "outside")
    outside.put(f"{S1}/tool-results/toolu_1.txt")
    home.put(spill())
    link = home.path / ".claude/projects/-srv-linked"
    link.symlink_to(outside.path)
    found = home.find()
    assert [f.name for f in found.found] == ["toolu_01.txt"]
    (problem,) = found.problems
    assert problem.path == str(link)
    assert "not followed" in problem.sentence


def test_a_store_that_is_itself_a_link_is_read(home: Home, tmp_path: Path) -> None:
    other = Home(tmp_path / "dotfiles")
    other.put(f"claude/projects/{SLUG}/{S1}/tool-results/toolu_1.txt")
    (home.path / ".claude").symlink_to(other.path / "claude")
    assert len(home.find().found) == 1


def test_an_unreadable_folder_is_one_problem_and_the_rest_is_listed(
    night: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = night.at(f".claude/projects/{SLUG}/{S1}/tool-results")
    real = os.open

    def refuse(path: str, *rest: int) -> int:
        if path == closed:
            raise PermissionError(13, "Permission denied", path)
        return real(path, *rest)

    everything = night.names()
    monkeypatch.setattr(os, "open", refuse)
    found = night.find()
    (problem,) = found.problems
    assert problem.path == closed
    assert problem.sentence == "no access: permission denied"
    assert problem.harness == "claude-code"
    rest = {os.path.relpath(f.path, night.path) for f in found.found}
    assert rest == everything - {spill(), spill(name="pdf-1/page-01.jpg")}


def test_another_users_folder_is_one_problem() -> None:
    with tempfile.TemporaryDirectory() as folder:  # whose parents all may enter
        os.chmod(folder, 0o755)
        for name in ("a.txt", "shut/b.txt"):
            path = os.path.join(folder, "out", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            Path(path).write_text("x")
        shut = os.path.join(folder, "out", "shut")
        os.chmod(shut, 0o000)
        user = os.geteuid()
        if user == 0:  # whom nothing is closed to
            os.seteuid(65534)
        try:
            places = Places("/nowhere", "/nowhere", {}, user, "linux")
            out = os.path.join(folder, "out")
            found = discover(places, PROFILES, None, [out, shut], "folder")
        finally:
            if user == 0:
                os.seteuid(0)
            os.chmod(shut, 0o700)
    assert [f.name for f in found.found] == ["a.txt"]
    assert [(p.path, p.sentence) for p in found.problems] == [
        (shut, "no access: permission denied")
    ]


HOSTILE = [
    b"\xff\xfe.txt",
    b"line\nbreak.txt",
    b"-rf.txt",
    b"\xf0\x9f\x98\x80.txt",
    b"\x1b[?5h\xc2\x9b31m.txt",
    b"[@click=app.quit][b]$(x)`y`.txt",
    b" ",
    b"...",
]


@pytest.mark.parametrize("name", HOSTILE, ids=repr)
@pytest.mark.parametrize(
    "folder", [f".claude/projects/{SLUG}/{S1}/tool-results", "out"]
)
def test_hostile_names_keep_their_exact_bytes(
    home: Home, name: bytes, folder: str
) -> None:
    parent = os.fsencode(home.at(folder))
    os.makedirs(parent)
    path = os.path.join(parent, name)
    with open(path, "wb") as file:
        file.write(b"text")
    found = home.one(home.at(folder))
    assert os.fsencode(found.path) == path
    assert os.fsencode(found.name) == name
    assert base64.b64decode(base64.b64encode(os.fsencode(found.path))) == path
    assert found.id == hashlib.sha256(os.path.realpath(path)).hexdigest()[:16]
    with open(found.path, "rb") as file:
        assert file.read() == b"text"
    assert home.one(found.path).id == found.id


def test_a_very_deep_folder_is_listed_or_said(home: Home) -> None:
    folder = home.path / "deep"
    folder.mkdir()
    descend = os.open(folder, os.O_RDONLY)
    for _ in range(60):
        os.mkdir("d" * 100, dir_fd=descend)
        inner = os.open("d" * 100, os.O_RDONLY, dir_fd=descend)
        os.close(descend)
        descend = inner
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=descend))
    os.close(descend)
    found = home.find(str(folder))
    assert len(found.found) + len(found.problems) == 1


def test_a_file_that_goes_while_it_is_listed_is_left_out(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.put("out/a.txt")
    home.put("out/b.txt")
    real = Profile.admitted

    def delete(profile: Profile, names: list[str], *, named: bool) -> list[bool]:
        (home.path / "out" / "a.txt").unlink(missing_ok=True)
        return real(profile, names, named=named)

    monkeypatch.setattr(Profile, "admitted", delete)
    found = home.find(home.at("out"))
    assert [f.name for f in found.found] == ["b.txt"]
    assert found.problems == []


# Against an independent listing

NAMES = st.sampled_from(["a", "b.txt", "c d", "é", "tool-results", "toolu_1.txt"])
TREE = st.recursive(
    st.just(None),
    lambda inner: st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


def build(folder: Path, tree: object) -> None:
    folder.mkdir()
    if isinstance(tree, dict):
        for name, below in tree.items():
            if below is None:
                (folder / name).write_text("x")
            else:
                build(folder / name, below)


def listed(folder: Path) -> Sequence[str]:
    command = ["find", str(folder), "!", "-type", "d", "-print0"]
    done = subprocess.run(command, capture_output=True, check=True)
    return sorted(os.fsdecode(name) for name in done.stdout.split(b"\0") if name)


@settings(max_examples=40, deadline=None)
@given(tree=TREE)
def test_a_plain_folder_lists_exactly_what_find_lists(
    tmp_path_factory: pytest.TempPathFactory, tree: object
) -> None:
    folder = tmp_path_factory.mktemp("tree") / "out"
    build(folder, tree)
    places = Places("/nowhere", "/nowhere", {}, 0, "linux")
    found = discover(places, PROFILES, None, [str(folder)], "folder").found
    assert sorted(f.path for f in found) == listed(folder)
    assert {f.session for f in found} == {os.path.dirname(f.path) for f in found}


# Profiles of the user

USERS = """
harness = "trial"
[[root]]
id = "data"
path = "{xdg_data}/trial"
[[root]]
id = "tmp"
path = "{tmp}"
[[glob]]
path = "{data}/tasks/<session>/content/<call_id>/content.{txt,json}"
[[glob]]
path = "{tmp}/trial-<name>.out"
content = "background"
bounded = false
[[glob]]
path = "{tmp}/.trial*/<label:(?:stdout|stderr)>-<slot:[0-7]>"
[[glob]]
path = "{data}/named/<name>"
named = true
[[glob]]
path = "{data}/store.db"
reader = "goose"
[[name_rule]]
regex = '^cmd-(?P<id>\\d+)\\.txt$'
[[name_rule]]
regex = '^.+\\.tmp$'
skip = true
[[transcript]]
path = "{data}/tasks/<session>/events"
reader = "openhands"
form = "json-dir"
"""


def test_a_profile_of_ones_own_finds_its_files(home: Home) -> None:
    profiles = {**PROFILES, "trial": parse_profile(USERS, "trial.toml")}
    for name in (
        ".local/share/trial/tasks/t1/content/call_9/content.json",
        ".local/share/trial/tasks/t1/content/call_9/schema.json",
        ".local/share/trial/tasks/t1/events/1.json",
        ".local/share/trial/named/cmd-17.txt",
        ".local/share/trial/named/other.txt",
        ".local/share/trial/named/x.tmp",
        ".local/share/trial/store.db",
        "tmp/trial-7.out",
        "tmp/.trialAbC/stdout-3",
        "tmp/.trialAbC/stdout-9",
        "tmp/else.txt",
    ):
        home.put(name)
    found = discover(home.places, profiles, None, (), "trial")
    assert {os.path.relpath(f.path, home.path) for f in found.found} == {
        ".local/share/trial/tasks/t1/content/call_9/content.json",
        ".local/share/trial/named/cmd-17.txt",
        "tmp/trial-7.out",
        "tmp/.trialAbC/stdout-3",
    }
    by_name = {f.name: f for f in found.found}
    assert by_name["content.json"].call_id == "call_9"
    assert by_name["content.json"].session == "t1"
    assert by_name["stdout-3"].label == "stdout"
    assert {(t.reader, os.path.basename(t.path)) for t in found.transcripts} == {
        ("openhands", "events"),
        ("goose", "store.db"),
    }
