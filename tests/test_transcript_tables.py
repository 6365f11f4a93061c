"""Sessions in databases: read on as rows come and change, and found again by row."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.discovery.discovery import TranscriptFound, discover
from spillview.errors import Unreadable
from spillview.places import Places
from spillview.profiles.profile import Profile, load_profiles
from spillview.transcripts import opencode_rows as rows_of
from spillview.transcripts import read_transcript, record_text, tables
from spillview.transcripts.facts import TranscriptFacts
from tests.harness_stores import make
from tests.harness_stores.opencode import _NEW, _OLD, GREP, SAVED

PROFILES, _ = load_profiles(Places.of_home("/nowhere"))
OPENCODE = PROFILES["opencode"]
NIGHT = 1_795_000_000_000


def log(
    path: Path, reader: str = "opencode", harness: str = "opencode"
) -> TranscriptFound:
    """The database as discovery gives it."""
    from spillview.stored.databases import state

    now = state(str(path))
    return TranscriptFound(
        harness,
        reader,
        str(path),
        str(path),
        None,
        None,
        None,
        now.size,
        now.mtime_ns,
        now.dev,
        now.ino,
        str(path.parent),
        str(path),
        "sqlite",
    )


def plain(facts: TranscriptFacts) -> list[TranscriptFacts]:
    """The parts without what is kept for reading on."""
    return [replace(part, extra={}) for part in facts.parts]


class Owner:
    """A program that keeps opencode's database."""

    def __init__(self, path: Path, mode: str) -> None:
        self.path = path
        self.database = sqlite3.connect(path, isolation_level=None)
        self.database.execute(f"PRAGMA journal_mode={mode}")
        self.database.execute("PRAGMA synchronous=OFF")
        self.database.executescript(_OLD)
        self.database.executescript(_NEW)
        self.now = NIGHT
        self.count = 0

    def tick(self) -> int:
        self.now += 1000
        return self.now

    def session(self, name: str) -> None:
        self.database.execute(
            "INSERT OR IGNORE INTO session VALUES (?,'p',NULL,'s',?,?,'1',?,?)",
            (name, f"/srv/{name}", "New session - x", self.tick(), self.now),
        )

    def message(self, session: str, role: str, *, done: bool) -> str:
        self.session(session)
        self.count += 1
        ident = f"msg_{self.count % 7}{self.count}"  # ids in no order
        times: dict[str, Any] = {"created": self.tick()}
        if done:
            times["completed"] = self.now
        data = json.dumps({"role": role, "time": times})
        self.database.execute(
            "INSERT INTO message VALUES (?,?,?,?,?)",
            (ident, session, self.now, self.now, data),
        )
        return ident

    def part(self, session: str, message: str, **data: Any) -> str:
        self.count += 1
        ident = f"prt_{self.count % 5}{self.count}"
        self.database.execute(
            "INSERT INTO part VALUES (?,?,?,?,?,?)",
            (ident, message, session, self.tick(), self.now, json.dumps(data)),
        )
        return ident

    def starts(self, session: str) -> None:
        """An answer begins, with a call that runs."""
        message = self.message(session, "assistant", done=False)
        state = {"status": "running", "input": {"command": f"make {self.count}"}}
        call = f"call_{self.count}"
        self.part(session, message, type="tool", tool="bash", callID=call, state=state)

    def ends(self, which: int) -> None:
        """One of the calls that run ends, some with a result that was cut."""
        found = self.database.execute(
            "SELECT id, data, message_id FROM part WHERE data LIKE '%\"running\"%'"
            " ORDER BY rowid"
        ).fetchall()
        if not found:
            return
        ident, data, message = found[which % len(found)]
        value = json.loads(data)
        path = f"/h/.local/share/opencode/tool-output/tool_{self.count:012x}{'A' * 14}"
        text = f"a\n\n...{self.count} lines truncated...\n\n{SAVED}{path}\n{GREP}"
        cut = which % 2 == 0
        value["state"] |= {"status": "completed", "output": text if cut else "ok"}
        value["state"]["metadata"] = {"truncated": cut, "exit": which % 3}
        if cut:
            value["state"]["metadata"]["outputPath"] = path
        self.database.execute(
            "UPDATE part SET data = ?, time_updated = ? WHERE id = ?",
            (json.dumps(value), self.tick(), ident),
        )
        if which % 5:
            self.completes(message)

    def completes(self, message: str) -> None:
        (data,) = self.database.execute(
            "SELECT data FROM message WHERE id = ?", (message,)
        ).fetchone()
        value = json.loads(data)
        value["time"]["completed"] = self.tick()
        self.database.execute(
            "UPDATE message SET data = ?, time_updated = ? WHERE id = ?",
            (json.dumps(value), self.now, message),
        )

    def does(self, what: str, number: int) -> None:
        """One thing that happens."""
        session = f"ses_{number % 3}"
        if what == "prompt":
            message = self.message(session, "user", done=True)
            self.part(session, message, type="text", text=f"Prompt {number}")
        elif what == "says":
            message = self.message(session, "assistant", done=number % 2 == 0)
            self.part(session, message, type="text", text=f"Said {number}")
        elif what == "starts":
            self.starts(session)
        elif what == "ends":
            self.ends(number)
        elif what == "reads":
            message = self.message(session, "assistant", done=True)
            state = {"status": "completed", "output": "1: x", "metadata": {}}
            name = f"tool-output/tool_{number:012x}{'A' * 14}"
            state["input"] = {"filePath": f"/h/.local/share/opencode/{name}"}
            call = f"read_{self.count}"
            self.part(
                session, message, type="tool", tool="read", callID=call, state=state
            )
        elif what == "titles":
            self.database.execute(
                "UPDATE session SET title = ? WHERE id = ?", (f"T{number}", session)
            )
        elif what == "reverts":
            self.database.execute(
                "DELETE FROM part WHERE rowid = (SELECT max(rowid) FROM part"
                " WHERE session_id = ?)",
                (session,),
            )
        elif what == "edits":
            self.database.execute(
                "UPDATE part SET data = replace(data, 'Said', 'Meant'),"
                " time_updated = ? WHERE rowid ="
                " (SELECT min(rowid) FROM part WHERE session_id = ?)",
                (self.tick(), session),
            )
        elif what == "packs":
            self.database.execute("VACUUM")


ACTS = (
    "prompt",
    "says",
    "starts",
    "ends",
    "ends",
    "reads",
    "reverts",
    "edits",
    "packs",
)


@settings(max_examples=40, deadline=None)
@given(
    mode=st.sampled_from(["WAL", "DELETE"]),
    acts=st.lists(
        st.tuples(st.sampled_from(ACTS), st.integers(0, 30), st.booleans()), max_size=24
    ),
)
def test_reading_on_gives_what_reading_at_once_does(
    mode: str, acts: list[tuple[str, int, bool]]
) -> None:
    with TemporaryDirectory() as folder:
        owner = Owner(Path(folder) / "opencode.db", mode)
        facts: TranscriptFacts | None = None
        for what, number, look in acts:
            owner.does(what, number)
            if look:
                facts = read_transcript(log(owner.path), OPENCODE, facts)
                stored = TranscriptFacts.from_json(facts.to_json())
                assert stored == facts
                facts = stored
        found = log(owner.path)
        on = read_transcript(found, OPENCODE, facts)
        whole = read_transcript(found, OPENCODE)
        assert plain(on) == plain(whole)
        assert on.key == found.key == whole.key
        for part in on.parts:
            for mention in part.mentions:
                assert record_text(mention, OPENCODE).startswith("a\n")
        owner.database.close()


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Owner]:
    """A database with a session of forty answers, and another one."""
    owner = Owner(tmp_path / "opencode.db", "WAL")
    for number in range(40):
        owner.does("says", number * 6)  # all complete, of one session
    owner.does("prompt", 1)
    yield owner
    owner.database.close()


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rowids of parts as they are read."""
    read: list[int] = []
    record = rows_of.Rows.record

    def noted(self: rows_of.Rows, table: int, rowid: int) -> dict[str, Any] | None:
        read.append(rowid)
        return record(self, table, rowid)

    monkeypatch.setattr(rows_of.Rows, "record", noted)
    return read


def test_only_what_is_new_is_read(
    owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = read_transcript(log(owner.path), OPENCODE)
    read = counted(monkeypatch)
    assert plain(read_transcript(log(owner.path), OPENCODE, facts)) == plain(facts)
    assert read == []
    owner.does("says", 6)
    later = read_transcript(log(owner.path), OPENCODE, facts)
    assert len(read) == 1
    assert later.parts[0].records == facts.parts[0].records + 1
    assert later.parts[1] == facts.parts[1]


def test_a_row_that_is_still_written_is_read_again_and_nothing_before_it(
    owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner.starts("ses_0")
    facts = read_transcript(log(owner.path), OPENCODE)
    assert not facts.parts[0].mentions
    owner.ends(4)
    read = counted(monkeypatch)
    facts = read_transcript(log(owner.path), OPENCODE, facts)
    assert len(read) == 1
    assert [m.call_id for m in facts.parts[0].mentions] == ["call_83"]


def test_the_newest_rows_are_found_in_the_log_of_a_database_in_use(
    owner: Owner,
) -> None:
    before = {p.name: p.stat().st_mtime_ns for p in owner.path.parent.iterdir()}
    facts = read_transcript(log(owner.path), OPENCODE)
    owner.does("prompt", 2)
    found = log(owner.path)
    assert found.key != facts.key
    facts = read_transcript(found, OPENCODE, facts)
    assert [part.session for part in facts.parts] == ["ses_0", "ses_1", "ses_2"]
    after = {p.name for p in owner.path.parent.iterdir()}
    assert after == set(before)


def test_a_writer_is_never_in_the_way_and_never_held_up(owner: Owner) -> None:
    owner.database.execute("BEGIN IMMEDIATE")
    owner.does("prompt", 2)
    facts = read_transcript(log(owner.path), OPENCODE)
    assert [part.session for part in facts.parts] == ["ses_0", "ses_1"]
    owner.database.execute("COMMIT")


@pytest.mark.parametrize(
    "data", [b"", b"SQLite format 3\0" + b"\xff" * 4000, b"no database at all" * 100]
)
def test_what_is_no_database_is_unreadable_and_told_so(
    tmp_path: Path, data: bytes
) -> None:
    path = tmp_path / "opencode.db"
    path.write_bytes(data)
    try:
        facts = read_transcript(log(path), OPENCODE)
    except Unreadable:
        return
    assert facts.parts == ()


def test_a_database_without_the_tables_has_no_sessions(tmp_path: Path) -> None:
    for name, reader in (("opencode", "opencode"), ("goose", "goose"), ("x", "hermes")):
        path = tmp_path / f"{name}.db"
        database = sqlite3.connect(path)
        database.execute("CREATE TABLE messages (id TEXT, session_id BLOB)")
        database.execute("CREATE TABLE part (data TEXT)")
        database.commit()
        database.close()
        assert read_transcript(log(path, reader), OPENCODE).parts == ()


def test_rows_that_are_no_records_are_counted_and_the_others_read(owner: Owner) -> None:
    for data in (
        '{"type',
        "[]",
        "7",
        "null",
        '{"type": "tool", "state": []}',
        "[" * 900,
    ):
        message = owner.message("ses_1", "user", done=True)
        owner.database.execute(
            "INSERT INTO part VALUES (?,?,'ses_1',?,?,?)",
            (f"bad{owner.count}", message, owner.tick(), owner.now, data),
        )
    owner.database.execute(
        "INSERT INTO part VALUES ('blob', ?, 'ses_1', 'then', x'7f', x'00ff')",
        (message,),
    )
    owner.database.execute("INSERT INTO message VALUES ('m', 'ses_1', 'x', 'y', '{}')")
    owner.does("prompt", 4)
    facts = read_transcript(log(owner.path), OPENCODE)
    assert facts.parts[1].title == "Prompt 1"
    assert facts.parts[1].skipped == facts.skipped == 6
    assert facts.parts[1].records == 3


def test_a_row_too_large_to_be_held_is_skipped(owner: Owner) -> None:
    message = owner.message("ses_1", "user", done=True)
    owner.database.execute(
        "INSERT INTO part VALUES ('big', ?, 'ses_1', 1, 1,"
        " '{\"text\": \"' || hex(zeroblob(40000000)) || '\"}')",
        (message,),
    )
    owner.does("prompt", 4)
    facts = read_transcript(log(owner.path), OPENCODE)
    assert (facts.parts[1].skipped, facts.parts[1].records) == (1, 2)


def test_a_reading_that_is_cancelled_is_gone_on_from(owner: Owner) -> None:
    for number in range(1, 3):
        owner.does("prompt", number)
    asked = iter([False, True])
    stop = read_transcript(log(owner.path), OPENCODE, None, lambda: next(asked, True))
    assert stop.key != log(owner.path).key
    whole = read_transcript(log(owner.path), OPENCODE)
    assert plain(read_transcript(log(owner.path), OPENCODE, stop)) == plain(whole)


def test_a_row_that_is_gone_has_no_text_and_a_vacuum_moves_rows(owner: Owner) -> None:
    from spillview.errors import ArtifactGone

    owner.starts("ses_0")
    owner.ends(4)
    facts = read_transcript(log(owner.path), OPENCODE)
    (mention,) = facts.parts[0].mentions
    assert mention.record == mention.offset
    assert "Full output saved to: " in record_text(mention, OPENCODE)
    owner.database.execute("DELETE FROM part WHERE rowid = ?", (mention.record,))
    with pytest.raises(ArtifactGone):
        record_text(mention, OPENCODE)
    facts = read_transcript(log(owner.path), OPENCODE, facts)
    assert facts.parts[0].mentions == ()


@pytest.mark.parametrize(
    ("name", "reader", "database"),
    [
        ("goose", "goose", ".local/share/goose/sessions/sessions.db"),
        ("hermes_agent", "hermes", ".hermes/state.db"),
    ],
)
def test_appended_messages_are_read_on(
    tmp_path: Path, name: str, reader: str, database: str
) -> None:
    store = make(name, tmp_path)
    profile: Profile = PROFILES[store.harness]
    path = tmp_path / database
    connection = sqlite3.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    rows = [dict(row) for row in connection.execute("SELECT * FROM messages")]
    connection.execute("DELETE FROM messages")
    facts: TranscriptFacts | None = None
    for number, row in enumerate(rows):
        names = ",".join(row)
        marks = ",".join("?" * len(row))
        connection.execute(
            f"INSERT INTO messages ({names}) VALUES ({marks})", tuple(row.values())
        )
        if number % 4 == 0:
            facts = read_transcript(log(path, reader, store.harness), profile, facts)
    found = log(path, reader, store.harness)
    on = read_transcript(found, profile, facts)
    whole = read_transcript(found, profile)
    assert plain(on) == plain(whole)
    assert sum(len(part.mentions) for part in whole.parts) > 5
    # What a compaction takes away is no longer told.
    session = whole.parts[0].session
    connection.execute("DELETE FROM messages WHERE session_id = ?", (session,))
    connection.close()
    assert session not in {
        part.session for part in read_transcript(log(path, reader), profile, on).parts
    }


def test_older_files_are_read_again_while_an_answer_is_under_way(
    tmp_path: Path,
) -> None:
    from tests.harness_stores.opencode import Session

    session = Session("ses_09f0c0d0e0f1FFFFFFFFFFFFFF", title="Files")
    session.prompt("Go")
    session.runs("bash", None, call="c1", command="make")
    storage = tmp_path / ".local" / "share" / "opencode" / "storage"
    session.files(storage)
    found = _folder(tmp_path)
    facts = read_transcript(found, OPENCODE)
    assert facts.key != found.key
    session.parts.clear()
    session.messages.clear()
    session.clock = 1_795_000_000_000
    session.prompt("Go")
    path = (
        tmp_path / ".local/share/opencode/tool-output/tool_000000000001AAAAAAAAAAAAAA"
    )
    text = f"a\n\n...1 lines truncated...\n\n{SAVED}{path}\n{GREP}"
    meta = {"truncated": True, "outputPath": str(path)}
    session.runs("bash", text, call="c1", command="make", metadata=meta)
    session.files(storage)
    found = _folder(tmp_path)
    later = read_transcript(found, OPENCODE, facts)
    assert later.key == found.key
    (mention,) = later.parts[0].mentions
    assert record_text(mention, OPENCODE) == text
    assert plain(later) == plain(read_transcript(found, OPENCODE))
    assert read_transcript(found, OPENCODE, later).parts == later.parts


def _folder(home: Path) -> TranscriptFound:
    seen = discover(Places.of_home(str(home)), {"opencode": OPENCODE})
    (found,) = seen.transcripts
    assert found.form == "json-dir"
    return found


def test_a_database_that_is_written_all_the_time_is_tried_again(
    owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    sessions = rows_of.Rows.sessions

    def failing(self: rows_of.Rows) -> Any:
        calls.append(1)
        if len(calls) < tables.TRIES:
            raise Unreadable("It was written while it was read.")
        return sessions(self)

    monkeypatch.setattr(rows_of.Rows, "sessions", failing)
    assert len(read_transcript(log(owner.path), OPENCODE).parts) == 2
    assert os.path.exists(owner.path)
