"""The demo night: exact shapes, the story it tells, the same each time."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.cli.keeping import marks_kept, marks_kept_in_short
from spillview.demo import MARKER, make_night
from spillview.demo.node_output import KEY
from spillview.errors import BadInput
from spillview.places import Places
from spillview.tui.app import SpillviewApp
from spillview.tui.home import HomeScreen
from tests.command import run
from tests.pilots import quiet

NOW = 1_795_936_500.0

PERSISTED = re.compile(
    r"<persisted-output>\nOutput too large \((?P<size>[\d.]+(?: bytes|[KM]B))\)\. "
    r"Full output saved to: (?P<path>[^\n]+)\n\nPreview \(first 2KB\):\n"
    r"(?P<preview>.*?)\n\.\.\.\n</persisted-output>",
    re.DOTALL,
)
POLICY = re.compile(
    r"\n\n\(Omitted (?P<omitted>\d+) bytes\. Full formatted result stored at: "
    r"(?P<path>[^\n]+?)\. Use read with offset/limit, or grep this path to search "
    r"within it\.\)\Z"
)


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("night")
    make_night(str(home), NOW)
    return home


def files(home: Path) -> dict[str, Path]:
    """Every file and link below, by its path from the home folder."""
    found = {}
    for folder, _, names in os.walk(home):
        for name in names:
            path = Path(folder, name)
            found[str(path.relative_to(home))] = path
    return found


def results(home: Path) -> list[Path]:
    return sorted((home / ".claude/projects").glob("*/*/tool-results/*"))


def spills(home: Path) -> list[Path]:
    return sorted((home / "tmp").glob("dsh-spill-*/session-*/*"))


def records(path: Path) -> list[dict[str, Any]]:
    """The records of a transcript, frames joined where it is compressed."""
    data = path.read_bytes()
    if path.suffix == ".zstd":
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        text = io.BytesIO()
        with zstd.ZstdFile(io.BytesIO(data)) as frames:
            try:
                while chunk := frames.read(4096):
                    text.write(chunk)
            except EOFError:
                pass  # the torn last frame
        data = text.getvalue()
    return [json.loads(line) for line in data.split(b"\n")[:-1]]


def alike(one: Sequence[object], two: Sequence[object]) -> int:
    """How many items both begin with."""
    pairs = zip(one, two, strict=False)
    return next(
        (n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(two))
    )


def claude_texts(home: Path) -> list[str]:
    """Every text a Claude Code session received, of results, prompts, attachments."""
    texts: list[str] = []

    def walk(value: object) -> None:
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, list):
            for item in value:
                walk(item)
        elif isinstance(value, dict):
            for key, item in value.items():
                if key != "toolUseResult":
                    walk(item)

    for path in (home / ".claude/projects").rglob("*.jsonl"):
        for record in records(path):
            walk(record)
    return texts


def dsh_texts(home: Path) -> list[str]:
    texts = []
    for path in (home / ".dsh/sessions").glob("*/*/session.jsonl*"):
        for record in records(path):
            data = record.get("data", {})
            if record["type"] == "tool/result":
                block = data["message"]["content"][0]
                texts.append(block["content"][0]["text"])
            elif record["type"] == "tool/code-dispatch":
                texts.append(data["content"][0]["text"])
    return texts


def test_it_is_large_enough_to_look_like_a_night_and_small_on_disk(night: Path) -> None:
    made = files(night)
    artifacts = [
        name
        for name in made
        if "/tool-results/" in name
        or name.endswith(".output")
        or name.startswith(("tmp/dsh-", "tmp/outbox/"))
    ]
    assert len(artifacts) >= 40
    transcripts = [
        name
        for name in made
        if ".jsonl" in name and "/subagents/" not in name and "tool-results" not in name
    ]
    assert len(transcripts) >= 8
    assert sum(path.lstat().st_size for path in made.values()) < 30_000_000


def test_two_nights_differ_in_nothing_but_their_home_and_times(tmp_path: Path) -> None:
    one, two = tmp_path / "a", tmp_path / "b"
    make_night(str(one), NOW)
    make_night(str(two), NOW)
    first, second = files(one), files(two)

    def named(made: dict[str, Path], home: Path) -> list[str]:
        slug = re.sub(r"[^A-Za-z0-9]", "-", str(home))
        key = str(home).replace("/", "-").lstrip("-")
        return sorted(n.replace(slug, "HOME").replace(key, "HOME") for n in made)

    assert named(first, one) == named(second, two)
    stored = {p.name: p.read_bytes() for p in results(one)}
    assert stored == {p.name: p.read_bytes() for p in results(two)}


def test_a_second_run_over_the_same_home_gives_the_same_bytes(tmp_path: Path) -> None:
    assert make_night(str(tmp_path), NOW)
    before = {n: p.read_bytes() for n, p in files(tmp_path).items() if p.is_file()}
    assert not make_night(str(tmp_path), NOW)
    after = {n: p.read_bytes() for n, p in files(tmp_path).items() if p.is_file()}
    assert before == after


def test_a_night_is_never_mixed_with_a_later_one(tmp_path: Path) -> None:
    make_night(str(tmp_path), NOW)
    gone = results(tmp_path)[0]
    gone.unlink()  # as a clean-up would
    before = {n: p.lstat().st_mtime_ns for n, p in files(tmp_path).items()}
    assert not make_night(str(tmp_path), NOW + 3 * 86_400)
    after = {n: p.lstat().st_mtime_ns for n, p in files(tmp_path).items()}
    assert before == after


def test_half_a_night_is_refused_and_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("spillview.demo.mesh.write", full)
        with pytest.raises(BadInput, match="No space left"):
            make_night(str(tmp_path), NOW)
    before = files(tmp_path)
    with pytest.raises(BadInput, match="not finished; delete the folder"):
        make_night(str(tmp_path), NOW)
    assert files(tmp_path) == before


@pytest.mark.parametrize("kind", ["text", "link", "folder"])
def test_a_marker_that_is_not_ours_makes_no_night_of_a_home(
    tmp_path: Path, kind: str
) -> None:
    home, marker = tmp_path / "home", tmp_path / "home" / MARKER
    home.mkdir()
    if kind == "text":
        marker.write_text("mine")
    elif kind == "link":
        make_night(str(tmp_path / "other"), NOW)
        marker.symlink_to(tmp_path / "other" / MARKER)
    else:
        marker.mkdir()
    with pytest.raises(BadInput, match="not empty"):
        make_night(str(home), NOW)
    assert os.listdir(home) == [MARKER]


def test_all_times_lie_before_the_morning(night: Path) -> None:
    for name, path in files(night).items():
        if name != MARKER and not path.is_symlink():
            assert path.stat().st_mtime <= NOW, name


def test_moved_morning_moves_every_time_by_as_much(tmp_path: Path) -> None:
    one, two = tmp_path / "a", tmp_path / "b"
    make_night(str(one), NOW)
    make_night(str(two), NOW + 86_400)
    for early, late in zip(spills(one), spills(two), strict=True):
        assert early.name == late.name
        assert late.stat().st_mtime - early.stat().st_mtime == pytest.approx(86_400)


def test_files_and_folders_are_private_but_for_one_in_the_outbox(night: Path) -> None:
    open_to_all = []
    for name, path in files(night).items():
        if not path.is_symlink():
            if path.stat().st_mode & 0o077:
                open_to_all.append(path.parent.name)
            if path.parent != night:
                assert path.parent.stat().st_mode & 0o077 == 0, name
    assert open_to_all == ["outbox"]


@pytest.mark.parametrize("content", ["a", ".claude"])
def test_a_home_that_holds_something_else_is_refused(
    tmp_path: Path, content: str
) -> None:
    (tmp_path / content).mkdir()
    with pytest.raises(BadInput, match="not empty"):
        make_night(str(tmp_path), NOW)
    assert os.listdir(tmp_path) == [content]


def test_a_home_that_is_a_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    with pytest.raises(BadInput, match="cannot be written"):
        make_night(str(tmp_path / "f"), NOW)


def test_every_claude_notice_states_its_file_size_and_first_2000_units(
    night: Path,
) -> None:
    notices = [m for text in claude_texts(night) for m in PERSISTED.finditer(text)]
    assert len(notices) > 25
    lost = 0
    for notice in notices:
        path = Path(notice["path"])
        assert path.is_relative_to(night / ".claude/projects")
        if not path.exists():
            lost += 1
            continue
        data = path.read_bytes()
        text = data.decode("utf-8", "replace")
        shown = notice["preview"]
        assert text.startswith(shown)
        units = len(shown.encode("utf-16-le")) // 2
        assert 1999 <= units <= 2000
        number = float(notice["size"].rstrip("KMB bytes"))
        scale = {"K": 1024, "M": 1024**2}.get(notice["size"][-2], 1)
        assert abs(number * scale - len(data)) <= 0.05 * scale + 1
    assert lost == 2


def test_every_spilled_result_passes_the_boundary_of_its_tool(night: Path) -> None:
    small = set()
    for path in results(night):
        text = path.read_bytes().decode("utf-8", "replace")
        limit = 30_000
        if path.name.startswith("toolu_"):
            limit = 50_000 if path.suffix == ".json" else 20_000
        elif path.name.startswith("mcp-"):
            limit = 100_000
        elif path.name.startswith("hook-"):
            limit = 10_000
        if len(text) <= limit:
            small.add(path.suffix)
    assert small == {".png"}
    for path in spills(night):
        if "grep-results" not in path.name and "glob-results" not in path.name:
            assert path.stat().st_size > 50_000, path.name


def test_dsh_previews_and_omitted_counts_add_up_to_the_artifact(night: Path) -> None:
    seen = 0
    for text in dsh_texts(night):
        notice = POLICY.search(text)
        if notice is None:
            continue
        assert len(text.encode()) <= 50_000
        path = Path(notice["path"])
        shown = text[: notice.start()].encode()
        if not path.exists():
            continue
        data = path.read_bytes()
        assert len(shown) + int(notice["omitted"]) == len(data)
        half = -(-len(shown) // 2) + 4
        head = alike(shown, data)
        assert head >= half - 8
        assert data.endswith(shown[head:])
        seen += 1
    assert seen >= 7


def test_dsh_folders_are_named_after_the_session_that_spilled(night: Path) -> None:
    owners = set()
    for path in (night / ".dsh/sessions").glob("*/*/session.jsonl*"):
        session = records(path)[0]["id"]
        assert path.parent.name == session
        owners.add("session-" + hashlib.sha256(session.encode()).hexdigest()[:12])
    found = {path.parent.name for path in spills(night)}
    assert owners <= found
    assert len(found - owners) == 1  # the one whose log is gone


def test_a_long_command_leaves_a_chain_of_two_artifacts(night: Path) -> None:
    (log,) = (night / "tmp").glob("dsh-subprocess-*/*.log")
    naming = [p for p in spills(night) if str(log).encode() in p.read_bytes()]
    assert len(naming) == 1
    kept = naming[0].read_bytes().partition(b"\n[output truncated; full output: ")[0]
    assert log.read_bytes().endswith(kept)
    assert len(kept) == 64_000


def test_one_dsh_log_is_plain_and_others_are_frames_one_of_them_torn(
    night: Path,
) -> None:
    logs = sorted(p.name for p in (night / ".dsh/sessions").glob("*/*/session*"))
    assert logs == ["session.jsonl", "session.jsonl.zstd", "session.jsonl.zstd"]
    compressed = list((night / ".dsh/sessions").glob("*/*/session.jsonl.zstd"))
    for path in compressed:
        assert path.read_bytes().count(b"\x28\xb5\x2f\xfd") > 2
    parents = [records(path)[0].get("parentSession") for path in compressed]
    assert len([p for p in parents if p]) == 1


def test_the_worst_item_is_a_failed_build_called_a_success(night: Path) -> None:
    said = "All tests pass, moving on to the release notes."
    (path,) = [
        path
        for path in (night / ".claude/projects").glob("*ledger/*.jsonl")
        if said in path.read_text()
    ]
    told = records(path)
    (at,) = [
        n
        for n, record in enumerate(told)
        if record["type"] == "assistant"
        and record["message"]["content"][0].get("text") == said
    ]
    result = told[at - 1]["message"]["content"][0]
    notice = PERSISTED.fullmatch(result["content"])
    assert notice is not None
    assert "error" not in notice["preview"].lower()
    assert "FAILED" not in notice["preview"]
    output = Path(notice["path"]).read_text()
    assert output.splitlines()[-1].startswith("error: test failed")
    assert told[at + 1]["message"]["content"][0]["input"]["command"].startswith(
        "git commit"
    )


def test_outbox_digests_are_right_but_for_one(night: Path) -> None:
    wrong = []
    for path in (night / "tmp/outbox").iterdir():
        digest = path.stem.rpartition("-")[2]
        if not hashlib.sha256(path.read_bytes()).hexdigest().startswith(digest):
            wrong.append(path.name)
    assert len(wrong) == 1


def test_sidecars_of_our_own_store_state_what_the_artifact_is(night: Path) -> None:
    folder = Path(Places.of_home(str(night)).state_dir, "spills")
    sidecars = list(folder.glob("session-*/.*.json"))
    assert len(sidecars) == 2
    for path in sidecars:
        facts = json.loads(path.read_text())
        data = path.with_name(path.name[1 : -len(".json")]).read_bytes()
        assert facts["sha256"] == hashlib.sha256(data).hexdigest()
        assert facts["bytes"] == len(data) > 100_000
        assert facts["lines"] == len(data.splitlines())
        owner = hashlib.sha256(facts["session"].encode()).hexdigest()[:12]
        assert path.parent.name == f"session-{owner}"


def test_agent_task_is_a_link_to_the_subagents_transcript(night: Path) -> None:
    links = [p for p in files(night).values() if p.is_symlink()]
    (link,) = links
    assert link.name.startswith("a")
    assert link.suffix == ".output"
    assert Path(os.readlink(link)).name == f"agent-{link.stem}.jsonl"
    assert link.exists()


def test_a_claude_fork_begins_with_the_same_record_ids(night: Path) -> None:
    told = [
        [r["uuid"] for r in records(path) if "uuid" in r]
        for path in (night / ".claude/projects").glob("*ledger/*.jsonl")
    ]
    shared = [alike(a, b) for a in told for b in told if a is not b]
    assert max(shared) > 5


def test_contents_are_of_many_kinds(night: Path) -> None:
    data = {path.name: path.read_bytes() for path in results(night)}
    everything = b"".join(data.values())
    assert b"\x1b[91merror" in everything  # colours
    assert b"\r\x1b[K" in everything  # a bar redrawn
    assert "消費税".encode() in everything
    assert "👩‍💻".encode() in everything
    assert any(d.startswith(b"\xff\xfe") for d in data.values())
    assert any(d.count(b"\n") == 0 and len(d) > 200_000 for d in data.values())

    def valid(raw: bytes) -> bool:
        try:
            raw.decode()
        except UnicodeDecodeError:
            return False
        return True

    invalid = [d for n, d in data.items() if n.endswith(".txt") and not valid(d)]
    assert len(invalid) == 2  # Shift_JIS and UTF-16
    assert any(b"\r\n" in d for d in invalid)
    whole = [d for d in data.values() if d.startswith(b"[\n  {") and valid(d)]
    assert 276 in [len(json.loads(d)) for d in whole]


def test_it_is_said_where_marks_of_a_night_are_kept(
    machine: Path, tmp_path: Path
) -> None:
    home = tmp_path / "night"
    made = run("demo", home)
    assert made.out == f"{home}\n"
    assert f"marks made here are kept in this night ({home}/" in made.err
    assert f"`spillview review {home}` keep theirs with your own" in made.err
    told = run("review", home).err
    assert f"kept with your own, in {Places.here().state_dir}; " in told
    assert "of this made night" not in run("review").err
    with closing(Catalogue.here()) as catalogue:
        query = Query(paths=(str(home),))
        said = marks_kept(catalogue, query)
        assert said is not None
        assert said in told
        assert marks_kept(catalogue, Query()) is None


def test_it_holds_one_credential_which_the_model_received(night: Path) -> None:
    rows = run("grep", "--secrets", "--json", night).rows
    (hit,) = [row["data"] for row in rows if row["type"] == "secret"]
    assert hit["seen"] is True, hit
    (path,) = [p for p in results(night) if KEY.encode() in p.read_bytes()]
    assert path.read_bytes().count(KEY.encode()) == 1
    shown = run("show", path, "--limit", "5").out
    assert "X-Amz-Credential=********************%2F" in shown
    assert "DEMONIGHT" not in shown
    every = [p for p in files(night).values() if not p.is_symlink() and p.is_file()]
    holding = [p for p in every if KEY.encode() in p.read_bytes()]
    # Its file, and the envelope in the session's transcript.
    assert sorted(p.suffix for p in holding) == [".jsonl", ".txt"]


async def test_the_screen_says_it_until_a_key_is_pressed(tmp_path: Path) -> None:
    home = tmp_path / "night"
    make_night(str(home), time.time())
    with closing(Catalogue.here(Places.of_home(str(home)))) as catalogue:
        greeting = marks_kept_in_short(catalogue, Query())
        assert greeting == "marks stay in this night"
        app = SpillviewApp(catalogue, Query(), greeting=greeting)
        async with app.run_test(size=(80, 24)) as pilot:
            await quiet(pilot)
            screen = app.screen
            assert isinstance(screen, HomeScreen)
            first = screen.top.render_line(0).text
            assert first.rstrip().endswith(greeting)
            assert not list(app._notifications)  # nothing covers a row
            await pilot.press("j")
            await pilot.pause()
            assert greeting not in screen.top.render_line(0).text
    with closing(Catalogue.here()) as catalogue:
        query = Query(paths=(str(home),))
        assert marks_kept_in_short(catalogue, query) == "marks go to your own"
        assert marks_kept_in_short(catalogue, Query()) is None


def test_a_night_for_a_look_is_gone_when_the_program_ends(tmp_path: Path) -> None:
    program = (
        "import os, time; from spillview.demo.passing import passing_night;"
        " home = passing_night(time.time()); print(home, len(os.listdir(home)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    home, entries = done.stdout.split()
    assert home.startswith(str(tmp_path))
    assert int(entries) > 3
    assert list(tmp_path.iterdir()) == []
