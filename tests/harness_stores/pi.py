"""A made store of pi and mom: one temp folder for all sessions, tails kept."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.harness_stores.model import Gone, HarnessStore, Spill
from tests.printed import FAILED, NIGHT, iso, last_lines, line_start, millis, output

FIRST = "0199aaaa-1111-7111-8111-aaaaaaaaaaa1"
SECOND = "0199bbbb-2222-7222-8222-aaaaaaaaaaa2"
FORK = "0199cccc-3333-7333-8333-aaaaaaaaaaa3"
GATES = ((2000, "lines"), (51_200, "bytes"))


class Talk:
    """One session of pi (or of what was made from it), told in order."""

    def __init__(
        self,
        path: Path,
        session: str,
        cwd: str = "/srv/app",
        parent: str | None = None,
        asked: str = "Make the tests pass",
    ) -> None:
        self.path, self.session, self.cwd = path, session, cwd
        self.clock = float(NIGHT)
        self.lines: list[bytes] = []
        self._ids = self._calls = 0
        header: dict[str, Any] = {
            "type": "session",
            "version": 3,
            "id": session,
            "timestamp": iso(self.clock),
            "cwd": cwd,
        }
        if parent is not None:
            header["parentSession"] = parent
        self.raw(header)
        if asked:
            self.message(role="user", content=[{"type": "text", "text": asked}])

    def raw(self, value: dict[str, Any]) -> None:
        """Add a line."""
        self.lines.append(json.dumps(value, ensure_ascii=False).encode())

    def entry(self, kind: str, **fields: Any) -> None:
        """Add an entry of the session's tree."""
        self.clock += 1
        self._ids += 1
        base = f"{self.session[4:8]}{self._ids:04x}"
        value = {"type": kind, "id": base, "parentId": None}
        self.raw({**value, "timestamp": iso(self.clock), **fields})

    def message(self, **message: Any) -> None:
        """Add a message."""
        message.setdefault("timestamp", millis(self.clock + 1))
        self.entry("message", message=message)

    def calls(self, tool: str, says: str = "", **arguments: Any) -> str:
        """The agent calls a tool; returns the call's id."""
        self._calls += 1
        call_id = f"call_{self.session[4:8]}_{self._calls}"
        said = [{"type": "text", "text": says}] if says else []
        call = {"type": "toolCall", "id": call_id, "name": tool}
        self.message(
            role="assistant", content=[*said, {**call, "arguments": arguments}]
        )
        return call_id

    def gets(
        self,
        call_id: str,
        text: str,
        *,
        tool: str = "bash",
        failed: bool = False,
        details: dict[str, Any] | None = None,
    ) -> None:
        """The result of a call."""
        self.message(
            role="toolResult",
            toolCallId=call_id,
            toolName=tool,
            content=[{"type": "text", "text": text}],
            isError=failed,
            details=details or {},
        )

    def write(self) -> None:
        """Write the transcript."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(b"\n".join(self.lines) + b"\n")


def transcript_of(home: Path, session: str, cwd: str = "/srv/app") -> Path:
    """Where pi keeps a session."""
    slug = "--" + cwd.lstrip("/").replace("/", "-") + "--"
    folder = home / ".pi/agent/sessions" / slug
    return folder / f"2026-11-18T12-26-40-000Z_{session}.jsonl"


def notice_of(data: bytes, shown: bytes, path: str, by: str, more: int = 0) -> str:
    """The line that says what is shown; `more` lines are counted too many."""
    total = data.count(b"\n") + (data[-1:] != b"\n") + more
    kept = shown.count(b"\n") + (shown[-1:] != b"\n")
    limit = " (50.0KB limit)" if by == "bytes" else ""
    first = total - more - kept + 1
    return f"[Showing lines {first}-{total} of {total}{limit}. Full output: {path}]"


def spilled(
    talk: Talk,
    what: str,
    path: Path,
    data: bytes,
    *,
    command: str = "pytest -q",
    shown: bytes | None = None,
    by: str = "bytes",
    notice: str | None = None,
    code: int = 0,
    more: int = 0,
    text: str | None = None,
    write: bool = True,
) -> Spill:
    """A command whose output was too large."""
    call_id = talk.calls("bash", command=command)
    if shown is None:
        shown = last_lines(data, 2000, 51_200)
    told = notice or notice_of(data, shown, str(path), by, more)
    body = shown.decode("utf-8", "replace") if text is None else text
    envelope = f"{body}\n\n{told}"
    details: dict[str, Any] | None = {
        "truncation": {"truncated": True},
        "fullOutputPath": str(path),
    }
    if code:
        envelope += f"\n\nCommand exited with code {code}"
        details = None
    talk.gets(call_id, envelope, failed=code != 0, details=details)
    if write:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return Spill(
        path=path,
        data=data,
        what=what,
        session=talk.session,
        project=talk.cwd,
        tool="bash",
        call_id=call_id,
        command=command,
        failed=code != 0,
        envelope=envelope,
        seen=((len(data) - len(shown), len(data)),),
        gates=GATES,
        agrees=True,
    )


def make(home: Path) -> HarnessStore:
    """Make the store."""
    store = HarnessStore(harness="pi")
    tmp = home / "tmp"
    one = Talk(transcript_of(home, FIRST), FIRST)

    # By bytes, failed (its details are dropped); later read on.
    path = tmp / "pi-bash-00000000000000a1.log"
    data = output("bytes", 120_000, verdict=FAILED)
    spill = spilled(one, "by bytes, exit code 1", path, data, code=1)
    read = one.calls(
        "read", says="One fails; I look up.", path=str(path), offset=1, limit=40
    )
    end = line_start(data, 41)
    rest = data.count(b"\n") - 40
    text = data[: end - 1].decode()
    text += f"\n\n[{rest} more lines in file. Use offset=41 to continue.]"
    one.gets(read, text, tool="read")
    assert spill.seen is not None
    spill = replace(
        spill,
        seen=((0, end - 1), *spill.seen),
        read_back=True,
        next_text="One fails; I look up.",
        boundary=(51_200, "bytes"),
    )
    store.spills.append(spill)

    # By lines: short ones.
    path = tmp / "pi-bash-00000000000000a2.log"
    data = b"".join(b"%d\n" % i for i in range(12_000)) + b"12000 ok\n"
    shown = last_lines(data, 2000, 51_200)
    spill = spilled(one, "by lines", path, data, by="lines", command="seq 12000")
    store.spills.append(replace(spill, boundary=(2000, "lines")))

    # One line that is longer than the limit.
    path = tmp / "pi-bash-00000000000000a3.log"
    data = b"[" + b"1234567890," * 9_000 + b"0]"
    shown = data[-51_200:]
    notice = f"[Showing last 50.0KB of line 1 (line is 96.7KB). Full output: {path}]"
    spill = spilled(one, "one line", path, data, shown=shown, notice=notice)
    store.spills.append(replace(spill, agrees=None))

    # Raw bytes; the older count, a line more for the text's end.
    path = tmp / "pi-bash-00000000000000a4.log"
    data = output("ansi", 90_000, kind="ansi").replace(b"000007", b"0000\xff7")
    store.spills.append(spilled(one, "colours, the older count", path, data, more=1))
    path = tmp / "pi-bash-00000000000000a5.log"
    data = output("crlf", 90_000, kind="crlf")
    store.spills.append(spilled(one, "CRLF", path, data, command="type log.txt"))
    path = tmp / "pi-bash-00000000000000a6.log"
    data = output("検査", 90_000, kind="cjk")
    store.spills.append(spilled(one, "CJK", path, data))

    # Nothing was written: the word undefined stands for the path.
    call = one.calls("bash", command="seq 3000")
    one.gets(
        call,
        "".join(f"{i}\n" for i in range(1001, 3001))
        + "\n\n[Showing lines 1001-3000 of 3000. Full output: undefined]",
    )
    store.gone.append(
        Gone(
            what="undefined",
            state="dangling",
            session=FIRST,
            path="undefined",
            call_id=call,
            tool="bash",
        )
    )
    # Swept from the temp folder.
    path = tmp / "pi-bash-00000000000000a7.log"
    lost = spilled(one, "swept", path, output("gone", 60_000), write=False)
    store.gone.append(
        Gone(
            what="swept",
            state="dangling",
            session=FIRST,
            path=str(path),
            call_id=lost.call_id,
        )
    )
    # A person's command, and one that was kept from the model.
    path = tmp / "pi-bash-00000000000000a8.log"
    data = output("bang", 80_000)
    shown = last_lines(data, 2000, 51_200)
    path.write_bytes(data)
    bang: dict[str, Any] = {
        "role": "bashExecution",
        "command": "make",
        "output": shown.decode(),
        "exitCode": 2,
        "cancelled": False,
        "truncated": True,
        "fullOutputPath": str(path),
    }
    one.message(**bang)
    envelope = (
        f"Ran `make`\n```\n{shown.decode()}\n```\n\nCommand exited with code 2"
        f"\n\n[Output truncated. Full output: {path}]"
    )
    store.spills.append(
        Spill(
            path=path,
            data=data,
            what="a person's command",
            session=FIRST,
            tool="bash",
            command="make",
            failed=True,
            envelope=envelope,
            seen=((len(data) - len(shown), len(data)),),
            gates=GATES,
        )
    )
    # Quoted by a file that was read, with a path of another session's.
    quoted = tmp / "pi-bash-00000000000000b1.log"
    call = one.calls("read", path="notes.md")
    one.gets(
        call,
        f"# Notes\n\nIt said [Showing lines 1-2 of 3. Full output: {quoted}]\n"
        + "More notes follow here.\n" * 120,
        tool="read",
    )
    orphan = tmp / "pi-bash-00000000000000a9.log"
    orphan.write_bytes(output("orphan", 60_000))
    store.spills.append(
        Spill(
            path=orphan,
            data=orphan.read_bytes(),
            what="no record names it",
            link="orphan",
            gates=GATES,
        )
    )
    one.entry("session_info", name="The failing test")
    one.write()

    # Another session, whose file the first one quotes.
    two = Talk(transcript_of(home, SECOND, "/srv/other"), SECOND, "/srv/other")
    data = output("second", 70_000)
    store.spills.append(spilled(two, "another session", quoted, data))
    two.write()
    # A fork repeats the records of its origin.
    fork = Talk(
        transcript_of(home, FORK),
        FORK,
        parent=str(two.path),
        cwd="/srv/other",
        asked="",
    )
    fork.lines += two.lines[1:]
    fork.message(role="user", content="And now?")
    fork.write()

    # mom: her own name, sessions in a folder that no profile can know.
    path = tmp / "mom-bash-00000000000000c1.log"
    path.write_bytes(output("mom", 60_000))
    store.spills.append(
        Spill(
            path=path,
            data=path.read_bytes(),
            what="of mom",
            link="orphan",
            gates=GATES,
        )
    )
    for name in ("pi-bash-notes.log", "pi-bash-00000000000000A1.log", "bash-1.log"):
        foreign = tmp / name
        foreign.write_text("not an output\n")
        store.others.append(foreign)
    return store
