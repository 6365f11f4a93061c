"""A made store of Cline: tasks of the extension, sessions of the SDK, logs in temp."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.harness_stores.model import Gone, HarnessStore, Spill
from tests.printed import FAILED, NIGHT, PASSED, iso, line_start, millis, output

TASK = "1795000000123"
SESSION = "1795000000456_ab12c"
OLD = "1795000000789"
CHOSE = (
    "The user chose to proceed while the command is starting or still running in their "
    "terminal."
)
WAITED = (
    "The command was still starting or running after 300 seconds, so Cline "
    "automatically proceeded while leaving it running in the terminal."
)
PARTIAL = (
    "This is partial output; further output is being redirected to this file, which "
    "you can read to check progress: "
)
LARGE = ((1000, "lines"), (524_288, "bytes"))


class Task:
    """One task or session, told in order."""

    def __init__(self, session: str, cwd: str = "/srv/app") -> None:
        self.session, self.cwd = session, cwd
        self.clock = float(NIGHT)
        self.messages: list[dict[str, Any]] = []
        self._calls = 0
        asked = f"<task>\nMake it green in {session}\n</task>"
        place = (
            "<environment_details>\n# Visual Studio Code Visible Files\n(None)\n\n"
            f"# Current Working Directory ({cwd}) Files\na.py\n</environment_details>"
        )
        self.add("user", [{"type": "text", "text": t} for t in (asked, place)])

    def add(self, role: str, content: Any) -> None:
        """One message."""
        self.clock += 1
        ident = f"msg_{self.session}_{len(self.messages)}"
        when = millis(self.clock)
        message = {"id": ident, "role": role, "content": content, "ts": when}
        self.messages.append(message)

    def calls(self, tool: str, says: str = "", **arguments: Any) -> str:
        """The agent calls a tool; returns the call's id."""
        self._calls += 1
        call_id = f"call_{self.session[-3:]}_{self._calls}"
        block = {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}
        said = [{"type": "text", "text": says}] if says else []
        self.add("assistant", [*said, block])
        return call_id

    def gets(self, call_id: str, content: Any) -> None:
        """The result of a call."""
        block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
        self.add("user", [block])

    def runs(self, command: str, result: str, *, good: bool = True) -> str:
        """A command and what came back, in the SDK's rows."""
        call_id = self.calls("run_commands", commands=[command])
        self.gets(call_id, [{"query": command, "result": result, "success": good}])
        return call_id


def wrapped(command: str, data: bytes, code: int = 0) -> bytes:
    """A log of a command that was left running, framed by two lines of Cline's."""
    start = f"[Running command: {command}]\n".encode()
    return start + data + f"[Command completed with exit code {code}]\n".encode()


def make(home: Path) -> HarnessStore:
    """Make the store."""
    store = HarnessStore(harness="cline")
    logs = home / "tmp/cline"
    logs.mkdir(parents=True)

    def log(name: str, data: bytes) -> Path:
        path = logs / name
        path.write_bytes(data)
        return path

    one = Task(TASK)
    # Left running by the user; looked at again with tail.
    command = "npm run build"
    printed = output("build", 90_000, verdict=FAILED)
    data = wrapped(command, printed, 1)
    path = log("proceed-while-running-1795000001000-78dgo6y.log", data)
    shown = printed[: line_start(printed, 120) - 1]
    text = f"{CHOSE}\n{PARTIAL}{path}\nOutput so far:\n{shown.decode()}"
    call = one.runs(command, text)
    first = len(f"[Running command: {command}]\n")
    last = data[data.index(b"000900 ") :].count(b"\n")
    start = data.index(b"000900 ")
    one.runs(f"tail -n {last} {path}", data[start:].decode().rstrip())
    store.spills.append(
        Spill(
            path=path,
            data=data,
            what="left running by the user",
            session=TASK,
            project="/srv/app",
            tool="run_commands",
            call_id=call,
            command=command,
            failed=False,
            envelope=text,
            seen=((first, first + len(shown)), (start, len(data) - 1)),
            content="background",
            agrees=None,
            read_back=True,
        )
    )
    # Left running by itself, with nothing printed yet.
    data = wrapped("make 検査", output("検査", 60_000, kind="cjk"))
    path = log("proceed-while-running-1795000002000-a1.log", data)
    text = f"{WAITED}\n{PARTIAL}{path}\nNo output so far."
    call = one.runs("make 検査", text)
    store.spills.append(
        Spill(
            path=path,
            data=data,
            what="left running, nothing printed yet",
            session=TASK,
            call_id=call,
            command="make 検査",
            envelope=text,
            seen=(),
            content="background",
        )
    )
    # So much so far that the result was cut: the log has all of it.
    printed = output("much", 120_000, kind="crlf")
    data = wrapped("make much", printed)
    path = log("proceed-while-running-1795000003000-b2.log", data)
    whole = printed.decode()
    text = (
        f"{CHOSE}\n{PARTIAL}{path}\nOutput so far:\n{whole[:24_000]}\n"
        f"[... output truncated: {len(whole)} chars total. Refine the command (grep, "
        f"head, tail) to view the elided middle ...]\n{whole[-24_000:].rstrip()}"
    )
    call = one.runs("make much", text)
    first = len("[Running command: make much]\n")
    store.spills.append(
        Spill(
            path=path,
            data=data,
            what="left running, its result cut",
            session=TASK,
            call_id=call,
            envelope=text,
            may=((first, first + 24_000), (len(data) - 24_100, len(data))),
            content="background",
        )
    )
    # Cut, and nothing was saved.
    text = whole[:24_000] + (
        f"\n[... output truncated: {len(whole)} chars total. Refine the command (grep, "
        "head, tail) to view the elided middle ...]\n"
    )
    call = one.runs("make lost", text + whole[-24_000:])
    store.gone.append(
        Gone(what="cut", state="cut", session=TASK, call_id=call, tool="run_commands")
    )
    # Swept after 50 hours.
    swept = logs / "proceed-while-running-1795000004000-c3.log"
    call = one.runs("sleep 900", f"{WAITED}\n{PARTIAL}{swept}\nNo output so far.")
    store.gone.append(
        Gone(
            what="swept",
            state="dangling",
            session=TASK,
            path=str(swept),
            call_id=call,
            tool="run_commands",
        )
    )
    # The log's own limit was reached.
    mark = b"[Log size cap of 10485760 bytes reached; further output is not logged.]\n"
    data = wrapped("yes", output("yes", 60_000) + mark)
    path = log("proceed-while-running-1795000004500-c4.log", data)
    text = f"{CHOSE}\n{PARTIAL}{path}\nNo output so far."
    call = one.runs("yes", text)
    store.spills.append(
        Spill(
            path=path,
            data=data,
            what="a log that is cut itself",
            session=TASK,
            call_id=call,
            envelope=text,
            seen=(),
            content="background",
        )
    )
    path = log("background-1795000005000-d4.log", output("older", 60_000))
    store.spills.append(
        Spill(
            path=path,
            data=path.read_bytes(),
            what="an older log that no record names",
            link="orphan",
            content="background",
        )
    )
    folder = home / ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks"
    (folder / TASK).mkdir(parents=True)
    history = folder / TASK / "api_conversation_history.json"
    history.write_text(json.dumps(one.messages, ensure_ascii=False))
    (folder / TASK / "ui_messages.json").write_text(json.dumps([{"text": text}]))
    store.others.append(folder / TASK / "ui_messages.json")

    # Older: called in XML, the first and last 100 lines around the notice.
    old = Task(OLD)
    data = output("large", 600_000)
    path = log("large-output-1795000006000-e5.log", data)
    starts = line_start(data, 101), data.rindex(b"\n", 0, len(data) - 4000) + 1
    rows = data[: starts[0] - 1].decode(), data[starts[1] :].decode().rstrip("\n")
    count = data.count(b"\n") - rows[0].count("\n") - rows[1].count("\n") - 2
    text = (
        f"Command executed.\nOutput:\n{rows[0]}\n\n... ({count} lines written to "
        f"{path}) ...\n\n{rows[1]}"
    )
    old.add(
        "assistant",
        "<execute_command>\n<command>npm test</command>\n</execute_command>",
    )
    heading = "[execute_command for 'npm test'] Result:"
    old.add("user", [{"type": "text", "text": t} for t in (heading, text)])
    store.spills.append(
        Spill(
            path=path,
            data=data,
            what="a long output of older versions",
            session=OLD,
            tool="execute_command",
            command="npm test",
            envelope=text,
            seen=((0, starts[0] - 1), (starts[1], len(data) - 1)),
            gates=LARGE,
        )
    )
    (folder / OLD).mkdir()
    history = folder / OLD / "api_conversation_history.json"
    history.write_text(json.dumps(old.messages, ensure_ascii=False))

    # The SDK: a document with the messages in it, its log in a folder of its own.
    sdk = Task(SESSION, "/srv/sdk")
    printed = output("sdk", 70_000, verdict=PASSED)
    box = home / "tmp/cline-command-AbC123"
    box.mkdir()
    path = box / "output.log"
    data = printed + b"\n[Command exited with code 0]\n"
    path.write_bytes(data)
    shown = printed[:20_011]
    text = f"[Command is still running. Output will continue in {path}]\n"
    text += shown.decode()
    call = sdk.runs("make sdk", text)
    store.spills.append(
        Spill(
            path=path,
            data=data,
            what="of the SDK",
            session=SESSION,
            tool="run_commands",
            call_id=call,
            command="make sdk",
            envelope=text,
            seen=((0, len(shown)),),
            content="background",
        )
    )
    for name in ("active-command.json", "completed-at"):
        (box / name).write_text("{}")
        store.others.append(box / name)
    session = home / ".cline/data/sessions" / SESSION
    session.mkdir(parents=True)
    meta = {"session_id": SESSION, "cwd": "/srv/sdk", "started_at": iso(NIGHT)}
    (session / f"{SESSION}.json").write_text(json.dumps(meta))
    document = {"version": 1, "sessionId": SESSION, "messages": sdk.messages}
    (session / f"{SESSION}.messages.json").write_text(json.dumps(document))

    for name in ("notes.log", "proceed-while-running-1-a.log", "debug.txt"):
        foreign = logs / name
        foreign.write_text("not an output\n")
        store.others.append(foreign)
    other = home / "tmp/cline-command-mine"
    other.mkdir()
    (other / "output.log").write_text("somebody's\n")
    store.others.append(other / "output.log")
    return store
