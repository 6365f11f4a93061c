"""A made store of dcode: results without an extension, threads packed in SQLite."""

from __future__ import annotations

import json
import sqlite3
import struct
from pathlib import Path
from typing import Any

from tests.harness_stores.model import Gone, HarnessStore, Range, Spill
from tests.stores import log_of, numbered, span

NIGHT = 1_795_000_000
FIRST, SECOND = "0199a1b2", "0199c3d4"
GATE = (80_000, "chars")
TABLES = """
CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL
 DEFAULT '', checkpoint_id TEXT NOT NULL, parent_checkpoint_id TEXT, type TEXT,
 checkpoint BLOB, metadata BLOB,
 PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));
CREATE TABLE writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '',
 checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL, idx INTEGER NOT NULL,
 channel TEXT NOT NULL, type TEXT, value BLOB,
 PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));
"""


class Object:
    """An object as it is packed: its module, its class, what it was made from."""

    def __init__(self, name: str, made: Any) -> None:
        self.name, self.made = name, made


def packed(value: Any) -> bytes:
    """MessagePack, as far as messages need it."""
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return (
            struct.pack(">Bq", 0xD3, value) if not 0 <= value < 128 else bytes([value])
        )
    if isinstance(value, float):
        return struct.pack(">Bd", 0xCB, value)
    if isinstance(value, str):
        data = value.encode()
        if len(data) < 32:
            return bytes([0xA0 | len(data)]) + data
        return struct.pack(">BI", 0xDB, len(data)) + data
    if isinstance(value, Object):
        module = "langchain_core.messages"
        inner = packed([module, value.name, value.made, "model_validate_json"])
        return struct.pack(">BIB", 0xC9, len(inner), 5) + inner
    if isinstance(value, dict):
        parts = [packed(key) + packed(item) for key, item in value.items()]
        return struct.pack(">BH", 0xDE, len(parts)) + b"".join(parts)
    parts = [packed(item) for item in value]
    if len(parts) < 16:
        return bytes([0x90 | len(parts)]) + b"".join(parts)
    return struct.pack(">BH", 0xDC, len(parts)) + b"".join(parts)


def checkpoint_id(step: int) -> str:
    """A time-ordered uuid."""
    ticks = (NIGHT + step) * 10_000_000 + 0x01B21DD213814000
    digits = f"{ticks:015x}"
    return f"{digits[:8]}-{digits[8:12]}-6{digits[12:]}-8000-0123456789ab"


class Thread:
    """One thread, told in order."""

    def __init__(self, database: sqlite3.Connection, thread: str) -> None:
        self.database, self.thread = database, thread
        self.step = self.calls = 0
        told = {"cwd": "/srv/app", "agent_name": "agent", "source": "loop"}
        self.database.execute(
            "INSERT INTO checkpoints VALUES (?, '', ?, NULL, 'msgpack', ?, ?)",
            (thread, checkpoint_id(0), packed({"v": 4}), json.dumps(told).encode()),
        )

    def write(self, value: bytes, kind: str = "msgpack", ns: str = "") -> None:
        self.step += 1
        row = (self.thread, ns, checkpoint_id(self.step), f"t{self.step}", 0)
        self.database.execute(
            "INSERT INTO writes VALUES (?, ?, ?, ?, ?, 'messages', ?, ?)",
            (*row, kind, value),
        )

    def message(self, name: str, ns: str = "", /, **made: Any) -> None:
        kind = {"AIMessage": "ai", "ToolMessage": "tool", "HumanMessage": "human"}[name]
        made = {"type": kind, "id": f"{self.thread}-{self.step}", **made}
        self.write(packed([Object(name, made)]), ns=ns)

    def prompt(self, text: str) -> None:
        self.message("HumanMessage", content=text)

    def says(self, text: str) -> None:
        self.message(
            "AIMessage", content=[{"type": "text", "text": text}], tool_calls=[]
        )

    def call(self, tool: str, ns: str = "", **args: Any) -> str:
        self.calls += 1
        call_id = f"call_{self.thread[-2:]}_{self.calls}"
        call = {"name": tool, "args": args, "id": call_id, "type": "tool_call"}
        self.message("AIMessage", ns, content="", tool_calls=[call])
        return call_id

    def result(self, call_id: str, tool: str, content: Any, **more: Any) -> None:
        made = {"content": content, "name": tool, "tool_call_id": call_id} | more
        self.message("ToolMessage", made.pop("ns", ""), **{"status": "success", **made})


def sample(text: str) -> tuple[str, tuple[Range, ...]]:
    """Five numbered lines of each end, and the bytes they show."""
    lines = text.splitlines()
    first = [f"{n:>6}\t{line[:1000]}" for n, line in enumerate(lines[:5], 1)]
    start = len(lines) - 4
    last = [f"{n:>6}\t{line[:1000]}" for n, line in enumerate(lines[-5:], start)]
    gap = f"\n... [{len(lines) - 10} lines truncated] ...\n"
    data = text.encode()
    end = span(data, start, len(lines))
    return "\n".join(first) + gap + "\n".join(last), (span(data, 1, 5), end)


HINTS = (
    "You can read the result from the filesystem by using the read_file tool, but make "
    "sure to only read part of the result at a time.",
    "You can do this by specifying an offset and limit in the read_file tool call. For "
    "example, to read the first 100 lines, you can use the read_file tool with "
    "offset=0 and limit=100.",
    "Here is a preview showing the head and tail of the result (lines of the form `... "
    "[N lines truncated] ...` indicate omitted lines in the middle of the content):",
)


def notice(call_id: str, path: str, shown: str) -> str:
    first = (
        f"Tool result too large, the result of this tool call {call_id} was saved in "
        f"the filesystem at this path: {path}"
    )
    return "\n\n".join((first, *HINTS, f"{shown}\n"))


def make(home: Path) -> HarnessStore:
    """Make the store below `home`."""
    store = HarnessStore(harness="deepagents")
    results = home / "tmp" / "dcode-artifacts-1000" / "large_tool_results"
    older = home / "tmp" / "deepagents_large_results_ab12cd_9"
    state = home / ".deepagents" / ".state"
    for folder in (results, older, state):
        folder.mkdir(parents=True)
    database = sqlite3.connect(state / "sessions.db")
    database.executescript(TABLES)

    def add(
        thread: Thread, path: Path, data: bytes, what: str, call_id: str, **more: Any
    ) -> None:
        path.write_bytes(data)
        known: dict[str, Any] = {"boundary": GATE, "gates": (GATE,), "agrees": None}
        known |= {"session": thread.thread, "project": "/srv/app", "tool": "execute"}
        store.spills.append(
            Spill(path=path, data=data, what=what, call_id=call_id, **(known | more))
        )

    first = Thread(database, FIRST)
    first.prompt("Run the tests")
    call = first.call("execute", command="make test")
    text = log_of(4000, wide="日本 ").decode() + "[Command failed with exit code 2]"
    shown, ranges = sample(text)
    path = results / call
    given = notice(call, f"/large_tool_results/{call}", shown)
    first.result(call, "execute", given)
    first.says("Two failures.")
    data = text.encode()
    again = first.call("read_file", file_path=f"/large_tool_results/{call}", offset=99)
    first.result(again, "read_file", numbered(data, 100, 160, "{n:>6}\t{line}"))
    again = first.call("execute", command=f"sed -n '3000,3002p' {path}")
    lines = "\n".join(text.split("\n")[2999:3002])
    first.result(again, "execute", f"{lines}\n\n[Command succeeded with exit code 0]")
    middle = span(data, 3000, 3002)
    add(
        first,
        path,
        data,
        "numbered ends, read on",
        call,
        command="make test",
        failed=True,
        envelope=given,
        seen=tuple(sorted((*ranges, span(data, 100, 160), (middle[0], middle[1] - 1)))),
        next_text="Two failures.",
        read_back=True,
    )
    # The agent's path is the real one; lines are long, ends are CRLF.
    call = first.call("execute", command="cat wide.csv")
    rows = [f"{n}," + "x" * 1500 for n in range(70)] + ["total 70"]
    text = "\r\n".join(rows)
    shown, _ = sample(text)
    path = results / call
    given = notice(call, str(path), shown)
    first.result(call, "execute", [{"type": "text", "text": given}])
    data = text.encode()
    cut = tuple(
        (start, start + 1000)
        for n in (1, 2, 3, 4, 5, 67, 68, 69, 70)
        for start in (span(data, n, n)[0],)
    )
    add(
        first,
        path,
        data,
        "real path, long lines",
        call,
        failed=False,
        envelope=given,
        seen=(*cut, span(data, 71, 71)),
    )
    # An id is made fit for a name.
    call = "functions.fetch_url/0"
    made = {"name": "fetch_url", "args": {"url": "http://x"}, "id": call}
    first.message("AIMessage", content="", tool_calls=[made])
    text = log_of(5000, last="</html>").decode()
    shown, ranges = sample(text)
    name = "functions_fetch_url_0"
    given = notice(call, f"/large_tool_results/{name}", shown)
    first.result(call, "fetch_url", given)
    add(
        first,
        results / name,
        text.encode(),
        "an id that no name can be",
        call,
        tool="fetch_url",
        envelope=given,
        seen=ranges,
    )
    # A subagent's call has a namespace of its own.
    space = "tools:0199"
    call = first.call("execute", space, command="make leaks")
    text = log_of(4500, last="no leaks").decode()
    shown, ranges = sample(text)
    given = notice(call, f"/large_tool_results/{call}", shown)
    first.result(call, "execute", given, ns=space)
    add(
        first,
        results / call,
        text.encode(),
        "of a subagent",
        call,
        command="make leaks",
        envelope=given,
        seen=ranges,
    )
    call = first.call("execute", command="yes")
    first.result(
        call, "execute", "y\n" * 5000 + "[Output was truncated due to size limits]"
    )
    store.gone.append(
        Gone(what="cut", state="cut", session=FIRST, call_id=call, tool="execute")
    )
    call = first.call("read_file", file_path="/srv/app/notes.md")
    first.result(call, "read_file", f"     1\tNotes\n     2\t{given[:120]}")
    # Rows that are packed in ways that are not read.
    first.write(b"\x80\x04\x95\x0b\x00.", "pickle")
    first.write(b"\xdd\xff\xff\xff\xff", "msgpack")
    first.write(b"\x00" * 40, "msgpack+aes")
    first.write(packed([Object("ToolMessage", ["x"]), 7, {"content": {"a": 1}}]))

    second = Thread(database, SECOND)
    call_row = {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", "HumanMessage"],
        "kwargs": {"content": "An older thread", "id": "h1"},
    }
    second.write(json.dumps([call_row]).encode(), "json")
    call = second.call("web_search", query="x")
    text = log_of(4200, last="10 results").decode()
    head = numbered(text.encode(), 1, 10, "{n:>6}\t{line}")
    given = (
        f"Tool result too large, the result of this tool call {call} was saved in the "
        f"filesystem at this path: /large_tool_results/{call}\nYou can read the result "
        "from the filesystem by using the read_file tool, but make sure to only read "
        "part of the result at a time.\nYou can do this by specifying an offset and "
        "limit in the read_file tool call.\nFor example, to read the first 100 lines, "
        "you can use the read_file tool with offset=0 and limit=100.\n\nHere are the "
        f"first 10 lines of the result:\n{head}\n"
    )
    second.result(call, "web_search", given)
    add(
        second,
        older / call,
        text.encode(),
        "older folder and wording",
        call,
        tool="web_search",
        envelope=given,
        seen=(span(text.encode(), 1, 10),),
    )
    call = second.call("execute", command="make gone")
    lost = f"/large_tool_results/{call}"
    second.result(call, "execute", notice(call, lost, "     1\tx"))
    store.gone.append(
        Gone(
            what="gone",
            state="dangling",
            session=SECOND,
            path=lost,
            call_id=call,
            tool="execute",
        )
    )
    database.commit()
    database.close()

    orphan = results / "call_nobody"
    orphan.write_bytes(log_of(4000))
    store.spills.append(
        Spill(
            path=orphan,
            data=orphan.read_bytes(),
            what="orphan",
            link="orphan",
            call_id="call_nobody",
            boundary=GATE,
        )
    )
    history = home / ".deepagents" / "conversation_history" / f"{FIRST}.md"
    for other in (
        history,
        results / "notes.txt",
        results.parent / "call_1",
        home / "tmp" / "dcode-artifacts-x" / "large_tool_results" / "call_1",
        home / "tmp" / "deepagents_large_results_1" / "call_1",
        home / ".deepagents" / "agent" / "AGENTS.md",
    ):
        other.parent.mkdir(parents=True, exist_ok=True)
        other.write_text("mine\n")
        store.others.append(other)
    return store
