"""A made store of Gemini CLI: five layouts, both kinds of project folders and chats."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.harness_stores.model import Gone, HarnessStore, Spill
from tests.outputs import (
    Range,
    head,
    iso,
    lines,
    output,
    put,
    put_lines,
    shown,
    tail,
    united,
)

NIGHT = 1_795_000_000
SHOP, CAFE, GONE = "/srv/shop", "/srv/café/shop", "/srv/gone"
NEW = "c0ffee00-1111-4222-8333-444455556666"
OLD = "0ddba115-1111-4222-8333-444455556666"
LATE = "deadbea7-1111-4222-8333-444455556666"
AGENT = "codebase_investigator-1a2b"
GATE = (40_000, "chars")
SHELL = "run_shell_command"


def hashed(path: str) -> str:
    return hashlib.sha256(path.encode()).hexdigest()


def safe(part: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "_", part)


def head_and_tail(
    text: str, path: Path | str, limit: int = 40_000, form: str = "{:,}"
) -> tuple[str, tuple[Range, ...]]:
    """The current wording: a fifth from the start, the rest from the end."""
    first = limit // 5
    last = limit - first
    numbers = [form.format(n) for n in (first, last, len(text) - limit)]
    a, b, left = (n.replace("_", "\u202f") for n in numbers)
    return (
        f"Output too large. Showing first {a} and last {b} characters. "
        f"For full output see: {path}\n{text[:first]}\n\n... [{left} characters "
        f"omitted] ...\n\n{text[-last:]}"
    ), (head(text, first), tail(text, last))


def last_lines(text: str, path: Path | str, most: int = 1000) -> tuple[str, Range]:
    """An earlier wording: the last lines."""
    rows = text.split("\n")
    kept = rows[-most:]
    told = f"Showing the last {len(kept):,} of {len(rows):,} lines."
    whole = f"Output too large. {told} For full output see: {path}\n...\n"
    return whole + "\n".join(kept), tail(text, len("\n".join(kept)))


def in_parts(text: str, path: Path | str) -> tuple[str, tuple[Range, ...]]:
    """The first wording: 200 lines from the start, 800 from the end."""
    rows = text.split("\n")
    first, last = "\n".join(rows[:200]), "\n".join(rows[-800:])
    return (
        f"Tool output was too large and has been truncated.\nThe full output has been "
        f"saved to: {path}\nTo read the complete output, use the read_file tool with "
        "the absolute file path above. For large files, you can use the offset and "
        "limit parameters to read specific sections:\n- read_file tool with offset=0, "
        "limit=100 to see the first 100 lines\n- read_file tool with offset=N to skip "
        "N lines from the beginning\n- read_file tool with limit=M to read only M "
        "lines at a time\nThe truncated output below shows the beginning and end of "
        "the content. The marker '... [CONTENT TRUNCATED] ...' indicates where content "
        "was removed.\nThis allows you to efficiently examine different parts of the "
        "output without loading the entire file.\nTruncated part of the output:\n"
        f"{first}\n... [CONTENT TRUNCATED] ...\n{last}"
    ), (head(text, len(first)), tail(text, len(last)))


def rewrapped(text: str) -> str:
    """Lines of at most 120 chars, as old versions wrapped an output of few lines."""
    rows: list[str] = []
    for row in text.split("\n"):
        rows += [row[i : i + 120] for i in range(0, len(row), 120)] or [""]
    return "\n".join(rows)


@dataclass
class Chat:
    """One chat while it is written."""

    session: str
    project: str = SHOP
    now: float = NIGHT
    kind: str | None = None
    messages: list[dict[str, Any]] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "sessionId": self.session,
            "projectHash": hashed(self.project),
            "startTime": iso(self.now),
            "lastUpdated": iso(self.now),
        }
        return facts if self.kind is None else {**facts, "kind": self.kind}

    def add(self, kind: str, content: Any, **more: Any) -> dict[str, Any]:
        self.now += 2
        message = {
            "id": f"{self.session[:8]}-m{len(self.messages)}",
            "timestamp": iso(self.now),
            "type": kind,
            "content": content,
            **more,
        }
        self.messages.append(message)
        self.rows.append(json.loads(json.dumps(message)))
        return message

    def again(self, message: dict[str, Any]) -> None:
        """The message as it now is, written once more."""
        self.rows.append(json.loads(json.dumps(message)))

    def asks(self, text: str) -> None:
        self.add("user", [{"text": text}])

    def says(self, text: str) -> None:
        self.add("gemini", text, thoughts=[], model="gemini-test")

    def calls(
        self,
        call_id: str,
        tool: str,
        arguments: dict[str, Any],
        result: str,
        status: str = "success",
    ) -> dict[str, Any]:
        """A call, written as it begins, as it ends and once its tokens are known."""
        call: dict[str, Any] = {"id": call_id, "name": tool, "args": arguments}
        message = self.add("gemini", "", toolCalls=[{**call, "status": "executing"}])
        self.now += 2
        message["toolCalls"] = [
            {
                **call,
                "status": status,
                "timestamp": iso(self.now),
                "result": [self.response(call_id, tool, result)],
            }
        ]
        self.again(message)
        self.rows.append({"$set": {"lastUpdated": iso(self.now)}})
        message["tokens"] = {"input": 10, "output": 5, "total": 15}
        self.again(message)
        return message

    def response(self, call_id: str, tool: str, text: str) -> dict[str, Any]:
        answer = {"id": call_id, "name": tool, "response": {"output": text}}
        return {"functionResponse": answer}


def inside(text: str, first: int, last: int) -> Range:
    """Those lines without the last one's end, which the tool takes off."""
    start, end = lines(text, first, last)
    return start, end - 1


def printed(text: str, code: int) -> str:
    """A shell's result as its tool gives it."""
    return f"Output: {text}\nExit Code: {code}\nProcess Group PGID: 4711"


def make(home: Path) -> HarnessStore:
    """Three projects, one of them under two names."""
    store = HarnessStore(harness="gemini-cli")
    gemini = home / ".gemini"
    tmp = gemini / "tmp"
    known = {SHOP: "shop", CAFE: "shop-1"}
    put(gemini / "projects.json", json.dumps({"projects": known}), NIGHT)
    for root, slug in known.items():
        put(tmp / slug / ".project_root", root, NIGHT)

    def spill(
        text: str, path: Path, envelope: str | None, what: str, **more: Any
    ) -> None:
        facts: dict[str, Any] = {"boundary": GATE, "gates": (GATE,)}
        if envelope is None:
            facts["link"] = "orphan"
        store.spills.append(
            Spill(
                path=path,
                data=text.encode(),
                what=what,
                envelope=envelope,
                **{**facts, **more},
            )
        )

    # The current layout, in the project that took its name at once.
    chat = Chat(NEW, CAFE)
    chat.rows.append(chat.facts())
    chat.asks("Why does the build fail?")
    here = tmp / "shop-1" / "tool-outputs" / f"session-{NEW}"
    new: dict[str, Any] = {"session": NEW, "project": CAFE}

    text = printed(output(88_000, "make: *** [all] Error 2", seed=1, odd=True), 2)
    path = put(here / f"{SHELL}__1.txt", text, NIGHT + 10)
    whole, ranges = head_and_tail(text, path)
    chat.calls(f"{SHELL}__1", SHELL, {"command": "make all"}, whole)
    chat.says("The error is at the end.")
    part = shown(text, 400, 420)
    got = printed(part.removesuffix("\n"), 0)
    read = {"command": f"sed -n '400,420p' {path}"}
    chat.calls(f"{SHELL}__2", SHELL, read, got)
    total = len(text.splitlines())
    part = shown(text, 500, 540)
    got = (
        "\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines "
        f"500-540 of {total} total lines.\nAction: To read more of the file, you can "
        f"use the parameters.\n\n--- FILE CONTENT (truncated) ---\n{part}"
    )
    given = {"file_path": str(path), "start_line": 500, "end_line": 540}
    chat.calls("read_file__3", "read_file", given, got)
    spill(
        text,
        path,
        whole,
        "head and tail, read twice again",
        tool=SHELL,
        call_id=f"{SHELL}__1",
        command="make all",
        failed=True,
        seen=united(*ranges, inside(text, 400, 420), lines(text, 500, 540)),
        next_text="The error is at the end.",
        read_back=True,
        **new,
    )

    # The id holds capitals and other signs; numbers of other languages.
    for n, form in enumerate(("{:,}", "{:_}"), 4):
        text = output(70_000, f"{n} problems", seed=n)
        call_id = f"Call.{n}:X"
        path = put(here / f"mcp_db_query_{safe(call_id).lower()}.txt", text, NIGHT + n)
        whole, ranges = head_and_tail(text, path, 20_000 * (n - 3), form)
        if n == 4:
            whole = re.sub(r"(?<=\d),(?=\d{3})", ".", whole, count=3)
        chat.calls(call_id, "mcp_db_query", {"sql": "select 1"}, whole)
        spill(
            text,
            path,
            whole,
            f"numbers as {form}",
            tool="mcp_db_query",
            call_id=call_id,
            seen=ranges,
            **new,
        )

    # Distilled: with a summary behind.
    text = output(90_000, "7 suites", seed=6)
    path = put(here / f"{SHELL}__6.txt", text, NIGHT + 60)
    whole = (
        "[Message Normalized: Tool output exceeded size limit]\n"
        f"{text[:7000]}\n...\n{text[-28_000:]}\n\nFull output saved to: {path}\n\n"
        "--- Strategic Significance of Truncated Content ---\n- all is well"
    )
    chat.calls(f"{SHELL}__6", SHELL, {"command": "make test"}, whole)
    spill(
        text,
        path,
        whole,
        "distilled",
        tool=SHELL,
        seen=(head(text, 7000), tail(text, 28_000)),
        **new,
    )

    # Masked later: the whole was received before, the file is a JSON dump.
    inner = output(61_000, "3 hits", seed=7)
    message = chat.calls("grep_search__7", "grep_search", {"pattern": "x"}, inner)
    text = json.dumps({"output": inner}, indent=2)
    path = put(here / "grep_search_grep_search__7_k3j9xa.txt", text, NIGHT + 70)
    whole = (
        f"<tool_output_masked>\n{text[:250]}\n... [TRUNCATED] ...\n{text[-250:]}\n\n"
        f"Output too large. Full output available at: {path}\n</tool_output_masked>"
    )
    masked = chat.response("grep_search__7", "grep_search", whole)
    message["toolCalls"][0]["result"] = [masked]
    chat.rows.append({"$set": {"messages": chat.messages}})
    spill(
        text,
        path,
        whole,
        "masked: a JSON dump",
        tool="grep_search",
        seen=(head(text, 250), tail(text, 250)),
        kind="json",
        **new,
    )
    text = output(63_000, "observed", seed=8)
    path = put(here / "read_file_c8_observation_77aa.txt", text, NIGHT + 80)
    size = f"{len(text.encode()) / 1024 / 1024:.2f}MB, {len(text.split(chr(10)))} lines"
    whole = (
        f"<tool_output_masked>\n[Tool observation string ({size}) masked to preserve "
        f"context window. Full string saved to: {path}]\n</tool_output_masked>"
    )
    chat.calls("c8", "read_file", {"file_path": "/srv/x"}, whole)
    spill(text, path, whole, "masked by the new manager", seen=(), agrees=True, **new)

    # Spilled while the history was compressed: told in `$set` alone.
    text = output(64_000, "compressed", seed=9)
    path = put(tmp / "shop-1/tool-outputs" / f"{SHELL}_1.txt", text, NIGHT + 90)
    whole, ranges = head_and_tail(text, path, 4000)
    turn = {
        "id": "synthetic-1",
        "timestamp": iso(chat.now),
        "type": "user",
        "content": [chat.response(f"{SHELL}__9", SHELL, whole)],
    }
    chat.rows.append({"$set": {"messages": [*chat.messages, turn]}})
    spill(
        text,
        path,
        whole,
        "spilled in a compression",
        call_id=f"{SHELL}__9",
        seen=ranges,
        **new,
    )

    # Gone; a notice quoted by a document; a step back; a title.
    away = here / f"{SHELL}__10.txt"
    whole, _ = head_and_tail(text, away)
    chat.calls(f"{SHELL}__10", SHELL, {"command": "make old"}, whole)
    store.gone.append(
        Gone(
            what="dangling",
            state="dangling",
            session=NEW,
            path=str(away),
            call_id=f"{SHELL}__10",
            tool=SHELL,
        )
    )
    quoted = f"# Notes\n\nIt reads:\n\n{whole}\n\nFull output saved to: {away}x\n"
    chat.calls("read_file__11", "read_file", {"file_path": "/srv/N.md"}, quoted)
    chat.asks("Forget that.")
    chat.rows.append({"$rewindTo": chat.messages[-1]["id"]})
    chat.rows.append({"$set": {"summary": "A build that fails"}})
    chats = tmp / "shop-1" / "chats"
    put_lines(chats / f"session-2026-11-18T10-26-{NEW[:8]}.jsonl", chat.rows, chat.now)

    # A subagent: the folder of its spills bears its own id.
    side = Chat(AGENT, CAFE, now=NIGHT + 400, kind="subagent")
    side.rows.append({**side.facts(), "directories": [CAFE]})
    side.asks("Find the cause.")
    text = output(72_000, "cause found", seed=12)
    below = tmp / "shop-1" / "tool-outputs" / f"session-{AGENT}"
    path = put(below / f"{SHELL}__s1.txt", text, NIGHT + 410)
    whole, ranges = head_and_tail(text, path)
    side.calls(f"{SHELL}__s1", SHELL, {"command": "git log"}, whole)
    part = shown(text, 600, 620)
    got = printed(part.removesuffix("\n"), 0)
    side.calls(f"{SHELL}__s2", SHELL, {"command": f"sed -n 600,620p {path}"}, got)
    put_lines(chats / NEW / f"{AGENT}.jsonl", side.rows, side.now)
    spill(
        text,
        path,
        whole,
        "of a subagent, read again by it",
        session=NEW,
        project=CAFE,
        tool=SHELL,
        seen=united(*ranges, inside(text, 600, 620)),
        read_back=True,
    )

    # The oldest layouts, under the digest, in one document.
    base = tmp / hashed(SHOP)
    old = Chat(OLD, now=NIGHT - 90_000)
    old.asks("Start.")
    facts: dict[str, Any] = {"session": OLD, "project": SHOP}
    call_id = f"{SHELL}-1794900000000-a1b2c3"
    text = output(95_000, "all green", seed=21)
    path = put(base / f"{call_id}.output", text, NIGHT - 89_990)
    whole, ranges = in_parts(text, path)
    old.calls(call_id, SHELL, {"command": "make"}, whole)
    spill(
        text,
        path,
        whole,
        "the oldest layout",
        tool=SHELL,
        call_id=call_id,
        command="make",
        seen=ranges,
        **facts,
    )
    text = rewrapped(f"{'data ' * 30_000}\n" * 2 + "the end")
    path = put(base / "call_w1.output", text, NIGHT - 89_980)
    whole, ranges = in_parts(text, path)
    old.calls("call_w1", SHELL, {"command": "cat wide"}, whole)
    spill(text, path, whole, "wrapped again", tool=SHELL, seen=ranges, **facts)
    text = output(96_000, "0.26 ends", seed=22)
    path = put(base / f"{SHELL}_call_26.txt", text, NIGHT - 89_970)
    whole, one = last_lines(text, path)
    old.calls("call_26", SHELL, {"command": "make b"}, whole)
    spill(
        text,
        path,
        whole,
        "0.26: last lines",
        tool=SHELL,
        seen=(one,),
        agrees=True,
        **facts,
    )
    text = "x" * 90_000
    path = put(base / "tool_output" / f"{SHELL}_call_28.txt", text, NIGHT - 89_960)
    whole = (
        "Output too large. Showing the last 4,000 characters of the output. "
        f"For full output see: {path}\n...{text[-4000:]}"
    )
    old.calls("call_28", SHELL, {"command": "blob"}, whole)
    spill(
        text,
        path,
        whole,
        "0.28: last chars",
        tool=SHELL,
        seen=((86_000, 90_000),),
        **facts,
    )
    rows = [f"{n:04d} {'y' * (1500 if n % 50 == 0 else 20)}" for n in range(4000)]
    text = "\n".join(rows)
    path = put(base / "tool_output" / f"{SHELL}_call_29.txt", text, NIGHT - 89_950)
    cut = [
        r if len(r) <= 1000 else r[:1000] + "... [LINE WIDTH TRUNCATED]" for r in rows
    ]
    whole = (
        "Output too large. Showing the last 1,000 of 4,000 lines (some long lines "
        f"truncated). For full output see: {path}\n...\n" + "\n".join(cut[-1000:])
    )
    old.calls("call_29", SHELL, {"command": "wide"}, whole)
    spill(
        text,
        path,
        whole,
        "0.28: long lines cut",
        tool=SHELL,
        may=(tail(text, len("\n".join(rows[-1000:]))),),
        **facts,
    )
    name = f"session-2026-11-17T09-00-{OLD[:8]}"
    document = {**old.facts(), "messages": old.messages}
    put(base / "chats" / f"{name}.json", json.dumps(document, indent=2), old.now)
    put(base / "logs.json", "[]", NIGHT)

    # Migrated: copied under the new name; there the chat goes on as lines.
    for item in sorted(base.iterdir()):
        if item.is_dir():
            shutil.copytree(item, tmp / "shop" / item.name)
        else:
            shutil.copy(item, tmp / "shop" / item.name)
    store.others += [
        path
        for path in sorted((tmp / "shop").rglob("*"))
        if path.suffix in (".output", ".txt")
    ]
    late = Chat(OLD, now=NIGHT + 900, messages=list(old.messages))
    late.rows = [late.facts(), *json.loads(json.dumps(old.messages))]
    late.asks("Go on.")
    text = output(67_000, "and on", seed=31)
    folder = tmp / "shop" / "tool-outputs" / f"session-{OLD}"
    path = put(folder / f"{SHELL}__31.txt", text, NIGHT + 910)
    whole, ranges = head_and_tail(text, path)
    late.calls(f"{SHELL}__31", SHELL, {"command": "make c"}, whole)
    put_lines(tmp / "shop" / "chats" / f"{name}.jsonl", late.rows, late.now)
    spill(text, path, whole, "after the migration", tool=SHELL, seen=ranges, **facts)

    # No record names these; one of no known project.
    text = output(65_000, "no one knows", seed=41)
    folder = tmp / "shop" / "tool-outputs" / f"session-{LATE}"
    path = put(folder / f"{SHELL}__41.txt", text, NIGHT + 41)
    late_facts = {"project": SHOP, "session": LATE, "tool": SHELL}
    spill(text, path, None, "orphan of a known project", **late_facts)
    path = put(tmp / hashed(GONE) / "call_lost.output", text, NIGHT + 41)
    spill(text, path, None, "orphan of an unknown project")
    store.others += [
        put(tmp / "shop-1" / "shell_history", "ls\n", NIGHT),
        put(tmp / "shop-1" / "Notes.txt", "not a spill\n", NIGHT),
        put(tmp / "shop-1" / "checkpoint-a.json", "{}", NIGHT),
        put(gemini / "settings.json", "{}", NIGHT),
    ]
    return store
