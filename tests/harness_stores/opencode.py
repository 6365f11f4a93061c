"""A made store of opencode: its database in WAL mode, older files, and a fork's own."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.harness_stores.model import UNSAID, Gone, HarnessStore, Spill
from tests.stores import log_of, span

NIGHT = 1_795_000_000
MAIN = "ses_0a1b2c3d4e5fAAAAAAAAAAAAAA"
CHILD = "ses_0a1b2c3d4e60BBBBBBBBBBBBBB"
SECOND = "ses_000000000001CCCCCCCCCCCCCC"
OLDER = "ses_09f0c0d0e0f0DDDDDDDDDDDDDD"
KILO = "ses_0a1b2c3d4e61EEEEEEEEEEEEEE"
BOTH = ((2000, "lines"), (51200, "bytes"))
GREP = (
    "Use Grep to search the full content or Read with offset/limit to view specific "
    "sections."
)
TASK = (
    "Use the Task tool to have explore agent process this file with Grep and Read "
    "(with offset/limit). Do NOT read the full file yourself - delegate to save "
    "context."
)
SAVED = "The tool call succeeded but the output was truncated. Full output saved to: "

_OLD = """
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text,
  slug text NOT NULL, directory text NOT NULL, title text NOT NULL,
  version text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL,
  session_id text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL);
CREATE INDEX part_session_idx ON part (session_id);
"""
_NEW = """
CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL,
  type text NOT NULL, seq integer NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL);
"""


def names() -> Iterator[str]:
    """Names of artifacts: the first ids are those before the 48 bits began anew."""
    heads = ["fe9c0a1b2c3d", "fe9c0a1b2c4e", "ffffffffffff", "000000000001"]
    for number in range(10_000):
        head = heads[number] if number < len(heads) else f"{number:012x}"
        yield f"tool_{head}{number:014d}"


def head(data: bytes, *, hint: str = GREP, path: Path) -> tuple[str, int]:
    """What the model got of it, and how many bytes from its start."""
    rows = data.decode().split("\n")
    kept: list[str] = []
    size, by_bytes = 0, False
    for row in rows[:2000]:
        more = len(row.encode()) + bool(kept)
        if size + more > 51200:
            by_bytes = True
            break
        kept.append(row)
        size += more
    left = len(data) - size if by_bytes else len(rows) - len(kept)
    unit = "bytes" if by_bytes else "lines"
    shown = "\n".join(kept)
    return f"{shown}\n\n...{left} {unit} truncated...\n\n{SAVED}{path}\n{hint}", size


def tail(data: bytes, *, path: Path) -> tuple[str, int]:
    """The same from its end."""
    rows = data.decode().split("\n")
    kept: list[str] = []
    size, by_bytes = 0, False
    for row in reversed(rows):
        more = len(row.encode()) + bool(kept)
        if len(kept) == 2000:
            break
        if size + more > 51200:
            by_bytes = True
            break
        kept.insert(0, row)
        size += more
    left = len(data) - size if by_bytes else len(rows) - len(kept)
    unit = "bytes" if by_bytes else "lines"
    shown = "\n".join(kept)
    return f"...{left} {unit} truncated...\n\n{SAVED}{path}\n{GREP}\n\n{shown}", size


def halves(data: bytes, *, path: Path) -> tuple[str, int, int]:
    """v2: head and tail around one line; where the head ends and the tail begins."""
    mark = f"... output truncated; full content saved to {path} ..."
    rows = data.decode().split("\n")
    lines, room = 1996, 51200 - len(mark.encode()) - 4
    first, last = rows[: lines // 2], rows[len(rows) - lines // 2 :]
    sampled = data.decode() if len(rows) <= lines else "\n".join([*first, *last])
    if len(sampled.encode()) <= room:
        before, after = "\n".join(first), "\n".join(last)
    else:
        before = sampled.encode()[: -(-room // 2)].decode("utf-8", "ignore")
        after = sampled.encode()[-(room // 2) :].decode("utf-8", "ignore")
    text = f"{before}\n\n{mark}\n\n{after}"
    return text, len(before.encode()), len(data) - len(after.encode())


class Session:
    """One session of the first form, as rows of messages and parts."""

    def __init__(
        self,
        session: str,
        *,
        folder: str = "/srv/app",
        title: str = "New session - 2026-11-18T11:06:40.000Z",
        parent: str | None = None,
        start: int = NIGHT,
    ) -> None:
        self.session, self.folder, self.title = session, folder, title
        self.parent = parent
        self.clock = start * 1000
        self.messages: list[tuple[str, int, dict[str, Any]]] = []
        self.parts: list[tuple[str, str, int, dict[str, Any]]] = []

    def _tick(self) -> int:
        self.clock += 1000
        return self.clock

    def message(self, role: str, *, done: bool = True) -> str:
        ident = f"msg_{len(self.messages):012x}{self.session[-14:]}"
        now = self._tick()
        data: dict[str, Any] = {"role": role, "time": {"created": now}}
        if role == "assistant":
            data["path"] = {"cwd": self.folder, "root": self.folder}
            if done:
                data["time"]["completed"] = now + 900
        self.messages.append((ident, now, data))
        return ident

    def part(self, message: str, **data: Any) -> None:
        ident = f"prt_{len(self.parts):012x}{self.session[-14:]}"
        self.parts.append((ident, message, self._tick(), data))

    def prompt(self, text: str, **more: Any) -> None:
        self.part(self.message("user"), type="text", text=text, **more)

    def says(self, text: str) -> None:
        self.part(self.message("assistant"), type="text", text=text)

    def runs(
        self,
        tool: str,
        output: str | None,
        *,
        call: str,
        message: str | None = None,
        **given: Any,
    ) -> None:
        """A call and its result; None: it still runs."""
        meta = given.pop("metadata", {"truncated": False})
        message = message or self.message("assistant", done=output is not None)
        now = self._tick()
        state: dict[str, Any] = {"status": "running", "input": given}
        state["time"] = {"start": now}
        if output is not None:
            state |= {"status": "completed", "output": output, "title": tool}
            state |= {"metadata": meta, "time": {"start": now, "end": now + 500}}
        self.part(message, type="tool", callID=call, tool=tool, state=state)

    def rows(self, database: sqlite3.Connection) -> None:
        """Into a database."""
        database.execute(
            "INSERT INTO session VALUES (?,?,?,?,?,?,?,?,?)",
            (
                self.session,
                "global",
                self.parent,
                "quiet-moon",
                self.folder,
                self.title,
                "1.2.10",
                self.clock - 100_000,
                self.clock,
            ),
        )
        for ident, now, data in self.messages:
            database.execute(
                "INSERT INTO message VALUES (?,?,?,?,?)",
                (ident, self.session, now, now, json.dumps(data)),
            )
        for ident, message, now, data in self.parts:
            database.execute(
                "INSERT INTO part VALUES (?,?,?,?,?,?)",
                (ident, message, self.session, now, now, json.dumps(data)),
            )

    def files(self, storage: Path) -> None:
        """As the older files."""
        info = {
            "id": self.session,
            "projectID": "global",
            "directory": self.folder,
            "title": self.title,
            "version": "1.1.1",
            "time": {"created": self.clock - 100_000, "updated": self.clock},
        }
        write_json(storage / "session" / "global" / f"{self.session}.json", info)
        for ident, _, data in self.messages:
            given = {"id": ident, "sessionID": self.session, **data}
            write_json(storage / "message" / self.session / f"{ident}.json", given)
        for ident, message, _, data in self.parts:
            own = {"id": ident, "sessionID": self.session, "messageID": message}
            write_json(storage / "part" / message / f"{ident}.json", {**own, **data})


def write_json(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2))


def make(home: Path) -> HarnessStore:
    """A night of opencode and Kilo."""
    store = HarnessStore(harness="opencode")
    data = home / ".local" / "share" / "opencode"
    outputs = data / "tool-output"
    outputs.mkdir(parents=True)
    name = names()

    def save(content: bytes, folder: Path = outputs) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / next(name)
        path.write_bytes(content)
        return path

    def cut(path: Path) -> dict[str, Any]:
        return {"truncated": True, "outputPath": str(path)}

    main = Session(MAIN, title="Fix the nightly build")
    main.prompt("Why does the nightly build fail?")

    # By lines, from the head; read again later, from both ends.
    log = log_of(5000)
    path = save(log)
    text, size = head(log, path=path)
    main.runs("lint_check", text, call="toolu_lines", deep=True, metadata=cut(path))
    main.says("It looks fine so far.")
    numbered = "\n".join(
        f"{n}: {row}" for n, row in enumerate(log.decode().split("\n")[3000:3100], 3001)
    )
    body = (
        f"<path>{path}</path>\n<type>file</type>\n<content>\n{numbered}\n\n"
        f"(Showing lines 3001-3100 of 5000. Use offset=3101 to continue.)\n</content>"
    )
    main.runs("read", body, call="toolu_read", filePath=str(path), offset=3001)
    a, b = span(log, 3001, 3100)
    shown = [(0, size), (a, b)]
    last = "".join(log.decode().splitlines(keepends=True)[-3:])
    main.runs("bash", last, call="toolu_tail", command=f"tail -n 3 {path}")
    shown.append(span(log, 4998, 5000))
    store.spills.append(
        Spill(
            path=path,
            data=log,
            what="head by lines, read again twice",
            session=MAIN,
            project="/srv/app",
            tool="lint_check",
            call_id="toolu_lines",
            failed=False,
            envelope=text,
            seen=tuple(shown),
            boundary=(2000, "lines"),
            gates=BOTH,
            agrees=None,
            next_text="It looks fine so far.",
            read_back=True,
        )
    )

    # By bytes, wide characters, for an agent that has a task tool.
    wide = log_of(
        1200, wide="日本語の行 \x1b[32m" + "x" * 60 + "\x1b[0m ", last="1 failed"
    )
    path = save(wide)
    text, size = head(wide, hint=TASK, path=path)
    assert "bytes truncated" in text
    main.runs("webfetch", text, call="toolu_bytes", url="http://x", metadata=cut(path))
    store.spills.append(
        Spill(
            path=path,
            data=wide,
            what="head by bytes, wide characters",
            session=MAIN,
            tool="webfetch",
            call_id="toolu_bytes",
            envelope=text,
            seen=((0, size),),
            boundary=(51200, "bytes"),
            gates=BOTH,
        )
    )

    # From the tail: the notice comes first, the verdict was seen.
    log = log_of(4000, last="3 passed").replace(b"\n", b"\r\n")
    path = save(log)
    text, size = tail(log, path=path)
    main.runs("context_logs", text, call="toolu_tailed", metadata=cut(path))
    store.spills.append(
        Spill(
            path=path,
            data=log,
            what="tail by bytes, CRLF",
            session=MAIN,
            tool="context_logs",
            call_id="toolu_tailed",
            envelope=text,
            seen=((len(log) - size, len(log)),),
            gates=BOTH,
        )
    )

    # The shell's own: its tail, and what the harness says behind it.
    log = log_of(6000, last="make: *** [all] Error 2")
    path = save(log)
    end = b"\n".join(log.split(b"\n")[-2000:])
    text = (
        f"...output truncated...\n\nFull output saved to: {path}\n\n{end.decode()}"
        "\n\n<shell_metadata>\nshell tool terminated command after exceeding timeout "
        "120000 ms. If this command is expected to take longer and is not waiting for "
        "interactive input, retry with a larger timeout value in milliseconds.\n"
        "</shell_metadata>"
    )
    main.runs(
        "bash",
        text,
        call="toolu_shell",
        command="make all",
        metadata={"output": "…", "exit": 2, **cut(path)},
    )
    main.says("Two errors.")
    store.spills.append(
        Spill(
            path=path,
            data=log,
            what="the shell's tail",
            session=MAIN,
            tool="bash",
            command="make all",
            call_id="toolu_shell",
            failed=True,
            envelope=text,
            seen=((len(log) - len(end), len(log)),),
            gates=BOTH,
            next_text="Two errors.",
        )
    )
    quoted = path

    # A text that quotes a notice, from a call that was not cut: no link.
    quote, _ = head(log_of(3000), path=quoted)
    main.runs("bash", quote, call="toolu_quote", command="cat notes.md")
    # Removed by the harness; and cut before anything was saved.
    gone = outputs / "tool_fe9c0a1b2c3d99999999999999"
    text, _ = head(log_of(3000), path=gone)
    main.runs("grep", text, call="toolu_gone", pattern="x", metadata=cut(gone))
    store.gone.append(
        Gone(
            what="removed after a week",
            state="dangling",
            session=MAIN,
            path=str(gone),
            call_id="toolu_gone",
            tool="grep",
        )
    )
    text = (
        log_of(1500).decode()[:30000]
        + "\n\n<bash_metadata>\nbash tool truncated output as it exceeded 30000 char "
        "limit\n</bash_metadata>"
    )
    main.runs("bash", text, call="toolu_cut", command="make old", metadata={"exit": 0})
    store.gone.append(
        Gone(what="cut", state="cut", session=MAIN, call_id="toolu_cut", tool="bash")
    )
    for what in ("from an older version", "after the ids began anew"):
        path = save(log_of(3000, last=what))
        store.spills.append(
            Spill(path=path, data=path.read_bytes(), what=what, link="orphan")
        )
    # A subagent's session of its own, and a call that still runs.
    child = Session(CHILD, parent=MAIN, start=NIGHT + 500)
    child.prompt("Look for TODO")
    log = log_of(9000, last="src/z.py:9: TODO")
    path = save(log)
    text, size = head(log, path=path)
    child.runs("grep", text, call="toolu_child", pattern="TODO", metadata=cut(path))
    child.runs("bash", None, call="toolu_runs", command="sleep 1000")
    store.spills.append(
        Spill(
            path=path,
            data=log,
            what="a subagent's",
            session=CHILD,
            tool="grep",
            call_id="toolu_child",
            envelope=text,
            seen=((0, size),),
            gates=BOTH,
        )
    )

    # Sessions in the older files: one also in the database, where it was moved to.
    both = Session(OLDER, folder="/srv/old", title="Moved over", start=NIGHT - 9000)
    both.prompt("Go on")
    log = log_of(2500, last="done")
    path = save(log)
    text, size = head(log, path=path)
    both.runs("list", text, call="toolu_moved", metadata=cut(path))
    store.spills.append(
        Spill(
            path=path,
            data=log,
            what="in the database and in the older files",
            session=OLDER,
            project="/srv/old",
            call_id="toolu_moved",
            envelope=text,
            seen=((0, size),),
            gates=BOTH,
        )
    )
    both.files(data / "storage")
    alone = Session("ses_09f0c0d0e0f1FFFFFFFFFFFFFF", folder="/srv/old", title="Alone")
    alone.prompt("Check it")
    log = log_of(2600, last="alone is done")
    path = save(log)
    text, size = head(log, path=path)
    alone.runs("list", text, call="toolu_alone", metadata=cut(path))
    alone.says("Checked.")
    store.spills.append(
        Spill(
            path=path,
            data=log,
            what="in the older files alone",
            session=alone.session,
            project="/srv/old",
            call_id="toolu_alone",
            envelope=text,
            seen=((0, size),),
            next_text="Checked.",
        )
    )
    alone.files(data / "storage")

    rows = second(store, outputs, data, save)
    database(data / "opencode.db", [main, child, both], rows, broken=True)
    store.others += [
        data / "opencode.db",
        data / "storage" / "session",
        data / "auth.json",
    ]
    (data / "auth.json").write_text("{}")
    (outputs / "notes.txt").write_text("not one of theirs")
    (outputs / ".DS_Store").write_bytes(b"\0")
    store.others += [outputs / "notes.txt", outputs / ".DS_Store"]

    # A fork with a folder and a database of its own.
    kilo = home / ".local" / "share" / "kilo"
    fork = Session(KILO, folder="/srv/kilo", title="Kilo's")
    fork.prompt("Test")
    log = log_of(7000, last="7 failed")
    path = save(log, kilo / "tool-output")
    text, size = head(log, path=path)
    fork.runs("mcp_x", text, call="toolu_kilo", metadata=cut(path))
    database(kilo / "kilo.db", [fork], [])
    store.spills.append(
        Spill(
            path=path,
            data=log,
            what="Kilo's",
            session=KILO,
            project="/srv/kilo",
            tool="mcp_x",
            call_id="toolu_kilo",
            envelope=text,
            seen=((0, size),),
            gates=BOTH,
        )
    )
    return store


def second(store: HarnessStore, outputs: Path, data: Path, save: Any) -> list[Any]:
    """A session of v2: messages that hold their calls, one row each."""
    rows: list[tuple[str, dict[str, Any]]] = []
    now = (NIGHT + 2000) * 1000

    def tool(call: str, name: str, content: list[str], **given: Any) -> None:
        state: dict[str, Any] = {"status": "completed", "input": given.pop("input", {})}
        state["content"] = [{"type": "text", "text": text} for text in content]
        state |= given
        times = {
            "created": now + len(rows),
            "ran": now + len(rows),
            "completed": now + 9,
        }
        block = {
            "type": "tool",
            "id": call,
            "name": name,
            "state": state,
            "time": times,
        }
        message = {"time": {"created": now + len(rows), "completed": now + len(rows)}}
        rows.append(("assistant", {**message, "content": [block]}))

    rows.append(("user", {"text": "Run the second build", "time": {"created": now}}))
    log = log_of(8000, last="8 errors")
    path = save(log)
    text, left, right = halves(log, path=path)
    tool(
        "call_v2",
        "shell",
        [text, "Command exited with code 1."],
        input={"command": "make v2"},
        metadata={"status": "completed", "truncated": True, "exit": 1},
        outputPaths=[str(path)],
    )
    answer = {"type": "text", "text": "Eight errors."}
    times = {"created": now + 50, "completed": now + 50}
    rows.append(("assistant", {"time": times, "content": [answer]}))
    store.spills.append(
        Spill(
            path=path,
            data=log,
            what="v2, head and tail",
            session=SECOND,
            project="/srv/v2",
            tool="shell",
            command="make v2",
            call_id="call_v2",
            failed=True,
            envelope=text,
            seen=((0, left), (right, len(log))),
            gates=BOTH,
            next_text="Eight errors.",
        )
    )
    # The whole result as JSON, and its head and tail as they stand in it.
    items = [{"type": "text", "text": f"row {n} {'y' * 40}"} for n in range(1500)]
    whole = json.dumps(
        {"structured": {"ok": True}, "content": items}, indent=2
    ).encode()
    path = save(whole)
    text, left, right = halves(whole, path=path)
    tool("call_json", "db_query", [text], metadata={"outputPath": str(path)})
    store.spills.append(
        Spill(
            path=path,
            data=whole,
            what="v2, the whole result as JSON",
            session=SECOND,
            tool="db_query",
            call_id="call_json",
            envelope=text,
            seen=((0, left), (right, len(whole))),
            kind="json",
            gates=BOTH,
        )
    )
    # A command in the background: its file grows, no gate applies.
    out = data / "shell" / "sh_01JQ.out"
    out.parent.mkdir()
    log = log_of(900, last="listening")
    out.write_bytes(log)
    notice = (
        "Command moved to the background (shell ID: sh_01JQ).\n"
        f"Output is streaming to: {out}"
    )
    tool(
        "call_bg",
        "shell",
        [notice, "You will be told."],
        input={"command": "npm run dev"},
        metadata={"status": "running", "truncated": False, "shellID": "sh_01JQ"},
    )
    store.spills.append(
        Spill(
            path=out,
            data=log,
            what="v2, in the background",
            session=SECOND,
            tool="shell",
            command="npm run dev",
            call_id="call_bg",
            failed=UNSAID,
            envelope=notice,
            seen=(),
            content="background",
        )
    )
    return [
        (f"msg_{n:012x}CCCCCCCCCCCCCC", kind, n, now + n, row)
        for n, (kind, row) in enumerate(rows)
    ]


def database(
    path: Path, sessions: list[Session], rows: list[Any], *, broken: bool = False
) -> None:
    """The database as its owner leaves it while it works: newest rows in the log."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / path.name
        connection = sqlite3.connect(made, isolation_level=None)
        connection.executescript("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0")
        connection.executescript(_OLD)
        connection.executescript(_NEW)
        sessions[0].rows(connection)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for session in sessions[1:]:
            session.rows(connection)
        if rows:
            Session(SECOND, folder="/srv/v2", title="The second build").rows(connection)
        for ident, kind, seq, now, data in rows:
            connection.execute(
                "INSERT INTO session_message VALUES (?,?,?,?,?,?,?)",
                (ident, SECOND, kind, seq, now, now, json.dumps(data)),
            )
        if broken:
            message = sessions[0].messages[0][0]
            for number, text in enumerate(
                ('{"type": "tool"', "[1, 2]", '{"type": "tool", "state": 7}', "null")
            ):
                connection.execute(
                    "INSERT INTO part VALUES (?,?,?,?,?,?)",
                    (f"prt_bad{number}", message, MAIN, 1, 1, text),
                )
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(made, path)
        log = made.with_name(f"{made.name}-wal")
        if len(sessions) > 1:
            shutil.copy(log, path.with_name(log.name))
        connection.close()
