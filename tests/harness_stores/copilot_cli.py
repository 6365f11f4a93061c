"""A made store of GitHub Copilot CLI: temp files, two sessions that point at them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.harness_stores.model import Gone, HarnessStore, Range, Spill
from tests.stores import json_time, log_of, span

NIGHT = 1_795_000_000
FIRST = "11c0b1d0-2222-4333-8444-5555555555c1"
SECOND = "22c0b1d0-2222-4333-8444-5555555555c2"
HINT = (
    "Consider using tools like rg (for searching), head/tail (for viewing start/end), "
    "view with view_range (for specific sections), or jq (for JSON) to examine "
    "portions of the output."
)


class Session:
    """One session, told in order."""

    def __init__(self, home: Path, session: str, *, flat: bool = False) -> None:
        folder = home / ".copilot" / "session-state"
        self.log = folder / (f"{session}.jsonl" if flat else f"{session}/events.jsonl")
        self.session = session
        self.rows: list[str] = []
        self.clock = float(NIGHT)
        self.calls = 0
        start = {
            "sessionId": session,
            "version": 1,
            "producer": "copilot-agent",
            "copilotVersion": "1.0.54",
            "startTime": json_time(self.clock),
            "context": {"cwd": "/srv/app", "branch": "main"},
        }
        self.event("session.start", start)

    def event(self, kind: str, data: dict[str, Any]) -> None:
        self.clock += 1
        row: dict[str, Any] = {
            "type": kind,
            "data": data,
            "id": f"{self.session[:4]}-{len(self.rows)}",
        }
        row |= {"timestamp": json_time(self.clock), "parentId": None}
        self.rows.append(json.dumps(row))

    def prompt(self, text: str) -> None:
        self.event("user.message", {"content": text, "attachments": []})

    def says(self, text: str) -> None:
        self.event("assistant.message", {"messageId": "m", "content": text})

    def call(self, tool: str, **arguments: Any) -> str:
        """A call, as the message that asks for it and the start of it both tell."""
        self.calls += 1
        call_id = f"call_{self.session[:2]}_{self.calls:03d}"
        request = {"toolCallId": call_id, "name": tool, "arguments": arguments}
        data = {"messageId": f"m{self.calls}", "content": "", "toolRequests": [request]}
        self.event("assistant.message", data)
        begun = {"toolCallId": call_id, "toolName": tool, "arguments": arguments}
        self.event("tool.execution_start", begun)
        return call_id

    def result(
        self, call_id: str, text: str, *, success: bool = True, **more: Any
    ) -> None:
        result = {"content": text, "detailedContent": text} | more.pop("result", {})
        data = {"toolCallId": call_id, "success": success, "result": result}
        self.event("tool.execution_complete", data | more)

    def write(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.log.write_text("\n".join(self.rows) + "\n")


def units(text: str, count: int) -> tuple[str, int]:
    """The first UTF-16 units of a text as JavaScript cuts it, and the whole bytes."""
    raw = text.encode("utf-16-le")[: 2 * count]
    cut = raw.decode("utf-16-le", "surrogatepass")
    whole = cut[:-1] if "\ud800" <= cut[-1:] <= "\udbff" else cut
    return cut, len(whole.encode())


def notice(path: str, size: int, preview: str | None) -> str:
    """What stands in an output's place."""
    text = f"Output too large to read at once ({size / 1024:.1f} KB). Saved to: {path}"
    text += f"\n{HINT}"
    return (
        text if preview is None else f"{text}\n\nPreview (first 500 chars):\n{preview}"
    )


def rows(data: bytes, first: int, last: int) -> str:
    """Lines as `view` prints them."""
    lines = data.decode().split("\n")
    found = [f"{n}. {lines[n - 1]}" for n in range(first, last + 1)]
    return "\n".join(found).replace("\r", "")


def make(home: Path) -> HarnessStore:
    """Make the store below `home`."""
    tmp = home / "tmp"
    tmp.mkdir(parents=True, exist_ok=True)
    store = HarnessStore(harness="copilot-cli")
    gate = (20480, "bytes")

    def spill(
        session: Session,
        name: str,
        data: bytes,
        what: str,
        command: str = "make test",
        *,
        behind: str = "",
        preview: bool = True,
        success: bool = True,
        tool: str = "bash",
        more: tuple[Range, ...] = (),
        read: bool = False,
        text: str | None = None,
        write: bool = True,
        **extra: Any,
    ) -> Path:
        path = tmp / name
        shown, size = units(data.decode(), 500)
        envelope = notice(str(path), len(data), shown if preview else None) + behind
        envelope = envelope if text is None else text
        call_id = session.call(tool, command=command, description="run")
        result = extra.pop("result", {})
        session.result(call_id, envelope, success=success, result=result, **extra)
        session.says(f"Said after {what}.")
        if not write:
            store.gone.append(
                Gone(
                    what=what,
                    state="dangling",
                    session=session.session,
                    path=str(path),
                    call_id=call_id,
                    tool=tool,
                )
            )
            return path
        path.write_bytes(data)
        head = ((0, size),) if preview and text is None else ()
        failed: bool | str | None = not success or "exit code 2" in behind
        store.spills.append(
            Spill(
                path=path,
                data=data,
                what=what,
                session=session.session,
                project="/srv/app",
                tool=tool,
                call_id=call_id,
                command=command,
                failed=failed,
                envelope=envelope,
                seen=tuple(sorted((*head, *more))),
                boundary=gate,
                gates=(gate,),
                agrees=True if text is None else None,
                next_text=f"Said after {what}.",
                read_back=read or bool(more),
            )
        )
        return path

    first = Session(home, FIRST)
    first.prompt("Fix the build")
    build = log_of(3000, wide="日本 ")
    page = span(build, 100, 160)
    older = spill(
        first,
        "copilot-tool-output-1795000000001-ab12cd.txt",
        build,
        "older name, read on",
        behind="\n<exited with exit code 2>",
        more=(page, (span(build, 2998, 3000)[0], len(build) - 1)),
    )
    call = first.call("view", path=str(older), view_range=[100, 160])
    first.result(call, rows(build, 100, 160))
    call = first.call("bash", command=f"tail -n 3 {older}", description="end")
    last = "\n".join(build.decode().split("\n")[-4:-1])
    first.result(call, f"{last}\n<shellId: 3 completed with exit code 0>")
    # One UTF-16 unit of an emoji is the last that the preview shows.
    emoji = ("x" * 499 + "🙂" + "\n" + log_of(2500).decode()).encode()
    spill(first, "1795000000002-copilot-tool-output-bunb1d.txt", emoji, "half an emoji")
    crlf = log_of(2600, last="1 failed").replace(b"\n", b"\r\n")
    hit = span(crlf, 77, 77)
    crlf_log = spill(
        first,
        "1795000000003-copilot-tool-output-4173777-0950daee-2f07-4ff0-aff9-bf1d1185e407"
        ".txt",
        crlf,
        "process and uuid, CRLF",
        behind="\n<shellId: 7 completed with exit code 0>",
        more=(hit,),
    )
    call = first.call("rg", pattern="step 09", paths=[str(crlf_log)], **{"-n": True})
    line = crlf[hit[0] : hit[1] - 2].decode()
    first.result(call, f"{crlf_log}:77:{line}")
    spill(
        first,
        "1795000000004-copilot-tool-output-37479b95a45447bf8be314e43dc0d1c1.txt",
        log_of(2000, last="no tests ran"),
        "32 digits, refused",
        success=False,
    )
    spill(
        first,
        "copilot-tool-output-1795000000005-2.txt",
        log_of(1900, last="ok"),
        "no preview",
        preview=False,
    )
    pointed = tmp / "1795000000006-copilot-tool-output-aaaaaa.txt"
    told = {"large_output": "true", "large_output_file": str(pointed)}
    spill(
        first,
        pointed.name,
        log_of(1800, last="Done."),
        "named by a field alone",
        text="The tool's own words about a long result.",
        toolTelemetry={"properties": told, "metrics": {}},
    )
    # A page of a one-line document is as long as the document: it is saved again.
    document = json.dumps({"rows": [{"id": n, "name": f"n{n}"} for n in range(4000)]})
    inner = spill(
        first,
        "1795000000007-copilot-tool-output-cccccc.txt",
        document.encode(),
        "one line, JSON",
        command="curl -s http://localhost/rows",
        read=True,
    )
    outer = tmp / "1795000000008-copilot-tool-output-dddddd.txt"
    viewed = f"1. {document}".encode()
    shown, size = units(viewed.decode(), 500)
    text = notice(str(outer), len(viewed), shown)
    call = first.call("view", path=str(inner), view_range=[1, 120])
    first.result(call, text)
    outer.write_bytes(viewed)
    store.spills.append(
        Spill(
            path=outer,
            data=viewed,
            what="a page saved again",
            session=FIRST,
            tool="view",
            call_id=call,
            envelope=text,
            seen=((0, size),),
            boundary=gate,
            agrees=True,
        )
    )
    # Words about notices are none.
    call = first.call("view", path="/srv/app/notes.md")
    quoted = notice(str(tmp / "copilot-tool-output-1795000009999-zz99zz.txt"), 9, "x")
    first.result(call, "1. Notes\n2. " + quoted.replace("\n", "\n3. "))
    call = first.call("bash", command="cat notes.md", description="notes")
    first.result(call, f"Notes\n{quoted}\n<exited with exit code 0>")
    first.rows.append('{"type":"tool.execution_complete","data":')
    first.rows.append('{"type":["x"],"data":{"result":{"content":7}}}')
    first.write()

    second = Session(home, SECOND, flat=True)
    second.prompt("Now the docs")
    spill(
        second,
        "1795000000009-copilot-tool-output-eeeeee.txt",
        log_of(2100, last="warnings: 3"),
        "older transcript, with a copy",
        command="make docs",
        result={"detailedContent": "y" * 60000},
    )
    spill(
        second,
        "1795000000010-copilot-tool-output-ffffff.txt",
        log_of(2100),
        "gone",
        write=False,
    )
    away = r"C:\Users\u\AppData\Local\Temp\copilot-tool-output-1795000000011-2.txt"
    call = second.call("powershell", command="dir", description="list")
    second.result(call, notice(away, 65024, "x"))
    store.gone.append(
        Gone(
            what="of another machine",
            state="dangling",
            session=SECOND,
            path=away,
            call_id=call,
            tool="powershell",
        )
    )
    second.write()

    orphan = tmp / "1795000000012-copilot-tool-output-gggggg.txt"
    orphan.write_bytes(log_of(1500, last="nobody knows"))
    store.spills.append(
        Spill(
            path=orphan,
            data=orphan.read_bytes(),
            what="orphan",
            link="orphan",
            boundary=gate,
        )
    )
    for name in (
        "copilot-tool-output-notes.txt",
        "copilot-tool-output-1795000000001-ab12cd.txt.bak",
        "1795000000001-copilot-tool-output.txt",
        "my-1795000000001-copilot-tool-output-bunb1d.txt",
    ):
        (tmp / name).write_text("mine\n")
        store.others.append(tmp / name)
    workspace = home / ".copilot" / "session-state" / FIRST / "workspace.yaml"
    workspace.write_text(f"id: {FIRST}\ncwd: /srv/app\n")
    store.others.append(workspace)
    return store
