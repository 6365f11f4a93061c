"""A made store of OpenHands: conversations of one file an event, and what they save."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.harness_stores.model import Gone, HarnessStore, Range, Spill
from tests.stores import log_of, numbered, span

NIGHT = 1_795_000_000
FIRST = "826e542142564e7bbf353d2a7d9ae7ff"
SECOND = "926e5421-4256-4e7b-bf35-3d2a7d9ae7ff"
NOTE = (
    "<response clipped><NOTE>Due to the max output limit, only part of the full "
    "response has been shown to you."
)


class Talk:
    """One conversation, told in order."""

    def __init__(self, home: Path, session: str) -> None:
        self.session = session
        self.folder = home / ".openhands" / "conversations" / session
        self.saved = self.folder / "observations"
        self.events: list[dict[str, Any]] = []
        self.clock = float(NIGHT)
        self.calls = 0

    def event(self, kind: str, source: str, **fields: Any) -> None:
        self.clock += 1
        when = datetime.fromtimestamp(self.clock, UTC).isoformat()[:19] + ".706887"
        ident = f"{self.session[:4]}-{len(self.events):04d}"
        base = {"id": ident, "timestamp": when, "source": source}
        self.events.append(base | fields | {"kind": kind})

    def says(self, text: str, role: str = "assistant") -> None:
        message = {"role": role, "content": [{"type": "text", "text": text}]}
        source = "user" if role == "user" else "agent"
        self.event("MessageEvent", source, llm_message=message)

    def call(self, tool: str, **arguments: Any) -> str:
        self.calls += 1
        call_id = f"toolu_{self.session[:2]}_{self.calls:03d}"
        self.event(
            "ActionEvent",
            "agent",
            thought=[],
            action=arguments | {"kind": f"{tool.title()}Action"},
            tool_name=tool,
            tool_call_id=call_id,
            tool_call={"id": call_id, "name": tool, "arguments": json.dumps(arguments)},
            llm_response_id=f"r{self.calls}",
        )
        return call_id

    def observe(
        self, call_id: str, tool: str, kind: str, text: str, **more: Any
    ) -> None:
        content = [{"cache_prompt": False, "type": "text", "text": text}]
        seen = {"content": content, "is_error": False, "kind": kind} | more
        self.event(
            "ObservationEvent",
            "environment",
            tool_name=tool,
            tool_call_id=call_id,
            observation=seen,
            action_id="a",
        )

    def terminal(
        self, call_id: str, output: str, *, code: int = 0, error: bool = False
    ) -> str:
        """A command's output as it is kept; returns the text the model is given."""
        metadata = {
            "exit_code": code,
            "pid": -1,
            "working_dir": "/srv/app",
            "py_interpreter_path": "/usr/bin/python3",
            "prefix": "",
            "suffix": f"\n[The command completed with exit code {code}.]",
        }
        self.observe(
            call_id,
            "terminal",
            "TerminalObservation",
            output,
            is_error=error,
            exit_code=code,
            metadata=metadata,
            full_output_save_dir=str(self.saved),
        )
        return (
            f"{output}\n[The command completed with exit code {code}.]"
            "\n[Current working directory: /srv/app]"
            "\n[Python interpreter: /usr/bin/python3]"
            f"\n[Command finished with exit code {code}]"
        )

    def write(self) -> None:
        (self.folder / "events").mkdir(parents=True)
        for number, event in enumerate(self.events):
            name = f"event-{number:05d}-{event['id']}.json"
            (self.folder / "events" / name).write_text(json.dumps(event))
        (self.folder / "base_state.json").write_text(json.dumps({"id": self.session}))


def clipped(
    full: str, folder: Path, prefix: str, limit: int
) -> tuple[str, Path, tuple[Range, ...]]:
    """What is given of a text over the limit, where it is saved, the bytes shown."""
    digest = hashlib.sha256(full.encode()).hexdigest()[:8]
    path = folder / f"{prefix}_output_{digest}.txt"
    room = limit - len(f"{NOTE}</NOTE>")
    first = room // 2 + room % 2
    line = len(full[:first].splitlines()) + 1
    notice = (
        f"{NOTE} The complete output has been saved to {path} - you can use other "
        "tools to view the full content (truncated part starts around line "
        f"{line}).</NOTE>"
    )
    left = min(first, limit - len(notice))
    right = limit - len(notice) - left
    head, tail = full[:left], full[len(full) - right :]
    size = len(full.encode())
    ranges = ((0, len(head.encode())), (size - len(tail.encode()), size))
    return head + notice + tail, path, ranges


def make(home: Path) -> HarnessStore:
    """Make the store below `home`."""
    store = HarnessStore(harness="openhands")
    terminal, other = (30_000, "chars"), (50_000, "chars")

    def add(talk: Talk, path: Path, data: str, what: str, **more: Any) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(data, encoding="utf-8", newline="")
        known: dict[str, Any] = {
            "boundary": terminal,
            "gates": (terminal,),
            "tool": "terminal",
        }
        known |= {"project": "/srv/app", "agrees": True, "session": talk.session}
        store.spills.append(
            Spill(path=path, data=data.encode(), what=what, **(known | more))
        )

    first = Talk(home, FIRST)
    first.says("Run the tests", "user")
    call = first.call("terminal", command="make test")
    full = first.terminal(call, log_of(3000, wide="日本 ").decode(), code=2)
    text, path, ranges = clipped(full, first.saved, "bash", 30_000)
    first.says("Two failures.")
    page = span(full.encode(), 1000, 1040)
    line = span(full.encode(), 1500, 1500)
    # A file is read on by its editor and by a command.
    again = first.call("file_editor", command="view", path=str(path))
    rows = numbered(full.encode(), 1000, 1040, "{n:>6}\t{line}")
    first.observe(
        again,
        "file_editor",
        "FileEditorObservation",
        f"Here's the result of running `cat -n` on {path}:\n{rows}\n",
    )
    again = first.call("terminal", command=f"sed -n '1500p' {path}")
    first.terminal(again, full.split("\n")[1499])
    # The same output once more: the same file.
    twice = first.call("terminal", command="make test")
    first.terminal(twice, log_of(3000, wide="日本 ").decode(), code=2)
    add(
        first,
        path,
        full,
        "one file of two calls, read on",
        call_id=call,
        command="make test",
        failed=True,
        envelope=text,
        seen=tuple(sorted((*ranges, page, (line[0], line[1] - 1)))),
        next_text="Two failures.",
        read_back=True,
    )
    call = first.call("terminal", command="make docs")
    output = log_of(2000).replace(b"\n", b"\r\n").decode()
    full = first.terminal(call, output, error=True)
    text, path, ranges = clipped(full, first.saved, "bash", 30_000)
    add(
        first,
        path,
        full,
        "an error, CRLF",
        call_id=call,
        failed=True,
        envelope=text,
        seen=ranges,
    )
    # Where one half ends cannot be told from a text that repeats itself.
    call = first.call("terminal", command="yes | head -n 40000")
    full = first.terminal(call, "y\n" * 40_000)
    text, path, ranges = clipped(full, first.saved, "bash", 30_000)
    add(
        first,
        path,
        full,
        "the same line for ever",
        call_id=call,
        envelope=text,
        seen=ranges,
    )
    # What other tools return is cut before it is kept.
    call = first.call("browser_get_content", extract_links=True)
    full = "".join(f"段落 {n} of the page\n" for n in range(6000)) + "The end."
    text, path, ranges = clipped(full, first.saved, "browser", 50_000)
    first.observe(call, "browser_get_content", "BrowserObservation", text)
    add(
        first,
        path,
        full,
        "a page, kept cut",
        call_id=call,
        tool="browser_get_content",
        failed=False,
        envelope=text,
        seen=ranges,
        boundary=other,
        gates=(other,),
    )
    # Changed since: the name's digest does not hold any more.
    call = first.call("terminal", command="make lint")
    full = first.terminal(call, log_of(2500, last="lint: 4").decode())
    text, path, ranges = clipped(full, first.saved, "bash", 30_000)
    path.parent.mkdir(parents=True, exist_ok=True)
    changed = full.replace("step", "STEP", 1)
    add(
        first,
        path,
        changed,
        "changed since",
        call_id=call,
        envelope=text,
        agrees=False,
        seen=None,
        may=((0, len(changed)),),
    )
    first.write()

    second = Talk(home, SECOND)
    second.says("And the docs", "user")
    call = second.call("terminal", command="make gone")
    full = second.terminal(call, log_of(2500, last="gone").decode())
    _, path, _ = clipped(full, second.saved, "bash", 30_000)
    store.gone.append(
        Gone(
            what="file gone",
            state="dangling",
            session=SECOND,
            path=str(path),
            call_id=call,
            tool="terminal",
        )
    )
    call = second.call("search", query="x")
    second.observe(call, "search", "McpObservation", f"head{NOTE}</NOTE>tail " * 40)
    store.gone.append(
        Gone(what="saved nowhere", state="cut", session=SECOND, call_id=call)
    )
    # Events of an older release quote a path of the other conversation.
    call = second.call("terminal", command="cat notes.md")
    quoted = store.spills[0].envelope or ""
    second.terminal(call, quoted[14_000:16_000])
    (home / "x").mkdir()
    second.write()
    broken = second.folder / "events" / "event-99999-broken.json"
    broken.write_text('{"kind": "ObservationEvent", "observation": ')
    (second.folder / "events" / "event-99998-odd.json").write_text(
        '{"kind":["ObservationEvent"],"observation":7,"tool_call_id":{}}'
    )
    orphan = second.saved / f"bash_output_{hashlib.sha256(b'lost').hexdigest()[:8]}.txt"
    orphan.parent.mkdir(parents=True, exist_ok=True)
    orphan.write_bytes(b"lost")
    stamped = second.saved / "bash_output_20251103_101500_123.txt"
    stamped.write_bytes(log_of(1800, last="first releases"))
    for path, what, agrees, gate in (
        (orphan, "orphan", True, terminal),
        (stamped, "orphan of the first releases", None, other),
    ):
        store.spills.append(
            Spill(
                path=path,
                data=path.read_bytes(),
                what=what,
                link="orphan",
                session=SECOND,
                agrees=agrees,
                boundary=gate,
            )
        )
    for path in (
        second.saved / "notes.txt",
        second.saved / "bash_output_123.txt",
        second.folder / "base_state.json",
        second.folder / "events" / "event-00000-926e-0000.json",
    ):
        if not path.exists():
            path.write_text("mine\n")
        store.others.append(path)
    return store
