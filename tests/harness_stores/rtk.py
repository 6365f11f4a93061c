"""A made store of rtk: recall.db, tee files, its hints in another agent's session."""

from __future__ import annotations

import gzip
import hashlib
import os
import sqlite3
import time
from pathlib import Path
from typing import Any

from tests.harness_stores.model import Gone, HarnessStore, Spill
from tests.printed import FAILED, NIGHT, output
from tests.stores import Claude, span

ONE = "11111111-aaaa-4111-8111-00000000ac01"
TWO = "22222222-aaaa-4222-8222-00000000ac02"
GATE = (500, "bytes")

_SCHEMA = """
CREATE TABLE recall (hash TEXT PRIMARY KEY, command TEXT NOT NULL, cwd TEXT,
  exit_code INTEGER, created_at INTEGER NOT NULL, total_lines INTEGER NOT NULL,
  shown_upto INTEGER NOT NULL, byte_size INTEGER NOT NULL, truncated INTEGER NOT NULL,
  codec TEXT NOT NULL, blob BLOB NOT NULL, recalled INTEGER NOT NULL DEFAULT 0);
CREATE TABLE tee_reads (path TEXT PRIMARY KEY);
CREATE TABLE recall_stats (slug TEXT NOT NULL, mode TEXT NOT NULL,
  elisions INTEGER NOT NULL DEFAULT 0, recalls INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (slug, mode));
"""


class Recall:
    """The database of kept outputs."""

    def __init__(self, path: Path, mode: str = "WAL") -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.db = sqlite3.connect(path)
        self.db.execute(f"PRAGMA journal_mode={mode}")
        self.db.executescript(_SCHEMA)
        self.clock = NIGHT

    def keep(
        self,
        data: bytes,
        command: str,
        *,
        code: int | None = 1,
        codec: str = "gzip",
        write: bool = True,
    ) -> str:
        """Keep an output; gives its key."""
        key = hashlib.sha256(command.encode() + b"\0" + data).hexdigest()[:12]
        self.clock += 10
        if write:
            blob = gzip.compress(data, mtime=0) if codec == "gzip" else data
            lines = data.count(b"\n") + (data[-1:] != b"\n")
            row = (key, command, "/srv/app", code, self.clock, lines, 1, len(data), 0)
            self.db.execute(
                "INSERT OR REPLACE INTO recall VALUES (?,?,?,?,?,?,?,?,?,?,?,0)",
                (*row, codec, blob),
            )
            self.db.commit()
        return key


def make(home: Path) -> HarnessStore:
    """Make the store."""
    store = HarnessStore(harness="rtk")
    base = home / ".local/share/rtk"
    recall = Recall(base / "recall.db")
    tee = base / "tee"
    tee.mkdir(parents=True)
    known: dict[str, Any] = {
        "session": ONE,
        "project": "/srv/app",
        "boundary": GATE,
        "tool": "Bash",
    }

    one = Claude(home, session=ONE, cwd="/srv/app")
    one.prompt("Why does the build fail?")

    # A failure: a summary of it, and behind it the hint.
    data = output("cargo", 90_000, verdict=FAILED)
    key = recall.keep(data, "cargo test")
    call = one.calls("Bash", command="cargo test")
    rows = data.split(b"\n")
    summary = "\n".join(row.decode() for row in (*rows[10:40], rows[-2]))
    envelope = f"{summary}\n[full output: rtk recall {key}]"
    one.gets(call, envelope, failed=True)
    one.says("One test fails.")
    shown = [span(data, 11, 40), span(data, 100, 119)]
    shown.append(span(data, len(rows) - 1, len(rows) - 1))
    # Then all of it is asked for, by the beginning of its key.
    again = one.calls("Bash", command=f"rtk recall {key} --from 100 --lines 20")
    part = b"\n".join(rows[99:119]).decode()
    one.gets(again, part)
    store.spills.append(
        Spill(
            path=recall.path,
            row=key,
            data=data,
            what="a failed command",
            content="recall",
            call_id=call,
            command="cargo test",
            failed=True,
            envelope=envelope,
            seen=tuple((start, end - 1) for start, end in shown),
            agrees=None,
            next_text="One test fails.",
            read_back=True,
            **known,
        )
    )

    # A list that was too long: its head as it is, the rest hidden.
    data = output("検索", 70_000, kind="cjk", verdict="src/last.rs")
    key = recall.keep(data, "rg TODO", code=None)
    head = b"\n".join(data.split(b"\n")[:25]).decode()
    hidden = data.count(b"\n") - 25
    envelope = f"{head}\n[+{hidden} hidden: rtk recall {key}]"
    call = one.calls("Bash", command="rg TODO")
    one.gets(call, envelope)
    store.spills.append(
        Spill(
            path=recall.path,
            row=key,
            data=data,
            what="a long list",
            content="recall",
            call_id=call,
            command="rg TODO",
            failed=False,
            envelope=envelope,
            may=(span(data, 1, 25),),
            agrees=None,
            **known,
        )
    )

    # Kept as it is, its row gone since, and a row of no record.
    data = output("raw", 60_000, kind="crlf", verdict=FAILED)
    key = recall.keep(data, "make check", codec="raw")
    call = one.calls("Bash", command="make check")
    one.gets(call, f"FAILED: 2/15 tests [full output: rtk recall {key}]", failed=True)
    store.spills.append(
        Spill(
            path=recall.path,
            row=key,
            data=data,
            what="kept without compression",
            content="recall",
            call_id=call,
            command="make check",
            envelope=f"FAILED: 2/15 tests [full output: rtk recall {key}]",
            may=(),
            **known,
        )
    )
    lost = recall.keep(output("gone", 5_000), "go test ./...", write=False)
    call = one.calls("Bash", command="go test ./...")
    one.gets(call, f"FAIL\n[full output: rtk recall {lost}]", failed=True)
    store.gone.append(
        Gone(what="evicted", state="dangling", session=ONE, call_id=call, tool="Bash")
    )
    data = output("alone", 60_000, verdict=FAILED)
    key = recall.keep(data, "npm test", code=2)
    store.spills.append(
        Spill(
            path=recall.path,
            row=key,
            data=data,
            what="no record names it",
            content="recall",
            link="orphan",
            command="npm test",
            failed=True,
            boundary=GATE,
        )
    )

    # A person's notes quote a hint of a row that there is: nothing is seen by it.
    reader = one.calls("Read", file_path="/srv/app/notes.md")
    one.gets(reader, f"     1→see [full output: rtk recall {key}]\n     2→later")
    one.write()

    # Another session, with files: the path shortened, quoted, with a tail to go on.
    two = Claude(home, session=TWO, cwd="/srv/app")
    two.prompt("Look at the files")
    known["session"] = TWO
    texts = {
        "ls_-R": "[full output: ~/.local/share/rtk/tee/{name}]",
        "grep_0___42af1e": "[see remaining: tail -n +26"
        ' "$HOME/.local/share/rtk/tee/{name}"]',
        "pytest": "[see remaining: tail -n +26 " + str(tee) + "/{name}]",
    }
    for number, (slug, hint) in enumerate(texts.items()):
        name = f"{NIGHT + number}_{slug}.log"
        data = output(slug, 65_000, kind="ansi" if number == 2 else "plain")
        (tee / name).write_bytes(data)
        os.utime(tee / name, (NIGHT + number, NIGHT + number))
        head = b"\n".join(data.split(b"\n")[:25]).decode()
        envelope = f"{head}\n{hint.format(name=name)}"
        call = two.calls("Bash", command=slug)
        two.gets(call, envelope)
        more: tuple[tuple[int, int], ...] = ()
        if number == 1:
            back = two.calls("Bash", command=f"sed -n '30,50p' {tee / name}")
            two.gets(back, "\n".join(data.decode().split("\n")[29:50]))
            more = (span(data, 30, 50),)
        store.spills.append(
            Spill(
                path=tee / name,
                data=data,
                what=f"tee: {slug}",
                content="tee",
                call_id=call,
                command=slug,
                failed=False,
                envelope=envelope,
                may=(span(data, 1, 25), *more),
                agrees=None,
                **known,
            )
        )
    two.write()
    other = tee / "notes.txt"
    other.write_text("mine")
    store.others += [other, recall.path, one.transcript, two.transcript]
    recall.db.close()
    old = time.time() - 3600
    os.utime(recall.path, (old, old))
    return store
