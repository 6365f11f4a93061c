"""A made store of Roo Code: tasks in four editors, previews of three sizes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.harness_stores.model import Gone, HarnessStore, Spill
from tests.printed import FAILED, NIGHT, head, millis, output, tail, words

FIRST = "0199aaaa-1111-7111-8111-111111111111"
SECOND = "0199bbbb-2222-7222-8222-222222222222"
THIRD = "0199cccc-3333-7333-8333-333333333333"
FOURTH = "0199dddd-4444-7444-8444-444444444444"
ROO = "globalStorage/rooveterinaryinc.roo-cline"
GATE = (10_240, "bytes")


class Task:
    """One task, told in order."""

    def __init__(
        self, storage: Path, task: str, cwd: str = "/srv/app", asked: str = "Run it"
    ) -> None:
        self.folder = storage / "tasks" / task
        self.task, self.cwd = task, cwd
        self.clock = float(NIGHT)
        self.messages: list[dict[str, Any]] = []
        self._calls = 0
        self.prompt(
            f"<user_message>\n{asked}\n</user_message>",
            "<environment_details>\n# VSCode Visible Files\n\n"
            f"# Current Workspace Directory ({cwd}) Files\na.py\n"
            "</environment_details>",
        )

    def add(self, role: str, content: Any) -> None:
        """One message."""
        self.clock += 1
        message = {"role": role, "content": content, "ts": millis(self.clock)}
        self.messages.append(message)

    def prompt(self, *texts: str) -> None:
        """A person's prompt and what the harness adds to it."""
        self.add("user", [{"type": "text", "text": text} for text in texts])

    def calls(self, tool: str, says: str = "", **arguments: Any) -> str:
        """The agent calls a tool; returns the call's id."""
        self._calls += 1
        call_id = f"toolu_{self.task[4:8]}{self._calls:02d}"
        block: dict[str, Any] = {"type": "tool_use", "id": call_id, "name": tool}
        block["input"] = arguments
        said = [{"type": "text", "text": says}] if says else []
        self.add("assistant", [*said, block])
        return call_id

    def gets(self, call_id: str, content: Any) -> None:
        """The result of a call."""
        block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
        self.add("user", [block])

    def place(self, number: int) -> Path:
        """Where a command's output is kept."""
        return self.folder / "command-output" / f"cmd-{number}.txt"

    def spills(
        self,
        what: str,
        number: int,
        data: bytes,
        *,
        command: str = "pytest -q",
        preview: int = 10_240,
        old: bool = False,
        status: str = "Exit code: 0",
        failed: bool = False,
        write: bool = True,
        more: dict[str, Any] | None = None,
    ) -> Spill:
        """A command whose output was too large."""
        call_id = self.calls("execute_command", command=command, cwd=None)
        first, last = head(data, preview // 2), tail(data, preview - preview // 2)
        gap = len(data) - len(first) - len(last)
        shown = f"{first.decode()}\n[...{gap} bytes omitted...]\n{last.decode()}"
        seen: tuple[tuple[int, int], ...] = (
            (0, len(first)),
            (len(data) - len(last), len(data)),
        )
        if old:
            shown = data.decode()[:preview]
            seen = ((0, len(shown.encode())),)
        path = self.place(number)
        text = "\n".join(
            [
                f"Command executed in '{self.cwd}'. {status}",
                "",
                f"Output ({words(len(data))}) persisted. Artifact ID: {path.name}",
                "",
                "Preview:",
                shown,
                "",
                "Use read_command_output tool to view full output if needed.",
            ]
        )
        self.gets(call_id, text)
        if write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        facts: dict[str, Any] = {
            "envelope": text,
            "seen": seen,
            "agrees": True,
            "call_id": call_id,
        }
        return Spill(
            path=path,
            data=data,
            what=what,
            session=self.task,
            project=self.cwd,
            tool="execute_command",
            command=command,
            failed=failed,
            boundary=GATE,
            gates=(GATE,),
            **(facts | (more or {})),
        )

    def reads(self, number: int, data: bytes, offset: int, limit: int) -> None:
        """The agent reads part of a saved output."""
        name = self.place(number).name
        call_id = self.calls(
            "read_command_output", artifact_id=name, offset=offset, limit=limit
        )
        part = data[offset : offset + limit]
        first = data.count(b"\n", 0, offset) + 1
        rows = part.decode().split("\n")
        width = len(str(first + len(rows) - 1))
        numbered = "\n".join(
            f"{str(first + i).rjust(width)} | {row}" for i, row in enumerate(rows)
        )
        end = offset + len(part)
        whole = "TRUNCATED" if end < len(data) else "COMPLETE"
        self.gets(
            call_id,
            f"[Command Output: {name}]\nTotal size: {words(len(data))} | "
            f"Showing bytes {offset}-{end} | {whole}\n{numbered}",
        )

    def searches(self, number: int, data: bytes, word: str) -> list[tuple[int, int]]:
        """The agent searches a saved output; gives the ranges of the lines it got."""
        name = self.place(number).name
        call_id = self.calls("read_command_output", artifact_id=name, search=word)
        rows, ranges, at = [], [], 0
        for index, line in enumerate(data.split(b"\n"), 1):
            if word.encode() in line:
                rows.append(f"{index:>5} | {line.decode()}")
                ranges.append((at, at + len(line) + 1))
            at += len(line) + 1
        self.gets(
            call_id,
            f'[Command Output: {name}] (search: "{word}")\n'
            f"Total matches: {len(rows)} | Showing first {len(rows)}\n\n"
            + "\n".join(rows),
        )
        return ranges

    def write(self) -> None:
        """Write the task's files."""
        self.folder.mkdir(parents=True, exist_ok=True)
        history = json.dumps(self.messages, ensure_ascii=False)
        (self.folder / "api_conversation_history.json").write_text(history)


def merged(*ranges: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """The ranges sorted, those that touch made one."""
    done: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if done and start <= done[-1][1]:
            done[-1] = (done[-1][0], max(end, done[-1][1]))
        else:
            done.append((start, end))
    return tuple(done)


def make(home: Path) -> HarnessStore:
    """Make the store."""
    store = HarnessStore(harness="roo-code")
    code = home / ".config/Code/User" / ROO
    one = Task(code, FIRST, asked="Make the tests pass")

    # Read on and searched: what is seen grows.
    data = output("roo", 150_000, verdict=FAILED)
    spill = one.spills(
        "medium preview, exit code 1",
        1_795_000_001_000,
        data,
        status="Command execution was not successful, inspect the cause and adjust "
        "as needed.\nExit code: 1",
        failed=True,
        write=True,
        more={"next_text": "One test fails; I read on.", "read_back": True},
    )
    start = data.index(b"000100 ")
    end = data.index(b"000300 ")
    one.calls("attempt_completion", says="One test fails; I read on.")
    one.reads(1_795_000_001_000, data, start, end - start)
    found = one.searches(1_795_000_001_000, data, "000999 ")
    assert spill.seen is not None
    seen = merged(*spill.seen, (start, end), *found)
    store.spills.append(_with(spill, seen=seen))

    store.spills.append(
        one.spills(
            "small preview, chars of several bytes at the cuts",
            1_795_000_002_000,
            output("小", 70_000, kind="cjk"),
            preview=5_120,
            command="make 検査",
        )
    )
    store.spills.append(
        one.spills(
            "large preview, CRLF, killed",
            1_795_000_003_000,
            output("large", 90_000, kind="crlf"),
            preview=20_480,
            status="Process terminated by signal SIGKILL - core dump possible",
            failed=True,
        )
    )
    # Quoted: in a file, and printed by a command. Both name a file that exists.
    quoted = (
        "Command executed in '/srv/app'. Exit code: 0\n\nOutput (68.9KB) persisted. "
        "Artifact ID: cmd-1795000002000.txt\n\nPreview:\nx\n"
    )
    call = one.calls("read_file", path="notes.md")
    rows = "\n".join(f"{i} | {row}" for i, row in enumerate(quoted.split("\n"), 1))
    one.gets(call, f"File: notes.md\nLines 1-6:\n{rows}")
    call = one.calls("execute_command", command="cat notes.md")
    one.gets(
        call,
        "Command executed in terminal within working directory '/srv/app'. "
        f"Exit code: 0\nOutput:\n# Notes\n{quoted}",
    )
    # Cut where nothing was saved.
    call = one.calls("execute_command", command="seq 100000")
    one.gets(
        call,
        "Command executed in terminal within working directory '/srv/app'. "
        "Exit code: 0\nOutput:\n1\n2\n"
        + "0123456789\n" * 100
        + "[...638 lines omitted...]\n99999\n100000\n",
    )
    store.gone.append(
        Gone(
            what="cut in its middle",
            state="cut",
            session=FIRST,
            call_id=call,
            tool="execute_command",
        )
    )
    # Its file is gone: the task went back to an earlier message.
    lost = one.spills("lost", 1_795_000_004_000, output("gone", 60_000), write=False)
    store.gone.append(
        Gone(
            what="deleted file",
            state="dangling",
            session=FIRST,
            call_id=lost.call_id,
            tool="execute_command",
        )
    )
    orphan = one.place(1_795_000_005_000)
    orphan.write_bytes(output("orphan", 61_000))
    store.spills.append(
        Spill(
            path=orphan,
            data=orphan.read_bytes(),
            what="no record names it",
            link="orphan",
            session=FIRST,
            boundary=GATE,
        )
    )
    one.write()
    (one.folder / "ui_messages.json").write_text(json.dumps([{"text": quoted}]))
    for name in ("cmd-notes.txt", "other.txt", "cmd-1.txt.tmp"):
        foreign = orphan.parent / name
        foreign.write_text("not an output\n")
        store.others.append(foreign)
    store.others.append(one.folder / "ui_messages.json")

    # The same number in another task, and the old form of the preview.
    two = Task(home / ".config/Code - Insiders/User" / ROO, SECOND, "/srv/other")
    store.spills.append(
        two.spills(
            "the same id as in another task; the head alone",
            1_795_000_001_000,
            output("other", 64_000, kind="cjk"),
            old=True,
        )
    )
    two.write()

    # Called in XML: a heading, then the result as text.
    three = Task(home / ".config/VSCodium/User" / ROO, THIRD)
    data = output("xml", 66_000, kind="ansi", verdict=FAILED)
    three.add(
        "assistant",
        "<execute_command>\n<command>npm test</command>\n</execute_command>",
    )
    made = three.spills("called in XML", 1_795_000_006_000, data, command="npm test")
    del three.messages[-2:]
    three.prompt("[execute_command for 'npm test'] Result:", made.envelope or "")
    store.spills.append(_with(made, call_id=None))
    three.write()

    # Remote.
    four = Task(home / ".vscode-server/data/User" / ROO, FOURTH, "/work/remote")
    store.spills.append(
        four.spills("on a remote machine", 1_795_000_007_000, output("far", 60_000))
    )
    four.write()
    return store


def _with(spill: Spill, **facts: Any) -> Spill:
    from dataclasses import replace

    return replace(spill, **facts)
