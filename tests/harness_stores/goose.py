"""A made store of goose: sessions.db, an older JSON Lines file, slots and responses."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

from tests.harness_stores.model import Gone, HarnessStore, Range, Spill
from tests.stores import log_of, span

NIGHT = 1_795_000_000
FIRST, SECOND, OLDER = "20261118_1", "20261118_2", "20260101_090000"
SHELL = ((2000, "lines"), (50000, "bytes"))
HINT = (
    "Read it with shell commands like `head`, `tail`, or `sed -n '100,200p'` "
    "up to 2000 lines at a time.]"
)

_SCHEMA = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL DEFAULT '', user_set_name BOOLEAN DEFAULT FALSE,
  working_dir TEXT NOT NULL, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT,
  session_id TEXT NOT NULL, role TEXT NOT NULL, content_json TEXT NOT NULL,
  created_timestamp INTEGER NOT NULL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  tokens INTEGER, metadata_json TEXT);
"""


def limited(text: str, path: Path) -> tuple[str, str, int]:
    """What the model got of a stream: its last lines, the notice, bytes of the tail."""
    rows = text.split("\n")
    shown = "\n".join(rows[-50:])
    while len(shown.encode()) > 10_000:
        shown = shown[1:]
    if len(rows) > 2000:
        reason = f"Output exceeded 2000 line limit ({len(rows)} lines total)."
    else:
        reason = f"Output exceeded 50000 byte limit ({len(text.encode())} bytes total)."
    notice = f"[{reason} Full output saved to {path}. {HINT}"
    return shown, notice, len(shown.encode())


class Session:
    """One session, told in order."""

    def __init__(self, session: str, folder: str, *, start: int = NIGHT) -> None:
        self.session, self.folder = session, folder
        self.clock = start
        self.rows: list[tuple[str, int, list[dict[str, Any]]]] = []

    def _add(self, role: str, *content: dict[str, Any]) -> int:
        self.clock += 10
        self.rows.append((role, self.clock, list(content)))
        return self.clock

    def prompt(self, text: str) -> None:
        self._add("user", {"type": "text", "text": text})

    def says(self, text: str) -> None:
        thought = {"type": "thinking", "thinking": "hm", "signature": ""}
        self._add("assistant", thought, {"type": "text", "text": text})

    def runs(
        self,
        call: str,
        tool: str,
        texts: list[Any],
        *,
        failed: bool = False,
        **given: Any,
    ) -> int:
        """A call and what came back; its time."""
        value = {"name": tool, "arguments": given}
        request = {"status": "success", "value": value}
        began = self._add(
            "assistant", {"type": "toolRequest", "id": call, "toolCall": request}
        )
        content = [
            {"type": "text", "text": text} if isinstance(text, str) else text
            for text in texts
        ]
        result = {"status": "success", "value": {"content": content, "isError": failed}}
        self._add("user", {"type": "toolResponse", "id": call, "toolResult": result})
        return began


def make(home: Path) -> HarnessStore:
    """A night of goose."""
    store = HarnessStore(harness="goose")
    tmp = home / "tmp"
    slots = tmp / ".tmpAbC123"
    slots.mkdir(parents=True)
    one, two = (
        Session(FIRST, "/srv/app"),
        Session(SECOND, "/srv/two", start=NIGHT + 5000),
    )
    one.prompt("Build everything")

    def write(path: Path, data: bytes, when: float) -> bytes:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, (when, when))
        return data

    def spill(path: Path, data: bytes, what: str, **more: Any) -> None:
        more.setdefault("gates", SHELL)
        store.spills.append(
            Spill(path=path, data=data, what=what, content="slot", **more)
        )

    # A slot whose first output is overwritten by a later command of the session.
    path = slots / "output-0"
    lost = log_of(2500, last="1 failed").decode().rstrip("\n")
    shown, notice, _ = limited(lost, path)
    one.runs("call_lost", "shell", [f"{shown}\n\n{notice}"], command="make first")
    one.says("One failed.")
    store.gone.append(
        Gone(
            what="overwritten",
            state="dangling",
            session=FIRST,
            path=str(path),
            call_id="call_lost",
            tool="shell",
        )
    )
    now = log_of(3626, last="make: *** [all] Error 2").decode().rstrip("\n")
    shown, notice, size = limited(now, path)
    code = "\n\nCommand exited with code 2"
    when = one.runs(
        "call_now",
        "shell",
        [f"{shown}\n\n{notice}{code}"],
        failed=True,
        command="make all",
    )
    one.says("It breaks.")
    data = write(path, now.encode(), when + 5)
    part = "\n".join(now.split("\n")[99:200])
    one.runs("call_sed", "shell", [part], command=f"sed -n '100,200p' {path}")
    a, b = span(data, 100, 200)
    spill(
        path,
        data,
        "the newest output of a slot, read again",
        session=FIRST,
        project="/srv/app",
        tool="shell",
        command="make all",
        call_id="call_now",
        failed=True,
        envelope=f"{shown}\n\n{notice}",
        seen=((a, b - 1), (len(data) - size, len(data))),
        boundary=(2000, "lines"),
        agrees=True,
        next_text="It breaks.",
        read_back=True,
    )

    # Both streams of one call; the preview in a block of its own.
    out, err = slots / "stdout-1", slots / "stderr-1"
    texts = [
        log_of(4000, last="built").decode(),
        log_of(2200, last="9 warnings").decode(),
    ]
    shows = [limited(t.rstrip("\n"), p) for t, p in zip(texts, (out, err), strict=True)]
    whole = f"{shows[0][0]}\n\n{shows[0][1]}\n\n{shows[1][0]}\n\n{shows[1][1]}"
    when = one.runs("call_both", "shell", [whole], command="make both")
    for text, path, (shown, notice, size), lead in zip(
        texts, (out, err), shows, ("", "\n\n"), strict=True
    ):
        data = write(path, text.rstrip("\n").encode(), when + 3)
        spill(
            path,
            data,
            f"one of two streams: {path.name}",
            session=FIRST,
            call_id="call_both",
            envelope=f"{lead}{shown}\n\n{notice}",
            seen=((len(data) - size, len(data)),),
            agrees=True,
        )
    path = slots / "output-2"
    wide = (
        log_of(700, wide="行" * 30 + "\x1b[31m", last="700 done").decode().rstrip("\n")
    )
    shown, notice, size = limited(wide, path)
    when = one.runs("call_wide", "shell", [shown, notice], command="make wide")
    data = write(path, wide.encode(), when + 1)
    spill(
        path,
        data,
        "by bytes, the notice in a block of its own",
        session=FIRST,
        call_id="call_wide",
        envelope=f"{shown}\n{notice}",
        seen=((len(data) - size, len(data)),),
        boundary=(50000, "bytes"),
        agrees=True,
    )

    # Overwritten by a command that no record tells of: nothing of it was seen.
    path = slots / "output-3"
    told = log_of(2800, last="2 failed").decode().rstrip("\n")
    shown, notice, _ = limited(told, path)
    when = one.runs("call_other", "shell", [f"{shown}\n\n{notice}"], command="make x")
    data = write(path, log_of(2900, last="2 failed").rstrip(b"\n"), when + 400)
    spill(
        path,
        data,
        "overwritten by a command that is not recorded",
        session=FIRST,
        call_id="call_other",
        envelope=f"{shown}\n\n{notice}",
        agrees=False,
    )
    # The folder of an ended process is gone.
    path = tmp / ".tmpGone00" / "output-5"
    shown, notice, _ = limited(told, path)
    two.prompt("Again")
    two.runs("call_gone", "shell", [f"{shown}\n\n{notice}"], command="make gone")
    store.gone.append(
        Gone(what="ended", state="dangling", session=SECOND, call_id="call_gone")
    )
    # A text that quotes notices; and one that only the person got.
    _, notice, _ = limited(told, tmp / ".tmpQuote0" / "output-2")
    body = log_of(300).decode()
    two.runs("call_cat", "shell", [f"{body}\n{notice}\n{body}"], command="cat s.md")
    private = {"type": "text", "text": notice, "annotations": {"audience": ["user"]}}
    two.runs("call_own", "shell", ["ok", private], command="true")

    path = slots / "stderr-7"
    data = write(path, log_of(2100, last="nobody asked").rstrip(b"\n"), NIGHT)
    spill(path, data, "of no record", link="orphan")
    responses(store, tmp, one, two, write)
    others(store, tmp, slots)
    database(home / ".local" / "share" / "goose" / "sessions", one, two)
    return store


def responses(
    store: HarnessStore, tmp: Path, one: Session, two: Session, write: Any
) -> None:
    """Large results of other tools, under both kinds of names, and an older session."""
    old = Session(OLDER, "/srv/old", start=NIGHT - 90_000)
    old.prompt("Old times")
    dated = "mcp_response_20261118_110640.123456.txt"
    for session, path, tool in (
        (one, tmp / "goose_mcp_responses" / dated, "github__list"),
        (two, tmp / "goose_mcp_response_T1YuDw.txt", "load_skill"),
        (
            old,
            tmp / "goose_mcp_responses" / dated.replace("18", "01"),
            "old__t",
        ),
    ):
        text = log_of(9000, wide="数据 ", last=f"{tool} is done").decode()
        said = (
            f"The response returned from the tool call was larger ({len(text)} "
            "characters) and is stored in the file which you can use other tools to "
            f"examine or search in: {path}"
        )
        call = f"call_{tool}"
        when = session.runs(call, tool, [said], page=1)
        data = write(path, text.encode(), when)
        seen: list[Range] = []
        if session is two:
            rows = text.splitlines(keepends=True)
            two.runs(
                "call_tail", "shell", ["".join(rows[-2:])], command=f"tail -n 2 {path}"
            )
            seen.append(span(data, 8999, 9000))
        store.spills.append(
            Spill(
                path=path,
                data=data,
                what=f"a response: {path.name}",
                session=session.session,
                project=session.folder,
                tool=tool,
                call_id=call,
                failed=False,
                envelope=said,
                seen=tuple(seen),
                boundary=(200_000, "chars"),
                gates=((200_000, "chars"),),
                agrees=True,
                content="page",
            )
        )
    gone = tmp / "goose_mcp_responses" / "mcp_response_20261118_110641.000001.txt"
    said = (
        "The response returned from the tool call was larger (345678 characters) and "
        "is stored in the file which you can use other tools to examine or search in: "
        f"{gone}"
    )
    old.runs("call_tidied", "old__t", [said])
    store.gone.append(
        Gone(what="tidied away", state="dangling", session=OLDER, call_id="call_tidied")
    )
    head = {"description": "Old times", "working_dir": "/srv/old", "message_count": 4}
    lines = [json.dumps(head)]
    for number, (role, when, content) in enumerate(old.rows):
        row = {"id": f"m{number}", "role": role, "created": when, "content": content}
        lines.append(json.dumps(row, ensure_ascii=False))
    log = tmp.parent / ".local" / "share" / "goose" / "sessions" / f"{OLDER}.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text("\n".join(lines) + "\n")


def others(store: HarnessStore, tmp: Path, slots: Path) -> None:
    """What other programs leave in the same places."""
    for path in (
        slots / "data.bin",
        slots / "output-8",
        tmp / ".tmpZZZZZZ" / "lib.rs",
        tmp / ".tmpXyZ987",
        tmp / "goose_mcp_response_note.md",
        tmp / "goose_mcp_responses" / "readme.txt",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("something else")
        store.others.append(path)


def database(folder: Path, *sessions: Session) -> None:
    """The sessions in goose's database, with rows that cannot be read."""
    connection = sqlite3.connect(folder / "sessions.db", isolation_level=None)
    connection.executescript(_SCHEMA)
    for number, each in enumerate(sessions):
        connection.execute(
            "INSERT INTO sessions VALUES (?,?,?,?,?,?,?)",
            (
                each.session,
                f"Night {number}",
                "",
                0,
                each.folder,
                "2026-11-18 11:06:40",
                "2026-11-18 12:00:00",
            ),
        )
        connection.execute(
            "INSERT INTO messages (session_id, role, content_json, created_timestamp)"
            " VALUES (?,'user','[{\"type\": \"te',1)",
            (each.session,),
        )
        for index, (role, when, content) in enumerate(each.rows):
            connection.execute(
                "INSERT INTO messages (message_id, session_id, role, content_json,"
                " created_timestamp) VALUES (?,?,?,?,?)",
                (
                    f"msg_{number}_{index}",
                    each.session,
                    role,
                    json.dumps(content),
                    when,
                ),
            )
            if index == 2:  # what a compaction took away
                connection.execute(
                    "DELETE FROM messages WHERE id = (SELECT max(id) FROM messages)"
                )
                connection.execute(
                    "INSERT INTO messages (message_id, session_id, role, content_json,"
                    " created_timestamp) VALUES (?,?,?,?,?)",
                    (
                        f"msg_{number}_{index}",
                        each.session,
                        role,
                        json.dumps(content),
                        when,
                    ),
                )
    connection.close()
