"""Clean-ups of every harness's made store: what goes, what stays, all of it back."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.cleanup.cleanup import prospect
from spillview.cleanup.retention import Choice
from spillview.cleanup.rules import Rules
from spillview.cleanup.trash import Trash
from spillview.links.citations import Citing, cited_in
from spillview.model import Found
from spillview.places import Places
from tests.harness_stores import NAMES, HarnessStore, make
from tests.test_writers import hold

DAY = 86_400
LATER = 400 * DAY
"""Long after the last of what the made stores hold."""

FIRST = 1_780_000_000
"""Long before anything in the made stores."""

WITHOUT_TIMES = {"crush", "cursor", "netdata_ai_agent"}
"""Stores whose transcripts hold no times, or that have none."""

DATABASES = {"sessions.db", "state.db", "opencode.db", "kilo.db"}

Facts = tuple[int, int, bytes]
"""Mode, mtime and content; a link's target. Of a folder the mode alone: what is moved
out and back in changes its time."""


def everything(home: Path, but: Sequence[str]) -> dict[str, Facts]:
    """All that is below a home, without what lies in some folders."""
    known: dict[str, Facts] = {}
    for top, folders, names in os.walk(home):
        folders[:] = [f for f in folders if os.path.join(top, f) not in but]
        for name in [*folders, *names]:
            path = os.path.join(top, name)
            facts = os.lstat(path)
            data = b""
            if stat.S_ISLNK(facts.st_mode):
                data = os.fsencode(os.readlink(path))
            elif stat.S_ISREG(facts.st_mode):
                data = Path(path).read_bytes()
            when = 0 if stat.S_ISDIR(facts.st_mode) else facts.st_mtime_ns
            known[path] = (facts.st_mode, when, data)
    return known


def catalogue_of(home: Path, now: float) -> Catalogue:
    return Catalogue(Places.of_home(str(home)), now=lambda: now)


def planned(
    store: HarnessStore, catalogue: Catalogue, age: float = DAY
) -> tuple[Choice, ...]:
    """What becomes of each artifact that is older than `age`."""
    query = Query(paths=tuple(map(str, store.roots)))
    return tuple(prospect(catalogue, query, Rules(older_than=age)).plan.choices)


@pytest.mark.parametrize("name", NAMES)
def test_old_artifacts_go_into_the_trash_and_come_back_as_they_were(
    name: str, tmp_path: Path
) -> None:
    store = make(name, tmp_path)
    catalogue = catalogue_of(tmp_path, time.time() + LATER)
    places = catalogue.places
    choices = planned(store, catalogue)
    # Each artifact has one answer: files go, rows and members are their owner's.
    real = os.path.realpath
    files = {real(s.path.parent) + f"/{s.path.name}" for s in store.spills if not s.row}
    kept = {c.artifact.found.address: c.reason for c in choices if not c.remove}
    gone = {c.artifact.found.path for c in choices if c.remove}
    spared = set()
    for choice in choices:
        found, why = choice.artifact.found, choice.reason
        if not choice.remove and found.row is None:
            # In a folder of its harness, under a name that anyone may give.
            assert choice.artifact.link is None or not choice.artifact.link.mentions
            assert "its name is none that" in why, kept
            spared.add(found.path)
        elif not choice.remove:
            assert "row of a database" in why
    there = {real(os.path.dirname(p)) + f"/{os.path.basename(p)}" for p in gone}
    assert there | spared == files
    trash = Trash(places)
    ours = [places.state_dir, places.cache_dir, places.config_dir]
    before = everything(tmp_path, ours)
    applied = trash.apply([c.artifact.found for c in choices if c.remove])
    assert applied.failed == ()
    assert {item.path for item in applied.moved} == gone
    bins = [path for path in map(str, tmp_path.rglob("*")) if is_bin(path, before)]
    after = everything(tmp_path, [*ours, *bins])
    lost = set(before) - set(after)
    assert {p for p in lost if not stat.S_ISDIR(before[p][0])} == gone
    for path, facts in after.items():
        if not stat.S_ISDIR(facts[0]):
            assert before[path] == facts, path
    if applied.batch is None:
        return
    undone = trash.undo(applied.batch)
    assert undone.failed == ()
    again = everything(tmp_path, [*ours, *bins])
    assert {p: f for p, f in again.items() if p not in bins} == before


def is_bin(path: str, before: dict[str, Facts]) -> bool:
    """Whether a folder was made for what was thrown away."""
    return path not in before and os.path.isdir(path)


def aged(home: Path, when: float) -> None:
    """Make every file as old as that: then only records tell when a session ran."""
    for path in home.rglob("*"):
        os.utime(path, (when, when), follow_symlinks=False)


@pytest.mark.parametrize("name", sorted(set(NAMES) - WITHOUT_TIMES))
def test_what_a_live_session_made_stays(name: str, tmp_path: Path) -> None:
    store = make(name, tmp_path)
    aged(tmp_path, FIRST)
    catalogue = catalogue_of(tmp_path, time.time())
    query = Query(paths=tuple(map(str, store.roots)))
    found = {a.id: a for a in catalogue.complete(catalogue.scan(query))}
    linked = {a.id for a in found.values() if a.link and a.link.state == "linked"}
    sessions = [s for s in catalogue.sessions(found.values()) if s.started is not None]
    checked = 0
    for session in sessions:
        mine = {a.id for a in session.artifacts if a.found.row is None} & linked
        if not mine:
            continue
        assert session.last_active is not None
        then = catalogue_of(tmp_path, session.last_active + 60)
        rules = Rules(max_file=0)  # whatever its age
        plan = prospect(then, query, rules).plan
        stays = {c.artifact.id: c for c in plan.choices if not c.remove}
        for each in mine:
            path = found[each].found.path
            assert each in stays, f"{path} goes, and its session is live"
            assert stays[each].group == "live", (path, stays[each].reason)
        checked += 1
        if checked == 2:
            break
    assert checked


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize("name", ["goose", "hermes_agent", "opencode"])
def test_an_open_database_may_hold_any_live_session(name: str, tmp_path: Path) -> None:
    make(name, tmp_path)
    aged(tmp_path, FIRST)
    catalogue = catalogue_of(tmp_path, time.time() + LATER)
    databases = [p for p in tmp_path.rglob("*.db") if p.name in DATABASES]
    assert databases
    holding = [hold(path, "r") for path in databases]
    try:
        choices = prospect(catalogue, Query(), Rules(max_file=0)).plan.choices
    finally:
        for process in holding:
            process.communicate("\n")
    linked = [
        c
        for c in choices
        if (envelope := catalogue.known(c.artifact.found).envelope) is not None
        and envelope.transcript.endswith(".db")
        and c.artifact.found.row is None
    ]
    assert linked
    for choice in linked:
        assert choice.group == "live", choice
        assert "the database it is in" in choice.reason


PROMPT = "Look at outputs/notes-1.txt again."


def in_goose(home: Path) -> tuple[Path, str]:
    path = home / ".local/share/goose/sessions/sessions.db"
    with sqlite3.connect(path) as database:
        ((session,),) = database.execute("SELECT session_id FROM messages LIMIT 1")
        text = json.dumps([{"type": "text", "text": PROMPT}])
        sql = (
            "INSERT INTO messages (session_id, role, content_json, created_timestamp)"
            " VALUES (?, 'user', ?, 1795000000)"
        )
        database.execute(sql, (session, text))
    database.close()
    return path, session


def in_openhands(home: Path) -> tuple[Path, str]:
    folder = next((home / ".openhands/conversations").glob("*/events"))
    event = {"kind": "MessageEvent", "source": "user", "note": PROMPT}
    (folder / "event-99999-x.json").write_text(json.dumps(event))
    return folder, folder.parent.name


def in_roo(home: Path) -> tuple[Path, str]:
    path = next(home.rglob("api_conversation_history.json"))
    messages = json.loads(path.read_bytes())
    messages.append({"role": "user", "content": PROMPT})
    path.write_text(json.dumps(messages))
    return path, path.parent.name


@pytest.mark.parametrize(
    ("name", "tell"),
    [("goose", in_goose), ("openhands", in_openhands), ("roo_code", in_roo)],
)
def test_what_a_session_of_any_form_names_is_found(
    name: str, tell: Callable[[Path], tuple[Path, str]], tmp_path: Path
) -> None:
    make(name, tmp_path)
    path, session = tell(tmp_path)
    catalogue = catalogue_of(tmp_path, time.time())
    catalogue.scan()
    log = catalogue.transcript(str(path))
    assert log is not None
    citing = Citing(log, catalogue.profile(log.harness), session)
    other = citing._replace(session="another")
    named, not_named = item("notes-1.txt"), item("notes-2.txt")
    assert cited_in([citing], [named, not_named]) == {named.id: citing}
    if log.form == "sqlite":
        assert cited_in([other], [named]) == {}


def item(name: str) -> Found:
    path = f"/store/outputs/{name}"
    return Found(path, "folder", path, name, "s", "/store")
