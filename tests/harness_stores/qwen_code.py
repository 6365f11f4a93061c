"""A made store of Qwen Code: results by call id, cut tool outputs, and chats."""

from __future__ import annotations

import hashlib
import math
import re
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
ONE = "aaaaaaaa-1111-4222-8333-444455556666"
TWO = "bbbbbbbb-1111-4222-8333-444455556666"
AGENT = "explore-77"
FOLDER = "/srv/shop"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def preview(text: str) -> tuple[str, Range]:
    """The head that is shown, and the byte range it is."""
    kept = text[:2000]
    end = kept.rfind("\n")
    kept = kept[:end] if end > 0 else kept
    tags = r"</?(?:persisted-output|system-reminder)>"
    escaped = re.sub(tags, lambda m: f"&lt;{m[0][1:-1]}&gt;", kept)
    return escaped + "\n...", head(text, len(kept))


def stub(text: str, where: Path | str) -> tuple[str, tuple[Range, ...]]:
    """What stands in the place of a large result: with a path, or a reason."""
    kb = math.floor(len(text.encode()) / 1024 + 0.5)
    body, shown_range = preview(text)
    told = f"Full output sha256: {digest(text)}\n\nPreview (up to 2000 chars):\n{body}"
    if isinstance(where, str):
        return f"Output too large ({kb} KB). {where}\n{told}", ()
    return (
        f"<persisted-output>\nOutput too large ({kb} KB). Full output saved to: {where}"
        "\nNote: this file may be cleaned up after 24 hours.\nTo read the complete "
        "output, use the read_file tool with the absolute file path above.\n"
        f"{told}\n</persisted-output>"
    ), (shown_range,)


def wrapped(
    text: str, where: Path, *, old: bool = False
) -> tuple[str, tuple[Range, ...]]:
    """What a tool itself leaves of its output: a fifth from the start, the rest."""
    if old:
        rows = text.split("\n")
        first, last = "\n".join(rows[:200]), "\n".join(rows[-800:])
        mark, sha = "\n... [CONTENT TRUNCATED] ...\n", ""
        begun, ended = first, last
    else:
        first, last = text[:4900], text[-19_600:]
        mark = "\n\n---\n... [CONTENT TRUNCATED] ...\n---\n\n"
        begun, ended = first + "...", "..." + last
        sha = f"Full output sha256: {digest(text)}\n\n"
    return (
        f"Tool output was too large and has been truncated.\nThe full output has been "
        f"saved to: {where}\nTo read the complete output, use the read_file tool with "
        "the absolute file path above.\nThe truncated output below shows the beginning "
        "and end of the content. The marker '... [CONTENT TRUNCATED] ...' indicates "
        f"where content was removed.\n{sha}Truncated part of the output:\n"
        f"{begun}{mark}{ended}"
    ), (head(text, len(first)), tail(text, len(last)))


@dataclass
class Chat:
    """One chat while it is written."""

    session: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    now: float = NIGHT
    side: bool = False

    def add(self, kind: str, role: str, parts: list[Any], **more: Any) -> None:
        self.now += 2
        self.rows.append(
            {
                "uuid": f"{self.session[:8]}-{len(self.rows)}",
                "parentUuid": None,
                "sessionId": self.session,
                "timestamp": iso(self.now),
                "type": kind,
                "cwd": FOLDER,
                "version": "0.16.0",
                "isSidechain": self.side,
                "message": {"role": role, "parts": parts},
                **more,
            }
        )

    def asks(self, text: str) -> None:
        self.add("user", "user", [{"text": text}])

    def says(self, text: str) -> None:
        self.add("assistant", "model", [{"text": text}])

    def calls(
        self,
        call_id: str,
        tool: str,
        arguments: dict[str, Any],
        result: str,
        status: str = "success",
    ) -> None:
        call = {"id": call_id, "name": tool, "args": arguments}
        self.add("assistant", "model", [{"functionCall": call}])
        answer = {"id": call_id, "name": tool, "response": {"output": result}}
        self.add(
            "tool_result",
            "user",
            [{"functionResponse": answer}],
            toolCallResult={"callId": call_id, "status": status},
        )


def make(home: Path) -> HarnessStore:
    """Two sessions and a subagent in one project, and an orphan of each layout."""
    store = HarnessStore(harness="qwen-code")
    qwen = home / ".qwen"
    tmp = qwen / "tmp" / hashlib.sha256(FOLDER.encode()).hexdigest()
    results = tmp / "tool-results"
    chats = qwen / "projects" / "-srv-shop" / "chats"
    chat = Chat(ONE)
    chat.asks("Fix the failing test.")
    usual = ((28_000, "chars"), (1000, "lines"))

    def saved(name: str, text: str, at: float) -> Path:
        path = put(results / name, text, NIGHT + at)
        path.chmod(0o600)
        return path

    def spill(text: str, path: Path, envelope: str, what: str, **more: Any) -> None:
        facts: dict[str, Any] = {"session": ONE, "project": FOLDER, "agrees": True}
        store.spills.append(
            Spill(
                path=path,
                data=text.encode(),
                what=what,
                envelope=envelope,
                **{**facts, **more},
            )
        )

    # The gate's layout; a later read shows more.
    text = output(84_000, "2 failed, 40 passed", seed=1, odd=True)
    path = saved("call_1.txt", text, 10)
    whole, ranges = stub(text, path)
    chat.calls("call_1", "list_tests", {"path": "."}, whole)
    chat.says("Two tests failed.")
    part = shown(text, 400, 440)
    rows = len(text.splitlines())
    read = f"Showing lines 400-440 of {rows} total lines.\n\n---\n\n{part}"
    given = {"absolute_path": str(path), "offset": 399, "limit": 41}
    chat.calls("call_2", "read_file", given, read)
    spill(
        text,
        path,
        whole,
        "persisted, read again",
        tool="list_tests",
        call_id="call_1",
        failed=False,
        seen=united(*ranges, lines(text, 400, 440)),
        gates=usual,
        boundary=usual[0] if len(text) / 28_000 >= rows / 1000 else usual[1],
        next_text="Two tests failed.",
        read_back=True,
    )

    # Tags in the head: escaped, and nothing else is; its own gate.
    lead = "a &amp; b <persisted-output> x </persisted-output>\n"
    lead += "<system-reminder>\nnot ours\n</system-reminder> <b> &lt;i&gt; 漢\n"
    text = lead + output(66_000, "</persisted-output> was the last", seed=2)
    path = saved("call_3.txt", text, 20)
    whole, ranges = stub(text, path)
    chat.calls("call_3", "run_shell_command", {"command": "make"}, whole, "error")
    spill(
        text,
        path,
        whole,
        "tags escaped in the head",
        tool="run_shell_command",
        command="make",
        failed=True,
        seen=ranges,
        boundary=(30_000, "chars"),
        gates=((30_000, "chars"),),
    )

    # Its file was changed since: the sum says so.
    text = output(70_000, "9 passed", seed=3)
    path = saved("call_4.txt", text.replace("passed", "PASSED"), 30)
    whole, ranges = stub(text, path)
    chat.calls("call_4", "grep_search", {"pattern": "x"}, whole)
    spill(
        text.replace("passed", "PASSED"),
        path,
        whole,
        "changed since: the sum differs",
        tool="grep_search",
        agrees=False,
        seen=ranges,
        boundary=(20_000, "chars"),
    )

    # What tools cut themselves, in both wordings.
    text = output(90_000, "Exit Code: 2", seed=4)
    path = put(tmp / "run_shell_command_0123456789ab.output", text, NIGHT + 40)
    whole, ranges = wrapped(text, path)
    chat.calls("call_5", "run_shell_command", {"command": "make all"}, whole)
    spill(
        text,
        path,
        whole,
        "cut by its tool",
        tool="run_shell_command",
        command="make all",
        failed=True,
        seen=ranges,
        gates=((30_000, "chars"),),
    )
    text = output(150_000, "rows: 3000", seed=5)
    path = put(tmp / "mcp__db__query_abcdef012345.output", text, NIGHT + 50)
    whole, ranges = wrapped(text, path, old=True)
    chat.calls("call_6", "mcp__db__query", {"sql": "select 1"}, whole)
    spill(
        text,
        path,
        whole,
        "the older wording, MCP",
        tool="mcp__db__query",
        agrees=None,
        seen=ranges,
        boundary=(500_000, "chars"),
        gates=((500_000, "chars"),),
    )

    # Not saved, for each reason; a tool's own failure to save; cleaned up since.
    for n, why in enumerate(
        (
            "file too large to persist",
            "session disk budget exhausted",
            "invalid callId",
            "disk persistence unavailable",
        )
    ):
        call = f"unsaved_{n}"
        chat.calls(call, "web_fetch", {"url": "x"}, stub(text, f"({why})")[0])
        store.gone.append(Gone(what=why, state="cut", session=ONE, call_id=call))
    lost = (
        f"Full output sha256: {digest(text)}\n{text[:4000]}\n\n---\n"
        f"... [CONTENT TRUNCATED] ...\n---\n\n{text[-9000:]}\n"
        "[Note: Could not save full output to file]"
    )
    chat.calls("unsaved_4", "run_shell_command", {"command": "make"}, lost)
    store.gone.append(Gone(what="no disk", state="cut", call_id="unsaved_4"))
    away = results / "call_9.txt"
    chat.calls("call_9", "web_fetch", {"url": "y"}, stub(text, away)[0])
    store.gone.append(
        Gone(
            what="older than a day",
            state="dangling",
            session=ONE,
            path=str(away),
            call_id="call_9",
            tool="web_fetch",
        )
    )

    # Documents that quote notices, small and numbered.
    quoted = (
        f"# Notes\n\n{'x' * 600}\n\n```\n{stub(text, results / 'call_x.txt')[0]}\n```\n"
    )
    chat.calls("call_10", "read_file", {"absolute_path": "/srv/N.md"}, quoted * 2)
    told = "It prints:\nOutput too large (60 KB). (invalid callId)\nand goes on.\n" + (
        "More words about it.\n" * 20
    )
    chat.calls("call_11", "read_file", {"absolute_path": "/srv/M.md"}, told)
    title = {"subtype": "custom_title", "systemPayload": {"customTitle": "Red test"}}
    chat.rows.append({**chat.rows[0], "uuid": "t", "type": "system", **title})
    put_lines(chats / f"{ONE}.jsonl", chat.rows, chat.now)

    # A subagent of the first session.
    side = Chat(ONE, now=NIGHT + 300, side=True)
    side.asks("Look around.")
    text = output(62_000, "found 12", seed=7)
    path = saved("call_side.txt", text, 310)
    whole, ranges = stub(text, path)
    side.calls("call_side", "glob", {"pattern": "**"}, whole)
    below = qwen / "projects" / "-srv-shop" / "subagents" / ONE
    put_lines(below / f"{AGENT}.jsonl", side.rows, side.now)
    spill(text, path, whole, "of a subagent", tool="glob", seen=ranges, gates=usual)

    # Another session; the lines decide here.
    other = Chat(TWO, now=NIGHT + 7000)
    other.asks("Count the rows.")
    text = "".join(f"{n}\n" for n in range(12_000)) + "total 12000\n"
    path = saved("call_b1.txt", text, 7010)
    whole, ranges = stub(text, path)
    other.calls("call_b1", "count_rows", {}, whole)
    put_lines(chats / f"{TWO}.jsonl", other.rows, other.now)
    spill(
        text,
        path,
        whole,
        "many short lines",
        session=TWO,
        tool="count_rows",
        seen=ranges,
        boundary=(1000, "lines"),
        gates=usual,
    )

    # No record names these.
    text = output(61_000, "nobody asked", seed=8)
    for path in (
        saved("call_lost.txt", text, 60),
        put(tmp / "run_shell_command_00000000000a.output", text, NIGHT + 61),
    ):
        store.spills.append(
            Spill(path=path, data=text.encode(), what=path.name, link="orphan")
        )
    store.others += [
        put(tmp / "logs.json", "[]", NIGHT),
        put(tmp / "notes.output", "not a spill\n", NIGHT),
        put(qwen / "settings.json", "{}", NIGHT),
        chats / f"{ONE}.jsonl",
    ]
    return store
