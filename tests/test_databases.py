"""Databases of others: one committed state, and their owner notices nothing."""

import hashlib
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.errors import ArtifactGone, Cancelled, NotRegular, Unreadable
from spillview.stored import connections, databases, snapshots
from spillview.stored.databases import Database, open_database, state


@pytest.fixture(autouse=True)
def _nothing_is_left(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """No private copy outlives its reading."""
    room = tmp_path_factory.mktemp("room")
    monkeypatch.setattr(tempfile, "tempdir", str(room))
    yield
    while STARTED:
        process = STARTED.pop()
        process.kill()
        process.communicate()
    assert os.listdir(room) == []


WRITER = """
import sqlite3, sys, time
path, mode, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
db = sqlite3.connect(path, timeout=0, isolation_level=None)
db.execute(f"PRAGMA journal_mode={mode}")
db.execute("PRAGMA wal_autocheckpoint=20")
db.execute("PRAGMA cache_size=10")
n = db.execute("SELECT n FROM total").fetchone()[0]
print("ready", flush=True)
end = time.monotonic() + float(sys.argv[4])
while time.monotonic() < end or n <= 12:  # on a slow machine too
    n += 1
    db.execute("BEGIN IMMEDIATE")
    db.execute("INSERT INTO entry VALUES (?, ?)", (n, "x" * size))
    db.execute("UPDATE other SET n = ?", (n,))
    db.execute("UPDATE total SET n = ?", (n,))
    db.execute("COMMIT")
    if n % 7 == 0:
        db.execute("BEGIN IMMEDIATE")
        db.execute("UPDATE entry SET text = text || 'torn'")
        db.execute("ROLLBACK")
    if n % 50 == 0:
        db.execute("DELETE FROM entry WHERE n % 50 > 10")
        db.execute("UPDATE total SET n = n")
    time.sleep(0.002)
print("wrote", n, flush=True)
"""

DYING = """
import os, sqlite3, sys, time
path, mode = sys.argv[1], sys.argv[2]
db = sqlite3.connect(path, timeout=0, isolation_level=None)
db.execute(f"PRAGMA journal_mode={mode}")
db.execute("PRAGMA wal_autocheckpoint=0")
db.execute("PRAGMA cache_size=5")
db.execute("INSERT INTO entry VALUES (1, 'committed')")
db.execute("UPDATE total SET n = 1")
db.execute("UPDATE other SET n = 1")
db.execute("BEGIN IMMEDIATE")
for n in range(2, 400):
    db.execute("INSERT INTO entry VALUES (?, ?)", (n, "never committed" * 100))
db.execute("UPDATE entry SET text = 'torn' || text")
print("ready", flush=True)
time.sleep(60)
"""


STARTED: "list[subprocess.Popen[str]]" = []


def _made(folder: Path) -> str:
    path = str(folder / "owner.db")
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE total (n INTEGER)")
    db.execute("CREATE TABLE entry (n INTEGER PRIMARY KEY, text TEXT)")
    db.execute("CREATE TABLE other (n INTEGER, pad TEXT)")
    db.execute("INSERT INTO total VALUES (0)")
    db.execute("INSERT INTO other VALUES (0, ?)", ("p" * 9000,))
    db.commit()
    db.close()
    return path


def _started(code: str, *arguments: str) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    STARTED.append(process)
    return process


def _whole(database: Database) -> int:
    """The number of commits, after checking that everything is of the same one."""
    ((total,),) = database.query("SELECT n FROM total")
    ((other,),) = database.query("SELECT n FROM other")
    ((highest,),) = database.query("SELECT coalesce(max(n), 0) FROM entry")
    ((torn,),) = database.query(
        "SELECT count(*) FROM entry WHERE text NOT LIKE 'x%' AND text != 'committed'"
    )
    assert total == other == highest
    assert torn == 0
    assert isinstance(total, int)
    return total


def _bytes(folder: Path) -> dict[str, tuple[str, int]]:
    return {
        entry.name: (
            hashlib.sha256(Path(entry.path).read_bytes()).hexdigest(),
            entry.stat().st_mtime_ns,
        )
        for entry in os.scandir(folder)
    }


@pytest.mark.parametrize("small", [databases._SMALL, 0])
@pytest.mark.parametrize("mode", ["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "WAL"])
def test_a_busy_writer_is_never_in_our_way_nor_we_in_its(
    tmp_path: Path, mode: str, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "_SMALL", small)
    if not small:
        monkeypatch.setattr(snapshots, "COPY_MOST", small)
        monkeypatch.setattr(snapshots, "_cloned", lambda *_: False)
    path = _made(tmp_path)
    process = _started(WRITER, path, mode, "3000", "0.8")
    states = set()
    while process.poll() is None:
        try:
            with open_database(path) as database:
                states.add(_whole(database))
        except Unreadable as error:
            said = str(error)
            assert re.search("while it was read|keeps changing|being written", said)
        suffixes = {name.removeprefix("owner.db") for name in os.listdir(tmp_path)}
        allowed = {"-wal", "-shm"} if mode == "WAL" else {"-journal"}
        assert suffixes <= allowed | {""}
    assert process.returncode == 0  # SQLITE_BUSY would have ended it
    if small or mode == "WAL":  # a large one may well change under every read
        assert len(states) > 3
    with open_database(path) as database:
        assert _whole(database) > 10


@pytest.mark.parametrize("mode", ["DELETE", "PERSIST", "WAL"])
def test_what_a_killed_writer_left_is_read_and_stays_as_it_is(
    tmp_path: Path, mode: str
) -> None:
    path = _made(tmp_path)
    process = _started(DYING, path, mode)
    with open_database(path) as database:  # it still lives, within its transaction
        assert _whole(database) == 1
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = _bytes(tmp_path)
    beside = "owner.db-wal" if mode == "WAL" else "owner.db-journal"
    assert beside in before
    with open_database(path) as database:
        assert _whole(database) == 1
    assert _bytes(tmp_path) == before


def test_a_large_database_whose_owner_died_is_read_without_its_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _made(tmp_path)
    process = _started(DYING, path, "WAL")
    process.send_signal(signal.SIGKILL)
    process.wait()
    monkeypatch.setattr(databases, "_SMALL", 0)
    before = _bytes(tmp_path)
    with open_database(path) as database:
        assert _whole(database) == 1
    assert _bytes(tmp_path) == before
    os.unlink(path + "-shm")
    before = _bytes(tmp_path)
    with open_database(path) as database:
        assert _whole(database) == 1
    assert _bytes(tmp_path) == before


def test_an_owner_that_closes_while_we_read_can_do_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "_SMALL", 0)
    path = _made(tmp_path)
    process = _started(WRITER, path, "WAL", "100", "0.8")
    while not os.path.exists(path + "-wal") or not os.path.getsize(path + "-wal"):
        time.sleep(0.001)
    with open_database(path) as database:
        first = _whole(database)
        assert database._guard is not None
        with open_database(path) as second:  # a lock of ours survives its closing
            assert _whole(second) >= first
        process.wait()
        assert process.returncode == 0
        assert _whole(database) == first
    with open_database(path) as database:
        assert _whole(database) > first


def test_a_database_that_may_not_be_written_nor_its_folder_is_read(
    tmp_path: Path,
) -> None:
    path = _made(tmp_path)
    os.chmod(path, 0o400)
    os.chmod(tmp_path, 0o500)
    try:
        with open_database(path) as database:
            assert _whole(database) == 0
    finally:
        os.chmod(tmp_path, 0o700)


def test_a_quiet_database_is_read_where_it_lies(tmp_path: Path) -> None:
    path = _made(tmp_path)
    os.utime(path, (1, 1))
    with open_database(path, room=str(tmp_path / "missing")) as database:
        assert _whole(database) == 0


def test_a_change_during_the_reading_is_told(tmp_path: Path) -> None:
    path = _made(tmp_path)
    os.utime(path, (1, 1))
    with open_database(path) as database:
        rows = database.query("SELECT n FROM total")
        next(rows)
        db = sqlite3.connect(path)
        db.execute("UPDATE total SET n = 5")
        db.commit()
        db.close()
        with pytest.raises(Unreadable, match="written while it was read"):
            list(rows)


def test_a_database_that_is_replaced_again_and_again_is_refused_or_whole(
    tmp_path: Path,
) -> None:
    path = _made(tmp_path)
    other = tmp_path / "copy"
    for _ in range(30):
        other.write_bytes(Path(path).read_bytes())
        os.replace(other, path)
        with open_database(path) as database:
            assert _whole(database) == 0


def test_a_large_database_in_the_middle_of_a_change_says_that_it_is_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _made(tmp_path)
    process = _started(DYING, path, "DELETE")
    process.kill()
    process.wait()
    monkeypatch.setattr(snapshots, "COPY_MOST", 4096)
    monkeypatch.setattr(snapshots, "_cloned", lambda *_: False)
    with pytest.raises(Unreadable, match="copies are made of 4,096 bytes at most"):
        open_database(path)


def test_a_journal_that_names_another_file_never_reaches_it(tmp_path: Path) -> None:
    path = _made(tmp_path)
    process = _started(DYING, path, "DELETE")
    process.kill()
    process.wait()
    victim = tmp_path / "precious"
    victim.write_bytes(b"")
    name = os.fsencode(victim)
    with open(path + "-journal", "ab") as file:
        file.write((1 << 30).to_bytes(4, "big") + name)
        file.write(len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big"))
        file.write(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")
    with pytest.raises(Unreadable, match="several databases"):
        open_database(path)
    assert victim.exists()


def test_only_stored_columns_of_tables_are_read(tmp_path: Path) -> None:
    path = str(tmp_path / "hostile.db")
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE plain (a, b AS (a || a), c AS (a) STORED)")
    db.execute("CREATE VIEW computed AS SELECT a FROM plain")
    db.execute(
        "CREATE VIEW bomb AS WITH RECURSIVE q(n) AS (SELECT 1 UNION ALL SELECT n + 1"
        " FROM q) SELECT n AS a FROM q"
    )
    db.execute("CREATE VIRTUAL TABLE words USING fts5(a)")
    db.execute("INSERT INTO plain VALUES (1)")
    db.commit()
    db.close()
    with open_database(path) as database:
        assert database.tables["plain"] == ("a",)
        assert database.has("plain", "a")
        assert not database.has("plain", "a", "b")
        assert not database.has("computed")
        assert not database.has("words")
        for statement in (
            "SELECT b FROM plain",
            "SELECT a FROM computed",
            "SELECT a FROM bomb",
            "SELECT a FROM words",
            "SELECT sql FROM sqlite_master",
            "INSERT INTO plain VALUES (2)",
            "ATTACH 'x' AS y",
            "PRAGMA journal_mode=DELETE",
            "SELECT load_extension('x')",
            "no sql at all",
        ):
            with pytest.raises(Unreadable):
                list(database.query(statement))
        assert list(database.query("SELECT a, rowid FROM plain")) == [(1, 1)]


def test_endless_work_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "_MOST_STEPS", 5)
    bomb = (
        "WITH RECURSIVE q(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM q)"
        " SELECT max(n) FROM q"
    )
    with (
        open_database(_made(tmp_path)) as database,
        pytest.raises(Unreadable, match="endless"),
    ):
        list(database.query(bomb))
    stop = iter([False] * 3 + [True] * 100)
    with open_database(_made_elsewhere(tmp_path)) as database:
        database._cancelled = lambda: next(stop)
        with pytest.raises(Cancelled):
            list(database.query(bomb))


def _made_elsewhere(folder: Path) -> str:
    (folder / "second").mkdir()
    return _made(folder / "second")


def test_long_values_come_in_parts(tmp_path: Path) -> None:
    path = str(tmp_path / "long.db")
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
    db.execute("INSERT INTO t VALUES (1, zeroblob(?))", (connections.LONGEST + 5,))
    db.execute("INSERT INTO t VALUES (2, 'ok')")
    db.execute("INSERT INTO t VALUES (3, CAST(x'41ff42' AS TEXT))")
    db.commit()
    db.close()
    with open_database(path) as database:
        assert list(database.query("SELECT id, length(v) FROM t WHERE id < 3")) == [
            (1, connections.LONGEST + 5),
            (2, 2),
        ]
        with pytest.raises(Unreadable, match="more than 67,108,864 bytes"):
            list(database.query("SELECT v FROM t"))
        parts = [len(part) for part in database.blob("t", "v", 1, 1 << 24)]
        assert (sum(parts), max(parts)) == (connections.LONGEST + 5, 1 << 24)
        assert list(database.query("SELECT v FROM t WHERE id = 3")) == [("A\ufffdB",)]
        with pytest.raises(Unreadable):
            list(database.blob("t", "v", 99, 10))
        with pytest.raises(Unreadable):
            list(database.blob("t", "none", 1, 10))


def test_what_is_no_database_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with pytest.raises(ArtifactGone):
        open_database(str(path))
    path.write_bytes(b"")
    with pytest.raises(Unreadable, match="empty"):
        open_database(str(path))
    path.write_bytes(os.urandom(8192))
    with pytest.raises(Unreadable, match="encrypted"):
        open_database(str(path))
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(NotRegular):
        open_database(str(path))
    path.unlink()
    real = _made(tmp_path)
    path.symlink_to(real)
    with pytest.raises(NotRegular):
        open_database(str(path))
    os.symlink("/dev/zero", real + "-wal")
    with pytest.raises(Unreadable, match="no regular file"):
        open_database(real)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_damaged_databases_give_rows_or_a_sentence(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    path = _made(folder)
    raw = bytearray(Path(path).read_bytes())
    for _ in range(data.draw(st.integers(1, 20))):
        raw[data.draw(st.integers(16, len(raw) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(100, len(raw)))
    Path(path).write_bytes(raw[:cut])
    before = _bytes(folder)
    try:
        with open_database(path) as database:
            for table in ("total", "entry", "other"):
                if database.has(table, "n"):
                    list(database.query(f"SELECT n FROM {table}"))
    except Unreadable:
        pass
    after = _bytes(folder)
    assert after == before


def test_the_state_tells_of_a_log_that_grew(tmp_path: Path) -> None:
    path = _made(tmp_path)
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("INSERT INTO entry VALUES (1, 'a')")
    db.commit()
    first, main = state(path), os.stat(path)
    time.sleep(0.01)
    db.execute("INSERT INTO entry VALUES (2, 'b')")
    db.commit()
    assert os.stat(path).st_mtime_ns == main.st_mtime_ns
    second = state(path)
    assert second.size > first.size
    assert second.mtime_ns > first.mtime_ns
    assert second[:2] == first[:2] == (main.st_dev, main.st_ino)
    db.close()


_STEPS = st.lists(
    st.sampled_from(["insert", "update", "commit", "rollback", "checkpoint", "reopen"]),
    max_size=25,
)


def _owner(path: str, mode: str) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, timeout=0)
    db.execute(f"PRAGMA journal_mode={mode}")
    db.execute("PRAGMA cache_size=3")
    db.execute("PRAGMA synchronous=OFF")
    return db


@settings(max_examples=50, deadline=None)
@given(_STEPS, st.sampled_from(["DELETE", "TRUNCATE", "PERSIST", "WAL"]), st.booleans())
def test_only_committed_states_are_read(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str], mode: str, locks: bool
) -> None:
    path = _made(tmp_path_factory.mktemp("states"))
    small, databases._SMALL = databases._SMALL, 0 if locks else databases._SMALL
    db = _owner(path, mode)
    committed: dict[int, str] = {}
    pending: dict[int, str] = {}
    try:
        for number, step in enumerate(steps):
            if step in ("insert", "update") and not db.in_transaction:
                db.execute("BEGIN IMMEDIATE")
            if step == "insert":
                pending[number] = f"{number}" * 3000
                db.execute("INSERT INTO entry VALUES (?, ?)", (number, pending[number]))
            elif step == "update":
                pending = {n: text + "u" for n, text in pending.items()}
                db.execute("UPDATE entry SET text = text || 'u'")
            elif step == "commit" and db.in_transaction:
                db.execute("COMMIT")
                committed = dict(pending)
            elif step == "rollback" and db.in_transaction:
                db.execute("ROLLBACK")
                pending = dict(committed)
            elif step == "checkpoint" and not db.in_transaction:
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            elif step == "reopen":
                db.close()
                pending = dict(committed)
                db = _owner(path, mode)
            with open_database(path) as database:
                rows = list(database.query("SELECT n, text FROM entry ORDER BY n"))
            assert rows == sorted(committed.items())
    finally:
        db.close()
        databases._SMALL = small


def test_a_damaged_schema_that_is_no_text_is_told_as_damage(tmp_path: Path) -> None:
    path = tmp_path / "schema.db"
    with closing(sqlite3.connect(path)) as made, made:
        made.execute("CREATE TABLE messages (content TEXT)")
    data = path.read_bytes()
    path.write_bytes(
        data.replace(b"CREATE TABLE messages", b"CREATE \xb3ABLE m\xff\xfesages")
    )
    with pytest.raises(Unreadable, match="damaged"):
        open_database(str(path))
