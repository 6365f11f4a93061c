"""The catalogue over small stores: nothing lost, nothing invented, all remembered."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from spillview.catalogue import examination as room
from spillview.catalogue.cache import Cache
from spillview.catalogue.catalogue import Catalogue, Query
from spillview.errors import BadInput
from spillview.model import Artifact, Boundary
from spillview.places import Places
from spillview.review.state import State

NOW = datetime(2026, 3, 5, 7, tzinfo=UTC).timestamp()
NIGHT = "2026-03-05T02:00:00.000Z"


class ClaudeStore:
    """A home folder with Claude Code sessions, written record by record."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def folder(self, session: str, project: str = "/srv/app") -> Path:
        slug = "".join(c if c.isalnum() else "-" for c in project)
        folder = self.home / ".claude" / "projects" / slug
        (folder / session / "tool-results").mkdir(parents=True, exist_ok=True)
        return folder

    def records(self, session: str, *records: dict[str, Any], project: str) -> Path:
        log = self.folder(session, project) / f"{session}.jsonl"
        with log.open("a", encoding="utf-8") as out:
            for record in records:
                whole = {"sessionId": session, "cwd": project, "timestamp": NIGHT}
                out.write(json.dumps({**whole, **record}, ensure_ascii=False) + "\n")
        os.utime(log, (NOW - 7200, NOW - 7200))
        return log

    def spill(
        self,
        session: str,
        number: int,
        text: str,
        *,
        project: str = "/srv/app",
        failed: bool = False,
        keep: bool = True,
        after: str = "Onwards.",
    ) -> Path:
        """One Bash call whose result was spilled, and what the agent said next."""
        call = f"toolu_{session}{number:04d}"
        name = f"b{number:08d}.txt"
        path = self.folder(session, project) / session / "tool-results" / name
        if keep:
            path.write_text(text, encoding="utf-8", newline="")
            os.utime(path, (NOW - 7200, NOW - 7200))
        size = f"{len(text.encode()) / 1024:.1f}KB"
        envelope = (
            f"<persisted-output>\nOutput too large ({size}). Full output saved to:"
            f" {path}\n\nPreview (first 2KB):\n{text[:2000]}\n...\n</persisted-output>"
        )
        ask = {"type": "tool_use", "id": call, "name": "Bash"}
        result = {"type": "tool_result", "tool_use_id": call, "is_error": failed}
        said = {"type": "text", "text": after}
        self.records(
            session,
            assistant(f"{call}a", {**ask, "input": {"command": f"make {number}"}}),
            {
                "type": "user",
                "uuid": f"{call}u",
                "message": {
                    "role": "user",
                    "content": [{**result, "content": envelope}],
                },
                "toolUseResult": {"persistedOutputPath": str(path)},
            },
            assistant(f"{call}n", said),
            project=project,
        )
        return path


def assistant(uuid: str, block: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": [block]}
    return {"type": "assistant", "uuid": uuid, "message": message}


@pytest.fixture
def store(tmp_path: Path) -> ClaudeStore:
    return ClaudeStore(tmp_path / "home")


@pytest.fixture
def opened(store: ClaudeStore, tmp_path: Path) -> Callable[[], Catalogue]:
    """A catalogue of the store as a new process would open it."""

    def open_it() -> Catalogue:
        store.home.mkdir(exist_ok=True)
        places = Places.of_home(str(store.home))
        cache = Cache(str(tmp_path / "cache" / "c.sqlite3"))
        return Catalogue(places, cache=cache, state=State(places), now=lambda: NOW)

    return open_it


def whole(catalogue: Catalogue, query: Query | None = None) -> list[Artifact]:
    last = {a.id: a for a in catalogue.complete(catalogue.scan(query))}
    return list(last.values())


LONG = "".join(f"line {n} of the build\n" for n in range(3000)) + "error: it broke\n"


def test_an_artifact_carries_counts_link_and_the_decision_made_on_it(
    store: ClaudeStore, opened: Callable[[], Catalogue]
) -> None:
    path = store.spill("s1", 1, LONG, failed=True, after="All is well.")
    (artifact,) = whole(opened())
    assert artifact.found.path == str(path)
    assert artifact.counts is not None
    assert artifact.counts.chars == len(LONG)
    assert artifact.counts.lines == LONG.count("\n")
    assert artifact.boundaries == (Boundary(30_000, "chars"),)
    assert artifact.ratio == len(LONG) / 30_000
    assert (artifact.tool, artifact.command) == ("Bash", "make 1")
    assert artifact.failed is True
    assert artifact.verdict_seen is False
    assert artifact.project == "/srv/app"
    assert artifact.link is not None
    assert artifact.link.seen is not None
    assert artifact.link.seen.ranges == ((0, 2000),)
    assert artifact.envelope is not None
    assert artifact.envelope.next is not None
    assert artifact.envelope.next.text == "All is well."


def test_a_second_start_knows_everything_without_opening_a_file(
    store: ClaudeStore,
    opened: Callable[[], Catalogue],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for number in range(5):
        store.spill("s1", number, LONG)
    first = {a.id: a for a in whole(opened())}

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a file was opened")

    monkeypatch.setattr("spillview.content.content.open_content", refuse)
    monkeypatch.setattr("spillview.transcripts.read_transcript", refuse)
    again = opened()
    assert {a.id: a for a in again.scan()} == first
    assert {a.id: a for a in again.complete(again.scan())} == first


def test_a_first_look_goes_on_with_the_entries_that_it_found(
    store: ClaudeStore, opened: Callable[[], Catalogue]
) -> None:
    store.spill("s1", 1, LONG)
    whole(opened())
    catalogue = opened()
    (bare,) = catalogue.scan(bare=True)
    assert bare.link is None
    expected = list(opened().scan())
    late = store.spill("s1", 2, LONG)
    assert list(catalogue.scan(entries=False)) == expected
    assert catalogue.refresh()
    assert str(late) in {a.found.path for a in catalogue.scan()}


def test_a_changed_artifact_is_counted_anew(
    store: ClaudeStore, opened: Callable[[], Catalogue]
) -> None:
    path = store.spill("s1", 1, LONG)
    whole(opened())
    path.write_text(LONG + "one more\n", encoding="utf-8", newline="")
    (artifact,) = whole(opened())
    assert artifact.counts is not None
    assert artifact.counts.lines == LONG.count("\n") + 1


def test_a_transcript_that_grew_links_what_came_since(
    store: ClaudeStore, opened: Callable[[], Catalogue]
) -> None:
    store.spill("s1", 1, LONG)
    catalogue = opened()
    assert len(whole(catalogue)) == 1
    assert not catalogue.refresh()
    store.spill("s1", 2, LONG, failed=True)
    assert catalogue.refresh()
    failed = {a.found.name: a.failed for a in whole(catalogue)}
    assert failed == {"b00000001.txt": False, "b00000002.txt": True}


def test_a_broken_cache_changes_nothing_but_the_time(
    store: ClaudeStore, opened: Callable[[], Catalogue], tmp_path: Path
) -> None:
    store.spill("s1", 1, LONG)
    first = whole(opened())
    (tmp_path / "cache" / "c.sqlite3").write_bytes(b"\0broken" * 999)
    assert whole(opened()) == first


def test_one_unreadable_artifact_is_a_row_and_hides_no_neighbour(
    store: ClaudeStore, opened: Callable[[], Catalogue], monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = store.spill("s1", 1, LONG)
    store.spill("s1", 2, LONG)
    real = os.open

    def refuse(path: Any, flags: int, *more: int, **named: Any) -> int:
        if str(path).endswith(bad.name):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return real(path, flags, *more, **named)

    monkeypatch.setattr(os, "open", refuse)
    rows = {a.found.path: a for a in whole(opened())}
    assert len(rows) == 2
    assert rows[str(bad)].counts is None
    assert "unreadable" in rows[str(bad)].flags
    assert "permission denied" in (rows[str(bad)].error or "")


def test_a_file_deleted_between_listing_and_counting_is_a_row_with_its_reason(
    store: ClaudeStore, opened: Callable[[], Catalogue]
) -> None:
    gone = store.spill("s1", 1, LONG)
    store.spill("s1", 2, LONG)
    catalogue = opened()
    listed = catalogue.scan()
    gone.unlink()
    rows = {a.found.path: a for a in catalogue.complete(listed)}
    assert rows[str(gone)].error is not None
    assert sum(1 for a in rows.values() if a.counts is not None) == 1


def test_a_file_that_grows_while_looked_at_is_growing_and_uncounted(
    store: ClaudeStore, opened: Callable[[], Catalogue]
) -> None:
    path = store.spill("s1", 1, LONG)
    catalogue = opened()
    listed = catalogue.scan()
    with path.open("a") as out:
        out.write("more\n")
    (artifact,) = catalogue.complete(listed)
    assert artifact.counts is None
    assert set(artifact.flags) >= {"growing", "uncounted"}
    (counted,) = catalogue.complete(listed, huge=True)
    assert counted.counts is not None
    assert counted.counts.chars == len(LONG) + 5


def test_a_huge_file_stays_uncounted_until_asked(
    store: ClaudeStore, opened: Callable[[], Catalogue], monkeypatch: pytest.MonkeyPatch
) -> None:
    store.spill("s1", 1, LONG)
    monkeypatch.setattr(room, "HUGE", 100)
    catalogue = opened()
    (artifact,) = whole(catalogue)
    assert artifact.counts is None
    assert "uncounted" in artifact.flags
    assert "growing" not in artifact.flags
    (counted,) = catalogue.complete([artifact], huge=True)
    assert counted.counts is not None


def test_a_name_whose_digest_is_not_the_contents_is_flagged(
    opened: Callable[[], Catalogue], store: ClaudeStore
) -> None:
    outbox = store.home / "tmp" / "outbox"
    outbox.mkdir(parents=True)
    right = hashlib.sha256(b"as written\n").hexdigest()[:12]
    (outbox / f"build-{right}.txt").write_bytes(b"as written\n")
    (outbox / f"tests-{right}.txt").write_bytes(b"changed since\n")
    for _ in ("first", "from the cache"):
        flags = {a.found.label: "digest-mismatch" in a.flags for a in whole(opened())}
        assert flags == {"build": False, "tests": True}
        flags = {a.found.label: "digest-mismatch" in a.flags for a in opened().scan()}
        assert flags == {"build": False, "tests": True}


def test_sessions_come_worst_first_with_title_and_totals(
    store: ClaudeStore, opened: Callable[[], Catalogue]
) -> None:
    store.spill("quiet", 1, "short\n")
    store.spill("bad", 2, LONG, failed=True)
    store.spill("bad", 3, "short\n")
    catalogue = opened()
    sessions = catalogue.sessions(whole(catalogue))
    assert [s.id for s in sessions] == ["bad", "quiet"]
    assert [a.failed for a in sessions[0].artifacts] == [True, False]
    assert sessions[0].chars == len(LONG) + 6
    assert sessions[0].bytes == len(LONG) + 6
    assert sessions[0].verdict_unseen == 1
    assert sessions[0].over_boundary == 1


@pytest.mark.parametrize(("ago", "live"), [(3599, True), (3601, False)])
def test_a_session_is_live_within_the_hour(
    store: ClaudeStore, tmp_path: Path, ago: int, live: bool
) -> None:
    store.spill("s1", 1, LONG)
    active = datetime.fromisoformat(NIGHT).timestamp()
    places = Places.of_home(str(store.home))
    catalogue = Catalogue(places, now=lambda: active + ago)
    (session,) = catalogue.sessions(whole(catalogue))
    assert session.live is live


def test_missing_calls_keep_their_command_and_state(
    store: ClaudeStore, opened: Callable[[], Catalogue]
) -> None:
    store.spill("s1", 1, LONG)
    gone = store.spill("s2", 2, LONG, keep=False)
    catalogue = opened()
    whole(catalogue)
    (missing,) = catalogue.missing()
    assert missing.state == "dangling"
    assert missing.mention.path == str(gone)
    assert missing.mention.command == "make 2"
    assert missing.session == "s2"


def test_since_until_session_and_harness_narrow(
    store: ClaudeStore, opened: Callable[[], Catalogue]
) -> None:
    store.spill("s111", 1, LONG)
    store.spill("s222", 2, LONG)
    catalogue = opened()
    whole(catalogue)
    at = datetime.fromisoformat(NIGHT).timestamp()
    count = {
        Query(session="s111"): 1,
        Query(session="s22"): 0,
        Query(session="s222"): 1,
        Query(harness="claude-code"): 2,
        Query(harness="dsh"): 0,
        Query(since=at): 2,
        Query(since=at + 1): 0,
        Query(until=at): 2,
        Query(until=at - 1): 0,
    }
    for query, expected in count.items():
        assert len(catalogue.scan(query)) == expected, query


def test_a_boundary_of_ones_own_replaces_the_harness_boundary(
    store: ClaudeStore, opened: Callable[[], Catalogue]
) -> None:
    store.spill("s1", 1, "a\nb\n")
    query = Query(boundary=Boundary(2, "lines"))
    (artifact,) = whole(opened(), query)
    assert artifact.ratio == 1.0
    assert artifact.boundaries == (Boundary(2, "lines"),)


def test_a_project_folder_means_the_sessions_that_ran_in_it(
    store: ClaudeStore, opened: Callable[[], Catalogue], tmp_path: Path
) -> None:
    mine, other = tmp_path / "my-app", tmp_path / "my" / "app"
    for folder in (mine, other):
        folder.mkdir(parents=True)
    # Both have the same folder name in the store.
    store.spill("s1", 1, LONG, project=str(mine))
    store.spill("s2", 2, LONG, project=str(other))
    found = opened().scan(Query(paths=(str(mine),)))
    assert [a.found.session for a in found] == ["s1"]


# References


def test_an_id_prefix_a_path_and_a_bare_name_mean_the_artifact(
    store: ClaudeStore, opened: Callable[[], Catalogue]
) -> None:
    path = store.spill("s1", 1, LONG)
    store.spill("s1", 2, LONG)
    (wanted,) = [a for a in whole(opened()) if a.found.path == str(path)]
    for reference in (wanted.id, wanted.id[:8], str(path), path.name):
        assert opened().find(reference) == wanted, reference


def test_a_name_that_two_artifacts_have_is_refused_with_both(
    store: ClaudeStore, opened: Callable[[], Catalogue]
) -> None:
    store.spill("s1", 1, LONG)
    store.spill("s2", 1, LONG)
    with pytest.raises(BadInput, match="means 2 artifacts"):
        opened().find("b00000001.txt")


@pytest.mark.parametrize(
    "reference", ["ab", "nothing-like-it", "/no/such/file", "ffff"]
)
def test_a_reference_to_nothing_says_what_to_do(
    store: ClaudeStore, opened: Callable[[], Catalogue], reference: str
) -> None:
    store.spill("s1", 1, LONG)
    with pytest.raises(BadInput) as caught:
        opened().find(reference)
    assert str(caught.value).endswith(".")


def test_an_id_printed_once_is_known_afterwards(
    store: ClaudeStore, opened: Callable[[], Catalogue], tmp_path: Path
) -> None:
    apart = tmp_path / "apart"
    apart.mkdir()
    (apart / "notes.txt").write_text("a note\n")
    catalogue = opened()
    (listed,) = catalogue.scan(Query(paths=(str(apart),)))
    assert catalogue.state is not None
    catalogue.state.remember_ids([(listed.id, listed.found.path)])
    found = opened().find(listed.id[:10])
    assert found.found.path == str(apart / "notes.txt")
    assert found.id == listed.id


def test_where_unites_sessions_ids_harnesses_and_paths(
    store: ClaudeStore, opened: Callable[[], Catalogue], tmp_path: Path
) -> None:
    one = store.spill("s1", 1, LONG)
    two = store.spill("s2", 2, LONG)
    store.spill("s3", 3, LONG)
    apart = tmp_path / "apart"
    apart.mkdir()
    (apart / "notes.txt").write_text("a note\n")
    wanted = {a.found.path: a.id for a in whole(opened())}
    paths = {
        a.found.path for a in opened().where(["s1", wanted[str(two)][:8], str(apart)])
    }
    assert paths == {str(one), str(two), str(apart / "notes.txt")}
    assert len(opened().where(["claude-code"])) == 3
    assert len(opened().where([])) == 3
    with pytest.raises(BadInput, match="no artifact, session, harness or path"):
        opened().where(["nonsense"])


def test_marks_and_the_last_review_last(
    store: ClaudeStore, opened: Callable[[], Catalogue]
) -> None:
    store.spill("s1", 1, LONG)
    catalogue = opened()
    (artifact,) = whole(catalogue)
    assert catalogue.last_review() is None
    catalogue.mark_reviewed([artifact.id], NOW)
    catalogue.set_last_review(NOW)
    catalogue.close()
    again = opened()
    assert again.last_review() == NOW
    assert [a.reviewed for a in again.scan()] == [NOW]
    # What changes after it was marked is open again; a clock that is ahead is not.
    os.utime(artifact.found.path, (NOW + 60, NOW + 60))
    assert [a.reviewed for a in again.scan()] == [NOW]
    again.now = lambda: NOW + 120
    assert [a.reviewed for a in again.scan()] == [None]
    again.mark_reviewed([artifact.id], NOW + 90)
    assert [a.reviewed for a in again.scan()] == [NOW + 90]
    again.mark_reviewed([artifact.id], None)
    assert [a.reviewed for a in again.scan()] == [None]
    assert replace(artifact, reviewed=None) == artifact


def test_what_a_fork_without_spills_of_its_own_read_counts_as_seen(
    store: ClaudeStore, opened: Callable[[], Catalogue]
) -> None:
    path = store.spill("s1", 1, LONG)
    origin = store.folder("s1") / "s1.jsonl"
    shown = "\n".join(
        f"{number:6}→{line}" for number, line in enumerate(LONG.splitlines(), 1)
    )
    # The fork starts as a copy of its origin and then reads the whole file.
    copied = [json.loads(line) for line in origin.read_text().splitlines()]
    call = {"type": "tool_use", "id": "toolu_read", "name": "Read"}
    result = {"type": "tool_result", "tool_use_id": "toolu_read", "content": shown}
    store.records(
        "s2",
        *({**record, "sessionId": "s2"} for record in copied),
        assistant("r1", {**call, "input": {"file_path": str(path)}}),
        {
            "type": "user",
            "uuid": "r2",
            "message": {"role": "user", "content": [result]},
        },
        project="/srv/app",
    )
    (artifact,) = whole(opened())
    assert artifact.verdict_seen is True
    (again,) = opened().scan()
    assert again.verdict_seen is True
