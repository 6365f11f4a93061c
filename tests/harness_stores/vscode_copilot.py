"""A made store of VS Code Copilot Chat: editors, a remote, results never shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.harness_stores.model import Gone, HarnessStore, Range, Spill
from tests.stores import log_of, span

NIGHT = 1_795_000_000_000
FIRST = "c0c0c0c0-1111-4222-8333-444444444401"
SECOND = "c0c0c0c0-1111-4222-8333-444444444402"
THIRD = "c0c0c0c0-1111-4222-8333-444444444403"
FOURTH = "c0c0c0c0-1111-4222-8333-444444444404"
GATE = (8192, "utf16")


class Chat:
    """One chat session: requests, each of rounds of calls."""

    def __init__(self, user: Path, folder: str, session: str) -> None:
        self.storage = user / "workspaceStorage" / folder
        self.session = session
        self.requests: list[dict[str, Any]] = []
        self.calls = 0
        self.storage.mkdir(parents=True, exist_ok=True)
        where = {"folder": "file:///srv/my%20app"}
        (self.storage / "workspace.json").write_text(json.dumps(where))

    def ask(self, text: str) -> None:
        self.requests.append(
            {
                "requestId": f"request_{self.session[-2:]}_{len(self.requests)}",
                "timestamp": NIGHT + 1000 * len(self.requests),
                "message": {"text": text, "parts": []},
                "response": [{"value": "markdown"}],
                "result": {
                    "metadata": {"toolCallRounds": [], "toolCallResults": {}},
                    "timings": {"totalElapsed": 1},
                },
            }
        )

    def next_id(self) -> str:
        return f"call_{self.session[-2:]}{self.calls + 1:02d}__vscode-{NIGHT}"

    def round(self, tool: str, content: Any, say: str = "", **arguments: Any) -> str:
        """A call and its result, in a round of its own."""
        call_id = arguments.pop("call_id", None) or self.next_id()
        self.calls += 1
        metadata = self.requests[-1]["result"]["metadata"]
        call = {"id": call_id, "name": tool, "arguments": json.dumps(arguments)}
        number = len(metadata["toolCallRounds"])
        metadata["toolCallRounds"].append(
            {"response": say, "toolCalls": [call], "id": f"round-{number}"}
        )
        parts = content if isinstance(content, list) else [{"value": content}]
        metadata["toolCallResults"][call_id] = {"$mid": 20, "content": parts}
        return call_id

    def says(self, text: str) -> None:
        metadata = self.requests[-1]["result"]["metadata"]
        number = len(metadata["toolCallRounds"])
        metadata["toolCallRounds"].append(
            {"response": text, "toolCalls": [], "id": f"round-{number}"}
        )

    @property
    def whole(self) -> dict[str, Any]:
        """The document."""
        return {
            "version": 3,
            "sessionId": self.session,
            "creationDate": NIGHT,
            "customTitle": "Health endpoint",
            "requests": self.requests,
        }

    def changes(self) -> str:
        """The document as the log of its changes."""
        lines: list[dict[str, Any]] = [
            {"kind": 0, "v": self.whole | {"requests": [], "customTitle": None}},
            {"kind": 1, "k": ["inputState", "inputText"], "v": "Add"},
        ]
        for number, request in enumerate(self.requests):
            bare = request | {"response": [], "result": None}
            keys = ["requests", number]
            lines += [
                {"kind": 2, "k": ["requests"], "v": [bare]},
                {"kind": 2, "k": [*keys, "response"], "v": [{"value": "partial"}]},
                {"kind": 2, "k": [*keys, "response"], "i": 0, "v": [{"value": "x"}]},
                {"kind": 1, "k": [*keys, "result"], "v": request["result"]},
                {"kind": 1, "k": [*keys, "result"], "v": request["result"]},
            ]
        lines.append({"kind": 1, "k": ["customTitle"], "v": "Health endpoint"})
        return "".join(json.dumps(line) + "\n" for line in lines)


def pointer(path: Path, data: bytes, schema: Path | None = None) -> str:
    """What the model is told of a result in a file."""
    units = len(data.decode().encode("utf-16-le")) // 2
    text = (
        f"Large tool result ({(units + 512) // 1024}KB) written to file. Use the "
        f"read_file tool to access the content at: {path}"
    )
    return text if schema is None else f"{text}\n\nData schema found at: {schema}"


def page(path: Path, data: bytes, first: int, last: int) -> list[dict[str, Any]]:
    """What read_file returns: a tree of texts."""
    lines = data.decode().split("\n")
    shown = "\n".join(lines[first - 1 : last])
    head = f"File: `{path}`. Lines {first} to {last} ({len(lines)} lines total): \n"
    fence = "`" * 4
    children = [
        {"type": 2, "priority": 9, "text": head, "lineBreakBefore": None},
        {
            "type": 1,
            "ctor": 2,
            "children": [{"type": 2, "text": f"{fence}plaintext\n{shown}\n{fence}"}],
        },
    ]
    node = {"type": 1, "ctor": 2, "ctorName": "Read", "children": children}
    return [{"$mid": 23, "value": {"node": node}}]


def make(home: Path) -> HarnessStore:
    """Make the store below `home`."""
    store = HarnessStore(harness="vscode-copilot")
    users = {
        "code": home / ".config" / "Code" / "User",
        "insiders": home / ".config" / "Code - Insiders" / "User",
        "codium": home / ".config" / "VSCodium" / "User",
        "remote": home / ".vscode-server" / "data" / "User",
    }

    def place(chat: Chat, folder: str, *, kind: str = "txt") -> Path:
        resources = chat.storage / "GitHub.copilot-chat" / "chat-session-resources"
        return resources / chat.session / folder / f"content.{kind}"

    def add(chat: Chat, path: Path, data: bytes, what: str, **more: Any) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        known: dict[str, Any] = {"boundary": GATE, "gates": (GATE,), "failed": False}
        known |= {"session": chat.session, "project": "/srv/my app", "seen": ()}
        store.spills.append(Spill(path=path, data=data, what=what, **(known | more)))

    def kept(
        chat: Chat, data: bytes, what: str, reads: tuple[Range, ...] = (), **more: Any
    ) -> Path:
        """A result that the session keeps whole, beside the file."""
        folder = more.pop("folder", chat.next_id())
        call_id = more.pop("call_id", None)
        command = more.pop("command", "make test")
        arguments = {"command": command, "explanation": "run"}
        path = place(chat, folder)
        call = chat.round(
            "run_in_terminal", data.decode(), call_id=call_id, **arguments
        )
        known: dict[str, Any] = {"call_id": call, "tool": "run_in_terminal"}
        known |= {"command": command, "seen": reads, "read_back": bool(reads)}
        add(chat, path, data, what, **(known | more))
        return path

    # A document, as it was until sessions became logs of changes.
    first = Chat(users["code"], "ab12", FIRST)
    first.ask("Add a health endpoint")
    build = log_of(2500, wide="日本 ")
    some = span(build, 200, 260)
    path = kept(
        first,
        build,
        "kept whole, read on",
        ((some[0], some[1] - 1),),
        next_text="Reading on.",
    )
    first.round(
        "read_file",
        page(path, build, 200, 260),
        say="Reading on.",
        filePath=str(path),
        startLine=200,
        endLine=260,
    )
    # The file of another result is gone; it was read while it was there.
    lost = place(first, "call_lost__vscode-1")
    first.round("read_file", page(lost, build, 300, 310), filePath=str(lost))
    kept(
        first,
        log_of(2400, last="1 failed").replace(b"\n", b"\r\n"),
        "an id that no folder can have",
        call_id="call/strange:id",
        folder="call_strange_id",
    )
    # Wide characters count twice: under 8,192 of them and over the limit.
    wide = "🙂" * 4200 + "\nEnd"
    kept(first, wide.encode(), "over in UTF-16 units alone")
    found = log_of(900)
    first.round("search_subagent", found.decode(), query="x")
    # JSON is indented anew, with a schema beside it.
    rows = [{"id": n, "name": f"項目 {n}", "ok": None} for n in range(900)]
    folder = first.next_id()
    path = place(first, folder, kind="json")
    data = json.dumps(rows, indent=2, ensure_ascii=False).encode()
    call = first.round("mcp_rows", json.dumps(rows, ensure_ascii=False), all=True)
    add(first, path, data, "JSON, kept whole", call_id=call, tool="mcp_rows")
    schema = path.with_name("schema.json")
    schema.write_text('{"type":"array"}')
    store.others.append(schema)
    # Small results and errors say nothing.
    first.round("run_in_terminal", "ok", command="true")
    first.round("run_in_terminal", "ERROR while calling tool: no\nPlease check.")
    log = first.storage / "chatSessions" / f"{FIRST}.json"
    log.parent.mkdir()
    log.write_text(json.dumps(first.whole))

    # A log of changes, and the document it was made from.
    second = Chat(users["insiders"], "cd34", SECOND)
    second.ask("Now the docs")
    folder = second.next_id()
    path = place(second, folder)
    data = log_of(1500, last="docs: done")
    text = pointer(path, data)
    call = second.round("run_in_terminal", text, command="make docs")
    add(
        second,
        path,
        data,
        "the pointer itself",
        call_id=call,
        tool="run_in_terminal",
        command="make docs",
        envelope=text,
        agrees=True,
    )
    folder = second.next_id()
    path = place(second, folder, kind="json")
    data = json.dumps(rows, indent=2).encode()
    text = pointer(path, data, path.with_name("schema.json"))
    call = second.round("mcp_rows", text, all=True)
    add(
        second,
        path,
        data,
        "the pointer and a schema",
        call_id=call,
        envelope=text,
        agrees=True,
    )
    gone = place(second, second.next_id())
    call = second.round("run_in_terminal", pointer(gone, data), command="make all")
    store.gone.append(
        Gone(
            what="cleaned up after eight hours",
            state="dangling",
            session=SECOND,
            path=str(gone),
            call_id=call,
            tool="run_in_terminal",
        )
    )
    # Kept whole, and no file: nothing is missing.
    second.round("run_in_terminal", log_of(1200).decode(), command="make again")
    mark = "\n[Tool response was too long and was truncated.]\n"
    call = second.round("mcp_logs", "a" * 3000 + mark + "b" * 3000)
    store.gone.append(
        Gone(what="cut", state="cut", session=SECOND, call_id=call, tool="mcp_logs")
    )
    quoted = f"Notes\n{text}\nMore notes"
    second.round("run_in_terminal", quoted, command="cat notes.md")
    sessions = second.storage / "chatSessions"
    sessions.mkdir()
    log = sessions / f"{SECOND}.jsonl"
    log.write_text(second.changes() + '{"kind":[1],"k":7,"v":{}}\n{"kind":1,"k":\n')
    (sessions / f"{SECOND}.json").write_text(json.dumps(second.whole))

    third = Chat(users["remote"], "ef56", THIRD)
    third.ask("On the server")
    kept(third, log_of(1400, last="remote"), "on a remote machine")
    (third.storage / "chatSessions").mkdir()
    log = third.storage / "chatSessions" / f"{THIRD}.jsonl"
    log.write_text(third.changes())

    # A window without a folder: its results are kept in the session alone.
    fourth = Chat(users["codium"], "0078", FOURTH)
    fourth.ask("What is this?")
    fourth.round("run_in_terminal", log_of(1400).decode(), command="dmesg")
    empty = users["codium"] / "globalStorage" / "emptyWindowChatSessions"
    empty.mkdir(parents=True)
    (empty / f"{FOURTH}.json").write_text(json.dumps(fourth.whole))

    path = place(fourth, "call_nobody__vscode-2")
    add(
        fourth,
        path,
        log_of(1300),
        "orphan",
        link="orphan",
        failed=None,
        call_id="call_nobody__vscode-2",
        session=FOURTH,
        seen=None,
    )
    for other in (
        path.with_name("notes.txt"),
        path.parent.parent / "content.txt",
        fourth.storage / "state.vscdb",
    ):
        other.write_text("mine\n")
        store.others.append(other)
    return store
