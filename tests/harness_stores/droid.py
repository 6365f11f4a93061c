"""A made store of Factory Droid: results over a limit, terminal and background logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.harness_stores.model import Gone, HarnessStore, Range, Spill
from tests.stores import json_time, log_of, span

NIGHT = 1_795_000_000
FIRST = "6f0c2b1e-8d3a-4f5b-9c7d-1e2f3a4b5c6d"
SECOND = "7a0c2b1e-8d3a-4f5b-9c7d-1e2f3a4b5c6d"
CHARS, BYTES = (40_000, "utf16"), (16_384, "bytes")


class Session:
    """One session, told in order."""

    def __init__(self, path: Path, session: str, *, legacy: bool = False) -> None:
        self.path, self.session = path, session
        title = {"sessionTitle" if legacy else "title": "Leaks"}
        begin = {"type": "session_start", "id": session, "version": 2, **title}
        self.rows = [json.dumps(begin | {"cwd": "/srv/app", "owner": "me"})]
        self.clock = float(NIGHT)
        self.calls = 0

    def message(self, role: str, *blocks: dict[str, Any]) -> None:
        self.clock += 1
        row = {"type": "message", "id": f"{self.session[:4]}-{len(self.rows):04d}"}
        row |= {"timestamp": json_time(self.clock)}
        message = {"role": role, "content": list(blocks)}
        self.rows.append(json.dumps(row | {"message": message}, ensure_ascii=False))

    def prompt(self, text: str) -> None:
        self.message("user", {"type": "text", "text": text})

    def says(self, text: str) -> None:
        self.message("assistant", {"type": "text", "text": text})

    def next_id(self) -> str:
        return f"toolu_{self.session[:2]}_{self.calls + 1:03d}"

    def call(self, tool: str, **arguments: Any) -> str:
        call_id = self.next_id()
        self.calls += 1
        block = {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}
        self.message("assistant", block)
        return call_id

    def result(
        self, call_id: str, text: str | list[Any], *, error: bool = False
    ) -> None:
        block = {"type": "tool_result", "tool_use_id": call_id, "content": text}
        if error:
            block["is_error"] = True  # type: ignore[assignment]  # as JSON has it
        self.message("user", block)

    def write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("\n".join(self.rows) + "\n")


def well(raw: bytes) -> str:
    """UTF-16 as text; half a pair becomes the replacement character."""
    text = raw.decode("utf-16-le", "surrogatepass")
    return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)


def short(n: int) -> str:
    return f"{n // 1000}k" if n >= 1000 else str(n)


def cut(full: str, limit: int) -> tuple[str, tuple[Range, ...]]:
    """Head and tail of a text over the limit, and the whole bytes they show."""
    raw = full.encode("utf-16-le")
    first, last = limit * 3 // 4, limit - limit * 3 // 4
    head, tail = well(raw[: 2 * first]), well(raw[len(raw) - 2 * last :])
    left = len(head.rstrip("\ufffd").encode())
    right = len(full.encode()) - len(tail.lstrip("\ufffd").encode())
    text = (
        f"{head}\n\n[... truncated {len(raw) // 2 - limit} characters from middle "
        f"section ...]\n\n{tail}\n\n[Output truncated. Showing first {short(first)} "
        f"characters ({head.count(chr(10)) + 1} lines) and last {short(last)} "
        f"characters ({tail.count(chr(10)) + 1} lines) out of {short(len(raw) // 2)} "
        f"total characters ({full.count(chr(10)) + 1} lines)]"
    )
    return text, ((0, left), (right, len(full.encode())))


def reminder(path: Path) -> str:
    return (
        "\n\n<system-reminder>\nThis output was truncated. The full result is saved to "
        f"{path}. When your conclusion depends on the part that is missing, read it.\n"
        "</system-reminder>"
    )


def summary(data: bytes) -> tuple[str, tuple[Range, ...]]:
    """What is kept of a command's output: 8 KiB of each end, whole lines at the end."""
    head, tail = data[:8192], data[-8192:]
    tail = tail[tail.index(b"\n") + 1 :]
    whole = head.decode("utf-8", "ignore")
    shown = head.decode("utf-8", "replace")
    hidden = len(data) - 2 * 8192
    text = (
        f"{shown}\n\n[... truncated {hidden} bytes from middle section ...]\n\n"
        f"{tail.decode()}"
    )
    return text, ((0, len(whole.encode())), (len(data) - len(tail), len(data)))


def make(home: Path) -> HarnessStore:
    """Make the store below `home`."""
    store = HarnessStore(harness="droid")
    outputs = home / ".factory" / "artifacts" / "tool-outputs"
    outputs.mkdir(parents=True)
    (home / "tmp").mkdir(exist_ok=True)
    sessions = home / ".factory" / "sessions"
    first = Session(sessions / "-srv-app" / f"{FIRST}.jsonl", FIRST)
    first.prompt("Look for leaks")

    def add(
        session: Session, path: Path, data: bytes, what: str, call_id: str, **more: Any
    ) -> None:
        session.says(f"Said after {what}.")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        known = {"project": "/srv/app", "next_text": f"Said after {what}."}
        store.spills.append(
            Spill(
                path=path,
                data=data,
                what=what,
                session=session.session,
                call_id=call_id,
                **(known | more),
            )
        )

    # Results over 40,000 UTF-16 units. A pair stands across the head's end.
    full = "a" * 29_999 + "🙂" + "\n" + log_of(2500, wide="日本 ").decode()
    path = outputs / f"grep_tool_cli-{first.next_id()}-71166236.log"
    call = first.call("Grep", pattern="leak", path=".")
    shown, ranges = cut(full, 40_000)
    text = shown + reminder(path)
    first.result(call, text)
    page = span(full.encode(), 300, 340)
    add(
        first,
        path,
        full.encode(),
        "a search, read on",
        call,
        tool="Grep",
        failed=False,
        envelope=text,
        seen=tuple(sorted((*ranges, (page[0], page[1] - 1)))),
        boundary=CHARS,
        gates=(CHARS,),
        read_back=True,
    )
    call = first.call("Execute", command=f"sed -n '300,340p' {path}")
    lines = "\n".join(full.split("\n")[299:340])
    first.result(call, f"{lines}\n\n[Process exited with code 0]")

    task = log_of(9000, last="3 leaks").decode()
    path = outputs / f"task_cli-{first.next_id()}-71166237.log"
    call = first.call("Task", prompt="look")
    shown, ranges = cut(task, 100_000)
    text = shown + reminder(path)
    first.result(call, [{"type": "text", "text": text}])
    add(
        first,
        path,
        task.encode(),
        "a subagent's report",
        call,
        tool="Task",
        envelope=text,
        seen=ranges,
        boundary=(100_000, "utf16"),
    )
    # The wording before that: one line end, and nothing around it.
    page_text = log_of(2100).decode()
    path = outputs / f"fetch_url-{first.next_id()}-71166238.log"
    call = first.call("FetchUrl", url="http://localhost/")
    head, tail = page_text[:30_000], page_text[-10_000:]
    text = (
        f"{head}\n[... truncated {len(page_text) - 40_000} characters from middle "
        f"section ...]\n{tail}\nThe full result is saved to {path}."
    )
    first.result(call, text)
    size = len(page_text)
    add(
        first,
        path,
        page_text.encode(),
        "older wording",
        call,
        tool="FetchUrl",
        envelope=text,
        seen=((0, 30_000), (size - 10_000, size)),
        boundary=CHARS,
    )
    found = log_of(2200, last="./web/home.json").decode()
    path = outputs / f"ls_cli-{first.next_id()}-71166239.log"
    call = first.call("LS", directory_path=".")
    shown, ranges = cut(found, 40_000)
    text = (
        "<system-reminder> CRITICAL: This output was truncated. The full, untruncated "
        f"result is saved to {path}\n</system-reminder>\n{shown}\n\n<system-reminder>\n"
        "CRITICAL: This output was truncated. The complete untruncated result is saved "
        f"to an artifact file:\n{path}\nDO NOT proceed without checking the artifact.\n"
        "</system-reminder>"
    )
    first.result(call, text)
    add(
        first,
        path,
        found.encode(),
        "two reminders",
        call,
        tool="LS",
        envelope=text,
        seen=ranges,
        boundary=CHARS,
    )

    # Commands, whose whole output is a terminal's log.
    def terminal(n: int) -> Path:
        name = f"8b6f0c1e-4c2d-4e5f-9a0b-1c2d3e4f5a{n:02d}.log"
        return home / "tmp" / f"droid-terminal-AbC1{n:02d}" / name

    data = ("x" * 8190 + "日\n").encode() + log_of(1500, last="FAILED (errors=3)")
    path = terminal(1)
    call = first.call("Execute", command="make test")
    shown, ranges = summary(data)
    text = (
        f"Command failed (exit code: 2)\n{shown}\n\nFull command output saved to: "
        f"{path} ({round(len(data) / 1024)}KB)\n\n[Process exited with code 2]"
    )
    first.result(call, text, error=True)
    add(
        first,
        path,
        data,
        "a failed command",
        call,
        tool="Execute",
        command="make test",
        failed=True,
        envelope=text,
        seen=ranges,
        boundary=BYTES,
        gates=(BYTES,),
        agrees=True,
        content="terminal",
    )
    data = log_of(2000).replace(b"\n", b"\r\n")
    path = terminal(2)
    call = first.call("Execute", command="make docs")
    shown, ranges = summary(data)
    text = f"{shown}\n\nFull command output saved to: {path} (35 KB)"
    first.result(call, f"{text}\n\n[Process exited with code 0]")
    add(
        first,
        path,
        data,
        "a size that is not true",
        call,
        failed=False,
        envelope=f"{text}\n\n[Process exited with code 0]",
        seen=ranges,
        boundary=BYTES,
        agrees=False,
        content="terminal",
    )
    # In the background: the file grows on, nothing of it is shown.
    path = home / "tmp" / "droid-bg-1795000000523.out"
    call = first.call("Execute", command="npm run dev\necho up", fireAndForget=True)
    text = (
        "Background process started (PID: 4242)\nCommand: npm run dev\necho up\n"
        f"Output: {path}\nStatus: Running in background\n\nNote: Process will continue."
    )
    first.result(call, text)
    add(
        first,
        path,
        log_of(900, last="listening"),
        "in the background",
        call,
        tool="Execute",
        failed=False,
        envelope=text,
        seen=(),
        content="background",
    )
    # Cut, and no word of a file.
    call = first.call("Grep", pattern="x")
    shown, _ = cut(log_of(2000).decode(), 40_000)
    first.result(call, shown)
    store.gone.append(
        Gone(what="not saved", state="cut", session=FIRST, call_id=call, tool="Grep")
    )
    # Words about notices, in a file and in a person's own command.
    call = first.call("Read", file_path="/srv/app/notes.md")
    other = outputs / "grep_tool_cli-toolu_zz-71166299.log"
    first.result(call, f"Notes\nThe full result is saved to {other}.\nMore notes.")
    done = {"type": "bash_result", "command": "cat notes", "stdout": reminder(other)}
    first.prompt(json.dumps(done, separators=(",", ":")))
    first.rows.append('{"type":"agent_turn_outcome","turnId":"t","reason":"completed"}')
    first.rows.append('{"type":"message","message":{"role":"user","content":7}}')
    first.rows.append('{"type":"message","message":')
    first.write()

    second = Session(sessions / f"{SECOND}.jsonl", SECOND, legacy=True)
    second.prompt("And now?")
    # The folder has moved since: the notice has the old place.
    moved = log_of(2300, last="moved").decode()
    name = f"web_search-{second.next_id()}-71166240.log"
    call = second.call("WebSearch", query="x")
    shown, ranges = cut(moved, 40_000)
    text = shown + reminder(Path("/home/old/.factory/artifacts/tool-outputs") / name)
    second.result(call, text)
    add(
        second,
        outputs / name,
        moved.encode(),
        "moved, flat session",
        call,
        tool="WebSearch",
        envelope=text,
        seen=ranges,
        boundary=CHARS,
    )
    for what, tool, told in (
        ("log gone", "mcp_x", outputs / f"mcp_x-{second.next_id()}-71166241.log"),
        ("terminal gone", "Execute", terminal(9)),
    ):
        call = second.call(tool, command="x")
        if tool == "Execute":
            shown, _ = summary(log_of(2000))
            saved = f"\n\nFull command output saved to: {told} (50KB)"
            second.result(call, f"{shown}{saved}\n\n[Process exited with code 0]")
        else:
            shown, _ = cut(log_of(2000).decode(), 40_000)
            second.result(call, shown + reminder(told))
        store.gone.append(
            Gone(
                what=what,
                state="dangling",
                session=SECOND,
                path=str(told),
                call_id=call,
                tool=tool,
            )
        )
    second.write()

    for path, what, more in (
        (outputs / "grep_tool_cli-call_nobody-71166242.log", "orphan", CHARS),
        (terminal(3), "orphan of a terminal", BYTES),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(log_of(1700))
        content = "terminal" if more is BYTES else "spill"
        store.spills.append(
            Spill(
                path=path,
                data=path.read_bytes(),
                what=what,
                link="orphan",
                content=content,
                tool="grep_tool_cli" if more is CHARS else "Execute",
                boundary=more,
            )
        )
    for other in (
        outputs / "notes.txt",
        outputs / "grep-1.log",
        home / "tmp" / "droid-bg-1.out",
        home / "tmp" / "droid-terminal-AbC101" / "notes.log",
        home / "tmp" / "droid-terminal-long-name" / terminal(4).name,
        sessions / "-srv-app" / f"{FIRST}.settings.json",
        home / ".factory" / "settings.json",
    ):
        other.parent.mkdir(parents=True, exist_ok=True)
        other.write_text("{}\n")
        store.others.append(other)
    return store
