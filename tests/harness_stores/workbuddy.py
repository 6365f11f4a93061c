"""A made store of WorkBuddy: Claude Code's folders, Responses-style records."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.harness_stores.model import Gone, HarnessStore, Spill
from tests.printed import FAILED, NIGHT, millis, output
from tests.stores import envelope_of, head_of

FIRST = "dddddddd-1111-4111-8111-000000000001"
SECOND = "eeeeeeee-2222-4222-8222-000000000002"


class Talk:
    """One conversation, told in order."""

    def __init__(self, home: Path, session: str, cwd: str = "/srv/app") -> None:
        base = home / ".workbuddy/projects" / cwd.strip("/").replace("/", "-")
        self.session, self.cwd = session, cwd
        self.path = base / f"{session}.jsonl"
        self.side = base / session / "tool-results"
        self.lines: list[str] = []
        self.clock = float(NIGHT)
        self._calls = 0
        text = f"<user_query>\nMake it green in {session}\n</user_query>"
        self.record(
            "message", role="user", content=[{"type": "input_text", "text": text}]
        )

    def record(self, kind: str, **fields: Any) -> None:
        """One record."""
        self.clock += 1
        value = {
            "id": f"{self.session[:4]}-{len(self.lines)}",
            "type": kind,
            "timestamp": millis(self.clock),
            "cwd": self.cwd,
            "sessionId": self.session,
            **fields,
        }
        self.lines.append(json.dumps(value, ensure_ascii=False))

    def says(self, text: str) -> None:
        """The agent's words."""
        content = [{"type": "output_text", "text": text}]
        self.record("message", role="assistant", content=content)

    def calls(self, tool: str, **arguments: Any) -> str:
        """The agent calls a tool; returns the call's id."""
        self._calls += 1
        call_id = f"call_{self.session[:4]}_{self._calls}"
        self.record(
            "function_call", callId=call_id, name=tool, arguments=json.dumps(arguments)
        )
        return call_id

    def gets(
        self, call_id: str, tool: str, text: str, status: str = "completed"
    ) -> None:
        """The result of a call."""
        output = {"type": "text", "text": text}
        self.record(
            "function_call_result",
            callId=call_id,
            name=tool,
            output=output,
            status=status,
        )

    def spills(
        self, what: str, name: str, data: bytes, command: str, write: bool = True
    ) -> Spill:
        """A call whose output was saved."""
        call_id = self.calls("Bash", command=command)
        path = self.side / name
        preview, size = head_of(data, 2000)
        text = envelope_of(path, data, preview)
        self.gets(call_id, "Bash", text)
        if write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return Spill(
            path=path,
            data=data,
            what=what,
            session=self.session,
            project=self.cwd,
            tool="Bash",
            call_id=call_id,
            command=command,
            failed=False,
            envelope=text,
            seen=((0, size),),
            agrees=True,
        )

    def write(self) -> None:
        """Write the transcript."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("\n".join(self.lines) + "\n")


def make(home: Path) -> HarnessStore:
    """Make the store."""
    store = HarnessStore(harness="workbuddy")
    one = Talk(home, FIRST)
    data = output("buddy", 90_000, verdict=FAILED)
    spill = one.spills("a command", "tool_a1b2.txt", data, "pytest -q")
    one.says("One fails.")
    start, end = data.index(b"000500 "), data.index(b"000510 ")
    rows = "\n".join(
        f"{500 + i:6d}\t{row}"
        for i, row in enumerate(data[start : end - 1].decode().split("\n"))
    )
    call = one.calls("Read", file_path=str(spill.path), offset=500, limit=10)
    one.gets(call, "Read", rows)
    assert spill.seen is not None
    seen = (*spill.seen, (start, end))
    store.spills.append(
        replace(spill, seen=seen, next_text="One fails.", read_back=True)
    )
    data = output("工友", 70_000, kind="cjk")
    store.spills.append(one.spills("CJK", "tool_c3.txt", data, "make"))
    lost = one.spills("lost", "tool_d4.txt", output("gone", 60_000), "make", False)
    store.gone.append(
        Gone(what="deleted", state="dangling", session=FIRST, call_id=lost.call_id)
    )
    orphan = one.side / "tool_e5.txt"
    orphan.write_bytes(output("orphan", 60_000))
    store.spills.append(
        Spill(
            path=orphan,
            data=orphan.read_bytes(),
            what="no record names it",
            link="orphan",
            session=FIRST,
        )
    )
    one.write()
    two = Talk(home, SECOND, "/srv/other")
    data = output("two", 60_000, kind="crlf")
    store.spills.append(two.spills("the same name", "tool_a1b2.txt", data, "make"))
    two.write()
    foreign = one.side / "notes.txt"
    foreign.write_text("mine\n")
    store.others.append(foreign)
    return store
