"""Made stores of Claude Code and dsh, by builders that know what they showed.

A builder writes what the harness would, and returns for each artifact its path, its
envelope's exact text and the byte ranges the envelope shows: the oracle of the tests.
Nothing here uses the package under test.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SESSION = "11111111-2222-4333-8444-555555555555"
OTHER = "99999999-8888-4777-8666-555555555555"
HINT = "Use read with offset/limit, or grep this path to search within it."
NIGHT = 1_795_000_000
"""When the first record of a made session was written, in epoch seconds."""

Range = tuple[int, int]


@dataclass(frozen=True)
class Made:
    """One artifact and what its maker knows of it."""

    path: Path
    data: bytes
    envelope: str
    """The envelope's text, exactly."""
    seen: tuple[Range, ...]
    """The byte ranges of `data` that the envelope shows."""
    call_id: str | None
    tool: str | None
    command: str | None
    record: int
    """1-based line of the record in the transcript."""

    @property
    def name(self) -> str:
        """The bare file name."""
        return self.path.name

    @property
    def verdict(self) -> str | None:
        """The last non-blank line."""
        lines = [
            x for x in self.data.decode("utf-8", "replace").split("\n") if x.strip()
        ]
        return lines[-1].rstrip("\r") if lines else None


@dataclass
class Store:
    """What `make_claude` and `make_dsh` return."""

    root: Path
    transcripts: list[Path] = field(default_factory=list)
    made: dict[str, Made] = field(default_factory=dict)
    """Artifacts by a short name of their own."""


def size_words(size: int) -> str:
    """A byte count as Claude Code prints it: 64.8KB, 600KB, 1.8MB."""
    for scale, unit in ((1 << 20, "MB"), (1 << 10, "KB")):
        if size >= scale:
            return f"{size / scale:.1f}".removesuffix(".0") + unit
    return f"{size} bytes"


def head_of(data: bytes, chars: int) -> tuple[str, int]:
    """The first `chars` chars of the decoded data, and how many bytes they are."""
    text = data.decode("utf-8", "replace")[:chars]
    for size in range(len(data) + 1):
        if len(data[:size].decode("utf-8", "replace")) >= len(text):
            while len((data[: size + 1]).decode("utf-8", "replace")) == len(text):
                if size == len(data):
                    break
                size += 1
            break
    if data[:size].decode("utf-8", "replace") != text:
        raise ValueError("the cut has no exact byte")
    return text, size


class Claude:
    """One session of Claude Code, or a subagent of it, told in order."""

    def __init__(
        self,
        home: Path,
        *,
        session: str = SESSION,
        cwd: str = "/srv/app",
        version: str = "2.1.231",
        agent: str | None = None,
        uid: int = 1000,
    ) -> None:
        self.cwd, self.session, self.version, self.agent = cwd, session, version, agent
        self.slug = "".join(c if c.isascii() and c.isalnum() else "-" for c in cwd)
        self.project = home / ".claude" / "projects" / self.slug
        self.side = self.project / session
        self.tasks = home / "tmp" / f"claude-{uid}" / self.slug / session / "tasks"
        if agent is None:
            self.transcript = self.project / f"{session}.jsonl"
        else:
            self.transcript = self.side / "subagents" / f"agent-{agent}.jsonl"
        self.lines: list[bytes] = []
        self.clock = float(NIGHT)
        self._count = 0
        self._calls: dict[str, tuple[str, dict[str, Any]]] = {}
        self._message = "msg_0"

    # What happens, one record each

    def record(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Add a record of any kind."""
        self._count += 1
        self.clock += 1
        stamp = json_time(self.clock)
        value: dict[str, Any] = {
            "parentUuid": f"{self.session[:4]}-{self.agent or 'm'}-{self._count - 1}",
            "isSidechain": self.agent is not None,
            "cwd": self.cwd,
            "sessionId": self.session,
            "version": self.version,
            "type": kind,
            "uuid": f"{self.session[:4]}-{self.agent or 'm'}-{self._count}",
            "timestamp": stamp,
        }
        if self.agent is not None:
            value["agentId"] = self.agent
        value |= fields
        self.raw(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
        return value

    def raw(self, line: str | bytes) -> int:
        """Add a line as it is; returns its number."""
        data = (
            line if isinstance(line, bytes) else line.encode("utf-8", "surrogatepass")
        )
        self.lines.append(data)
        return len(self.lines)

    def prompt(self, text: str | list[dict[str, Any]], **fields: Any) -> int:
        """A person's prompt."""
        message = {"role": "user", "content": text}
        self.record("user", message=message, **fields)
        return len(self.lines)

    def says(self, text: str) -> None:
        """The agent's words, in a message of their own."""
        self._message = f"msg_{len(self.lines)}"
        self._assistant({"type": "text", "text": text})

    def calls(self, tool: str, call_id: str | None = None, **arguments: Any) -> str:
        """The agent calls a tool; returns the call's id."""
        call_id = call_id or f"toolu_{len(self._calls) + 1:04d}{self.agent or ''}"
        self._calls[call_id] = (tool, arguments)
        block = {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}
        self._assistant(block)
        return call_id

    def gets(
        self,
        call_id: str,
        content: str | list[dict[str, Any]],
        *,
        failed: bool = False,
        result: Any = None,
    ) -> int:
        """The result of a call; returns its record's number."""
        block: dict[str, Any] = {
            "tool_use_id": call_id,
            "type": "tool_result",
            "content": content,
        }
        if failed:
            block["is_error"] = True
        extra = {"toolUseResult": result} if result is not None else {}
        self.record("user", message={"role": "user", "content": [block]}, **extra)
        self._message = f"msg_{len(self.lines)}"
        return len(self.lines)

    def _assistant(self, block: dict[str, Any]) -> None:
        message = {"id": self._message, "role": "assistant", "content": [block]}
        self.record("assistant", message=message)

    # Spills

    def place(self, name: str) -> Path:
        """Where an artifact of that name lies."""
        return self.side / "tool-results" / name

    def spills(
        self,
        data: bytes,
        *,
        tool: str = "Bash",
        name: str | None = None,
        command: str = "make",
        chars: int = 2000,
        closed: bool = True,
        failed: bool = False,
        before: str = "",
        shown: str | None = None,
        result: dict[str, Any] | None = None,
        write: bool = True,
        call_id: str | None = None,
    ) -> Made:
        """A call whose output was saved, its head of `chars` chars in the envelope.

        `shown` replaces the preview (a maker that passes it knows its ranges).
        """
        arguments = {"command": command} if tool == "Bash" else {"pattern": command}
        call_id = self.calls(tool, call_id, **arguments)
        path = self.place(name or f"b{len(self.lines):08d}.txt")
        preview, size = head_of(data, chars) if shown is None else (shown, 0)
        envelope = envelope_of(path, data, preview, closed=closed)
        extra = {"stdout": preview, "stderr": "", "interrupted": False}
        extra |= {"persistedOutputPath": str(path), "persistedOutputSize": len(data)}
        record = self.gets(
            call_id,
            before + envelope,
            failed=failed,
            result=extra if result is None else result,
        )
        if write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        seen = ((0, size),) if size else ()
        given = command if tool == "Bash" else json.dumps(arguments)
        return Made(path, data, envelope, seen, call_id, tool, given, record)

    def write(self, end: bytes = b"\n") -> Path:
        """Write the transcript; `end` is what stands after its last record."""
        self.transcript.parent.mkdir(parents=True, exist_ok=True)
        self.transcript.write_bytes(b"\n".join(self.lines) + end)
        return self.transcript


def envelope_of(path: Path, data: bytes, preview: str, *, closed: bool = True) -> str:
    """The text Claude Code puts in the place of a large output."""
    text = (
        f"<persisted-output>\nOutput too large ({size_words(len(data))}). "
        f"Full output saved to: {path}\n\nPreview (first 2KB):\n{preview}\n..."
    )
    return text + "\n</persisted-output>" if closed else text


def json_time(epoch: float) -> str:
    """ISO 8601 with milliseconds and Z, as Claude Code writes it."""
    from datetime import UTC, datetime

    when = datetime.fromtimestamp(epoch, UTC)
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Dsh:
    """One dsh session, told in order; it spills below `root`."""

    def __init__(
        self,
        home: Path,
        root: Path,
        *,
        session: str = "sess-1",
        cwd: str = "/srv/app",
        zstd: bool = True,
        parent: Dsh | None = None,
    ) -> None:
        self.session, self.cwd, self.zstd = session, cwd, zstd
        digest = hashlib.sha256(session.encode()).hexdigest()[:12]
        self.spill_dir = root / f"session-{digest}"
        name = "session.jsonl.zstd" if zstd else "session.jsonl"
        key = cwd.replace("/", "-").strip("-")
        self.log = home / ".dsh" / "sessions" / f"--{key}--" / session / name
        self.rows: list[dict[str, Any]] = []
        self.batches: list[int] = []
        self.clock = float(NIGHT)
        self._step = 0
        self._leaf = 0
        self._calls: dict[str, tuple[str, dict[str, Any]]] = {}
        header: dict[str, Any] = {
            "type": "session",
            "version": 0,
            "id": session,
            "createdAt": int(self.clock * 1000),
            "cwd": cwd,
            "delegationDepth": 0,
        }
        if parent is not None:
            header |= {"parentSession": parent.session}
            header |= {"seedLength": len(parent.rows) - 1}
        self.rows.append(header)
        if parent is not None:
            self.rows += parent.rows[1:]
            self._step = parent._step
        self.flush()

    def event(self, kind: str, data: dict[str, Any], **more: Any) -> int:
        """Add an event; returns its line in the log."""
        self.clock += 1
        row = {"type": kind, "seq": len(self.rows) - 1, "time": int(self.clock * 1000)}
        self.rows.append(row | {"data": data} | more)
        return len(self.rows)

    def flush(self) -> None:
        """End a batch: one zstd frame."""
        self.batches.append(len(self.rows))

    def prompt(self, text: str) -> None:
        """A person's prompt."""
        content = [{"type": "text", "text": text}]
        source = {"kind": "user"}
        self.event(
            "user/message", {"role": "user", "content": content, "source": source}
        )

    def says(self, text: str) -> None:
        """The agent's words."""
        self._step += 1
        self._answer([{"type": "text", "text": text}])

    def calls(self, tool: str, *, saying: str = "", **arguments: Any) -> str:
        """The agent calls a tool; returns the call's id."""
        self._step += 1
        call_id = f"call_{len(self._calls) + 1:03d}"
        self._calls[call_id] = (tool, arguments)
        given = json.dumps(arguments)
        blocks: list[dict[str, Any]] = (
            [{"type": "text", "text": saying}] if saying else []
        )
        blocks.append(
            {"type": "tool-call", "id": call_id, "name": tool, "arguments": given}
        )
        self._answer(blocks)
        data = self._here() | {"callId": call_id, "name": tool, "arguments": given}
        self.event("tool/call", data)
        return call_id

    def gets(self, call_id: str, text: str, *, error: bool = False, **more: Any) -> int:
        """The result of a call; returns its line in the log."""
        part = {
            "type": "tool-result",
            "toolCallId": call_id,
            "content": [{"type": "text", "text": text}],
            "isError": error,
        }
        message = {
            "source": {"kind": "tool", "callId": call_id},
            "content": [part],
            "role": "user",
            "id": f"{self.session}-{len(self.rows)}",
        }
        line = self.event("tool/result", self._here() | {"message": message}, **more)
        self.flush()
        return line

    def place(self, name: str) -> Path:
        """A new path as the store gives it."""
        self._leaf += 1
        return self.spill_dir / f"{self._leaf:012x}-{name}"

    def spills(
        self,
        data: bytes,
        *,
        tool: str = "bash",
        command: str = "make",
        cap: int = 50_000,
        gap: str = "",
        write: bool = True,
        error: bool = False,
    ) -> Made:
        """A call whose result the policy bounds to `cap` bytes: head, tail, notice."""
        call_id = self.calls(tool, command=command)
        path = self.place(f"{tool}.txt")
        text, seen = bounded(data, path, cap, gap)
        record = self.gets(call_id, text, error=error)
        if write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return Made(path, data, text, seen, call_id, tool, command, record)

    def write(self, *, torn: bytes = b"") -> Path:
        """Write the log; `torn` is what stands after its last whole frame (or line)."""
        self.flush()
        self.log.parent.mkdir(parents=True, exist_ok=True)
        lines = [
            json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            for row in self.rows
        ]
        if not self.zstd:
            self.log.write_bytes(b"".join(lines) + torn)
            return self.log
        parts, start = [], 0
        for end in self.batches:
            if end > start:
                parts.append(compress(b"".join(lines[start:end])))
                start = end
        self.log.write_bytes(b"".join(parts) + torn)
        return self.log

    def _here(self) -> dict[str, Any]:
        return {"turn": 1, "step": self._step}

    def _answer(self, blocks: Sequence[dict[str, Any]]) -> None:
        message = {
            "role": "assistant",
            "content": list(blocks),
            "source": {"kind": "model"},
        }
        self.event("assistant/message", self._here() | {"message": message})


def bounded(
    data: bytes, path: Path, cap: int = 50_000, gap: str = ""
) -> tuple[str, tuple[Range, ...]]:
    """What the dsh policy shows of `data`, and the byte ranges it keeps."""
    reserve = len(policy_notice(len(data), path).encode()) + 2 + len(gap)
    budget = max(0, cap - reserve)
    head = data[: -(-budget // 2)].decode("utf-8", "ignore")
    last = data[len(data) - budget // 2 :] if budget // 2 else b""
    while last and last[0] & 0xC0 == 0x80:
        last = last[1:]
    tail = last.decode("utf-8", "ignore")
    kept = len(head.encode()) + len(tail.encode())
    notice = policy_notice(len(data) - kept, path)
    shown = head + gap + tail
    ranges = ((0, len(head.encode())), (len(data) - len(tail.encode()), len(data)))
    text = f"{shown}\n\n{notice}" if shown else notice
    return text, tuple(r for r in ranges if r[0] < r[1])


def policy_notice(omitted: int, path: Path) -> str:
    """The dsh policy's notice."""
    return f"(Omitted {omitted} bytes. Full formatted result stored at: {path}. {HINT})"


def compress(data: bytes) -> bytes:
    """One zstd frame."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd.compress(data)


def numbered(data: bytes, first: int, last: int, form: str = "{n:>6}→{line}") -> str:
    """Lines of `data` as a read tool prints them."""
    lines = data.decode("utf-8", "replace").split("\n")
    if lines[-1] == "":
        lines.pop()
    rows = []
    for n in range(first, min(last, len(lines)) + 1):
        rows.append(form.format(n=n, line=lines[n - 1].rstrip("\r")))
    return "\n".join(rows)


def span(data: bytes, first: int, last: int) -> Range:
    """Byte range of lines `first` to `last`, line ends included."""
    starts = [0] + [i + 1 for i, byte in enumerate(data) if byte == 10]
    if starts[-1] == len(data):
        starts.pop()
    end = starts[last] if last < len(starts) else len(data)
    return starts[first - 1], end


def log_of(lines: int, *, last: str = "FAILED (errors=3)", wide: str = "") -> bytes:
    """A build log of that many lines, each its own, that ends in `last`."""
    rows = [f"[{n:05d}] step {n * 7919 % 10007:05d} {wide}ok" for n in range(1, lines)]
    return "\n".join([*rows, last]).encode() + b"\n"


def make_claude(home: Path) -> Store:
    """A store with one session: a failed build whose verdict lies outside its preview,
    a search, a subagent's spill, a background log, a missing file."""
    main = Claude(home)
    store = Store(home / ".claude")
    main.prompt("Fix the build")
    store.made["build"] = main.spills(log_of(3000), command="make test", failed=False)
    main.says("All tests pass.")
    call = main.calls("Bash", command="git status")
    main.gets(call, "clean")
    store.made["search"] = main.spills(
        log_of(900, last="src/z.py:9: TODO"), tool="Grep", command="TODO", name=None
    )
    store.made["gone"] = main.spills(log_of(2000), command="make docs", write=False)
    store.made["background"] = background(main, log_of(50, last="done"), code=0)
    main.says("Finished.")
    store.transcripts.append(main.write())
    helper = Claude(home, agent="a1b2c3d4e5f6a7b8c")
    helper.prompt("Look for leaks")
    store.made["helper"] = helper.spills(
        log_of(1500, last="no leaks"), command="leaks", name="bhelper01.txt"
    )
    helper.says("No leaks.")
    store.transcripts.append(helper.write())
    return store


def background(
    main: Claude, data: bytes, *, code: int, name: str = "bback0001"
) -> Made:
    """A command in the background and the notification of its end."""
    call_id = main.calls("Bash", command="make soak", run_in_background=True)
    path = main.tasks / f"{name}.output"
    text = (
        f"Command running in background with ID: {name}. "
        f"Output is being written to: {path}. You will be notified when it completes."
    )
    record = main.gets(call_id, text, result={"backgroundTaskId": name})
    status = "completed" if code == 0 else "failed"
    main.prompt(
        f"<task-notification>\n<task-id>{name}</task-id>\n"
        f"<tool-use-id>{call_id}</tool-use-id>\n<output-file>{path}</output-file>\n"
        f"<status>{status}</status>\n<summary>Background command"
        f' "make soak" {status} (exit code {code})</summary>\n</task-notification>',
        origin={"kind": "task-notification"},
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    envelope = text[text.index("ID:") : text.index(".output") + len(".output")]
    return Made(path, data, envelope, (), call_id, "Bash", "make soak", record)


def make_dsh(home: Path, tmp: Path) -> Store:
    """A store with two sessions, one raw and one zstd: a long build, a fork of it."""
    root = tmp / "dsh-spill-AbC123"
    store = Store(home / ".dsh")
    first = Dsh(home, root, session="sess-1")
    first.prompt("Run the build")
    store.made["build"] = first.spills(log_of(6000), command="make all")
    first.says("Three errors.")
    store.transcripts.append(first.write())
    fork = Dsh(home, root, session="sess-2", zstd=False, parent=first)
    store.made["fork"] = fork.spills(log_of(5000, last="ok"), command="make more")
    fork.says("Fine now.")
    store.transcripts.append(fork.write())
    return store
