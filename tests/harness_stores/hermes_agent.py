"""A made store of hermes-agent: state.db, two homes of it, results and hooks' texts."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path
from typing import Any

from tests.harness_stores.model import Gone, HarnessStore, Range, Spill
from tests.stores import head_of, log_of, span

NIGHT = 1_795_000_000
FIRST, CHILD, WORK = "20261118_110640_a1b2c3", "20261118_120000_d4e5f6", "20261118_9_w0"
MCP, PLAIN = ((50_000, "chars"),), ((100_000, "chars"),)

_SCHEMA = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT,
  model TEXT, parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL,
  message_count INTEGER DEFAULT 0, title TEXT, cwd TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
  role TEXT NOT NULL, content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT,
  timestamp REAL NOT NULL, token_count INTEGER, finish_reason TEXT, reasoning TEXT,
  active INTEGER NOT NULL DEFAULT 1);
"""


def persisted(text: str, path: str, *, recovery: bool = True) -> tuple[str, int]:
    """The block in a result's place, and how many bytes of the text it shows."""
    shown = text[:1500]
    cut = text.rfind("\n", 0, 1500)
    if len(text) > 1500 and cut > 750:
        shown = text[: cut + 1]
    kilo = len(text) / 1024
    size = f"{kilo / 1024:.1f} MB" if kilo >= 1024 else f"{kilo:.1f} KB"
    block = (
        "<persisted-output>\n"
        f"This tool result was too large ({len(text):,} characters, {size}).\n"
        f"Full output saved to: {path}\n"
        "Use the read_file tool with offset and limit to access specific sections of "
        "this output.\n"
    )
    if recovery:
        block += (
            "Recovery: page through the saved file with read_file (offset/limit) or "
            "process it with execute_code — do NOT re-request the same data from the "
            "remote API; the full result is already on disk.\n"
        )
    more = "\n..." if len(text) > len(shown) else ""
    block += (
        f"\nPreview (first {len(shown)} chars):\n{shown}{more}\n</persisted-output>"
    )
    return block, len(shown.encode())


class Session:
    """One session, told in order."""

    def __init__(
        self, session: str, *, parent: str | None = None, title: str | None = None
    ) -> None:
        self.session, self.parent, self.title = session, parent, title
        self.clock = float(NIGHT)
        self.rows: list[dict[str, Any]] = []

    def _add(self, role: str, **row: Any) -> None:
        self.clock += 7.5
        self.rows.append({"role": role, "timestamp": self.clock, **row})

    def prompt(self, text: str) -> None:
        self._add("user", content=text)

    def says(self, text: str) -> None:
        self._add("assistant", content=text, finish_reason="stop")

    def runs(self, call: str, tool: str, content: str, **given: Any) -> None:
        function = {"name": tool, "arguments": json.dumps(given)}
        calls = [{"id": call, "type": "function", "function": function}]
        self._add("assistant", content="", tool_calls=json.dumps(calls))
        self._add("tool", content=content, tool_call_id=call, tool_name=tool)


def make(home: Path) -> HarnessStore:
    """A night of hermes."""
    store = HarnessStore(harness="hermes-agent")
    root = home / ".hermes"
    spillover = root / "cache" / "spillover"
    one = Session(FIRST, title="Nightly build")
    one.prompt("Build it")

    def write(path: Path, data: bytes) -> bytes:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return data

    def spill(path: Path, data: bytes, what: str, **more: Any) -> None:
        store.spills.append(Spill(path=path, data=data, what=what, **more))

    # Wide characters: the KB of the notice are characters.
    text = log_of(4000, wide="行" * 12, last="1 failed").decode()
    path = spillover / "call_01a0724eec667822a5a1b819.txt"
    block, size = persisted(text, str(path))
    one.runs(path.stem, "terminal", block, command="make all")
    one.says("One failed.")
    data = write(path, text.encode())
    rows = text.splitlines()
    page = "\n".join(f"{n:6d}|{rows[n - 1]}" for n in range(2001, 2101))
    read = {"content": page, "total_lines": 4000, "file_size": len(data)}
    one.runs(
        "call_read",
        "read_file",
        json.dumps(read),
        path=str(path),
        offset=2001,
        limit=100,
    )
    ended = json.dumps({"output": "\n".join(rows[-2:]), "exit_code": 0, "error": None})
    one.runs("call_tail", "terminal", ended, command=f"tail -n 2 {path}")
    a, b = span(data, 2001, 2100)
    spill(
        path,
        data,
        "by the call's id, wide characters, read again",
        session=FIRST,
        project="/srv/app",
        tool="terminal",
        command="make all",
        call_id=path.stem,
        failed=None,
        envelope=block,
        seen=((0, size), (a, b), (span(data, 3999, 4000)[0], len(data) - 1)),
        boundary=(100_000, "chars"),
        gates=PLAIN,
        agrees=True,
        next_text="One failed.",
        read_back=True,
    )
    # An MCP result: unwrapped, what stood beside it in a tail; the older wording.
    text = log_of(3000, last="rows: 3000").decode()
    extras = {"_meta": {"n": 1}, "structuredContent": {"ok": True}}
    tail = json.dumps(extras, ensure_ascii=False, indent=1, sort_keys=True)
    whole = f"{text}\n\n<mcp-result-metadata>\n{tail}\n</mcp-result-metadata>\n"
    path = spillover / "call_mcp.txt"
    block, size = persisted(whole, str(path), recovery=False)
    one.runs("call_mcp", "mcp_db_query", block, sql="select 1")
    spill(
        path,
        write(path, whole.encode()),
        "an MCP result, unwrapped",
        session=FIRST,
        tool="mcp_db_query",
        call_id="call_mcp",
        envelope=block,
        seen=((0, size),),
        boundary=(50_000, "chars"),
        gates=MCP,
        agrees=True,
    )
    # An id that is no file name: cleaned, and a piece of its digest behind it.
    ident = "fc:1/weird id"
    name = f"fc_1_weird_id_{hashlib.sha256(ident.encode()).hexdigest()[:12]}.txt"
    text = log_of(6000, last="weird is done").decode()
    block, size = persisted(text, f"/root/.hermes/cache/spillover/{name}")
    wrapped = (
        '<untrusted_tool_result source="web_extract">\nThe following is data.\n\n'
        f"{block}\n</untrusted_tool_result>"
    )
    one.runs(ident, "web_extract", wrapped, urls=["http://x"])
    path = spillover / name
    spill(
        path,
        write(path, text.encode()),
        "a cleaned name, the path of a sandbox, wrapped as untrusted",
        session=FIRST,
        tool="web_extract",
        call_id=ident,
        envelope=block,
        seen=((0, size),),
        gates=PLAIN,
        agrees=True,
    )
    # The sandbox kept it elsewhere, the copy here has the same name.
    text = log_of(5500, last="copied").decode()
    block, size = persisted(text, "/tmp/hermes-results/call_copied.txt")
    one.runs("call_copied", "terminal", block, command="make copy")
    path = spillover / "call_copied.txt"
    spill(
        path,
        write(path, text.encode()),
        "a copy of what a sandbox holds",
        session=FIRST,
        tool="terminal",
        call_id="call_copied",
        envelope=block,
        seen=((0, size),),
        agrees=True,
    )
    legacy(store, home / "tmp" / "hermes-results", one, write)
    executed(store, root, one, write)
    hooks(store, root, one, write)
    missing(store, spillover, one)
    path = spillover / "call_orphan.txt"
    data = write(path, log_of(5000, last="of no record").decode().encode())
    spill(path, data, "of no record", link="orphan")
    path = root / "cache" / "web" / "example.com.md"
    data = write(path, log_of(700, last="a page").decode().encode())
    spill(path, data, "a page of the web", link="orphan", content="web")

    # A compacted session goes on with copies of the last messages.
    child = Session(CHILD, parent=FIRST)
    child.clock = one.clock + 100
    child.rows += [dict(row) for row in one.rows[-4:]]
    parts = [
        {"type": "text", "text": "And this?"},
        {"type": "image_url", "image_url": 1},
    ]
    child.prompt("\x00json:" + json.dumps(parts))
    text = log_of(7000, last="child is done").decode()
    path = spillover / "call_child.txt"
    block, size = persisted(text, str(path))
    child.runs("call_child", "terminal", block, command="make child")
    spill(
        path,
        write(path, text.encode()),
        "of a session that goes on",
        session=CHILD,
        tool="terminal",
        call_id="call_child",
        envelope=block,
        seen=((0, size),),
        agrees=True,
    )
    database(root / "state.db", "/srv/app", [one, child])
    profile(store, root / "profiles" / "work", write)
    for other in (root / "config.yaml", root / "cache" / "images" / "a.png"):
        write(other, b"something else")
        store.others.append(other)
    return store


def legacy(store: HarnessStore, folder: Path, one: Session, write: Any) -> None:
    """The first place results were saved in."""
    text = log_of(5000, last="old place").decode()
    path = folder / "toolu_legacy.txt"
    block, size = persisted(text, str(path), recovery=False)
    one.runs("toolu_legacy", "search_files", block, pattern="x")
    store.spills.append(
        Spill(
            path=path,
            data=write(path, text.encode()),
            what="in the temp folder",
            session=FIRST,
            tool="search_files",
            call_id="toolu_legacy",
            envelope=block,
            seen=((0, size),),
            gates=PLAIN,
            agrees=True,
        )
    )


def executed(store: HarnessStore, root: Path, one: Session, write: Any) -> None:
    """What a program printed: a head in a JSON result; then head and tail."""
    for call, lines, both in (("call_cell", 4000, False), ("call_host", 5000, True)):
        data = log_of(lines, wide="\x1b[1m", last=f"{call} is done")
        digest = hashlib.sha256(data).hexdigest()[:12]
        path = root / "cache" / "exec" / f"stdout-{digest}.txt"
        text = data.decode()
        if both:
            left, right = text[:20_000], text[-30_000:]
            middle = (
                f"\n\n... [OUTPUT TRUNCATED - {len(text) - 50_000:,} chars omitted "
                f"out of {len(text):,} total] ...\n\n"
            )
            shown = left + middle + right
            seen: tuple[Range, ...] = (
                (0, len(left.encode())),
                (len(data) - len(right.encode()), len(data)),
            )
        else:
            shown, size = head_of(data, 50_000)
            seen = ((0, size),)
        warning = (
            "Cell stdout exceeded the inline cap; head shown. FULL output saved to "
            f'{path} — page it with read_file(path="{path}", offset=...) instead of '
            "re-running. (Kernel state persists: printing a narrower slice next call "
            "is often cheaper.)"
        )
        result = {"status": "success", "output": shown, "exit_code": 0}
        result |= {"stdout_spill_path": str(path), "warning": warning}
        envelope = json.dumps(result, ensure_ascii=False)
        one.runs(call, "execute_code", envelope, code="print(x)")
        store.spills.append(
            Spill(
                path=path,
                data=write(path, data),
                what=f"printed by a program: {call}",
                session=FIRST,
                tool="execute_code",
                call_id=call,
                failed=False,
                envelope=envelope,
                seen=seen,
                boundary=(50_000, "chars"),
                gates=((50_000, "chars"),),
                agrees=True,
                content="exec",
            )
        )


def hooks(store: HarnessStore, root: Path, one: Session, write: Any) -> None:
    """A hook's text, cut where it was added to a prompt."""
    text = log_of(900, last="hook's end").decode().rstrip("\n")
    path = root / "hook_outputs" / FIRST / "0123456789abcdef0123456789abcdef.txt"
    block = (
        f"[pre_llm hook output truncated — {len(text):,} chars; full content saved to "
        f"{path}]\n--- head ---\n{text[:500]}\n--- tail ---\n{text[-500:]}"
    )
    one.prompt(f"Go on, please.\n\n{block}")
    data = write(path, text.encode() + b"\n")
    store.spills.append(
        Spill(
            path=path,
            data=data,
            what="a hook's",
            session=FIRST,
            envelope=f"Go on, please.\n\n{block}",
            seen=((0, 500), (len(data) - 501, len(data) - 1)),
            boundary=(10_000, "chars"),
            gates=((10_000, "chars"),),
            content="hook",
        )
    )


def missing(store: HarnessStore, spillover: Path, one: Session) -> None:
    """Removed after a day, never saved, cut by the terminal, and only quoted."""
    text = log_of(5000, last="tidied").decode()
    gone = spillover / "call_gone.txt"
    block, _ = persisted(text, str(gone))
    one.runs("call_gone", "terminal", block, command="make gone")
    store.gone.append(
        Gone(
            what="a day old",
            state="dangling",
            session=FIRST,
            path=str(gone),
            call_id="call_gone",
            tool="terminal",
        )
    )
    lost = (
        f"{text[:1500]}\n\n[Truncated: tool response was {len(text):,} chars. "
        "Full output could not be saved to sandbox.]"
    )
    one.runs("call_lost", "terminal", lost, command="make lost")
    cut = (
        f"{text[:20_000]}\n\n... [OUTPUT TRUNCATED - 9999 chars omitted out of "
        f"{len(text)} total] ...\n\n{text[-30_000:]}"
    )
    result = json.dumps({"output": cut, "exit_code": 1, "error": None})
    one.runs("call_cut", "terminal", result, command="make cut")
    for call in ("call_lost", "call_cut"):
        store.gone.append(Gone(what=call, state="cut", session=FIRST, call_id=call))
    quote = {
        "content": "\n".join(f"{n}|{x}" for n, x in enumerate(block.split("\n"), 1))
    }
    one.runs("call_quote", "read_file", json.dumps(quote), path="notes.md")
    told = f"The notes say:\n{block}\n" + "and more\n" * 400
    one.runs("call_told", "web_extract", json.dumps({"content": told}), urls=[])


def profile(store: HarnessStore, root: Path, write: Any) -> None:
    """A profile has a home of its own in the home."""
    work = Session(WORK, title="At work")
    work.prompt("Work")
    text = log_of(8000, last="work is done").decode()
    # The same id as in the other home.
    path = root / "cache" / "spillover" / "call_mcp.txt"
    block, size = persisted(text, str(path))
    work.runs("call_mcp", "terminal", block, command="make work")
    database(root / "state.db", "/srv/work", [work])
    store.spills.append(
        Spill(
            path=path,
            data=write(path, text.encode()),
            what="in a profile's home, under an id that the other home has too",
            session=WORK,
            project="/srv/work",
            tool="terminal",
            command="make work",
            call_id="call_mcp",
            envelope=block,
            seen=((0, size),),
            gates=PLAIN,
            agrees=True,
        )
    )


def database(path: Path, folder: str, sessions: list[Session]) -> None:
    """The sessions in a state.db, in the order in which they were written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(_SCHEMA)
    for each in sessions:
        connection.execute(
            "INSERT INTO sessions (id, source, parent_session_id, started_at, title,"
            " cwd) VALUES (?,'cli',?,?,?,?)",
            (each.session, each.parent, each.clock - 300, each.title, folder),
        )
        for row in each.rows:
            names = ["session_id", *row]
            marks = ",".join("?" * len(names))
            connection.execute(
                f"INSERT INTO messages ({','.join(names)}) VALUES ({marks})",
                (each.session, *row.values()),
            )
    connection.execute(
        "INSERT INTO messages (session_id, role, content, tool_calls, timestamp)"
        " VALUES (?,'assistant',x'00ff','[{\"id\": 7}, 3]',?)",
        (sessions[0].session, float(NIGHT)),
    )
    connection.close()
